import { Check, Copy } from "lucide-react";
import { type JSX, useEffect, useState } from "react";
import { IconButton } from "./Button.tsx";

interface Props {
  /** The whole text that is copied. */
  text: string;
  /** What it is: `Copy command`. */
  label: string;
}

/** Copies a text, and says that it did. */
export function CopyButton({ text, label }: Props): JSX.Element {
  const [state, setState] = useState<"ready" | "copied" | "failed">("ready");
  useEffect(() => {
    if (state !== "ready") {
      const timer = setTimeout(() => setState("ready"), 1600);
      return () => clearTimeout(timer);
    }
    return undefined;
  }, [state]);
  const words = { ready: label, copied: "Copied", failed: "Copying is not allowed here" };
  return (
    <IconButton
      label={words[state]}
      onPress={() => {
        navigator.clipboard.writeText(text).then(
          () => setState("copied"),
          () => setState("failed"),
        );
      }}
    >
      {state === "copied" ? <Check size={14} /> : <Copy size={14} />}
    </IconButton>
  );
}
