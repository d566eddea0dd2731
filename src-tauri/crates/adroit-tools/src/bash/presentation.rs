//! How a call looks.

use std::path::Path;

use adroit_protocol::view::{Block, Chip, ChipKind, Group, Tone, View};
use adroit_tool::{Progress, Stage, Tool};
use serde_json::Value;

use super::{Bash, BashInput, BashOutput};

/// Longest title in characters.
const LONGEST: usize = 120;

pub(super) fn present(bash: &Bash, stage: &Stage<'_, Bash>) -> View {
    match stage {
        Stage::Writing { partial } => {
            bash.warm_up();
            let mut view = View::titled(title(written(partial)));
            view.blocks = terminal_block(written(partial), None, "");
            view
        }
        Stage::Queued { input } => of_input(bash, input),
        Stage::Running { input, progress } => {
            let mut view = of_input(bash, input);
            view.activity = Some(format!("Running {}", view.title));
            if let Some(progress) = progress
                && let Some(Block::Terminal { terminal, cwd, .. }) = view.blocks.last_mut()
            {
                *terminal = progress.terminal.clone();
                *cwd = folder(progress);
            }
            view.summary = progress.and_then(|progress| progress.message.clone());
            if let Some(progress) = progress {
                view.blocks.extend(question(progress));
            }
            view
        }
        Stage::Succeeded { input, output } => succeeded(bash, input, output),
        Stage::Rejected { input, reason } => {
            let mut view = of_input(bash, input);
            view.summary = Some("not run".to_owned());
            view.tone = Tone::Warning;
            view.group = None;
            view.blocks.push(notice((*reason).to_owned()));
            view
        }
        Stage::Failed { partial, failure } => {
            let mut view = View::titled(title(written(partial)));
            view.tone = Tone::Danger;
            view.summary = failure.summary.clone();
            view.blocks = failure.blocks.clone();
            if view.blocks.is_empty() {
                view.blocks = terminal_block(written(partial), None, "");
                view.blocks.push(Block::Notice {
                    tone: Tone::Danger,
                    text: failure.message.clone(),
                });
            }
            view
        }
        Stage::Cancelled { partial, reason } => {
            let mut view = View::titled(title(written(partial)));
            view.tone = Tone::Warning;
            view.summary = Some(reason.label().to_owned());
            view.blocks = terminal_block(written(partial), None, "");
            view
        }
    }
}

/// Where the command runs.
fn folder(progress: &Progress) -> String {
    progress
        .folder
        .as_deref()
        .map(|folder| folder.display().to_string())
        .unwrap_or_default()
}

/// A place to answer what the command asks.
fn question(progress: &Progress) -> Option<Block> {
    let question = progress.question.as_ref()?;
    Some(Block::TerminalInput {
        terminal: progress.terminal.clone()?,
        question: question.text.clone(),
        secret: question.secret,
    })
}

/// In a permission request: the whole command and where it would run.
pub(super) fn preview(input: &BashInput, cwd: &Path) -> View {
    let mut view = View::titled(title(&input.command));
    view.blocks = described(input);
    view.blocks.extend(terminal_block(
        &input.command,
        None,
        &cwd.display().to_string(),
    ));
    view
}

fn of_input(bash: &Bash, input: &BashInput) -> View {
    let mut view = View::titled(title(&input.command));
    view.group = bash.search_or_read(input).map(|kind| Group {
        kind,
        chips: vec![Chip {
            kind: ChipKind::Command,
            text: view.title.clone(),
        }],
    });
    view.blocks = described(input);
    view.blocks.extend(terminal_block(&input.command, None, ""));
    view
}

fn succeeded(bash: &Bash, input: &BashInput, output: &BashOutput) -> View {
    let mut view = of_input(bash, input);
    let time = duration(output.milliseconds.into());
    view.summary = Some(match (output.exit_code, &output.meaning) {
        (None, _) => "runs in the background".to_owned(),
        (Some(0), _) => time,
        (Some(code), Some(meaning)) => format!("{meaning} (exit code {code}) · {time}"),
        (Some(code), None) => format!("exit code {code} · {time}"),
    });
    if output.task.is_some() {
        view.tag = Some("background".to_owned());
        view.tone = Tone::Info;
        view.group = None;
    }
    view.blocks = described(input);
    if let Some(diff) = &output.edit {
        view.blocks.push(Block::Diff(diff.clone()));
        return view;
    }
    view.blocks.push(Block::Terminal {
        terminal: output.terminal.clone(),
        command: input.command.clone(),
        cwd: output.cwd.display().to_string(),
        output: output.output.clone(),
        exit_code: output.exit_code,
    });
    view.blocks.extend(output.notes.iter().cloned().map(notice));
    if !output.warnings.is_empty() {
        view.tone = Tone::Warning;
        // Among others it would not be seen.
        view.group = None;
        view.blocks
            .extend(output.warnings.iter().cloned().map(warning));
    }
    view
}

fn described(input: &BashInput) -> Vec<Block> {
    input
        .description
        .iter()
        // One that only repeats the command says nothing.
        .filter(|description| {
            !description.trim().is_empty() && !description.contains(input.command.trim())
        })
        .map(|description| Block::Text {
            text: description.clone(),
        })
        .collect()
}

fn terminal_block(command: &str, exit_code: Option<i32>, cwd: &str) -> Vec<Block> {
    if command.is_empty() {
        return Vec::new();
    }
    vec![Block::Terminal {
        terminal: None,
        command: command.to_owned(),
        cwd: cwd.to_owned(),
        output: String::new(),
        exit_code,
    }]
}

pub(crate) fn notice(text: String) -> Block {
    Block::Notice {
        tone: Tone::Info,
        text,
    }
}

pub(super) fn warning(text: String) -> Block {
    Block::Notice {
        tone: Tone::Warning,
        text,
    }
}

/// The command as far as it has arrived.
fn written(partial: &Value) -> &str {
    partial
        .get("command")
        .and_then(Value::as_str)
        .unwrap_or_default()
}

fn title(command: &str) -> String {
    if command.trim().is_empty() {
        return "Shell command".to_owned();
    }
    first_line(command)
}

/// The first line that says something, shortened; `…` tells that there is more.
pub(crate) fn first_line(command: &str) -> String {
    let trimmed = command.trim();
    let line = trimmed.lines().next().unwrap_or_default().trim_end();
    let short: String = line.chars().take(LONGEST).collect();
    if short.len() == trimmed.len() {
        short
    } else {
        format!("{} …", short.trim_end())
    }
}

/// A time for people: `80 ms`, `1.2 s`, `2 min 5 s`.
pub(crate) fn duration(milliseconds: u128) -> String {
    match milliseconds {
        0..1_000 => format!("{milliseconds} ms"),
        1_000..60_000 if milliseconds % 1_000 < 100 => format!("{} s", milliseconds / 1_000),
        1_000..60_000 => format!("{}.{} s", milliseconds / 1_000, milliseconds % 1_000 / 100),
        _ => match (milliseconds / 60_000, milliseconds % 60_000 / 1_000) {
            (minutes, 0) => format!("{minutes} min"),
            (minutes, seconds) => format!("{minutes} min {seconds} s"),
        },
    }
}
