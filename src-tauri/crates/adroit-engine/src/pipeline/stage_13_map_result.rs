//! Stage 13: the result is put into words for the model and into a view for the person,
//! and stored where it is too long.

use std::sync::Arc;

use adroit_protocol::event::CallStatus;
use adroit_protocol::message::{Message, ResultContent};
use adroit_protocol::view::View;
use adroit_tool::{
    AnyTool, CancelReason, ContextChange, ErasedOutcome, ErasedStage, ParsedInput, ResultLimit,
    ToolFailure,
};
use serde_json::Value;

use super::call::Call;
use super::present::present;
use super::stage_10_call::RunOutcome;
use super::stage_12_span_end::Closed;
use crate::store;
use crate::wording;

/// A call whose result is ready.
pub(super) struct Mapped {
    pub(super) content: Vec<ResultContent>,
    pub(super) status: CallStatus,
    pub(super) view: View,
    pub(super) new_messages: Vec<Message>,
    pub(super) context_change: Option<ContextChange>,
    pub(super) mcp_meta: Option<Value>,
    pub(super) search_text: Option<String>,
}

pub(super) async fn map(call: &Call, closed: Closed) -> Mapped {
    let stage = call.trace.enter(13);
    let ran = closed.ran;
    let tool = ran.tool.tool();
    let mut mapped = match ran.outcome {
        RunOutcome::Succeeded(outcome) => succeeded(call, tool.as_ref(), &ran.input, outcome),
        RunOutcome::Failed(failure) => Mapped {
            content: failure.result_content(),
            status: CallStatus::Failed,
            view: present(
                call,
                ErasedStage::Failed {
                    partial: ran.input.value(),
                    failure: &failure,
                },
            ),
            new_messages: Vec::new(),
            context_change: failure.context_change,
            mcp_meta: None,
            search_text: None,
        },
        RunOutcome::Cancelled { reason, left } => {
            let mut view = present(
                call,
                ErasedStage::Cancelled {
                    partial: ran.input.value(),
                    reason: &reason,
                },
            );
            if let Some(left) = &left {
                view.blocks.extend(left.blocks.iter().cloned());
            }
            Mapped {
                content: cancelled_content(&reason, left.as_ref()),
                status: CallStatus::Cancelled,
                view,
                new_messages: Vec::new(),
                context_change: left.and_then(|left| left.context_change),
                mcp_meta: None,
                search_text: None,
            }
        }
    };
    let mut note = None;
    if let ResultLimit::Chars(limit) = tool.max_result_chars() {
        (mapped.content, note) = bound(call, mapped.content, limit).await;
    }
    mapped.content = clean(mapped.content);
    let words = ran
        .words
        .into_iter()
        .filter(|words| !words.trim().is_empty());
    mapped
        .content
        .extend(words.map(|words| ResultContent::text(without_nul(words))));
    let bytes: usize = mapped.content.iter().map(|part| text_of(part).len()).sum();
    ran.span.record("result_bytes", bytes);
    ran.span.record("stored", note.is_some());
    match note {
        Some(note) => stage.passed_with(note),
        None => stage.passed(),
    }
    mapped
}

fn succeeded(
    call: &Call,
    tool: &dyn AnyTool,
    input: &ParsedInput,
    outcome: ErasedOutcome,
) -> Mapped {
    let output = &outcome.data;
    let content = tool.map_result(output);
    // Most tools are found by what the model read, which is kept anyway.
    let search_text = Some(tool.search_text(output)).filter(|text| *text != joined_text(&content));
    Mapped {
        view: present(call, ErasedStage::Succeeded { input, output }),
        content,
        status: CallStatus::Succeeded,
        new_messages: outcome.new_messages,
        context_change: outcome.context_change,
        mcp_meta: outcome.mcp_meta,
        search_text,
    }
}

fn cancelled_content(reason: &CancelReason, left: Option<&ToolFailure>) -> Vec<ResultContent> {
    let message = reason.message_for_model();
    let output = left
        .map(|left| joined_text(&left.result_content()))
        .unwrap_or_default();
    let words = match left {
        // The tool has told the reason together with what it had.
        Some(_) if output.contains(&message) => output,
        // A bare message of the tool would only say once more that it was cancelled.
        Some(left) if !left.content.is_empty() || left.code != "cancelled" => {
            wording::cancelled_with_output(&message, &output)
        }
        _ => message,
    };
    vec![ResultContent::text(words)]
}

/// Stores a text that is too long and leaves its two ends in the message. Images stay.
async fn bound(
    call: &Call,
    content: Vec<ResultContent>,
    limit: usize,
) -> (Vec<ResultContent>, Option<String>) {
    let bytes: usize = content.iter().map(|part| text_of(part).len()).sum();
    if bytes <= limit {
        return (content, None);
    }
    let chars: usize = content
        .iter()
        .map(|part| text_of(part).chars().count())
        .sum();
    if chars <= limit {
        return (content, None);
    }
    let text: Arc<str> = joined_text(&content).into();
    let stored = call
        .engine
        .results
        .store_in_background(call.id.clone(), Arc::clone(&text))
        .await;
    let (shown, note) = match stored {
        Ok(path) => (
            store::preview(&text, chars, &path),
            format!("{chars} characters stored in {}", path.display()),
        ),
        Err(problem) => {
            tracing::warn!("{problem}");
            (
                store::truncated(&text, chars, limit, &problem),
                format!("{chars} characters cut: {problem}"),
            )
        }
    };
    let images = content
        .into_iter()
        .filter(|part| matches!(part, ResultContent::Image { .. }));
    (
        std::iter::once(ResultContent::text(shown))
            .chain(images)
            .collect(),
        Some(note),
    )
}

fn text_of(part: &ResultContent) -> &str {
    match part {
        ResultContent::Text { text } => text,
        ResultContent::Image { .. } => "",
    }
}

fn joined_text(content: &[ResultContent]) -> String {
    let texts: Vec<&str> = content
        .iter()
        .map(text_of)
        .filter(|text| !text.is_empty())
        .collect();
    texts.join("\n")
}

/// What every provider takes: something in it, and no U+0000, which some of them refuse
/// together with the whole conversation.
pub(super) fn clean(content: Vec<ResultContent>) -> Vec<ResultContent> {
    let mut clean: Vec<ResultContent> = content
        .into_iter()
        .map(|part| match part {
            ResultContent::Text { text } => ResultContent::Text {
                text: without_nul(text),
            },
            image @ ResultContent::Image { .. } => image,
        })
        .filter(|part| {
            matches!(part, ResultContent::Image { .. }) || !text_of(part).trim().is_empty()
        })
        .collect();
    if clean.is_empty() {
        clean.push(ResultContent::text(wording::NO_OUTPUT));
    }
    clean
}

fn without_nul(text: String) -> String {
    if text.contains('\0') {
        text.replace('\0', "\u{FFFD}")
    } else {
        text
    }
}
