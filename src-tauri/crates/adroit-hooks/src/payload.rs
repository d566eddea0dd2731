//! What a hook is told, as JSON: the field names are those that are publicly documented for
//! Claude Code, so that scripts written for it understand them.

use std::path::Path;

use adroit_protocol::SessionId;
use adroit_protocol::hook::HookEvent;
use adroit_protocol::permission::{Mode, RuleSuggestion};
use serde_json::{Map, Value, json};

use crate::call::HookCall;
use crate::occasion::Occasion;

/// What every hook of a session is told.
pub(crate) struct Common<'a> {
    pub(crate) session: &'a SessionId,
    pub(crate) transcript: &'a Path,
}

impl Common<'_> {
    fn object(&self, event: HookEvent, cwd: &Path, mode: Mode) -> Map<String, Value> {
        let mut object = Map::new();
        object.insert("session_id".to_owned(), json!(self.session.as_str()));
        object.insert(
            "transcript_path".to_owned(),
            json!(self.transcript.display().to_string()),
        );
        object.insert("cwd".to_owned(), json!(cwd.display().to_string()));
        object.insert("permission_mode".to_owned(), json!(mode.word()));
        object.insert("hook_event_name".to_owned(), json!(event.name()));
        object
    }

    /// About a call; `more` are the fields of the event.
    pub(crate) fn of_call(
        &self,
        event: HookEvent,
        call: &HookCall<'_>,
        more: impl IntoIterator<Item = (&'static str, Value)>,
    ) -> Value {
        let mut object = self.object(event, call.cwd, call.mode);
        object.insert("tool_name".to_owned(), json!(call.tool));
        object.insert("tool_input".to_owned(), call.input.clone());
        object.insert("tool_use_id".to_owned(), json!(call.call.as_str()));
        if let Some(agent) = call.agent {
            object.insert("agent_id".to_owned(), json!(agent.id));
            object.insert("agent_type".to_owned(), json!(agent.kind));
        }
        for (name, value) in more {
            object.insert(name.to_owned(), value);
        }
        Value::Object(object)
    }

    /// About something that is no call.
    pub(crate) fn of_occasion(&self, occasion: &Occasion, cwd: &Path, mode: Mode) -> Value {
        let mut object = self.object(occasion.event(), cwd, mode);
        for (name, value) in occasion.fields() {
            object.insert(name.to_owned(), value);
        }
        Value::Object(object)
    }
}

/// Rules that the question would offer, one entry each, in the form in which a hook may hand them
/// back as `updatedPermissions`. They name the session: what is written to a file stays, so a hook
/// says so itself.
pub(crate) fn permission_suggestions(offered: &[RuleSuggestion]) -> Value {
    let entry = |suggestion: &RuleSuggestion| {
        json!({
            "type": "addRules",
            "rules": [rule_in_parts(&suggestion.rule)],
            "behavior": "allow",
            "destination": "session",
        })
    };
    offered.iter().map(entry).collect()
}

/// `Bash(npm test)` as `{"toolName": "Bash", "ruleContent": "npm test"}`.
fn rule_in_parts(rule: &str) -> Value {
    let parts = rule.strip_suffix(')').and_then(|open| open.split_once('('));
    match parts {
        Some((tool, content)) => json!({"toolName": tool, "ruleContent": content}),
        None => json!({"toolName": rule}),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::rule_of;

    #[test]
    fn a_rule_in_parts_is_the_same_rule_when_it_comes_back() {
        for rule in [
            "Bash",
            "Bash(npm test)",
            "Bash(echo \"(a) b\")",
            "Bash(git commit:*)",
            "Edit(/src (old)/**)",
            "mcp__server__tool",
        ] {
            assert_eq!(rule_of(&rule_in_parts(rule)).as_deref(), Ok(rule));
        }
    }
}
