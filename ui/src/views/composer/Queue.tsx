import { Check, CornerDownRight, Pencil, SendHorizontal, X } from "lucide-react";
import { type JSX, useState } from "react";
import type { QueuedMessage } from "../../generated/protocol.ts";
import { IconButton } from "../../shared/Button.tsx";
import { escapeText } from "../../shared/deceptive.ts";
import { SafeText } from "../../shared/SafeText.tsx";
import { currentSnapshot } from "../../store/state.ts";
import { useAdroit, useUi } from "../adroit.tsx";
import styles from "./Composer.module.css";

const NONE: QueuedMessage[] = [];

/** Messages that wait: for the turn's end, or for the next step of it where they are to steer. */
export function Queue(): JSX.Element | null {
  const queue = useUi((state) => currentSnapshot(state)?.queue ?? NONE);
  const running = useUi((state) => currentSnapshot(state)?.turn.type === "running");
  const [edited, setEdited] = useState<string | null>(null);
  if (queue.length === 0) {
    return null;
  }
  return (
    <ul className={styles.queue} aria-label="Queued messages">
      {queue.map((message) => (
        <li
          key={message.id}
          className={styles.queued}
          data-testid="queued"
          data-steer={message.steer || undefined}
        >
          {edited === message.id ? (
            <QueuedEditor message={message} onDone={() => setEdited(null)} />
          ) : (
            <QueuedRow message={message} isRunning={running} onEdit={() => setEdited(message.id)} />
          )}
        </li>
      ))}
    </ul>
  );
}

interface RowProps {
  message: QueuedMessage;
  isRunning: boolean;
  onEdit: () => void;
}

function QueuedRow({ message, isRunning, onEdit }: RowProps): JSX.Element {
  const { sessions } = useAdroit();
  const name = escapeText(message.text).slice(0, 60);
  return (
    <>
      <span className={styles.queuedWhen}>{whenWords(message, isRunning)}</span>
      <span className={styles.queuedText}>
        <SafeText text={message.text} strictness="prose" />
      </span>
      {isRunning ? (
        <IconButton
          label={`Steer with queued message: ${name}`}
          pressed={message.steer}
          onPress={() => void sessions.steer(message.id, !message.steer)}
        >
          <CornerDownRight size={13} />
        </IconButton>
      ) : (
        <IconButton
          label={`Send queued message now: ${name}`}
          onPress={() => void sessions.steer(message.id, true)}
        >
          <SendHorizontal size={13} />
        </IconButton>
      )}
      <IconButton label={`Edit queued message: ${name}`} onPress={onEdit}>
        <Pencil size={13} />
      </IconButton>
      <IconButton
        label={`Remove queued message: ${name}`}
        onPress={() => void sessions.unqueue(message.id)}
      >
        <X size={14} />
      </IconButton>
    </>
  );
}

function whenWords({ steer }: QueuedMessage, isRunning: boolean): string {
  if (!isRunning) {
    return "Not sent";
  }
  return steer ? "Next step" : "After this turn";
}

interface EditorProps {
  message: QueuedMessage;
  onDone: () => void;
}

function QueuedEditor({ message, onDone }: EditorProps): JSX.Element {
  const { sessions } = useAdroit();
  const [text, setText] = useState(message.text);
  async function save(): Promise<void> {
    const changed = text.trim();
    if (changed === "" || (await sessions.editQueued(message.id, changed))) {
      onDone();
    }
  }
  return (
    <>
      <textarea
        className={styles.queuedEditor}
        aria-label="Text of the queued message"
        rows={2}
        value={text}
        // biome-ignore lint/a11y/noAutofocus: it opens because the person wants to edit
        autoFocus
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter" && !event.shiftKey && !event.nativeEvent.isComposing) {
            event.preventDefault();
            void save();
          } else if (event.key === "Escape") {
            // It closes the editor and stops no turn.
            event.preventDefault();
            event.stopPropagation();
            onDone();
          }
        }}
      />
      <IconButton label="Save queued message" keys="Enter" onPress={() => void save()}>
        <Check size={14} />
      </IconButton>
      <IconButton label="Leave queued message as it is" keys="Esc" onPress={onDone}>
        <X size={14} />
      </IconButton>
    </>
  );
}
