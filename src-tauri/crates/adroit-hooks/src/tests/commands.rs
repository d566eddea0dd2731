//! Hooks that are commands.

use std::os::unix::fs::PermissionsExt as _;
use std::time::Duration;

use adroit_permissions::HookOpinion;
use adroit_protocol::CallId;
use adroit_protocol::hook::{HookEvent, HookOutcome};
use adroit_protocol::permission::Mode;
use serde_json::{Value, json};

use super::fixture::{World, command, entry};
use crate::{Hooks as _, Occasion};

fn denied_because(opinion: &HookOpinion) -> &str {
    match opinion {
        HookOpinion::Deny { reason, .. } => reason,
        other => panic!("{other:?} is no denial"),
    }
}

#[tokio::test]
async fn a_hook_is_told_what_is_documented() {
    let world = World::before(&[command(
        "cat > told.json; echo $CLAUDE_PROJECT_DIR > project; pwd > cwd; echo $ADROIT_HOOK_EVENT > event",
    )]);
    world.before_call(&json!({"command": "ls"})).await;
    let read = |name: &str| std::fs::read_to_string(world.path().join(name)).unwrap();
    let mut told: Value = serde_json::from_str(&read("told.json")).unwrap();
    let folder = world.path().display().to_string();
    for field in ["cwd", "transcript_path"] {
        let text = told[field].as_str().unwrap().replace(&folder, "/project");
        told[field] = json!(text);
    }
    insta::assert_json_snapshot!(told, @r#"
    {
      "session_id": "ses_1",
      "transcript_path": "/project/transcript.jsonl",
      "cwd": "/project",
      "permission_mode": "plan",
      "hook_event_name": "PreToolUse",
      "tool_name": "Bash",
      "tool_input": {
        "command": "ls"
      },
      "tool_use_id": "call_1"
    }
    "#);
    assert_eq!(read("project").trim(), folder);
    assert_eq!(read("event").trim(), "PreToolUse");
    assert_eq!(
        std::fs::canonicalize(read("cwd").trim()).unwrap(),
        std::fs::canonicalize(world.path()).unwrap()
    );
}

/// dv-hooks-001: the most restrictive wins, whatever ends first, and all ran.
#[tokio::test]
async fn hooks_that_disagree() {
    let say = |word: &str, reason: &str| {
        let answer = json!({"hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": word,
            "permissionDecisionReason": reason
        }});
        format!("echo '{answer}'; touch {word}")
    };
    // The one that denies waits until all others have answered.
    let last = format!(
        "while ! [ -e allow -a -e ask -a -e audit ]; do sleep 0.01; done; {}",
        say("deny", "not here")
    );
    let world = World::before(&[
        command(&say("allow", "fine")),
        command(&last),
        command(&say("ask", "look")),
        command("touch audit"),
    ]);
    let said = world.before_call(&json!({})).await;
    assert_eq!(denied_because(&said.opinion), "not here");
    let outcomes: Vec<_> = said.runs.iter().map(|run| run.outcome).collect();
    assert_eq!(
        outcomes,
        [
            HookOutcome::Allowed,
            HookOutcome::Blocked,
            HookOutcome::Asked,
            HookOutcome::Passed
        ]
    );
    assert_eq!(world.seen.runs.lock().unwrap().len(), 4);
}

