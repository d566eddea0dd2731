//! Stage 11: `PostToolUse` hooks, or `PostToolUseFailure` ones. They add words; what is
//! done is done.

use super::call::Call;
use super::stage_10_call::{Ran, RunOutcome};
use super::told::Told;
use crate::wording;

/// A call whose result the hooks have seen.
pub(super) struct Observed {
    pub(super) ran: Ran,
}

pub(super) async fn observe(call: &Call, mut ran: Ran) -> Observed {
    let stage = call.trace.enter(11);
    let hooks = &call.engine.hooks;
    if hooks.is_empty() || matches!(ran.outcome, RunOutcome::Cancelled { .. }) {
        stage.skipped();
        return Observed { ran };
    }
    let told = Told::new(call, &ran.tool, &ran.input);
    let concerns = told.concerns();
    let seen = told.hook_call(&concerns, &[]);
    let said = match &ran.outcome {
        RunOutcome::Succeeded(outcome) => {
            let output = ran.tool.tool().output_value(&outcome.data);
            call.unless_cancelled(hooks.after_call(seen, &output)).await
        }
        RunOutcome::Failed(failure) => {
            call.unless_cancelled(hooks.after_failure(seen, &failure.message))
                .await
        }
        RunOutcome::Cancelled { .. } => return Observed { ran },
    };
    match said {
        Ok(said) => {
            call.trace.hooked(said.runs);
            call.trace.stop(said.stop);
            ran.words
                .extend(said.feedback.iter().map(|words| wording::hook_says(words)));
            stage.passed();
        }
        // The call is done: a stop that comes now cuts the hooks short, not the result.
        Err(_) => stage.passed_with("cancelled while the hooks ran"),
    }
    Observed { ran }
}
