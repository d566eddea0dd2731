//! Sessions outlive the window, and what crashed in them is answered.

use std::path::{Path, PathBuf};

use adroit_protocol::ErrorCode;
use adroit_protocol::command::{FoundText, Inbox, SessionList};
use adroit_protocol::event::{CallStatus, ItemBody};
use adroit_testkit::{ScriptedModel, turn};
use serde_json::{Value, json};

use crate::desk::{Desk, calls, statuses, texts};

#[tokio::test(flavor = "multi_thread")]
async fn a_session_is_kept_and_goes_on() {
    let model = ScriptedModel::start([
        turn()
            .text("First.")
            .call("Read", json!({"file_path": "a.txt"}))
            .end(),
        turn().text("Second.").end(),
        turn().text("Third.").end(),
    ])
    .await;
    let mut desk = Desk::anthropic(&model, &[("a.txt", "alpha\n")]).await;
    let before = desk.ask("Read the file").await;
    let mut desk = desk.reopen().await;
    let after = desk.snapshot().await;
    assert_eq!(after.title, "Read the file");
    assert_eq!(texts(&after), texts(&before));
    assert_eq!(statuses(&after), [CallStatus::Succeeded]);
    assert_eq!(
        calls(&after)[0].view,
        calls(&before)[0].view,
        "it looks as it did, without running again"
    );
    desk.ask("go on").await;
    let request = model.request(2).await;
    assert_eq!(request.messages().len(), 5, "{:?}", request.messages());
}

/// dv-gui-002: what waited when the app ended is shown as not run, and nothing approves it.
#[tokio::test(flavor = "multi_thread")]
async fn a_request_that_was_open_when_the_app_ended_is_not_approvable_later() {
    let model = ScriptedModel::start([
        turn()
            .call("Write", json!({"file_path": "b.txt", "content": "x"}))
            .end(),
        turn().text("I see.").end(),
    ])
    .await;
    let mut desk = Desk::anthropic(&model, &[("a.txt", "")]).await;
    desk.say("go").await;
    let request = desk.request().await;
    let mut desk = desk.reopen().await;
    let after = desk.snapshot().await;
    assert!(after.requests.is_empty());
    assert_eq!(statuses(&after), [CallStatus::Cancelled]);
    let summary = calls(&after)[0].view.summary.as_deref();
    assert_eq!(summary, Some("app closed"));
    let inbox: Inbox = desk.rpc("inbox.list", json!({})).await.unwrap();
    assert!(inbox.requests.is_empty(), "nothing is counted as waiting");
    let refused = desk
        .answer(&request, json!({"type": "allow_once"}))
        .await
        .unwrap_err();
    assert_eq!(refused.code, ErrorCode::Stale);
    desk.ask("go on").await;
    assert!(!desk.project.exists("b.txt"));
    let results = model.request(1).await.tool_results();
    assert_eq!(results.len(), 1);
    assert!(results[0].2, "the call has its one result: {results:?}");
}

/// The same after a kill, at which nothing can be written any more: the file is put back as it was
/// while the request was open.
#[tokio::test(flavor = "multi_thread")]
async fn a_kill_while_a_request_waits_is_told_as_not_run() {
    let model = ScriptedModel::start([
        turn()
            .call("Write", json!({"file_path": "b.txt", "content": "x"}))
            .end(),
        turn().text("I see.").end(),
    ])
    .await;
    let mut desk = Desk::anthropic(&model, &[("a.txt", "")]).await;
    desk.say("go").await;
    desk.request().await;
    let file = transcript_of(&desk.project.data_dir(), desk.session.as_str()).unwrap();
    let killed_at = std::fs::read(&file).unwrap();
    desk.app.shutdown().await;
    std::fs::write(&file, killed_at).unwrap();
    let mut desk = desk.reopen().await;
    let after = desk.snapshot().await;
    assert_eq!(statuses(&after), [CallStatus::Cancelled]);
    assert_eq!(calls(&after)[0].view.summary.as_deref(), Some("not run"));
    desk.ask("go on").await;
    let results = model.request(1).await.tool_results();
    assert!(results[0].1.contains("nothing was changed"), "{results:?}");
}

