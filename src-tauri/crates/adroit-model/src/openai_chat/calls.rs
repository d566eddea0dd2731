//! Which call a delta belongs to. The protocol says "by index"; servers differ.

use serde_json::Value;

use crate::parts::{Part, Parts};
use crate::{ModelError, arguments};

/// The calls of one answer, in the order in which they began.
#[derive(Debug, Default)]
pub(super) struct Calls {
    calls: Vec<Call>,
}

#[derive(Debug)]
struct Call {
    wire_id: String,
    index: Option<u64>,
    state: State,
}

#[derive(Debug)]
enum State {
    /// The name has not come yet; the arguments so far wait.
    Unnamed(String),
    /// Pieces go out as they come.
    Open(Part),
    /// Complete and gone.
    Ended,
}

/// One delta, as it came.
struct Delta<'a> {
    index: Option<u64>,
    id: &'a str,
    name: &'a str,
    arguments: String,
}

impl Calls {
    /// One entry of `tool_calls`.
    pub(super) fn delta(&mut self, parts: &mut Parts, value: &Value) -> Result<(), ModelError> {
        let function = &value["function"];
        let delta = Delta {
            index: value["index"].as_u64(),
            id: value["id"].as_str().unwrap_or_default(),
            name: function["name"].as_str().unwrap_or_default(),
            arguments: match &function["arguments"] {
                Value::String(text) => text.clone(),
                Value::Null => String::new(),
                // Some servers send the arguments as JSON itself.
                other => other.to_string(),
            },
        };
        let at = match self.find(&delta)? {
            Some(at) => at,
            None => {
                self.calls.push(Call {
                    wire_id: delta.id.to_owned(),
                    index: delta.index,
                    state: State::Unnamed(String::new()),
                });
                self.end_complete(parts);
                self.calls.len() - 1
            }
        };
        self.calls[at].add(parts, delta)
    }

    /// The call that a delta goes on with; none for a new one. In this order:
    ///
    /// 1. An id that is known names its call.
    /// 2. An index that is known names its call, unless another id comes with it, or a
    ///    name and arguments for a call that has all of its own: then it is a new call (some
    ///    servers number every call 0).
    /// 3. A new id, or a name, begins a call, unless the last call has the same name and is
    ///    in the middle of its arguments (some servers repeat the name).
    /// 4. Arguments alone with an unknown index belong to the only call there is; with
    ///    several calls it cannot be told, and guessing could run the wrong command.
    /// 5. Arguments alone without an index belong to the last call.
    fn find(&self, delta: &Delta<'_>) -> Result<Option<usize>, ModelError> {
        if let Some(at) = self
            .calls
            .iter()
            .rposition(|call| !delta.id.is_empty() && call.wire_id == delta.id)
        {
            let renumbered = delta.index.is_some()
                && self.calls[at].index != delta.index
                && !delta.name.is_empty();
            return Ok((!renumbered).then_some(at));
        }
        let indexed = delta.index.and_then(|index| {
            self.calls
                .iter()
                .rposition(|call| call.index == Some(index))
        });
        if let Some(at) = indexed {
            let call = &self.calls[at];
            let other_id = !delta.id.is_empty() && !call.wire_id.is_empty();
            let another =
                !delta.name.is_empty() && !delta.arguments.is_empty() && call.is_complete();
            return Ok((!other_id && !another).then_some(at));
        }
        if !delta.id.is_empty() {
            return Ok(None);
        }
        if !delta.name.is_empty() {
            let goes_on = delta.index.is_none()
                && self
                    .calls
                    .last()
                    .is_some_and(|call| call.is_amid(delta.name));
            return Ok(goes_on.then(|| self.calls.len() - 1));
        }
        match (self.calls.len(), delta.index) {
            (0, _) => Err(ModelError::Protocol {
                message: "arguments came before any call".into(),
            }),
            (1, _) => Ok(Some(0)),
            (count, None) => Ok(Some(count - 1)),
            (count, Some(index)) => Err(ModelError::Protocol {
                message: format!(
                    "arguments came for call {index}, which of the {count} calls is unclear"
                ),
            }),
        }
    }

    /// Ends the calls before the last one whose arguments are whole, so that they start now.
    /// Stops at the first that is not: its arguments may still come, and calls leave in order.
    fn end_complete(&mut self, parts: &mut Parts) {
        let earlier = self.calls.len().saturating_sub(1);
        for call in &mut self.calls[..earlier] {
            match call.state {
                State::Ended => {}
                State::Open(_) if call.is_complete() => call.end(parts),
                _ => break,
            }
        }
    }

    /// The answer is complete, and so are its calls.
    pub(super) fn end_all(&mut self, parts: &mut Parts) {
        for call in &mut self.calls {
            call.end(parts);
        }
    }
}

impl Call {
    /// Whether it has a whole object as arguments.
    fn is_complete(&self) -> bool {
        match &self.state {
            State::Ended => true,
            State::Open(part) => arguments::is_complete(part.json()),
            State::Unnamed(_) => false,
        }
    }

    /// Whether it has this name and a part of its arguments.
    fn is_amid(&self, name: &str) -> bool {
        match &self.state {
            State::Open(part) => {
                part.is_call_of(name)
                    && !part.json().is_empty()
                    && !arguments::is_complete(part.json())
            }
            _ => false,
        }
    }

    fn add(&mut self, parts: &mut Parts, delta: Delta<'_>) -> Result<(), ModelError> {
        if self.wire_id.is_empty() {
            delta.id.clone_into(&mut self.wire_id);
        }
        match &mut self.state {
            State::Open(part) => part.push_json(parts, delta.arguments),
            State::Unnamed(waiting) => {
                waiting.push_str(&delta.arguments);
                if !delta.name.is_empty() {
                    let waiting = std::mem::take(waiting);
                    let mut part = parts.start_call(&self.wire_id, delta.name.to_owned());
                    part.push_json(parts, waiting);
                    self.state = State::Open(part);
                }
            }
            State::Ended if delta.arguments.trim().is_empty() => {}
            State::Ended => {
                return Err(ModelError::Protocol {
                    message: "more arguments came for a call that was complete".into(),
                });
            }
        }
        Ok(())
    }

    fn end(&mut self, parts: &mut Parts) {
        match std::mem::replace(&mut self.state, State::Ended) {
            State::Ended => {}
            State::Open(part) => part.end(parts),
            State::Unnamed(waiting) => {
                // A call without a name still gets its result: "unknown tool".
                let mut part = parts.start_call(&self.wire_id, String::new());
                part.push_json(parts, waiting);
                part.end(parts);
            }
        }
    }
}
