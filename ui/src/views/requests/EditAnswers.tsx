import type { JSX } from "react";
import type { Answer, LineComment, PermissionRequest } from "../../generated/protocol.ts";
import { Button } from "../../shared/Button.tsx";
import { AnswerButton } from "./AnswerButton.tsx";
import type { Editing } from "./DraftEditor.tsx";
import styles from "./Requests.module.css";

interface Props {
  /** The request. */
  request: PermissionRequest;
  /** Its text as the person left it. */
  editing: Editing;
  /** Words about lines. */
  comments: LineComment[];
  /** An answer is under way. */
  isBusy: boolean;
  /** Gives an answer. */
  onAnswer: (answer: Answer) => void;
  /** Gives up editing. */
  onBack: () => void;
}

/** The answers while the text is edited: only what was looked at can be allowed. */
export function EditAnswers(props: Props): JSX.Element {
  const { request, editing, comments, isBusy, onAnswer, onBack } = props;
  const { text, preview } = editing;
  const isCommand = request.draft?.kind === "command";
  const words = isCommand ? "Use my version" : "Allow my version";
  // Nothing is run by the answer about a command that would lose something: it asks again.
  const hold = request.destructive !== undefined && !isCommand;
  return (
    <section
      className={styles.answers}
      aria-label="Answers"
      onKeyDown={(event) => {
        if (event.key === "Escape") {
          event.stopPropagation();
          onBack();
        }
      }}
    >
      <AnswerButton
        answer="edited"
        look="allow"
        hold={hold}
        isDisabled={isBusy || text === null || preview?.view == null}
        onAnswer={() => {
          if (text !== null) {
            const said = comments.length === 0 ? {} : { comments };
            onAnswer({ type: "allow_changed", change: { type: "text", text }, ...said });
          }
        }}
      >
        {hold ? `Hold to ${words.toLowerCase()}` : words}
      </AnswerButton>
      <Button look="quiet" onPress={onBack}>
        Back
      </Button>
    </section>
  );
}
