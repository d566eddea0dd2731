import { Plus, Trash2, TriangleAlert } from "lucide-react";
import { type JSX, useMemo, useState } from "react";
import type { SessionId, SessionSummary } from "../../generated/protocol.ts";
import { IconButton } from "../../shared/Button.tsx";
import { ConfirmDialog } from "../../shared/ConfirmDialog.tsx";
import { escapeText } from "../../shared/deceptive.ts";
import { SafeText } from "../../shared/SafeText.tsx";
import { formatAgo, useNow } from "../../shared/time.ts";
import { useAdroit, useUi } from "../adroit.tsx";
import styles from "./SessionList.module.css";

/** The sessions of the project. */
export function SessionList(): JSX.Element {
  const { sessions } = useAdroit();
  const stored = useUi((state) => state.sessionList);
  const current = useUi((state) => state.current);
  const list = useMemo(() => withCurrent(stored, current), [stored, current]);
  const [deleting, setDeleting] = useState<SessionSummary | null>(null);
  return (
    <nav className={styles.sidebar} aria-label="Sessions" data-region="sessions">
      <header className={styles.header}>
        <h2 className={styles.heading}>Sessions</h2>
        <IconButton label="New session" onPress={() => void sessions.create()}>
          <Plus size={16} />
        </IconButton>
      </header>
      <ul className={styles.list}>
        {list.map((summary) => (
          <Entry
            key={summary.session}
            summary={summary}
            onDelete={stored.includes(summary) ? () => setDeleting(summary) : null}
          />
        ))}
      </ul>
      <ConfirmDialog
        isOpen={deleting !== null}
        title="Delete this session?"
        confirm="Delete"
        onConfirm={() => {
          if (deleting !== null) {
            void sessions.remove(deleting.session);
          }
          setDeleting(null);
        }}
        onCancel={() => setDeleting(null)}
      >
        “<SafeText text={titleOf(deleting?.title ?? "")} />” and the records of its calls are
        removed for good. Files that it changed stay as they are.
      </ConfirmDialog>
    </nav>
  );
}

/** A session is stored with its first message; until then it is listed all the same. */
function withCurrent(stored: SessionSummary[], current: SessionId | null): SessionSummary[] {
  return current === null || stored.some((one) => one.session === current)
    ? stored
    : [{ session: current, title: "", updatedAt: Date.now(), damaged: false }, ...stored];
}

function titleOf(title: string): string {
  return title.trim() === "" ? "Untitled" : title;
}

interface EntryProps {
  summary: SessionSummary;
  /** Null where nothing is stored yet. */
  onDelete: (() => void) | null;
}

function Entry({ summary, onDelete }: EntryProps): JSX.Element {
  const { sessions } = useAdroit();
  const current = useUi((state) => state.current === summary.session);
  const snapshot = useUi((state) => state.sessions[summary.session]?.snapshot ?? null);
  const now = useNow(true, 30_000);
  const title = titleOf(snapshot?.title ?? summary.title);
  const waiting = snapshot?.requests.length ?? 0;
  const running = snapshot?.turn.type === "running";
  return (
    <li className={styles.entry} data-current={current || undefined}>
      <button
        type="button"
        className={styles.open}
        aria-current={current ? "page" : undefined}
        {...(current ? { "data-region-focus": true } : {})}
        onClick={() => void sessions.show(summary.session)}
      >
        <span className={styles.title}>
          <SafeText text={title} />
        </span>
        <span className={styles.detail}>
          {summary.damaged ? (
            <TriangleAlert size={12} aria-label="Its file has damaged lines" />
          ) : null}
          {waiting > 0 ? <span className={styles.waiting}>waits for you</span> : null}
          {waiting === 0 && running ? <span className={styles.running}>works</span> : null}
          {waiting === 0 && !running ? formatAgo(summary.updatedAt, now) : null}
        </span>
      </button>
      {onDelete === null ? null : (
        <span className={styles.delete}>
          <IconButton label={`Delete ${escapeText(title)}`} onPress={onDelete}>
            <Trash2 size={13} />
          </IconButton>
        </span>
      )}
    </li>
  );
}
