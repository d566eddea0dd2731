//! Reading, and waiting for something to read.

use std::time::Duration;

use adroit_process::Output;
use adroit_protocol::TerminalId;
use adroit_tool::{CallContext, InvalidInput, ToolFailure};
use regex::Regex;
use schemars::JsonSchema;
use serde::Serialize;

use super::{DEFAULT_TIMEOUT, TaskOutputInput};
use crate::tasks::{BackgroundTasks, TaskState};

/// Time between two looks for a line that matches.
const LOOK: Duration = Duration::from_millis(100);
/// The largest compiled expression: one that the model wrote must not eat the memory.
const EXPRESSION_BYTES: usize = 1 << 20;

/// What a task printed since it was last asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TaskOutputResult {
    /// Which task.
    pub task: String,
    /// Its command line.
    pub command: String,
    /// Where it runs.
    pub cwd: String,
    /// How far it is, in words.
    pub state: String,
    /// Whether anything of it runs.
    pub running: bool,
    /// How the command itself ended.
    pub exit_code: Option<i32>,
    /// The new output, filtered.
    pub output: String,
    /// There was more than is given.
    pub truncated: bool,
    /// The wait ended before what it was for.
    pub timed_out: bool,
    /// What the sandbox kept it from.
    pub kept_back: Option<String>,
    /// What to do about that.
    pub advice: Option<String>,
    /// The terminal that shows it.
    #[schemars(with = "String")]
    pub terminal: TerminalId,
}

impl TaskOutputResult {
    /// The state, and below it what was printed.
    pub(crate) fn for_model(&self) -> String {
        let waited = if self.timed_out {
            " The wait is over; it goes on."
        } else {
            ""
        };
        let printed = match self.output.trim_end() {
            "" => "(no new output)",
            printed => printed,
        };
        let denied = match (&self.kept_back, &self.advice) {
            (Some(what), Some(next)) => format!("\n{what} {next}"),
            _ => String::new(),
        };
        format!("{} {}.{waited}\n{printed}{denied}", self.task, self.state)
    }
}

impl TaskOutputInput {
    pub(super) fn pattern(&self) -> Result<Option<Regex>, InvalidInput> {
        let Some(filter) = &self.filter else {
            return Ok(None);
        };
        regex::RegexBuilder::new(filter)
            .size_limit(EXPRESSION_BYTES)
            .build()
            .map(Some)
            .map_err(|error| {
                InvalidInput::new(
                    "invalid_filter",
                    format!("The filter is no regular expression: {error}"),
                )
            })
    }

    fn timeout(&self) -> Duration {
        Duration::from_millis(self.timeout.unwrap_or(DEFAULT_TIMEOUT))
    }
}

/// A task by its name, or which there are.
pub(crate) fn find(tasks: &BackgroundTasks, id: &str) -> Result<TaskState, ToolFailure> {
    tasks.get(id).ok_or_else(|| {
        let known: Vec<String> = tasks
            .list()
            .iter()
            .map(|task| task.id.to_string())
            .collect();
        let known = if known.is_empty() {
            "There is none now: start one with Bash and run_in_background.".to_owned()
        } else {
            format!("The tasks are {}.", known.join(", "))
        };
        ToolFailure::new(
            "no_such_task",
            format!("There is no background task {id}. {known}"),
        )
    })
}

pub(super) async fn output(
    tasks: &BackgroundTasks,
    input: &TaskOutputInput,
    context: &CallContext,
) -> Result<TaskOutputResult, ToolFailure> {
    let task = find(tasks, &input.task_id)?;
    let pattern = input
        .pattern()
        .map_err(|invalid| ToolFailure::new(invalid.code, invalid.message))?;
    let mut timed_out = false;
    if input.block {
        tokio::select! {
            () = task.running.gone() => {}
            () = matching(tasks, &task, pattern.as_ref()) => {}
            () = tokio::time::sleep(input.timeout()) => timed_out = true,
            () = context.cancellation.cancelled() => {}
        }
    }
    Ok(report(tasks, &task, pattern.as_ref(), timed_out, context))
}

/// Waits for a new line that matches; without a pattern for ever.
async fn matching(tasks: &BackgroundTasks, task: &TaskState, pattern: Option<&Regex>) {
    let Some(pattern) = pattern else {
        return std::future::pending().await;
    };
    loop {
        let is_there = tasks
            .peek(&task.id)
            .is_some_and(|output| !filtered(&output.text(usize::MAX), pattern).is_empty());
        if is_there {
            return;
        }
        tokio::time::sleep(LOOK).await;
    }
}

fn filtered(text: &str, pattern: &Regex) -> String {
    text.lines()
        .filter(|line| pattern.is_match(line))
        .fold(String::new(), |kept, line| kept + line + "\n")
}

/// What is new of a task, taken note of.
pub(crate) fn report(
    tasks: &BackgroundTasks,
    task: &TaskState,
    pattern: Option<&Regex>,
    timed_out: bool,
    context: &CallContext,
) -> TaskOutputResult {
    // Before the output is read: what is printed between the two is then still to come.
    let running = task.is_running();
    let state = task.words();
    let output: Output = tasks.read(&task.id).unwrap_or_default();
    if !running {
        tasks.end_is_known(&task.id);
    }
    let denied = task.explanation();
    let limit = context.limits.terminal_chars;
    let output = match pattern {
        // What memory no longer holds was not looked at: the marker stays.
        Some(pattern) => Output {
            head: filtered(&output.head, pattern),
            tail: filtered(&output.tail, pattern),
            ..output
        },
        None => output,
    };
    let kept = output.head.len() + output.tail.len();
    let output = Output {
        total_bytes: output.dropped_bytes + kept as u64,
        ..output
    };
    let truncated = output.dropped_bytes > 0 || kept > limit;
    let output = output.text(limit);
    TaskOutputResult {
        task: task.id.to_string(),
        command: task.command.clone(),
        cwd: task.cwd.display().to_string(),
        state,
        running,
        exit_code: task.exit().map(|exit| exit.status.shell_code()),
        output,
        truncated,
        timed_out: timed_out && running,
        kept_back: denied.as_ref().map(|denied| denied.what.clone()),
        advice: denied.map(|denied| denied.next.to_owned()),
        terminal: task.terminal.clone(),
    }
}
