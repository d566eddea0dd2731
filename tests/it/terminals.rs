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
    desk.on_session::<Value>(
        "mode.set",
        json!({"mode": "bypassPermissions", "confirmed": true}),
    )
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

#[tokio::test(flavor = "multi_thread")]
async fn the_model_and_the_person_hear_that_a_background_task_ended() {
    let model = ScriptedModel::start([
        turn()
            .call(
                "Bash",
                json!({"command": "echo out; exit 3", "run_in_background": true}),
            )
            .end(),
        turn().text("started").end(),
        turn().text("so it failed").end(),
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
    let list = loop {
        let list: TerminalList = desk.on_session("terminal.list", json!({})).await.unwrap();
        if !list.terminals[0].running {
            break list;
        }
        tokio::task::yield_now().await;
    };
    let terminal = &list.terminals[0];
    assert_eq!(terminal.exit_code, Some(3));
    let task = terminal.task.clone().unwrap();
    desk.ask("and now?").await;
    // The notice may have come before the second request already, or comes with the third.
    let body = model.request(2).await.body.to_string();
    assert!(
        body.contains("<system-note>")
            && body.contains(&task)
            && body.contains("ended with exit code 3"),
        "{body}"
    );
    let shown = desk.snapshot().await;
    assert!(shown.items.iter().any(|item| matches!(
        &item.body,
        adroit_protocol::event::ItemBody::Notice { text, .. } if text.contains("ended with exit code 3")
    )));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_running_command_is_moved_to_the_background_and_its_call_returns() {
    let model = ScriptedModel::start([
        turn()
            .call("Bash", json!({"command": "echo begun; read -r line"}))
            .end(),
        turn().text("going on").end(),
    ])
    .await;
    let mut desk = Desk::anthropic(&model, &[("a.txt", "")]).await;
    desk.on_session::<Value>(
        "mode.set",
        json!({"mode": "bypassPermissions", "confirmed": true}),
    )
    .await
    .unwrap();
    desk.say("go").await;
    let terminal = loop {
        let list: TerminalList = desk.on_session("terminal.list", json!({})).await.unwrap();
        match list.terminals.first() {
            Some(terminal) if terminal.movable => break terminal.terminal.clone(),
            _ => tokio::task::yield_now().await,
        }
    };
    desk.rpc::<Value>("terminal.background", json!({"terminal": terminal}))
        .await
        .unwrap();
    let end = desk.idle().await;
    assert_eq!(statuses(&end), [CallStatus::Succeeded]);
    let results = model.request(1).await.tool_results();
    assert!(
        results[0]
            .1
            .contains("The user moved this command to the background"),
        "{}",
        results[0].1
    );
    // It is a task now, which takes input and shows its processes, and cannot be moved again.
    let state: TerminalState = desk
        .rpc("terminal.attach", json!({"terminal": terminal}))
        .await
        .unwrap();
    assert!(state.summary.running && state.summary.task.is_some() && !state.summary.movable);
    let processes: Value = desk
        .rpc("terminal.processes", json!({"terminal": terminal}))
        .await
        .unwrap();
    assert!(!processes["processes"].as_array().unwrap().is_empty());
    desk.rpc::<Value>("terminal.background", json!({"terminal": terminal}))
        .await
        .unwrap_err();
}
