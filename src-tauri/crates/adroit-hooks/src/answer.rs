//! What a hook's answer means: exit code, standard output and standard error, as publicly
//! documented for Claude Code.
//!
//! - exit 0: no objection; an object on standard output is read as JSON. For
//!   `UserPromptSubmit` and `SessionStart` any other text is context for the model.
//! - exit 2: no, with standard error as the reason. Standard output is not read.
//! - 126 and 127: the shell could not start it.
//! - anything else, a signal, or JSON that cannot be read: it failed. Never a yes.

use adroit_protocol::hook::{HookEvent, HookOutcome};
use adroit_protocol::permission::RuleScope;
use serde_json::{Map, Value};

use crate::call::RememberedRule;

/// Longest reason that is taken from a hook, characters.
const LONGEST_REASON: usize = 4_000;
/// Longest context that is taken from a hook, characters: as documented for Claude Code.
const LONGEST_CONTEXT: usize = 10_000;

/// What one hook says.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Said {
    pub(crate) outcome: HookOutcome,
    /// Its reason, or what went wrong.
    pub(crate) message: Option<String>,
    /// The input that it wants instead.
    pub(crate) updated_input: Option<Value>,
    /// Words for the model.
    pub(crate) context: Option<String>,
    /// Words for the person.
    pub(crate) system_message: Option<String>,
    /// The turn should end, with this reason.
    pub(crate) stop: Option<String>,
    /// What it printed is not to be kept.
    pub(crate) quiet: bool,
    /// Allow rules that it wants remembered.
    pub(crate) remember: Vec<RememberedRule>,
}

impl Said {
    pub(crate) fn plainly(outcome: HookOutcome, message: Option<String>) -> Self {
        Self {
            outcome,
            message,
            updated_input: None,
            context: None,
            system_message: None,
            stop: None,
            quiet: false,
            remember: Vec::new(),
        }
    }

    pub(crate) fn failed(message: impl Into<String>) -> Self {
        Self::plainly(HookOutcome::Failed, Some(message.into()))
    }
}

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    Code(i32),
    Signal(i32),
}

/// The answer of a command.
pub(crate) fn of_command(event: HookEvent, ended: Ended, output: &str, errors: &str) -> Said {
    match ended {
        Ended::Code(0) => of_output(event, output),
        Ended::Code(2) => {
            let reason = shortened(errors.trim(), LONGEST_REASON);
            let reason = if reason.is_empty() {
                "it gave no reason".to_owned()
            } else {
                reason
            };
            Said::plainly(HookOutcome::Blocked, Some(reason))
        }
        Ended::Code(code @ (126 | 127)) => {
            let why = if code == 127 {
                "it was not found"
            } else {
                "it may not be executed"
            };
            Said::plainly(HookOutcome::NotStarted, Some(with_errors(why, errors)))
        }
        Ended::Code(code) => Said::failed(with_errors(&format!("exit code {code}"), errors)),
        Ended::Signal(signal) => {
            Said::failed(with_errors(&format!("ended by signal {signal}"), errors))
        }
    }
}

fn with_errors(what: &str, errors: &str) -> String {
    match errors.trim() {
        "" => what.to_owned(),
        errors => format!("{what}: {}", shortened(errors, LONGEST_REASON)),
    }
}

/// The answer in a text: the output of a command, or the body of a response.
pub(crate) fn of_output(event: HookEvent, output: &str) -> Said {
    let text = output.trim();
    if text.starts_with('{') {
        return match serde_json::from_str::<Value>(text) {
            Ok(Value::Object(answer)) => of_json(event, &answer),
            Ok(_) => Said::failed("its answer is no JSON object"),
            Err(error) => Said::failed(format!("its answer begins like JSON and is none: {error}")),
        };
    }
    let takes_text = matches!(event, HookEvent::UserPromptSubmit | HookEvent::SessionStart);
    Said {
        context: (takes_text && !text.is_empty()).then(|| shortened(text, LONGEST_CONTEXT)),
        ..Said::plainly(HookOutcome::Passed, None)
    }
}

/// A hook that says something unreadable has failed: a guard whose `"permissionDecision"`
/// has a slip in it must not count as one that agrees.
fn of_json(event: HookEvent, answer: &Map<String, Value>) -> Said {
    match read(event, answer) {
        Ok(said) => said,
        Err(problem) => Said::failed(format!("its answer cannot be read: {problem}")),
    }
}

