import { type JSX, useEffect, useId, useState } from "react";
import type { Behavior, Mode, WhatIfAnswer, WireError } from "../../generated/protocol.ts";
import { Button } from "../../shared/Button.tsx";
import { ErrorNote } from "../../shared/ErrorNote.tsx";
import { Prose } from "../../shared/Prose.tsx";
import { SafeText } from "../../shared/SafeText.tsx";
import { Select } from "../../shared/Select.tsx";
import { count } from "../../shared/time.ts";
import { VisuallyHidden } from "../../shared/VisuallyHidden.tsx";
import { currentSnapshot } from "../../store/state.ts";
import { useAdroit, useUi } from "../adroit.tsx";
import { MODE_ORDER, MODES } from "../modes.ts";
import styles from "./Inspector.module.css";
import { Section } from "./Section.tsx";
import { readRules, ruleLines } from "./tried.ts";

const WOULD: Record<Behavior, string> = { allow: "allowed", ask: "asked", deny: "denied" };

/** Other rules and another mode, tried on the calls of before. Nothing is changed by it. */
export function WhatIfBox(): JSX.Element {
  const { sessions, projects } = useAdroit();
  const present = useUi((state) => currentSnapshot(state)?.mode ?? "default");
  const known = useUi((state) => state.settings?.rules ?? null);
  const [mode, setMode] = useState<Mode>(present);
  const [text, setText] = useState<string | null>(null);
  const [whole, setWhole] = useState(false);
  const [answer, setAnswer] = useState<WhatIfAnswer | null>(null);
  const [error, setError] = useState<WireError | null>(null);
  const field = useId();
  useEffect(() => {
    if (known === null) {
      void projects.refreshSettings();
    }
  }, [known, projects]);
  const shown = text ?? ruleLines(known ?? []);
  const { rules, wrong } = readRules(shown);

  async function compare(): Promise<void> {
    const outcome = await sessions.whatIf({ mode, rules, wholeProject: whole });
    setAnswer(outcome.ok ? outcome.value : null);
    setError(outcome.ok ? null : outcome.error);
  }

  return (
    <Section title="What if?">
      <p className={styles.faint}>
        Other rules or another mode, tried on calls of before. Nothing is changed by it.
      </p>
      <form
        className={styles.whatIf}
        aria-label="Other rules on the calls of before"
        onSubmit={(event) => {
          event.preventDefault();
          void compare();
        }}
      >
        <Select
          label="Mode"
          value={mode}
          options={MODE_ORDER.map((one) => ({ value: one, name: MODES[one].name }))}
          onChange={setMode}
        />
        <label className={styles.fieldLabel} htmlFor={field}>
          Rules, one a line: deny, ask or allow, then the rule
        </label>
        <textarea
          id={field}
          className={styles.text}
          rows={Math.min(12, Math.max(4, shown.split("\n").length))}
          spellCheck={false}
          value={shown}
          aria-invalid={wrong.length > 0}
          onChange={(event) => setText(event.target.value)}
        />
        {wrong.length === 0 ? null : (
          <p className={styles.wrong}>No rule in line {wrong.join(", ")}: it is passed over.</p>
        )}
        <div className={styles.compare}>
          <label className={styles.whole}>
            <input
              type="checkbox"
              checked={whole}
              onChange={(event) => setWhole(event.target.checked)}
            />
            All sessions of this project
          </label>
          <Button small type="submit">
            Compare
          </Button>
        </div>
      </form>
      <ErrorNote error={error} />
      {answer === null ? null : <Answer answer={answer} />}
    </Section>
  );
}

function Answer({ answer }: { answer: WhatIfAnswer }): JSX.Element {
  const { setPanels } = useAdroit();
  const current = useUi((state) => state.current);
  const all = answer.changed.length + answer.more;
  return (
    <div role="status" data-testid="what-if" className={styles.answer}>
      {answer.problems.map((problem) => (
        <p key={problem} className={styles.wrong}>
          <Prose text={problem} />
        </p>
      ))}
      <p className={styles.outOf}>
        {all === 0 ? "None" : all} of {count(answer.lookedAt, "call")} would be decided otherwise.
      </p>
      <ul className={styles.changed}>
        {answer.changed.map(({ session, call, subject, now, tried }) => (
          <li key={`${session}:${call}`} className={styles.change}>
            <span className={styles.otherwise}>
              {WOULD[now.behavior]} <span aria-hidden>→</span>{" "}
              <VisuallyHidden>now, and would be</VisuallyHidden>{" "}
              <strong className={styles.tried} data-behavior={tried.behavior}>
                {WOULD[tried.behavior]}
              </strong>
            </span>
            {session === current ? (
              <button
                type="button"
                className={styles.callLink}
                onClick={() => setPanels({ inspected: call })}
              >
                <SafeText text={subject} />
              </button>
            ) : (
              <code>
                <SafeText text={subject} />
              </code>
            )}
            <span className={styles.where}>
              <Prose text={tried.reason} />
            </span>
          </li>
        ))}
      </ul>
      {answer.more === 0 ? null : (
        <p className={styles.faint}>and {count(answer.more, "older call")}</p>
      )}
    </div>
  );
}
