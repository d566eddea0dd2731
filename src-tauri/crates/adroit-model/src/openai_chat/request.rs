//! The internal form as a Chat Completions request.

use std::collections::HashMap;

use adroit_protocol::message::{Content, Message, ResultContent, Role};
use serde_json::{Map, Value, json};

use crate::ModelRequest;
use crate::wire::{image_note, portable_id, portable_name};

use super::PROVIDER;

/// The field in which some servers send reasoning **and** want it back while a turn goes on.
/// It is kept as the signature of the thinking block.
pub(super) const REASONING_FIELD: &str = "reasoning_content";

/// What differs between servers of this protocol.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dialect {
    /// The model takes images.
    pub(super) images: bool,
    /// The limit is called `max_completion_tokens`.
    pub(super) completion_tokens: bool,
    /// The server holds the model to a schema where a tool asks for it. Others refuse the word or
    /// do nothing with it.
    pub(super) strict_tools: bool,
}

/// The body of a request.
pub(super) fn body(request: &ModelRequest, dialect: Dialect) -> Value {
    let mut body = Map::new();
    body.insert("model".into(), json!(request.model));
    let limit = if dialect.completion_tokens {
        "max_completion_tokens"
    } else {
        "max_tokens"
    };
    body.insert(limit.into(), json!(request.max_output_tokens));
    body.insert("stream".into(), json!(true));
    body.insert("stream_options".into(), json!({"include_usage": true}));
    body.insert("messages".into(), messages(request, dialect).into());
    if !request.tools.is_empty() {
        let tools: Vec<Value> = request
            .tools
            .iter()
            .map(|tool| {
                let mut function = json!({
                    "name": tool.name, "description": tool.description, "parameters": *tool.input_schema
                });
                if tool.strict && dialect.strict_tools {
                    function["strict"] = json!(true);
                }
                json!({"type": "function", "function": function})
            })
            .collect();
        body.insert("tools".into(), tools.into());
    }
    Value::Object(body)
}

fn messages(request: &ModelRequest, dialect: Dialect) -> Vec<Value> {
    let mut sent = Vec::new();
    let system: Vec<&str> = request
        .system
        .iter()
        .map(|block| block.text.as_str())
        .filter(|text| !text.trim().is_empty())
        .collect();
    if !system.is_empty() {
        sent.push(json!({"role": "system", "content": system.join("\n\n")}));
    }
    let turn = turn_start(&request.messages);
    let mut names = HashMap::new();
    for (at, message) in request.messages.iter().enumerate() {
        match message.role {
            Role::Assistant => {
                for content in &message.content {
                    if let Content::ToolUse { id, name, .. } = content {
                        names.insert(id.as_str(), name.as_str());
                    }
                }
                sent.extend(assistant(message, &request.model, at >= turn));
            }
            Role::User => user(message, dialect, &names, &mut sent),
        }
    }
    sent
}

/// Where the turn that goes on began: after the last message that the person wrote, and that
/// is not (also) a message of results.
fn turn_start(messages: &[Message]) -> usize {
    let is_result = |content: &Content| matches!(content, Content::ToolResult { .. });
    let wrote =
        |message: &Message| message.role == Role::User && !message.content.iter().any(is_result);
    messages.iter().rposition(wrote).map_or(0, |at| at + 1)
}

/// An answer of the model; none when there is nothing in it that this wire has.
fn assistant(message: &Message, model: &str, current: bool) -> Option<Value> {
    let (mut text, mut reasoning) = (String::new(), String::new());
    let mut calls = Vec::new();
    for content in &message.content {
        match content {
            Content::Text { text: added } => text.push_str(added),
            Content::Thinking {
                text,
                signature: Some(field),
                origin,
            } if current
                && field == REASONING_FIELD
                && origin.provider == PROVIDER
                && origin.model == model =>
            {
                reasoning.push_str(text);
            }
            Content::ToolUse { id, name, input } => {
                let arguments = if input.is_object() {
                    input.to_string()
                } else {
                    "{}".into()
                };
                calls.push(json!({
                    "id": portable_id(id.as_str()), "type": "function",
                    "function": {"name": portable_name(name), "arguments": arguments}
                }));
            }
            _ => {}
        }
    }
    if text.is_empty() && calls.is_empty() {
        return None;
    }
    let content = if text.is_empty() {
        Value::Null
    } else {
        text.into()
    };
    let mut sent = json!({"role": "assistant", "content": content});
    if !reasoning.is_empty() {
        sent[REASONING_FIELD] = reasoning.into();
    }
    if !calls.is_empty() {
        sent["tool_calls"] = calls.into();
    }
    Some(sent)
}

/// A message of the user: first the results, each a message of the role `tool`, then what is
/// left as one message, which begins with the images of the results, because a `tool`
/// message holds text only.
fn user(message: &Message, dialect: Dialect, names: &HashMap<&str, &str>, sent: &mut Vec<Value>) {
    let mut parts: Vec<Value> = Vec::new();
    let mut said: Vec<Value> = Vec::new();
    for content in &message.content {
        match content {
            Content::ToolResult {
                tool_use_id,
                content,
                is_error,
            } => {
                let id = tool_use_id.as_str();
                let name = names.get(id).copied().unwrap_or("a tool");
                let text = result_text(content, *is_error, name, dialect, &mut parts);
                sent.push(
                    json!({"role": "tool", "tool_call_id": portable_id(id), "content": text}),
                );
            }
            Content::Text { text } if !text.is_empty() => {
                said.push(json!({"type": "text", "text": text}))
            }
            Content::Image { media_type, data } => said.push(image(media_type, data, dialect)),
            _ => {}
        }
    }
    parts.extend(said);
    match &parts[..] {
        [] => {}
        // Servers that take text only expect a plain string.
        [one] if one["type"] == "text" => {
            sent.push(json!({"role": "user", "content": one["text"]}))
        }
        _ => sent.push(json!({"role": "user", "content": parts})),
    }
}

/// The text of a result. Its images go to `parts`, with a word in the text where each was.
fn result_text(
    content: &[ResultContent],
    is_error: bool,
    name: &str,
    dialect: Dialect,
    parts: &mut Vec<Value>,
) -> String {
    let mut pieces: Vec<String> = Vec::new();
    for part in content {
        match part {
            ResultContent::Text { text } => pieces.push(text.clone()),
            ResultContent::Image { media_type, data } if dialect.images => {
                let number = parts.len() / 2 + 1;
                pieces.push(format!("[Image {number}: in the next message]"));
                parts.push(json!({"type": "text", "text": format!("Image {number}, from the result of {name}:")}));
                parts.push(image(media_type, data, dialect));
            }
            ResultContent::Image { media_type, data } => pieces.push(image_note(media_type, data)),
        }
    }
    let text = pieces.join("\n");
    match (is_error, text.is_empty()) {
        (true, true) => "Error: the call failed without a message.".into(),
        // This wire has no flag for a failed call, so the text has to say it.
        (true, false) => format!("Error: {text}"),
        (false, true) => "(no output)".into(),
        (false, false) => text,
    }
}

fn image(media_type: &str, data: &str, dialect: Dialect) -> Value {
    if dialect.images {
        json!({"type": "image_url", "image_url": {"url": format!("data:{media_type};base64,{data}")}})
    } else {
        json!({"type": "text", "text": image_note(media_type, data)})
    }
}
