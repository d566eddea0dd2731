import { Trash2 } from "lucide-react";
import { type JSX, useState } from "react";
import { Input, Label, TextField } from "react-aria-components";
import type {
  Behavior,
  RuleEntry,
  RuleOddity,
  RuleReport,
  RuleScope,
  RuleSource,
  SettingsState,
} from "../../generated/protocol.ts";
import { Button, IconButton } from "../../shared/Button.tsx";
import { escapeText } from "../../shared/deceptive.ts";
import { ErrorNote } from "../../shared/ErrorNote.tsx";
import { Prose } from "../../shared/Prose.tsx";
import { SafeText } from "../../shared/SafeText.tsx";
import { Select } from "../../shared/Select.tsx";
import { useUi } from "../adroit.tsx";
import { PlaceLink, placeOf } from "../PlaceLink.tsx";
import { SCOPES, SOURCES } from "../scopes.ts";
import styles from "./Settings.module.css";
import { useChange } from "./useChange.ts";

const BEHAVIORS: Record<Behavior, string> = { deny: "Deny", ask: "Ask", allow: "Allow" };
const BEHAVIOR_ORDER: readonly Behavior[] = ["deny", "ask", "allow"];
const SOURCE_ORDER: readonly RuleSource[] = [
  "managed",
  "command_line",
  "project_local",
  "project",
  "user",
  "session",
];

/** Sources whose rules can be changed here, with the scope that a change names. */
const EDITABLE: Partial<Record<RuleSource, RuleScope>> = {
  session: "session",
  project_local: "project_local",
  project: "project",
  user: "user",
};

/** All rules by their source, strongest first, and a form to add one. */
export function Rules({ settings }: { settings: SettingsState }): JSX.Element {
  const { change, error } = useChange();
  return (
    <section aria-labelledby="rules-heading" className={styles.section}>
      <h3 className={styles.label} id="rules-heading">
        Rules
      </h3>
      <p className={styles.faint}>
        A deny from any source wins, then ask, then allow. A rule is a tool’s name, or the name with
        what it is about: <code>Bash(cargo test:*)</code>, <code>Edit(src/**)</code>.
      </p>
      <AddRule change={change} />
      <ErrorNote error={error} />
      {SOURCE_ORDER.map((source) => (
        <SourceRules
          key={source}
          source={source}
          rules={settings.rules.filter((rule) => rule.source === source)}
          reports={settings.reports}
          change={change}
        />
      ))}
      {settings.rules.length === 0 ? <p className={styles.empty}>There are no rules yet.</p> : null}
    </section>
  );
}

interface SourceProps {
  source: RuleSource;
  rules: readonly RuleEntry[];
  reports: readonly RuleReport[];
  change: ReturnType<typeof useChange>["change"];
}

function SourceRules({ source, rules, reports, change }: SourceProps): JSX.Element | null {
  if (rules.length === 0) {
    return null;
  }
  const scope = EDITABLE[source];
  const sorted = BEHAVIOR_ORDER.flatMap((one) => rules.filter((rule) => rule.behavior === one));
  return (
    <section className={styles.source} aria-label={SOURCES[source]}>
      <h4 className={styles.sourceName}>{SOURCES[source]}</h4>
      <ul className={styles.rules}>
        {sorted.map((rule) => (
          <li
            key={`${rule.behavior}:${rule.rule}:${placeOf(rule)}`}
            className={styles.rule}
            data-testid="rule"
          >
            <span className={styles.behavior} data-behavior={rule.behavior}>
              {BEHAVIORS[rule.behavior]}
            </span>
            <span className={styles.ruleWords}>
              <code>
                <SafeText text={rule.rule} />
              </code>
              <RuleRemarks rule={rule} reports={reports} />
              <span className={styles.where}>
                <PlaceLink placed={rule} />
              </span>
            </span>
            {scope === undefined ? null : (
              <IconButton
                label={`Remove rule ${BEHAVIORS[rule.behavior].toLowerCase()} ${escapeText(rule.rule)}`}
                onPress={() =>
                  void change({
                    type: "remove_rule",
                    behavior: rule.behavior,
                    rule: rule.rule,
                    scope,
                    file: rule.file ?? null,
                  })
                }
              >
                <Trash2 size={14} />
              </IconButton>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

const ODDITY: Record<RuleOddity, string> = {
  invalid: "Cannot be read",
  unreachable: "Never decides",
  repeated: "Says nothing new",
  matches_nothing: "Matches nothing",
  expired: "Has ended",
};

/** What is odd about a rule, and when it ends. */
function RuleRemarks({
  rule,
  reports,
}: {
  rule: RuleEntry;
  reports: readonly RuleReport[];
}): JSX.Element {
  const odd = reports.filter(({ rule: one }) => isSameRule(one, rule));
  return (
    <>
      {odd.map(({ kind, text }) => (
        <span key={kind} className={styles.problem} data-testid="rule-report" data-kind={kind}>
          {ODDITY[kind]}: <Prose text={text} />
        </span>
      ))}
      {rule.expiresAt === undefined || odd.some(({ kind }) => kind === "expired") ? null : (
        <span className={styles.where}>
          holds until {new Date(rule.expiresAt).toLocaleString()}
        </span>
      )}
    </>
  );
}

function isSameRule(one: RuleEntry, other: RuleEntry): boolean {
  return (
    one.rule === other.rule &&
    one.behavior === other.behavior &&
    one.source === other.source &&
    placeOf(one) === placeOf(other)
  );
}

function AddRule({ change }: Pick<SourceProps, "change">): JSX.Element {
  const hasProject = useUi((state) => state.project !== null);
  const hasSession = useUi((state) => state.current !== null);
  const scopes = SCOPES.filter(
    ({ scope }) => scope === "user" || (scope === "session" ? hasSession : hasProject),
  );
  const [behavior, setBehavior] = useState<Behavior>("allow");
  const [scope, setScope] = useState<RuleScope>(hasProject ? "project_local" : "user");
  const [rule, setRule] = useState("");
  return (
    <form
      className={styles.addRule}
      aria-label="Add a rule"
      onSubmit={(event) => {
        event.preventDefault();
        void change({ type: "add_rule", behavior, rule: rule.trim(), scope }).then(
          (added) => added && setRule(""),
        );
      }}
    >
      <Select
        label="List"
        value={behavior}
        options={BEHAVIOR_ORDER.map((one) => ({ value: one, name: BEHAVIORS[one] }))}
        onChange={setBehavior}
      />
      <TextField className={styles.grow ?? ""} value={rule} onChange={setRule}>
        <Label className={styles.fieldLabel ?? ""}>New rule</Label>
        <Input
          className={`${styles.input} ${styles.mono}`}
          placeholder="Bash(cargo test:*)"
          spellCheck="false"
          autoComplete="off"
        />
      </TextField>
      <Select
        label="Kept in"
        value={scope}
        options={scopes.map(({ scope: one, name }) => ({ value: one, name }))}
        onChange={setScope}
      />
      <Button type="submit" isDisabled={rule.trim() === ""}>
        Add rule
      </Button>
    </form>
  );
}
