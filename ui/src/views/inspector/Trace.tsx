import type { JSX } from "react";
import type {
  Behavior,
  CallTraits,
  ClassifierVerdict,
  DecisionRecord,
  RuleEntry,
} from "../../generated/protocol.ts";
import { Prose } from "../../shared/Prose.tsx";
import { SafeText } from "../../shared/SafeText.tsx";
import { formatDuration } from "../../shared/time.ts";
import { HookRuns } from "../hooks/HookRuns.tsx";
import { MODES } from "../modes.ts";
import { PlaceLink, placeOf } from "../PlaceLink.tsx";
import { SOURCES } from "../scopes.ts";
import styles from "./Inspector.module.css";
import { Section } from "./Section.tsx";
import { Stages } from "./Stages.tsx";

const VERDICT: Record<Behavior, string> = {
  allow: "Allowed",
  ask: "Asked",
  deny: "Denied",
};

const CLASSIFIED: Record<ClassifierVerdict, string> = {
  allow: "Allowed",
  ask: "Left to you",
  block: "Blocked",
};

/** The way of one call through the pipeline. */
export function Trace({ record }: { record: DecisionRecord }): JSX.Element {
  return (
    <>
      <Verdict record={record} />
      {record.rules.length === 0 ? null : (
        <Section title="Rules that matched">
          <ul className={styles.list}>
            {record.rules.map((rule) => (
              <Rule
                key={`${rule.behavior}:${rule.rule}:${placeOf(rule)}`}
                rule={rule}
                won={isSame(rule, record.decision?.rule)}
              />
            ))}
          </ul>
        </Section>
      )}
      {record.hooks.length === 0 ? null : (
        <Section title="Hooks">
          <HookRuns runs={record.hooks} named />
        </Section>
      )}
      <Stages recorded={record.stages} />
    </>
  );
}

function Verdict({ record }: { record: DecisionRecord }): JSX.Element {
  const { decision, consent, classifier, mode, tool } = record;
  return (
    <div className={styles.verdict} data-behavior={consent?.behavior ?? decision?.behavior}>
      {decision === undefined ? (
        <p>The call ended before anything was decided.</p>
      ) : (
        <p>
          <strong>{VERDICT[decision.behavior]}:</strong> <Prose text={decision.reason} />
        </p>
      )}
      {consent === undefined ? null : (
        <p data-testid="consent">
          <strong>{consent.answered ? "Answered" : VERDICT[consent.behavior]}</strong>{" "}
          {consent.by === "person" ? "by you" : <SafeText text={`by ${consent.by}`} />} after{" "}
          {formatDuration(consent.waitedMs)}
          {consent.at === 0 ? null : ` at ${new Date(consent.at).toLocaleTimeString()}`}
          {consent.changed ? ", with a change" : null}
          {consent.words === undefined ? null : (
            <>
              : “<Prose text={consent.words} />”
            </>
          )}
        </p>
      )}
      {classifier === undefined ? null : (
        <p data-testid="classifier">
          <strong>{CLASSIFIED[classifier.verdict]}</strong> by the classifier{" "}
          <SafeText text={classifier.by} /> in {formatDuration(classifier.tookMs)}: “
          <Prose text={classifier.reason} />”
        </p>
      )}
      {consent?.remembered === undefined ? null : (
        <p>
          Remembered as{" "}
          <code>
            <SafeText text={consent.remembered} />
          </code>
        </p>
      )}
      <p className={styles.faint}>
        <SafeText text={tool} /> in mode “{MODES[mode].name}”
      </p>
      {record.traits === undefined ? null : <Traits traits={record.traits} />}
    </div>
  );
}

/** What the tool said of this very input. */
function Traits({ traits }: { traits: CallTraits }): JSX.Element {
  const words = [
    traits.readOnly ? "changes nothing" : "may change something",
    traits.concurrencySafe ? "may run beside others" : "runs alone",
    ...(traits.destructive ? ["may lose something for good"] : []),
    ...(traits.openWorld ? ["may reach beyond this machine"] : []),
  ];
  return (
    <p className={styles.faint} data-testid="traits">
      This call {words.join(", ")}
      {traits.path === undefined ? null : (
        <>
          {" "}
          and is about{" "}
          <code>
            <SafeText text={traits.path} />
          </code>
        </>
      )}
      .
    </p>
  );
}

function isSame(rule: RuleEntry, winner: RuleEntry | undefined): boolean {
  return (
    winner !== undefined &&
    rule.rule === winner.rule &&
    rule.behavior === winner.behavior &&
    placeOf(rule) === placeOf(winner)
  );
}

function Rule({ rule, won }: { rule: RuleEntry; won: boolean }): JSX.Element {
  return (
    <li className={styles.rule}>
      <span>
        {rule.behavior}{" "}
        <code>
          <SafeText text={rule.rule} />
        </code>
        {won ? <span className={styles.won}> decided</span> : null}
      </span>
      <span className={styles.where}>
        {SOURCES[rule.source]}
        {rule.file === undefined ? null : (
          <>
            {" · "}
            <PlaceLink placed={rule} />
          </>
        )}
      </span>
    </li>
  );
}
