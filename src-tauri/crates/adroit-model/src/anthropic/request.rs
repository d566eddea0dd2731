//! The internal form as an Anthropic Messages request.

use adroit_protocol::message::{Content, Message, Origin, ResultContent, Role};
use serde_json::{Map, Value, json};

use crate::ModelRequest;
use crate::wire::{image_note, portable_id, portable_name};

use super::PROVIDER;

/// The protocol allows so many cache breakpoints.
const MAX_BREAKPOINTS: usize = 4;
/// The smallest budget of reasoning that the protocol allows.
const MIN_THINKING: u32 = 1024;

/// The body of a request.
pub(super) fn body(request: &ModelRequest, images: bool) -> Value {
    let mut breakpoints = MAX_BREAKPOINTS;
    let mut messages = messages(request, images);
    if mark_last_user_message(&mut messages) {
        breakpoints -= 1;
    }
    let tools = tools(request, &mut breakpoints);
    let system = system(request, breakpoints);

    let mut body = Map::new();
    body.insert("model".into(), json!(request.model));
    body.insert("max_tokens".into(), json!(request.max_output_tokens));
    body.insert("stream".into(), json!(true));
    if let Some(budget) = thinking_budget(request, &messages) {
        body.insert(
            "thinking".into(),
            json!({"type": "enabled", "budget_tokens": budget}),
        );
    }
    if !system.is_empty() {
        body.insert("system".into(), system.into());
    }
    if !tools.is_empty() {
        body.insert("tools".into(), tools.into());
    }
    body.insert("messages".into(), messages.into());
    Value::Object(body)
}

fn cache_control() -> Value {
    json!({"type": "ephemeral"})
}

/// The system prompt; of the pieces worth caching, the last ones, as far as breakpoints go.
fn system(request: &ModelRequest, breakpoints: usize) -> Vec<Value> {
    let mut left = breakpoints;
    let mut blocks: Vec<Value> = Vec::new();
    for block in request
        .system
        .iter()
        .rev()
        .filter(|block| !block.text.trim().is_empty())
    {
        let mut value = json!({"type": "text", "text": block.text});
        if block.cache && left > 0 {
            left -= 1;
            value["cache_control"] = cache_control();
        }
        blocks.push(value);
    }
    blocks.reverse();
    blocks
}

fn tools(request: &ModelRequest, breakpoints: &mut usize) -> Vec<Value> {
    let last_cached = request
        .tool_cache_breakpoint
        .map(|count| count.min(request.tools.len()))
        .and_then(|count| count.checked_sub(1));
    let mut tools = Vec::with_capacity(request.tools.len());
    for (at, tool) in request.tools.iter().enumerate() {
        let mut value = json!({
            "name": tool.name, "description": tool.description, "input_schema": *tool.input_schema
        });
        if Some(at) == last_cached {
            *breakpoints -= 1;
            value["cache_control"] = cache_control();
        }
        tools.push(value);
    }
    tools
}

/// Puts a breakpoint on the last block of the last message of the user.
fn mark_last_user_message(messages: &mut [Value]) -> bool {
    let block = messages
        .iter_mut()
        .rev()
        .find(|message| message["role"] == "user")
        .and_then(|message| message["content"].as_array_mut()?.last_mut());
    match block {
        Some(block) => {
            block["cache_control"] = cache_control();
            true
        }
        None => false,
    }
}

/// The messages: neighbours of one role are one message, and a message without blocks is none.
fn messages(request: &ModelRequest, images: bool) -> Vec<Value> {
    let origin = Origin {
        provider: PROVIDER.into(),
        model: request.model.clone(),
    };
    let mut merged: Vec<(Role, Vec<Value>)> = Vec::new();
    for message in request.messages.iter() {
        let blocks: Vec<Value> = message
            .content
            .iter()
            .filter_map(|content| block(content, &origin, images))
            .collect();
        match merged.last_mut() {
            _ if blocks.is_empty() => {}
            Some((role, known)) if *role == message.role => known.extend(blocks),
            _ => merged.push((message.role, blocks)),
        }
    }
    merged
        .into_iter()
        .map(|(role, mut blocks)| match role {
            Role::User => {
                // The results have to come before anything else in the message after the calls.
                blocks.sort_by_key(|block| block["type"] != "tool_result");
                json!({"role": "user", "content": blocks})
            }
            Role::Assistant => json!({"role": "assistant", "content": blocks}),
        })
        .collect()
}