/// The file of a session, wherever the app keeps it.
fn transcript_of(folder: &Path, session: &str) -> Option<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(Result::unwrap);
    entries.into_iter().find_map(|entry| {
        let path = entry.path();
        if path.is_dir() {
            return transcript_of(&path, session);
        }
        let name = path.file_name()?.to_str()?;
        (name.contains(session) && name.ends_with(".jsonl")).then_some(path)
    })
}

/// What was said, what a call shows, and what it gave are found; a reopened session finds the same.
#[tokio::test(flavor = "multi_thread")]
async fn a_text_is_found_wherever_it_stands() {
    let model = ScriptedModel::start([
        turn()
            .text("I look at the Harbour.")
            .call("Read", json!({"file_path": "a.txt"}))
            .call("Read", json!({"file_path": "b.txt"}))
            .end(),
        turn().text("Nothing else.").end(),
    ])
    .await;
    let files = [("a.txt", "one\nthe harbour wall\n"), ("b.txt", "two\n")];
    let mut desk = Desk::anthropic(&model, &files).await;
    desk.ask("Where is the HARBOUR?").await;
    for _ in 0..2 {
        let state = desk.snapshot().await;
        let found: FoundText = desk
            .on_session("session.find", json!({"text": "harbour"}))
            .await
            .unwrap();
        let places: Vec<usize> = found
            .entries
            .iter()
            .map(|entry| {
                let mut items = state.items.iter();
                items.position(|item| item.id == entry.item).unwrap()
            })
            .collect();
        assert_eq!(places, [0, 1, 2], "in order: {found:?}");
        assert!(found.entries[2].excerpt.contains("the harbour wall"));
        let none: FoundText = desk
            .on_session("session.find", json!({"text": "lighthouse"}))
            .await
            .unwrap();
        assert!(none.entries.is_empty());
        desk = desk.reopen().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_sent_while_a_turn_runs_waits_and_can_be_taken_back() {
    let gate = adroit_testkit::Gate::new();
    let model = ScriptedModel::start([
        turn().text("one").gate(&gate).end(),
        turn().text("two").end(),
    ])
    .await;
    let mut desk = Desk::anthropic(&model, &[("a.txt", "")]).await;
    desk.say("first").await;
    gate.reached().await;
    desk.say("second").await;
    desk.say("third").await;
    let waiting = desk
        .until("two messages wait", |snapshot| snapshot.queue.len() == 2)
        .await;
    let taken: Value = desk
        .on_session("queue.remove", json!({"message": waiting.queue[0].id}))
        .await
        .unwrap();
    assert_eq!(taken["text"], "second");
    gate.open();
    let end = desk
        .until("the third was answered", |snapshot| {
            texts(snapshot).iter().any(|text| text == "two")
        })
        .await;
    let said: Vec<_> = end
        .items
        .iter()
        .filter_map(|item| match &item.body {
            ItemBody::User { text, .. } => Some(text.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(said, ["first", "third"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn sessions_are_listed_newest_first_and_deleted_on_demand() {
    let model = ScriptedModel::start([turn().text("one").end()]).await;
    let mut desk = Desk::anthropic(&model, &[("a.txt", "")]).await;
    desk.ask("hello there").await;
    let path = desk.project.path().display().to_string();
    let list: SessionList = desk
        .rpc("session.list", json!({"path": path}))
        .await
        .unwrap();
    assert_eq!(list.sessions.len(), 1);
    assert_eq!(list.sessions[0].title, "hello there");
    desk.on_session::<Value>("session.delete", json!({}))
        .await
        .unwrap();
    let list: SessionList = desk
        .rpc("session.list", json!({"path": path}))
        .await
        .unwrap();
    assert!(list.sessions.is_empty());
}
