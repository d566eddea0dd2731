import { type RefObject, useEffect, useRef } from "react";
import { isDialogOpen, isTyping } from "../../shared/keys.ts";
import type { AnswerHandle } from "./AnswerButton.tsx";

/** What the keys of a request do. */
export interface AnswerKeys {
  /** False while a form is open, or an answer under way. */
  isActive: boolean;
  /** A: the yes, or the answer. */
  allow: RefObject<AnswerHandle | null>;
  /** R. */
  remember: () => void;
  /** D. */
  deny: () => void;
  /** E. */
  edit: () => void;
}

/**
 * Single letters answer only in the conversation and only where nobody types: never out of
 * a text that is being written, and never where a letter means something else (a menu or a
 * list that is searched by typing, a terminal).
 */
export function useAnswerKeys(keys: AnswerKeys): void {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    function onKeyDown(event: KeyboardEvent): void {
      const { isActive, allow, remember, deny, edit } = latest.current;
      const control = event.ctrlKey || event.metaKey;
      if (!isActive || event.altKey || event.shiftKey || event.defaultPrevented) {
        return;
      }
      if (isDialogOpen() || !isInConversation(event.target)) {
        return;
      }
      if (control && event.key === "Enter" && !holdsText(event.target)) {
        event.preventDefault();
        allow.current?.keyDown(event);
        return;
      }
      if (control || isTyping(event.target)) {
        return;
      }
      const act = { a: () => allow.current?.keyDown(event), r: remember, d: deny, e: edit }[
        event.key.toLowerCase()
      ];
      if (act !== undefined) {
        event.preventDefault();
        if (!event.repeat || event.key.toLowerCase() === "a") {
          act();
        }
      }
    }
    const onKeyUp = (event: KeyboardEvent) => latest.current.allow.current?.keyUp(event);
    window.addEventListener("keydown", onKeyDown);
    window.addEventListener("keyup", onKeyUp);
    return () => {
      window.removeEventListener("keydown", onKeyDown);
      window.removeEventListener("keyup", onKeyUp);
    };
  }, []);
}

/** Whether the place is one to type in that has text already. */
function holdsText(target: EventTarget | null): boolean {
  return (
    isTyping(target) &&
    (target as HTMLTextAreaElement | HTMLInputElement).value !== "" &&
    target !== null
  );
}

/** The regions whose keys may answer. */
const REGIONS = ["requests", "transcript", "composer"].map((name) => `[data-region=${name}]`);

function isInConversation(target: EventTarget | null): boolean {
  return (
    target === document.body ||
    (target instanceof Element && target.closest(REGIONS.join()) !== null)
  );
}
