import { useCallback, useEffect, useMemo, useState } from "react";
import { placeOf } from "../../blocks/diff/places.ts";
import type { ChangeList, Hunk, WireError } from "../../generated/protocol.ts";
import type { ShownChanges } from "../../store/state.ts";
import { useAdroit } from "../adroit.tsx";

/** What is decided about one file. */
export interface FileReview {
  /** Whether it was found good as it is. */
  reviewed: boolean;
  /** Says so, or takes that back. */
  mark(reviewed: boolean): void;
  /** Accepts one place, or takes that back. */
  accept(hunk: Hunk, accepted: boolean): void;
  /** Asks to take one place back, or the file where none is named. */
  reject(hunk: Hunk | null): void;
  /** Why the last mark was not set. */
  failure: WireError | null;
}

interface Question {
  /** What is looked through. */
  shown: ShownChanges;
  /** Which file of it. */
  path: string;
  /** All files. */
  list: ChangeList | null;
  /** Whether the backend says that it was found good. */
  stored: boolean;
  /** A mark was set or taken off. */
  onMarked: () => void;
}

/** Decides about one file. */
export function useFileReview({ shown, path, list, stored, onMarked }: Question): FileReview {
  const { changes, setPanels } = useAdroit();
  const [failure, setFailure] = useState<WireError | null>(null);
  // What was clicked shows until the backend has answered.
  const [clicked, setClicked] = useState<{ path: string; reviewed: boolean } | null>(null);
  useEffect(() => setClicked(null), [list]);
  const { scope } = shown;
  const send = useCallback(
    async (hunks: Hunk[], reviewed: boolean) => {
      const outcome = await changes.review(scope, path, hunks.map(placeOf), reviewed);
      setFailure(outcome.ok ? null : outcome.error);
      onMarked();
    },
    [changes, scope, path, onMarked],
  );
  const reviewed = clicked?.path === path ? clicked.reviewed : stored;
  return useMemo(
    () => ({
      reviewed,
      failure,
      mark: (good) => {
        setClicked({ path, reviewed: good });
        void send([], good);
      },
      accept: (hunk, accepted) => void send([hunk], accepted),
      reject: (hunk) =>
        setPanels({
          undoing: {
            target: {
              scope,
              files: [{ path, hunks: hunk === null ? [] : [placeOf(hunk)] }],
              redo: false,
            },
            title: hunk === null ? path : `one place of ${path}`,
            rejects: true,
          },
        }),
    }),
    [reviewed, failure, path, scope, send, setPanels],
  );
}
