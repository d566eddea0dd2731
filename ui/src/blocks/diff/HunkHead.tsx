import { Check, MessageSquarePlus, Undo2 } from "lucide-react";
import type { JSX } from "react";
import type { Hunk } from "../../generated/protocol.ts";
import { type DoneReview, useBlockContext } from "../context.ts";
import styles from "./Diff.module.css";

interface Props {
  /** The hunk. */
  hunk: Hunk;
  /** Its position in the diff, from 0. */
  number: number;
  /** Begins a comment; null where lines are not commented. */
  onComment: (() => void) | null;
}

/** The head of one place of change, as a row of a table. */
export function HunkHead(props: Props): JSX.Element {
  return (
    <tr className={styles.place}>
      <th colSpan={4} scope="rowgroup">
        <HunkActions {...props} />
      </th>
    </tr>
  );
}

/** Where a place of change is, and what is decided about it. */
export function HunkActions({ hunk, number, onComment }: Props): JSX.Element {
  const { review } = useBlockContext();
  const toggle = review?.toggle ?? null;
  const taken = review?.rejected.has(number) !== true;
  return (
    <span className={styles.placeRow}>
      <span className={styles.placeName}>{placeOf(hunk)}</span>
      {onComment === null ? null : (
        <button type="button" className={styles.placeButton} onClick={onComment}>
          <MessageSquarePlus size={12} aria-hidden /> Comment
        </button>
      )}
      {review?.done === undefined ? null : (
        <Decided done={review.done} hunk={hunk} number={number} />
      )}
      {toggle === null ? null : (
        <label className={styles.take}>
          <input type="checkbox" checked={taken} onChange={() => toggle(number)} />
          {taken ? "Taken" : "Left out"}
        </label>
      )}
    </span>
  );
}

interface DecidedProps {
  done: DoneReview;
  hunk: Hunk;
  number: number;
}

/** Accepts a place that is done, or takes it back. */
function Decided({ done, hunk, number }: DecidedProps): JSX.Element {
  const accepted = done.accepted.has(number);
  return (
    <>
      <button
        type="button"
        className={styles.placeButton}
        aria-pressed={accepted}
        onClick={() => done.accept(hunk, !accepted)}
      >
        <Check size={12} aria-hidden /> {accepted ? "Accepted" : "Accept"}
      </button>
      <button type="button" className={styles.placeButton} onClick={() => done.reject(hunk)}>
        <Undo2 size={12} aria-hidden /> Reject
      </button>
    </>
  );
}

function placeOf(hunk: Hunk): string {
  if (hunk.oldStart === 0 && hunk.newStart === 0) {
    return "Somewhere in the file";
  }
  return `@@ −${hunk.oldStart},${hunk.oldLines} +${hunk.newStart},${hunk.newLines} @@`;
}
