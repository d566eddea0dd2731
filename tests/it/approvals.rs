//! Requests: answered, declined, remembered, withdrawn.

use adroit_protocol::ErrorCode;
use adroit_protocol::command::{CallRecord, RuleCheck};
use adroit_protocol::event::CallStatus;
use adroit_protocol::permission::Behavior;
use adroit_protocol::view::Block;
use adroit_testkit::{ScriptedModel, turn};
use serde_json::{Value, json};

use crate::desk::{Desk, calls, statuses};

fn edit() -> Value {
    json!({"file_path": "a.txt", "old_string": "alpha", "new_string": "beta"})
}

async fn desk_with_edit() -> (ScriptedModel, Desk) {
    let model = ScriptedModel::start([
        turn()
            .call("Read", json!({"file_path": "a.txt"}))
            .call("Edit", edit())
            .end(),
        turn().text("done").end(),
    ])
    .await;
    let desk = Desk::anthropic(&model, &[("a.txt", "alpha\n")]).await;
    (model, desk)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_shows_the_diff_and_the_file_changes_only_after_the_answer() {
    let (_model, mut desk) = desk_with_edit().await;
    desk.say("go").await;
    let request = desk.request().await;
    assert_eq!(request.tool, "Edit");
    assert_eq!(request.input, edit());
    let diff = request.view.blocks.iter().find_map(|block| match block {
        Block::Diff(diff) => Some(diff),
        _ => None,
    });
    let diff = diff.expect("the request shows the diff");
    assert_eq!((diff.added, diff.removed), (1, 1));
    assert!(!request.reasons.is_empty());
    assert_eq!(desk.project.read("a.txt"), "alpha\n");
    desk.answer(&request, json!({"type": "allow_once"}))
        .await
        .unwrap();
    let end = desk.idle().await;
    assert_eq!(desk.project.read("a.txt"), "beta\n");
    assert!(end.requests.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_declined_call_brings_the_persons_words_to_the_model() {
    let (model, mut desk) = desk_with_edit().await;
    desk.say("go").await;
    let request = desk.request().await;
    desk.answer(&request, json!({"type": "deny", "words": "use make"}))
        .await
        .unwrap();
    let end = desk.idle().await;
    assert_eq!(statuses(&end), [CallStatus::Succeeded, CallStatus::Denied]);
    assert_eq!(desk.project.read("a.txt"), "alpha\n");
    let results = model.request(1).await.tool_results();
    assert_eq!(results.len(), 2, "both calls are answered in one message");
    assert!(!results[0].2 && results[1].2);
    assert!(results[1].1.contains("use make"), "{}", results[1].1);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_needs_the_nonce_and_counts_once() {
    let (_model, mut desk) = desk_with_edit().await;
    desk.say("go").await;
    let request = desk.request().await;
    let mut forged = request.clone();
    forged.nonce = "0".repeat(32);
    let refused = desk
        .answer(&forged, json!({"type": "allow_once"}))
        .await
        .unwrap_err();
    assert_eq!(refused.code, ErrorCode::Stale);
    assert_eq!(desk.project.read("a.txt"), "alpha\n");
    desk.answer(&request, json!({"type": "deny"}))
        .await
        .unwrap();
    let again = desk
        .answer(&request, json!({"type": "allow_once"}))
        .await
        .unwrap_err();
    assert_eq!(again.code, ErrorCode::Stale);
    desk.idle().await;
    assert_eq!(desk.project.read("a.txt"), "alpha\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_remembered_rule_must_cover_the_call_and_then_the_next_does_not_ask() {
    let call = |name: &str| {
        turn()
            .call("Write", json!({"file_path": name, "content": "x\n"}))
            .end()
    };
    let model = ScriptedModel::start([
        call("out/1.txt"),
        turn().text("one").end(),
        call("out/2.txt"),
        turn().text("two").end(),
    ])
    .await;
    let mut desk = Desk::anthropic(&model, &[("a.txt", "")]).await;
    desk.say("go").await;
    let request = desk.request().await;
    let check: RuleCheck = desk
        .on_session(
            "request.check_rule",
            json!({"request": request.id, "rule": "Edit(elsewhere/**)"}),
        )
        .await
        .unwrap();
    assert!(!check.covers);
    let refused = desk
        .answer(
            &request,
            json!({"type": "allow_and_remember", "rule": "Edit(elsewhere/**)", "scope": "session"}),
        )
        .await
        .unwrap_err();
    assert_eq!(refused.code, ErrorCode::InvalidInput);
    assert!(
        !desk.project.exists("out/1.txt"),
        "a rule that does not cover the call allows nothing"
    );
    desk.answer(
        &request,
        json!({"type": "allow_and_remember", "rule": "Edit(out/**)", "scope": "project_local"}),
    )
    .await
    .unwrap();
    desk.idle().await;
    assert!(
        desk.project
            .read(".adroit/settings.local.json")
            .contains("Edit(out/**)")
    );
    let end = desk.ask("again").await;
    assert_eq!(
        statuses(&end),
        [CallStatus::Succeeded, CallStatus::Succeeded]
    );
    assert!(desk.project.exists("out/2.txt"));
}

#[tokio::test(flavor = "multi_thread")]
async fn every_suggested_rule_covers_its_call() {
    let (_model, mut desk) = desk_with_edit().await;
    desk.say("go").await;
    let request = desk.request().await;
    assert!(!request.suggestions.is_empty());
    for suggestion in &request.suggestions {
        let check: RuleCheck = desk
            .on_session(
                "request.check_rule",
                json!({"request": request.id, "rule": suggestion.rule}),
            )
            .await
            .unwrap();
        assert!(check.covers, "{}: {}", suggestion.rule, check.text);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn stopping_withdraws_the_request_and_answers_the_call() {
    let (_model, mut desk) = desk_with_edit().await;
    desk.say("go").await;
    let request = desk.request().await;
    desk.on_session::<Value>("turn.stop", json!({}))
        .await
        .unwrap();
    let end = desk.idle().await;
    assert!(end.requests.is_empty());
    assert_eq!(
        statuses(&end),
        [CallStatus::Succeeded, CallStatus::Cancelled]
    );
    let late = desk
        .answer(&request, json!({"type": "allow_once"}))
        .await
        .unwrap_err();
    assert_eq!(late.code, ErrorCode::Stale);
    assert_eq!(desk.project.read("a.txt"), "alpha\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_mode_applies_to_the_very_next_call() {
    let write = |name: &str| {
        turn()
            .call("Write", json!({"file_path": name, "content": "x\n"}))
            .end()
    };
    let model = ScriptedModel::start([
        write("1.txt"),
        write("2.txt"),
        write("3.txt"),
        turn().text("done").end(),
    ])
    .await;
    let mut desk = Desk::anthropic(&model, &[("a.txt", "")]).await;
    desk.say("go").await;
    let request = desk.request().await;
    desk.on_session::<Value>("mode.set", json!({"mode": "acceptEdits"}))
        .await
        .unwrap();
    // What waits is judged again, and needs no answer any more.
    let late = desk
        .answer(&request, json!({"type": "allow_once"}))
        .await
        .unwrap_err();
    assert_eq!(late.code, ErrorCode::Stale);
    let end = desk.idle().await;
    assert_eq!(
        statuses(&end),
        [CallStatus::Succeeded; 3],
        "the second and third did not ask"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn every_call_keeps_its_decision_record() {
    let (_model, mut desk) = desk_with_edit().await;
    desk.say("go").await;
    desk.allow_next().await;
    let end = desk.idle().await;
    for call in calls(&end) {
        let known: CallRecord = desk
            .on_session("call.record", json!({"call": call.call}))
            .await
            .unwrap();
        let record = known.record.expect("a finished call has a record");
        assert_eq!(
            record.decision.expect("it was decided").behavior,
            Behavior::Allow
        );
        let numbers: Vec<u8> = record.stages.iter().map(|stage| stage.number).collect();
        assert!(
            (1..=14).all(|number| numbers.contains(&number)),
            "{numbers:?}"
        );
        assert_eq!(record.consent.is_some(), record.tool == "Edit");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_untrusted_folder_is_read_only_and_its_settings_do_not_count() {
    let model = ScriptedModel::start([
        turn()
            .call("Read", json!({"file_path": "a.txt"}))
            .call("Write", json!({"file_path": "b.txt", "content": "x"}))
            .end(),
        turn().text("done").end(),
    ])
    .await;
    let settings = r#"{"permissions": {"allow": ["Edit", "Bash"]}}"#;
    let mut desk = Desk::anthropic(
        &model,
        &[("a.txt", "alpha\n"), (".adroit/settings.json", settings)],
    )
    .await;
    let path = desk.project.path().display().to_string();
    let project: Value = desk
        .rpc("project.trust", json!({"path": path, "trusted": false}))
        .await
        .unwrap();
    assert_eq!(project["heldBack"], json!([".adroit/settings.json"]));
    let end = desk.ask("go").await;
    assert_eq!(statuses(&end), [CallStatus::Succeeded, CallStatus::Denied]);
    assert!(!desk.project.exists("b.txt"));
    let refused = desk
        .on_session::<Value>("mode.set", json!({"mode": "bypassPermissions"}))
        .await
        .unwrap_err();
    assert_eq!(refused.code, ErrorCode::Untrusted);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_search_does_not_show_what_may_not_be_read() {
    let model = ScriptedModel::start([
        turn()
            .call(
                "Grep",
                json!({"pattern": "TOKEN", "output_mode": "content"}),
            )
            .call("Grep", json!({"pattern": "TOKEN", "output_mode": "count"}))
            .call("Glob", json!({"pattern": "**/*"}))
            .call("Read", json!({"file_path": "config/.env"}))
            .end(),
        turn().text("done").end(),
    ])
    .await;
    let mut desk = Desk::anthropic(
        &model,
        &[
            ("a.txt", "TOKEN here\n"),
            ("config/.env", "TOKEN=secret\n"),
            (
                ".adroit/settings.json",
                r#"{"permissions": {"deny": ["Read(.env)"]}}"#,
            ),
        ],
    )
    .await;
    desk.ask("go").await;
    let results = model.request(1).await.tool_results();
    assert!(
        results[0].1.contains("a.txt") && !results[0].1.contains("secret"),
        "{}",
        results[0].1
    );
    assert!(!results[1].1.contains(".env"), "{}", results[1].1);
    assert!(
        results[2].1.contains("a.txt") && !results[2].1.contains(".env"),
        "{}",
        results[2].1
    );
    assert!(results[3].2, "{}", results[3].1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_that_reads_through_a_link_out_of_the_project_asks() {
    let commands = [
        "cat out",
        "cat folder/secret",
        "cd folder && cat secret",
        "cat inner",
    ];
    let mut answer = turn();
    for command in commands {
        answer = answer.call("Bash", json!({"command": command}));
    }
    let model = ScriptedModel::start([answer.end(), turn().text("done").end()]).await;
    let mut desk = Desk::anthropic(&model, &[("a.txt", "alpha\n")]).await;
    let outside = desk.project.outside("secrets");
    crate::desk::write(&outside.join("secret"), "SECRET\n");
    let link = |target: &std::path::Path, name: &str| {
        std::os::unix::fs::symlink(target, desk.project.file(name)).unwrap();
    };
    link(&outside.join("secret"), "out");
    link(&outside, "folder");
    link(&desk.project.file("a.txt"), "inner");
    desk.on_session::<Value>("mode.set", json!({"mode": "dontAsk"}))
        .await
        .unwrap();
    let end = desk.ask("go").await;
    let denied = CallStatus::Denied;
    assert_eq!(
        statuses(&end),
        [denied, denied, denied, CallStatus::Succeeded]
    );
}
