import { Hourglass, X } from "lucide-react";
import type { JSX } from "react";
import type { WaitingUndo } from "../../generated/protocol.ts";
import { IconButton } from "../../shared/Button.tsx";
import { escapeText } from "../../shared/deceptive.ts";
import { SafeText } from "../../shared/SafeText.tsx";
import { currentSnapshot } from "../../store/state.ts";
import { useAdroit, useUi } from "../adroit.tsx";
import styles from "./Waiting.module.css";

const NONE: WaitingUndo[] = [];

/** What is to be taken back when the turn ends: it can still be thought over. */
export function WaitingUndos(): JSX.Element | null {
  const { changes, notify } = useAdroit();
  const undos = useUi((state) => currentSnapshot(state)?.undos ?? NONE);
  const running = useUi((state) => currentSnapshot(state)?.turn.type === "running");
  if (undos.length === 0) {
    return null;
  }
  async function forget(undo: WaitingUndo): Promise<void> {
    const outcome = await changes.forgetUndo(undo.id);
    if (!outcome.ok) {
      notify({ tone: "danger", text: outcome.error.message, hint: outcome.error.hint });
    }
  }
  return (
    <ul className={styles.list} aria-label="Rejections that wait">
      {undos.map((undo) => (
        <li key={undo.id} className={styles.undo} data-testid="waiting-undo">
          <Hourglass size={13} aria-hidden />
          <span className={styles.when}>
            {running ? "Waits for the end of the turn" : "Waits for the next message"}
          </span>
          <span className={styles.what} title={undo.files.join("\n")}>
            {undo.target.redo ? "Redo " : "Reject "}
            <SafeText text={undo.title} />
          </span>
          <IconButton
            label={`Do not reject: ${escapeText(undo.title).slice(0, 60)}`}
            onPress={() => void forget(undo)}
          >
            <X size={13} />
          </IconButton>
        </li>
      ))}
    </ul>
  );
}
