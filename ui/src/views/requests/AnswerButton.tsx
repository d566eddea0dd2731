import type { Ref } from "react";
import {
  type JSX,
  type KeyboardEvent,
  type MouseEvent,
  type PointerEvent,
  type ReactNode,
  useCallback,
  useEffect,
  useImperativeHandle,
  useRef,
  useState,
} from "react";
import styles from "./AnswerButton.module.css";
import type { Gesture } from "./guard.ts";
import { useConsent } from "./useConsent.ts";

/** How long a destructive answer must be held, milliseconds. */
export const HOLD = 1_000;

/** Drives an answer from a shortcut: the key goes down, and up again. */
export interface AnswerHandle {
  /** The shortcut's key went down. */
  keyDown(event: globalThis.KeyboardEvent): void;
  /** It went up. */
  keyUp(event: globalThis.KeyboardEvent): void;
}

interface Props {
  /** Names the answer for the guard. */
  answer: string;
  /** How it looks. */
  look: "allow" | "plain" | "deny";
  /** Must be held for a second. */
  hold?: boolean;
  /** Cannot be given now. */
  isDisabled?: boolean;
  /** The shortcut, for screen readers. */
  keys?: string;
  /** For shortcuts. */
  handle?: Ref<AnswerHandle>;
  /** Its text. */
  children: ReactNode;
  /** The answer was given. */
  onAnswer: () => void;
}

/**
 * A button whose press must satisfy the guard.
 *
 * It is a plain button and not one of the component library's: the guard needs the raw
 * events with their times.
 */
export function AnswerButton(props: Props): JSX.Element {
  const {
    answer,
    look,
    hold = false,
    isDisabled = false,
    keys,
    handle,
    children,
    onAnswer,
  } = props;
  const { guard, armed, refused } = useConsent();
  const button = useRef<HTMLButtonElement>(null);

  const begin = useCallback(
    (event: Raw): boolean => {
      const refusal = guard.begin(answer, gestureOf(event, button.current, false));
      if (refusal !== null) {
        refused(refusal);
      }
      return refusal === null;
    },
    [guard, answer, refused],
  );

  const finish = useCallback(
    (event: Raw, isVirtual: boolean): void => {
      const refusal = guard.complete(answer, gestureOf(event, button.current, isVirtual));
      if (refusal === null) {
        onAnswer();
      } else {
        refused(refusal);
      }
    },
    [guard, answer, refused, onAnswer],
  );

  const holding = useHold(hold, begin, finish, () => guard.cancel());

  useImperativeHandle(
    handle,
    () => ({
      keyDown(event) {
        if (button.current === null || button.current.disabled) {
          return;
        }
        if (hold) {
          holding.start(event);
        } else if (begin(event)) {
          finish(event, false);
        }
      },
      keyUp: () => holding.stop(),
    }),
    [hold, holding, begin, finish],
  );

  function onKeyDown(event: KeyboardEvent): void {
    if (event.key !== "Enter" && event.key !== " ") {
      return;
    }
    if (hold) {
      event.preventDefault();
      holding.start(event.nativeEvent);
    } else if (event.key === " " || !event.repeat) {
      begin(event.nativeEvent);
    } else {
      event.preventDefault();
    }
  }

  function onClick(event: MouseEvent): void {
    if (hold) {
      holding.click(event.nativeEvent);
    } else {
      // A click without a pointer has no detail; whether a key began it, the guard knows.
      finish(event.nativeEvent, event.detail === 0);
    }
  }

  return (
    <button
      ref={button}
      type="button"
      className={`${styles.answer} ${styles[look]}`}
      disabled={isDisabled}
      // Not `disabled`: a button that has the focus must keep it while the request settles.
      aria-disabled={!armed || undefined}
      aria-keyshortcuts={keys}
      data-holding={holding.isHeld || undefined}
      onPointerDown={(event: PointerEvent) => {
        if (event.button !== 0) {
          return;
        }
        if (hold) {
          holding.start(event.nativeEvent);
        } else {
          begin(event.nativeEvent);
        }
      }}
      onPointerUp={holding.stop}
      onPointerLeave={holding.stop}
      onPointerCancel={holding.stop}
      onKeyDown={onKeyDown}
      onKeyUp={holding.stop}
      onBlur={holding.stop}
      onClick={onClick}
    >
      {hold ? <span className={styles.progress} data-real-time aria-hidden /> : null}
      <span className={styles.words}>{holding.words ?? children}</span>
    </button>
  );
}

type Raw = Pick<Event, "timeStamp" | "isTrusted">;

function gestureOf(event: Raw, button: HTMLElement | null, isVirtual: boolean): Gesture {
  const box = button?.getBoundingClientRect();
  return {
    at: event.timeStamp,
    place: { x: box?.x ?? 0, y: box?.y ?? 0 },
    isTrusted: event.isTrusted,
    isRepeat: "repeat" in event && event.repeat === true,
    isVirtual,
  };
}

interface Holding {
  isHeld: boolean;
  words: string | null;
  start(event: Raw): void;
  stop(): void;
  click(event: globalThis.MouseEvent): void;
}

/** Holding for a second. Assistive software, which cannot hold, clicks twice with a pause between. */
function useHold(
  enabled: boolean,
  begin: (event: Raw) => boolean,
  finish: (event: Raw, isVirtual: boolean) => void,
  cancel: () => void,
): Holding {
  const [isHeld, setHeld] = useState(false);
  const [askedAt, setAskedAt] = useState<number | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const stop = useCallback(() => {
    if (timer.current !== undefined) {
      clearTimeout(timer.current);
      timer.current = undefined;
      cancel();
      setHeld(false);
    }
  }, [cancel]);
  useEffect(() => () => clearTimeout(timer.current), []);
  return {
    isHeld,
    words: askedAt === null ? null : "Activate once more to confirm",
    start(event) {
      // A repeating key is the key that is being held already.
      if (!enabled || timer.current !== undefined || !begin(event)) {
        return;
      }
      setHeld(true);
      timer.current = setTimeout(() => {
        timer.current = undefined;
        setHeld(false);
        finish(event, false);
      }, HOLD);
    },
    stop,
    click(event) {
      // A pointer's click is the end of a hold that was too short, or done already.
      if (event.detail !== 0) {
        return;
      }
      if (askedAt !== null && event.timeStamp - askedAt >= HOLD) {
        finish(event, true);
      } else {
        setAskedAt(event.timeStamp);
      }
    },
  };
}
