import { type RefObject, useCallback, useLayoutEffect, useRef, useState } from "react";
import type { VListHandle } from "virtua";

/** This near to the end counts as being at the end, pixels. */
const NEAR = 40;
/** How long after a gesture a scroll is taken as its effect, milliseconds. */
const EFFECT = 700;

/** A list that keeps to its end. */
export interface Sticky {
  /** The list. */
  list: RefObject<VListHandle | null>;
  /** Whether the person scrolled away from the end. */
  away: boolean;
  /** The list was scrolled, by whomever. */
  onScroll(offset: number): void;
  /** The person did something that may scroll: wheel, touch, pointer, key. */
  onGesture(): void;
  /** Goes to the end if the list sticks to it. */
  keep(): void;
  /** Goes to the end and sticks to it. */
  toEnd(): void;
  /** Goes to a row and stays there. */
  reveal(row: number): void;
  /** The first row in sight. */
  top(): number;
}

/**
 * Keeps a growing list at its end until the person scrolls up, and again once back there.
 *
 * Only a person leaves the end: when the place for the list grows, because a request
 * was answered, its offset falls too.
 */
export function useSticky(shown: readonly unknown[]): Sticky {
  const list = useRef<VListHandle>(null);
  const sticks = useRef(true);
  const lastOffset = useRef(0);
  const gestureAt = useRef(Number.NEGATIVE_INFINITY);
  const [away, setAway] = useState(false);

  const keep = useCallback(() => {
    if (sticks.current) {
      list.current?.scrollToIndex(Number.MAX_SAFE_INTEGER, { align: "end" });
    }
  }, []);

  useLayoutEffect(() => {
    if (shown.length > 0) {
      keep();
    }
  }, [shown, keep]);

  const onScroll = useCallback((offset: number) => {
    const handle = list.current;
    if (handle === null) {
      return;
    }
    const near = handle.scrollSize - handle.viewportSize - offset < NEAR;
    const byPerson = performance.now() - gestureAt.current < EFFECT;
    if (near) {
      sticks.current = true;
    } else if (byPerson && offset < lastOffset.current) {
      sticks.current = false;
    }
    lastOffset.current = offset;
    setAway(!near && !sticks.current);
  }, []);

  const onGesture = useCallback(() => {
    gestureAt.current = performance.now();
  }, []);

  const toEnd = useCallback(() => {
    sticks.current = true;
    setAway(false);
    keep();
  }, [keep]);

  const reveal = useCallback((row: number) => {
    sticks.current = false;
    setAway(true);
    list.current?.scrollToIndex(row, { align: "center" });
  }, []);

  const top = useCallback(() => {
    const handle = list.current;
    return handle === null ? 0 : handle.findItemIndex(handle.scrollOffset);
  }, []);

  return { list, away, onScroll, onGesture, keep, toEnd, reveal, top };
}
