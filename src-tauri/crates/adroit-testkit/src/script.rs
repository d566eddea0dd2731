//! What a scripted answer consists of.

use std::time::Duration;

use bytes::Bytes;
use serde_json::{Value, json};

use crate::Gate;

/// One step of an answer. Steps that name an event are written in the wire of the request.
#[derive(Clone, Debug)]
pub enum Step {
    /// The answer begins (`message_start`; the first chunk with the role).
    Begin,
    /// One delta of text; opens a text block where none is open.
    Text(String),
    /// One delta of reasoning; opens a thinking block where none is open.
    Thinking(String),
    /// The signature of the open thinking block (Anthropic wire only).
    Signature(String),
    /// A call begins: id and tool name.
    CallStart {
        /// The id.
        id: String,
        /// The tool's name.
        name: String,
    },
    /// One fragment of the arguments of the open call, exactly as given.
    Arguments(String),
    /// The open block ends (no bytes on the chat wire, which has no such event).
    BlockEnd,
    /// A `ping` (a comment on the chat wire).
    Ping,
    /// Stop reason and usage.
    Stop {
        /// `end_turn`, `tool_use`, `max_tokens`, `refusal` … in Anthropic's words.
        reason: String,
        /// Tokens read and written.
        usage: (u64, u64),
    },
    /// The end mark (`message_stop`; `[DONE]`).
    Done,
    /// An error event within the stream: type and message.
    Error {
        /// For example `overloaded_error`.
        kind: String,
        /// The message.
        message: String,
    },
    /// One server-sent event with this data, exactly as given.
    Event {
        /// The event's name; none: no `event:` line.
        name: Option<String>,
        /// The data.
        data: String,
    },
    /// Bytes, as they are, in one piece.
    Raw(Bytes),
    /// Waits until the test opens the gate.
    Gate(Gate),
    /// Waits (benches and demonstrations; tests use a gate).
    Pause(Duration),
    /// Sends nothing more and keeps the connection.
    Stall,
    /// Cuts the connection without an orderly end.
    Cut,
}

/// One answer: status, headers and steps.
#[derive(Clone, Debug)]
pub struct Turn {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) steps: Vec<Step>,
    pub(crate) gzip: bool,
    usage: (u64, u64),
    calls: bool,
    block_open: bool,
}

/// A streamed answer. It begins by itself and, with [`Turn::end`], ends by itself:
///
/// ```
/// use adroit_testkit::turn;
/// use serde_json::json;
/// let answer = turn().text("I look.").call("Read", json!({"file_path": "a.txt"})).end();
/// ```
#[must_use]
pub fn turn() -> Turn {
    Turn {
        status: 200,
        headers: vec![("content-type".into(), "text/event-stream".into())],
        steps: vec![Step::Begin],
        gzip: false,
        usage: (100, 10),
        calls: false,
        block_open: false,
    }
}

/// An answer that is not a stream: a status, then [`Turn::header`] and [`Turn::json`].
#[must_use]
pub fn response(status: u16) -> Turn {
    Turn {
        status,
        headers: Vec::new(),
        steps: Vec::new(),
        ..turn()
    }
}

impl Turn {
    /// Text in one delta, as a block of its own.
    pub fn text(self, text: impl Into<String>) -> Self {
        self.step(Step::Text(text.into())).end_block()
    }

    /// Text in one delta per piece, as one block.
    pub fn text_in_pieces<T: Into<String>>(self, pieces: impl IntoIterator<Item = T>) -> Self {
        let open = pieces
            .into_iter()
            .fold(self, |turn, piece| turn.step(Step::Text(piece.into())));
        open.end_block()
    }

    /// Reasoning with its signature, as a block of its own.
    pub fn thinking(self, text: impl Into<String>, signature: impl Into<String>) -> Self {
        self.step(Step::Thinking(text.into()))
            .step(Step::Signature(signature.into()))
            .end_block()
    }

    /// A call whose arguments come in one piece. The server gives it an id of its own.
    pub fn call(self, name: &str, input: Value) -> Self {
        self.call_as("", name, input)
    }

