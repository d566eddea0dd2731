//! What came of a command.

use std::path::PathBuf;

use adroit_process::Survivor;
use adroit_protocol::TerminalId;
use serde::Serialize;

/// The output of a command that did not fail.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BashOutput {
    /// The exit code; not always 0 (see `meaning`).
    pub exit_code: i32,
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
    /// Processes that go on running.
    pub survivors: Vec<Survivor>,
    /// What the model and the person should know besides.
    pub notes: Vec<String>,
    /// The terminal that shows it.
    pub terminal: TerminalId,
}

impl BashOutput {
    /// The result in words for the model: what was printed, then what it means.
    pub(super) fn for_model(&self) -> String {
        let status = (self.exit_code != 0).then(|| match &self.meaning {
            Some(meaning) => format!("Exit code {}: {meaning}.", self.exit_code),
            None => format!("Exit code {}.", self.exit_code),
        });
        join(&self.output, status, &self.notes)
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

/// One sentence about processes that go on, or were ended.
pub(super) fn survivors_note(survivors: &[Survivor]) -> Option<String> {
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
    Some(format!(
        "Still running in the background: {}. End it with kill when it is not needed.",
        list.join(", ")
    ))
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