/// dv-hooks-002: every kind of failure is seen, and one that is required blocks.
#[tokio::test]
async fn hooks_that_fail() {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("guard.sh");
    std::fs::write(&script, "#!/bin/sh\nexit 0\n").unwrap();
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o644)).unwrap();
    let script = script.display();
    for (text, outcome, words) in [
        (
            "echo oops >&2; exit 1".to_owned(),
            HookOutcome::Failed,
            "exit code 1: oops",
        ),
        (
            "/no/such/guard".to_owned(),
            HookOutcome::NotStarted,
            "it was not found",
        ),
        (
            script.to_string(),
            HookOutcome::NotStarted,
            "it may not be executed",
        ),
        ("kill -SEGV $$".to_owned(), HookOutcome::Failed, "signal 11"),
        (
            "echo '{\"permissionDecision\"'".to_owned(),
            HookOutcome::Failed,
            "begins like JSON",
        ),
    ] {
        let mut hook = command(&text);
        let world = World::before(std::slice::from_ref(&hook));
        let said = world.before_call(&json!({})).await;
        assert_eq!(said.opinion, HookOpinion::None, "{text}");
        assert_eq!(said.runs[0].outcome, outcome, "{text}");
        let message = said.runs[0].message.clone().unwrap();
        assert!(message.contains(words), "{text}: {message}");
        assert_eq!(world.remarks().len(), 1, "{text}");
        assert!(
            world.remarks()[0].contains(words),
            "{text}: {:?}",
            world.remarks()
        );

        hook["onFailure"] = json!("block");
        let world = World::before(&[hook, command("exit 0")]);
        let said = world.before_call(&json!({})).await;
        assert!(denied_because(&said.opinion).contains(words), "{text}");
    }
}

#[tokio::test]
async fn a_program_that_is_missing_is_told_apart_from_one_that_says_no() {
    let hook = json!({"type": "command", "command": "/no/such/guard", "args": ["a b"]});
    let world = World::before(&[hook]);
    let said = world.before_call(&json!({})).await;
    assert_eq!(said.runs[0].outcome, HookOutcome::NotStarted);
    assert!(
        world.remarks()[0].contains("could not be started"),
        "{:?}",
        world.remarks()
    );
}

#[tokio::test]
async fn arguments_are_not_touched_by_a_shell() {
    let hook =
        json!({"type": "command", "command": "printf", "args": ["%s|", "a b", "$HOME", "*"]});
    let world = World::before(&[hook]);
    let said = world.before_call(&json!({})).await;
    assert_eq!(said.runs[0].output, "a b|$HOME|*|");
}

/// dv-hooks-003: large inputs, hooks that do not read, and such as speak before they do.
#[tokio::test]
async fn inputs_and_outputs_hold_nobody_up() {
    let input = json!({"content": "x".repeat(2 << 20)});
    for text in [
        "exit 0",
        "cat >/dev/null",
        "cat >/dev/null; cat >/dev/null",
        "head -c 900000 /dev/zero | tr '\\0' y; cat >/dev/null",
    ] {
        let world = World::before(&[command(text)]);
        let said = world.before_call(&input).await;
        assert_eq!(said.runs[0].outcome, HookOutcome::Passed, "{text}");
    }
    let world = World::before(&[command("head -c 2000000 /dev/zero | tr '\\0' y")]);
    let said = world.before_call(&input).await;
    assert_eq!(
        said.runs[0].outcome,
        HookOutcome::Failed,
        "half an answer is none"
    );
}

#[tokio::test]
async fn a_hook_that_is_too_slow_is_ended_with_all_it_started() {
    let hook = json!({
        "type": "command",
        "command": "setsid sleep 600 & echo $! > pid; wait",
        "timeout": 0.4,
        "onFailure": "block"
    });
    let world = World::before(&[hook]);
    let said = world.before_call(&json!({})).await;
    assert!(denied_because(&said.opinion).contains("longer than 0.4 s"));
    assert_eq!(said.runs[0].outcome, HookOutcome::TimedOut);
    assert!(world.supervisor.living().is_empty());
    let pid = std::fs::read_to_string(world.path().join("pid")).unwrap();
    let state = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap_or_default();
    assert!(state.is_empty() || state.contains(") Z "), "{state}");
}

