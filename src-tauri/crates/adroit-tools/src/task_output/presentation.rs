//! How a call looks.

use adroit_protocol::view::{Block, Tone, View};
use adroit_tool::Stage;

use super::{TaskOutput, TaskOutputResult};
use crate::bash::{first_line, notice};
use crate::files::{self, written};
use crate::tasks::BackgroundTasks;

pub(super) fn present(tasks: &BackgroundTasks, stage: &Stage<'_, TaskOutput>) -> View {
    match stage {
        Stage::Writing { partial } => titled(tasks, "Output of", written(partial, "task_id")),
        Stage::Queued { input } => titled(tasks, "Output of", &input.task_id),
        Stage::Running { input, .. } => {
            let mut view = titled(tasks, "Output of", &input.task_id);
            view.activity = Some(if input.block {
                format!("Waiting for {}", name(tasks, &input.task_id))
            } else {
                format!("Reading output of {}", name(tasks, &input.task_id))
            });
            view
        }
        Stage::Succeeded { output, .. } => of_result("Output of", output),
        Stage::Rejected { input, reason } => {
            files::rejected(titled(tasks, "Output of", &input.task_id), reason)
        }
        Stage::Failed { partial, failure } => files::failed(
            titled(tasks, "Output of", written(partial, "task_id")).title,
            failure,
        ),
        Stage::Cancelled { partial, reason } => files::cancelled(
            titled(tasks, "Output of", written(partial, "task_id")).title,
            reason,
        ),
    }
}

/// A call on a task, named by its command where it is known.
pub(crate) fn titled(tasks: &BackgroundTasks, verb: &str, id: &str) -> View {
    View::titled(format!("{verb} {}", name(tasks, id)))
}

fn name(tasks: &BackgroundTasks, id: &str) -> String {
    match tasks.get(id) {
        Some(task) => first_line(&task.command),
        None if id.is_empty() => "a background task".to_owned(),
        None => id.to_owned(),
    }
}

/// What came of it, with the output in a block.
pub(crate) fn of_result(verb: &str, output: &TaskOutputResult) -> View {
    let mut view = View::titled(format!("{verb} {}", first_line(&output.command)));
    view.summary = Some(output.state.clone());
    if output.running {
        view.tag = Some("background".to_owned());
        view.tone = Tone::Info;
    }
    view.blocks.push(Block::Terminal {
        terminal: Some(output.terminal.clone()),
        command: output.command.clone(),
        cwd: output.cwd.clone(),
        output: output.output.clone(),
        exit_code: output.exit_code,
    });
    let kept_back = output.kept_back.clone();
    view.blocks.extend(kept_back.map(notice));
    view
}
