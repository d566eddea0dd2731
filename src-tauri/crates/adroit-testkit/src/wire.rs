//! Steps as the bytes of a wire.

use serde_json::{Value, json};

use crate::Step;

/// The wire of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wire {
    /// `POST /v1/messages`.
    Anthropic,
    /// `POST /v1/chat/completions`.
    OpenAiChat,
}

/// The block that is open, while an answer is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Block {
    Text,
    Thinking,
    Call,
}

/// Writes the steps of one answer.
#[derive(Debug)]
pub(crate) struct Writer {
    wire: Wire,
    model: String,
    request: usize,
    open: Option<Block>,
    next_index: usize,
    calls: usize,
}

impl Writer {
    pub(crate) fn new(wire: Wire, model: String, request: usize) -> Self {
        Self {
            wire,
            model,
            request,
            open: None,
            next_index: 0,
            calls: 0,
        }
    }

    /// The bytes of a step; empty for a step that is no output.
    pub(crate) fn write(&mut self, step: &Step) -> String {
        match step {
            Step::Event { name, data } => raw_event(name.as_deref(), data),
            _ => match self.wire {
                Wire::Anthropic => self.anthropic(step),
                Wire::OpenAiChat => self.chat(step),
            },
        }
    }

    /// The given id, or one that no other call of the server has.
    fn call_id(&mut self, id: &str) -> String {
        self.calls += 1;
        match id {
            "" => format!("call_{}_{}", self.request, self.calls),
            id => id.to_owned(),
        }
    }

    fn anthropic(&mut self, step: &Step) -> String {
        match step {
            Step::Begin => named(&json!({
                "type": "message_start",
                "message": {
                    "id": format!("msg_{}", self.request), "type": "message", "role": "assistant",
                    "model": self.model, "content": [], "stop_reason": null, "stop_sequence": null,
                    "usage": {"input_tokens": 1, "output_tokens": 1}
                }
            })),
            Step::Text(text) => {
                let start = self.open(Block::Text, &json!({"type": "text", "text": ""}));
                start + &self.delta(&json!({"type": "text_delta", "text": text}))
            }
            Step::Thinking(text) => {
                let start = self.open(
                    Block::Thinking,
                    &json!({"type": "thinking", "thinking": "", "signature": ""}),
                );
                start + &self.delta(&json!({"type": "thinking_delta", "thinking": text}))
            }
            Step::Signature(signature) => {
                self.delta(&json!({"type": "signature_delta", "signature": signature}))
            }
            Step::CallStart { id, name } => {
                let ended = self.end_block();
                let id = self.call_id(id);
                ended
                    + &self.open(
                        Block::Call,
                        &json!({"type": "tool_use", "id": id, "name": name, "input": {}}),
                    )
            }
            Step::Arguments(text) => {
                self.delta(&json!({"type": "input_json_delta", "partial_json": text}))
            }
            Step::BlockEnd => self.end_block(),
            Step::Ping => named(&json!({"type": "ping"})),
            Step::Stop {
                reason,
                usage: (input, output),
            } => named(&json!({
                "type": "message_delta",
                "delta": {"stop_reason": reason, "stop_sequence": null},
                "usage": {"input_tokens": input, "output_tokens": output}
            })),
            Step::Done => named(&json!({"type": "message_stop"})),
            Step::Error { kind, message } => {
                named(&json!({"type": "error", "error": {"type": kind, "message": message}}))
            }
            _ => String::new(),
        }
    }

    /// Opens a block of this kind, unless one is open (and the kind goes on).
    fn open(&mut self, block: Block, content: &Value) -> String {
        if self.open == Some(block) {
            return String::new();
        }
        let ended = self.end_block();
        self.open = Some(block);
        ended
            + &named(
                &json!({"type": "content_block_start", "index": self.next_index, "content_block": content}),
            )
    }

    fn delta(&self, delta: &Value) -> String {
        named(&json!({"type": "content_block_delta", "index": self.next_index, "delta": delta}))
    }

    fn end_block(&mut self) -> String {
        if self.open.take().is_none() {
            return String::new();
        }
        self.next_index += 1;
        named(&json!({"type": "content_block_stop", "index": self.next_index - 1}))
    }

    fn chat(&mut self, step: &Step) -> String {
        match step {
            Step::Begin => self.chunk(&json!({"role": "assistant", "content": ""}), &Value::Null),
            Step::Text(text) => self.chunk(&json!({"content": text}), &Value::Null),
            Step::Thinking(text) => self.chunk(&json!({"reasoning_content": text}), &Value::Null),
            Step::CallStart { id, name } => {
                let id = self.call_id(id);
                let call = json!({
                    "index": self.calls - 1, "id": id, "type": "function",
                    "function": {"name": name, "arguments": ""}
                });
                self.chunk(&json!({"tool_calls": [call]}), &Value::Null)
            }
            Step::Arguments(text) => {
                let call =
                    json!({"index": self.calls.saturating_sub(1), "function": {"arguments": text}});
                self.chunk(&json!({"tool_calls": [call]}), &Value::Null)
            }
            Step::Ping => ": ping\n\n".into(),
            Step::Stop {
                reason,
                usage: (input, output),
            } => {
                let reason = match reason.as_str() {
                    "end_turn" | "stop_sequence" => "stop",
                    "tool_use" => "tool_calls",
                    "max_tokens" => "length",
                    "refusal" => "content_filter",
                    other => other,
                };
                let usage = json!({
                    "id": self.answer_id(), "object": "chat.completion.chunk", "created": 0, "model": self.model,
                    "choices": [],
                    "usage": {"prompt_tokens": input, "completion_tokens": output, "total_tokens": input + output}
                });
                self.chunk(&json!({}), &json!(reason)) + &raw_event(None, &usage.to_string())
            }
            Step::Done => raw_event(None, "[DONE]"),
            Step::Error { kind, message } => raw_event(
                None,
                &json!({"error": {"type": kind, "message": message}}).to_string(),
            ),
            _ => String::new(),
        }
    }

    fn answer_id(&self) -> String {
        format!("chatcmpl-{}", self.request)
    }

    fn chunk(&self, delta: &Value, finish: &Value) -> String {
        let chunk = json!({
            "id": self.answer_id(), "object": "chat.completion.chunk", "created": 0, "model": self.model,
            "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]
        });
        raw_event(None, &chunk.to_string())
    }
}

/// An event named after its type.
fn named(data: &Value) -> String {
    raw_event(data["type"].as_str(), &data.to_string())
}

fn raw_event(name: Option<&str>, data: &str) -> String {
    match name {
        Some(name) => format!("event: {name}\ndata: {data}\n\n"),
        None => format!("data: {data}\n\n"),
    }
}
