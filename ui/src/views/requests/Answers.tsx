import { type JSX, type RefObject, useEffect, useRef, useState } from "react";
import type { Answer, PermissionRequest } from "../../generated/protocol.ts";
import { Button } from "../../shared/Button.tsx";
import { isDialogOpen, isTyping } from "../../shared/keys.ts";
import { AnswerButton, type AnswerHandle } from "./AnswerButton.tsx";
import { DenyWords } from "./DenyWords.tsx";
import { Remember } from "./Remember.tsx";
import styles from "./Requests.module.css";
import type { Review } from "./useReview.ts";

interface Props {
  /** The request. */
  request: PermissionRequest;
  /** What is decided about its diff so far. */
  review: Review;
  /** An answer is under way. */
  isBusy: boolean;
  /** Gives an answer. */
  onAnswer: (answer: Answer) => void;
  /** Begins to edit the text. */
  onEdit: () => void;
}

/** The answers to a request. */
export function Answers({ request, review, isBusy, onAnswer, onEdit }: Props): JSX.Element {
  const [form, setForm] = useState<"remember" | "deny" | null>(null);
  const allow = useRef<AnswerHandle>(null);
  // A rule answers for the call as it was proposed, never for a part of it.
  const mayRemember = request.suggestions.length > 0 && review.rejected.length === 0;
  const mayEdit = request.draft?.text === true;
  useAnswerKeys({
    isActive: form === null && !isBusy,
    allow,
    remember: () => mayRemember && setForm("remember"),
    deny: () => setForm("deny"),
    edit: () => mayEdit && onEdit(),
  });
  if (form === "remember") {
    return (
      <Remember
        request={request}
        isBusy={isBusy}
        onAnswer={onAnswer}
        onBack={() => setForm(null)}
      />
    );
  }
  if (form === "deny") {
    return (
      <DenyWords
        comments={review.comments}
        isBusy={isBusy}
        onAnswer={onAnswer}
        onBack={() => setForm(null)}
      />
    );
  }
  const destructive = request.destructive !== undefined;
  return (
    <section className={styles.answers} aria-label="Answers">
      <AnswerButton
        answer="allow"
        look="allow"
        hold={destructive}
        isDisabled={isBusy || review.allow === null}
        keys="A Control+Enter"
        handle={allow}
        onAnswer={() => review.allow !== null && onAnswer(review.allow)}
      >
        {allowWords(destructive, review)}
        <kbd className={styles.key} aria-hidden>
          A
        </kbd>
      </AnswerButton>
      {mayRemember ? (
        <Button isDisabled={isBusy} onPress={() => setForm("remember")}>
          Allow and remember…
          <kbd className={styles.key} aria-hidden>
            R
          </kbd>
        </Button>
      ) : null}
      {mayEdit ? (
        <Button isDisabled={isBusy} onPress={onEdit}>
          Edit…
          <kbd className={styles.key} aria-hidden>
            E
          </kbd>
        </Button>
      ) : null}
      <span className={styles.space} />
      <Button isDisabled={isBusy} onPress={() => setForm("deny")}>
        Deny…
        <kbd className={styles.key} aria-hidden>
          D
        </kbd>
      </Button>
    </section>
  );
}

function allowWords(hold: boolean, { rejected, places }: Review): string {
  const what =
    rejected.length === 0 ? "llow once" : `llow ${places - rejected.length} of ${places} places`;
  return hold ? `Hold to a${what}` : `A${what}`;
}

interface AnswerKeys {
  /** False while a form is open, or an answer under way. */
  isActive: boolean;
  allow: RefObject<AnswerHandle | null>;
  remember: () => void;
  deny: () => void;
  edit: () => void;
}

/**
 * Single letters answer only in the conversation and only where nobody types: never out of
 * a text that is being written, and never where a letter means something else (a menu or a
 * list that is searched by typing, a terminal).
 */
function useAnswerKeys(keys: AnswerKeys): void {
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
