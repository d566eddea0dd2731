import type { JSX } from "react";
import type { Behavior, RuleCheck } from "../../generated/protocol.ts";
import { Prose } from "../../shared/Prose.tsx";
import { SafeText } from "../../shared/SafeText.tsx";
import { count } from "../../shared/time.ts";
import styles from "./Requests.module.css";

const DECIDED: Record<Behavior, string> = {
  allow: "allowed then",
  ask: "asked then",
  deny: "denied then",
};

/** How far a rule reaches: the broadest it allows, and what of before it would have let through. */
export function RuleReach({ check }: { check: RuleCheck | null }): JSX.Element | null {
  if (check === null || !check.covers) {
    return null;
  }
  const all = check.past.length + check.more;
  return (
    <div className={styles.reach} data-testid="rule-reach">
      {check.broadest === null ? null : (
        <p>
          <span className={styles.reachHead}>At its broadest:</span> <Prose text={check.broadest} />
          .
        </p>
      )}
      {all === 0 ? (
        <p>
          <span className={styles.reachHead}>Before:</span> it would have let through nothing else
          of {count(check.lookedAt, "call")} in this project.
        </p>
      ) : (
        <details>
          <summary>
            <span className={styles.reachHead}>Before:</span> it would have let through {all} of{" "}
            {count(check.lookedAt, "call")} in this project
          </summary>
          <ul className={styles.reachList}>
            {check.past.map((call, index) => (
              <li key={index}>
                <code>
                  <SafeText text={call.subject} />
                </code>
                {call.decided === null ? null : (
                  <span className={styles.size}> {DECIDED[call.decided]}</span>
                )}
              </li>
            ))}
            {check.more === 0 ? null : <li>and {check.more} more</li>}
          </ul>
        </details>
      )}
    </div>
  );
}
