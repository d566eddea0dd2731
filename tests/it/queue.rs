//! Messages that wait: kept, changed, said at the next tool boundary or after the turn.

use adroit_protocol::ErrorCode;
use adroit_protocol::event::{CallStatus, ItemBody, SessionSnapshot};
use adroit_testkit::{Gate, ScriptedModel, turn};
use serde_json::{Value, json};

use crate::desk::{Desk, statuses};

fn said(snapshot: &SessionSnapshot) -> Vec<&str> {
    snapshot
        .items
        .iter()
        .filter_map(|item| match &item.body {
            ItemBody::User { text, .. } => Some(text.as_str()),
            _ => None,
        })
        .collect()
}

/// A model that holds back the end of its first answer, which has a call.
async fn held() -> (Gate, ScriptedModel, Desk) {
    let gate = Gate::new();
    let model = ScriptedModel::start([
        turn()
            .call("Read", json!({"file_path": "a.txt"}))
            .gate(&gate)
            .end(),
        turn().text("first").end(),
        turn().text("second").end(),
        turn().text("third").end(),
    ])
    .await;
    let mut desk = Desk::anthropic(&model, &[("a.txt", "alpha\n")]).await;
    desk.say("go").await;
    desk.until("the call is there", |state| state.items.len() > 1)
        .await;
    (gate, model, desk)
}

#[tokio::test(flavor = "multi_thread")]
async fn steering_is_said_with_the_results_of_the_calls() {
    let (gate, model, mut desk) = held().await;
    desk.say("after all").await;
    desk.on_session::<Value>(
        "turn.submit",
        json!({"text": "mind the tests", "steer": true}),
    )
    .await
    .unwrap();
    let waiting = desk
        .until("both wait", |state| state.queue.len() == 2)
        .await
        .queue;
    assert_eq!(
        waiting.iter().map(|one| one.steer).collect::<Vec<_>>(),
        [false, true]
    );
    gate.open();
    let end = desk
        .until("both are said", |state| {
            state.queue.is_empty() && said(state).len() == 3
        })
        .await;
    assert_eq!(said(&end), ["go", "mind the tests", "after all"]);
    desk.idle().await;
    // One message of the user: the results first, then what was said.
    let request = model.request(1).await;
    assert_eq!(request.tool_results().len(), 1);
    let last = request.body["messages"].as_array().unwrap().last().unwrap();
    assert_eq!(last["role"], "user");
    let kinds: Vec<&str> = last["content"]
        .as_array()
        .unwrap()
        .iter()
        .map(|block| block["type"].as_str().unwrap())
        .collect();
    assert_eq!(kinds, ["tool_result", "text"]);
    assert_eq!(last["content"][1]["text"], "mind the tests");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_waits_can_be_changed_and_turned_into_steering() {
    let (gate, model, mut desk) = held().await;
    desk.say("use make").await;
    let waiting = desk.until("it waits", |state| state.queue.len() == 1).await;
    let id = waiting.queue[0].id.clone();
    desk.on_session::<Value>("queue.edit", json!({"message": id, "text": "use just"}))
        .await
        .unwrap();
    let empty = desk
        .on_session::<Value>("queue.edit", json!({"message": id, "text": " "}))
        .await
        .unwrap_err();
    assert_eq!(empty.code, ErrorCode::InvalidInput);
    desk.on_session::<Value>("queue.steer", json!({"message": id, "steer": true}))
        .await
        .unwrap();
    gate.open();
    let end = desk.idle().await;
    assert_eq!(said(&end), ["go", "use just"]);
    assert_eq!(model.requests().len(), 2, "it cost no turn of its own");
    let late = desk
        .on_session::<Value>("queue.edit", json!({"message": id, "text": "x"}))
        .await
        .unwrap_err();
    assert_eq!(late.code, ErrorCode::Stale);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_waits_survives_a_stop_and_a_restart_and_is_sent_when_wanted() {
    let (gate, _model, mut desk) = held().await;
    desk.say("one").await;
    desk.say("two").await;
    desk.until("two wait", |state| state.queue.len() == 2).await;
    desk.on_session::<Value>("turn.stop", json!({}))
        .await
        .unwrap();
    let stopped = desk.idle().await;
    assert_eq!(stopped.queue.len(), 2, "who stops wants stillness");
    gate.open();
    let mut desk = desk.reopen().await;
    let again = desk.snapshot().await;
    let texts: Vec<&str> = again.queue.iter().map(|one| one.text.as_str()).collect();
    assert_eq!(texts, ["one", "two"]);
    let second = again.queue[1].id.clone();
    desk.on_session::<Value>("queue.steer", json!({"message": second, "steer": true}))
        .await
        .unwrap();
    let end = desk
        .until("both are said", |state| {
            said(state).len() == 3 && state.queue.is_empty()
        })
        .await;
    assert_eq!(said(&end), ["go", "two", "one"]);
    desk.idle().await;
    let desk = desk.reopen().await;
    let last = desk.snapshot().await;
    assert!(last.queue.is_empty(), "nothing is said twice");
    assert_eq!(said(&last), ["go", "two", "one"]);
}

/// Who steers does not wait for what gives way: a Read that has not begun ends, a command finishes.
#[tokio::test(flavor = "multi_thread")]
async fn steering_ends_what_gives_way_and_waits_for_the_rest() {
    let model = ScriptedModel::start([
        turn()
            .call(
                "Bash",
                json!({"command": "touch begun; until [ -e go ]; do sleep 0.02; done; echo finished"}),
            )
            .call("Read", json!({"file_path": "a.txt"}))
            .end(),
        turn().text("heard").end(),
    ])
    .await;
    let mut desk = Desk::anthropic(&model, &[("a.txt", "alpha\n")]).await;
    desk.say("go").await;
    desk.allow_next().await;
    desk.until("the command runs", |state| {
        statuses(state) == [CallStatus::Running, CallStatus::Queued]
    })
    .await;
    desk.say("not yet").await;
    let waiting = desk.until("it waits", |state| state.queue.len() == 1).await;
    assert_eq!(
        statuses(&waiting),
        [CallStatus::Running, CallStatus::Queued],
        "what waits for the turn's end disturbs nothing"
    );
    desk.on_session::<Value>(
        "turn.submit",
        json!({"text": "stop reading", "steer": true}),
    )
    .await
    .unwrap();
    desk.until("the Read gave way", |state| {
        statuses(state) == [CallStatus::Running, CallStatus::Cancelled]
    })
    .await;
    desk.project.write("go", "");
    desk.until("it was heard", |state| said(state).len() >= 2)
        .await;
    let results = model.request(1).await.tool_results();
    assert!(results[0].1.contains("finished"), "{results:?}");
    assert!(
        results[1].1.contains("the user sent a new message"),
        "{results:?}"
    );
}
