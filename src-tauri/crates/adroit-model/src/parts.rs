//! The open parts of an answer: the one place that makes `Start` and `End`.

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;

use adroit_protocol::CallId;
use adroit_protocol::message::{Content, Origin, ToolCall};
use serde_json::Value;

use crate::{EndedPart, ModelRequest, PartKind, StreamEvent, arguments};

/// What is known of an answer, and the events that wait to be taken.
#[derive(Debug)]
pub(crate) struct Parts {
    request: Arc<ModelRequest>,
    origin: Origin,
    events: VecDeque<StreamEvent>,
    next_part: u32,
    used_ids: Option<HashSet<CallId>>,
    /// Calls that were started.
    pub(crate) calls: usize,
}

impl Parts {
    pub(crate) fn new(provider: &str, request: Arc<ModelRequest>) -> Self {
        let origin = Origin {
            provider: provider.into(),
            model: request.model.clone(),
        };
        Self {
            request,
            origin,
            events: VecDeque::new(),
            next_part: 0,
            used_ids: None,
            calls: 0,
        }
    }

    /// The next event.
    pub(crate) fn pop(&mut self) -> Option<StreamEvent> {
        self.events.pop_front()
    }

    /// An event that is not of a part.
    pub(crate) fn push(&mut self, event: StreamEvent) {
        self.events.push_back(event);
    }

    fn start(&mut self, kind: PartKind) -> u32 {
        let part = self.next_part;
        self.next_part += 1;
        self.events.push_back(StreamEvent::Start { part, kind });
        part
    }

    pub(crate) fn start_text(&mut self) -> Part {
        Part {
            part: self.start(PartKind::Text),
            body: Body::Text(String::new()),
        }
    }

    pub(crate) fn start_thinking(&mut self) -> Part {
        let body = Body::Thinking {
            text: String::new(),
            signature: None,
        };
        Part {
            part: self.start(PartKind::Thinking),
            body,
        }
    }

    pub(crate) fn start_redacted(&mut self, data: String) -> Part {
        Part {
            part: self.start(PartKind::Thinking),
            body: Body::Redacted(data),
        }
    }

    /// A call. The server's id is kept when it is usable: present, and of no other call of
    /// the conversation (some servers count from zero in every answer, or send none).
    pub(crate) fn start_call(&mut self, wire_id: &str, name: String) -> Part {
        self.calls += 1;
        let id = self.unique_id(wire_id);
        let kind = PartKind::ToolUse {
            id: id.clone(),
            name: name.clone(),
        };
        Part {
            part: self.start(kind),
            body: Body::Call {
                id,
                name,
                json: String::new(),
            },
        }
    }

    pub(crate) fn start_other(&mut self, value: Value) -> Part {
        Part {
            part: self.start(PartKind::Other),
            body: Body::Other {
                value,
                json: String::new(),
            },
        }
    }

    fn unique_id(&mut self, wire_id: &str) -> CallId {
        let used = self.used_ids.get_or_insert_with(|| {
            let blocks = self
                .request
                .messages
                .iter()
                .flat_map(|message| &message.content);
            blocks
                .filter_map(|block| match block {
                    Content::ToolUse { id, .. } => Some(id.clone()),
                    _ => None,
                })
                .collect()
        });
        let mut id = CallId::from(wire_id);
        if wire_id.trim().is_empty() || used.contains(&id) {
            id = CallId::generate();
        }
        used.insert(id.clone());
        id
    }
}

/// One open part.
#[derive(Debug)]
pub(crate) struct Part {
    part: u32,
    body: Body,
}

#[derive(Debug)]
enum Body {
    Text(String),
    Thinking {
        text: String,
        signature: Option<String>,
    },
    Redacted(String),
    Call {
        id: CallId,
        name: String,
        json: String,
    },
    Other {
        value: Value,
        json: String,
    },
}

impl Part {
    pub(crate) fn is_text(&self) -> bool {
        matches!(self.body, Body::Text(_))
    }

    pub(crate) fn is_thinking(&self) -> bool {
        matches!(self.body, Body::Thinking { .. })
    }

    /// Whether it is a call of the tool with this name.
    pub(crate) fn is_call_of(&self, tool: &str) -> bool {
        matches!(&self.body, Body::Call { name, .. } if name == tool)
    }

    /// The arguments so far; empty for other parts.
    pub(crate) fn json(&self) -> &str {
        match &self.body {
            Body::Call { json, .. } => json,
            _ => "",
        }
    }

    /// More text or reasoning. A part of another kind does not take it.
    pub(crate) fn push_text(&mut self, parts: &mut Parts, added: String) {
        let part = self.part;
        match &mut self.body {
            _ if added.is_empty() => {}
            Body::Text(text) => {
                text.push_str(&added);
                parts.push(StreamEvent::Text { part, text: added });
            }
            Body::Thinking { text, .. } => {
                text.push_str(&added);
                parts.push(StreamEvent::Thinking { part, text: added });
            }
            _ => {}
        }
    }

    /// More of a signature.
    pub(crate) fn push_signature(&mut self, added: &str) {
        if let Body::Thinking { signature, .. } = &mut self.body {
            signature.get_or_insert_default().push_str(added);
        }
    }

    /// More of the arguments.
    pub(crate) fn push_json(&mut self, parts: &mut Parts, added: String) {
        let part = self.part;
        match &mut self.body {
            _ if added.is_empty() => {}
            Body::Call { json, .. } => {
                json.push_str(&added);
                parts.push(StreamEvent::Arguments { part, json: added });
            }
            Body::Other { json, .. } => json.push_str(&added),
            _ => {}
        }
    }

    /// The part is complete.
    pub(crate) fn end(self, parts: &mut Parts) {
        let origin = parts.origin.clone();
        let content = match self.body {
            Body::Text(text) => EndedPart::Content(Content::Text { text }),
            Body::Thinking { text, signature } => EndedPart::Content(Content::Thinking {
                text,
                signature,
                origin,
            }),
            Body::Redacted(data) => EndedPart::Content(Content::RedactedThinking { data, origin }),
            Body::Call { id, name, json } => EndedPart::Call(ToolCall {
                id,
                name,
                input: arguments::parse(&json),
            }),
            Body::Other { mut value, json } => {
                if let (false, Ok(input), Some(object)) = (
                    json.is_empty(),
                    arguments::parse_json(&json),
                    value.as_object_mut(),
                ) {
                    object.insert("input".into(), input);
                }
                EndedPart::Content(Content::Opaque { origin, value })
            }
        };
        parts.push(StreamEvent::End {
            part: self.part,
            content,
        });
    }
}
