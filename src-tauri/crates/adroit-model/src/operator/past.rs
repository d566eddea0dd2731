//! What has happened since the person's request, as far as the conversation tells.
//!
//! The operator keeps nothing between two answers. Each time it goes through its work from
//! the beginning; [`Past::ask`] gives the results that are already there, and stops the
//! walk at the first question whose results are not.

use std::collections::{HashMap, VecDeque};

use adroit_protocol::CallId;
use adroit_protocol::message::{Content, Message, ResultContent, Role};
use serde_json::Value;

/// A call that the operator wants.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Call {
    /// The tool.
    pub(super) tool: &'static str,
    /// Its input.
    pub(super) input: Value,
}

/// What a call gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Outcome {
    /// What the tool said.
    pub(super) text: String,
    /// It failed, was denied or was cancelled.
    pub(super) failed: bool,
}

/// The next message: some words, then calls. Without calls the turn is over.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Reply {
    /// Markdown.
    pub(super) text: String,
    /// Calls that do not depend on each other.
    pub(super) calls: Vec<Call>,
}

/// A value, or the message that has to be sent to get it.
pub(super) type Step<T> = Result<T, Reply>;

/// The conversation since the person's request.
#[derive(Debug)]
pub(super) struct Past {
    outcomes: VecDeque<Outcome>,
    /// The tools of this session; empty when none were told.
    tools: Vec<String>,
    /// Words that were not said yet.
    words: String,
}

/// The person's last request.
pub(super) fn request(messages: &[Message]) -> Option<(usize, String)> {
    messages.iter().enumerate().rev().find_map(|(at, message)| {
        let text = spoken(message);
        (message.role == Role::User && !text.is_empty()).then_some((at, text))
    })
}

/// What the person said in a message; notes in tags, which a program put there, are no speech.
fn spoken(message: &Message) -> String {
    let texts = message.content.iter().filter_map(|content| match content {
        Content::Text { text } if !text.trim_start().starts_with("<system-") => Some(text.trim()),
        _ => None,
    });
    texts
        .filter(|text| !text.is_empty())
        .collect::<Vec<_>>()
        .join("\n")
}

impl Past {
    /// What follows the request at this place.
    pub(super) fn new(messages: &[Message], request: usize, tools: Vec<String>) -> Self {
        let later = messages.get(request + 1..).unwrap_or_default();
        let mut results: HashMap<&CallId, Outcome> = HashMap::new();
        for content in later.iter().flat_map(|message| &message.content) {
            if let Content::ToolResult {
                tool_use_id,
                content,
                is_error,
            } = content
            {
                results.insert(
                    tool_use_id,
                    Outcome {
                        text: text(content),
                        failed: *is_error,
                    },
                );
            }
        }
        let calls = later
            .iter()
            .flat_map(|message| &message.content)
            .filter_map(|content| match content {
                Content::ToolUse { id, .. } => Some(id),
                _ => None,
            });
        let outcomes = calls
            .map(|id| {
                results.remove(id).unwrap_or_else(|| Outcome {
                    text: "It has no result.".into(),
                    failed: true,
                })
            })
            .collect();
        Self {
            outcomes,
            tools,
            words: String::new(),
        }
    }

    /// Says something, in a paragraph of its own.
    pub(super) fn say(&mut self, words: &str) {
        if !self.words.is_empty() {
            self.words.push_str("\n\n");
        }
        self.words.push_str(words.trim_end());
    }

    /// The results of calls, in their order.
    ///
    /// # Errors
    /// The message to send when they are not there yet: what was said so far, with the calls.
    pub(super) fn ask(&mut self, words: &str, calls: Vec<Call>) -> Step<Vec<Outcome>> {
        if !words.is_empty() {
            self.say(words);
        }
        if self.outcomes.is_empty() {
            if let Some(missing) = calls.iter().find(|call| !self.has(call.tool)) {
                let missing = missing.tool;
                self.say(&format!(
                    "For this I need the tool **{missing}**, which this session does not have. \
                     It may be disabled, or denied by a rule; the settings show which."
                ));
                return Err(self.close());
            }
            return Err(Reply {
                text: std::mem::take(&mut self.words),
                calls,
            });
        }
        // This was said with the calls.
        self.words.clear();
        let missing = || Outcome {
            text: "It was not run.".into(),
            failed: true,
        };
        Ok(calls
            .iter()
            .map(|_| self.outcomes.pop_front().unwrap_or_else(missing))
            .collect())
    }

    /// The same for one call.
    ///
    /// # Errors
    /// As [`Past::ask`].
    pub(super) fn ask_one(&mut self, words: &str, call: Call) -> Step<Outcome> {
        let missing = Outcome {
            text: "It was not run.".into(),
            failed: true,
        };
        Ok(self.ask(words, vec![call])?.pop().unwrap_or(missing))
    }

    fn has(&self, tool: &str) -> bool {
        self.tools.is_empty() || self.tools.iter().any(|name| name == tool)
    }

    /// The last message: what was not said yet.
    pub(super) fn close(&mut self) -> Reply {
        Reply {
            text: std::mem::take(&mut self.words),
            calls: Vec::new(),
        }
    }
}

/// The text of a result; an image is named.
fn text(content: &[ResultContent]) -> String {
    let parts: Vec<&str> = content
        .iter()
        .map(|part| match part {
            ResultContent::Text { text } => text.as_str(),
            ResultContent::Image { .. } => "[an image]",
        })
        .collect();
    parts.join("\n")
}
