import { useMemo, useState } from "react";
import type { DiffReview } from "../../blocks/context.ts";
import type { Answer, LineComment, PermissionRequest } from "../../generated/protocol.ts";

/** What the person decided about the places and lines of a request's diff so far. */
export interface Review {
  /** For the diff. */
  diff: DiffReview;
  /** Places that are left out, in order. */
  rejected: number[];
  /** How many places the diff has. */
  places: number;
  /** Words about lines. */
  comments: LineComment[];
  /** The yes that this amounts to; null where nothing is left to allow. */
  allow: Answer | null;
}

/** Keeps what is decided about one request's diff. */
export function useReview(request: PermissionRequest): Review {
  const [rejected, setRejected] = useState<ReadonlySet<number>>(new Set());
  const [comments, setComments] = useState<LineComment[]>([]);
  const places = request.view.blocks.reduce(
    (sum, block) => sum + (block.type === "diff" ? block.hunks.length : 0),
    0,
  );
  const canChoose = request.draft?.hunks === true;
  return useMemo(() => {
    const out = [...rejected].sort((a, b) => a - b);
    return {
      diff: {
        rejected,
        toggle: canChoose ? (hunk) => setRejected((before) => toggled(before, hunk)) : null,
        comments,
        comment: (said) => setComments((before) => replaced(before, said)),
      },
      rejected: out,
      places,
      comments,
      allow: allowOf(out, places, comments),
    };
  }, [rejected, comments, places, canChoose]);
}

function allowOf(rejected: number[], places: number, comments: LineComment[]): Answer | null {
  const said = comments.length === 0 ? {} : { comments };
  if (rejected.length === 0) {
    return { type: "allow_once", ...said };
  }
  return rejected.length < places
    ? { type: "allow_changed", change: { type: "hunks", rejected }, ...said }
    : null;
}

function toggled(before: ReadonlySet<number>, hunk: number): ReadonlySet<number> {
  const after = new Set(before);
  if (!after.delete(hunk)) {
    after.add(hunk);
  }
  return after;
}

/** One comment a line; an empty one takes it back. */
function replaced(before: readonly LineComment[], said: LineComment): LineComment[] {
  const others = before.filter(
    ({ path, side, line }) => path !== said.path || side !== said.side || line !== said.line,
  );
  return said.text === "" ? others : [...others, said];
}
