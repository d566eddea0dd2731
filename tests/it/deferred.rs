//! Deferred tools: named, loaded, and still loaded when the session is opened again.

use adroit_protocol::event::CallStatus;
use adroit_testkit::{ScriptedModel, turn};
use serde_json::{Value, json};

use crate::desk::{Desk, statuses};

fn notebook() -> String {
    json!({
        "cells": [{"cell_type": "markdown", "id": "a1", "metadata": {}, "source": ["old"]}],
        "metadata": {}, "nbformat": 4, "nbformat_minor": 5
    })
    .to_string()
}

fn edit() -> Value {
    json!({"notebook_path": "n.ipynb", "cell_id": "a1", "new_source": "new"})
}

fn tools(request: &adroit_testkit::RecordedRequest) -> Vec<String> {
    request.body["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["name"].as_str().unwrap().to_owned())
        .collect()
}

/// dv-stream-006: an unloaded tool says how to load it; after loading the same call works.
#[tokio::test(flavor = "multi_thread")]
async fn a_deferred_tool_is_loaded_and_stays_loaded() {
    let model = ScriptedModel::start([
        turn()
            .call("Read", json!({"file_path": "n.ipynb"}))
            .call("NotebookEdit", edit())
            .end(),
        turn()
            .call("ToolSearch", json!({"query": "select:NotebookEdit"}))
            .end(),
        turn().call("NotebookEdit", edit()).end(),
        turn().text("done").end(),
    ])
    .await;
    let mut desk = Desk::anthropic(&model, &[("n.ipynb", &notebook())]).await;
    desk.say("go").await;
    desk.allow_next().await;
    let end = desk.idle().await;
    assert_eq!(
        statuses(&end),
        [
            CallStatus::Succeeded,
            CallStatus::Failed,
            CallStatus::Succeeded,
            CallStatus::Succeeded
        ]
    );
    assert!(desk.project.read("n.ipynb").contains("new"));

    let first = model.request(0).await;
    assert!(!tools(&first).contains(&"NotebookEdit".to_owned()));
    assert!(
        first.body["system"]
            .to_string()
            .contains("load one with ToolSearch before you call it: NotebookEdit"),
    );
    let refused = &model.request(1).await.tool_results()[1];
    assert!(refused.1.contains("select:NotebookEdit"), "{}", refused.1);
    let loaded = &model.request(2).await.tool_results()[0];
    assert!(loaded.1.contains("new_source"), "{}", loaded.1);
    assert!(tools(&model.request(2).await).contains(&"NotebookEdit".to_owned()));

    // And when the session is opened again.
    model.push(turn().text("hello").end());
    let mut desk = desk.reopen().await;
    desk.ask("hi").await;
    assert!(tools(&model.request(4).await).contains(&"NotebookEdit".to_owned()));
}

#[tokio::test(flavor = "multi_thread")]
async fn without_the_tool_that_loads_nothing_is_deferred() {
    let model = ScriptedModel::start([turn().text("hello").end()]).await;
    let project = adroit_testkit::TempProject::new(&[]);
    let settings = json!({
        "model": {"provider": "anthropic", "name": "test-model", "baseUrl": model.base_url()},
        "permissions": {"deny": ["ToolSearch"]}
    });
    let mut desk = Desk::start(project, settings).await;
    desk.ask("hi").await;
    let names = tools(&model.request(0).await);
    assert!(
        names.contains(&"NotebookEdit".to_owned()) && !names.contains(&"ToolSearch".to_owned())
    );
}
