//! A former name of a tool is the tool: in calls, in rules, in matchers of hooks, and in transcripts.

use adroit_protocol::command::WhatIfAnswer;
use adroit_protocol::event::CallStatus;
use adroit_protocol::permission::Behavior;
use adroit_testkit::{ScriptedModel, TempProject, turn};
use serde_json::{Value, json};

use crate::desk::{Desk, calls, statuses};

async fn desk(model: &ScriptedModel, more: Value) -> Desk {
    let mut settings = json!({
        "model": {"provider": "anthropic", "name": "test-model", "baseUrl": model.base_url()},
    });
    for (name, value) in more.as_object().unwrap() {
        settings[name] = value.clone();
    }
    Desk::start(TempProject::new(&[("a.txt", "")]), settings).await
}

/// A model that asks for the output of a task that is not there, by the tool's former name.
async fn model() -> ScriptedModel {
    ScriptedModel::start([
        turn()
            .call("BashOutput", json!({"task_id": "task_00000000"}))
            .end(),
        turn().text("I see.").end(),
    ])
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_under_a_former_name_reaches_the_tool_and_is_kept_under_its_own() {
    let model = model().await;
    let mut desk = desk(&model, json!({})).await;
    let state = desk.ask("go").await;
    let call = calls(&state)[0].clone();
    assert_eq!(
        (call.tool.as_str(), call.status),
        ("TaskOutput", CallStatus::Failed)
    );
    // A rule under either name is about the stored call.
    for name in ["BashOutput", "TaskOutput"] {
        let rules = json!([{"rule": name, "behavior": "deny"}]);
        let answer: WhatIfAnswer = desk
            .on_session(
                "permissions.what_if",
                json!({"rules": rules, "mode": null, "wholeProject": false}),
            )
            .await
            .unwrap();
        assert_eq!(answer.changed.len(), 1, "{name}: {answer:?}");
        assert_eq!(answer.changed[0].tried.behavior, Behavior::Deny);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rule_under_a_former_name_asks_and_denies() {
    for (list, expected) in [("deny", CallStatus::Failed), ("ask", CallStatus::Denied)] {
        let model = model().await;
        let mut desk = desk(&model, json!({"permissions": {list: ["BashOutput"]}})).await;
        desk.say("go").await;
        if list == "ask" {
            let request = desk.request().await;
            assert_eq!(
                (request.tool.as_str(), request.tool_label.as_str()),
                ("TaskOutput", "Task output")
            );
            desk.answer(&request, json!({"type": "deny"}))
                .await
                .unwrap();
        }
        let state = desk.idle().await;
        assert_eq!(statuses(&state), [expected], "{list}");
        let result = &model.request(1).await.tool_results()[0].1;
        let told = if list == "deny" {
            "There is no tool named"
        } else {
            "Permission denied"
        };
        assert!(result.contains(told), "{list}: {result}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hook_for_a_former_name_is_asked() {
    let model = model().await;
    let hooks = json!({"PreToolUse": [{"matcher": "BashOutput", "hooks": [
        {"type": "command", "command": "echo not now >&2; exit 2"}
    ]}]});
    let mut desk = desk(&model, json!({"hooks": hooks})).await;
    let state = desk.ask("go").await;
    assert_eq!(statuses(&state), [CallStatus::Denied]);
    let result = &model.request(1).await.tool_results()[0].1;
    assert!(result.contains("not now"), "{result}");
}

/// A switch of the settings takes a tool out of the pool; its neighbours stay.
#[tokio::test(flavor = "multi_thread")]
async fn a_switched_off_tool_is_not_offered() {
    for (features, there) in [(json!({}), true), (json!({"multiEdit": false}), false)] {
        let model = ScriptedModel::start([turn().text("hello").end()]).await;
        let mut desk = desk(&model, json!({"features": features})).await;
        desk.ask("go").await;
        let body = model.request(0).await.body;
        let names: Vec<&str> = body["tools"]
            .as_array()
            .unwrap()
            .iter()
            .map(|tool| tool["name"].as_str().unwrap())
            .collect();
        assert_eq!(names.contains(&"MultiEdit"), there, "{names:?}");
        assert!(names.contains(&"Edit"));
    }
}
