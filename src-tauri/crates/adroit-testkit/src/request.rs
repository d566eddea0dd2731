//! What a request was.

use std::time::Instant;

use axum::http::HeaderMap;
use serde_json::Value;

use crate::Wire;

/// A request as it arrived.
#[derive(Clone, Debug)]
pub struct RecordedRequest {
    /// Which wire it used.
    pub wire: Wire,
    /// Its headers.
    pub headers: HeaderMap,
    /// Its body.
    pub body: Value,
    /// When it arrived (benches only).
    pub at: Instant,
}

impl RecordedRequest {
    /// The messages of the conversation.
    ///
    /// # Panics
    /// When the body has none.
    #[must_use]
    pub fn messages(&self) -> &[Value] {
        self.body["messages"]
            .as_array()
            .expect("a request has messages")
    }

    /// The last message.
    ///
    /// # Panics
    /// When there is none.
    #[must_use]
    pub fn last_message(&self) -> &Value {
        self.messages().last().expect("a request has a message")
    }

    /// The results of calls since the last answer, in order: id, text, whether an error
    /// (the chat wire has no error flag: always false there).
    #[must_use]
    pub fn tool_results(&self) -> Vec<(String, String, bool)> {
        let messages = self.messages();
        let since = messages
            .iter()
            .rposition(|message| message["role"] == "assistant")
            .map_or(0, |at| at + 1);
        messages[since..].iter().flat_map(results_of).collect()
    }

    /// A header's value; empty when there is none.
    #[must_use]
    pub fn header(&self, name: &str) -> &str {
        self.headers
            .get(name)
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default()
    }
}

fn results_of(message: &Value) -> Vec<(String, String, bool)> {
    if message["role"] == "tool" {
        return vec![(
            text(&message["tool_call_id"]),
            text(&message["content"]),
            false,
        )];
    }
    let blocks = message["content"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default();
    blocks
        .iter()
        .filter(|block| block["type"] == "tool_result")
        .map(|block| {
            (
                text(&block["tool_use_id"]),
                text(&block["content"]),
                block["is_error"] == true,
            )
        })
        .collect()
}

/// A string, or the text parts of a list.
fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts
            .iter()
            .filter_map(|part| part["text"].as_str())
            .collect(),
        _ => String::new(),
    }
}
