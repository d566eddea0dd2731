//! Calls of before under other rules, and the inbox of all sessions.

use adroit_protocol::command::{Inbox, WhatIfAnswer};
use adroit_protocol::permission::Behavior;
use adroit_testkit::{ScriptedModel, turn};
use serde_json::{Value, json};

use crate::desk::Desk;

fn bash(command: &str) -> Value {
    json!({"command": command})
}

async fn what_if(desk: &Desk, mut question: Value) -> WhatIfAnswer {
    question["wholeProject"] = json!(question["wholeProject"].as_bool().unwrap_or(false));
    desk.on_session("permissions.what_if", question)
        .await
        .unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn past_calls_are_decided_under_other_rules_and_modes() {
    let model = ScriptedModel::start([
        turn()
            .call("Bash", bash("touch one.txt"))
            .call("Bash", bash("ls"))
            .call("Write", json!({"file_path": "b.txt", "content": "x"}))
            .end(),
        turn().text("done").end(),
    ])
    .await;
    let mut desk = Desk::anthropic(&model, &[("a.txt", "")]).await;
    desk.say("go").await;
    desk.allow_next().await;
    desk.until("the next is asked", |state| {
        state
            .requests
            .first()
            .is_some_and(|request| request.tool == "Write")
    })
    .await;
    desk.allow_next().await;
    desk.idle().await;

    let rules = json!([
        {"behavior": "allow", "rule": "Bash(touch:*)"},
        {"behavior": "deny", "rule": "Bash(ls)"},
        {"behavior": "allow", "rule": "Bash(oops"},
    ]);
    let answer = what_if(&desk, json!({"rules": rules, "mode": null})).await;
    let changed: Vec<(&str, Behavior, Behavior)> = answer
        .changed
        .iter()
        .map(|one| (one.subject.as_str(), one.now.behavior, one.tried.behavior))
        .collect();
    assert_eq!(
        changed,
        [
            ("ls", Behavior::Allow, Behavior::Deny),
            ("touch one.txt", Behavior::Ask, Behavior::Allow),
        ]
    );
    assert_eq!(
        answer.changed[1].decided,
        Some(Behavior::Allow),
        "by the person"
    );
    assert_eq!((answer.looked_at, answer.problems.len()), (3, 1));

    let edits = what_if(&desk, json!({"rules": null, "mode": "acceptEdits"})).await;
    let subjects: Vec<&str> = edits
        .changed
        .iter()
        .map(|one| one.subject.as_str())
        .collect();
    assert_eq!(subjects, ["b.txt", "touch one.txt"]);
    let nothing = what_if(
        &desk,
        json!({"rules": null, "mode": null, "wholeProject": true}),
    )
    .await;
    assert!(nothing.changed.is_empty());
    assert_eq!(nothing.looked_at, 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_inbox_has_the_requests_of_all_sessions() {
    let model = ScriptedModel::start([
        turn().call("Bash", bash("touch one.txt")).end(),
        turn().call("Bash", bash("touch two.txt")).end(),
        turn().text("done").end(),
        turn().text("done").end(),
    ])
    .await;
    let mut desk = Desk::anthropic(&model, &[("a.txt", "")]).await;
    desk.say("first").await;
    desk.request().await;
    let path = desk.project.path().display().to_string();
    let other: Value = desk
        .rpc("session.create", json!({"path": path}))
        .await
        .unwrap();
    desk.rpc::<Value>(
        "turn.submit",
        json!({"session": other["session"], "text": "second"}),
    )
    .await
    .unwrap();
    let inbox = loop {
        let inbox: Inbox = desk.rpc("inbox.list", json!({})).await.unwrap();
        if inbox.requests.len() == 2 {
            break inbox;
        }
        desk.next_event().await;
    };
    let commands: Vec<&Value> = inbox
        .requests
        .iter()
        .map(|request| &request.input["command"])
        .collect();
    assert_eq!(commands, ["touch one.txt", "touch two.txt"]);
    assert_eq!(inbox.sessions.len(), 2);
    // Each is answered by its own session, id and nonce; one is vetoed.
    for (request, answer) in inbox.requests.iter().zip(["allow_once", "deny"]) {
        desk.rpc::<Value>(
            "request.answer",
            json!({"session": request.session, "request": request.id, "nonce": request.nonce, "answer": {"type": answer}}),
        )
        .await
        .unwrap();
    }
    desk.idle().await;
    let empty: Inbox = desk.rpc("inbox.list", json!({})).await.unwrap();
    assert!(empty.requests.is_empty());
    loop {
        let state: Value = desk
            .rpc("session.open", json!({"session": other["session"]}))
            .await
            .unwrap();
        if state["turn"]["type"] == "idle" {
            break;
        }
        desk.next_event().await;
    }
    assert!(desk.project.exists("one.txt") && !desk.project.exists("two.txt"));
}
