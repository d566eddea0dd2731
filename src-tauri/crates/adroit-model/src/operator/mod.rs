//! The offline operator: the embedded model of a fresh machine.
//!
//! It has no key, no network and no memory: each answer is a pure function of the
//! conversation. It understands a small language, written down in `language.md`, and plain
//! phrasings of it, and works in steps like any model: it reads before it edits, calls what
//! is independent in one message, looks at the results, tells what was done, and, where a
//! call was denied or failed, what was not, in the words that came back. It never repeats a
//! call that was refused.

mod asking;
mod calls;
mod change;
mod command;
mod delegate;
mod help;
mod lexer;
mod making;
mod manifest;
mod parse;
mod past;
mod phrases;
mod planning;
mod reading;
mod replace;
mod results;
mod scope;
mod stream;
mod tour;
mod words;
mod work;

use std::sync::Arc;
use std::time::Duration;

use adroit_protocol::message::{Content, Message};
use futures::FutureExt;
use futures::future::BoxFuture;
use tokio_util::sync::CancellationToken;

use crate::{ModelClient, ModelError, ModelRequest, ModelStream};

use self::past::{Past, Reply};

/// The name of the operator as a model.
pub const OFFLINE_MODEL: &str = "offline-operator";
/// The provider's name in an origin.
const PROVIDER: &str = "offline";

/// The embedded model: no key, no network, deterministic.
#[derive(Clone, Debug)]
pub struct Operator {
    delay: Duration,
}

impl Operator {
    /// An operator that pauses so long before each piece of its answer.
    #[must_use]
    pub fn new(delay: Duration) -> Self {
        Self { delay }
    }
}

impl ModelClient for Operator {
    fn provider(&self) -> &str {
        PROVIDER
    }

    fn stream(&self, request: Arc<ModelRequest>, cancel: CancellationToken) -> ModelStream {
        let tools = request.tools.iter().map(|tool| tool.name.clone()).collect();
        let reply = reply(&request.messages, tools);
        let (read, calls) = measure(&request.messages);
        stream::paced(stream::events(reply, read, calls + 1), self.delay, cancel)
    }

    /// It goes through its work from the beginning and takes the results that are there.
    fn needs_whole_turn(&self) -> bool {
        true
    }

    fn models(&self) -> BoxFuture<'static, Result<Vec<String>, ModelError>> {
        async { Ok(vec![OFFLINE_MODEL.to_owned()]) }.boxed()
    }
}

/// The next message.
fn reply(messages: &[Message], tools: Vec<String>) -> Reply {
    let Some((at, request)) = past::request(messages) else {
        return Reply {
            text: help::HELP.into(),
            calls: Vec::new(),
        };
    };
    let mut past = Past::new(messages, at, tools);
    let mut reply = work::carry_out(&parse::commands(&request), &mut past);
    if reply.text.is_empty() && reply.calls.is_empty() {
        reply.text = "Done.".into();
    }
    reply
}

/// Characters and calls of the conversation so far.
fn measure(messages: &[Message]) -> (usize, usize) {
    let (mut characters, mut calls) = (0, 0);
    for content in messages.iter().flat_map(|message| &message.content) {
        match content {
            Content::Text { text } => characters += text.len(),
            Content::ToolUse { input, .. } => {
                calls += 1;
                characters += input.to_string().len();
            }
            Content::ToolResult { content, .. } => {
                characters += content
                    .iter()
                    .map(|part| match part {
                        adroit_protocol::message::ResultContent::Text { text } => text.len(),
                        adroit_protocol::message::ResultContent::Image { .. } => 0,
                    })
                    .sum::<usize>();
            }
            _ => {}
        }
    }
    (characters, calls)
}

#[cfg(test)]
mod tests;
