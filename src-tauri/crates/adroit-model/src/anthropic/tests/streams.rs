//! What a stream becomes.

use adroit_protocol::message::{CallInput, Content, Message, Role, StopReason, ToolCall};
use adroit_testkit::{Gate, ScriptedModel, Step, turn};
use serde_json::json;

use super::*;
use crate::testing::{collect, request};
use crate::{EndedPart, StreamEvent};

#[tokio::test]
async fn blocks_come_as_they_were_written() {
    let script = turn()
        .thinking("Hm.", "sig==")
        .text_in_pieces(["Let me ", "look."])
        .call_in_pieces("Read", json!({"file_path": "a.txt"}), 4)
        .usage(21, 9)
        .end();
    let (events, error) = play(script).await;
    assert_eq!(error, None);
    insta::assert_debug_snapshot!(events);
}

#[tokio::test]
async fn a_call_leaves_while_the_stream_goes_on() {
    let gate = Gate::new();
    let script = turn()
        .call_as("toolu_1", "Read", json!({}))
        .gate(&gate)
        .text("after")
        .end();
    let model = ScriptedModel::start([script]).await;
    let mut stream = client(&model).stream(
        Arc::new(request(vec![Message::user("go")])),
        CancellationToken::new(),
    );
    let mut ended_first = false;
    while let Some(event) = futures::StreamExt::next(&mut stream).await {
        if matches!(
            event.unwrap(),
            StreamEvent::End {
                content: EndedPart::Call(_),
                ..
            }
        ) {
            assert!(!gate.is_open());
            ended_first = true;
            gate.open();
        }
    }
    assert!(ended_first);
}

#[tokio::test]
async fn dv_stream_001_a_character_over_two_chunks() {
    let event = |text: &str| {
        format!(
            "event: content_block_delta\ndata: {}\n\n",
            delta(&json!({"type": "text_delta", "text": text}))
        )
    };
    let bytes = event("你好");
    let at = bytes.find('你').unwrap() + 2;
    let gate = Gate::new();
    let script = turn()
        .event(&start_block(&json!({"type": "text", "text": ""})))
        .raw(bytes.as_bytes()[..at].to_vec())
        .gate(&gate)
        .raw(bytes.as_bytes()[at..].to_vec())
        .event(&stop_block())
        .end();
    // The first piece is flushed while the answer waits.
    tokio::spawn(async move {
        gate.reached().await;
        gate.open();
    });
    let (events, error) = play(script).await;
    assert_eq!((texts(&events).as_str(), error), ("你好", None));
}

#[tokio::test]
async fn dv_stream_002_gzip_pings_and_noise() {
    let gate = Gate::new();
    let mut script = turn().gzip();
    for _ in 0..18 {
        script = script
            .step(Step::Ping)
            .raw("data:\n\n")
            .raw(": keep-alive\n\n");
    }
    let script = script.text("now").gate(&gate).text("later").end();
    let model = ScriptedModel::start([script]).await;
    let mut stream = client(&model).stream(
        Arc::new(request(vec![Message::user("go")])),
        CancellationToken::new(),
    );
    let mut events = Vec::new();
    while let Some(event) = futures::StreamExt::next(&mut stream).await {
        let event = event.unwrap();
        if matches!(&event, StreamEvent::End { .. }) && !gate.is_open() {
            // It came before the server went on.
            gate.open();
        }
        events.push(event);
    }
    assert_eq!(texts(&events), "nowlater");
    crate::testing::check_order(&events);
}

#[tokio::test]
async fn dv_stream_011_blocks_decide_not_the_stop_reason() {
    let (events, _) = play(turn().call("Read", json!({})).stop("end_turn")).await;
    assert_eq!(
        (calls(&events).len(), stop(&events)),
        (1, StopReason::EndTurn)
    );
    let (events, _) = play(turn().text("only words").stop("tool_use")).await;
    assert_eq!(
        (calls(&events).len(), stop(&events)),
        (0, StopReason::ToolUse)
    );
}

#[tokio::test]
async fn dv_stream_012_half_a_surrogate_pair() {
    let script = turn()
        .raw("data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n")
        .raw("data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"a\\ud800b\"}}\n\n")
        .event(&stop_block())
        .raw("data: {\"type\":\"content_block_start\",\"index\":1,\"content_block\":{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"Write\",\"input\":{}}}\n\n")
        .event(&json!({"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": "{\"content\":\"\\ud99c\"}"}}))
        .event(&json!({"type": "content_block_stop", "index": 1}))
        .stop("tool_use");
    let (events, error) = play(script).await;
    assert_eq!((texts(&events).as_str(), error), ("a\u{FFFD}b", None));
    assert_eq!(
        calls(&events)[0].input,
        CallInput::Object(json!({"content": "\u{FFFD}"}))
    );
}