fn read(event: HookEvent, answer: &Map<String, Value>) -> Result<Said, String> {
    let empty = Map::new();
    let specific = match answer.get("hookSpecificOutput") {
        None | Some(Value::Null) => &empty,
        Some(Value::Object(specific)) => specific,
        Some(_) => return Err("`hookSpecificOutput` must be an object".to_owned()),
    };
    if let Some(named) = text(specific, "hookEventName")?
        && named != event.name()
    {
        return Err(format!(
            "it is about {named} and not about {}",
            event.name()
        ));
    }
    let mut said = Said::plainly(HookOutcome::Passed, None);
    said.system_message = text(answer, "systemMessage")?;
    said.quiet = flag(answer, "suppressOutput")? == Some(true);
    said.context =
        text(specific, "additionalContext")?.map(|text| shortened(&text, LONGEST_CONTEXT));
    if flag(answer, "continue")? == Some(false) {
        let reason = text(answer, "stopReason")?;
        said.stop = Some(reason.unwrap_or_else(|| "it wants the turn to end".to_owned()));
    }
    match event {
        HookEvent::PreToolUse => before_call(answer, specific, &mut said)?,
        HookEvent::PermissionRequest => before_question(specific, &mut said)?,
        _ => blocking(answer, &mut said)?,
    }
    said.message = said
        .message
        .map(|message| shortened(&message, LONGEST_REASON));
    Ok(said)
}

fn before_call(
    answer: &Map<String, Value>,
    specific: &Map<String, Value>,
    said: &mut Said,
) -> Result<(), String> {
    let (decision, reason) = match text(specific, "permissionDecision")? {
        Some(decision) => (Some(decision), text(specific, "permissionDecisionReason")?),
        // The older form.
        None => (text(answer, "decision")?, text(answer, "reason")?),
    };
    said.outcome = match decision.as_deref() {
        None | Some("defer") => HookOutcome::Passed,
        Some("allow" | "approve") => HookOutcome::Allowed,
        Some("ask") => HookOutcome::Asked,
        Some("deny" | "block") => HookOutcome::Blocked,
        Some(other) => {
            return Err(format!(
                "`permissionDecision` is \"allow\", \"ask\" or \"deny\", not \"{other}\""
            ));
        }
    };
    said.message = reason;
    said.updated_input = object(specific, "updatedInput")?;
    Ok(())
}

fn before_question(specific: &Map<String, Value>, said: &mut Said) -> Result<(), String> {
    let decision = match specific.get("decision") {
        None | Some(Value::Null) => return Ok(()),
        Some(Value::Object(decision)) => decision,
        Some(_) => return Err("`decision` must be an object".to_owned()),
    };
    match text(decision, "behavior")?.as_deref() {
        Some("allow") => {
            said.outcome = HookOutcome::Allowed;
            said.updated_input = object(decision, "updatedInput")?;
            said.remember = remembered(decision)?;
        }
        Some("deny") => {
            said.outcome = HookOutcome::Blocked;
            said.message = text(decision, "message")?;
            if flag(decision, "interrupt")? == Some(true) {
                said.stop = Some("it wants the turn to end".to_owned());
            }
        }
        other => {
            return Err(format!(
                "`behavior` is \"allow\" or \"deny\", not {}",
                other.map_or_else(|| "absent".to_owned(), |word| format!("\"{word}\""))
            ));
        }
    }
    Ok(())
}

/// The `updatedPermissions` of an answer. Allow rules can be added; a hook that wants more than
/// that (another mode, folders, rules taken away) has failed, rather than being obeyed by half.
fn remembered(decision: &Map<String, Value>) -> Result<Vec<RememberedRule>, String> {
    let updates = match decision.get("updatedPermissions") {
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(Value::Array(updates)) => updates,
        Some(_) => return Err("`updatedPermissions` must be a list".to_owned()),
    };
    let mut remembered = Vec::new();
    for update in updates {
        let Value::Object(update) = update else {
            return Err("an entry of `updatedPermissions` must be an object".to_owned());
        };
        let kind = (text(update, "type")?, text(update, "behavior")?);
        if kind != (Some("addRules".to_owned()), Some("allow".to_owned())) {
            return Err(
                "of `updatedPermissions` only `addRules` with the behavior \"allow\" is taken"
                    .to_owned(),
            );
        }
        let scope = match text(update, "destination")?.as_deref() {
            None | Some("session") => RuleScope::Session,
            Some("localSettings") => RuleScope::ProjectLocal,
            Some("projectSettings") => RuleScope::Project,
            Some("userSettings") => RuleScope::User,
            Some(other) => return Err(format!("there is no `destination` \"{other}\"")),
        };
        let Some(Value::Array(rules)) = update.get("rules") else {
            return Err("`rules` must be a list".to_owned());
        };
        for rule in rules {
            remembered.push(RememberedRule {
                rule: rule_of(rule)?,
                scope,
            });
        }
    }
    Ok(remembered)
}

