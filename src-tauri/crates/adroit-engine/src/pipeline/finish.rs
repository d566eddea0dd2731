//! The one result of a call.

use std::time::Duration;

use adroit_protocol::event::CallStatus;
use adroit_protocol::message::ResultContent;
use adroit_protocol::view::Tone;
use adroit_tool::ErasedStage;

use super::call::{Call, Ending};
use super::present::{present, unresolved};
use super::stage_13_map_result::{Mapped, clean};
use super::stage_14_context::Finished;
use crate::engine::ToolResult;

/// The result of a call that went through all stages.
pub(super) fn finished(call: &Call, finished: Finished) -> ToolResult {
    result(call, finished.mapped)
}

/// The result of a call that ended on its way.
pub(super) fn ended(call: &Call, ending: Ending) -> ToolResult {
    let partial = call.partial();
    let (content, status, view) = match ending {
        Ending::Failed(failure) => {
            let view = match call.tool() {
                Some(_) => present(
                    call,
                    ErasedStage::Failed {
                        partial: &partial,
                        failure: &failure,
                    },
                ),
                None => {
                    let summary = failure.summary.as_deref().unwrap_or("failed");
                    unresolved(call.tool_name(), summary, &failure.message, Tone::Danger)
                }
            };
            (failure.result_content(), CallStatus::Failed, view)
        }
        Ending::Denied(denial) => {
            let view = match call.input() {
                Some(input) => present(
                    call,
                    ErasedStage::Rejected {
                        input: &input,
                        reason: &denial.message_for_person(),
                    },
                ),
                None => unresolved(
                    call.tool_name(),
                    "denied",
                    &denial.message_for_person(),
                    Tone::Warning,
                ),
            };
            (
                vec![ResultContent::text(denial.message_for_model())],
                CallStatus::Denied,
                view,
            )
        }
        Ending::Cancelled(reason) => {
            let view = match call.tool() {
                Some(_) => present(
                    call,
                    ErasedStage::Cancelled {
                        partial: &partial,
                        reason: &reason,
                    },
                ),
                None => unresolved(
                    call.tool_name(),
                    reason.label(),
                    &reason.message_for_model(),
                    Tone::Neutral,
                ),
            };
            (
                vec![ResultContent::text(reason.message_for_model())],
                CallStatus::Cancelled,
                view,
            )
        }
    };
    let mapped = Mapped {
        content: clean(content),
        status,
        view,
        new_messages: Vec::new(),
        context_change: None,
        mcp_meta: None,
        search_text: None,
    };
    result(call, mapped)
}

fn result(call: &Call, mapped: Mapped) -> ToolResult {
    let mode = call
        .trace
        .mode()
        .unwrap_or_else(|| call.engine.permissions.snapshot().mode);
    let elapsed = if call.has_run() {
        call.elapsed().unwrap_or_default()
    } else {
        Duration::ZERO
    };
    call.tell_end(mapped.status, mapped.view.clone());
    ToolResult {
        call: call.id.clone(),
        stop_turn: call.trace.stop_reason(),
        is_error: mapped.status != CallStatus::Succeeded,
        content: mapped.content,
        view: mapped.view,
        record: call.trace.take(call.id.clone(), mode),
        new_messages: mapped.new_messages,
        mcp_meta: mapped.mcp_meta,
        search_text: mapped.search_text,
        status: mapped.status,
        elapsed,
    }
}
