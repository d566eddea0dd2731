import { ArrowDown, ArrowUp, X } from "lucide-react";
import { type JSX, useEffect, useRef } from "react";
import { Input, TextField } from "react-aria-components";
import { IconButton } from "../../shared/Button.tsx";
import { SafeText } from "../../shared/SafeText.tsx";
import { useAdroit } from "../adroit.tsx";
import styles from "./FindBar.module.css";
import type { Finding } from "./useFinding.ts";

/** The place to say what to look for in the conversation. */
export function FindBar({ finding }: { finding: Finding }): JSX.Element {
  const { setPanels } = useAdroit();
  const field = useRef<HTMLInputElement>(null);
  // Where it shows already, the keys that open it come back to it.
  useEffect(() => {
    function onKey(event: KeyboardEvent): void {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "f") {
        field.current?.focus();
        field.current?.select();
      }
    }
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, []);
  function close(): void {
    setPanels({ finding: false });
    document.querySelector<HTMLElement>("[data-region=transcript] [data-region-focus]")?.focus();
  }
  const excerpt = finding.places[finding.at]?.excerpt;
  return (
    <search className={styles.bar} aria-label="Find in the conversation" data-testid="find">
      <TextField
        className={styles.field ?? ""}
        aria-label="Find in the conversation"
        value={finding.text}
        autoFocus
        onChange={finding.setText}
        onKeyDown={(event) => {
          if (event.key === "Enter") {
            finding.go(event.shiftKey ? -1 : 1);
          } else if (event.key === "Escape") {
            close();
          }
        }}
      >
        <Input ref={field} className={styles.input ?? ""} placeholder="Find in the conversation" />
      </TextField>
      <IconButton label="Previous match" keys="Shift+Enter" onPress={() => finding.go(-1)}>
        <ArrowUp size={14} />
      </IconButton>
      <IconButton label="Next match" keys="Enter" onPress={() => finding.go(1)}>
        <ArrowDown size={14} />
      </IconButton>
      <span className={styles.count} role="status" data-testid="find-count">
        {words(finding)}
      </span>
      <span className={styles.excerpt} data-testid="find-excerpt">
        {excerpt === undefined ? null : <SafeText text={excerpt} />}
      </span>
      <IconButton label="Close search" keys="Esc" onPress={close}>
        <X size={14} />
      </IconButton>
    </search>
  );
}

function words({ text, places, at, settled, error }: Finding): string {
  if (error !== null) {
    return error.message;
  }
  if (text === "" || !settled) {
    return "";
  }
  return places.length === 0 ? "Not found" : `${at + 1} of ${places.length}`;
}
