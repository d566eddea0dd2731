import { ChevronDown, ChevronUp, Undo2 } from "lucide-react";
import { type JSX, type RefObject, useEffect, useMemo, useState } from "react";
import type { DiffReview } from "../../blocks/context.ts";
import { LongDiff, type LongDiffHandle } from "../../blocks/diff/LongDiff.tsx";
import type { ChangeList, FileComparison, WireError } from "../../generated/protocol.ts";
import { Button, IconButton } from "../../shared/Button.tsx";
import { ErrorNote } from "../../shared/ErrorNote.tsx";
import { SafeText } from "../../shared/SafeText.tsx";
import type { ShownChanges } from "../../store/state.ts";
import { useAdroit } from "../adroit.tsx";
import { BlocksHere } from "./BlocksHere.tsx";
import { Counts } from "./ChangeChips.tsx";
import styles from "./Changes.module.css";
import { Pictures } from "./Pictures.tsx";
import type { Comments } from "./useComments.ts";
import { type FileReview, useFileReview } from "./useFileReview.ts";
import type { Looks } from "./useLooks.ts";

const NONE: ReadonlySet<number> = new Set();

interface Props {
  /** What is looked through. */
  shown: ShownChanges;
  /** Which file of it. */
  path: string;
  /** All files: another list means that the file may be another. */
  list: ChangeList | null;
  /** How the lines look. */
  looks: Looks;
  /** What was said about lines. */
  comments: Comments;
  /** The place that is looked at. */
  place: number;
  /** Goes to the next or the previous place, also of another file. */
  onPlace: (step: 1 | -1) => void;
  /** What is known of the file now. */
  onCompared: (compared: FileComparison | null, review: FileReview) => void;
  /** What can be asked of its diff. */
  handle: RefObject<LongDiffHandle | null>;
  /** A mark was set or taken off. */
  onReviewed: () => void;
}

/** One changed file, old against new, with what can be done about it. */
export function FileView(props: Props): JSX.Element {
  const { shown, path, list, onPlace, onReviewed, onCompared } = props;
  const { compared, error, refresh } = useComparison(props);
  const stored = list?.files.find((file) => file.path === path)?.reviewed ?? false;
  const review = useFileReview({
    shown,
    path,
    list,
    stored,
    onMarked: () => {
      refresh();
      onReviewed();
    },
  });
  useEffect(() => onCompared(compared, review), [compared, review, onCompared]);
  return (
    <section className={styles.file} aria-label={path} data-testid="file-view">
      <header className={styles.fileHeader}>
        <IconButton label="Previous change" keys="P" onPress={() => onPlace(-1)}>
          <ChevronUp size={15} />
        </IconButton>
        <IconButton label="Next change" keys="N" onPress={() => onPlace(1)}>
          <ChevronDown size={15} />
        </IconButton>
        <span className={styles.filePath} title={path}>
          <bdi>
            <SafeText text={path} />
          </bdi>
        </span>
        {compared === null ? null : <Counts file={compared.file} />}
        <span className={styles.grow} />
        <label className={styles.space}>
          <input
            type="checkbox"
            checked={review.reviewed}
            onChange={(event) => review.mark(event.target.checked)}
          />
          Reviewed
        </label>
        <Button small look="quiet" onPress={() => review.reject(null)}>
          <Undo2 size={13} aria-hidden /> Reject file
        </Button>
      </header>
      <ErrorNote error={error ?? review.failure} />
      {compared === null ? null : (
        <Compared key={path} {...props} compared={compared} review={review} />
      )}
    </section>
  );
}

interface ComparedProps extends Props {
  compared: FileComparison;
  review: FileReview;
}

function Compared({ compared, comments, looks, place, handle, review }: ComparedProps) {
  const { file, diff, invisible, byHunk, onlyInvisible } = compared;
  const accepted = useMemo(() => new Set(compared.accepted), [compared]);
  const diffReview = useMemo<DiffReview>(
    () => ({
      rejected: NONE,
      toggle: null,
      comments: comments.all,
      comment: (said) => comments.say(said, diff),
      ...(byHunk ? { done: { accepted, accept: review.accept, reject: review.reject } } : {}),
    }),
    [comments, diff, byHunk, accepted, review],
  );
  return (
    <>
      <Remarks invisible={invisible} diff={diff} onlyInvisible={onlyInvisible} />
      {file.kind === "image" ? <Pictures compared={compared} /> : null}
      {file.kind === "text" && diff.hunks.length > 0 ? (
        <BlocksHere review={diffReview} layout={looks.layout}>
          <LongDiff
            diff={diff}
            current={place}
            visible={looks.visible || onlyInvisible}
            handle={handle}
          />
        </BlocksHere>
      ) : null}
      {file.kind === "text" && diff.hunks.length === 0 ? (
        <p className={styles.none}>
          {diff.change === "created" ? "The new file is empty." : "No line reads otherwise."}
        </p>
      ) : null}
      {file.kind === "binary" ? (
        <p className={styles.none}>This is no text; its bytes are not shown.</p>
      ) : null}
    </>
  );
}

interface RemarksProps {
  invisible: string[];
  diff: FileComparison["diff"];
  onlyInvisible: boolean;
}

/** What the lines do not show, and what of them is left out. */
function Remarks({ invisible, diff, onlyInvisible }: RemarksProps): JSX.Element | null {
  const said = [
    ...(onlyInvisible ? ["The lines read the same. White space and line endings are shown."] : []),
    ...invisible,
    ...diff.notes,
    ...(diff.hiddenHunks > 0
      ? [`${diff.hiddenHunks} more places of this very long change are not shown.`]
      : []),
  ];
  return said.length === 0 ? null : (
    <ul className={styles.invisible} aria-label="What lines do not show">
      {said.map((words) => (
        <li key={words}>
          <SafeText text={words} strictness="prose" />
        </li>
      ))}
    </ul>
  );
}

interface Loaded {
  compared: FileComparison | null;
  error: WireError | null;
}

function useComparison({ shown, path, list, looks }: Props): Loaded & { refresh: () => void } {
  const { changes } = useAdroit();
  const { ignoreSpace } = looks;
  const [asked, setAsked] = useState(0);
  const [known, setKnown] = useState<Loaded & { path: string }>({
    path,
    compared: null,
    error: null,
  });
  const question = JSON.stringify(shown.scope);
  // Asked again on demand: `asked` only counts.
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
  }, [changes, question, path, ignoreSpace, list, asked]);
  return useMemo(
    () => ({
      ...(known.path === path ? known : { compared: null, error: null }),
      refresh: () => setAsked((times) => times + 1),
    }),
    [known, path],
  );
}