/// A block as this server takes it; none for one that it would refuse: empty text, and what
/// another server or model signed or encrypted.
fn block(content: &Content, own: &Origin, images: bool) -> Option<Value> {
    match content {
        Content::Text { text } if text.trim().is_empty() => None,
        Content::Text { text } => Some(json!({"type": "text", "text": text})),
        Content::Thinking {
            text,
            signature: Some(signature),
            origin,
        } if origin == own => {
            Some(json!({"type": "thinking", "thinking": text, "signature": signature}))
        }
        Content::Thinking { .. } => None,
        Content::RedactedThinking { data, origin } => {
            (origin == own).then(|| json!({"type": "redacted_thinking", "data": data}))
        }
        Content::Opaque { origin, value } => (origin == own).then(|| value.clone()),
        Content::Image { media_type, data } => Some(image(media_type, data, images)),
        Content::ToolUse { id, name, input } => {
            let input = if input.is_object() {
                input.clone()
            } else {
                json!({})
            };
            let (id, name) = (portable_id(id.as_str()), portable_name(name));
            Some(json!({"type": "tool_use", "id": id, "name": name, "input": input}))
        }
        Content::ToolResult {
            tool_use_id,
            content,
            is_error,
        } => {
            let mut parts: Vec<Value> = content
                .iter()
                .filter_map(|part| result_part(part, images))
                .collect();
            if parts.is_empty() {
                parts.push(json!({"type": "text", "text": "(no output)"}));
            }
            let mut result = json!({
                "type": "tool_result", "tool_use_id": portable_id(tool_use_id.as_str()), "content": parts
            });
            if *is_error {
                result["is_error"] = json!(true);
            }
            Some(result)
        }
    }
}

fn result_part(part: &ResultContent, images: bool) -> Option<Value> {
    match part {
        ResultContent::Text { text } if text.is_empty() => None,
        ResultContent::Text { text } => Some(json!({"type": "text", "text": text})),
        ResultContent::Image { media_type, data } => Some(image(media_type, data, images)),
    }
}

fn image(media_type: &str, data: &str, images: bool) -> Value {
    if images {
        json!({"type": "image", "source": {"type": "base64", "media_type": media_type, "data": data}})
    } else {
        json!({"type": "text", "text": image_note(media_type, data)})
    }
}

/// The budget of reasoning. None when the turn that goes on did not begin with reasoning of
/// this model (it began with another one): the server refuses to think in the middle of it.
fn thinking_budget(request: &ModelRequest, messages: &[Value]) -> Option<u32> {
    let budget = request
        .thinking?
        .min(request.max_output_tokens.saturating_sub(1));
    (budget >= MIN_THINKING && may_think(request.messages.as_ref(), messages)).then_some(budget)
}

fn may_think(internal: &[Message], sent: &[Value]) -> bool {
    let goes_on = internal.last().is_some_and(|message| {
        message
            .content
            .iter()
            .any(|block| matches!(block, Content::ToolResult { .. }))
    });
    if !goes_on {
        return true;
    }
    // Back over calls and results to the answer that began the turn.
    let results_only = |message: &Value| {
        message["content"]
            .as_array()
            .is_some_and(|blocks| blocks.iter().all(|block| block["type"] == "tool_result"))
    };
    let mut first = None;
    for message in sent.iter().rev() {
        if message["role"] == "assistant" {
            first = Some(message);
        } else if first.is_some() && !results_only(message) {
            break;
        }
    }
    let kind = first.map(|message| message["content"][0]["type"].as_str().unwrap_or_default());
    matches!(kind, Some("thinking" | "redacted_thinking"))
}