    /// A call with an id of your own.
    pub fn call_as(self, id: &str, name: &str, input: Value) -> Self {
        self.call_start(id, name)
            .arguments(input.to_string())
            .end_block()
    }

    /// A call whose arguments come in so many pieces.
    pub fn call_in_pieces(self, name: &str, input: Value, pieces: usize) -> Self {
        self.call_as_in_pieces("", name, &input, pieces)
    }

    /// A call with an id of your own whose arguments come in so many pieces.
    pub fn call_as_in_pieces(self, id: &str, name: &str, input: &Value, pieces: usize) -> Self {
        let text: Vec<char> = input.to_string().chars().collect();
        let size = text.len().div_ceil(pieces.max(1)).max(1);
        let open = self.call_start(id, name);
        text.chunks(size)
            .fold(open, |turn, piece| {
                turn.arguments(piece.iter().collect::<String>())
            })
            .end_block()
    }

    /// A call begins and stays open: go on with [`Turn::arguments`] and [`Turn::end_block`].
    /// An empty id lets the server number it.
    pub fn call_start(mut self, id: &str, name: &str) -> Self {
        self.calls = true;
        self.block_open = true;
        self.steps.push(Step::CallStart {
            id: id.into(),
            name: name.into(),
        });
        self
    }

    /// A fragment of the open call's arguments, exactly as given.
    pub fn arguments(self, json: impl Into<String>) -> Self {
        self.step(Step::Arguments(json.into()))
    }

    /// The open block ends.
    pub fn end_block(mut self) -> Self {
        self.block_open = false;
        self.steps.push(Step::BlockEnd);
        self
    }

    /// Waits for the gate.
    pub fn gate(self, gate: &Gate) -> Self {
        self.step(Step::Gate(gate.clone()))
    }

    /// Any step.
    pub fn step(mut self, step: Step) -> Self {
        self.block_open |= matches!(step, Step::Text(_) | Step::Thinking(_));
        self.steps.push(step);
        self
    }

    /// Bytes as they are, in one piece.
    pub fn raw(self, bytes: impl Into<Bytes>) -> Self {
        self.step(Step::Raw(bytes.into()))
    }

    /// An event with this JSON as data, named after its `type` where it has one.
    pub fn event(self, data: &Value) -> Self {
        let name = data["type"].as_str().map(str::to_owned);
        self.step(Step::Event {
            name,
            data: data.to_string(),
        })
    }

    /// Does not begin by itself: only the steps that follow are sent.
    pub fn bare(mut self) -> Self {
        self.steps.retain(|step| !matches!(step, Step::Begin));
        self
    }

    /// The tokens that the answer reports.
    pub fn usage(mut self, input: u64, output: u64) -> Self {
        self.usage = (input, output);
        self
    }

    /// A response header.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.retain(|(known, _)| known != name);
        self.headers.push((name.into(), value.into()));
        self
    }

    /// A JSON body.
    pub fn json(self, body: &Value) -> Self {
        self.header("content-type", "application/json")
            .raw(body.to_string())
    }

    /// An error body in the form that both wires understand: type and message.
    pub fn error_body(self, kind: &str, message: &str) -> Self {
        self.json(&json!({"type": "error", "error": {"type": kind, "message": message}}))
    }

    /// Sends gzip, flushed after each step.
    pub fn gzip(mut self) -> Self {
        self.gzip = true;
        self.header("content-encoding", "gzip")
    }

    /// Ends in the ordinary way: `tool_use` when there was a call, else `end_turn`.
    pub fn end(self) -> Self {
        let reason = if self.calls { "tool_use" } else { "end_turn" };
        self.stop(reason)
    }

    /// Ends with this stop reason (Anthropic's words).
    pub fn stop(mut self, reason: &str) -> Self {
        if self.block_open {
            self = self.end_block();
        }
        let usage = self.usage;
        self.step(Step::Stop {
            reason: reason.into(),
            usage,
        })
        .step(Step::Done)
    }

    /// Cuts the connection.
    pub fn cut(self) -> Self {
        self.step(Step::Cut)
    }

    /// Sends nothing more and keeps the connection.
    pub fn stall(self) -> Self {
        self.step(Step::Stall)
    }
}
