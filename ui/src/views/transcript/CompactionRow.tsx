import { ChevronRight, FoldVertical } from "lucide-react";
import type { JSX } from "react";
import { useBlockContext } from "../../blocks/context.ts";
import type { CompactionItem, ItemId } from "../../generated/protocol.ts";
import { SafeText } from "../../shared/SafeText.tsx";
import { VisuallyHidden } from "../../shared/VisuallyHidden.tsx";
import { Markdown } from "../../text/Markdown.tsx";
import styles from "./CompactionRow.module.css";
import { useExpanded } from "./expansion.ts";

interface Props {
  id: ItemId;
  compaction: CompactionItem;
}

/** Where the conversation was compacted: how much, why, and what the model gets instead. */
export function CompactionRow({ id, compaction }: Props): JSX.Element {
  const [open, setOpen] = useExpanded(id, false);
  const { openLink } = useBlockContext();
  const { tokensBefore, tokensAfter, why, summary } = compaction;
  return (
    <section
      className={styles.compaction}
      aria-label="Conversation compacted"
      data-testid="compaction"
      data-trigger={compaction.trigger}
    >
      <div className={styles.line}>
        <button
          type="button"
          className={styles.head}
          aria-expanded={open}
          onClick={() => setOpen(!open)}
        >
          <FoldVertical size={13} aria-hidden />
          Conversation compacted: about {count(tokensBefore)} tokens to {count(tokensAfter)}
          <ChevronRight size={13} aria-hidden className={styles.chevron} />
          <VisuallyHidden>{open ? "" : ", summary closed"}</VisuallyHidden>
        </button>
      </div>
      <p className={styles.why}>
        <SafeText text={why} strictness="prose" /> Everything above stays here; the model gets a
        summary of it.
      </p>
      {open ? (
        <div className={styles.summary} data-testid="compaction-summary">
          <Markdown text={summary} streaming={false} onLink={openLink} />
        </div>
      ) : null}
    </section>
  );
}

function count(tokens: number): string {
  return tokens.toLocaleString("en");
}
