//! The internal form of a conversation: messages of typed content blocks.
//!
//! It is what the transcript stores and what every model client translates to and
//! from its own wire. Order of blocks is kept as the model sent them.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::CallId;

/// Who speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The person, and the results of tool calls.
    User,
    /// The model.
    Assistant,
}

/// One message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// What was said, in order.
    pub content: Vec<Content>,
}

impl Message {
    /// A message of the person with one text block.
    pub fn user(text: impl Into<String>) -> Self {
        Self {
            role: Role::User,
            content: vec![Content::Text { text: text.into() }],
        }
    }
}

/// One block of a message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Content {
    /// Plain text (Markdown from a model).
    Text {
        /// The text.
        text: String,
    },
    /// The model's visible reasoning, with what its server needs to accept it back.
    Thinking {
        /// The reasoning; may be empty where the server keeps it hidden.
        text: String,
        /// The server's signature over it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        signature: Option<String>,
        /// Who signed: sent back only to the same provider **and** model.
        origin: Origin,
    },
    /// Reasoning that the server gave only in encrypted form.
    RedactedThinking {
        /// The opaque data.
        data: String,
        /// Who encrypted it.
        origin: Origin,
    },
    /// An image.
    Image {
        /// For example `image/png`, by the bytes and never by a file's name.
        media_type: String,
        /// Base64 of the bytes.
        data: String,
    },
    /// A tool call. Its input is always a JSON object here, even where the model sent something broken.
    ToolUse {
        /// Names the call; its result carries the same.
        id: CallId,
        /// The tool's name as the model wrote it.
        name: String,
        /// The input.
        input: Value,
    },
    /// The result of a tool call, in a message of the user.
    ToolResult {
        /// Which call.
        tool_use_id: CallId,
        /// What the tool says.
        content: Vec<ResultContent>,
        /// True when the call failed, was denied or was cancelled.
        #[serde(default)]
        is_error: bool,
    },
    /// A block of a kind that we do not know, kept so that it can be sent back as it came.
    Opaque {
        /// Who sent it.
        origin: Origin,
        /// The block as it came.
        value: Value,
    },
}

/// Where a block that only its own server understands came from.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Origin {
    /// The wire protocol, for example `anthropic`.
    pub provider: String,
    /// The model's name.
    pub model: String,
}

/// One part of a tool result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ResultContent {
    /// Text.
    Text {
        /// The text.
        text: String,
    },
    /// An image.
    Image {
        /// For example `image/png`.
        media_type: String,
        /// Base64 of the bytes.
        data: String,
    },
}

impl ResultContent {
    /// A text part.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text { text: text.into() }
    }
}

/// A tool call as it leaves the model client: complete, but perhaps not valid JSON.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolCall {
    /// Names the call.
    pub id: CallId,
    /// The tool's name as the model wrote it.
    pub name: String,
    /// The arguments.
    pub input: CallInput,
}

/// The arguments of a call.
#[derive(Clone, Debug, PartialEq)]
pub enum CallInput {
    /// A JSON object.
    Object(Value),
    /// Not a JSON object. Never repaired and never executed: the model gets the message.
    Invalid {
        /// What the model sent.
        raw: String,
        /// What is wrong with it, with the position.
        message: String,
    },
}

impl ToolCall {
    /// The block as the transcript keeps it; a broken input becomes an empty object,
    /// because every provider refuses a history with anything else in its place.
    #[must_use]
    pub fn to_content(&self) -> Content {
        let input = match &self.input {
            CallInput::Object(value) => value.clone(),
            CallInput::Invalid { .. } => Value::Object(serde_json::Map::new()),
        };
        Content::ToolUse {
            id: self.id.clone(),
            name: self.name.clone(),
            input,
        }
    }
}

/// What a model is told of one tool.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolDefinition {
    /// The name that it calls the tool by.
    pub name: String,
    /// What it does and how to use it.
    pub description: String,
    /// JSON Schema of the input.
    pub input_schema: std::sync::Arc<Value>,
    /// True where the provider should hold the model to the schema.
    pub strict: bool,
}

/// Why the model stopped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum StopReason {
    /// It was done.
    EndTurn,
    /// It wants the results of its calls.
    ToolUse,
    /// The answer was cut at the token limit.
    MaxTokens,
    /// A stop sequence was met.
    StopSequence,
    /// The server paused a long turn; sending the conversation back continues it.
    PauseTurn,
    /// The model declined.
    Refusal,
    /// The conversation no longer fits the model.
    ContextExceeded,
    /// Anything else, by the server's word.
    Other {
        /// The server's word.
        reason: String,
    },
}

/// Tokens of one answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
#[serde(rename_all = "camelCase")]
pub struct Usage {
    /// Read by the model, cached ones not included.
    #[ts(type = "number")]
    pub input_tokens: u64,
    /// Written by the model.
    #[ts(type = "number")]
    pub output_tokens: u64,
    /// Read from the prompt cache.
    #[ts(type = "number")]
    pub cache_read_tokens: u64,
    /// Written to the prompt cache.
    #[ts(type = "number")]
    pub cache_write_tokens: u64,
}

impl std::ops::AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        self.input_tokens += other.input_tokens;
        self.output_tokens += other.output_tokens;
        self.cache_read_tokens += other.cache_read_tokens;
        self.cache_write_tokens += other.cache_write_tokens;
    }
}
