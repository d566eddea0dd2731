import { Keyboard } from "lucide-react";
import { type JSX, useState } from "react";
import { Input, Label, TextField } from "react-aria-components";
import { Button } from "../../shared/Button.tsx";
import { SafeText } from "../../shared/SafeText.tsx";
import type { BlockOf } from "../block.ts";
import { useBlockContext } from "../context.ts";
import styles from "./TerminalInput.module.css";

/** What a terminal takes for the end of input at the start of a line: Ctrl+D. */
const END_OF_INPUT = "\u0004";

/**
 * A program that waits for somebody to type, with a place to do so. It never takes the
 * focus by itself. A secret is shown as dots, and forgotten when it is sent.
 */
export function TerminalInputBlock({ block }: { block: BlockOf<"terminal_input"> }): JSX.Element {
  const { typeInto } = useBlockContext();
  const { terminal, question, secret } = block;
  const [text, setText] = useState("");
  const send = (typed: string) => {
    typeInto(terminal, typed);
    setText("");
  };
  return (
    <form
      className={styles.form}
      aria-label="The command waits for input"
      data-testid="terminal-input"
      onSubmit={(event) => {
        event.preventDefault();
        send(`${text}\n`);
      }}
    >
      {question.trim() === "" ? null : (
        <pre className={styles.question}>
          <SafeText text={question} strictness="block" />
        </pre>
      )}
      <div className={styles.row}>
        <TextField
          className={styles.field ?? ""}
          value={text}
          onChange={setText}
          type={secret ? "password" : "text"}
        >
          <Label className={styles.label ?? ""}>
            <Keyboard size={13} aria-hidden />
            {secret ? "Secret: not shown, not stored, not sent to the model" : "Your answer"}
          </Label>
          <Input className={styles.input ?? ""} autoComplete="off" spellCheck={false} />
        </TextField>
        <Button type="submit">Send</Button>
        <Button look="quiet" onPress={() => send(END_OF_INPUT)}>
          End input
        </Button>
      </div>
    </form>
  );
}
