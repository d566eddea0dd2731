//! Asking the model for the summary.

use std::sync::Arc;

use adroit_model::{
    EndedPart, ModelClient, ModelError, ModelRequest, Retry, RetryPolicy, StreamEvent, SystemBlock,
    with_retries,
};
use adroit_protocol::message::{Content, Message, StopReason, Usage};
use adroit_tool::Cancellation;
use futures::StreamExt as _;

use super::NotCompacted;
use super::rendering::render;

/// Tokens of a summary at most.
const LONGEST: u32 = 8_000;
/// Tokens of what is summarised, where the model's size is not known.
const USUAL_ROOM: u64 = 100_000;
/// Of the model's size, what the conversation may take of a request for its summary: the estimate
/// may be wrong by that much.
const SHARE: (u64, u64) = (7, 10);

/// What is summarised, and how.
pub(super) struct Material<'a> {
    pub(super) earlier: Option<&'a str>,
    pub(super) older: &'a [Message],
    /// What the person wants of it; empty where they said nothing.
    pub(super) instructions: &'a str,
    /// The size of the model in tokens, where it is known.
    pub(super) limit: Option<u64>,
    /// The most tokens of an answer.
    pub(super) most: u32,
}

/// A summary, and what it cost.
#[derive(Debug)]
pub(super) struct Summary {
    pub(super) text: String,
    pub(super) usage: Usage,
}

/// Asks for it. Where the server finds the request too long, once more with half as much.
pub(super) async fn ask(
    client: &Arc<dyn ModelClient>,
    model: &str,
    material: &Material<'_>,
    cancellation: &Cancellation,
    on_retry: impl Fn(Retry) + Clone + Send + 'static,
) -> Result<Summary, NotCompacted> {
    let most = material.most.min(LONGEST);
    let room = material.limit.map_or(USUAL_ROOM, |limit| {
        (limit * SHARE.0 / SHARE.1).saturating_sub(u64::from(most))
    });
    let first = once(
        client,
        model,
        material,
        room,
        cancellation,
        on_retry.clone(),
    )
    .await;
    match first {
        Err(NotCompacted::Model(ModelError::ContextExceeded { .. })) => {
            once(client, model, material, room / 2, cancellation, on_retry).await
        }
        other => other,
    }
}

async fn once(
    client: &Arc<dyn ModelClient>,
    model: &str,
    material: &Material<'_>,
    room: u64,
    cancellation: &Cancellation,
    on_retry: impl Fn(Retry) + Send + 'static,
) -> Result<Summary, NotCompacted> {
    let request = ModelRequest {
        model: model.to_owned(),
        system: vec![SystemBlock {
            text: include_str!("instructions.md").to_owned(),
            cache: false,
        }],
        tools: Vec::new(),
        tool_cache_breakpoint: None,
        messages: vec![Message::user(written(material, room))].into(),
        max_output_tokens: material.most.min(LONGEST),
        thinking: None,
    };
    let mut stream = with_retries(
        Arc::clone(client),
        Arc::new(request),
        cancellation.token().clone(),
        RetryPolicy::default(),
        on_retry,
    );
    let mut summary = Summary {
        text: String::new(),
        usage: Usage::default(),
    };
    let mut stop = None;
    while let Some(event) = stream.next().await {
        match event {
            Ok(StreamEvent::End {
                content: EndedPart::Content(Content::Text { text }),
                ..
            }) => summary.text.push_str(&text),
            Ok(StreamEvent::Usage(usage)) => summary.usage = usage,
            Ok(StreamEvent::Finish { stop: reason }) => stop = Some(reason),
            Ok(_) => {}
            Err(ModelError::Cancelled) => return Err(NotCompacted::Stopped),
            Err(error) => return Err(NotCompacted::Model(error)),
        }
    }
    if cancellation.is_cancelled() {
        return Err(NotCompacted::Stopped);
    }
    summary.text = summary.text.trim().to_owned();
    match stop {
        Some(StopReason::EndTurn | StopReason::StopSequence) if summary.text.is_empty() => {
            Err(NotCompacted::Empty)
        }
        Some(StopReason::EndTurn | StopReason::StopSequence) => Ok(summary),
        // Half a summary would pass for a whole one: what it leaves out is lost without a word.
        Some(StopReason::MaxTokens) => Err(NotCompacted::Cut("it was cut at the token limit")),
        Some(StopReason::Refusal) => Err(NotCompacted::Cut("the model declined to write it")),
        _ => Err(NotCompacted::Cut("the model stopped before its end")),
    }
}

fn written(material: &Material<'_>, room: u64) -> String {
    let mut text = render(material.earlier, material.older, room);
    text.push_str("\n\nWrite the summary of this conversation now.");
    if !material.instructions.is_empty() {
        text.push_str(" The person asks this of it: ");
        text.push_str(material.instructions);
    }
    text
}
