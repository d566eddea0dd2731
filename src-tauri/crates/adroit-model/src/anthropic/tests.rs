use adroit_protocol::message::{
    CallInput, Content, Message, Origin, ResultContent, Role, StopReason, ToolCall, ToolDefinition,
};
use adroit_testkit::{Gate, ScriptedModel, Step, response, turn};
use serde_json::{Value, json};

use super::*;
use crate::testing::{collect, request};
use crate::{EndedPart, ProviderKind, StreamEvent, SystemBlock};

fn client(model: &ScriptedModel) -> Anthropic {
    let config = ProviderConfig::new(ProviderKind::Anthropic).with_base_url(model.base_url());
    Anthropic::new(&config.with_key("sk-test-key".to_owned())).unwrap()
}

/// The answer to a script.
async fn play(script: adroit_testkit::Turn) -> (Vec<StreamEvent>, Option<ModelError>) {
    let model = ScriptedModel::start([script]).await;
    collect(&client(&model), request(vec![Message::user("go")])).await
}

/// The body that is sent for a request.
async fn sent(request: ModelRequest) -> adroit_testkit::RecordedRequest {
    let model = ScriptedModel::start([turn().end()]).await;
    let (_, error) = collect(&client(&model), request).await;
    assert_eq!(error, None);
    model.request(0).await
}

fn ended(events: &[StreamEvent]) -> Vec<EndedPart> {
    let content = |event: &StreamEvent| match event {
        StreamEvent::End { content, .. } => Some(content.clone()),
        _ => None,
    };
    events.iter().filter_map(content).collect()
}

fn texts(events: &[StreamEvent]) -> String {
    let text = |event: &StreamEvent| match event {
        StreamEvent::Text { text, .. } => Some(text.clone()),
        _ => None,
    };
    events.iter().filter_map(text).collect()
}

fn calls(events: &[StreamEvent]) -> Vec<ToolCall> {
    let call = |part| match part {
        EndedPart::Call(call) => Some(call),
        EndedPart::Content(_) => None,
    };
    ended(events).into_iter().filter_map(call).collect()
}

fn origin(model: &str) -> Origin {
    Origin {
        provider: PROVIDER.into(),
        model: model.into(),
    }
}

fn stop(events: &[StreamEvent]) -> StopReason {
    match events.last() {
        Some(StreamEvent::Finish { stop }) => stop.clone(),
        other => panic!("{other:?}"),
    }
}

fn start_block(block: &Value) -> Value {
    json!({"type": "content_block_start", "index": 0, "content_block": block})
}

fn delta(delta: &Value) -> Value {
    json!({"type": "content_block_delta", "index": 0, "delta": delta})
}

fn stop_block() -> Value {
    json!({"type": "content_block_stop", "index": 0})
}

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
async fn dv_stream_003_invalid_json_is_not_executed() {
    for broken in [
        r#"{"command": "ls -la",}"#,
        r#"{"command": "ls" "x"}"#,
        r#"{"a":1}{"b":2}"#,
        "[1]",
    ] {
        let (events, error) =
            play(turn().call_start("toolu_1", "Bash").arguments(broken).end()).await;
        assert_eq!(error, None);
        let call = calls(&events).remove(0);
        assert!(
            matches!(&call.input, CallInput::Invalid { raw, .. } if raw == broken),
            "{call:?}"
        );
        // The stored input is a valid object.
        assert!(matches!(call.to_content(), Content::ToolUse { input, .. } if input == json!({})));
    }
}

#[tokio::test]
async fn dv_stream_004_overloaded_in_the_middle() {
    let (events, error) = play(turn().step(Step::Text("Let me".into())).step(Step::Error {
        kind: "overloaded_error".into(),
        message: "Overloaded".into(),
    }))
    .await;
    assert_eq!(texts(&events), "Let me");
    let error = error.unwrap();
    assert!(
        matches!(error, ModelError::Overloaded { .. }) && error.retryable(),
        "{error:?}"
    );
    assert!(
        !events
            .iter()
            .any(|event| matches!(event, StreamEvent::Finish { .. }))
    );
}

