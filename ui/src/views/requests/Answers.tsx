import { type JSX, useRef, useState } from "react";
import type { Answer, PermissionRequest } from "../../generated/protocol.ts";
import { Button } from "../../shared/Button.tsx";
import { AnswerButton, type AnswerHandle } from "./AnswerButton.tsx";
import { DenyWords } from "./DenyWords.tsx";
import { Remember } from "./Remember.tsx";
import styles from "./Requests.module.css";
import { useAnswerKeys } from "./useAnswerKeys.ts";
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
