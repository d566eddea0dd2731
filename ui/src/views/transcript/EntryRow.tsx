import { ChevronRight } from "lucide-react";
import { type JSX, memo } from "react";
import { useBlockContext } from "../../blocks/context.ts";
import type { Item } from "../../generated/protocol.ts";
import { Notice } from "../../shared/Notice.tsx";
import { SafeText } from "../../shared/SafeText.tsx";
import { VisuallyHidden } from "../../shared/VisuallyHidden.tsx";
import { Markdown } from "../../text/Markdown.tsx";
import { RewindButton } from "../changes/RewindButton.tsx";
import { CallRow } from "./CallRow.tsx";
import { CompactionRow } from "./CompactionRow.tsx";
import { useExpanded } from "./expansion.ts";
import styles from "./Transcript.module.css";

/** One entry of the transcript. */
export const EntryRow = memo(function EntryRow({ item }: { item: Item }): JSX.Element {
  const { body } = item;
  switch (body.type) {
    case "user":
      return (
        <article className={styles.user} aria-label="You" data-testid="user-message">
          <SafeText text={body.text} strictness="prose" />
          {body.turn === undefined ? null : <RewindButton turn={body.turn} text={body.text} />}
        </article>
      );
    case "assistant":
      return <Answer text={body.text} streaming={body.streaming} />;
    case "thinking":
      return <Thinking id={item.id} text={body.text} streaming={body.streaming} />;
    case "call":
      return <CallRow call={body.call} />;
    case "compacted":
      return <CompactionRow id={item.id} compaction={body.compaction} />;
    case "notice":
      return <Notice tone={body.tone} text={body.text} hint={body.hint} />;
  }
});

interface AnswerProps {
  text: string;
  streaming: boolean;
}

function Answer({ text, streaming }: AnswerProps): JSX.Element {
  const { openLink } = useBlockContext();
  return (
    <article
      className={styles.answer}
      aria-label="Adroit"
      aria-busy={streaming}
      data-testid="assistant-message"
      data-streaming={streaming || undefined}
    >
      <Markdown text={text} streaming={streaming} onLink={openLink} />
    </article>
  );
}

interface ThinkingProps extends AnswerProps {
  id: string;
}

function Thinking({ id, text, streaming }: ThinkingProps): JSX.Element {
  const [open, setOpen] = useExpanded(id, false);
  return (
    <div className={styles.thinking}>
      <button
        type="button"
        className={styles.thinkingHead}
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      >
        <ChevronRight size={13} aria-hidden className={styles.chevron} />
        {streaming ? "Thinking…" : "Thought"}
        {open ? null : (
          <span className={styles.glimpse} aria-hidden>
            {lastLine(text)}
          </span>
        )}
        <VisuallyHidden>{open ? "" : ", closed"}</VisuallyHidden>
      </button>
      {open ? (
        <p className={styles.thought}>
          <SafeText text={text} strictness="prose" />
        </p>
      ) : null}
    </div>
  );
}

/** The end of a thought, for the closed row. UTF-16 units. */
function lastLine(text: string): string {
  const line = text.trimEnd().split("\n").at(-1) ?? "";
  return line.length > 160 ? `…${line.slice(-160)}` : line;
}
