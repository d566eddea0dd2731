//! What the tests share: a workspace, snapshots and calls.

use std::path::PathBuf;
use std::sync::Arc;

use adroit_protocol::CallId;
use adroit_protocol::permission::{Behavior, Mode, RuleEntry, RuleSource};
use serde_json::{Value, json};

use crate::{
    CallFacts, HookOpinion, PermissionSnapshot, RuleSet, Subject, ToolCheck, Verdict,
    WorkspaceFacts, decide, named_subject,
};

pub(super) fn workspace() -> WorkspaceFacts {
    WorkspaceFacts {
        root: PathBuf::from("/w/project"),
        additional_directories: vec![PathBuf::from("/w/shared")],
        home: PathBuf::from("/home/dev"),
        cwd: PathBuf::from("/w/project"),
        state_directories: vec![PathBuf::from("/home/dev/.local/share/adroit")],
    }
}

pub(super) fn entry(behavior: Behavior, rule: &str) -> RuleEntry {
    RuleEntry {
        rule: rule.to_owned(),
        behavior,
        source: RuleSource::Project,
        file: None,
        position: None,
        expires_at: None,
        problem: None,
    }
}

/// Rules as one text: `allow A; deny B; ask C`. A rule may hold anything but `; `.
pub(super) fn rules(text: &str) -> Vec<RuleEntry> {
    text.split("; ")
        .filter(|rule| !rule.is_empty())
        .map(|rule| {
            let (list, rule) = rule.split_once(' ').expect("list and rule");
            let behavior = match list {
                "allow" => Behavior::Allow,
                "ask" => Behavior::Ask,
                "deny" => Behavior::Deny,
                other => panic!("{other} is no list"),
            };
            entry(behavior, rule)
        })
        .collect()
}

pub(super) fn snapshot(mode: Mode, entries: Vec<RuleEntry>) -> PermissionSnapshot {
    PermissionSnapshot {
        mode,
        rules: Arc::new(RuleSet::compile(entries)),
        workspace: workspace(),
        trusted: true,
        bypass_available: true,
    }
}

pub(super) fn call(tool: &str, input: Value) -> CallFacts {
    call_in(tool, input, &workspace())
}

pub(super) fn call_in(tool: &str, input: Value, workspace: &WorkspaceFacts) -> CallFacts {
    let named = named_subject(tool, &input, workspace).expect("a good input");
    CallFacts {
        call: CallId::from("call_1"),
        tool: tool.to_owned(),
        aliases: named.aliases,
        input: Arc::new(input),
        subject: named.subject,
        read_only: named.read_only,
        requires_interaction: false,
        tool_check: ToolCheck::Pass,
        hook: HookOpinion::None,
    }
}

pub(super) fn bash(command: &str) -> CallFacts {
    call("Bash", json!({ "command": command }))
}

pub(super) fn edit(path: &str) -> CallFacts {
    call(
        "Edit",
        json!({ "file_path": path, "old_string": "a", "new_string": "b" }),
    )
}

pub(super) fn read(path: &str) -> CallFacts {
    call("Read", json!({ "file_path": path }))
}

pub(super) fn behavior(rule_text: &str, facts: CallFacts) -> Behavior {
    in_mode(Mode::Default, rule_text, facts)
}

pub(super) fn in_mode(mode: Mode, rule_text: &str, facts: CallFacts) -> Behavior {
    decide(&snapshot(mode, rules(rule_text)), facts).behavior()
}

pub(super) fn verdict(rule_text: &str, facts: CallFacts) -> Verdict {
    decide(&snapshot(Mode::Default, rules(rule_text)), facts)
}

/// The main reason of a decision.
pub(super) fn reason(rule_text: &str, facts: CallFacts) -> String {
    verdict(rule_text, facts).summary().reason
}

/// `facts` with the file's real place.
pub(super) fn linked(mut facts: CallFacts, target: &str) -> CallFacts {
    match &mut facts.subject {
        Subject::ReadFile { real, .. }
        | Subject::EditFile { real, .. }
        | Subject::Search { real, .. } => *real = Some(PathBuf::from(target)),
        other => panic!("{other:?} is no file"),
    }
    facts
}

pub(super) const ALLOW: Behavior = Behavior::Allow;
pub(super) const ASK: Behavior = Behavior::Ask;
pub(super) const DENY: Behavior = Behavior::Deny;
