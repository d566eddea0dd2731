//! Stage 14: changes of the agent's context take effect, for calls that ran alone only:
//! of two at once the last would win by chance.

use adroit_tool::ContextChange;

use super::call::Call;
use super::stage_13_map_result::Mapped;

/// A call that is over.
pub(super) struct Finished {
    pub(super) mapped: Mapped,
}

pub(super) fn apply(call: &Call, mut mapped: Mapped) -> Finished {
    let stage = call.trace.enter(14);
    match mapped.context_change.take() {
        None => stage.skipped(),
        Some(_) if call.is_safe() => {
            stage.passed_with("a change of the context was passed over: the call ran in parallel")
        }
        Some(ContextChange::WorkingDirectory(path)) => {
            stage.passed_with(format!("the working directory is now {}", path.display()));
            call.engine.cwd.set(path);
        }
        Some(ContextChange::LeavePlanMode(after)) => {
            let mode = after.mode().word();
            if call.engine.permissions.leave_plan_mode(after) {
                stage.passed_with(format!("the mode is now {mode}"));
            } else {
                stage.passed_with("the mode was switched meanwhile, and stays as it is");
            }
        }
    }
    Finished { mapped }
}
