//! The chunks of a Chat Completions stream.

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
use super::calls::Calls;
use super::request::REASONING_FIELD;

/// The state of one answer.
pub(super) struct Decoder {
    server: Arc<Server>,
    request: Arc<ModelRequest>,
    parts: Parts,
    /// The open text or reasoning. The wire has no ends: it ends where something else begins.
    prose: Option<Part>,
    calls: Calls,
    usage: Usage,
    stop: Option<StopReason>,
    finished: bool,
}

impl Decoder {
    pub(super) fn new(server: Arc<Server>, request: Arc<ModelRequest>) -> Self {
        let parts = Parts::new(PROVIDER, Arc::clone(&request));
        Self {
            server,
            request,
            parts,
            prose: None,
            calls: Calls::default(),
            usage: Usage::default(),
            stop: None,
            finished: false,
        }
    }

    fn end_prose(&mut self) {
        if let Some(part) = self.prose.take() {
            part.end(&mut self.parts);
        }
    }

    fn text(&mut self, added: String) {
        if added.is_empty() {
            return;
        }
        if !self.prose.as_ref().is_some_and(Part::is_text) {
            self.end_prose();
            self.prose = Some(self.parts.start_text());
        }
        if let Some(part) = &mut self.prose {
            part.push_text(&mut self.parts, added);
        }
    }

    fn reasoning(&mut self, field: &str, added: String) {
        if added.is_empty() {
            return;
        }
        if !self.prose.as_ref().is_some_and(Part::is_thinking) {
            self.end_prose();
            let mut part = self.parts.start_thinking();
            if field == REASONING_FIELD {
                part.push_signature(REASONING_FIELD);
            }
            self.prose = Some(part);
        }
        if let Some(part) = &mut self.prose {
            part.push_text(&mut self.parts, added);
        }
    }

    /// What a choice adds: a delta, or the whole message of a server that does not stream.
    fn delta(&mut self, delta: &mut Value) -> Result<(), ModelError> {
        for field in [REASONING_FIELD, "reasoning"] {
            if let Value::String(added) = take(delta, field) {
                self.reasoning(field, added);
                break;
            }
        }
        match take(delta, "content") {
            Value::String(added) => self.text(added),
            // Some servers send the content as a list of parts.
            Value::Array(parts) => {
                for mut part in parts {
                    if let Value::String(added) = take(&mut part, "text") {
                        self.text(added);
                    }
                }
            }
            _ => {}
        }
        if let Value::String(refusal) = take(delta, "refusal") {
            self.text(refusal);
        }
        if let Value::Array(calls) = &delta["tool_calls"] {
            if !calls.is_empty() {
                self.end_prose();
            }
            for call in calls {
                self.calls.delta(&mut self.parts, call)?;
            }
        }
        Ok(())
    }

    fn count(&mut self, usage: &Value) {
        let read = |value: &Value| value.as_u64().unwrap_or_default();
        let cached = read(&usage["prompt_tokens_details"]["cached_tokens"])
            .max(read(&usage["prompt_cache_hit_tokens"]));
        self.usage = Usage {
            input_tokens: read(&usage["prompt_tokens"]).saturating_sub(cached),
            output_tokens: read(&usage["completion_tokens"]),
            cache_read_tokens: cached,
            cache_write_tokens: 0,
        };
    }

    fn end_parts(&mut self) {
        self.end_prose();
        self.calls.end_all(&mut self.parts);
    }

    fn finish(&mut self) {
        if self.finished {
            return;
        }
        self.finished = true;
        self.end_parts();
        let stop = self.stop.take().unwrap_or(StopReason::EndTurn);
        // "stop" beside calls means the calls.
        let stop = match stop {
            StopReason::EndTurn if self.parts.calls > 0 => StopReason::ToolUse,
            stop => stop,
        };
        self.parts.push(StreamEvent::Usage(self.usage));
        self.parts.push(StreamEvent::Finish { stop });
    }

    fn chunk(&mut self, mut chunk: Value) -> Result<(), ModelError> {
        if chunk["usage"].is_object() {
            self.count(&chunk["usage"]);
        }
        let Some(choices) = chunk.get_mut("choices").and_then(Value::as_array_mut) else {
            return Ok(());
        };
        for choice in choices
            .iter_mut()
            .filter(|choice| choice["index"].as_u64().unwrap_or_default() == 0)
        {
            let body = if choice["delta"].is_object() {
                "delta"
            } else {
                "message"
            };
            let mut delta = take(choice, body);
            if delta.is_object() {
                self.delta(&mut delta)?;
            }
            match choice["finish_reason"].as_str() {
                None | Some("" | "null") => {}
                Some("error") => {
                    return Err(self.error(&choice["error"]));
                }
                Some(word) => {
                    self.stop = Some(stop_reason(word));
                    self.end_parts();
                }
            }
        }
        Ok(())
    }

    fn error(&self, error: &Value) -> ModelError {
        self.server
            .failure(&self.request.model)
            .of_error(200, error, RetryAdvice::default())
    }
}

impl Decode for Decoder {
    fn event(&mut self, name: Option<&str>, data: &str) -> Result<(), ModelError> {
        let data = data.trim();
        if data.is_empty() {
            return Ok(());
        }
        if data == "[DONE]" {
            self.finish();
            return Ok(());
        }
        let chunk = arguments::parse_json(data).map_err(|error| ModelError::Protocol {
            message: format!("a chunk is not JSON: {error}"),
        })?;
        match error_object(&chunk) {
            Some(error) if name == Some("error") || chunk["choices"].is_null() => {
                Err(self.error(error))
            }
            _ => self.chunk(chunk),
        }
    }

    fn end_of_stream(&mut self) -> Result<(), ModelError> {
        if self.finished || self.stop.is_some() {
            self.finish();
            return Ok(());
        }
        Err(ModelError::Dropped {
            reason: "it ended before the model said that it was done".into(),
        })
    }

    fn pop(&mut self) -> Option<StreamEvent> {
        self.parts.pop()
    }

    fn is_winding_down(&self) -> bool {
        self.stop.is_some()
    }
}

fn stop_reason(word: &str) -> StopReason {
    match word.to_ascii_lowercase().as_str() {
        "stop" | "end_turn" | "eos" | "eos_token" | "complete" => StopReason::EndTurn,
        "tool_calls" | "tool_call" | "tool_use" | "function_call" => StopReason::ToolUse,
        "length" | "max_tokens" | "model_length" => StopReason::MaxTokens,
        "stop_sequence" => StopReason::StopSequence,
        "content_filter" | "refusal" | "safety" => StopReason::Refusal,
        _ => StopReason::Other {
            reason: word.to_owned(),
        },
    }
}
