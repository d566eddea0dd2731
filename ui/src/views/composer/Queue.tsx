import { Pencil, X } from "lucide-react";
import type { JSX } from "react";
import type { QueuedMessage } from "../../generated/protocol.ts";
import { IconButton } from "../../shared/Button.tsx";
import { escapeText } from "../../shared/deceptive.ts";
import { SafeText } from "../../shared/SafeText.tsx";
import { currentSnapshot } from "../../store/state.ts";
import { useAdroit, useUi } from "../adroit.tsx";
import styles from "./Composer.module.css";

const NONE: QueuedMessage[] = [];

/** Messages that wait until the turn has a place for them. */
export function Queue(): JSX.Element | null {
  const { sessions, setDraft, store } = useAdroit();
  const queue = useUi((state) => currentSnapshot(state)?.queue ?? NONE);
  if (queue.length === 0) {
    return null;
  }
  async function edit(message: QueuedMessage): Promise<void> {
    const text = await sessions.unqueue(message.id);
    if (text !== null) {
      const { current, drafts } = store.getState();
      const typed = current === null ? "" : (drafts[current] ?? "");
      setDraft(typed.trim() === "" ? text : `${text}\n${typed}`);
      document.querySelector<HTMLElement>("[data-region=composer] textarea")?.focus();
    }
  }
  return (
    <ul className={styles.queue} aria-label="Queued messages">
      {queue.map((message) => (
        <li key={message.id} className={styles.queued}>
          <span className={styles.queuedText}>
            <SafeText text={message.text} strictness="prose" />
          </span>
          <IconButton
            label={`Edit queued message: ${escapeText(message.text).slice(0, 60)}`}
            onPress={() => void edit(message)}
          >
            <Pencil size={13} />
          </IconButton>
          <IconButton
            label={`Remove queued message: ${escapeText(message.text).slice(0, 60)}`}
            onPress={() => void sessions.unqueue(message.id)}
          >
            <X size={14} />
          </IconButton>
        </li>
      ))}
    </ul>
  );
}
