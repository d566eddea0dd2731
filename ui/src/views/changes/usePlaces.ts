import { type RefObject, useCallback, useMemo, useRef, useState } from "react";
import type { LongDiffHandle } from "../../blocks/diff/LongDiff.tsx";
import type { ChangedFile, FileComparison, Hunk } from "../../generated/protocol.ts";
import type { ShownChanges } from "../../store/state.ts";
import { useAdroit } from "../adroit.tsx";
import type { FileReview } from "./useFileReview.ts";

/** Where one is in the changes: which file, and which place of it. */
export interface Places {
  /** The file; null where there is none. */
  path: string | null;
  /** The place in it, from 0. */
  place: number;
  /** Shows another file. */
  show(path: string): void;
  /** Goes to the next or the previous file. */
  stepFile(step: 1 | -1): void;
  /** Goes to the next or the previous place, and past the last to the next file. */
  step(step: 1 | -1): void;
  /** What is known of the file now. */
  compared(compared: FileComparison | null, review: FileReview): void;
  /** The diff in sight. */
  handle: RefObject<LongDiffHandle | null>;
  /** What can be decided here, by keys. */
  here(): { hunk: Hunk | null; place: number; accepted: boolean; review: FileReview } | null;
}

/** Behind every last place: clamped when it is known how many there are. */
const LAST = Number.MAX_SAFE_INTEGER;

/** Keeps the place while the panel is open. */
export function usePlaces(shown: ShownChanges, files: readonly ChangedFile[]): Places {
  const { setPanels } = useAdroit();
  const [at, setAt] = useState<{ path: string | null; place: number }>({ path: null, place: 0 });
  const known = useRef<{ compared: FileComparison; review: FileReview } | null>(null);
  const [count, setCount] = useState(0);
  const handle = useRef<LongDiffHandle>(null);
  const path = files.some((file) => file.path === shown.path)
    ? shown.path
    : (files[0]?.path ?? null);
  const wanted = at.path === path ? at.place : 0;
  const place = Math.max(0, Math.min(wanted, count - 1));

  const show = useCallback(
    (file: string, first = 0) => {
      setAt({ path: file, place: first });
      setPanels({ changes: { ...shown, path: file } });
    },
    [setPanels, shown],
  );
  const compared = useCallback((found: FileComparison | null, review: FileReview) => {
    known.current = found === null ? null : { compared: found, review };
    if (found !== null) {
      setCount(found.diff.hunks.length);
    }
  }, []);
  return useMemo(() => {
    const stepFile = (step: 1 | -1, first = 0) => {
      const next = files[files.findIndex((file) => file.path === path) + step];
      if (next !== undefined) {
        show(next.path, first);
      }
    };
    return {
      path,
      place,
      show,
      stepFile: (step) => stepFile(step),
      step: (step) => {
        const next = place + step;
        if (next >= 0 && next < count) {
          setAt({ path, place: next });
        } else {
          stepFile(step, step > 0 ? 0 : LAST);
        }
      },
      compared,
      handle,
      here: () => {
        const now = known.current;
        return now === null
          ? null
          : {
              hunk: now.compared.byHunk ? (now.compared.diff.hunks[place] ?? null) : null,
              place,
              accepted: now.compared.accepted.includes(place),
              review: now.review,
            };
      },
    };
  }, [path, place, count, files, show, compared]);
}