/// `{"toolName": "Bash", "ruleContent": "npm test"}` as settings write it: `Bash(npm test)`.
pub(crate) fn rule_of(rule: &Value) -> Result<String, String> {
    let Value::Object(rule) = rule else {
        return Err("a rule must be an object with a `toolName`".to_owned());
    };
    let tool = text(rule, "toolName")?.filter(|tool| !tool.is_empty());
    let tool = tool.ok_or_else(|| "a rule must have a `toolName`".to_owned())?;
    Ok(match text(rule, "ruleContent")? {
        Some(content) => format!("{tool}({content})"),
        None => tool,
    })
}

fn blocking(answer: &Map<String, Value>, said: &mut Said) -> Result<(), String> {
    match text(answer, "decision")?.as_deref() {
        None | Some("approve") => {}
        Some("block") => {
            said.outcome = HookOutcome::Blocked;
            said.message = text(answer, "reason")?;
        }
        Some(other) => {
            return Err(format!(
                "`decision` is \"block\" or absent, not \"{other}\""
            ));
        }
    }
    Ok(())
}

fn text(object: &Map<String, Value>, name: &str) -> Result<Option<String>, String> {
    match object.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err(format!("`{name}` must be a string")),
    }
}

fn flag(object: &Map<String, Value>, name: &str) -> Result<Option<bool>, String> {
    match object.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Bool(flag)) => Ok(Some(*flag)),
        Some(_) => Err(format!("`{name}` must be true or false")),
    }
}

fn object(object: &Map<String, Value>, name: &str) -> Result<Option<Value>, String> {
    match object.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(value @ Value::Object(_)) => Ok(Some(value.clone())),
        Some(_) => Err(format!("`{name}` must be an object")),
    }
}

