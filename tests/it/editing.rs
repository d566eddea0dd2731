//! Calls that the person changes before approving them.

use adroit_protocol::ErrorCode;
use adroit_protocol::command::{ChangePreview, DraftText};
use adroit_protocol::event::CallStatus;
use adroit_protocol::view::Block;
use adroit_testkit::{ScriptedModel, turn};
use serde_json::{Value, json};

use crate::desk::{Desk, statuses};

fn numbered() -> String {
    (1..=30).map(|number| format!("{number}\n")).collect()
}

/// A model that reads the file, then writes it with its third and its twentieth line changed.
async fn desk_with_two_places() -> (ScriptedModel, Desk) {
    let proposed = numbered()
        .replace("\n3\n", "\nthree\n")
        .replace("\n20\n", "\ntwenty\n");
    let model = ScriptedModel::start([
        turn()
            .call("Read", json!({"file_path": "a.txt"}))
            .call("Write", json!({"file_path": "a.txt", "content": proposed}))
            .end(),
        turn().text("done").end(),
    ])
    .await;
    let desk = Desk::anthropic(&model, &[("a.txt", &numbered())]).await;
    (model, desk)
}

fn added(view: &adroit_protocol::view::View) -> u32 {
    view.blocks
        .iter()
        .find_map(|block| match block {
            Block::Diff(diff) => Some(diff.added),
            _ => None,
        })
        .expect("a diff is shown")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hunk_is_left_out_and_the_model_is_told() {
    let (model, mut desk) = desk_with_two_places().await;
    desk.say("go").await;
    let request = desk.request().await;
    let draft = request.draft.expect("a file may be changed");
    assert!(draft.hunks && draft.text);
    let change = json!({"type": "hunks", "rejected": [0]});
    let preview: ChangePreview = desk
        .on_session(
            "request.preview_change",
            json!({"request": request.id, "change": change}),
        )
        .await
        .unwrap();
    assert_eq!(added(&preview.view.unwrap()), 1);
    let comments =
        [json!({"path": "a.txt", "side": "new", "line": 3, "text": "numbers stay numbers here"})];
    desk.answer(
        &request,
        json!({"type": "allow_changed", "change": change, "comments": comments}),
    )
    .await
    .unwrap();
    desk.idle().await;
    assert_eq!(
        desk.project.read("a.txt"),
        numbered().replace("\n20\n", "\ntwenty\n")
    );
    let told = &model.request(1).await.tool_results()[1].1;
    for part in [
        "approved 1 of 2 places",
        "-three",
        "+3",
        "On line 3 of a.txt as you propose it (`three`): numbers stay numbers here",
    ] {
        assert!(told.contains(part), "{part} is missing in: {told}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_new_text_is_edited_and_applied_as_it_was_left() {
    let (model, mut desk) = desk_with_two_places().await;
    desk.say("go").await;
    let request = desk.request().await;
    let draft: DraftText = desk
        .on_session(
            "request.draft",
            json!({"request": request.id, "rejected": [1]}),
        )
        .await
        .unwrap();
    assert_eq!(draft.text, numbered().replace("\n3\n", "\nthree\n"));
    let text = draft.text.replace("three", "III");
    let answer = json!({"type": "allow_changed", "change": {"type": "text", "text": text}});
    desk.answer(&request, answer).await.unwrap();
    desk.idle().await;
    assert_eq!(desk.project.read("a.txt"), text);
    let told = &model.request(1).await.tool_results()[1].1;
    assert!(told.contains("The user edited your change"), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_that_cannot_be_applied_leaves_the_request_open() {
    let (_model, mut desk) = desk_with_two_places().await;
    desk.say("go").await;
    let request = desk.request().await;
    let all = json!({"type": "hunks", "rejected": [0, 1]});
    let preview: ChangePreview = desk
        .on_session(
            "request.preview_change",
            json!({"request": request.id, "change": all}),
        )
        .await
        .unwrap();
    assert!(preview.view.is_none() && preview.problem.unwrap().contains("deny"));
    let refused = desk
        .answer(&request, json!({"type": "allow_changed", "change": all}))
        .await
        .unwrap_err();
    assert_eq!(refused.code, ErrorCode::InvalidInput);
    assert_eq!(desk.snapshot().await.requests.len(), 1);
    desk.answer(&request, json!({"type": "deny"}))
        .await
        .unwrap();
    desk.idle().await;
    assert_eq!(desk.project.read("a.txt"), numbered());
}

/// What was approved is what was shown: a file that is another one by then is not written.
#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_changed_while_it_was_looked_at_is_not_written() {
    let (model, mut desk) = desk_with_two_places().await;
    desk.say("go").await;
    let request = desk.request().await;
    crate::desk::write(&desk.project.file("a.txt"), "by someone else\n");
    let answer = json!({"type": "allow_changed", "change": {"type": "hunks", "rejected": [0]}});
    desk.answer(&request, answer).await.unwrap();
    let end = desk.idle().await;
    assert_eq!(statuses(&end), [CallStatus::Succeeded, CallStatus::Failed]);
    assert_eq!(desk.project.read("a.txt"), "by someone else\n");
    let told = &model.request(1).await.tool_results()[1].1;
    assert!(told.contains("changed by someone else"), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_changed_command_is_judged_anew_and_the_first_answer_is_spent() {
    let model = ScriptedModel::start([
        turn()
            .call("Bash", json!({"command": "touch one.txt"}))
            .end(),
        turn().text("done").end(),
    ])
    .await;
    let mut desk = Desk::anthropic(&model, &[("keep/a.txt", "a\n")]).await;
    desk.say("go").await;
    let first = desk.request().await;
    let change =
        |text: &str| json!({"type": "allow_changed", "change": {"type": "text", "text": text}});
    desk.answer(&first, change("rm -rf keep")).await.unwrap();
    // It asks again, for it is another command, and says what would be lost.
    let second = desk
        .until("the changed command is asked about", |snapshot| {
            snapshot
                .requests
                .first()
                .is_some_and(|request| request.id != first.id)
        })
        .await
        .requests
        .remove(0);
    assert!(second.revised && second.destructive.is_some());
    assert_eq!(second.input, json!({"command": "rm -rf keep"}));
    assert!(desk.project.exists("keep/a.txt"));
    // Neither the first request nor its nonce can approve the second.
    let mut stale = second.clone();
    stale.nonce.clone_from(&first.nonce);
    for spent in [&first, &stale] {
        let refused = desk
            .answer(spent, json!({"type": "allow_once"}))
            .await
            .unwrap_err();
        assert_eq!(refused.code, ErrorCode::Stale);
    }
    desk.answer(&second, change("ls keep")).await.unwrap();
    // Reading asks nobody: it runs at once.
    let end = desk.idle().await;
    assert_eq!(statuses(&end), [CallStatus::Succeeded]);
    assert!(desk.project.exists("keep/a.txt") && !desk.project.exists("one.txt"));
    let told = &model.request(1).await.tool_results()[0].1;
    for part in ["You proposed: touch one.txt", "What ran: ls keep", "a.txt"] {
        assert!(told.contains(part), "{part} is missing in: {told}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deny_rule_holds_for_what_the_person_makes_of_a_command() {
    let model = ScriptedModel::start([
        turn()
            .call("Bash", json!({"command": "touch one.txt"}))
            .end(),
        turn().text("done").end(),
    ])
    .await;
    let rules = r#"{"permissions": {"deny": ["Bash(touch two*)"]}}"#;
    let mut desk = Desk::anthropic(&model, &[(".adroit/settings.json", rules)]).await;
    desk.say("go").await;
    let request = desk.request().await;
    let change = json!({"type": "text", "text": "touch two.txt"});
    desk.answer(&request, json!({"type": "allow_changed", "change": change}))
        .await
        .unwrap();
    let end = desk.idle().await;
    assert_eq!(statuses(&end), [CallStatus::Denied]);
    assert!(!desk.project.exists("two.txt"));
    let _: Value = desk.on_session("turn.stop", json!({})).await.unwrap();
}