#[tokio::test]
async fn dv_stream_005_a_stall_ends_and_stop_is_immediate() {
    let model = ScriptedModel::start([turn().stall(), turn().stall()]).await;
    let mut config = ProviderConfig::new(ProviderKind::Anthropic).with_base_url(model.base_url());
    config.idle_timeout = Duration::from_millis(30);
    let (_, error) = collect(&Anthropic::new(&config).unwrap(), request(vec![])).await;
    assert_eq!(
        error,
        Some(ModelError::Stalled {
            after: Duration::from_millis(30)
        })
    );
    assert!(error.unwrap().retryable());

    let cancel = CancellationToken::new();
    let stream = client(&model).stream(Arc::new(request(vec![])), cancel.clone());
    let waiting = tokio::spawn(futures::StreamExt::collect::<Vec<_>>(stream));
    model.request(1).await;
    cancel.cancel();
    assert_eq!(waiting.await.unwrap(), [Err(ModelError::Cancelled)]);
}

/// A conversation of turns by model X (signed), then Y of another provider, then X again.
fn mixed_history() -> Vec<Message> {
    let thinking = |text: &str, origin: Origin| Content::Thinking {
        text: text.into(),
        signature: Some(format!("sig-{text}")),
        origin,
    };
    let call = |id: &str| Content::ToolUse {
        id: id.into(),
        name: "Read".into(),
        input: json!({"file_path": "a"}),
    };
    let result = |id: &str| Message {
        role: Role::User,
        content: vec![Content::ToolResult {
            tool_use_id: id.into(),
            content: vec![ResultContent::text("ok")],
            is_error: false,
        }],
    };
    let foreign = Origin {
        provider: "openai-chat".into(),
        model: "y".into(),
    };
    vec![
        Message::user("one"),
        Message {
            role: Role::Assistant,
            content: vec![
                thinking("x", origin("model-x")),
                Content::RedactedThinking {
                    data: "enc".into(),
                    origin: origin("model-x"),
                },
                call("toolu_1"),
            ],
        },
        result("toolu_1"),
        Message {
            role: Role::Assistant,
            content: vec![thinking("y", foreign.clone()), call("functions.Read:0")],
        },
        result("functions.Read:0"),
        Message {
            role: Role::Assistant,
            content: vec![thinking("only", foreign.clone())],
        },
        Message::user("go on"),
    ]
}

#[tokio::test]
async fn dv_stream_010_foreign_thinking_is_dropped_and_pairs_kept() {
    let own = sent(request(mixed_history())).await;
    insta::assert_json_snapshot!(own.body["messages"]);
    // The same conversation for another model of the same provider.
    let mut other = request(mixed_history());
    other.model = "model-z".into();
    let body = sent(other).await.body.to_string();
    assert!(
        !body.contains("sig-") && !body.contains("\"enc\""),
        "{body}"
    );
    assert_eq!(
        body.matches("\"tool_use\"").count(),
        body.matches("\"tool_result\"").count()
    );
}

