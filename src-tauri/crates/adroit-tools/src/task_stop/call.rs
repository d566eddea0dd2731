//! Ending a task.

use adroit_process::KillReason;
use adroit_tool::{CallContext, ToolFailure};
use schemars::JsonSchema;
use serde::Serialize;

use super::TaskStopInput;
use crate::task_output::{self, TaskOutputResult};
use crate::tasks::BackgroundTasks;

/// How a task was ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TaskStopResult {
    /// False where it had ended before.
    pub was_running: bool,
    /// Its last output.
    pub last: TaskOutputResult,
}

impl TaskStopResult {
    pub(super) fn for_model(&self) -> String {
        let printed = match self.last.output.trim_end() {
            "" => "(no new output)",
            printed => printed,
        };
        let (task, state) = (&self.last.task, &self.last.state);
        if self.last.running {
            return format!(
                "{task} was told to end, but a process of it cannot be ended now: it waits in \
                 the kernel.\n{printed}"
            );
        }
        if self.was_running {
            format!("{task} was stopped, with every process that it started.\n{printed}")
        } else {
            format!("{task} had ended before: it {state}.\n{printed}")
        }
    }
}

pub(super) async fn stop(
    tasks: &BackgroundTasks,
    input: &TaskStopInput,
    context: &CallContext,
) -> Result<TaskStopResult, ToolFailure> {
    let task = task_output::find(tasks, &input.task_id)?;
    let was_running = task.is_running();
    if was_running {
        tasks.end_is_known(&task.id);
        task.running.kill(KillReason::Cancelled);
        // Bounded: the tree gives up on what the kernel does not let go.
        task.running.gone().await;
    }
    Ok(TaskStopResult {
        was_running,
        last: task_output::report(tasks, &task, None, false, context),
    })
}
