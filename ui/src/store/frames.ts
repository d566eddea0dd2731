/** Longest time that events wait while the window is hidden and paints no frames, milliseconds. */
const HIDDEN_DELAY = 100;

/** How the next flush is arranged; a parameter so that tests need no real frames. */
export interface FrameClock {
  /** Calls back before the next paint. */
  request(callback: () => void): void;
}

/** Frames of the window; a timer stands in while it is hidden, since then none are painted. */
export const windowFrames: FrameClock = {
  request(callback) {
    if (document.visibilityState === "hidden") {
      setTimeout(callback, HIDDEN_DELAY);
    } else {
      requestAnimationFrame(callback);
    }
  },
};

/** Collects values and hands them over together, once per frame. */
export class FrameQueue<T> {
  private pending: T[] = [];
  private arranged = false;

  constructor(
    private readonly clock: FrameClock,
    private readonly flush: (values: T[]) => void,
  ) {}

  /** Adds values to the next flush. */
  push(values: readonly T[]): void {
    for (const value of values) {
      this.pending.push(value);
    }
    if (!this.arranged && this.pending.length > 0) {
      this.arranged = true;
      this.clock.request(() => this.run());
    }
  }

  private run(): void {
    this.arranged = false;
    const values = this.pending;
    this.pending = [];
    this.flush(values);
  }
}
