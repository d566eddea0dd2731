//! What settings say about hooks, read.

use serde_json::json;

use super::*;

fn place(source: RuleSource) -> Place {
    Place {
        source,
        file: "settings.json".to_owned(),
        position: Position { line: 3, column: 5 },
    }
}

fn read(hook: Value) -> HookEntry {
    let matcher = json!("Bash");
    HookEntry::read(
        HookEvent::PreToolUse,
        Some(&matcher),
        &hook,
        place(RuleSource::User),
    )
}

fn problem(hook: Value) -> String {
    match read(hook).handler {
        Handler::Unusable { problem, .. } => problem,
        other => panic!("{other:?} is usable"),
    }
}

#[test]
fn the_documented_form_is_read() {
    let entry = read(
        json!({"type": "command", "command": "guard.sh", "timeout": 2.5, "if": "Bash(git *)"}),
    );
    assert_eq!(
        entry.handler,
        Handler::Command {
            command: "guard.sh".to_owned(),
            arguments: None
        }
    );
    assert_eq!(entry.timeout, Duration::from_millis(2_500));
    assert_eq!(entry.on_failure, HookFailurePolicy::Continue);
    assert_eq!(entry.condition.unwrap().text(), "Bash(git *)");
    let entry = read(
        json!({"type": "http", "url": "https://example.test/hook", "headers": {"Authorization": "Bearer $TOKEN"}, "allowedEnvVars": ["TOKEN"]}),
    );
    assert!(matches!(entry.handler, Handler::Http { variables, .. } if variables == ["TOKEN"]));
}

#[test]
fn what_cannot_be_read_stays_and_says_why() {
    for (hook, expected) in [
        (json!("guard.sh"), "a hook is an object"),
        (json!({"command": "x"}), "`type` is missing"),
        (json!({"type": "command"}), "`command` is missing"),
        (
            json!({"type": "command", "command": " "}),
            "`command` is missing",
        ),
        (json!({"type": "command", "command": 3}), "must be a string"),
        (
            json!({"type": "command", "command": "x", "timeout": 0}),
            "`timeout`",
        ),
        (
            json!({"type": "command", "command": "x", "timeout": "5s"}),
            "`timeout`",
        ),
        (
            json!({"type": "command", "command": "x", "if": "Bash("}),
            "`if`",
        ),
        (
            json!({"type": "command", "command": "x", "onFailure": "deny"}),
            "`onFailure`",
        ),
        (
            json!({"type": "command", "command": "x", "args": [1]}),
            "`args`",
        ),
        (
            json!({"type": "prompt", "prompt": "safe?"}),
            "\"prompt\" are not run",
        ),
        (json!({"type": "http"}), "`url` is missing"),
        (
            json!({"type": "http", "url": "file:///etc/passwd"}),
            "http://",
        ),
        (json!({"type": "http", "url": "nonsense"}), "no address"),
    ] {
        let problem = problem(hook.clone());
        assert!(problem.contains(expected), "{hook}: {problem}");
    }
}

#[test]
fn a_matcher_that_cannot_be_read_is_for_every_tool() {
    let matcher = json!("Bash(");
    let hook = json!({"type": "command", "command": "x"});
    let entry = HookEntry::read(
        HookEvent::PreToolUse,
        Some(&matcher),
        &hook,
        place(RuleSource::User),
    );
    assert!(entry.matcher.matches(["Read"]));
    assert!(matches!(entry.handler, Handler::Unusable { .. }));
}

#[test]
fn the_guards_of_an_administrator_block_when_they_fail() {
    let hook = json!({"type": "command", "command": "x"});
    let of = |hook: &Value| {
        HookEntry::read(
            HookEvent::PreToolUse,
            None,
            hook,
            place(RuleSource::Managed),
        )
        .on_failure
    };
    assert_eq!(of(&hook), HookFailurePolicy::Block);
    assert_eq!(
        of(&json!({"type": "command", "command": "x", "onFailure": "continue"})),
        HookFailurePolicy::Continue
    );
}

#[test]
fn the_same_hook_twice_runs_once() {
    let hook = json!({"type": "command", "command": "x"});
    let entry = |source| {
        Arc::new(HookEntry::read(
            HookEvent::PreToolUse,
            None,
            &hook,
            place(source),
        ))
    };
    let set = HookSet::new(vec![entry(RuleSource::Project), entry(RuleSource::User)]);
    let found = set.of(HookEvent::PreToolUse, |_| true);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].place.source, RuleSource::Project);
}
