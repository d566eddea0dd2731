//! What is said of a task.

use adroit_process::{Exit, ExitReason, ExitStatus, KillReason, Running};

use super::{TaskId, TaskState, is_bad};
use crate::bash::{duration, first_line};

/// Something that the model and the person should hear of a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskNotice {
    /// Which task.
    pub task: TaskId,
    /// One sentence for the person.
    pub text: String,
    /// What to do, for the model.
    pub advice: String,
    /// True where it should be felt as a failure.
    pub is_bad: bool,
}

impl TaskNotice {
    pub(super) fn ended(task: &TaskState) -> Self {
        let rest = format!(
            "Read the rest of its output with TaskOutput (task_id {}).",
            task.id
        );
        let ended = format!("{} {}.", subject(task), task.words());
        let (text, advice) = match task.explanation() {
            None => (ended, rest),
            Some(denied) => (
                format!("{ended} {}", denied.what),
                format!("{} {rest}", denied.next),
            ),
        };
        Self {
            task: task.id.clone(),
            text,
            advice,
            is_bad: task.exit().is_some_and(|exit| is_bad(&exit)),
        }
    }

    pub(super) fn log_is_full(task: &TaskState) -> Self {
        Self {
            task: task.id.clone(),
            text: format!(
                "{} printed more than its log may hold; only the beginning and the last lines \
                 are kept.",
                subject(task)
            ),
            advice: format!(
                "Look at it with TaskOutput (task_id {0}), and end it with TaskStop if it runs \
                 away.",
                task.id
            ),
            is_bad: true,
        }
    }

    /// The message for the model.
    #[must_use]
    pub fn for_model(&self) -> String {
        format!(
            "<system-note>\n{} {}\n</system-note>",
            self.text, self.advice
        )
    }
}

fn subject(task: &TaskState) -> String {
    format!(
        "Background task {} (`{}`)",
        task.id,
        first_line(&task.command)
    )
}

/// `runs for 12 s`, `ended with exit code 1 after 3 s`.
pub(super) fn state_in_words(running: &Running) -> String {
    let age = duration(running.age().as_millis());
    match running.exit() {
        None => match running.waiting_for_input() {
            Some(request) => format!(
                "has been running for {age} and waits for input on its terminal (`{}`)",
                request.last_lines.lines().last().unwrap_or_default()
            ),
            None => format!("has been running for {age}"),
        },
        Some(exit) if running.is_gone() => end_in_words(&exit),
        Some(exit) => {
            let count = running.members().len();
            let processes = if count == 1 { "process" } else { "processes" };
            format!(
                "{}; {count} {processes} that it started still run",
                end_in_words(&exit)
            )
        }
    }
}

fn end_in_words(exit: &Exit) -> String {
    let time = duration(exit.elapsed.as_millis());
    match (exit.reason, exit.status) {
        (ExitReason::TimedOut, _) => format!("timed out after {time}"),
        (ExitReason::OutOfMemory, _) => {
            format!("was ended after {time}, as it used more memory than the settings allow")
        }
        (ExitReason::Killed(KillReason::Person), _) => {
            format!("was ended by the user after {time}")
        }
        (ExitReason::Killed(_), _) => format!("was stopped after {time}"),
        (ExitReason::Exited, ExitStatus::Code(code)) => {
            format!("ended with exit code {code} after {time}")
        }
        (ExitReason::Exited, ExitStatus::Signal(signal)) => {
            format!("was ended by signal {signal} after {time}")
        }
    }
}
