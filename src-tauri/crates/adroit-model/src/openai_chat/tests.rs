use adroit_protocol::message::{
    CallInput, Content, Message, Origin, ResultContent, Role, StopReason, ToolCall, Usage,
};
use adroit_testkit::{Gate, ScriptedModel, Step, Turn, response, turn};
use serde_json::{Value, json};

use super::*;
use crate::testing::{collect, request};
use crate::{EndedPart, ProviderKind, StreamEvent};

fn client(model: &ScriptedModel) -> OpenAiChat {
    let config = ProviderConfig::new(ProviderKind::OpenaiChat).with_base_url(model.base_url());
    OpenAiChat::new(&config.with_key("sk-test-key".to_owned())).unwrap()
}

async fn play(script: Turn) -> (Vec<StreamEvent>, Option<ModelError>) {
    let model = ScriptedModel::start([script]).await;
    collect(&client(&model), request(vec![Message::user("go")])).await
}

/// The calls of these `tool_calls` deltas, one chunk each, ended with `tool_calls`.
async fn calls_of(deltas: &[Value]) -> Result<Vec<ToolCall>, ModelError> {
    let script = deltas.iter().fold(turn().bare(), |script, delta| {
        chunk(script, &json!({"tool_calls": [delta]}))
    });
    match play(done(script, "tool_calls")).await {
        (events, None) => Ok(calls(&events)),
        (_, Some(error)) => Err(error),
    }
}

fn chunk(script: Turn, delta: &Value) -> Turn {
    script.event(&json!({"choices": [{"index": 0, "delta": delta, "finish_reason": null}]}))
}

fn done(script: Turn, reason: &str) -> Turn {
    script
        .event(&json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}))
        .event(&json!({"choices": [], "usage": {"prompt_tokens": 30, "completion_tokens": 7, "prompt_tokens_details": {"cached_tokens": 10}}}))
        .step(Step::Done)
}

fn ended(events: &[StreamEvent]) -> Vec<EndedPart> {
    let content = |event: &StreamEvent| match event {
        StreamEvent::End { content, .. } => Some(content.clone()),
        _ => None,
    };
    events.iter().filter_map(content).collect()
}

fn calls(events: &[StreamEvent]) -> Vec<ToolCall> {
    let call = |part| match part {
        EndedPart::Call(call) => Some(call),
        EndedPart::Content(_) => None,
    };
    ended(events).into_iter().filter_map(call).collect()
}

fn inputs(calls: &[ToolCall]) -> Vec<Value> {
    let input = |call: &ToolCall| match &call.input {
        CallInput::Object(value) => value.clone(),
        CallInput::Invalid { message, .. } => json!(message),
    };
    calls.iter().map(input).collect()
}

