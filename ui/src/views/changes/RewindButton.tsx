import { History } from "lucide-react";
import type { JSX } from "react";
import { Button } from "../../shared/Button.tsx";
import { currentSnapshot } from "../../store/state.ts";
import { useAdroit, useUi } from "../adroit.tsx";
import styles from "./Chips.module.css";

/** Longest beginning of a message that names it. UTF-16 units. */
const NAME = 60;

/** Goes back to before a message: its files, its conversation, or both. */
export function RewindButton({ turn, text }: { turn: number; text: string }): JSX.Element | null {
  const { setPanels } = useAdroit();
  const idle = useUi((state) => currentSnapshot(state)?.turn.type !== "running");
  if (!idle) {
    return null;
  }
  const name = text.length > NAME ? `${text.slice(0, NAME)}…` : text;
  return (
    <span className={styles.rewind}>
      <Button
        small
        look="quiet"
        aria-label={`Go back to before: ${name}`}
        onPress={() =>
          setPanels({
            undoing: {
              target: { scope: { type: "since", turn }, files: null, redo: false },
              title: `everything since “${name}”`,
              turn,
            },
          })
        }
      >
        <History size={13} aria-hidden /> Go back
      </Button>
    </span>
  );
}
