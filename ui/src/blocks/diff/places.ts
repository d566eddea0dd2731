import type { DiffLine, DiffSide, Hunk, HunkPlace, LineComment } from "../../generated/protocol.ts";

/** Where a line of a diff is: in the text that is there, or in the one that is proposed. */
export interface LinePlace {
  /** Which text. */
  side: DiffSide;
  /** Its number there. */
  line: number;
}

/** The place of a line. What stays has one in both texts and is named by the proposed one. */
export function sideOf({ oldLine, newLine }: DiffLine): LinePlace {
  return newLine === undefined
    ? { side: "old", line: oldLine ?? 0 }
    : { side: "new", line: newLine };
}

/** Whether a comment is about this line of this file. */
export function isAbout(comment: LineComment, path: string, line: DiffLine): boolean {
  const place = sideOf(line);
  return comment.path === path && comment.side === place.side && comment.line === place.line;
}

/** A place of a diff, as the backend names it. */
export function placeOf({ oldStart, oldLines, newStart, newLines }: Hunk): HunkPlace {
  return { oldStart, oldLines, newStart, newLines };
}
