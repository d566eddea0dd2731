//! The terminals of commands and the person's own.

use adroit_protocol::command::{TerminalList, TerminalState};
use adroit_protocol::event::CallStatus;
use adroit_testkit::{ScriptedModel, turn};
use serde_json::{Value, json};

use crate::desk::{Desk, statuses};

#[tokio::test(flavor = "multi_thread")]
async fn a_person_types_into_a_running_command() {
    let model = ScriptedModel::start([
        turn()
            .call(
                "Bash",
                json!({"command": "read -r line; echo \"got:$line\""}),
            )
            .end(),
        turn().text("done").end(),
    ])
    .await;
    let mut desk = Desk::anthropic(&model, &[("a.txt", "")]).await;
    desk.on_session::<Value>("mode.set", json!({"mode": "bypassPermissions"}))
        .await
        .unwrap();
    desk.say("go").await;
    desk.until("the command runs in a terminal", |snapshot| {
        snapshot.items.iter().any(|item| matches!(
            &item.body,
            adroit_protocol::event::ItemBody::Call { call } if call.terminal.is_some() && call.status == CallStatus::Running
        ))
    })
    .await;
    let list: TerminalList = desk.on_session("terminal.list", json!({})).await.unwrap();
    let terminal = &list.terminals[0];
    assert!(terminal.running);
    desk.rpc::<Value>(
        "terminal.write",
        json!({"terminal": terminal.terminal, "text": "hello\n"}),
    )
    .await
    .unwrap();
    let end = desk.idle().await;
    assert_eq!(statuses(&end), [CallStatus::Succeeded]);
    let results = model.request(1).await.tool_results();
    assert!(results[0].1.contains("got:hello"), "{}", results[0].1);
    // It stays readable after its end.
    let state: TerminalState = desk
        .rpc("terminal.attach", json!({"terminal": terminal.terminal}))
        .await
        .unwrap();
    assert!(!state.summary.running && !state.scrollback.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_terminal_of_ones_own_opens_resizes_and_closes() {
    let desk = Desk::offline(&[("a.txt", "")]).await;
    let opened: TerminalState = desk
        .on_session("terminal.open", json!({"rows": 30, "columns": 100}))
        .await
        .unwrap();
    assert!(opened.summary.running && opened.summary.call.is_none());
    let terminal = opened.summary.terminal;
    desk.rpc::<Value>(
        "terminal.resize",
        json!({"terminal": terminal, "rows": 40, "columns": 120}),
    )
    .await
    .unwrap();
    desk.rpc::<Value>("terminal.close", json!({"terminal": terminal}))
        .await
        .unwrap();
    let list: TerminalList = desk.on_session("terminal.list", json!({})).await.unwrap();
    assert!(list.terminals.is_empty());
    desk.rpc::<Value>("terminal.write", json!({"terminal": terminal, "text": "x"}))
        .await
        .unwrap_err();
}
