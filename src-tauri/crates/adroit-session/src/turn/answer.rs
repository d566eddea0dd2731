//! One answer of the model: streamed, shown while it comes, its calls started as soon as
//! each is complete.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use adroit_engine::{Executor, ToolResult, batches};
use adroit_model::{
    EndedPart, ModelClient, ModelError, ModelRequest, PartKind, Retry, RetryPolicy, StreamEvent,
    with_retries,
};
use adroit_protocol::event::{ItemBody, SessionChange};
use adroit_protocol::message::{Content, Message, Role, StopReason, ToolCall, Usage};
use adroit_protocol::view::{Tone, View};
use adroit_protocol::{CallId, ItemId};
use adroit_tool::{CancelReason, Cancellation, ErasedStage};
use futures::StreamExt as _;

use crate::Session;
use crate::transcript::{EntryBody, KnownCall, TranscriptError};

/// How often a half-written input is parsed for its preview: each time costs its whole length.
const PREVIEW_EVERY: Duration = Duration::from_millis(80);

/// A whole answer with the results of its calls.
pub(super) struct Answer {
    pub(super) content: Vec<Content>,
    pub(super) results: Vec<ToolResult>,
    pub(super) usage: Usage,
    pub(super) end: AnswerEnd,
}

/// How an answer ended.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum AnswerEnd {
    Finished(StopReason),
    Cancelled,
}

impl Answer {
    /// What the model said last.
    pub(super) fn last_text(&self) -> Option<String> {
        self.content.iter().rev().find_map(|block| match block {
            Content::Text { text } if !text.trim().is_empty() => Some(text.clone()),
            _ => None,
        })
    }

    /// Streams one answer. The inner error is the model's: the attempt was discarded then,
    /// and nothing of it is in the transcript's conversation.
    pub(super) async fn stream(
        session: &Arc<Session>,
        client: Arc<dyn ModelClient>,
        request: Arc<ModelRequest>,
        cancellation: &Cancellation,
    ) -> Result<Result<Self, ModelError>, TranscriptError> {
        let executor = if session.execution().streaming.unwrap_or(true) {
            Some(session.engine_now().executor(cancellation.child()))
        } else {
            None
        };
        let mut streaming = Streaming {
            session,
            parts: BTreeMap::new(),
            order: Vec::new(),
            calls: Vec::new(),
            results: Vec::new(),
            usage: Usage::default(),
            stop: None,
            executor,
            written: false,
        };
        let reporter = Arc::clone(session);
        let mut stream = with_retries(
            client,
            request,
            cancellation.token().clone(),
            RetryPolicy::default(),
            move |retry| report_retry(&reporter, &retry),
        );
        let failure = streaming.receive(&mut stream, cancellation).await?;
        drop(stream);
        match failure {
            Some(error) if error != ModelError::Cancelled && !cancellation.is_cancelled() => {
                streaming.discard().await?;
                Ok(Err(error))
            }
            _ => streaming.finish(cancellation).await.map(Ok),
        }
    }
}

/// Shows that the model is asked once more.
pub(crate) fn report_retry(session: &Session, retry: &Retry) {
    session.state.add_item(ItemBody::Notice {
        tone: Tone::Warning,
        text: format!(
            "{}. Trying again in {} s ({} of {}).",
            retry.error,
            retry.after.as_secs_f32().ceil(),
            retry.failed,
            retry.of
        ),
        hint: None,
    });
}

/// One block of the answer.
struct Part {
    kind: PartKind,
    item: Option<ItemId>,
    text: String,
    previewed: Option<Instant>,
    ended: Option<Content>,
}

struct Streaming<'a> {
    session: &'a Arc<Session>,
    parts: BTreeMap<u32, Part>,
    /// The parts in the order in which they began.
    order: Vec<u32>,
    /// Complete calls, in order: for the batch fallback and for reports.
    calls: Vec<ToolCall>,
    results: Vec<ToolResult>,
    usage: Usage,
    stop: Option<StopReason>,
    executor: Option<Executor>,
    /// True once the message is in the transcript: results are written after it.
    written: bool,
}

