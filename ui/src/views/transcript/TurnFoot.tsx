import type { JSX } from "react";
import { SafeText } from "../../shared/SafeText.tsx";
import { formatDuration, useNow } from "../../shared/time.ts";
import { currentSnapshot } from "../../store/state.ts";
import { useUi } from "../adroit.tsx";
import { isFoldable } from "./rows.ts";
import styles from "./Transcript.module.css";

/** The end of the transcript: what the agent does now, and for how long. */
export function TurnFoot(): JSX.Element {
  const turn = useUi((state) => currentSnapshot(state)?.turn);
  const running = turn?.type === "running";
  const waits = useUi((state) => (currentSnapshot(state)?.requests.length ?? 0) > 0);
  // Where the row above says the same, saying it again would read as a second call.
  const isSaid = useUi((state) => {
    const last = currentSnapshot(state)?.items.at(-1)?.body;
    if (!running || last?.type !== "call" || last.call.status !== "running") {
      return false;
    }
    const { view } = last.call;
    return !isFoldable(last.call) && (view.activity ?? view.title) === turn.activity;
  });
  const now = useNow(running, 1_000);
  if (!running) {
    return <div className={styles.end} />;
  }
  const elapsed = now - turn.since;
  return (
    <div className={styles.turn} data-testid="turn-activity">
      <span className={styles.pulse} aria-hidden />
      <span>
        {waits ? (
          "Waits for your answer"
        ) : (
          <SafeText text={isSaid ? "Working" : turn.activity || "Working"} />
        )}
      </span>
      {elapsed < 2_000 ? null : <span className={styles.elapsed}>{formatDuration(elapsed)}</span>}
    </div>
  );
}
