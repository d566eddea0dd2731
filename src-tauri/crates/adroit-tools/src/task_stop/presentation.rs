//! How a call looks.

use adroit_protocol::view::View;
use adroit_tool::Stage;

use super::TaskStop;
use crate::files::{self, written};
use crate::task_output::{of_result, titled};
use crate::tasks::BackgroundTasks;

pub(super) fn present(tasks: &BackgroundTasks, stage: &Stage<'_, TaskStop>) -> View {
    match stage {
        Stage::Writing { partial } => titled(tasks, "Stop", written(partial, "task_id")),
        Stage::Queued { input } => titled(tasks, "Stop", &input.task_id),
        Stage::Running { input, .. } => {
            let mut view = titled(tasks, "Stop", &input.task_id);
            view.activity = Some(view.title.replacen("Stop", "Stopping", 1));
            view
        }
        Stage::Succeeded { output, .. } => {
            let mut view = of_result("Stop", &output.last);
            if !output.was_running {
                view.summary = Some(format!("had ended before: {}", output.last.state));
            }
            view
        }
        Stage::Rejected { input, reason } => {
            files::rejected(titled(tasks, "Stop", &input.task_id), reason)
        }
        Stage::Failed { partial, failure } => files::failed(
            titled(tasks, "Stop", written(partial, "task_id")).title,
            failure,
        ),
        Stage::Cancelled { partial, reason } => files::cancelled(
            titled(tasks, "Stop", written(partial, "task_id")).title,
            reason,
        ),
    }
}