fn stop(events: &[StreamEvent]) -> StopReason {
    match events.last() {
        Some(StreamEvent::Finish { stop }) => stop.clone(),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn blocks_come_as_they_were_written() {
    let script = turn()
        .thinking("Hm.", "ignored")
        .text_in_pieces(["Let me ", "look."])
        .call_in_pieces("Read", json!({"file_path": "a"}), 3)
        .call("Bash", json!({"command": "ls"}))
        .usage(21, 9)
        .end();
    let (events, error) = play(script).await;
    assert_eq!(error, None);
    insta::assert_debug_snapshot!(events);
}

#[tokio::test]
async fn a_call_ends_when_the_next_begins() {
    let gate = Gate::new();
    let script = turn()
        .call("Read", json!({"n": 1}))
        .call_start("", "Read")
        .gate(&gate)
        .arguments("{\"n\":2}")
        .end();
    let model = ScriptedModel::start([script]).await;
    let mut stream = client(&model).stream(
        Arc::new(request(vec![Message::user("go")])),
        CancellationToken::new(),
    );
    let mut ends = Vec::new();
    while let Some(event) = futures::StreamExt::next(&mut stream).await {
        if let StreamEvent::End {
            content: EndedPart::Call(call),
            ..
        } = event.unwrap()
        {
            ends.push((gate.is_open(), inputs(&[call]).remove(0)));
            gate.open();
        }
    }
    assert_eq!(ends, [(false, json!({"n": 1})), (true, json!({"n": 2}))]);
}

#[tokio::test]
async fn dv_stream_015_missing_index() {
    let calls = calls_of(&[
        json!({"id": "a", "function": {"name": "Read", "arguments": "{\"file"}}),
        json!({"function": {"arguments": "_path\":"}}),
        json!({"function": {"arguments": "\"1\"}"}}),
        json!({"id": "b", "function": {"name": "Read", "arguments": "{\"file_path\":\"2\"}"}}),
    ])
    .await
    .unwrap();
    assert_eq!(
        inputs(&calls),
        [json!({"file_path": "1"}), json!({"file_path": "2"})]
    );
    assert_eq!([calls[0].id.as_str(), calls[1].id.as_str()], ["a", "b"]);
}

#[tokio::test]
async fn dv_stream_016_arguments_in_other_clothes() {
    for (arguments, expected) in [
        (json!({"command": "ls"}), json!({"command": "ls"})),
        (
            json!("\"{\\\"command\\\":\\\"ls\\\"}\""),
            json!({"command": "ls"}),
        ),
        (json!("{\"command\":\"ls\"}"), json!({"command": "ls"})),
        (json!(null), json!({})),
        (json!(""), json!({})),
    ] {
        let calls = calls_of(&[
            json!({"index": 0, "id": "a", "function": {"name": "Bash", "arguments": arguments}}),
        ])
        .await
        .unwrap();
        assert_eq!(inputs(&calls), [expected], "{arguments}");
        // Echoed as a JSON string, as the protocol wants.
        let history = vec![
            Message::user("go"),
            Message {
                role: Role::Assistant,
                content: vec![calls[0].to_content()],
            },
        ];
        let model = ScriptedModel::start([turn().end()]).await;
        collect(&client(&model), request(history)).await;
        let echoed =
            model.request(0).await.body["messages"][1]["tool_calls"][0]["function"]["arguments"]
                .clone();
        assert_eq!(
            serde_json::from_str::<Value>(echoed.as_str().unwrap()).unwrap(),
            inputs(&calls)[0]
        );
    }
}

#[tokio::test]
async fn dv_stream_017_wrong_index() {
    let one = calls_of(&[
        json!({"index": 1, "id": "a", "function": {"name": "Bash", "arguments": ""}}),
        json!({"index": 0, "function": {"arguments": "{\"command\":"}}),
        json!({"index": 0, "function": {"arguments": "\"ls\"}"}}),
    ])
    .await
    .unwrap();
    assert_eq!(inputs(&one), [json!({"command": "ls"})]);
    // With two calls it cannot be told which one is meant.
    let two = calls_of(&[
        json!({"index": 1, "id": "a", "function": {"name": "Bash"}}),
        json!({"index": 2, "id": "b", "function": {"name": "Bash"}}),
        json!({"index": 0, "function": {"arguments": "{}"}}),
    ])
    .await;
    assert!(matches!(two, Err(ModelError::Protocol { .. })), "{two:?}");
    let none = calls_of(&[json!({"index": 0, "function": {"arguments": "{}"}})]).await;
    assert!(matches!(none, Err(ModelError::Protocol { .. })), "{none:?}");
}

#[tokio::test]
async fn deltas_of_many_servers() {
    let call = |id: Option<&str>, index: Option<u64>, name: Option<&str>, arguments: &str| json!({"id": id, "index": index, "function": {"name": name, "arguments": arguments}});
    let both = [json!({"n": 1}), json!({"n": 2})];
    for (server, deltas) in [
        (
            "interleaved",
            vec![
                call(Some("a"), Some(0), Some("R"), ""),
                call(Some("b"), Some(1), Some("R"), ""),
                call(None, Some(1), None, "{\"n\":2"),
                call(None, Some(0), None, "{\"n\":1}"),
                call(None, Some(1), None, "}"),
            ],
        ),
        (
            "index 0 for each",
            vec![
                call(Some("a"), Some(0), Some("R"), "{\"n\":1}"),
                call(Some("b"), Some(0), Some("R"), "{\"n\""),
                call(None, Some(0), None, ":2}"),
            ],
        ),
        (
            "neither id nor index",
            vec![
                call(None, None, Some("R"), "{\"n\":1}"),
                call(None, None, Some("R"), "{\"n\":2}"),
            ],
        ),
        (
            "no ids, index 0 for each",
            vec![
                call(None, Some(0), Some("R"), "{\"n\":1}"),
                call(None, Some(0), Some("R"), "{\"n\":2}"),
            ],
        ),
        (
            "id and name in each piece",
            vec![
                call(Some("a"), Some(0), Some("R"), "{\"n\":"),
                call(Some("a"), Some(0), Some("R"), "1}"),
                call(Some("b"), Some(1), Some("R"), "{\"n\":2}"),
                call(Some("b"), Some(1), Some("R"), ""),
            ],
        ),
        (
            "name in each piece",
            vec![
                call(None, None, Some("R"), "{\"n\":"),
                call(None, None, Some("R"), "1}"),
                call(None, None, Some("R"), "{\"n\":2}"),
            ],
        ),
        (
            "the same id for each",
            vec![
                call(Some("call"), Some(0), Some("R"), "{\"n\":1}"),
                call(Some("call"), Some(1), Some("R"), "{\"n\":2}"),
            ],
        ),
        (
            "name after the id",
            vec![
                call(Some("a"), Some(0), None, ""),
                call(None, Some(0), Some("R"), "{\"n\":1}"),
                call(Some("b"), Some(1), Some("R"), "{\"n\":2}"),
            ],
        ),
    ] {
        let calls = calls_of(&deltas)
            .await
            .unwrap_or_else(|error| panic!("{server}: {error}"));
        assert_eq!(inputs(&calls), both, "{server}");
        assert_ne!(calls[0].id, calls[1].id, "{server}");
        assert!(
            calls
                .iter()
                .all(|call| call.name == "R" && !call.id.as_str().is_empty()),
            "{server}"
        );
    }
}

#[tokio::test]
async fn a_call_without_a_name_still_leaves() {
    let calls = calls_of(&[json!({"index": 0, "id": "a", "function": {"arguments": "{}"}})])
        .await
        .unwrap();
    assert_eq!((calls[0].name.as_str(), calls[0].id.as_str()), ("", "a"));
}

#[tokio::test]
async fn usage_empty_choices_and_finish_reasons() {
    let script = turn()
        .event(&json!({"choices": [], "prompt_filter_results": []}))
        .text("x");
    let (events, error) = play(done(script, "stop")).await;
    assert_eq!(error, None);
    let usage = Usage {
        input_tokens: 20,
        output_tokens: 7,
        cache_read_tokens: 10,
        cache_write_tokens: 0,
    };
    assert!(events.contains(&StreamEvent::Usage(usage)), "{events:?}");
    for (word, expected) in [
        ("stop", StopReason::EndTurn),
        ("eos", StopReason::EndTurn),
        ("tool_calls", StopReason::ToolUse),
        ("function_call", StopReason::ToolUse),
        ("length", StopReason::MaxTokens),
        ("content_filter", StopReason::Refusal),
        (
            "weird",
            StopReason::Other {
                reason: "weird".into(),
            },
        ),
    ] {
        assert_eq!(stop(&play(done(turn(), word)).await.0), expected);
    }
    // dv-stream-011: "stop" beside calls.
    let (events, _) = play(turn().call("Read", json!({})).stop("end_turn")).await;
    assert_eq!(
        (calls(&events).len(), stop(&events)),
        (1, StopReason::ToolUse)
    );
}

#[tokio::test]
async fn ends_of_many_servers() {
    let finish = json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]});
    // No end mark: the body ends, the connection is cut, or it stays open.
    for script in [
        turn().text("x").event(&finish),
        turn().text("x").event(&finish).cut(),
    ] {
        let (events, error) = play(script).await;
        assert_eq!((error, stop(&events)), (None, StopReason::EndTurn));
    }
    // The end mark without a finish reason, and without an empty line after it.
    let (events, error) = play(turn().text("x").raw("data: [DONE]")).await;
    assert_eq!((error, stop(&events)), (None, StopReason::EndTurn));
    // Neither.
    let (_, error) = play(turn().call("Read", json!({}))).await;
    assert!(
        matches!(error, Some(ModelError::Dropped { .. })),
        "{error:?}"
    );
    let (_, error) = play(turn().text("x").cut()).await;
    assert!(
        matches!(error, Some(ModelError::Dropped { .. })),
        "{error:?}"
    );
}

