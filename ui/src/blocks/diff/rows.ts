import type { DiffLine } from "../../generated/protocol.ts";

/** A line of a hunk with its place in the hunk. */
export interface PlacedLine {
  /** The line. */
  line: DiffLine;
  /** Its place in the hunk's lines. */
  index: number;
}

/** One row of the split layout. */
export interface SplitRow {
  /** The old side, absent where nothing stands against the new. */
  old: PlacedLine | null;
  /** The new side. */
  fresh: PlacedLine | null;
}

/**
 * Pairs the lines of a hunk side by side: context stands against itself, the removed
 * lines of a run against the added lines that follow it, in order.
 */
export function splitRows(lines: readonly DiffLine[]): SplitRow[] {
  const rows: SplitRow[] = [];
  let removed: PlacedLine[] = [];
  let added: PlacedLine[] = [];
  const settle = () => {
    for (let at = 0; at < Math.max(removed.length, added.length); at += 1) {
      rows.push({ old: removed[at] ?? null, fresh: added[at] ?? null });
    }
    removed = [];
    added = [];
  };
  lines.forEach((line, index) => {
    const placed = { line, index };
    if (line.kind === "context") {
      settle();
      rows.push({ old: placed, fresh: placed });
    } else if (line.kind === "removed") {
      // A removal after an addition begins a new run.
      if (added.length > 0) {
        settle();
      }
      removed.push(placed);
    } else {
      added.push(placed);
    }
  });
  settle();
  return rows;
}
