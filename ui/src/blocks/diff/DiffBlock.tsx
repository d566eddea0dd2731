import { Columns2, Rows2 } from "lucide-react";
import { type JSX, useId, useState } from "react";
import { ToggleButton, ToggleButtonGroup } from "react-aria-components";
import type { Diff, FileChange, Hunk } from "../../generated/protocol.ts";
import { SafeText } from "../../shared/SafeText.tsx";
import { count } from "../../shared/time.ts";
import type { BlockOf } from "../block.ts";
import { type DiffLayout, useBlockContext } from "../context.ts";
import styles from "./Diff.module.css";
import { DiffHunk } from "./DiffHunk.tsx";

const CHANGE: Record<FileChange, string> = {
  created: "new file",
  updated: "changed",
  deleted: "deleted",
};

/** A change of one file: the backend's hunks, unified or split. */
export function DiffBlock({ block }: { block: BlockOf<"diff"> }): JSX.Element {
  const { diffLayout, lineLimit } = useBlockContext();
  const [all, setAll] = useState(false);
  const name = useId();
  const limits = lineLimits(block.hunks, all ? Number.POSITIVE_INFINITY : lineLimit);
  const hidden = block.hunks.reduce((sum, h, at) => sum + h.lines.length - (limits[at] ?? 0), 0);
  return (
    <figure className={styles.diff} aria-labelledby={name} data-testid="diff">
      <Header diff={block} name={name} />
      {block.notes.length === 0 ? null : (
        <ul className={styles.notes} aria-label="Remarks on this change">
          {block.notes.map((note) => (
            <li key={note}>
              <SafeText text={note} strictness="block" />
            </li>
          ))}
        </ul>
      )}
      {block.hunks.length === 0 ? (
        <p className={styles.nothing}>{emptyWords(block)}</p>
      ) : (
        <div className={styles.scroll}>
          <table className={`${styles.table} ${styles[diffLayout]}`} aria-labelledby={name}>
            {diffLayout === "unified" ? <UnifiedColumns /> : <SplitColumns />}
            {block.hunks.map((hunk, at) =>
              limits[at] === 0 ? null : (
                <DiffHunk
                  key={`${hunk.oldStart}:${hunk.newStart}`}
                  hunk={hunk}
                  number={at}
                  path={block.path}
                  layout={diffLayout}
                  limit={limits[at] ?? 0}
                />
              ),
            )}
          </table>
        </div>
      )}
      <Hidden lines={hidden} hunks={block.hiddenHunks} onShow={() => setAll(true)} />
    </figure>
  );
}

/** How many lines of each hunk show when `limit` show in all. */
function lineLimits(hunks: readonly Hunk[], limit: number): number[] {
  let left = limit;
  return hunks.map((hunk) => {
    const shown = Math.min(hunk.lines.length, left);
    left -= shown;
    return shown;
  });
}

function emptyWords(diff: Diff): string {
  return diff.change === "created" ? "The new file is empty." : "No line changes.";
}

function Header({ diff, name }: { diff: Diff; name: string }): JSX.Element {
  const { diffLayout, setDiffLayout } = useBlockContext();
  return (
    <header className={styles.header}>
      <span className={styles.path} id={name}>
        <SafeText text={diff.path} />
      </span>
      <span className={styles.change} data-change={diff.change}>
        {CHANGE[diff.change]}
      </span>
      <span className={styles.counts}>
        <span className={styles.plus} title={`${count(diff.added, "line")} added`}>
          +{diff.added}
        </span>{" "}
        <span className={styles.minus} title={`${count(diff.removed, "line")} removed`}>
          −{diff.removed}
        </span>
      </span>
      <ToggleButtonGroup
        className={styles.layouts ?? ""}
        aria-label="Layout of the diff"
        selectionMode="single"
        disallowEmptySelection
        selectedKeys={[diffLayout]}
        onSelectionChange={(keys) => setDiffLayout([...keys][0] as DiffLayout)}
      >
        <ToggleButton id="unified" aria-label="Unified" className={styles.layout ?? ""}>
          <Rows2 size={14} />
        </ToggleButton>
        <ToggleButton id="split" aria-label="Split" className={styles.layout ?? ""}>
          <Columns2 size={14} />
        </ToggleButton>
      </ToggleButtonGroup>
    </header>
  );
}

function UnifiedColumns(): JSX.Element {
  return (
    <colgroup>
      <col className={styles.numberColumn} />
      <col className={styles.numberColumn} />
      <col className={styles.signColumn} />
      <col />
    </colgroup>
  );
}

function SplitColumns(): JSX.Element {
  return (
    <colgroup>
      <col className={styles.numberColumn} />
      <col />
      <col className={styles.numberColumn} />
      <col />
    </colgroup>
  );
}

interface HiddenProps {
  lines: number;
  hunks: number;
  onShow: () => void;
}

/** What does not show, with its counts: a cut that is not said would hide what is consented to. */
function Hidden({ lines, hunks, onShow }: HiddenProps): JSX.Element | null {
  const { showWhole } = useBlockContext();
  if (lines === 0 && hunks === 0) {
    return null;
  }
  return (
    <footer className={styles.hidden}>
      {lines === 0 ? null : (
        <button type="button" className={styles.show} onClick={onShow}>
          Show {count(lines, "more line")}
        </button>
      )}
      {hunks === 0 ? null : (
        <span>
          {count(hunks, "more place")} of change {hunks === 1 ? "is" : "are"} not in this preview.{" "}
          <button type="button" className={styles.show} onClick={showWhole}>
            Show the whole input
          </button>
        </span>
      )}
    </footer>
  );
}
