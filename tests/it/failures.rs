//! What breaks on the way: streams, keys, models, half calls.

use adroit_protocol::event::CallStatus;
use adroit_testkit::{ScriptedModel, response, turn};
use serde_json::{Value, json};

use crate::desk::{Desk, calls, statuses, texts};

#[tokio::test(flavor = "multi_thread")]
async fn an_overloaded_stream_is_asked_for_again_and_only_the_new_text_stays() {
    let model = ScriptedModel::start([
        turn()
            .text("Let me")
            .event(
                &json!({"type": "error", "error": {"type": "overloaded_error", "message": "busy"}}),
            )
            .cut(),
        turn().text("Whole answer.").end(),
    ])
    .await;
    let mut desk = Desk::anthropic(&model, &[("a.txt", "")]).await;
    let end = desk.ask("go").await;
    let said = texts(&end);
    assert!(said.iter().any(|text| text == "Whole answer."), "{said:?}");
    assert!(!said.iter().any(|text| text == "Let me"), "{said:?}");
    let messages = model.request(1).await.messages().to_vec();
    assert_eq!(
        messages.len(),
        1,
        "nothing of the failed attempt is in the conversation: {messages:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_of_a_broken_attempt_are_told_and_not_run_twice() {
    let model = ScriptedModel::start([
        turn()
            .call("Bash", json!({"command": "echo ran >> log.txt"}))
            .text("and now")
            .cut(),
        turn().text("I see.").end(),
    ])
    .await;
    let mut desk = Desk::anthropic(&model, &[("a.txt", "")]).await;
    desk.on_session::<Value>(
        "mode.set",
        json!({"mode": "bypassPermissions", "confirmed": true}),
    )
    .await
    .unwrap();
    desk.ask("go").await;
    let second = model.request(1).await;
    let last = second.last_message().to_string();
    let ran = desk.project.exists("log.txt");
    // What was started and ended before it did anything may be told too, never the other way.
    assert!(!ran || last.contains("had been started already"), "{last}");
    if ran {
        assert_eq!(desk.project.read("log.txt"), "ran\n");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn half_a_call_is_refused_and_the_file_stays() {
    let model = ScriptedModel::start([
        turn()
            .call_start("", "Write")
            .arguments("{\"file_path\": \"keep.txt\"")
            .arguments("}")
            .end_block()
            .stop("max_tokens"),
        turn().text("done").end(),
    ])
    .await;
    let mut desk = Desk::anthropic(&model, &[("keep.txt", "precious\n")]).await;
    let end = desk.ask("go").await;
    assert_eq!(statuses(&end), [CallStatus::Failed]);
    assert_eq!(desk.project.read("keep.txt"), "precious\n");
    let results = model.request(1).await.tool_results();
    assert!(results[0].1.contains("content"), "{results:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn broken_arguments_are_not_run_and_say_where() {
    let model = ScriptedModel::start([
        turn()
            .call_start("", "Bash")
            .arguments("{\"command\": \"touch pwned\",}")
            .end_block()
            .end(),
        turn().text("done").end(),
    ])
    .await;
    let mut desk = Desk::anthropic(&model, &[("a.txt", "")]).await;
    desk.on_session::<Value>(
        "mode.set",
        json!({"mode": "bypassPermissions", "confirmed": true}),
    )
    .await
    .unwrap();
    let end = desk.ask("go").await;
    assert_eq!(statuses(&end), [CallStatus::Failed]);
    assert!(!desk.project.exists("pwned"));
    let request = model.request(1).await;
    let (_, text, is_error) = &request.tool_results()[0];
    assert!(*is_error && text.contains("JSON"), "{text}");
    let call = &request.messages()[1]["content"][0];
    assert_eq!(call["input"], json!({}), "the history holds a valid object");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_turn_is_decided_by_the_calls_and_not_by_the_stop_reason() {
    let model = ScriptedModel::start([
        turn()
            .call("Read", json!({"file_path": "a.txt"}))
            .stop("end_turn"),
        turn().text("only text").stop("tool_use"),
    ])
    .await;
    let mut desk = Desk::anthropic(&model, &[("a.txt", "alpha\n")]).await;
    let end = desk.ask("go").await;
    assert_eq!(statuses(&end), [CallStatus::Succeeded]);
    assert_eq!(
        model.requests().len(),
        2,
        "text alone ends the turn, without an empty message"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn errors_of_the_server_say_what_to_do() {
    for (status, kind, words) in [
        (401, "authentication_error", "key"),
        (404, "not_found_error", "model"),
        (400, "invalid_request_error", "request"),
    ] {
        let model = ScriptedModel::start([response(status).error_body(kind, "no")]).await;
        let mut desk = Desk::anthropic(&model, &[("a.txt", "")]).await;
        let end = desk.ask("go").await;
        let said = texts(&end).join("\n");
        assert!(said.to_lowercase().contains(words), "{status}: {said}");
        assert!(
            !said.contains("test-key"),
            "a key never reaches the transcript"
        );
        // The app is alive: the next message goes through.
        model.push(turn().text("better").end());
        let end = desk.ask("again").await;
        assert_eq!(texts(&end).last().unwrap(), "better");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_at_the_address_is_a_message_and_not_a_hang() {
    let model = ScriptedModel::start([]).await;
    let address = model.base_url();
    drop(model);
    let project = adroit_testkit::TempProject::new(&[("a.txt", "")]);
    let mut desk = Desk::start(
        project,
        json!({"model": {"provider": "openai-chat", "name": "m", "baseUrl": address}}),
    )
    .await;
    desk.say("go").await;
    desk.until("it says that the server cannot be reached", |snapshot| {
        texts(snapshot)
            .iter()
            .any(|text| text.contains("cannot be reached"))
    })
    .await;
    desk.on_session::<Value>("turn.stop", json!({}))
        .await
        .unwrap();
    desk.idle().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn stop_ends_a_stalled_stream_and_a_running_command() {
    let model =
        ScriptedModel::start([turn().call("Bash", json!({"command": "sleep 600"})).stall()]).await;
    let mut desk = Desk::anthropic(&model, &[("a.txt", "")]).await;
    desk.on_session::<Value>(
        "mode.set",
        json!({"mode": "bypassPermissions", "confirmed": true}),
    )
    .await
    .unwrap();
    desk.say("go").await;
    desk.until("the command runs", |snapshot| {
        statuses(snapshot) == [CallStatus::Running]
    })
    .await;
    desk.on_session::<Value>("turn.stop", json!({}))
        .await
        .unwrap();
    let end = desk.idle().await;
    assert_eq!(statuses(&end), [CallStatus::Cancelled]);
    assert_eq!(calls(&end).len(), 1);
}