#[tokio::test]
async fn an_open_connection_after_the_finish_does_not_hang() {
    let finish = json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]});
    let (events, error) = play(turn().text("x").event(&finish).stall()).await;
    assert_eq!((error, stop(&events)), (None, StopReason::EndTurn));
}

#[tokio::test]
async fn errors_within_a_stream() {
    let (_, error) = play(
        turn()
            .text("x")
            .event(&json!({"error": {"message": "upstream", "code": 429}})),
    )
    .await;
    assert!(
        matches!(error, Some(ModelError::RateLimited { .. })),
        "{error:?}"
    );
    let (_, error) = play(turn().event(&json!({"error": "the model ran out of memory"}))).await;
    assert!(
        matches!(&error, Some(ModelError::Server { .. })),
        "{error:?}"
    );
    let failed = json!({"choices": [{"delta": {}, "finish_reason": "error", "error": {"code": 502, "message": "bad"}}]});
    let (_, error) = play(turn().event(&failed)).await;
    assert!(error.unwrap().retryable());
    let (_, error) = play(response(400).json(
        &json!({"error": {"message": "This model's maximum context length is 8192 tokens"}}),
    ))
    .await;
    assert!(
        matches!(error, Some(ModelError::ContextExceeded { .. })),
        "{error:?}"
    );
}

