//! Calls start while the model still speaks; results go back in order.

use adroit_protocol::event::CallStatus;
use adroit_testkit::{Gate, ScriptedModel, turn};
use serde_json::json;

use crate::desk::{Desk, calls, statuses, texts};

#[tokio::test(flavor = "multi_thread")]
async fn a_call_runs_to_its_end_before_the_stream_ends() {
    for provider in ["anthropic", "openai-chat"] {
        let gate = Gate::new();
        let first = turn()
            .call("Read", json!({"file_path": "a.txt"}))
            .call("Bash", json!({"command": "cat a.txt"}));
        let model = ScriptedModel::start([
            first.gate(&gate).text("and so on").end(),
            turn().text("done").end(),
        ])
        .await;
        let mut desk = Desk::with_provider(provider, &model, &[("a.txt", "alpha\n")]).await;
        desk.say("go").await;
        // On the chat wire a call ends when the next begins, so the last one is still open.
        let expected = if provider == "anthropic" { 2 } else { 1 };
        desk.until("the calls are done while the stream waits", |snapshot| {
            statuses(snapshot)
                .iter()
                .filter(|status| **status == CallStatus::Succeeded)
                .count()
                >= expected
        })
        .await;
        assert!(!gate.is_open());
        gate.open();
        let end = desk.idle().await;
        assert_eq!(
            statuses(&end),
            [CallStatus::Succeeded, CallStatus::Succeeded],
            "{provider}"
        );
        assert_eq!(texts(&end).last().unwrap().trim(), "done");
        let results = model.request(1).await.tool_results();
        assert_eq!(results.len(), 2);
        assert!(
            results
                .iter()
                .all(|(_, text, is_error)| text.contains("alpha") && !is_error),
            "{results:?}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn parallel_reads_overlap_and_answer_in_call_order() {
    let gate = Gate::new();
    let model = ScriptedModel::start([
        turn()
            .call("Read", json!({"file_path": "1.txt"}))
            .call("Grep", json!({"pattern": "two", "output_mode": "content"}))
            .call("Read", json!({"file_path": "3.txt"}))
            .gate(&gate)
            .end(),
        turn().text("done").end(),
    ])
    .await;
    let mut desk = Desk::anthropic(
        &model,
        &[("1.txt", "one\n"), ("2.txt", "two\n"), ("3.txt", "three\n")],
    )
    .await;
    desk.say("go").await;
    desk.until("all three are done", |snapshot| {
        statuses(snapshot) == [CallStatus::Succeeded; 3]
    })
    .await;
    gate.open();
    desk.idle().await;
    let results = model.request(1).await.tool_results();
    let found: Vec<bool> = ["one", "two", "three"]
        .iter()
        .zip(&results)
        .map(|(word, (_, text, _))| text.contains(word))
        .collect();
    assert_eq!(found, [true; 3], "{results:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edit_waits_for_the_read_before_it_and_the_read_after_it_sees_the_change() {
    let model = ScriptedModel::start([
        turn()
            .call("Read", json!({"file_path": "a.txt"}))
            .call(
                "Edit",
                json!({"file_path": "a.txt", "old_string": "alpha", "new_string": "beta"}),
            )
            .call("Read", json!({"file_path": "a.txt"}))
            .end(),
        turn().text("done").end(),
    ])
    .await;
    let mut desk = Desk::anthropic(&model, &[("a.txt", "alpha\n")]).await;
    desk.say("go").await;
    let request = desk.request().await;
    let waiting = desk.snapshot().await;
    assert_eq!(
        statuses(&waiting),
        [
            CallStatus::Succeeded,
            CallStatus::Waiting,
            CallStatus::Queued
        ],
        "the read after the edit does not overtake it"
    );
    assert_eq!(desk.project.read("a.txt"), "alpha\n");
    desk.answer(&request, json!({"type": "allow_once"}))
        .await
        .unwrap();
    desk.idle().await;
    assert_eq!(desk.project.read("a.txt"), "beta\n");
    let results = model.request(1).await.tool_results();
    assert!(
        results[0].1.contains("alpha") && results[2].1.contains("beta"),
        "{results:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn all_results_go_back_in_one_user_message() {
    let model = ScriptedModel::start([
        turn()
            .call("Read", json!({"file_path": "a.txt"}))
            .call("NoSuchTool", json!({}))
            .call("Read", json!({"path": 7}))
            .call("Read", json!({"file_path": "missing.txt"}))
            .end(),
        turn().text("done").end(),
    ])
    .await;
    let mut desk = Desk::anthropic(&model, &[("a.txt", "alpha\n")]).await;
    let end = desk.ask("go").await;
    assert_eq!(calls(&end).len(), 4);
    let request = model.request(1).await;
    let roles: Vec<_> = request
        .messages()
        .iter()
        .map(|message| message["role"].as_str().unwrap())
        .collect();
    assert_eq!(roles, ["user", "assistant", "user"]);
    let results = request.tool_results();
    let errors: Vec<bool> = results.iter().map(|(_, _, is_error)| *is_error).collect();
    assert_eq!(errors, [false, true, true, true]);
    assert!(results[1].1.contains("NoSuchTool"), "{}", results[1].1);
    assert!(
        results[2].1.contains("InputValidationError") && results[2].1.contains("file_path"),
        "{}",
        results[2].1
    );
    assert!(results[3].1.contains("missing.txt"), "{}", results[3].1);
}

#[tokio::test(flavor = "multi_thread")]
async fn without_streaming_the_calls_wait_for_the_end_and_all_have_results() {
    let gate = Gate::new();
    let model = ScriptedModel::start([
        turn()
            .call("Read", json!({"file_path": "a.txt"}))
            .call("Read", json!({"file_path": "b.txt"}))
            .gate(&gate)
            .end(),
        turn().text("done").end(),
    ])
    .await;
    let mut desk = Desk::start(
        adroit_testkit::TempProject::new(&[("a.txt", "alpha\n"), ("b.txt", "beta\n")]),
        json!({
            "model": {"provider": "anthropic", "name": "test-model", "baseUrl": model.base_url()},
            "execution": {"streaming": false},
        }),
    )
    .await;
    desk.say("go").await;
    gate.reached().await;
    let waiting = desk
        .until("both calls are written", |snapshot| {
            calls(snapshot).len() == 2
        })
        .await;
    assert!(
        statuses(&waiting)
            .iter()
            .all(|status| *status == CallStatus::Writing),
        "{:?}",
        statuses(&waiting)
    );
    gate.open();
    let end = desk.idle().await;
    assert_eq!(statuses(&end), [CallStatus::Succeeded; 2]);
    assert_eq!(model.request(1).await.tool_results().len(), 2);
}
