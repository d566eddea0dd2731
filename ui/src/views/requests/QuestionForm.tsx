import { Check } from "lucide-react";
import type { JSX } from "react";
import {
  Checkbox,
  CheckboxGroup,
  Input,
  Label,
  Radio,
  RadioGroup,
  TextField,
} from "react-aria-components";
import type { Choice, Question } from "../../generated/protocol.ts";
import { SafeText } from "../../shared/SafeText.tsx";
import styles from "./QuestionForm.module.css";
import type { AnswerSoFar } from "./questions.ts";

/** The value of the choice that stands for the person's own words. */
const OTHER = "other";

interface Props {
  /** The question. */
  question: Question;
  /** Its answer so far. */
  answer: AnswerSoFar;
  /** An answer is under way: nothing changes, and nothing loses the focus. */
  isBusy: boolean;
  /** The answer changes. */
  onChange: (answer: AnswerSoFar) => void;
  /** Control+Enter in the field: as the button does. */
  onSubmit: (event: KeyboardEvent) => void;
}

/** One question: its choices, and a place for other words, always there. */
export function QuestionForm(props: Props): JSX.Element {
  const { question, answer, isBusy, onChange, onSubmit } = props;
  return (
    <div className={styles.question} data-testid="question">
      {question.multiple ? <Many {...props} /> : <One {...props} />}
      {/* Not inside of the group: arrow keys move in the text here, and between choices there. */}
      <TextField
        className={styles.words ?? ""}
        aria-label={`Other answer: ${question.header}`}
        value={answer.words}
        isReadOnly={isBusy}
        onChange={(words) =>
          onChange({
            words,
            isOther: words.trim() !== "" || (answer.isOther && !question.multiple),
            // Of one answer, the words take the place of what was chosen.
            chosen: question.multiple || words.trim() === "" ? answer.chosen : [],
          })
        }
      >
        <Input
          className={styles.input ?? ""}
          placeholder="In your own words"
          autoComplete="off"
          onKeyDown={(event) => {
            if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
              event.preventDefault();
              onSubmit(event.nativeEvent);
            }
          }}
        />
      </TextField>
    </div>
  );
}

function One({ question, answer, isBusy, onChange }: Props): JSX.Element {
  const [first] = answer.chosen;
  const value = answer.isOther ? OTHER : first === undefined ? null : String(first);
  return (
    <RadioGroup
      className={styles.group ?? ""}
      value={value}
      isReadOnly={isBusy}
      onChange={(chosen) =>
        onChange({
          ...answer,
          isOther: chosen === OTHER,
          chosen: chosen === OTHER ? [] : [Number(chosen)],
        })
      }
    >
      <Asked question={question} />
      {question.choices.map((choice, at) => (
        <Radio key={choice.label} value={String(at)} className={styles.choice ?? ""}>
          <span className={styles.dot} aria-hidden />
          <ChoiceText choice={choice} />
        </Radio>
      ))}
      <Radio value={OTHER} className={styles.choice ?? ""}>
        <span className={styles.dot} aria-hidden />
        <span className={styles.label}>Other</span>
      </Radio>
    </RadioGroup>
  );
}

function Many({ question, answer, isBusy, onChange }: Props): JSX.Element {
  const value = answer.chosen.map(String).concat(answer.isOther ? [OTHER] : []);
  return (
    <CheckboxGroup
      className={styles.group ?? ""}
      value={value}
      isReadOnly={isBusy}
      onChange={(chosen) =>
        onChange({
          ...answer,
          isOther: chosen.includes(OTHER),
          chosen: chosen.filter((one) => one !== OTHER).map(Number),
        })
      }
    >
      <Asked question={question} />
      {question.choices.map((choice, at) => (
        <Checkbox key={choice.label} value={String(at)} className={styles.choice ?? ""}>
          <Box />
          <ChoiceText choice={choice} />
        </Checkbox>
      ))}
      <Checkbox value={OTHER} className={styles.choice ?? ""}>
        <Box />
        <span className={styles.label}>Other</span>
      </Checkbox>
    </CheckboxGroup>
  );
}

function Box(): JSX.Element {
  return (
    <span className={styles.box} aria-hidden>
      <Check size={11} strokeWidth={3.5} />
    </span>
  );
}

function Asked({ question }: { question: Question }): JSX.Element {
  return (
    <Label className={styles.asked ?? ""}>
      <span className={styles.header}>
        <SafeText text={question.header} />
      </span>{" "}
      <SafeText text={question.question} strictness="prose" />
      {question.multiple ? <span className={styles.hint}> Choose any.</span> : null}
    </Label>
  );
}

function ChoiceText({ choice }: { choice: Choice }): JSX.Element {
  return (
    <span className={styles.text}>
      <span className={styles.label}>
        <SafeText text={choice.label} strictness="prose" />
      </span>{" "}
      <span className={styles.description}>
        <SafeText text={choice.description} strictness="prose" />
      </span>
    </span>
  );
}
