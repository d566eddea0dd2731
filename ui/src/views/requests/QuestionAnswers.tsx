import { type JSX, type Ref, useState } from "react";
import type { Answer, QuestionAnswer } from "../../generated/protocol.ts";
import { Button } from "../../shared/Button.tsx";
import { AnswerButton, type AnswerHandle } from "./AnswerButton.tsx";
import { DenyWords, type Wording } from "./DenyWords.tsx";
import styles from "./Requests.module.css";
import { useAnswerKeys } from "./useAnswerKeys.ts";

const DECLINE: Wording = {
  verb: "Decline",
  label: "What should it do instead, or know? (optional)",
  placeholder: "The agent reads this in place of an answer.",
};

interface Props {
  /** How many questions there are. */
  count: number;
  /** The answers; null while one is missing. */
  answers: QuestionAnswer[] | null;
  /** An answer is under way. */
  isBusy: boolean;
  /** Sends the answers: for keys, too. */
  handle: { current: AnswerHandle | null } & Ref<AnswerHandle>;
  /** Gives an answer. */
  onAnswer: (answer: Answer) => void;
}

/** Sends the answers to questions, or declines to answer. */
export function QuestionAnswers(props: Props): JSX.Element {
  const { count, answers, isBusy, handle, onAnswer } = props;
  const [isDeclining, setDeclining] = useState(false);
  useAnswerKeys({
    isActive: !isDeclining && !isBusy,
    allow: handle,
    remember: () => undefined,
    deny: () => setDeclining(true),
    edit: () => undefined,
  });
  if (isDeclining) {
    return (
      <DenyWords
        wording={DECLINE}
        comments={[]}
        isBusy={isBusy}
        onAnswer={onAnswer}
        onBack={() => setDeclining(false)}
      />
    );
  }
  return (
    <section className={styles.answers} aria-label="Answers">
      <AnswerButton
        answer="answers"
        look="allow"
        isDisabled={isBusy || answers === null}
        keys="A Control+Enter"
        handle={handle}
        onAnswer={() =>
          answers !== null &&
          onAnswer({ type: "allow_changed", change: { type: "answers", answers } })
        }
      >
        {count === 1 ? "Send answer" : "Send answers"}
        <kbd className={styles.key} aria-hidden>
          A
        </kbd>
      </AnswerButton>
      {answers === null ? (
        <span className={styles.label}>
          {count === 1 ? "Choose, or say it in your own words." : "Each question needs an answer."}
        </span>
      ) : null}
      <span className={styles.space} />
      <Button isDisabled={isBusy} onPress={() => setDeclining(true)}>
        Decline…
        <kbd className={styles.key} aria-hidden>
          D
        </kbd>
      </Button>
    </section>
  );
}