#[tokio::test]
async fn thinking_is_not_asked_for_in_the_middle_of_a_turn_of_another_model() {
    let mut history = mixed_history();
    history.truncate(5);
    let ask = |model: &str, history: &[Message]| {
        let mut request = request(history.to_vec());
        (request.thinking, request.model) = (Some(2000), model.into());
        request
    };
    let thinking = |request: ModelRequest| async { sent(request).await.body["thinking"].clone() };
    assert_eq!(
        thinking(ask("model-x", &history)).await["budget_tokens"],
        2000
    );
    assert_eq!(thinking(ask("model-z", &history)).await, Value::Null);
    assert_eq!(
        thinking(ask("model-z", &mixed_history())).await["budget_tokens"],
        2000
    );
    let mut small = ask("model-x", &history);
    small.max_output_tokens = 500;
    assert_eq!(thinking(small).await, Value::Null);
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
async fn dv_stream_013_images_in_results() {
    let result = Content::ToolResult {
        tool_use_id: "t".into(),
        content: vec![
            ResultContent::text("before"),
            ResultContent::Image {
                media_type: "image/png".into(),
                data: "AAAA".into(),
            },
            ResultContent::text("after"),
        ],
        is_error: false,
    };
    let history = vec![
        Message::user("go"),
        Message {
            role: Role::Assistant,
            content: vec![Content::ToolUse {
                id: "t".into(),
                name: "Read".into(),
                input: json!({}),
            }],
        },
        Message {
            role: Role::User,
            content: vec![result],
        },
    ];
    let kinds = |body: &Value| -> Vec<Value> {
        body["messages"][2]["content"][0]["content"]
            .as_array()
            .unwrap()
            .iter()
            .map(|part| part["type"].clone())
            .collect()
    };
    let body = sent(request(history.clone())).await.body;
    assert_eq!(kinds(&body), ["text", "image", "text"]);

    let model = ScriptedModel::start([turn().end()]).await;
    let mut config = ProviderConfig::new(ProviderKind::Anthropic).with_base_url(model.base_url());
    config.images = false;
    collect(&Anthropic::new(&config).unwrap(), request(history)).await;
    let body = model.request(0).await.body;
    assert_eq!(kinds(&body), ["text", "text", "text"]);
    assert!(!body.to_string().contains("AAAA"));
}

#[tokio::test]
async fn the_request_says_what_is_to_be_said() {
    let mut request = request(vec![
        Message::user("first"),
        Message {
            role: Role::Assistant,
            content: vec![
                Content::Text { text: " ".into() },
                Content::Text { text: "ok".into() },
            ],
        },
        Message::user("second"),
        Message::user("third"),
    ]);
    let tool = |name: &str| ToolDefinition {
        name: name.into(),
        description: format!("does {name}"),
        input_schema: Arc::new(json!({"type": "object"})),
        strict: false,
    };
    let block = |text: &str, cache| SystemBlock {
        text: text.into(),
        cache,
    };
    request.system = vec![
        block("a", true),
        block("b", true),
        block("", true),
        block("c", true),
        block("d", false),
    ];
    request.tools = vec![tool("Bash"), tool("Read"), tool("mcp__x__y")];
    request.tool_cache_breakpoint = Some(2);
    let sent = sent(request).await;
    assert_eq!(sent.header("x-api-key"), "sk-test-key");
    assert_eq!(sent.header("anthropic-version"), "2023-06-01");
    assert!(
        sent.header("anthropic-beta")
            .contains("fine-grained-tool-streaming")
    );
    assert_eq!(sent.body.to_string().matches("cache_control").count(), 4);
    insta::assert_json_snapshot!(sent.body);
}

#[tokio::test]
async fn failed_results_and_odd_histories() {
    let message = |role, content| Message { role, content };
    let result = |id: &str, text: &str, is_error| Content::ToolResult {
        tool_use_id: id.into(),
        content: vec![ResultContent::text(text)],
        is_error,
    };
    let call = |id: &str, name: &str| Content::ToolUse {
        id: id.into(),
        name: name.into(),
        input: Value::Null,
    };
    let text = |text: &str| Content::Text { text: text.into() };
    let history = vec![
        Message::user("go"),
        message(
            Role::Assistant,
            vec![call("a", "Read a file"), call("b", "Bash")],
        ),
        message(
            Role::User,
            vec![
                text("also this"),
                result("a", "no such tool", true),
                result("b", "", false),
            ],
        ),
    ];
    let body = sent(request(history)).await.body;
    insta::assert_json_snapshot!(body["messages"]);
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
async fn half_an_answer_is_an_error() {
    // The connection is cut within a call.
    let (events, error) = play(
        turn()
            .call_start("t", "Write")
            .arguments("{\"file_path\":")
            .cut(),
    )
    .await;
    assert!(
        matches!(error, Some(ModelError::Dropped { .. })),
        "{error:?}"
    );
    assert!(calls(&events).is_empty());
    // The body ends in good order, but the answer does not.
    let (events, error) = play(turn().call_start("t", "Write").arguments("{}")).await;
    assert!(
        matches!(error, Some(ModelError::Dropped { .. })),
        "{error:?}"
    );
    assert!(calls(&events).is_empty());
    // It ends within an event.
    let (_, error) = play(turn().raw("data: {\"type\":\"content_bl")).await;
    assert!(
        matches!(error, Some(ModelError::Dropped { .. })),
        "{error:?}"
    );
    // Only the end mark is missing.
    let (events, error) = play(
        turn()
            .text("x")
            .step(Step::Stop {
                reason: "end_turn".into(),
                usage: (1, 1),
            })
            .cut(),
    )
    .await;
    assert_eq!((error, stop(&events)), (None, StopReason::EndTurn));
    // Arguments for a block that is not there.
    let (_, error) = play(turn().event(&delta(
        &json!({"type": "input_json_delta", "partial_json": "{"}),
    )))
    .await;
    assert!(
        matches!(error, Some(ModelError::Protocol { .. })),
        "{error:?}"
    );
    // No JSON at all.
    let (_, error) = play(turn().raw("data: hello\n\n")).await;
    assert!(
        matches!(error, Some(ModelError::Protocol { .. })),
        "{error:?}"
    );
}

#[tokio::test]
async fn refusals_say_what_to_do() {
    let refused = |status, kind: &str, message: &str| {
        play(
            response(status)
                .error_body(kind, message)
                .header("retry-after", "3"),
        )
    };
    let (_, error) = refused(
        401,
        "authentication_error",
        "invalid x-api-key: sk-test-key",
    )
    .await;
    let error = error.unwrap();
    assert!(!format!("{error:?} {error}").contains("sk-test-key"));
    insta::assert_snapshot!(error.hint(), @"Enter a valid key for this provider in the settings, or set it in the environment.");
    let (_, error) = refused(529, "overloaded_error", "Overloaded").await;
    let error = error.unwrap();
    assert_eq!(
        (error.retryable(), error.retry_after()),
        (true, Some(Duration::from_secs(3)))
    );
    let (_, error) = refused(404, "not_found_error", "model: model-x").await;
    assert!(matches!(error, Some(ModelError::ModelNotFound { model, .. }) if model == "model-x"));
    let (_, error) = play(
        response(200)
            .header("content-type", "text/html")
            .raw("<html>"),
    )
    .await;
    assert!(
        matches!(error, Some(ModelError::BadAddress { .. })),
        "{error:?}"
    );

    let closed = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let config =
        ProviderConfig::new(ProviderKind::Anthropic).with_base_url(format!("http://{closed}"));
    let (_, error) = collect(&Anthropic::new(&config).unwrap(), request(vec![])).await;
    let error = error.unwrap();
    assert!(matches!(error, ModelError::Unreachable { .. }), "{error:?}");
    assert!(
        error.to_string().contains("Connection refused")
            && error.hint().contains("Start the local model server"),
        "{error}"
    );
}

#[tokio::test]
async fn no_key_is_told_before_anything_is_sent() {
    let client = Anthropic::new(&ProviderConfig::new(ProviderKind::Anthropic)).unwrap();
    let (_, error) = collect(&client, request(vec![])).await;
    assert!(
        matches!(error, Some(ModelError::Unauthorized { .. })),
        "{error:?}"
    );
}

#[tokio::test]
async fn the_models_are_listed() {
    let model = ScriptedModel::start([]).await;
    model.set_models(&["one", "two"]);
    assert_eq!(client(&model).models().await.unwrap(), ["one", "two"]);
}
