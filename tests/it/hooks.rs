//! Hooks in a whole session: guards, observers, and what a person sees of them.

use adroit_protocol::command::{CallRecord, HookList};
use adroit_protocol::event::CallStatus;
use adroit_protocol::hook::HookOutcome;
use adroit_testkit::{ScriptedModel, turn};
use serde_json::{Value, json};

use crate::desk::{Desk, calls, statuses, texts};

/// Settings with hooks of one event: matcher and command.
fn hooks(event: &str, hooks: &[(&str, &str)]) -> String {
    let groups: Vec<Value> = hooks
        .iter()
        .map(|(matcher, command)| {
            json!({"matcher": matcher, "hooks": [{"type": "command", "command": command}]})
        })
        .collect();
    json!({"hooks": {event: groups}}).to_string()
}

async fn desk(turns: Vec<adroit_testkit::Turn>, settings: &str) -> (ScriptedModel, Desk) {
    let model = ScriptedModel::start(turns).await;
    let desk = Desk::anthropic(&model, &[("a.txt", "alpha\n")]).await;
    desk.project.write(".claude/settings.json", settings);
    (model, desk)
}

fn last_text(model: &adroit_testkit::RecordedRequest) -> String {
    model.last_message().to_string()
}

async fn listed(desk: &Desk) -> HookList {
    let query = json!({"project": desk.project.path(), "session": desk.session});
    desk.rpc("hooks.list", query).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_blocking_hook_stops_the_call_and_is_named_everywhere() {
    let call = turn().call("Bash", json!({"command": "touch b.txt"})).end();
    let guard = "echo 'no new files' >&2; exit 2";
    let (model, mut desk) = desk(
        vec![call, turn().text("as you wish").end()],
        &hooks("PreToolUse", &[("Bash", guard), ("Read", "exit 2")]),
    )
    .await;
    let end = desk.ask("go").await;
    assert_eq!(statuses(&end), [CallStatus::Denied]);
    assert!(!desk.project.exists("b.txt"));
    let (_, result, is_error) = &model.request(1).await.tool_results()[0];
    assert!(*is_error && result.contains("no new files"), "{result}");

    let id = calls(&end)[0].call.clone();
    let record: CallRecord = desk
        .on_session("call.record", json!({"call": id}))
        .await
        .unwrap();
    let record = record.record.unwrap();
    assert_eq!(record.hooks.len(), 1);
    assert_eq!(record.hooks[0].outcome, HookOutcome::Blocked);
    assert_eq!(record.hooks[0].errors, "no new files");

    let list = listed(&desk).await;
    assert_eq!(list.hooks.len(), 2);
    assert_eq!(list.hooks[0].runs, record.hooks);
    assert_eq!(list.hooks[1].runs, []);
    assert!(list.hooks[0].file.ends_with(".claude/settings.json"));

    // It is in the transcript, too.
    let desk = desk.reopen().await;
    let again: CallRecord = desk
        .on_session("call.record", json!({"call": id}))
        .await
        .unwrap();
    assert_eq!(again.record.unwrap().hooks, record.hooks);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_changed_input_is_judged_by_the_rules_again() {
    let call = turn().call("Bash", json!({"command": "ls"})).end();
    let answer = json!({"hookSpecificOutput": {
        "permissionDecision": "allow",
        "updatedInput": {"command": "touch b.txt"}
    }});
    let mut settings: Value = serde_json::from_str(&hooks(
        "PreToolUse",
        &[("Bash", &format!("echo '{answer}'"))],
    ))
    .unwrap();
    settings["permissions"] = json!({"deny": ["Bash(touch *)"]});
    let (model, mut desk) = desk(vec![call, turn().text("ok").end()], &settings.to_string()).await;
    let end = desk.ask("go").await;
    assert_eq!(statuses(&end), [CallStatus::Denied]);
    let results = model.request(1).await.tool_results();
    assert!(results[0].1.contains("Bash(touch *)"), "{}", results[0].1);
    assert!(!desk.project.exists("b.txt"));
}

/// dv-hooks-005: hooks see derived fields, the tool and the transcript never do.
#[tokio::test(flavor = "multi_thread")]
async fn hooks_see_a_copy() {
    let edit = json!({"file_path": "a.txt", "old_string": "alpha", "new_string": "beta"});
    let turns = vec![
        turn()
            .call("Read", json!({"file_path": "a.txt"}))
            .call("Edit", edit.clone())
            .end(),
        turn().text("done").end(),
    ];
    let (model, mut desk) = desk(turns, &hooks("PreToolUse", &[("Edit", "cat > told.json")])).await;
    desk.say("go").await;
    let request = desk.allow_next().await;
    assert_eq!(request.input, edit);
    let end = desk.idle().await;
    assert_eq!(desk.project.read("a.txt"), "beta\n");
    let told: Value = serde_json::from_str(&desk.project.read("told.json")).unwrap();
    assert_eq!(
        told["tool_input"]["file_path"],
        json!(desk.project.path().join("a.txt"))
    );
    let id = calls(&end)[1].call.clone();
    let record: CallRecord = desk
        .on_session("call.record", json!({"call": id}))
        .await
        .unwrap();
    assert_eq!(record.input, edit);
    let sent = json!(model.request(1).await.messages()).to_string();
    assert!(
        sent.contains(r#""file_path":"a.txt","old_string""#),
        "{sent}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn hooks_of_a_folder_that_is_not_trusted_do_not_run() {
    let read = turn().call("Read", json!({"file_path": "a.txt"})).end();
    let settings = hooks("PreToolUse", &[("", "touch ran; exit 2")]);
    let (_model, mut desk) = desk(vec![read, turn().text("read").end()], &settings).await;
    let path = desk.project.path();
    desk.rpc::<Value>("project.trust", json!({"path": path, "trusted": false}))
        .await
        .unwrap();
    let end = desk.ask("go").await;
    assert_eq!(statuses(&end), [CallStatus::Succeeded]);
    assert!(!desk.project.exists("ran"));
    let list = listed(&desk).await;
    assert_eq!(
        list.hooks[0].held_back.as_deref(),
        Some("the folder is not trusted")
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hook_that_cannot_start_is_shown_and_the_call_goes_on() {
    let read = turn().call("Read", json!({"file_path": "a.txt"})).end();
    let (_model, mut desk) = desk(
        vec![read, turn().text("read").end()],
        &hooks("PreToolUse", &[("Read", "./guard.sh")]),
    )
    .await;
    let end = desk.ask("go").await;
    assert_eq!(statuses(&end), [CallStatus::Succeeded]);
    let remarks = texts(&end).join("\n");
    assert!(
        remarks.contains("`./guard.sh` could not be started: it was not found"),
        "{remarks}"
    );
    assert_eq!(
        listed(&desk).await.hooks[0].runs[0].outcome,
        HookOutcome::NotStarted
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_prompt_can_be_kept_from_the_model_or_given_context() {
    let guard =
        "grep -q hunter2 && { echo 'that is a password' >&2; exit 2; }; echo 'on branch main'";
    let (model, mut desk) = desk(
        vec![turn().text("hello").end()],
        &hooks("UserPromptSubmit", &[("", guard)]),
    )
    .await;
    let end = desk.ask("my password is hunter2").await;
    assert!(texts(&end).join("\n").contains("that is a password"));
    assert_eq!(model.requests().len(), 0);
    desk.ask("hi").await;
    let said = last_text(&model.request(0).await);
    assert!(
        said.contains("on branch main") && !said.contains("hunter2"),
        "{said}"
    );
    // Neither does a resumed session know it.
    model.push(turn().text("again").end());
    let mut desk = desk.reopen().await;
    desk.ask("and now?").await;
    let all = json!(model.request(1).await.messages()).to_string();
    assert!(
        all.contains("on branch main") && !all.contains("hunter2"),
        "{all}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_begins_once() {
    let (model, mut desk) = desk(
        vec![turn().text("one").end(), turn().text("two").end()],
        &hooks(
            "SessionStart",
            &[("", "cat >> starts.jsonl; echo mind the style guide")],
        ),
    )
    .await;
    desk.ask("hi").await;
    desk.ask("and again").await;
    let starts = desk.project.read("starts.jsonl");
    let told: Value = serde_json::from_str(&starts).unwrap();
    assert_eq!(told["source"], "startup");
    let first = json!(model.request(0).await.messages()).to_string();
    assert!(first.contains("mind the style guide"), "{first}");
}

/// dv-hooks-004: a hook that never agrees is heard a few times, and then the turn ends.
#[tokio::test(flavor = "multi_thread")]
async fn a_stop_hook_that_never_agrees() {
    let turns = (0..6).map(|_| turn().text("done").end()).collect();
    let settings = hooks(
        "Stop",
        &[(
            "",
            "cat >> told.jsonl; echo >> told.jsonl; echo 'run tests' >&2; exit 2",
        )],
    );
    let (model, mut desk) = desk(turns, &settings).await;
    let end = desk.ask("go").await;
    assert_eq!(model.requests().len(), 4, "the first answer and three more");
    assert!(last_text(&model.request(3).await).contains("run tests"));
    let remarks = texts(&end).join("\n");
    assert!(remarks.contains("objected 4 times in a row"), "{remarks}");
    let told: Vec<bool> = desk
        .project
        .read("told.jsonl")
        .lines()
        .filter(|line| !line.is_empty())
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["stop_hook_active"] == true)
        .collect();
    assert_eq!(told, [false, true, true, true]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stop_hook_that_agrees_ends_the_turn_at_once() {
    for command in ["exit 0", "echo '{\"continue\":true}'", "echo fine"] {
        let (model, mut desk) = desk(
            vec![turn().text("done").end(), turn().text("more").end()],
            &hooks("Stop", &[("", command)]),
        )
        .await;
        desk.ask("go").await;
        assert_eq!(model.requests().len(), 1, "{command}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hook_after_a_call_may_end_the_turn() {
    let read = turn().call("Read", json!({"file_path": "a.txt"})).end();
    let answer = json!({"continue": false, "stopReason": "budget is used up"});
    let (model, mut desk) = desk(
        vec![read, turn().text("more").end()],
        &hooks("PostToolUse", &[("Read", &format!("echo '{answer}'"))]),
    )
    .await;
    let end = desk.ask("go").await;
    assert_eq!(statuses(&end), [CallStatus::Succeeded]);
    assert_eq!(model.requests().len(), 1);
    let remarks = texts(&end).join("\n");
    assert!(remarks.contains("budget is used up"), "{remarks}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hook_answers_in_the_persons_place_and_hears_of_questions() {
    let call = |command: &str| turn().call("Bash", json!({"command": command})).end();
    let allow = json!({"hookSpecificOutput": {"decision": {"behavior": "allow"}}});
    let mut settings: Value = serde_json::from_str(&hooks(
        "PermissionRequest",
        &[("Bash", &format!("grep -q one.txt && echo '{allow}'; true"))],
    ))
    .unwrap();
    settings["hooks"]["Notification"] = json!([{"matcher": "permission_prompt", "hooks": [
        {"type": "command", "command": "cat > notified.json"}
    ]}]);
    let turns = vec![
        call("touch one.txt"),
        call("touch two.txt"),
        turn().text("done").end(),
    ];
    let (_model, mut desk) = desk(turns, &settings.to_string()).await;
    desk.say("go").await;
    let request = desk.request().await;
    assert!(desk.project.exists("one.txt"), "the hook allowed it");
    assert_eq!(request.input, json!({"command": "touch two.txt"}));
    desk.answer(&request, json!({"type": "allow_once"}))
        .await
        .unwrap();
    let end = desk.idle().await;
    assert_eq!(statuses(&end), [CallStatus::Succeeded; 2]);
    let heard = |list: &HookList| {
        let mut hooks = list.hooks.iter();
        hooks.any(|hook| hook.matcher == "permission_prompt" && !hook.runs.is_empty())
    };
    // It runs beside the question: nothing but its end tells when.
    while !heard(&listed(&desk).await) {
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
    let told: Value = serde_json::from_str(&desk.project.read("notified.json")).unwrap();
    assert_eq!(told["notification_type"], "permission_prompt");
}

/// A session that had begun tells its end; one in which nothing was said does not.
#[tokio::test(flavor = "multi_thread")]
async fn the_end_of_a_session_is_told_once() {
    for said in [true, false] {
        let (_model, mut desk) = desk(
            vec![turn().text("done").end()],
            &hooks(
                "SessionEnd",
                &[("", "cat >> ended.jsonl; echo >> ended.jsonl")],
            ),
        )
        .await;
        if said {
            desk.ask("go").await;
        }
        desk.app.shutdown().await;
        let told: Vec<Value> = if desk.project.exists("ended.jsonl") {
            let text = desk.project.read("ended.jsonl");
            let lines = text.lines().filter(|line| !line.is_empty());
            lines
                .map(|line| serde_json::from_str(line).unwrap())
                .collect()
        } else {
            Vec::new()
        };
        assert_eq!(told.len(), usize::from(said));
        if let Some(told) = told.first() {
            assert_eq!(told["hook_event_name"], "SessionEnd");
            assert_eq!(told["reason"], "prompt_input_exit");
        }
    }
}

/// The rule that a hook wants remembered spares the next question of its kind.
#[tokio::test(flavor = "multi_thread")]
async fn a_hook_in_the_persons_place_may_have_a_rule_remembered() {
    let call = |command: &str| turn().call("Bash", json!({"command": command})).end();
    let allow = json!({"hookSpecificOutput": {"decision": {"behavior": "allow", "updatedPermissions": [
        {"type": "addRules", "behavior": "allow", "destination": "localSettings",
         "rules": [{"toolName": "Bash", "ruleContent": "touch one.txt"}]}
    ]}}});
    let settings = hooks(
        "PermissionRequest",
        &[("Bash", &format!("echo '{allow}'; echo asked >> asked.txt"))],
    );
    let turns = vec![
        call("touch one.txt"),
        call("touch one.txt"),
        turn().text("done").end(),
    ];
    let (_model, mut desk) = desk(turns, &settings).await;
    let end = desk.ask("go").await;
    assert_eq!(statuses(&end), [CallStatus::Succeeded; 2]);
    assert_eq!(desk.project.read("asked.txt"), "asked\n", "asked once");
    let stored = desk.project.read(".adroit/settings.local.json");
    assert!(stored.contains("Bash(touch one.txt)"), "{stored}");
}

/// A hook is told which rules the question would offer, and may hand them back as they are.
#[tokio::test(flavor = "multi_thread")]
async fn a_hook_may_hand_back_the_rules_that_the_question_would_offer() {
    let call = |command: &str| turn().call("Bash", json!({"command": command})).end();
    // No tool but a shell's own: the list is cut out of what the hook is told.
    let echo = r#"input=$(cat); printf '%s' "$input" > told.json; echo asked >> asked.txt
        offered=$(printf '%s' "$input" | sed 's/.*"permission_suggestions":\(\[.*\]\).*/\1/')
        printf '{"hookSpecificOutput":{"decision":{"behavior":"allow","updatedPermissions":%s}}}' "$offered""#;
    let turns = vec![
        call("touch one.txt"),
        call("touch one.txt"),
        turn().text("done").end(),
    ];
    let (_model, mut desk) = desk(turns, &hooks("PermissionRequest", &[("Bash", echo)])).await;
    let end = desk.ask("go").await;
    assert_eq!(statuses(&end), [CallStatus::Succeeded; 2]);
    let told: Value = serde_json::from_str(&desk.project.read("told.json")).unwrap();
    assert_eq!(
        told["permission_suggestions"][0],
        json!({
            "type": "addRules",
            "rules": [{"toolName": "Bash", "ruleContent": "touch one.txt"}],
            "behavior": "allow",
            "destination": "session",
        })
    );
    assert_eq!(desk.project.read("asked.txt"), "asked\n", "asked once");
    assert!(
        !desk.project.exists(".adroit/settings.local.json"),
        "what is handed back as it is holds for the session alone"
    );
}
