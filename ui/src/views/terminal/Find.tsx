import { ArrowDown, ArrowUp, X } from "lucide-react";
import { type JSX, useState } from "react";
import { Input, TextField } from "react-aria-components";
import { IconButton } from "../../shared/Button.tsx";
import type { Screen } from "./screen.ts";
import styles from "./Terminal.module.css";

interface Props {
  screen: Screen | null;
  onClose: () => void;
}

/** Looks for a text in what a terminal printed. */
export function Find({ screen, onClose }: Props): JSX.Element {
  const [text, setText] = useState("");
  const [missing, setMissing] = useState(false);
  const find = (direction: "next" | "previous") => {
    setMissing(text !== "" && screen?.find(text, direction) !== true);
  };
  return (
    <search className={styles.find}>
      <TextField
        className={styles.findField ?? ""}
        aria-label="Find in the terminal"
        value={text}
        autoFocus
        onChange={(value) => {
          setText(value);
          setMissing(false);
        }}
        onKeyDown={(event) => {
          if (event.key === "Enter") {
            find(event.shiftKey ? "previous" : "next");
          } else if (event.key === "Escape") {
            onClose();
            screen?.focus();
          }
        }}
      >
        <Input className={styles.findInput ?? ""} placeholder="Find" />
      </TextField>
      <IconButton label="Previous match" keys="Shift+Enter" onPress={() => find("previous")}>
        <ArrowUp size={14} />
      </IconButton>
      <IconButton label="Next match" keys="Enter" onPress={() => find("next")}>
        <ArrowDown size={14} />
      </IconButton>
      <span className={styles.fact} role="status">
        {missing ? "Not found" : ""}
      </span>
      <span className={styles.space} />
      <IconButton label="Close" keys="Esc" onPress={onClose}>
        <X size={14} />
      </IconButton>
    </search>
  );
}
