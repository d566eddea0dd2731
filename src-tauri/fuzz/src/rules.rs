//! Permission rules: whatever stands in a list, what is allowed is no more than without it in
//! a list that forbids, and a rule that cannot be read allows nothing.

use std::path::PathBuf;
use std::sync::Arc;

use adroit_permissions::{
    CallFacts, HookOpinion, PermissionSnapshot, RuleSet, ToolCheck, WorkspaceFacts, decide,
    named_subject,
};
use adroit_protocol::CallId;
use adroit_protocol::permission::{Behavior, Mode, RuleEntry, RuleSource};
use serde_json::{Value, json};

/// A rule, a tool and what it is called with: a command, a path or an address.
pub fn check(data: &[u8]) {
    let [rule, tool, argument] = crate::parts(data);
    let (Ok(rule), Ok(argument)) = (std::str::from_utf8(rule), std::str::from_utf8(argument))
    else {
        return;
    };
    let tool = tool.first().copied().unwrap_or_default();
    let (tool, input) = match tool % 4 {
        0 => ("Bash", json!({ "command": argument })),
        1 => ("Read", json!({ "file_path": argument })),
        2 => (
            "Edit",
            json!({ "file_path": argument, "old_string": "a", "new_string": "b" }),
        ),
        _ => ("WebFetch", json!({ "url": argument, "prompt": "x" })),
    };
    let without = behavior(&[], tool, &input);
    let Some(without) = without else {
        return;
    };
    let allowed = behavior(&[(Behavior::Allow, rule)], tool, &input);
    let asked = behavior(&[(Behavior::Ask, rule)], tool, &input);
    let denied = behavior(&[(Behavior::Deny, rule)], tool, &input);
    let both = behavior(
        &[(Behavior::Allow, rule), (Behavior::Deny, rule)],
        tool,
        &input,
    );
    assert_ne!(allowed, Some(Behavior::Deny), "{rule:?} allows and denies");
    assert_ne!(asked, Some(Behavior::Deny), "{rule:?} asks and denies");
    if without != Behavior::Allow {
        assert_ne!(
            asked,
            Some(Behavior::Allow),
            "asking {rule:?} allows {argument:?}"
        );
        assert_ne!(
            denied,
            Some(Behavior::Allow),
            "denying {rule:?} allows {argument:?}"
        );
    }
    // What the same rule allows and denies is denied, or asked where it is not certain.
    if allowed == Some(Behavior::Allow) && without != Behavior::Allow {
        assert_ne!(
            both,
            Some(Behavior::Allow),
            "{rule:?} allows {argument:?} against itself"
        );
    }
    let problem = compiled(&[(Behavior::Allow, rule)])
        .entries()
        .any(|entry| entry.problem.is_some());
    if problem {
        assert_eq!(
            allowed,
            Some(without),
            "the broken rule {rule:?} decides {argument:?}"
        );
    }
}

fn compiled(rules: &[(Behavior, &str)]) -> RuleSet {
    RuleSet::compile(
        rules
            .iter()
            .map(|(behavior, rule)| RuleEntry {
                rule: (*rule).to_owned(),
                behavior: *behavior,
                source: RuleSource::Project,
                file: None,
                position: None,
                expires_at: None,
                problem: None,
            })
            .collect(),
    )
}

fn behavior(rules: &[(Behavior, &str)], tool: &str, input: &Value) -> Option<Behavior> {
    let workspace = WorkspaceFacts {
        root: PathBuf::from("/w/project"),
        additional_directories: Vec::new(),
        home: PathBuf::from("/home/dev"),
        cwd: PathBuf::from("/w/project"),
        state_directories: vec![PathBuf::from("/home/dev/.local/share/adroit")],
    };
    let named = named_subject(tool, input, &workspace).ok()?;
    let facts = CallFacts {
        call: CallId::from("call"),
        tool: tool.to_owned(),
        aliases: named.aliases,
        input: Arc::new(input.clone()),
        subject: named.subject,
        read_only: named.read_only,
        requires_interaction: false,
        tool_check: ToolCheck::Pass,
        hook: HookOpinion::None,
    };
    let snapshot = PermissionSnapshot {
        mode: Mode::Default,
        rules: Arc::new(compiled(rules)),
        workspace,
        trusted: true,
        bypass_available: false,
    };
    Some(decide(&snapshot, facts).behavior())
}
