//! Bad surroundings: each gives a clear message, nothing is lost, the app lives on.

use adroit_protocol::ErrorCode;
use adroit_protocol::event::CallStatus;
use adroit_testkit::{ScriptedModel, turn};
use serde_json::{Value, json};

use crate::desk::{Desk, statuses, texts};

#[tokio::test(flavor = "multi_thread")]
async fn commands_refuse_what_they_do_not_understand() {
    let desk = Desk::offline(&[("a.txt", "")]).await;
    let unknown = desk
        .rpc::<Value>("file.write", json!({}))
        .await
        .unwrap_err();
    assert_eq!(unknown.code, ErrorCode::NotFound);
    let malformed = desk
        .rpc::<Value>("turn.submit", json!({"session": 7}))
        .await
        .unwrap_err();
    assert_eq!(malformed.code, ErrorCode::InvalidInput);
    let nowhere = desk
        .rpc::<Value>("project.open", json!({"path": "/no/such/folder"}))
        .await
        .unwrap_err();
    assert!(nowhere.message.contains("/no/such/folder") && nowhere.hint.is_some());
    let guessed = desk
        .rpc::<Value>("session.open", json!({"session": "../../etc/passwd"}))
        .await
        .unwrap_err();
    assert_eq!(guessed.code, ErrorCode::NotFound);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_project_folder_that_vanishes_is_said_and_the_conversation_is_kept() {
    let model = ScriptedModel::start([turn().text("one").end()]).await;
    let mut desk = Desk::anthropic(&model, &[("a.txt", "")]).await;
    desk.ask("hello").await;
    std::fs::rename(
        desk.project.path(),
        desk.project.path().with_extension("away"),
    )
    .unwrap();
    let error = desk
        .on_session::<Value>("turn.submit", json!({"text": "again"}))
        .await
        .unwrap_err();
    assert!(error.message.contains("is gone"), "{error:?}");
    assert_eq!(texts(&desk.snapshot().await), ["one"]);
    std::fs::rename(
        desk.project.path().with_extension("away"),
        desk.project.path(),
    )
    .unwrap();
    model.push(turn().text("two").end());
    assert_eq!(texts(&desk.ask("again").await), ["one", "two"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_huge_single_line_and_a_flood_stay_bounded() {
    let line = "x".repeat(10 * 1024 * 1024);
    let model = ScriptedModel::start([
        turn()
            .call("Read", json!({"file_path": "line.txt"}))
            .call("Bash", json!({"command": "yes flood | head -c 50000000"}))
            .end(),
        turn().text("done").end(),
    ])
    .await;
    let mut desk = Desk::anthropic(&model, &[("line.txt", &line)]).await;
    desk.on_session::<Value>(
        "mode.set",
        json!({"mode": "bypassPermissions", "confirmed": true}),
    )
    .await
    .unwrap();
    let end = desk.ask("go").await;
    assert_eq!(statuses(&end), [CallStatus::Succeeded; 2]);
    for (_, text, _) in model.request(1).await.tool_results() {
        assert!(
            text.len() < 200_000,
            "{} bytes went to the model",
            text.len()
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_transcript_that_cannot_be_written_stops_the_turn_before_anything_runs() {
    let model =
        ScriptedModel::start([turn().call("Bash", json!({"command": "touch ran"})).end()]).await;
    let mut desk = Desk::anthropic(&model, &[("a.txt", "")]).await;
    desk.on_session::<Value>(
        "mode.set",
        json!({"mode": "bypassPermissions", "confirmed": true}),
    )
    .await
    .unwrap();
    // A file where the folder of transcripts has to be: not even root can write there.
    let projects = desk.project.data_dir().join("data/projects");
    let _ = std::fs::remove_dir_all(&projects);
    std::fs::write(&projects, "").unwrap();
    let end = desk.ask("go").await;
    assert!(
        texts(&end)
            .iter()
            .any(|text| text.contains("could not be written")),
        "{:?}",
        texts(&end)
    );
    assert!(!desk.project.exists("ran"));
    assert!(model.requests().is_empty());
}
