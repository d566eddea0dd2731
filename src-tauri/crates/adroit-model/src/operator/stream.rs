//! An answer in pieces, as a model would write it.

use std::collections::VecDeque;
use std::time::Duration;

use adroit_protocol::CallId;
use adroit_protocol::message::{CallInput, Content, StopReason, ToolCall, Usage};
use futures::{StreamExt, stream};
use tokio_util::sync::CancellationToken;

use crate::{EndedPart, ModelError, ModelStream, PartKind, StreamEvent};

use super::past::{Call, Reply};

/// Characters of a usual piece.
const PIECE: usize = 16;
/// A long block comes in larger pieces, so that it never has more than about this many.
const MOST_PIECES: usize = 150;
/// Characters that count as a token in the operator's usage.
const CHARACTERS_PER_TOKEN: usize = 4;

/// The events of an answer. `first_call` numbers its calls: their ids are unique in the
/// conversation, and the same for the same conversation.
pub(super) fn events(reply: Reply, read: usize, first_call: usize) -> VecDeque<StreamEvent> {
    let mut events = VecDeque::new();
    let mut written = 0;
    let mut part = 0;
    if !reply.text.is_empty() {
        written += reply.text.chars().count();
        text_part(part, reply.text, &mut events);
        part += 1;
    }
    let calls = reply.calls.len();
    for (at, call) in reply.calls.into_iter().enumerate() {
        let id = CallId::from(format!("offline_{}", first_call + at));
        written += call_part(part, id, call, &mut events);
        part += 1;
    }
    events.push_back(StreamEvent::Usage(Usage {
        input_tokens: (read / CHARACTERS_PER_TOKEN) as u64,
        output_tokens: (written / CHARACTERS_PER_TOKEN) as u64,
        ..Usage::default()
    }));
    let stop = if calls > 0 {
        StopReason::ToolUse
    } else {
        StopReason::EndTurn
    };
    events.push_back(StreamEvent::Finish { stop });
    events
}

fn text_part(part: u32, text: String, events: &mut VecDeque<StreamEvent>) {
    events.push_back(StreamEvent::Start {
        part,
        kind: PartKind::Text,
    });
    events.extend(pieces(&text).map(|piece| StreamEvent::Text { part, text: piece }));
    events.push_back(StreamEvent::End {
        part,
        content: EndedPart::Content(Content::Text { text }),
    });
}

fn call_part(part: u32, id: CallId, call: Call, events: &mut VecDeque<StreamEvent>) -> usize {
    let (name, json) = (call.tool.to_owned(), call.input.to_string());
    events.push_back(StreamEvent::Start {
        part,
        kind: PartKind::ToolUse {
            id: id.clone(),
            name: name.clone(),
        },
    });
    events.extend(pieces(&json).map(|piece| StreamEvent::Arguments { part, json: piece }));
    let call = ToolCall {
        id,
        name,
        input: CallInput::Object(call.input),
    };
    events.push_back(StreamEvent::End {
        part,
        content: EndedPart::Call(call),
    });
    json.chars().count()
}

/// Pieces of about the same size; a word stays whole where it is short.
fn pieces(text: &str) -> impl Iterator<Item = String> {
    let size = PIECE.max(text.len() / MOST_PIECES);
    let mut pieces = Vec::new();
    let mut piece = String::new();
    let mut length = 0;
    for character in text.chars() {
        piece.push(character);
        length += 1;
        let border = character.is_whitespace() || character == ',';
        if length >= size * 2 || length >= size && border {
            pieces.push(std::mem::take(&mut piece));
            length = 0;
        }
    }
    if !piece.is_empty() {
        pieces.push(piece);
    }
    pieces.into_iter()
}

/// The events with a pause before each piece.
pub(super) fn paced(
    events: VecDeque<StreamEvent>,
    delay: Duration,
    cancel: CancellationToken,
) -> ModelStream {
    stream::unfold(Some(events), move |events| {
        let cancel = cancel.clone();
        async move {
            let mut events = events?;
            let piece = matches!(
                events.front()?,
                StreamEvent::Text { .. }
                    | StreamEvent::Thinking { .. }
                    | StreamEvent::Arguments { .. }
            );
            let pause = async {
                if piece && !delay.is_zero() {
                    tokio::time::sleep(delay).await;
                }
            };
            tokio::select! {
                biased;
                () = cancel.cancelled() => Some((Err(ModelError::Cancelled), None)),
                () = pause => events.pop_front().map(|event| (Ok(event), Some(events))),
            }
        }
    })
    .boxed()
}