impl Streaming<'_> {
    /// Receives until the stream ends; results of calls are taken as they come.
    async fn receive(
        &mut self,
        stream: &mut adroit_model::ModelStream,
        cancellation: &Cancellation,
    ) -> Result<Option<ModelError>, TranscriptError> {
        loop {
            let results_may_come = self.executor.is_some() && self.results.len() < self.calls.len();
            tokio::select! {
                // Stop wins over a stream that never pauses.
                biased;
                () = cancellation.cancelled() => return Ok(Some(ModelError::Cancelled)),
                event = stream.next() => match event {
                    Some(Ok(event)) => self.event(event)?,
                    Some(Err(error)) => return Ok(Some(error)),
                    None => return Ok(None),
                },
                result = next_result(&mut self.executor), if results_may_come => {
                    if let Some(result) = result {
                        self.take(result)?;
                    }
                }
                () = self.session.steered(), if results_may_come => self.give_way(),
            }
        }
    }

    fn event(&mut self, event: StreamEvent) -> Result<(), TranscriptError> {
        match self.session.own_names(event) {
            StreamEvent::Start { part, kind } => self.start(part, kind),
            StreamEvent::Text { part, text } | StreamEvent::Thinking { part, text } => {
                self.text(part, text)
            }
            StreamEvent::Arguments { part, json } => self.arguments(part, &json),
            StreamEvent::End {
                part,
                content: EndedPart::Content(content),
            } => self.end(part, content),
            StreamEvent::End {
                part,
                content: EndedPart::Call(call),
            } => self.call(part, call)?,
            StreamEvent::Usage(usage) => self.usage = usage,
            StreamEvent::Finish { stop } => self.stop = Some(stop),
        }
        Ok(())
    }

    fn start(&mut self, part: u32, kind: PartKind) {
        let mut item = None;
        if let PartKind::ToolUse { id, name } = &kind {
            // The call is being written: its schema is ready when it is complete.
            if let Some(entry) = self.session.engine.pool.find(name).map(Arc::clone) {
                tokio::task::spawn_blocking(move || entry.prepare());
            }
            self.session
                .observing
                .writing(id, name, self.partial_view(name, ""));
            item = self.session.observing.item(id);
        }
        self.order.push(part);
        self.parts.insert(
            part,
            Part {
                kind,
                item,
                text: String::new(),
                previewed: None,
                ended: None,
            },
        );
    }

    fn text(&mut self, part: u32, added: String) {
        let Some(part) = self.parts.get_mut(&part) else {
            return;
        };
        part.text.push_str(&added);
        if let Some(item) = &part.item {
            self.session.state.change(SessionChange::TextAppended {
                item: item.clone(),
                text: added,
            });
            return;
        }
        // An entry appears with its first word: an empty one would only flicker.
        let text = part.text.clone();
        if text.trim().is_empty() {
            return;
        }
        let body = match part.kind {
            PartKind::Thinking => ItemBody::Thinking {
                text,
                streaming: true,
            },
            _ => ItemBody::Assistant {
                text,
                streaming: true,
            },
        };
        part.item = Some(self.session.state.add_item(body));
    }

    fn arguments(&mut self, part: u32, json: &str) {
        let Some(part) = self.parts.get_mut(&part) else {
            return;
        };
        part.text.push_str(json);
        if part
            .previewed
            .is_some_and(|previewed| previewed.elapsed() < PREVIEW_EVERY)
        {
            return;
        }
        part.previewed = Some(Instant::now());
        let PartKind::ToolUse { id, name } = part.kind.clone() else {
            return;
        };
        let text = part.text.clone();
        self.session
            .observing
            .writing(&id, &name, self.partial_view(&name, &text));
    }

    /// How a call looks whose input is still being written.
    fn partial_view(&self, name: &str, json: &str) -> View {
        let partial = partial_value(json);
        self.session.engine.pool.find(name).map_or_else(
            || View::titled(name),
            |entry| entry.present(ErasedStage::Writing { partial: &partial }),
        )
    }

    fn end(&mut self, number: u32, content: Content) {
        let Some(part) = self.parts.get_mut(&number) else {
            return;
        };
        let body = match &content {
            Content::Text { text } => Some(ItemBody::Assistant {
                text: text.clone(),
                streaming: false,
            }),
            Content::Thinking { text, .. } => Some(ItemBody::Thinking {
                text: text.clone(),
                streaming: false,
            }),
            _ => None,
        };
        if let (Some(item), Some(body)) = (&part.item, body) {
            self.session.state.replace_item(item, body);
        }
        part.ended = Some(content);
    }

    /// A call is complete: on disk first, then it starts, while the stream goes on.
    fn call(&mut self, number: u32, call: ToolCall) -> Result<(), TranscriptError> {
        let content = call.to_content();
        if let Content::ToolUse { id, name, input } = &content {
            self.session.transcript.append(EntryBody::Call {
                call: id.clone(),
                name: name.clone(),
                input: input.clone(),
                announced: true,
            })?;
            let known = KnownCall::begun(input.clone());
            self.session
                .calls
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .insert(id.clone(), known);
        }
        if let Some(part) = self.parts.get_mut(&number) {
            part.ended = Some(content);
        }
        self.calls.push(call.clone());
        if let Some(executor) = &mut self.executor {
            executor.add(call);
        }
        Ok(())
    }

    fn take(&mut self, result: ToolResult) -> Result<(), TranscriptError> {
        let known = KnownCall {
            input: self.input_of(&result.call),
            result: Some(text_of(&result)),
            record: Some(result.record.clone()),
            search_text: result.search_text.clone(),
        };
        self.session
            .calls
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(result.call.clone(), known);
        if self.written {
            self.write_result(&result)?;
        }
        self.results.push(result);
        Ok(())
    }

    fn write_result(&self, result: &ToolResult) -> Result<(), TranscriptError> {
        self.session.transcript.append(EntryBody::Result {
            call: result.call.clone(),
            tool: result.record.tool.clone(),
            content: result.content.clone(),
            is_error: result.is_error,
            status: result.status,
            mutating: self.session.observing.is_mutating(&result.call),
            elapsed_ms: u64::try_from(result.elapsed.as_millis()).unwrap_or(u64::MAX),
            view: result.view.clone(),
            record: result.record.clone(),
            changes: self.session.checkpointing.changes_of(&result.call),
            mcp_meta: result.mcp_meta.clone(),
            search_text: result.search_text.clone(),
        })
    }

    fn input_of(&self, call: &CallId) -> serde_json::Value {
        self.calls
            .iter()
            .find(|known| known.id == *call)
            .map(ToolCall::to_content)
            .and_then(|content| match content {
                Content::ToolUse { input, .. } => Some(input),
                _ => None,
            })
            .unwrap_or_default()
    }

    /// The attempt is thrown away: nothing of it stays in the conversation, and what had run
    /// already is told to the model and to the person.
    async fn discard(mut self) -> Result<(), TranscriptError> {
        let ran: Vec<String> = match self.executor.take() {
            Some(executor) => executor
                .discard()
                .await
                .ran
                .into_iter()
                .filter(|ran| ran.mutating)
                .map(|ran| ran.view.title)
                .collect(),
            None => Vec::new(),
        };
        let mut removed: Vec<ItemId> = self
            .parts
            .values()
            .filter_map(|part| part.item.clone())
            .collect();
        if !ran.is_empty() {
            // Rows of calls that ran stay in sight: they may have changed something.
            removed.retain(|item| {
                !self
                    .calls
                    .iter()
                    .any(|call| self.session.observing.item(&call.id).as_ref() == Some(item))
            });
        }
        self.session
            .state
            .change(SessionChange::ItemsRemoved { items: removed });
        let note = (!ran.is_empty()).then(|| {
            format!(
                "Your last answer was cut off and thrown away. These calls of it had been started already: {}. \
                 Look at what they changed before you repeat them.",
                ran.join("; ")
            )
        });
        let calls = self.calls.iter().map(|call| call.id.clone()).collect();
        self.session.transcript.append(EntryBody::Discarded {
            calls,
            note: note.clone(),
        })?;
        if let Some(note) = note {
            self.session.push(Message {
                role: Role::User,
                content: vec![Content::Text { text: note }],
            });
        }
        Ok(())
    }

    /// The stream is over: the message is written, then the rest of the results waited for.
    async fn finish(mut self, cancellation: &Cancellation) -> Result<Answer, TranscriptError> {
        self.close_unfinished();
        let content: Vec<Content> = self
            .order
            .iter()
            .filter_map(|number| self.parts.get(number)?.ended.clone())
            .collect();
        if !content.is_empty() {
            let message = Message {
                role: Role::Assistant,
                content: content.clone(),
            };
            self.session
                .transcript
                .append(EntryBody::Assistant { message })?;
        }
        self.written = true;
        self.results
            .iter()
            .try_for_each(|result| self.write_result(result))?;
        if cancellation.is_cancelled()
            && let Some(executor) = &self.executor
        {
            executor.stop(cancellation.reason().unwrap_or(CancelReason::Stopped));
        }
        self.drain(cancellation).await?;
        let end = match self.stop {
            Some(stop) if !cancellation.is_cancelled() => AnswerEnd::Finished(stop),
            _ => AnswerEnd::Cancelled,
        };
        Ok(Answer {
            content,
            results: self.results,
            usage: self.usage,
            end,
        })
    }

    /// The person steers: calls that give way to that end, the others finish first.
    fn give_way(&self) {
        if let Some(executor) = &self.executor {
            executor.interrupt();
        }
    }

    async fn drain(&mut self, cancellation: &Cancellation) -> Result<(), TranscriptError> {
        while self.executor.is_some() {
            tokio::select! {
                biased;
                result = next_result(&mut self.executor) => match result {
                    Some(result) => self.take(result)?,
                    None => return Ok(()),
                },
                () = self.session.steered() => self.give_way(),
            }
        }
        let calls = std::mem::take(&mut self.calls);
        let mut batches = batches(
            &self.session.engine_now(),
            calls.clone(),
            cancellation.child(),
        );
        self.calls = calls;
        loop {
            tokio::select! {
                biased;
                result = batches.next() => match result {
                    Some(result) => self.take(result)?,
                    None => return Ok(()),
                },
                () = self.session.steered() => batches.interrupt(),
            }
        }
    }

    /// Parts that a stop cut off: text stays as far as it came, the rest goes.
    fn close_unfinished(&mut self) {
        let mut removed = Vec::new();
        for part in self.parts.values_mut().filter(|part| part.ended.is_none()) {
            match part.kind {
                PartKind::Text if !part.text.trim().is_empty() => {
                    let text = part.text.clone();
                    if let Some(item) = &part.item {
                        let body = ItemBody::Assistant {
                            text: text.clone(),
                            streaming: false,
                        };
                        self.session.state.replace_item(item, body);
                    }
                    part.ended = Some(Content::Text { text });
                }
                // Unsigned thinking and half an input are refused by every server.
                _ => removed.extend(part.item.take()),
            }
        }
        if !removed.is_empty() {
            self.session
                .state
                .change(SessionChange::ItemsRemoved { items: removed });
        }
    }
}

