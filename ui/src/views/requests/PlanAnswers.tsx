import { type JSX, useRef, useState } from "react";
import type { AfterPlan, Answer } from "../../generated/protocol.ts";
import { Button } from "../../shared/Button.tsx";
import { AnswerButton, type AnswerHandle } from "./AnswerButton.tsx";
import { DenyWords, type Wording } from "./DenyWords.tsx";
import type { Editing } from "./DraftEditor.tsx";
import styles from "./Requests.module.css";
import { useAnswerKeys } from "./useAnswerKeys.ts";

const KEEP_PLANNING: Wording = {
  verb: "Keep planning",
  label: "What should it think about again? (optional)",
  placeholder: "The agent reads this and goes on planning.",
};

interface Props {
  /** The plan as the person edits it; null while they read it as it was presented. */
  editing: Editing | null;
  /** An answer is under way. */
  isBusy: boolean;
  /** Gives an answer. */
  onAnswer: (answer: Answer) => void;
  /** Begins to edit the plan. */
  onEdit: () => void;
  /** Gives up editing. */
  onBack: () => void;
}

/** Approves a plan, with the mode to go on in, or sends the agent back to planning. */
export function PlanAnswers({ editing, isBusy, onAnswer, onEdit, onBack }: Props): JSX.Element {
  const [isDeclining, setDeclining] = useState(false);
  const approve = useRef<AnswerHandle>(null);
  useAnswerKeys({
    isActive: !isDeclining && !isBusy && editing === null,
    allow: approve,
    remember: () => undefined,
    deny: () => setDeclining(true),
    edit: onEdit,
  });
  if (isDeclining) {
    return (
      <DenyWords
        wording={KEEP_PLANNING}
        comments={[]}
        isBusy={isBusy}
        onAnswer={onAnswer}
        onBack={() => setDeclining(false)}
      />
    );
  }
  const isReady = editing === null || (editing.text !== null && editing.preview?.view != null);
  const give = (mode: AfterPlan) => {
    const text = editing?.text;
    const edited = text === undefined || text === null ? {} : { text };
    onAnswer({ type: "allow_changed", change: { type: "plan", ...edited, mode } });
  };
  return (
    <section
      className={styles.answers}
      aria-label="Answers"
      onKeyDown={(event) => {
        if (event.key === "Escape" && editing !== null) {
          event.stopPropagation();
          onBack();
        }
      }}
    >
      <AnswerButton
        answer="approve"
        look="allow"
        isDisabled={isBusy || !isReady}
        keys={editing === null ? "A Control+Enter" : ""}
        handle={approve}
        onAnswer={() => give("default")}
      >
        {editing === null ? "Approve, ask before edits" : "Approve my version, ask before edits"}
        {editing === null ? (
          <kbd className={styles.key} aria-hidden>
            A
          </kbd>
        ) : null}
      </AnswerButton>
      <AnswerButton
        answer="approve-and-accept"
        look="plain"
        isDisabled={isBusy || !isReady}
        onAnswer={() => give("acceptEdits")}
      >
        Approve and accept edits
      </AnswerButton>
      {editing === null ? (
        <Button isDisabled={isBusy} onPress={onEdit}>
          Edit…
          <kbd className={styles.key} aria-hidden>
            E
          </kbd>
        </Button>
      ) : (
        <Button look="quiet" onPress={onBack}>
          Back
        </Button>
      )}
      <span className={styles.space} />
      {editing === null ? (
        <Button isDisabled={isBusy} onPress={() => setDeclining(true)}>
          Keep planning…
          <kbd className={styles.key} aria-hidden>
            D
          </kbd>
        </Button>
      ) : null}
    </section>
  );
}
