import { MessageSquarePlus, Undo2 } from "lucide-react";
import type { JSX } from "react";
import type { Hunk } from "../../generated/protocol.ts";
import { useBlockContext } from "../context.ts";
import styles from "./Diff.module.css";

interface Props {
  /** The hunk. */
  hunk: Hunk;
  /** Its position in the diff, from 0. */
  number: number;
  /** Begins a comment; null where lines are not commented. */
  onComment: (() => void) | null;
}

/** The head of one place of change: where it is, and what is decided about it. */
export function HunkHead({ hunk, number, onComment }: Props): JSX.Element {
  const { review } = useBlockContext();
  const toggle = review?.toggle ?? null;
  const taken = review?.rejected.has(number) !== true;
  return (
    <tr className={styles.place}>
      <th colSpan={4} scope="rowgroup">
        <span className={styles.placeRow}>
          <span>{placeOf(hunk)}</span>
          {onComment === null ? null : (
            <button type="button" className={styles.placeButton} onClick={onComment}>
              <MessageSquarePlus size={12} aria-hidden /> Comment
            </button>
          )}
          {review?.revert === undefined ? null : (
            <button
              type="button"
              className={styles.placeButton}
              onClick={() => review.revert?.(hunk)}
            >
              <Undo2 size={12} aria-hidden /> Revert
            </button>
          )}
          {toggle === null ? null : (
            <label className={styles.take}>
              <input type="checkbox" checked={taken} onChange={() => toggle(number)} />
              {taken ? "Taken" : "Left out"}
            </label>
          )}
        </span>
      </th>
    </tr>
  );
}

function placeOf(hunk: Hunk): string {
  if (hunk.oldStart === 0 && hunk.newStart === 0) {
    return "Somewhere in the file";
  }
  return `@@ −${hunk.oldStart},${hunk.oldLines} +${hunk.newStart},${hunk.newLines} @@`;
}