#[tokio::test]
async fn a_hook_of_a_call_that_is_cancelled_is_ended_and_recorded() {
    let world = World::before(&[command("echo $$ > pid; exec sleep 600")]);
    let input = json!({});
    let id = CallId::from("call_1");
    {
        let asking = world.hooks.before_call(world.call(&id, &input));
        tokio::pin!(asking);
        let written = || std::fs::read_to_string(world.path().join("pid")).unwrap_or_default();
        let started = async {
            while written().trim().is_empty() {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        tokio::select! {
            _ = &mut asking => panic!("it sleeps"),
            () = started => {}
        }
    }
    let outcomes: Vec<_> = world
        .seen
        .runs
        .lock()
        .unwrap()
        .iter()
        .map(|run| run.outcome)
        .collect();
    assert_eq!(outcomes, [HookOutcome::Cancelled]);
    for running in world.supervisor.living() {
        running.gone().await;
    }
}

#[tokio::test]
async fn matchers_and_conditions_choose() {
    let mut watched = command("exit 2");
    watched["if"] = json!("Bash(rm *)");
    let mut other = command("exit 2");
    other["if"] = json!("Bash(git *)");
    let denies = World::before(&[watched]).before_call(&json!({})).await;
    assert!(matches!(denies.opinion, HookOpinion::Deny { .. }));
    let silent = World::before(&[other]).before_call(&json!({})).await;
    assert_eq!((silent.opinion, silent.runs.len()), (HookOpinion::None, 0));
}

#[tokio::test]
async fn a_hook_in_the_background_only_looks_on() {
    let mut hook = command("while ! [ -e go ]; do sleep 0.01; done; exit 2");
    hook["async"] = json!(true);
    let world = World::before(&[hook]);
    let said = world.before_call(&json!({})).await;
    assert_eq!((said.opinion, said.runs.len()), (HookOpinion::None, 0));
    std::fs::write(world.path().join("go"), "").unwrap();
    while world.seen.runs.lock().unwrap().is_empty() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert_eq!(
        world.seen.runs.lock().unwrap()[0].outcome,
        HookOutcome::Blocked
    );
}

#[tokio::test]
async fn after_a_call_reasons_go_to_the_model() {
    let world = World::with(vec![
        entry(
            HookEvent::PostToolUse,
            &command("grep -q '\"tool_response\":\"done\"' && echo 'not formatted' >&2; exit 2"),
            1,
        ),
        entry(
            HookEvent::PostToolUse,
            &command("echo '{\"hookSpecificOutput\": {\"additionalContext\": \"see log\"}}'"),
            2,
        ),
        entry(
            HookEvent::PostToolUseFailure,
            &command("grep -q '\"error\":\"boom\"' && echo seen >&2; exit 2"),
            3,
        ),
    ]);
    let id = CallId::from("call_1");
    let input = json!({});
    let after = world
        .hooks
        .after_call(world.call(&id, &input), &json!("done"))
        .await;
    assert_eq!(after.feedback.len(), 2);
    assert!(
        after.feedback[0].ends_with("objects: not formatted"),
        "{:?}",
        after.feedback
    );
    assert_eq!(after.feedback[1], "see log");
    let failed = world
        .hooks
        .after_failure(world.call(&id, &input), "boom")
        .await;
    assert!(failed.feedback[0].ends_with("objects: seen"));
}

#[tokio::test]
async fn occasions_are_told_and_matched_by_kind() {
    let mut entries = vec![
        entry(
            HookEvent::UserPromptSubmit,
            &command("grep -q secret && { echo no secrets >&2; exit 2; }; echo noted"),
            1,
        ),
        entry(
            HookEvent::SessionStart,
            &command("echo from $ADROIT_HOOK_EVENT"),
            2,
        ),
    ];
    entries[1].matcher = crate::Matcher::parse("resume").unwrap();
    let world = World::with(entries);
    let cwd = world.path();
    let prompt = |text: &str| Occasion::PromptSubmitted {
        prompt: text.to_owned(),
    };
    let blocked = world
        .hooks
        .tell(&prompt("my secret"), cwd, Mode::Default)
        .await;
    assert_eq!(blocked.blocked.unwrap().1, "no secrets");
    let passed = world.hooks.tell(&prompt("hello"), cwd, Mode::Default).await;
    assert_eq!(
        (passed.blocked, passed.context),
        (None, vec!["noted".to_owned()])
    );
    for (source, heard) in [("startup", 0), ("resume", 1)] {
        let occasion = Occasion::SessionStarted {
            source,
            model: "m".to_owned(),
        };
        let said = world.hooks.tell(&occasion, cwd, Mode::Default).await;
        assert_eq!(said.context.len(), heard, "{source}");
    }
}
