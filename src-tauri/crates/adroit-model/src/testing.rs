//! What the tests of several modules share.

use std::collections::HashSet;
use std::sync::Arc;

use adroit_protocol::message::Message;
use futures::StreamExt;
use tokio_util::sync::CancellationToken;

use crate::{ModelClient, ModelError, ModelRequest, StreamEvent};

/// Every part starts once, ends once, gets nothing outside of that; `Finish` comes last.
pub(crate) fn check_order(events: &[StreamEvent]) {
    let (mut open, mut seen) = (HashSet::new(), HashSet::new());
    for (at, event) in events.iter().enumerate() {
        match event {
            StreamEvent::Start { part, .. } => {
                assert!(seen.insert(*part) && open.insert(*part), "{event:?}")
            }
            StreamEvent::Text { part, .. }
            | StreamEvent::Thinking { part, .. }
            | StreamEvent::Arguments { part, .. } => {
                assert!(open.contains(part), "{event:?}");
            }
            StreamEvent::End { part, .. } => assert!(open.remove(part), "{event:?}"),
            StreamEvent::Usage(_) => assert!(open.is_empty()),
            StreamEvent::Finish { .. } => assert!(open.is_empty() && at + 1 == events.len()),
        }
    }
    assert!(
        matches!(events.last(), Some(StreamEvent::Finish { .. })),
        "no finish: {events:?}"
    );
}

/// A request with these messages and nothing else.
pub(crate) fn request(messages: Vec<Message>) -> ModelRequest {
    ModelRequest {
        model: "model-x".into(),
        system: Vec::new(),
        tools: Vec::new(),
        tool_cache_breakpoint: None,
        messages: messages.into(),
        max_output_tokens: 4096,
        thinking: None,
    }
}

/// The events of one answer, and the error that ended it.
pub(crate) async fn collect(
    client: &dyn ModelClient,
    request: ModelRequest,
) -> (Vec<StreamEvent>, Option<ModelError>) {
    let mut stream = client.stream(Arc::new(request), CancellationToken::new());
    let (mut events, mut error) = (Vec::new(), None);
    while let Some(event) = stream.next().await {
        assert!(error.is_none(), "something came after the error");
        match event {
            Ok(event) => events.push(event),
            Err(failure) => error = Some(failure),
        }
    }
    if error.is_none() {
        check_order(&events);
    }
    (events, error)
}
