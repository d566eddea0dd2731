//! What goes to the model and comes back over real HTTP.

use adroit_testkit::{ScriptedModel, turn};
use serde_json::json;

use crate::desk::{Desk, texts};

#[tokio::test(flavor = "multi_thread")]
async fn signed_thinking_goes_back_as_it_came() {
    let model = ScriptedModel::start([
        turn()
            .thinking("Hm.", "sig-1")
            .call("Read", json!({"file_path": "a.txt"}))
            .end(),
        turn().text("done").end(),
    ])
    .await;
    let mut desk = Desk::anthropic(&model, &[("a.txt", "alpha\n")]).await;
    desk.ask("go").await;
    let request = model.request(1).await;
    let block = &request.messages()[1]["content"][0];
    assert_eq!(block["thinking"], "Hm.");
    assert_eq!(block["signature"], "sig-1");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_built_in_tools_are_sent_in_a_stable_order_with_strict_schemas() {
    let model = ScriptedModel::start([turn().text("done").end()]).await;
    let mut desk = Desk::anthropic(&model, &[("a.txt", "")]).await;
    desk.ask("go").await;
    let body = model.request(0).await.body;
    let names: Vec<_> = body["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect();
    assert!(names.is_sorted(), "{names:?}");
    for tool in [
        "Bash",
        "Edit",
        "Glob",
        "Grep",
        "MultiEdit",
        "Read",
        "TaskOutput",
        "TaskStop",
        "Write",
    ] {
        assert!(names.contains(&tool), "{tool} is missing of {names:?}");
    }
    for tool in body["tools"].as_array().unwrap() {
        assert_eq!(
            tool["input_schema"]["additionalProperties"],
            json!(false),
            "{tool}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_operator_replaces_across_files_each_edit_approved() {
    let files = [
        ("a.md", "colour one\n"),
        ("b.md", "two colour\n"),
        ("c.md", "nothing\n"),
    ];
    let mut desk = Desk::offline(&files).await;
    desk.say("replace \"colour\" with \"color\" in all files")
        .await;
    let first = desk.allow_next().await;
    let second = desk
        .until("the second edit asks", |snapshot| {
            snapshot
                .requests
                .iter()
                .any(|request| request.id != first.id)
        })
        .await
        .requests
        .remove(0);
    assert_eq!(
        (first.tool.as_str(), second.tool.as_str()),
        ("Edit", "Edit")
    );
    desk.answer(&second, json!({"type": "allow_once"}))
        .await
        .unwrap();
    desk.idle().await;
    assert_eq!(desk.project.read("a.md"), "color one\n");
    assert_eq!(desk.project.read("b.md"), "two color\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_operator_gives_a_tour_with_reads() {
    let mut desk = Desk::offline(&[
        ("README.md", "# Thing\n\nDoes things.\n"),
        ("src/main.rs", "fn main() {}\n"),
    ])
    .await;
    let end = desk.ask("tour").await;
    assert!(
        texts(&end).last().unwrap().contains("Thing"),
        "{:?}",
        texts(&end)
    );
}
