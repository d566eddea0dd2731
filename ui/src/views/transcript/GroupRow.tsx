import { ChevronRight, FileText, Search, SquareChevronRight } from "lucide-react";
import { type JSX, memo, useId } from "react";
import type { CallId, CallItem, Chip, ChipKind } from "../../generated/protocol.ts";
import { SafeText } from "../../shared/SafeText.tsx";
import { count } from "../../shared/time.ts";
import { VisuallyHidden } from "../../shared/VisuallyHidden.tsx";
import { useChangedFiles } from "../changed.ts";
import { CallRow } from "./CallRow.tsx";
import { useExpanded } from "./expansion.ts";
import { Marked } from "./Marked.tsx";
import { groupChips, groupWords, isUnderWay } from "./rows.ts";
import { StatusIcon } from "./StatusIcon.tsx";
import styles from "./Transcript.module.css";

/** How many targets a group names before it counts the rest. */
const CHIPS = 4;

const ICONS: Record<ChipKind, JSX.Element> = {
  path: <FileText size={11} aria-hidden />,
  pattern: <Search size={11} aria-hidden />,
  command: <SquareChevronRight size={11} aria-hidden />,
};

interface Props {
  /** Names the row. */
  id: string;
  /** Its calls. */
  calls: CallItem[];
  /** The one of them that a search has come to. */
  found: CallId | null;
}

/** Consecutive reading calls as one row that names their targets. */
export const GroupRow = memo(function GroupRow({ id, calls, found }: Props): JSX.Element {
  const [open, setOpen] = useExpanded(`group:${id}`, false);
  const panel = useId();
  const running = calls.some(isUnderWay);
  const { chips, more } = groupChips(calls, CHIPS);
  const words = groupWords(calls);
  return (
    <section className={styles.group} data-testid="call-group" aria-label={words}>
      <button
        type="button"
        className={styles.callTitle}
        aria-expanded={open}
        aria-controls={open ? panel : undefined}
        onClick={() => setOpen(!open)}
      >
        <StatusIcon status={running ? "running" : "succeeded"} />
        <span className={styles.title}>{words}</span>
        <span className={styles.chips}>
          {chips.map((chip) => (
            <ChipMark key={`${chip.kind}:${chip.text}`} chip={chip} />
          ))}
          {more === 0 ? null : (
            <span className={styles.moreChips} title={count(more, "more target")}>
              +{more}
            </span>
          )}
        </span>
        <ChevronRight size={14} aria-hidden className={styles.chevron} />
      </button>
      {open ? (
        <div className={styles.members} id={panel}>
          {calls.map((call) => (
            <Marked key={call.call} isFound={call.call === found}>
              <CallRow call={call} />
            </Marked>
          ))}
        </div>
      ) : null}
    </section>
  );
});

function ChipMark({ chip }: { chip: Chip }): JSX.Element {
  const changedFiles = useChangedFiles();
  const isChanged = chip.kind === "path" && changedFiles.includes(chip.text);
  return (
    <span
      className={styles.chip}
      data-kind={chip.kind}
      data-changed={isChanged || undefined}
      title={isChanged ? `${chip.text}, changed by someone else since` : chip.text}
    >
      {ICONS[chip.kind]}
      <span className={styles.chipText}>
        <SafeText text={chip.text} />
      </span>
      {isChanged ? <VisuallyHidden>, changed since</VisuallyHidden> : null}
    </span>
  );
}
