import { Redo2, Undo2 } from "lucide-react";
import type { JSX } from "react";
import type { CallItem } from "../../generated/protocol.ts";
import { Button } from "../../shared/Button.tsx";
import { useAdroit } from "../adroit.tsx";
import styles from "./Chips.module.css";

/** Takes back what a call changed, or does it again. Shows where the call changed something. */
export function UndoButton({ call }: { call: CallItem }): JSX.Element | null {
  const { setPanels } = useAdroit();
  const { changes, view } = call;
  if (changes === undefined || changes.state === "gone" || changes.files.length === 0) {
    return null;
  }
  const redo = changes.state === "undone";
  const Icon = redo ? Redo2 : Undo2;
  const word = redo ? "Redo" : "Undo";
  return (
    <span className={styles.undo}>
      <Button
        small
        look="quiet"
        aria-label={`${word}: ${view.title}`}
        onPress={() =>
          setPanels({
            undoing: {
              target: { scope: { type: "call", call: call.call }, files: null, redo },
              title: view.title,
            },
          })
        }
      >
        <Icon size={13} aria-hidden /> {word}
      </Button>
    </span>
  );
}
