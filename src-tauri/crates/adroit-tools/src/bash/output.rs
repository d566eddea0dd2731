//! What came of a command.

use std::path::PathBuf;

use adroit_process::Survivor;
use adroit_protocol::TerminalId;
use adroit_protocol::view::Diff;
use serde::Serialize;

use crate::TaskId;

/// The output of a command that did not fail.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BashOutput {
    /// The exit code; not always 0 (see `meaning`). Absent while it goes on in the background.
    pub exit_code: Option<i32>,
    /// What a code other than 0 says: `no match`.
    pub meaning: Option<String>,
    /// The clean text, cut in the middle when long.
    pub output: String,
    /// The text is shorter than what was printed.
    pub truncated: bool,
    /// The whole clean text, when it was cut.
    pub file: Option<PathBuf>,
    /// Where the command ran.
    pub cwd: PathBuf,
    /// From start to end.
    pub milliseconds: u64,
    /// Processes that outlived the command.
    pub survivors: Vec<Survivor>,
    /// The background task that goes on.
    pub task: Option<TaskId>,
    /// What the model and the person should know besides.
    pub notes: Vec<String>,
    /// What the person should look at: programs obey what the command made.
    pub warnings: Vec<String>,
    /// The terminal that shows it; none where the command was done as an edit.
    pub terminal: Option<TerminalId>,
    /// The change of a file that the command stood for.
    pub edit: Option<Diff>,
}

impl BashOutput {
    /// All that is told beside what was printed.
    pub(super) fn notes_and_warnings(&self) -> Vec<String> {
        self.notes.iter().chain(&self.warnings).cloned().collect()
    }

    /// The result in words for the model: what was printed, then what it means.
    pub(super) fn for_model(&self) -> String {
        let status = match (self.exit_code, &self.meaning) {
            (None | Some(0), _) => None,
            (Some(code), Some(meaning)) => Some(format!("Exit code {code}: {meaning}.")),
            (Some(code), None) => Some(format!("Exit code {code}.")),
        };
        let notes = self.notes_and_warnings();
        if self.exit_code.is_none() && self.output.trim().is_empty() {
            return notes.join("\n");
        }
        join(&self.output, status, &notes)
    }
}

/// The printed text, or that there was none, and below it what is to be said.
pub(super) fn join(printed: &str, status: Option<String>, notes: &[String]) -> String {
    let printed = printed.trim_end();
    let mut text = if printed.is_empty() {
        "(no output)".to_owned()
    } else {
        printed.to_owned()
    };
    for line in status.iter().chain(notes) {
        text.push('\n');
        text.push_str(line);
    }
    text
}

/// One sentence about processes that go on as a task, or were ended.
pub(super) fn survivors_note(survivors: &[Survivor], task: Option<&TaskId>) -> Option<String> {
    if survivors.is_empty() {
        return None;
    }
    const LISTED: usize = 10;
    let mut list: Vec<String> = survivors
        .iter()
        .take(LISTED)
        .map(|survivor| format!("{} ({})", survivor.pid, shorten(&survivor.command)))
        .collect();
    if survivors.len() > LISTED {
        list.push(format!("{} more", survivors.len() - LISTED));
    }
    let list = list.join(", ");
    Some(match task {
        Some(task) => format!(
            "Still running in the background: {list}. This is background task {task}: read its \
             output with TaskOutput, and end it with TaskStop when it is not needed."
        ),
        None => format!("Ended, because processes may not outlive their command: {list}."),
    })
}

fn shorten(command: &str) -> String {
    const LONGEST: usize = 120;
    let line = command.lines().next().unwrap_or_default();
    if line.chars().count() <= LONGEST && line.len() == command.len() {
        return line.to_owned();
    }
    let short: String = line.chars().take(LONGEST).collect();
    format!("{short}…")
}
