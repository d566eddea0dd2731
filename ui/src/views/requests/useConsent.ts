import type { RefObject } from "react";
import {
  createContext,
  useCallback,
  useContext,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import { ConsentGuard, REFUSAL_WORDS, type Refusal, SETTLING } from "./guard.ts";

/** The guard of the request that shows, and what the person is told. */
export interface Consent {
  /** The guard. */
  guard: ConsentGuard;
  /** Whether answers count already. */
  armed: boolean;
  /** Tells the person why a press did not count. */
  refused(refusal: Refusal): void;
}

const Context = createContext<Consent | null>(null);

/** Gives answer buttons their guard. */
export const ConsentProvider = Context.Provider;

/** The guard of the request that shows. */
export function useConsent(): Consent {
  const consent = useContext(Context);
  if (consent === null) {
    throw new Error("An answer was rendered outside of a request.");
  }
  return consent;
}

/** Guards one request: it must be painted, stand still, and the window must be in front. */
export function useGuard(
  request: string,
  card: RefObject<HTMLElement | null>,
): { consent: Consent; told: string | null } {
  const guard = useRef<ConsentGuard>(null);
  guard.current ??= new ConsentGuard();
  const { current } = guard;
  const [armed, setArmed] = useState(false);
  const [told, setTold] = useState<string | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const arm = useCallback(() => {
    setArmed(false);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setArmed(true), SETTLING);
  }, []);

  // Another request begins anew.
  useLayoutEffect(() => {
    current.reset();
    setArmed(false);
    setTold(null);
    // The second frame begins after the first was painted.
    let frame = requestAnimationFrame(() => {
      frame = requestAnimationFrame((now) => {
        current.painted(now);
        arm();
      });
    });
    return () => {
      cancelAnimationFrame(frame);
      clearTimeout(timer.current);
    };
  }, [current, request, arm]);

  useEffect(() => {
    const onFocus = (event: Event) =>
      event.target === window && current.windowFocused(event.timeStamp);
    const onBlur = (event: Event) => event.target === window && current.windowBlurred();
    window.addEventListener("focus", onFocus, true);
    window.addEventListener("blur", onBlur, true);
    return () => {
      window.removeEventListener("focus", onFocus, true);
      window.removeEventListener("blur", onBlur, true);
    };
  }, [current]);

  useEffect(() => {
    const element = card.current;
    if (element === null) {
      return;
    }
    let first = true;
    const observer = new ResizeObserver(() => {
      if (!first) {
        current.moved(performance.now());
        arm();
      }
      first = false;
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [current, card, arm]);

  const consent = useMemo<Consent>(
    () => ({
      guard: current,
      armed,
      refused: (refusal) => {
        // What the press was told when it began still holds when it ends.
        const words = REFUSAL_WORDS[refusal];
        if (words !== null) {
          setTold(words);
        }
      },
    }),
    [current, armed],
  );
  return { consent, told };
}