/// A text up to a number of characters; a cut is told.
pub(crate) fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}… (cut at {most} characters)", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn pre(output: &Value) -> Said {
        of_command(
            HookEvent::PreToolUse,
            Ended::Code(0),
            &output.to_string(),
            "",
        )
    }

    fn outcome(
        event: HookEvent,
        ended: Ended,
        output: &str,
        errors: &str,
    ) -> (HookOutcome, String) {
        let said = of_command(event, ended, output, errors);
        (said.outcome, said.message.unwrap_or_default())
    }

    #[test]
    fn exit_codes() {
        let event = HookEvent::PreToolUse;
        let exit = |code, errors| outcome(event, Ended::Code(code), "", errors);
        assert_eq!(exit(0, "chatter"), (HookOutcome::Passed, String::new()));
        assert_eq!(exit(2, " no rm \n"), (HookOutcome::Blocked, "no rm".into()));
        assert_eq!(exit(2, "").0, HookOutcome::Blocked);
        assert_eq!(exit(1, "boom").1, "exit code 1: boom");
        assert_eq!(exit(1, "").0, HookOutcome::Failed);
        assert_eq!(exit(127, "").0, HookOutcome::NotStarted);
        assert_eq!(exit(126, "").0, HookOutcome::NotStarted);
        assert_eq!(
            outcome(event, Ended::Signal(11), "", ""),
            (HookOutcome::Failed, "ended by signal 11".into())
        );
        // What it printed before it said no is not read.
        let allowing = r#"{"hookSpecificOutput": {"permissionDecision": "allow"}}"#;
        assert_eq!(
            outcome(event, Ended::Code(2), allowing, "no").0,
            HookOutcome::Blocked
        );
        assert_eq!(
            outcome(event, Ended::Code(1), allowing, "").0,
            HookOutcome::Failed
        );
    }

    #[test]
    fn decisions_before_a_call() {
        let decide = |word: &str| {
            pre(&json!({"hookSpecificOutput": {
                "hookEventName": "PreToolUse",
                "permissionDecision": word,
                "permissionDecisionReason": "because",
                "updatedInput": {"command": "ls"},
                "additionalContext": "mind this"
            }}))
        };
        assert_eq!(decide("allow").outcome, HookOutcome::Allowed);
        assert_eq!(decide("ask").outcome, HookOutcome::Asked);
        assert_eq!(decide("defer").outcome, HookOutcome::Passed);
        let deny = decide("deny");
        assert_eq!(deny.outcome, HookOutcome::Blocked);
        assert_eq!(deny.message.as_deref(), Some("because"));
        assert_eq!(deny.context.as_deref(), Some("mind this"));
        assert_eq!(deny.updated_input, Some(json!({"command": "ls"})));
        assert_eq!(
            pre(&json!({"decision": "block"})).outcome,
            HookOutcome::Blocked
        );
        assert_eq!(
            pre(&json!({"decision": "approve"})).outcome,
            HookOutcome::Allowed
        );
        assert_eq!(pre(&json!({})).outcome, HookOutcome::Passed);
        let stop = pre(&json!({"continue": false, "stopReason": "enough"}));
        assert_eq!(stop.stop.as_deref(), Some("enough"));
    }

    #[test]
    fn what_is_suppressed_is_not_kept_and_a_session_has_an_end() {
        assert!(pre(&json!({"suppressOutput": true})).quiet);
        assert!(!pre(&json!({})).quiet);
        assert_eq!(
            pre(&json!({"suppressOutput": "yes"})).outcome,
            HookOutcome::Failed
        );
    }

    #[test]
    fn rules_that_a_hook_wants_remembered() {
        let answer = |updates: Value| {
            let output = json!({"hookSpecificOutput": {"decision": {
                "behavior": "allow", "updatedPermissions": updates
            }}});
            of_command(
                HookEvent::PermissionRequest,
                Ended::Code(0),
                &output.to_string(),
                "",
            )
        };
        let rules = json!([{"toolName": "Bash", "ruleContent": "npm test"}, {"toolName": "Read"}]);
        let said = answer(json!([{
            "type": "addRules", "behavior": "allow", "destination": "localSettings", "rules": rules
        }]));
        assert_eq!(said.outcome, HookOutcome::Allowed);
        let remember: Vec<_> = said
            .remember
            .iter()
            .map(|rule| (rule.rule.as_str(), rule.scope))
            .collect();
        assert_eq!(
            remember,
            [
                ("Bash(npm test)", RuleScope::ProjectLocal),
                ("Read", RuleScope::ProjectLocal)
            ]
        );
        for not_taken in [
            json!({}),
            json!([1]),
            json!([{"type": "setMode", "mode": "bypassPermissions"}]),
            json!([{"type": "addRules", "behavior": "deny", "rules": rules}]),
            json!([{"type": "addRules", "behavior": "allow", "destination": "managed", "rules": rules}]),
            json!([{"type": "addRules", "behavior": "allow", "rules": [{"toolName": ""}]}]),
        ] {
            let said = answer(not_taken.clone());
            assert_eq!(said.outcome, HookOutcome::Failed, "{not_taken}");
            assert!(said.remember.is_empty());
        }
    }

    #[test]
    fn an_answer_with_a_slip_in_it_is_a_failure_and_never_a_yes() {
        for output in [
            json!({"hookSpecificOutput": {"permissionDecision": "Deny"}}),
            json!({"hookSpecificOutput": {"permissionDecision": true}}),
            json!({"hookSpecificOutput": "deny"}),
            json!({"hookSpecificOutput": {"hookEventName": "PostToolUse", "permissionDecision": "allow"}}),
            json!({"hookSpecificOutput": {"permissionDecision": "allow", "updatedInput": "ls"}}),
            json!({"decision": "no"}),
            json!({"continue": "false"}),
        ] {
            assert_eq!(pre(&output).outcome, HookOutcome::Failed, "{output}");
        }
        let cut = outcome(
            HookEvent::PreToolUse,
            Ended::Code(0),
            "{\"decision\": \"blo",
            "",
        );
        assert_eq!(cut.0, HookOutcome::Failed);
    }

    #[test]
    fn other_events() {
        let of = |event, output: Value| of_command(event, Ended::Code(0), &output.to_string(), "");
        let blocked = of(
            HookEvent::Stop,
            json!({"decision": "block", "reason": "run the tests"}),
        );
        assert_eq!(blocked.outcome, HookOutcome::Blocked);
        assert_eq!(blocked.message.as_deref(), Some("run the tests"));
        assert_eq!(
            of(HookEvent::Stop, json!({"continue": true})).outcome,
            HookOutcome::Passed
        );
        let text = of_command(
            HookEvent::SessionStart,
            Ended::Code(0),
            "on branch main\n",
            "",
        );
        assert_eq!(text.context.as_deref(), Some("on branch main"));
        let text = of_command(HookEvent::PostToolUse, Ended::Code(0), "formatted\n", "");
        assert_eq!(text.context, None);
        let allow = json!({"hookSpecificOutput": {"decision": {"behavior": "allow", "updatedInput": {"a": 1}}}});
        let allow = of(HookEvent::PermissionRequest, allow);
        assert_eq!(allow.outcome, HookOutcome::Allowed);
        assert_eq!(allow.updated_input, Some(json!({"a": 1})));
        let deny =
            json!({"hookSpecificOutput": {"decision": {"behavior": "deny", "message": "no"}}});
        assert_eq!(
            of(HookEvent::PermissionRequest, deny).outcome,
            HookOutcome::Blocked
        );
        let slip = json!({"hookSpecificOutput": {"decision": {"behavior": "yes"}}});
        assert_eq!(
            of(HookEvent::PermissionRequest, slip).outcome,
            HookOutcome::Failed
        );
    }

    #[test]
    fn long_words_are_cut_and_say_so() {
        let long = "x".repeat(20_000);
        let said = of_command(HookEvent::SessionStart, Ended::Code(0), &long, "");
        assert!(said.context.unwrap().ends_with("(cut at 10000 characters)"));
    }
}
