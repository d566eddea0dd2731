//! Streaming model clients and the offline operator.
//!
//! **Owns** the translation between the internal form of a conversation
//! (`adroit_protocol::message`) and a model's wire: what is sent, and how the answer
//! comes back, block by block, while the model still writes.
//!
//! **Principal types**: [`ModelClient`] (one model server, or the embedded operator),
//! [`ModelRequest`] (what it is asked), [`StreamEvent`] (what it answers),
//! [`ModelError`] (why it did not). [`client`] makes one from a [`ProviderConfig`];
//! [`with_retries`] adds patience. `adroit-session` is the caller.
//!
//! **Invariants**
//! - Every `Start` of a part has exactly one `End`, and `Finish` is the last event; a
//!   stream that cannot keep this ends in an error instead.
//! - A call leaves as soon as its block is complete, while the stream goes on.
//! - Arguments that are not a JSON object are never repaired: they leave as
//!   [`CallInput::Invalid`](adroit_protocol::message::CallInput) with the position of the fault.
//! - A key appears in a request header and nowhere else: not in `Debug`, not in an error, not in a log.
//! - Nothing is read, resolved or loaded before the first request needs it.
//!
//! **Must never know**: tools' implementations, permissions, the transcript, the UI.
//! (The offline operator knows the *names and inputs* of built-in tools, as any model
//! that read their definitions does.)

mod anthropic;
mod arguments;
mod client;
mod config;
mod context;
mod error;
mod failure;
mod http;
mod openai_chat;
mod operator;
mod parts;
mod retry;
mod sse;
#[cfg(test)]
mod testing;
mod wire;

pub use anthropic::Anthropic;
pub use client::{
    EndedPart, ModelClient, ModelRequest, ModelStream, PartKind, StreamEvent, SystemBlock,
};
pub use config::{ProviderConfig, ProviderKind, Secret, client};
pub use context::context_tokens;
pub use error::{ModelError, RetryAdvice};
pub use openai_chat::OpenAiChat;
pub use operator::{OFFLINE_MODEL, Operator};
pub use retry::{Retry, RetryPolicy, with_retries};
