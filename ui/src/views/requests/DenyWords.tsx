import { type JSX, useState } from "react";
import { Label, TextArea, TextField } from "react-aria-components";
import type { Answer, LineComment } from "../../generated/protocol.ts";
import { Button } from "../../shared/Button.tsx";
import { AnswerButton } from "./AnswerButton.tsx";
import styles from "./Requests.module.css";

interface Props {
  /** What is said, where it is not a call that is denied. */
  wording?: Wording;
  /** Words about lines, which go with the answer. */
  comments: LineComment[];
  isBusy: boolean;
  onAnswer: (answer: Answer) => void;
  onBack: () => void;
}

/** How saying no is called. */
export interface Wording {
  /** The form and its button. */
  verb: string;
  /** What may be said with it. */
  label: string;
  /** Shows until something is said. */
  placeholder: string;
}

const DENY: Wording = {
  verb: "Deny",
  label: "What should it do instead? (optional)",
  placeholder: "The agent reads this as the reason.",
};

/** Denies, with words for the model where there is something to say. */
export function DenyWords(props: Props): JSX.Element {
  const { wording = DENY, comments, isBusy, onAnswer, onBack } = props;
  const [words, setWords] = useState("");
  const deny = () => {
    const said = words.trim();
    onAnswer({
      type: "deny",
      ...(said === "" ? {} : { words: said }),
      ...(comments.length === 0 ? {} : { comments }),
    });
  };
  return (
    <form
      className={styles.form}
      aria-label={wording.verb}
      onSubmit={(event) => event.preventDefault()}
      onKeyDown={(event) => {
        if (event.key === "Escape") {
          event.stopPropagation();
          onBack();
        }
      }}
    >
      <TextField className={styles.field ?? ""} value={words} onChange={setWords} autoFocus>
        <Label className={styles.label ?? ""}>{wording.label}</Label>
        <TextArea
          className={styles.area ?? ""}
          rows={2}
          placeholder={wording.placeholder}
          onKeyDown={(event) => {
            // Denying is safe: it needs no guard, only that no composition is going on.
            if (event.key === "Enter" && !event.shiftKey && !event.nativeEvent.isComposing) {
              event.preventDefault();
              if (!isBusy) {
                deny();
              }
            }
          }}
        />
      </TextField>
      <div className={styles.answers}>
        <AnswerButton answer="deny" look="deny" isDisabled={isBusy} onAnswer={deny}>
          {wording.verb}
        </AnswerButton>
        <Button look="quiet" onPress={onBack}>
          Back
        </Button>
      </div>
    </form>
  );
}
