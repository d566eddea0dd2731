import { type JSX, useEffect, useState } from "react";
import { Text as AriaText, Label, TextArea, TextField } from "react-aria-components";
import styles from "./Settings.module.css";

interface Props {
  /** Those that are kept. */
  hosts: readonly string[];
  /** Keeps others. */
  onSave: (hosts: string[]) => void;
}

/** The hosts that commands in the sandbox reach, one a line; kept when one leaves it. */
export function HostsField({ hosts, onSave }: Props): JSX.Element {
  const kept = hosts.join("\n");
  const [text, setText] = useState(kept);
  useEffect(() => setText(kept), [kept]);
  const save = () => {
    const wanted = text.split(/[\s,]+/).filter((host) => host !== "");
    if (wanted.join("\n") !== kept) {
      onSave(wanted);
    }
  };
  return (
    <TextField className={styles.field ?? ""} value={text} onChange={setText} onBlur={save}>
      <Label className={styles.label ?? ""}>Allowed hosts</Label>
      <TextArea
        className={`${styles.input} ${styles.mono} ${styles.hosts}`}
        rows={Math.min(Math.max(text.split("\n").length, 3), 10)}
        placeholder={"registry.example.org\n*.example.com"}
        spellCheck="false"
        autoComplete="off"
      />
      <AriaText slot="description" className={styles.meaning ?? ""}>
        One a line. A star stands for any name below: *.example.com is not example.com itself. A
        name that leads to this machine or its network is refused unless that address is listed too.
      </AriaText>
    </TextField>
  );
}
