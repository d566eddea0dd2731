import { type JSX, useEffect, useId, useState } from "react";
import { Text as AriaText, FieldError, Input, Label, TextField } from "react-aria-components";
import styles from "./Settings.module.css";

interface SavedFieldProps {
  /** What it is. */
  label: string;
  /** What is kept; null where nothing is. */
  value: string | null;
  /** What holds where nothing is kept. */
  placeholder: string;
  /** Values to choose from. */
  suggestions: readonly string[];
  /** What else is to be known. */
  meaning?: string;
  /** What is wrong with a text, which is then not kept. */
  problem?: (text: string) => string | null;
  /** Keeps it; null where it was emptied. */
  onSave: (value: string | null) => void;
}

/** A text that is kept when one leaves it or presses Enter. */
export function SavedField(props: SavedFieldProps): JSX.Element {
  const { label, value, placeholder, suggestions, meaning, problem, onSave } = props;
  const [text, setText] = useState(value ?? "");
  const list = useId();
  const wrong = text.trim() === "" ? null : (problem?.(text.trim()) ?? null);
  useEffect(() => setText(value ?? ""), [value]);
  const save = () => {
    const wanted = text.trim() === "" ? null : text.trim();
    if (wanted !== value && wrong === null) {
      onSave(wanted);
    }
  };
  return (
    <TextField
      className={styles.field ?? ""}
      value={text}
      isInvalid={wrong !== null}
      onChange={setText}
      onBlur={save}
      onKeyDown={(event) => {
        if (event.key === "Enter") {
          save();
        }
        event.continuePropagation();
      }}
    >
      <Label className={styles.label ?? ""}>{label}</Label>
      <Input
        className={`${styles.input} ${styles.mono}`}
        placeholder={placeholder}
        spellCheck="false"
        autoComplete="off"
        {...(suggestions.length > 0 ? { list } : {})}
      />
      <datalist id={list}>
        {suggestions.map((suggestion) => (
          <option key={suggestion} value={suggestion} />
        ))}
      </datalist>
      {meaning === undefined ? null : (
        <AriaText slot="description" className={styles.meaning ?? ""}>
          {meaning}
        </AriaText>
      )}
      <FieldError className={styles.fieldError ?? ""}>{wrong}</FieldError>
    </TextField>
  );
}
