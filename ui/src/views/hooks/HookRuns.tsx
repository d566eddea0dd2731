import type { JSX } from "react";
import type { HookOutcome, HookRun } from "../../generated/protocol.ts";
import { Prose } from "../../shared/Prose.tsx";
import { SafeText } from "../../shared/SafeText.tsx";
import { formatAgo, formatDuration, useNow } from "../../shared/time.ts";
import { CodeFence } from "../../text/CodeFence.tsx";
import styles from "./Hooks.module.css";

/** Lines of an output that show before the rest folds. */
const LINES = 12;

/** Each outcome in words, and how it should be felt. */
const OUTCOMES: Record<HookOutcome, { name: string; tone: string }> = {
  passed: { name: "Passed", tone: "neutral" },
  allowed: { name: "Allowed", tone: "success" },
  asked: { name: "Asked for you", tone: "warning" },
  blocked: { name: "Blocked", tone: "danger" },
  failed: { name: "Failed", tone: "warning" },
  timed_out: { name: "Too slow", tone: "warning" },
  not_started: { name: "Could not start", tone: "warning" },
  cancelled: { name: "Cancelled", tone: "neutral" },
};

interface Props {
  /** The runs. */
  runs: readonly HookRun[];
  /** Whether each is named: where the runs are of several hooks. */
  named?: boolean;
}

/** What hooks did: how each run ended, how long it took, and what it said. */
export function HookRuns({ runs, named = false }: Props): JSX.Element | null {
  const now = useNow(runs.length > 0, 30_000);
  if (runs.length === 0) {
    return null;
  }
  return (
    <ul className={styles.runs} aria-label="Runs">
      {runs.map((run, index) => (
        <li key={`${run.hook}:${run.at}:${index}`} className={styles.run} data-testid="hook-run">
          <Run run={run} now={now} named={named} />
        </li>
      ))}
    </ul>
  );
}

function Run({ run, now, named }: { run: HookRun; now: number; named: boolean }): JSX.Element {
  const { name, tone } = OUTCOMES[run.outcome];
  const printed = run.output !== "" || run.errors !== "";
  const line = (
    <>
      <span className={styles.outcome} data-tone={tone}>
        {name}
      </span>
      {named ? (
        <span className={styles.label}>
          {run.event} <SafeText text={run.label} />
        </span>
      ) : (
        <span className={styles.label}>{formatAgo(run.at, now)}</span>
      )}
      <span className={styles.duration}>
        {run.changedInput ? "changed the input · " : ""}
        {formatDuration(run.durationMs)}
      </span>
    </>
  );
  return (
    <>
      {printed ? (
        <details>
          <summary className={styles.line}>{line}</summary>
          <Output title="Output" text={run.output} />
          <Output title="Errors" text={run.errors} />
        </details>
      ) : (
        <div className={styles.line}>{line}</div>
      )}
      {run.message === undefined ? null : (
        <p className={styles.message}>
          <Prose text={run.message} />
        </p>
      )}
    </>
  );
}

function Output({ title, text }: { title: string; text: string }): JSX.Element | null {
  return text === "" ? null : (
    <section aria-label={title} className={styles.output}>
      <h5 className={styles.outputTitle}>{title}</h5>
      <CodeFence text={text} language="" limit={LINES} />
    </section>
  );
}
