mod failures;
mod requests;
mod streams;

use adroit_protocol::message::{Message, Origin, StopReason, ToolCall};
use adroit_testkit::{ScriptedModel, turn};
use serde_json::{Value, json};

use super::*;
use crate::testing::{collect, request};
use crate::{EndedPart, ProviderKind, StreamEvent};

pub(super) fn client(model: &ScriptedModel) -> Anthropic {
    let config = ProviderConfig::new(ProviderKind::Anthropic).with_base_url(model.base_url());
    Anthropic::new(&config.with_key("sk-test-key".to_owned())).unwrap()
}

/// The answer to a script.
pub(super) async fn play(script: adroit_testkit::Turn) -> (Vec<StreamEvent>, Option<ModelError>) {
    let model = ScriptedModel::start([script]).await;
    collect(&client(&model), request(vec![Message::user("go")])).await
}

/// The body that is sent for a request.
pub(super) async fn sent(request: ModelRequest) -> adroit_testkit::RecordedRequest {
    let model = ScriptedModel::start([turn().end()]).await;
    let (_, error) = collect(&client(&model), request).await;
    assert_eq!(error, None);
    model.request(0).await
}

pub(super) fn ended(events: &[StreamEvent]) -> Vec<EndedPart> {
    let content = |event: &StreamEvent| match event {
        StreamEvent::End { content, .. } => Some(content.clone()),
        _ => None,
    };
    events.iter().filter_map(content).collect()
}

pub(super) fn texts(events: &[StreamEvent]) -> String {
    let text = |event: &StreamEvent| match event {
        StreamEvent::Text { text, .. } => Some(text.clone()),
        _ => None,
    };
    events.iter().filter_map(text).collect()
}

pub(super) fn calls(events: &[StreamEvent]) -> Vec<ToolCall> {
    let call = |part| match part {
        EndedPart::Call(call) => Some(call),
        EndedPart::Content(_) => None,
    };
    ended(events).into_iter().filter_map(call).collect()
}

pub(super) fn origin(model: &str) -> Origin {
    Origin {
        provider: PROVIDER.into(),
        model: model.into(),
    }
}

pub(super) fn stop(events: &[StreamEvent]) -> StopReason {
    match events.last() {
        Some(StreamEvent::Finish { stop }) => stop.clone(),
        other => panic!("{other:?}"),
    }
}

pub(super) fn start_block(block: &Value) -> Value {
    json!({"type": "content_block_start", "index": 0, "content_block": block})
}

pub(super) fn delta(delta: &Value) -> Value {
    json!({"type": "content_block_delta", "index": 0, "delta": delta})
}

pub(super) fn stop_block() -> Value {
    json!({"type": "content_block_stop", "index": 0})
}
