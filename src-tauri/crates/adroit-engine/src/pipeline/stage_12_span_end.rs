//! Stage 12: the telemetry span ends.

use super::call::Call;
use super::stage_10_call::{Ran, RunOutcome};
use super::stage_11_post_hooks::Observed;

/// A call whose span is closed.
pub(super) struct Closed {
    pub(super) ran: Ran,
}

pub(super) fn end(call: &Call, observed: Observed) -> Closed {
    let stage = call.trace.enter(12);
    let Observed { ran } = observed;
    let outcome = match &ran.outcome {
        RunOutcome::Succeeded(_) => "succeeded",
        RunOutcome::Failed(failure) => failure.code,
        RunOutcome::Cancelled { .. } => "cancelled",
    };
    let elapsed = call.elapsed().unwrap_or_default();
    ran.span.record("outcome", outcome);
    ran.span.record(
        "elapsed_us",
        u64::try_from(elapsed.as_micros()).unwrap_or(u64::MAX),
    );
    stage.passed();
    Closed { ran }
}
