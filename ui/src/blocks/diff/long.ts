import type { Diff, DiffLine, LineComment } from "../../generated/protocol.ts";
import type { Styled } from "../../shared/ranges.ts";
import type { DiffLayout } from "../context.ts";
import { isAbout } from "./places.ts";
import { type PlacedLine, splitRows } from "./rows.ts";

/** One row of a diff of any length, as it is laid out. */
export type LongRow =
  | { kind: "place"; key: string; hunk: number }
  | { kind: "line"; key: string; hunk: number; placed: PlacedLine }
  | {
      kind: "pair";
      key: string;
      hunk: number;
      old: PlacedLine | null;
      fresh: PlacedLine | null;
    }
  | { kind: "said"; key: string; comment: LineComment }
  | { kind: "form"; key: string; hunk: number; line: DiffLine };

/** A line that a comment is being written on. */
export interface About {
  /** Its place. */
  hunk: number;
  /** It. */
  line: DiffLine;
}

/** All rows of a diff: what is said about a line stands below it. */
export function longRows(
  diff: Diff,
  layout: DiffLayout,
  comments: readonly LineComment[],
  about: About | null,
): LongRow[] {
  const rows: LongRow[] = [];
  const own = comments.filter((comment) => comment.path === diff.path);
  const below = (hunk: number, placed: PlacedLine | null) => {
    if (placed === null) {
      return;
    }
    for (const comment of own) {
      if (isAbout(comment, diff.path, placed.line)) {
        rows.push({ kind: "said", key: `said:${comment.side}:${comment.line}`, comment });
      }
    }
    if (about?.hunk === hunk && about.line === placed.line) {
      rows.push({ kind: "form", key: "form", hunk, line: about.line });
    }
  };
  diff.hunks.forEach((one, hunk) => {
    rows.push({ kind: "place", key: `place:${hunk}`, hunk });
    if (layout === "unified") {
      one.lines.forEach((line, index) => {
        const placed = { line, index };
        rows.push({ kind: "line", key: `${hunk}:${index}`, hunk, placed });
        below(hunk, placed);
      });
      return;
    }
    for (const { old, fresh } of splitRows(one.lines)) {
      rows.push({ kind: "pair", key: `${hunk}:${old?.index}:${fresh?.index}`, hunk, old, fresh });
      below(hunk, old);
      // What stays stands on both sides, and what is said about it once.
      if (fresh?.index !== old?.index) {
        below(hunk, fresh);
      }
    }
  });
  return rows;
}

/** White space of a line, to be made visible. */
export function spaceOf(text: string, space: string, tab: string): Styled[] {
  const styled: Styled[] = [];
  for (const found of text.matchAll(/ +|\t/g)) {
    const className = found[0] === "\t" ? tab : space;
    styled.push({ from: found.index, to: found.index + found[0].length, className });
  }
  return styled;
}

/** How a line ends, in letters. */
export function endingOf({ ending, missingNewline }: DiffLine): string {
  if (missingNewline) {
    return "no line ending";
  }
  return ending === undefined ? "LF" : ending.toUpperCase();
}
