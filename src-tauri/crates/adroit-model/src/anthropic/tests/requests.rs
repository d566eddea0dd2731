//! What is sent for a conversation.

use adroit_protocol::message::{Content, Message, Origin, ResultContent, Role, ToolDefinition};
use adroit_testkit::{ScriptedModel, turn};
use serde_json::{Value, json};

use super::*;
use crate::testing::{collect, request};
use crate::{ProviderKind, SystemBlock};

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
