import type { JSX } from "react";
import type { StageOutcome, StageRecord } from "../../generated/protocol.ts";
import { Prose } from "../../shared/Prose.tsx";
import { formatMicroseconds } from "../../shared/time.ts";
import styles from "./Inspector.module.css";
import { Section } from "./Section.tsx";
import { type StageLine, stageLines } from "./stages.ts";

const OUTCOMES: Record<StageOutcome, string | null> = {
  passed: null,
  skipped: "nothing to do",
  ended: "ended here",
};

/** The fourteen stages with what happened in each, and how long it took. */
export function Stages({ recorded }: { recorded: readonly StageRecord[] }): JSX.Element {
  const whole = recorded.reduce((sum, { durationUs }) => sum + durationUs, 0);
  return (
    <Section title={`Stages, ${formatMicroseconds(whole)} in all`}>
      <ol className={styles.stages}>
        {stageLines(recorded).map((line, index) => (
          <Stage key={`${line.number}:${index}`} line={line} />
        ))}
      </ol>
    </Section>
  );
}

function Stage({ line: { number, name, reached } }: { line: StageLine }): JSX.Element {
  const outcome = reached === null ? "not reached" : OUTCOMES[reached.outcome];
  return (
    <li
      className={styles.stage}
      data-testid="stage"
      data-outcome={reached === null ? "unreached" : reached.outcome}
    >
      <span className={styles.number}>{number}</span>
      <span className={styles.stageWords}>
        <span>
          {name}
          {outcome === null ? null : <span className={styles.outcome}>{outcome}</span>}
        </span>
        {reached?.note === undefined ? null : (
          <span className={styles.note}>
            <Prose text={reached.note} />
          </span>
        )}
      </span>
      <span className={styles.time}>
        {reached === null ? "–" : formatMicroseconds(reached.durationUs)}
      </span>
    </li>
  );
}
