import { CircleCheck, CircleX } from "lucide-react";
import { type JSX, useEffect, useId, useState } from "react";
import { Input, Label, Radio, RadioGroup, TextField } from "react-aria-components";
import type {
  Answer,
  Breadth,
  PermissionRequest,
  RuleCheck,
  RuleScope,
  RuleSuggestion,
  WireError,
} from "../../generated/protocol.ts";
import { Button } from "../../shared/Button.tsx";
import { ErrorNote } from "../../shared/ErrorNote.tsx";
import { Prose } from "../../shared/Prose.tsx";
import { useAdroit } from "../adroit.tsx";
import { SCOPES } from "../scopes.ts";
import { AnswerButton } from "./AnswerButton.tsx";
import styles from "./Requests.module.css";
import { RuleReach } from "./RuleReach.tsx";
import { endOf, type RuleSpan, SPANS } from "./spans.ts";

const BREADTH: Record<Breadth, string> = {
  exact: "Exactly this",
  prefix: "Its like",
  tool: "The whole tool",
};

const NOT_CHECKED: RuleCheck = {
  covers: false,
  text: "Not checked.",
  broadest: null,
  past: [],
  more: 0,
  lookedAt: 0,
};

/** How long the typing must rest before a rule is checked, milliseconds. */
const REST = 150;

interface Props {
  request: PermissionRequest;
  isBusy: boolean;
  onAnswer: (answer: Answer) => void;
  onBack: () => void;
}

/** Chooses the rule that is remembered: its text, what it covers, where it is kept. */
export function Remember({ request, isBusy, onAnswer, onBack }: Props): JSX.Element {
  const [rule, setRule] = useState(request.suggestions[0]?.rule ?? "");
  const [scope, setScope] = useState<RuleScope>("session");
  const [span, setSpan] = useState<RuleSpan>("always");
  const { check, error } = useRuleCheck(request, rule);
  const covers = check?.covers === true;
  return (
    <form
      className={styles.form}
      aria-label="Allow and remember"
      data-composer
      onSubmit={(event) => event.preventDefault()}
      onKeyDown={(event) => {
        if (event.key === "Escape") {
          event.stopPropagation();
          onBack();
        }
      }}
    >
      <Suggestions suggestions={request.suggestions} rule={rule} onChoose={setRule} />
      <TextField
        className={styles.field ?? ""}
        value={rule}
        onChange={setRule}
        isInvalid={check !== null && !covers}
      >
        <Label className={styles.label ?? ""}>Rule</Label>
        <Input className={styles.rule ?? ""} spellCheck="false" autoComplete="off" />
      </TextField>
      <CheckLine check={check} />
      <RuleReach check={check} />
      <ErrorNote error={error} />
      <RadioGroup
        className={styles.scopes ?? ""}
        value={scope}
        onChange={(value) => setScope(value as RuleScope)}
      >
        <Label className={styles.label ?? ""}>Kept</Label>
        {SCOPES.map(({ scope: one, name, meaning }) => (
          <Radio key={one} value={one} className={styles.radio ?? ""}>
            <span className={styles.radioDot} aria-hidden />
            <span title={meaning}>{name}</span>
          </Radio>
        ))}
      </RadioGroup>
      <RadioGroup
        className={styles.scopes ?? ""}
        value={span}
        onChange={(value) => setSpan(value as RuleSpan)}
      >
        <Label className={styles.label ?? ""}>Holds</Label>
        {SPANS.map(({ span: one, name }) => (
          <Radio key={one} value={one} className={styles.radio ?? ""}>
            <span className={styles.radioDot} aria-hidden />
            <span>{name}</span>
          </Radio>
        ))}
      </RadioGroup>
      <div className={styles.answers}>
        <AnswerButton
          answer="remember"
          look="allow"
          hold={request.destructive !== undefined}
          isDisabled={isBusy || !covers}
          onAnswer={() =>
            onAnswer({ type: "allow_and_remember", rule, scope, ...endOf(span, Date.now()) })
          }
        >
          {request.destructive === undefined ? "Allow and remember" : "Hold to allow and remember"}
        </AnswerButton>
        <Button look="quiet" onPress={onBack}>
          Back
        </Button>
      </div>
    </form>
  );
}

interface SuggestionsProps {
  suggestions: readonly RuleSuggestion[];
  rule: string;
  onChoose: (rule: string) => void;
}

function Suggestions({ suggestions, rule, onChoose }: SuggestionsProps): JSX.Element {
  const chosen = suggestions.some((one) => one.rule === rule) ? rule : null;
  return (
    <RadioGroup className={styles.suggestions ?? ""} value={chosen} onChange={onChoose}>
      <Label className={styles.label ?? ""}>How broad</Label>
      {suggestions.map((one) => (
        <Radio key={one.rule} value={one.rule} className={styles.suggestion ?? ""}>
          <span className={styles.radioDot} aria-hidden />
          <span className={styles.breadth}>{BREADTH[one.breadth]}</span>
          <span className={styles.covers}>
            <Prose text={one.covers} />
          </span>
        </Radio>
      ))}
    </RadioGroup>
  );
}

function CheckLine({ check }: { check: RuleCheck | null }): JSX.Element {
  const id = useId();
  return (
    <p
      className={styles.check}
      id={id}
      role="status"
      data-testid="rule-check"
      data-covers={check?.covers}
    >
      {check === null ? (
        "Checking…"
      ) : (
        <>
          {check.covers ? (
            <CircleCheck size={14} aria-label="Covers this call" />
          ) : (
            <CircleX size={14} aria-label="Does not cover this call" />
          )}
          <span>
            <Prose text={check.text} />
          </span>
        </>
      )}
    </p>
  );
}

interface Checked {
  check: RuleCheck | null;
  error: WireError | null;
}

/** What the rule would cover, as the backend says; none while it was not asked about this text. */
function useRuleCheck(request: PermissionRequest, rule: string): Checked {
  const { sessions } = useAdroit();
  const [checked, setChecked] = useState<Checked & { rule: string }>({
    rule: "",
    check: null,
    error: null,
  });
  useEffect(() => {
    let wanted = true;
    const timer = setTimeout(() => {
      void sessions.checkRule(request, rule).then((outcome) => {
        if (wanted) {
          setChecked(
            outcome.ok
              ? { rule, check: outcome.value, error: null }
              : { rule, check: NOT_CHECKED, error: outcome.error },
          );
        }
      });
    }, REST);
    return () => {
      wanted = false;
      clearTimeout(timer);
    };
  }, [sessions, request, rule]);
  // An answer about another text must not enable the button for this one.
  return checked.rule === rule ? checked : { check: null, error: null };
}
