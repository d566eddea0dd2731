import type { Parser } from "@lezer/common";
import { useMemo } from "react";
import type { DiffLine, Hunk } from "../../generated/protocol.ts";
import type { Styled } from "../../shared/ranges.ts";
import { highlight, styledByLine, useParser } from "../../text/highlight.ts";

/** Hunks with more text than this show without colours. UTF-16 units. */
const LONGEST = 100_000;

/** Syntax colours of every line of a hunk. */
export function useHunkColours(hunk: Hunk, path: string): Styled[][] {
  const parser = useParser(path);
  return useMemo(() => hunkColours(parser, hunk, LONGEST), [parser, hunk]);
}

/**
 * Syntax colours of every line of a hunk; none where it has more than `longest` UTF-16 units. The
 * old and the new text are read each for itself.
 */
export function hunkColours(parser: Parser | null, hunk: Hunk, longest: number): Styled[][] {
  const colours: Styled[][] = hunk.lines.map(() => []);
  const size = hunk.lines.reduce((sum, line) => sum + line.text.length + 1, 0);
  if (parser === null || size > longest) {
    return colours;
  }
  for (const gone of ["added", "removed"] as const) {
    const side = hunk.lines.flatMap((line, index) => (line.kind === gone ? [] : [{ line, index }]));
    const texts = side.map(({ line }) => line.text);
    const styled = styledByLine(texts, highlight(parser, texts.join("\n")));
    side.forEach(({ index }, place) => {
      colours[index] = styled[place] ?? [];
    });
  }
  return colours;
}

/** The changed words of a line. */
export function emphasisOf(line: DiffLine, className: string): Styled[] {
  return line.emphasis.map(([from, to]) => ({ from, to, className }));
}
