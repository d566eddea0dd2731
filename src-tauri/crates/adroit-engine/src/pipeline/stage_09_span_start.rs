//! Stage 9: the telemetry span starts. It names the call and who decided, never contents.

use tracing::Span;

use super::call::Call;
use super::stage_08_consent::Approved;

/// A call that is about to run.
pub(super) struct Started {
    pub(super) approved: Approved,
    pub(super) span: Span,
}

pub(super) fn start(call: &Call, approved: Approved) -> Started {
    let stage = call.trace.enter(9);
    let span = tracing::info_span!(
        "tool_call",
        call = call.id.as_str(),
        tool = approved.authorized.tool(),
        decision = decided_by(call, &approved),
        input_bytes = approved.input.value().to_string().len(),
        outcome = tracing::field::Empty,
        elapsed_us = tracing::field::Empty,
        result_bytes = tracing::field::Empty,
        stored = tracing::field::Empty,
    );
    stage.passed();
    Started { approved, span }
}

/// Who decided, in one word: the reason in full may quote the command.
fn decided_by(call: &Call, approved: &Approved) -> &'static str {
    if call.trace.has_consent() {
        "consent"
    } else if approved.authorized.decision().rule.is_some() {
        "rule"
    } else {
        "mode"
    }
}
