import { ChevronRight, CircleQuestionMark } from "lucide-react";
import { type JSX, memo, useId, useMemo } from "react";
import { Blocks } from "../../blocks/Blocks.tsx";
import { BlockContextProvider, useBlockContext } from "../../blocks/context.ts";
import type { CallItem, View } from "../../generated/protocol.ts";
import { Button } from "../../shared/Button.tsx";
import { SafeText } from "../../shared/SafeText.tsx";
import { formatDuration, useNow } from "../../shared/time.ts";
import { useAdroit } from "../adroit.tsx";
import { useChangedOf } from "../changed.ts";
import { ChangeChips } from "../changes/ChangeChips.tsx";
import { UndoButton } from "../changes/UndoButton.tsx";
import { BackgroundButton } from "./BackgroundButton.tsx";
import { opensByDefault, useDensity, useExpanded } from "./expansion.ts";
import { STATUS_WORDS, StatusIcon } from "./StatusIcon.tsx";
import styles from "./Transcript.module.css";

/** One call: what it does, how far it is, and its blocks when it is open. */
export const CallRow = memo(function CallRow({ call }: { call: CallItem }): JSX.Element {
  const { setPanels } = useAdroit();
  const density = useDensity();
  const [open, setOpen] = useExpanded(call.call, opensByDefault(call, density));
  const panel = useId();
  const { view, status } = call;
  const hasBlocks = view.blocks.length > 0;
  const shown = status === "running" ? (view.activity ?? view.title) : view.title;
  const explain = () => setPanels({ inspected: call.call });
  return (
    <article
      className={styles.call}
      data-testid="call"
      data-status={status}
      data-tone={view.tone}
      data-transparent={view.transparent === true || undefined}
      aria-label={`${view.title}, ${STATUS_WORDS[status]}`}
    >
      <div className={styles.callHead}>
        <button
          type="button"
          className={styles.callTitle}
          aria-expanded={hasBlocks ? open : undefined}
          aria-controls={hasBlocks && open ? panel : undefined}
          disabled={!hasBlocks}
          onClick={() => setOpen(!open)}
        >
          <StatusIcon status={status} />
          <span className={styles.title}>
            <SafeText text={shown} />
          </span>
          {view.tag === undefined ? null : (
            <span className={styles.tag}>
              <SafeText text={view.tag} />
            </span>
          )}
          <span className={styles.summary}>
            {view.summary === undefined ? (
              endWords(call)
            ) : (
              <SafeText text={view.summary} strictness="prose" />
            )}
          </span>
          {view.truncated === true ? (
            <span className={styles.cut} title="The result shows less than there was">
              shortened
            </span>
          ) : null}
          <ChangedSince view={view} />
          <Elapsed call={call} />
          {hasBlocks ? (
            <ChevronRight size={14} aria-hidden className={styles.chevron} />
          ) : (
            <span className={styles.noChevron} />
          )}
        </button>
        <span className={styles.tools}>
          <span className={styles.why}>
            <Button small look="quiet" onPress={explain} aria-label={`Why? ${view.title}`}>
              <CircleQuestionMark size={13} aria-hidden /> Why?
            </Button>
          </span>
          <BackgroundButton call={call} />
          <UndoButton call={call} />
        </span>
      </div>
      <ChangeChips call={call} />
      {open && hasBlocks ? (
        <div className={styles.blocks} id={panel}>
          <CallBlocks call={call} onWhole={explain} />
        </div>
      ) : null}
    </article>
  );
});

function CallBlocks({ call, onWhole }: { call: CallItem; onWhole: () => void }): JSX.Element {
  const outer = useBlockContext();
  // `onWhole` is of this very call.
  const context = useMemo(() => ({ ...outer, showWhole: onWhole }), [outer, call.call]);
  return (
    <BlockContextProvider value={context}>
      <Blocks blocks={call.view.blocks} />
    </BlockContextProvider>
  );
}

/** Says that a file of the call is another one by now. */
function ChangedSince({ view }: { view: View }): JSX.Element | null {
  const changed = useChangedOf(view);
  if (changed.length === 0) {
    return null;
  }
  const title = `Changed by someone else since: ${changed.join(", ")}`;
  return (
    <span className={styles.changedSince} title={title} data-testid="changed-since">
      changed since
    </span>
  );
}

/** Statuses whose word shows where the view has no summary of its own. */
function endWords(call: CallItem): string {
  return call.status === "succeeded" || call.status === "running" ? "" : STATUS_WORDS[call.status];
}

/** A running call's time appears after this, milliseconds: before, it would only flicker. */
const WORTH_TELLING = 1_000;

function Elapsed({ call }: { call: CallItem }): JSX.Element | null {
  const running = call.status === "running" && call.startedAt !== undefined;
  const now = useNow(running);
  const elapsed = running ? now - (call.startedAt ?? now) : call.elapsedMs;
  if (elapsed === undefined || (running && elapsed < WORTH_TELLING)) {
    return null;
  }
  return <span className={styles.elapsed}>{formatDuration(elapsed)}</span>;
}