#[tokio::test]
async fn a_server_that_does_not_stream() {
    let body = json!({"choices": [{"index": 0, "finish_reason": "tool_calls", "message": {
        "role": "assistant", "content": "I look.", "tool_calls": [{"id": "a", "type": "function", "function": {"name": "Read", "arguments": "{}"}}]
    }}], "usage": {"prompt_tokens": 1, "completion_tokens": 2}});
    let (events, error) = play(response(200).json(&body)).await;
    assert_eq!(error, None);
    assert_eq!(ended(&events).len(), 2);
    assert_eq!(stop(&events), StopReason::ToolUse);
}

#[tokio::test]
async fn odd_shapes_do_no_harm() {
    let script = turn()
        .event(&json!({"choices": ["x", null, {"delta": "y"}, {"index": 1, "delta": {"content": "other choice"}}]}))
        .event(&json!([1, 2]))
        .event(&json!({"choices": [{"delta": {"content": [{"type": "text", "text": "a"}, "b", 3], "tool_calls": null}}]}));
    let (events, error) = play(done(script, "stop")).await;
    assert_eq!(error, None);
    assert_eq!(
        ended(&events),
        [EndedPart::Content(Content::Text { text: "a".into() })]
    );
}

fn history() -> Vec<Message> {
    let own = Origin {
        provider: PROVIDER.into(),
        model: "model-x".into(),
    };
    let thinking = |text: &str, signature: Option<&str>, origin: &Origin| Content::Thinking {
        text: text.into(),
        signature: signature.map(str::to_owned),
        origin: origin.clone(),
    };
    let image = || ResultContent::Image {
        media_type: "image/png".into(),
        data: "QUJD".into(),
    };
    let call = |id: &str| Content::ToolUse {
        id: id.into(),
        name: "Read".into(),
        input: json!({"file_path": id}),
    };
    let result = |id: &str, content, is_error| Content::ToolResult {
        tool_use_id: id.into(),
        content,
        is_error,
    };
    let foreign = Origin {
        provider: "anthropic".into(),
        model: "model-x".into(),
    };
    vec![
        Message::user("look"),
        Message {
            role: Role::Assistant,
            content: vec![
                thinking("old", Some("reasoning_content"), &own),
                Content::Text { text: "ok".into() },
            ],
        },
        Message::user("again"),
        Message {
            role: Role::Assistant,
            content: vec![
                thinking("mine", Some("reasoning_content"), &own),
                thinking("unasked", None, &own),
                thinking("signed", Some("sig"), &foreign),
                Content::Opaque {
                    origin: foreign,
                    value: json!({"type": "x"}),
                },
                call("a"),
                call("b"),
            ],
        },
        Message {
            role: Role::User,
            content: vec![
                result(
                    "a",
                    vec![
                        ResultContent::text("before"),
                        image(),
                        ResultContent::text("after"),
                    ],
                    false,
                ),
                result("b", vec![ResultContent::text("no such file")], true),
                Content::Text {
                    text: "and hurry".into(),
                },
            ],
        },
    ]
}

#[tokio::test]
async fn dv_stream_013_images_follow_in_a_user_message() {
    let model = ScriptedModel::start([turn().end(), turn().end()]).await;
    collect(&client(&model), request(history())).await;
    let sent = model.request(0).await;
    assert_eq!(sent.header("authorization"), "Bearer sk-test-key");
    insta::assert_json_snapshot!(sent.body);

    let mut config = ProviderConfig::new(ProviderKind::OpenaiChat).with_base_url(model.base_url());
    config.images = false;
    collect(&OpenAiChat::new(&config).unwrap(), request(history())).await;
    let body = model.request(1).await.body.to_string();
    assert!(
        !body.contains("QUJD") && !body.contains("image_url"),
        "{body}"
    );
    assert!(body.contains("This model does not take images"));
}

#[tokio::test]
async fn the_models_are_listed() {
    let model = ScriptedModel::start([]).await;
    assert_eq!(client(&model).models().await.unwrap(), ["scripted-model"]);
}

#[test]
fn a_strict_tool_is_held_to_its_schema_by_servers_that_can() {
    let tool = |name: &str, strict| adroit_protocol::message::ToolDefinition {
        name: name.into(),
        description: String::new(),
        input_schema: Arc::new(json!({"type": "object"})),
        strict,
    };
    let request = ModelRequest {
        tools: vec![tool("Loose", false), tool("Write", true)],
        ..request(Vec::new())
    };
    let sent = |strict_tools| {
        let dialect = super::request::Dialect {
            images: false,
            completion_tokens: strict_tools,
            strict_tools,
        };
        let body = super::request::body(&request, dialect);
        let tools = body["tools"].as_array().unwrap().clone();
        tools
            .iter()
            .map(|tool| tool["function"].get("strict").cloned())
            .collect::<Vec<_>>()
    };
    assert_eq!(sent(true), [None, Some(json!(true))]);
    assert_eq!(sent(false), [None, None]);
}
