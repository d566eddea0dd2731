/**
 * Decides whether a press on an answer counts.
 *
 * Consent must be given to what was seen. Each rule names what it blocks:
 *
 * 1. A press begins only after the request was painted and stood still for a moment
 *    (a key or a double click that was meant for what was there before).
 * 2. A key that is held, and so repeats, is no press (typing that runs into the dock).
 * 3. A press that brings the window to the front only does that (the click that raises
 *    the window, or on a notification, while the pointer happens to be over an answer).
 * 4. A press ends on the thing that it began on, at the place where that was (a request
 *    that closes between pointer down and up, so that another answer moves under it).
 * 5. Only what a person does counts, never a click made by script.
 *
 * Moments are `Event.timeStamp` values: milliseconds of the page's own clock.
 */
export class ConsentGuard {
  private readyAt = Number.POSITIVE_INFINITY;
  private focusedAt = Number.NEGATIVE_INFINITY;
  private isBlurred = false;
  /** What went down and is not up yet; `void` where that cannot count any more. */
  private press: Press | "void" | null = null;

  /** A request was painted: answers count from `at` plus the settling time on. */
  painted(at: number): void {
    this.readyAt = at + SETTLING;
    this.press = null;
  }

  /** Another request shows, and is not painted yet. */
  reset(): void {
    this.readyAt = Number.POSITIVE_INFINITY;
    this.press = null;
  }

  /** What is shown changed its size or place: it settles again. */
  moved(at: number): void {
    if (this.readyAt !== Number.POSITIVE_INFINITY) {
      this.readyAt = Math.max(this.readyAt, at + SETTLING);
    }
    this.spoil();
  }

  /** The window came to the front. */
  windowFocused(at: number): void {
    this.isBlurred = false;
    this.focusedAt = at;
    this.spoil();
  }

  /** The window went to the back. */
  windowBlurred(): void {
    this.isBlurred = true;
    this.spoil();
  }

  /** A key or the pointer went down on `answer`. Says why it does not count, or null. */
  begin(answer: string, gesture: Gesture): Refusal | null {
    const refusal = this.refuse(gesture);
    this.press = refusal === null ? { answer, place: gesture.place } : "void";
    return refusal;
  }

  /** A press ended on `answer`. Says why it does not count, or null. Each press ends once. */
  complete(answer: string, gesture: Gesture): Refusal | null {
    const { press } = this;
    this.press = null;
    if (!gesture.isTrusted) {
      return "script";
    }
    if (press === null) {
      // Assistive software clicks without a pointer or a key: the same conditions hold.
      return gesture.isVirtual ? this.refuse(gesture) : "not-begun";
    }
    if (press === "void") {
      return "not-begun";
    }
    if (press.answer !== answer || distance(press.place, gesture.place) > STEADY) {
      return "moved";
    }
    return null;
  }

  /** The press was given up. */
  cancel(): void {
    this.press = null;
  }

  /** What is down now must not count when it comes up, not even as a click without a press. */
  private spoil(): void {
    this.press = this.press === null ? null : "void";
  }

  private refuse({ at, isRepeat, isTrusted }: Gesture): Refusal | null {
    if (!isTrusted) {
      return "script";
    }
    if (isRepeat) {
      return "held";
    }
    if (this.isBlurred || at < this.focusedAt + RAISING) {
      return "window";
    }
    return at < this.readyAt ? "too-early" : null;
  }
}

/** How long a request stands still before an answer counts, milliseconds. */
export const SETTLING = 350;
/** How long after the window came to the front a press is taken as what brought it there. */
const RAISING = 250;
/** How far a button may shift during a press, pixels. */
const STEADY = 4;

/** Where a button is. */
export interface Place {
  /** Its left edge. */
  x: number;
  /** Its upper edge. */
  y: number;
}

/** What a person did. */
export interface Gesture {
  /** When, as the event's `timeStamp`. */
  at: number;
  /** Where the button was. */
  place: Place;
  /** True where it came from a person, false from a script. */
  isTrusted: boolean;
  /** True for a key that repeats because it is held. */
  isRepeat: boolean;
  /** True for a click without a pointer or a key, as assistive software makes it. */
  isVirtual: boolean;
}

/** Why a press did not count. */
export type Refusal = "too-early" | "held" | "window" | "moved" | "script" | "not-begun";

/** The same in words for the person; null where nobody needs to know. */
export const REFUSAL_WORDS: Record<Refusal, string | null> = {
  "too-early": "That came before the request could be read. Press again.",
  window: "That click brought the window to the front and answered nothing. Press again.",
  moved: "The request moved while you pressed. Nothing was answered; press again.",
  held: null,
  script: null,
  "not-begun": null,
};

interface Press {
  answer: string;
  place: Place;
}

function distance(a: Place, b: Place): number {
  return Math.max(Math.abs(a.x - b.x), Math.abs(a.y - b.y));
}