#[tokio::test]
async fn every_stop_reason() {
    for (word, expected) in [
        ("end_turn", StopReason::EndTurn),
        ("tool_use", StopReason::ToolUse),
        ("max_tokens", StopReason::MaxTokens),
        ("stop_sequence", StopReason::StopSequence),
        ("pause_turn", StopReason::PauseTurn),
        ("refusal", StopReason::Refusal),
        ("model_context_window_exceeded", StopReason::ContextExceeded),
        (
            "coffee_break",
            StopReason::Other {
                reason: "coffee_break".into(),
            },
        ),
    ] {
        assert_eq!(stop(&play(turn().text("x").stop(word)).await.0), expected);
    }
}

#[tokio::test]
async fn unknown_blocks_are_kept_and_unknown_deltas_passed_over() {
    let script = turn()
        .event(&start_block(
            &json!({"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}}),
        ))
        .event(&delta(
            &json!({"type": "input_json_delta", "partial_json": "{\"query\":\"x\"}"}),
        ))
        .event(&delta(&json!({"type": "something_new", "data": 1})))
        .event(&stop_block())
        .event(&json!({"type": "brand_new_event", "x": [1]}))
        .event(&start_block(
            &json!({"type": "redacted_thinking", "data": "enc"}),
        ))
        .event(&stop_block())
        .event(&start_block(&json!({"type": "text", "text": "a"})))
        .event(&delta(&json!({"type": "citations_delta", "citation": {}})))
        .event(&stop_block())
        .end();
    let (events, error) = play(script).await;
    assert_eq!(error, None);
    let opaque = json!({"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"query": "x"}});
    let parts = [
        Content::Opaque {
            origin: origin("model-x"),
            value: opaque.clone(),
        },
        Content::RedactedThinking {
            data: "enc".into(),
            origin: origin("model-x"),
        },
        Content::Text { text: "a".into() },
    ];
    assert_eq!(ended(&events), parts.clone().map(EndedPart::Content));
    // Sent back as it came, to the same model only.
    let history = vec![
        Message {
            role: Role::Assistant,
            content: parts.to_vec(),
        },
        Message::user("go"),
    ];
    assert_eq!(
        sent(request(history.clone())).await.body["messages"][0]["content"][0],
        opaque
    );
    let mut other = request(history);
    other.model = "z".into();
    assert!(!sent(other).await.body.to_string().contains("web_search"));
}

#[tokio::test]
async fn an_input_that_comes_whole() {
    let whole = json!({"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "ls"}});
    let (events, _) = play(
        turn()
            .event(&start_block(&whole))
            .event(&stop_block())
            .end(),
    )
    .await;
    assert_eq!(
        calls(&events)[0].input,
        CallInput::Object(json!({"command": "ls"}))
    );
    // Pieces win over what came with the start.
    let pieces = turn()
        .event(&start_block(&whole))
        .event(&delta(
            &json!({"type": "input_json_delta", "partial_json": "{\"command\":\"pwd\"}"}),
        ))
        .event(&stop_block())
        .end();
    assert_eq!(
        calls(&play(pieces).await.0)[0].input,
        CallInput::Object(json!({"command": "pwd"}))
    );
}

#[tokio::test]
async fn ids_are_unique_in_the_conversation() {
    let script = || {
        turn()
            .call_as("call_0", "Read", json!({}))
            .call_as("call_0", "Read", json!({}))
            .call_as(" ", "Read", json!({}))
            .end()
    };
    let model = ScriptedModel::start([script(), script()]).await;
    let (events, _) = collect(&client(&model), request(vec![Message::user("go")])).await;
    let first = calls(&events);
    assert_eq!(first[0].id.as_str(), "call_0");
    let history = vec![
        Message::user("go"),
        Message {
            role: Role::Assistant,
            content: first.iter().map(ToolCall::to_content).collect(),
        },
        Message::user("again"),
    ];
    let (events, _) = collect(&client(&model), request(history)).await;
    let mut ids: Vec<String> = first
        .iter()
        .chain(&calls(&events))
        .map(|call| call.id.to_string())
        .collect();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 6, "{ids:?}");
}

#[tokio::test]
async fn the_models_are_listed() {
    let model = ScriptedModel::start([]).await;
    model.set_models(&["one", "two"]);
    assert_eq!(client(&model).models().await.unwrap(), ["one", "two"]);
}
