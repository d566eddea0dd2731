import { ChevronDown, ChevronUp, Undo2 } from "lucide-react";
import { type JSX, useEffect, useMemo, useState } from "react";
import type { DiffReview } from "../../blocks/context.ts";
import { DiffBlock } from "../../blocks/diff/DiffBlock.tsx";
import type { ChangeList, FileComparison, Hunk, WireError } from "../../generated/protocol.ts";
import { Button, IconButton } from "../../shared/Button.tsx";
import { ErrorNote } from "../../shared/ErrorNote.tsx";
import { SafeText } from "../../shared/SafeText.tsx";
import type { ShownChanges } from "../../store/state.ts";
import { useAdroit } from "../adroit.tsx";
import { BlocksHere } from "./BlocksHere.tsx";
import styles from "./Changes.module.css";
import { Pictures } from "./Pictures.tsx";
import type { Comments } from "./useComments.ts";

const NONE: ReadonlySet<number> = new Set();

interface Props {
  /** What is looked through. */
  shown: ShownChanges;
  /** Which file of it. */
  path: string;
  /** All files: another list means that the file may be another. */
  list: ChangeList | null;
  /** Whether places that differ in white space only are left out. */
  ignoreSpace: boolean;
  /** What was said about lines. */
  comments: Comments;
  /** Goes to the next or the previous file. */
  onStep: (step: 1 | -1) => void;
  /** A mark was set or taken off. */
  onReviewed: () => void;
}

/** One changed file, old against new, with what can be done about it. */
export function FileView(props: Props): JSX.Element {
  const { shown, path, onStep, onReviewed } = props;
  const { changes, setPanels } = useAdroit();
  const { compared, error } = useComparison(props);
  const [failure, setFailure] = useState<WireError | null>(null);
  const stored = props.list?.files.find((file) => file.path === path)?.reviewed ?? false;
  // What was clicked shows until the backend has answered.
  const [clicked, setClicked] = useState<{ path: string; reviewed: boolean } | null>(null);
  useEffect(() => setClicked(null), [props.list]);
  async function mark(reviewed: boolean): Promise<void> {
    setClicked({ path, reviewed });
    const outcome = await changes.review(shown.scope, path, reviewed);
    setFailure(outcome.ok ? null : outcome.error);
    onReviewed();
  }
  const revert = (hunks: Hunk[]) =>
    setPanels({
      undoing: {
        target: {
          scope: shown.scope,
          files: [{ path, hunks: hunks.map(placeOf) }],
          redo: false,
        },
        title: hunks.length === 0 ? path : `one place of ${path}`,
      },
    });
  return (
    <section className={styles.file} aria-label={path} data-testid="file-view">
      <header className={styles.fileHeader}>
        <IconButton label="Previous file" keys="K" onPress={() => onStep(-1)}>
          <ChevronUp size={15} />
        </IconButton>
        <IconButton label="Next file" keys="J" onPress={() => onStep(1)}>
          <ChevronDown size={15} />
        </IconButton>
        <span className={styles.grow} />
        <label className={styles.space}>
          <input
            type="checkbox"
            checked={clicked?.path === path ? clicked.reviewed : stored}
            onChange={(event) => void mark(event.target.checked)}
          />
          Reviewed
        </label>
        <Button small look="quiet" onPress={() => revert([])}>
          <Undo2 size={13} aria-hidden /> Revert file
        </Button>
      </header>
      <ErrorNote error={error ?? failure} />
      {compared === null ? null : (
        <Compared compared={compared} comments={props.comments} onRevert={(h) => revert([h])} />
      )}
    </section>
  );
}

interface ComparedProps {
  compared: FileComparison;
  comments: Comments;
  onRevert: (hunk: Hunk) => void;
}

function Compared({ compared, comments, onRevert }: ComparedProps): JSX.Element {
  const { file, diff, invisible, byHunk } = compared;
  const block = useMemo(() => ({ type: "diff" as const, ...diff }), [diff]);
  const review: DiffReview = {
    rejected: NONE,
    toggle: null,
    comments: comments.all,
    comment: (said) => comments.say(said, diff),
    ...(byHunk ? { revert: onRevert } : {}),
  };
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so keys must reach it
    <section className={styles.compared} tabIndex={0} aria-label="Old against new">
      {invisible.length === 0 ? null : (
        <ul className={styles.invisible} aria-label="What lines do not show">
          {invisible.map((words) => (
            <li key={words}>
              <SafeText text={words} strictness="prose" />
            </li>
          ))}
        </ul>
      )}
      {file.kind === "image" ? <Pictures compared={compared} /> : null}
      {file.kind === "text" ? (
        <BlocksHere review={review} lines={2_000}>
          <DiffBlock key={file.path} block={block} />
        </BlocksHere>
      ) : null}
      {file.kind === "binary" ? (
        <p className={styles.none}>This is no text; its bytes are not shown.</p>
      ) : null}
    </section>
  );
}

function placeOf({ oldStart, oldLines, newStart, newLines }: Hunk) {
  return { oldStart, oldLines, newStart, newLines };
}

interface Loaded {
  compared: FileComparison | null;
  error: WireError | null;
}

function useComparison({ shown, path, list, ignoreSpace }: Props): Loaded {
  const { changes } = useAdroit();
  const [known, setKnown] = useState<Loaded & { path: string }>({
    path,
    compared: null,
    error: null,
  });
  const question = JSON.stringify(shown.scope);
  useEffect(() => {
    let wanted = true;
    void changes.file(JSON.parse(question), path, ignoreSpace).then((outcome) => {
      if (wanted) {
        setKnown(
          outcome.ok
            ? { path, compared: outcome.value, error: null }
            : { path, compared: null, error: outcome.error },
        );
      }
    });
    return () => {
      wanted = false;
    };
  }, [changes, question, path, ignoreSpace, list]);
  return known.path === path ? known : { compared: null, error: null };
}