async fn next_result(executor: &mut Option<Executor>) -> Option<ToolResult> {
    match executor {
        Some(executor) => executor.next().await,
        None => None,
    }
}

/// What is there of a JSON object that is still being written.
fn partial_value(json: &str) -> serde_json::Value {
    let empty = || serde_json::Value::Object(serde_json::Map::new());
    if json.trim().is_empty() {
        return empty();
    }
    jiter::JsonValue::parse_with_config(json.as_bytes(), false, jiter::PartialMode::TrailingStrings)
        .map_or_else(|_| empty(), |value| to_serde(&value))
}

fn to_serde(value: &jiter::JsonValue<'_>) -> serde_json::Value {
    use serde_json::Value;
    match value {
        jiter::JsonValue::Null => Value::Null,
        jiter::JsonValue::Bool(flag) => Value::Bool(*flag),
        jiter::JsonValue::Int(number) => Value::from(*number),
        jiter::JsonValue::Float(number) => Value::from(*number),
        jiter::JsonValue::Str(text) => Value::String(text.to_string()),
        jiter::JsonValue::Array(items) => Value::Array(items.iter().map(to_serde).collect()),
        jiter::JsonValue::Object(fields) => fields
            .iter()
            .map(|(name, value)| (name.to_string(), to_serde(value)))
            .collect(),
    }
}

fn text_of(result: &ToolResult) -> String {
    result
        .content
        .iter()
        .map(|part| match part {
            adroit_protocol::message::ResultContent::Text { text } => text.as_str(),
            adroit_protocol::message::ResultContent::Image { .. } => "[image]",
        })
        .collect::<Vec<_>>()
        .join("\n")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn half_an_object_is_as_much_as_has_come() {
        assert_eq!(partial_value(""), json!({}));
        assert_eq!(
            partial_value("{\"file_path\": \"src/ma"),
            json!({"file_path": "src/ma"})
        );
        assert_eq!(partial_value("{\"a\": [true, fal"), json!({"a": [true]}));
        assert_eq!(partial_value("nonsense"), json!({}));
    }
}
