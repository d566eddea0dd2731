//! How a call looks.

use adroit_protocol::view::{Block, Tone, View};
use adroit_tool::Stage;

use super::{Write, WriteInput};
use crate::files::change::totals;
use crate::files::{self, ChangeKind, counted, written};

/// Lines of the content that are shown while it is written: the last ones, which are the news.
const MAX_WRITING: usize = 60;

pub(super) fn present(write: &Write, stage: &Stage<'_, Write>) -> View {
    match stage {
        Stage::Writing { partial } => {
            let mut view = View::titled(title(write, written(partial, "file_path")));
            view.blocks = content(written(partial, "file_path"), written(partial, "content"));
            view
        }
        Stage::Queued { input } => of_input(write, input),
        Stage::Running { input, .. } => {
            let mut view = of_input(write, input);
            view.activity = Some(format!(
                "Writing {}",
                files::shown(&write.services.workspace, &input.file_path)
            ));
            view
        }
        Stage::Succeeded { input, output } => {
            let mut view = View::titled(title(write, &input.file_path));
            view.summary = Some(match output.kind {
                ChangeKind::Created => {
                    format!("created, {}", counted(output.lines, "line", "lines"))
                }
                ChangeKind::Updated => totals(&output.diff),
                ChangeKind::Unchanged => "unchanged".to_owned(),
            });
            view.tone = if output.kind == ChangeKind::Unchanged {
                Tone::Neutral
            } else {
                Tone::Success
            };
            view.blocks.push(Block::Diff(output.diff.clone()));
            view
        }
        Stage::Rejected { input, reason } => files::rejected(of_input(write, input), reason),
        Stage::Failed { partial, failure } => {
            files::failed(title(write, written(partial, "file_path")), failure)
        }
        Stage::Cancelled { partial, reason } => {
            files::cancelled(title(write, written(partial, "file_path")), reason)
        }
    }
}

pub(super) fn title(write: &Write, path: &str) -> String {
    if path.is_empty() {
        "Write".to_owned()
    } else {
        format!("Write {}", files::shown(&write.services.workspace, path))
    }
}

fn of_input(write: &Write, input: &WriteInput) -> View {
    let mut view = View::titled(title(write, &input.file_path));
    view.blocks = content(&input.file_path, &input.content);
    view
}

fn content(path: &str, content: &str) -> Vec<Block> {
    if content.is_empty() {
        return Vec::new();
    }
    let lines: Vec<&str> = content.lines().collect();
    let hidden = lines.len().saturating_sub(MAX_WRITING);
    vec![Block::Code {
        language: (!path.is_empty()).then(|| path.to_owned()),
        text: lines[hidden..]
            .iter()
            .map(|line| files::shortened(line))
            .collect::<Vec<_>>()
            .join("\n"),
        first_line: Some(files::number(hidden as u64 + 1)),
        hidden_lines: files::number(hidden as u64),
    }]
}
