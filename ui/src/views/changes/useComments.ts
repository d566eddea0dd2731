import { useMemo, useState } from "react";
import type { Diff, LineComment } from "../../generated/protocol.ts";

/** A comment with the line that it is about. */
interface Quoted extends LineComment {
  quote: string;
}

/** What was said about lines of changes, to be sent as one message. */
export interface Comments {
  /** Each. */
  all: readonly LineComment[];
  /** Says something about a line of a diff; nothing takes it back. */
  say: (comment: LineComment, diff: Diff) => void;
  /** Forgets all. */
  clear: () => void;
  /** The message that they make. */
  message: () => string;
}

/** Keeps them while the panel is open. */
export function useComments(): Comments {
  const [all, setAll] = useState<Quoted[]>([]);
  return useMemo(
    () => ({
      all,
      say: (comment, diff) =>
        setAll((before) => {
          const others = before.filter(
            (one) =>
              one.path !== comment.path || one.side !== comment.side || one.line !== comment.line,
          );
          return comment.text === ""
            ? others
            : [...others, { ...comment, quote: lineOf(comment, diff) }];
        }),
      clear: () => setAll([]),
      message: () => messageOf(all),
    }),
    [all],
  );
}

function lineOf({ side, line }: LineComment, diff: Diff): string {
  const lines = diff.hunks.flatMap((hunk) => hunk.lines);
  const found = lines.find((one) => (side === "old" ? one.oldLine : one.newLine) === line);
  return found?.text ?? "";
}

/** One message of all comments, in the order of files and lines. */
export function messageOf(all: readonly Quoted[]): string {
  const sorted = [...all].sort((a, b) =>
    a.path === b.path ? a.line - b.line : a.path < b.path ? -1 : 1,
  );
  const said = sorted.map(({ path, side, line, quote, text }) => {
    const where = side === "old" ? `line ${line} before the change` : `line ${line}`;
    return `${path}, ${where}:\n> ${quote}\n${text}`;
  });
  return `Comments on your changes:\n\n${said.join("\n\n")}`;
}
