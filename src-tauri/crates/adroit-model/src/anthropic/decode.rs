//! The events of an Anthropic Messages stream.

use std::collections::BTreeMap;
use std::sync::Arc;

use adroit_protocol::message::{StopReason, Usage};
use serde_json::Value;

use crate::failure::error_object;
use crate::http::Server;
use crate::parts::{Part, Parts};
use crate::sse::Decode;
use crate::wire::take;
use crate::{ModelError, ModelRequest, RetryAdvice, StreamEvent, arguments};

use super::PROVIDER;

/// The state of one answer.
pub(super) struct Decoder {
    server: Arc<Server>,
    request: Arc<ModelRequest>,
    parts: Parts,
    /// By the server's index, in its order.
    open: BTreeMap<u64, Open>,
    usage: Usage,
    stop: Option<StopReason>,
}

struct Open {
    part: Part,
    /// The input that came whole with the start of the block; used when no piece follows.
    input: Option<Value>,
}

impl Decoder {
    pub(super) fn new(server: Arc<Server>, request: Arc<ModelRequest>) -> Self {
        let parts = Parts::new(PROVIDER, Arc::clone(&request));
        Self {
            server,
            request,
            parts,
            open: BTreeMap::new(),
            usage: Usage::default(),
            stop: None,
        }
    }

    fn start(&mut self, index: u64, mut block: Value) {
        if let Some(open) = self.open.remove(&index) {
            // A second start for the same index: the first block cannot get anything more.
            self.end(open);
        }
        let text = |name: &str| block[name].as_str().unwrap_or_default().to_owned();
        let mut input = None;
        let mut part = match block["type"].as_str().unwrap_or_default() {
            "text" => {
                let mut part = self.parts.start_text();
                part.push_text(&mut self.parts, text("text"));
                part
            }
            "thinking" => {
                let mut part = self.parts.start_thinking();
                part.push_text(&mut self.parts, text("thinking"));
                part
            }
            "redacted_thinking" => self.parts.start_redacted(text("data")),
            "tool_use" => {
                let part = self.parts.start_call(&text("id"), text("name"));
                input = Some(take(&mut block, "input")).filter(|input| !is_empty(input));
                part
            }
            _ => self.parts.start_other(block.clone()),
        };
        if let Some(signature) = block["signature"].as_str().filter(|text| !text.is_empty()) {
            part.push_signature(signature);
        }
        self.open.insert(index, Open { part, input });
    }

    /// A delta. One of an unknown type is passed over: it belongs to a feature that was not asked for.
    fn delta(&mut self, index: u64, delta: &Value) -> Result<(), ModelError> {
        let text = |name: &str| delta[name].as_str().unwrap_or_default().to_owned();
        let kind = delta["type"].as_str().unwrap_or_default();
        if kind == "text_delta" && !self.open.contains_key(&index) {
            // Some proxies leave out the start of a text block.
            let part = self.parts.start_text();
            self.open.insert(index, Open { part, input: None });
        }
        let Some(open) = self.open.get_mut(&index) else {
            return match kind {
                "input_json_delta" => Err(ModelError::Protocol {
                    message: format!("arguments came for block {index}, which is not open"),
                }),
                _ => Ok(()),
            };
        };
        match kind {
            "text_delta" => open.part.push_text(&mut self.parts, text("text")),
            "thinking_delta" => open.part.push_text(&mut self.parts, text("thinking")),
            "signature_delta" => open.part.push_signature(&text("signature")),
            "input_json_delta" => open.part.push_json(&mut self.parts, text("partial_json")),
            _ => {}
        }
        Ok(())
    }

    fn end(&mut self, mut open: Open) {
        if let (Some(input), "") = (open.input, open.part.json()) {
            open.part.push_json(&mut self.parts, input.to_string());
        }
        open.part.end(&mut self.parts);
    }

    fn count(&mut self, usage: &Value) {
        let read = |name: &str, known: u64| usage[name].as_u64().unwrap_or(known);
        self.usage = Usage {
            input_tokens: read("input_tokens", self.usage.input_tokens),
            output_tokens: read("output_tokens", self.usage.output_tokens),
            cache_read_tokens: read("cache_read_input_tokens", self.usage.cache_read_tokens),
            cache_write_tokens: read("cache_creation_input_tokens", self.usage.cache_write_tokens),
        };
    }

    fn finish(&mut self) {
        for open in std::mem::take(&mut self.open).into_values() {
            self.end(open);
        }
        let stop = self.stop.take().unwrap_or(match self.parts.calls {
            0 => StopReason::EndTurn,
            _ => StopReason::ToolUse,
        });
        self.parts.push(StreamEvent::Usage(self.usage));
        self.parts.push(StreamEvent::Finish { stop });
    }
}

impl Decode for Decoder {
    fn event(&mut self, name: Option<&str>, data: &str) -> Result<(), ModelError> {
        if data.trim().is_empty() {
            return Ok(());
        }
        let mut event = arguments::parse_json(data).map_err(|error| ModelError::Protocol {
            message: format!("an event is not JSON: {error}"),
        })?;
        let kind = event["type"]
            .as_str()
            .or(name)
            .unwrap_or_default()
            .to_owned();
        let index = event["index"].as_u64().unwrap_or_default();
        match kind.as_str() {
            "message_start" => self.count(&event["message"]["usage"]),
            "content_block_start" => self.start(index, take(&mut event, "content_block")),
            "content_block_delta" => self.delta(index, &event["delta"])?,
            "content_block_stop" => {
                if let Some(open) = self.open.remove(&index) {
                    self.end(open);
                }
            }
            "message_delta" => {
                self.count(&event["usage"]);
                if let Some(word) = event["delta"]["stop_reason"].as_str() {
                    self.stop = Some(stop_reason(word));
                }
            }
            "message_stop" => self.finish(),
            "error" => {
                let failure = self.server.failure(&self.request.model);
                let error = error_object(&event).unwrap_or(&event);
                return Err(failure.of_error(200, error, RetryAdvice::default()));
            }
            "message" => {
                return Err(ModelError::Protocol {
                    message: "the server did not stream its answer".into(),
                });
            }
            // `ping`, and events of a later version of the protocol.
            _ => {}
        }
        Ok(())
    }

    fn end_of_stream(&mut self) -> Result<(), ModelError> {
        if self.stop.is_some() {
            self.finish();
            return Ok(());
        }
        Err(ModelError::Dropped {
            reason: "it ended before message_stop".into(),
        })
    }

    fn pop(&mut self) -> Option<StreamEvent> {
        self.parts.pop()
    }

    fn is_winding_down(&self) -> bool {
        self.stop.is_some() && self.open.is_empty()
    }
}

fn is_empty(input: &Value) -> bool {
    match input {
        Value::Null => true,
        Value::Object(fields) => fields.is_empty(),
        Value::String(text) => text.is_empty(),
        _ => false,
    }
}

fn stop_reason(word: &str) -> StopReason {
    match word {
        "end_turn" => StopReason::EndTurn,
        "tool_use" => StopReason::ToolUse,
        "max_tokens" => StopReason::MaxTokens,
        "stop_sequence" => StopReason::StopSequence,
        "pause_turn" => StopReason::PauseTurn,
        "refusal" => StopReason::Refusal,
        "model_context_window_exceeded" => StopReason::ContextExceeded,
        other => StopReason::Other {
            reason: other.to_owned(),
        },
    }
}
