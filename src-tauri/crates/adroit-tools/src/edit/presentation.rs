//! How a call looks.

use adroit_protocol::view::{Block, Tone, View};
use adroit_tool::Stage;
use serde_json::Value;

use super::{Edit, EditInput};
use crate::files::change::{replacement, totals};
use crate::files::{self, ChangeKind, written};

/// Bytes of the two strings up to which they are compared while they are still being written.
const MAX_WRITING: usize = 20_000;

pub(super) fn present(edit: &Edit, stage: &Stage<'_, Edit>) -> View {
    match stage {
        Stage::Writing { partial } => writing(edit, partial),
        Stage::Queued { input } => of_input(edit, input),
        Stage::Running { input, .. } => {
            let mut view = of_input(edit, input);
            view.activity = Some(format!(
                "Editing {}",
                files::shown(&edit.services.workspace, &input.file_path)
            ));
            view
        }
        Stage::Succeeded { input, output } => {
            let mut view = View::titled(title(edit, &input.file_path));
            view.summary = Some(match (output.kind, output.count) {
                (ChangeKind::Unchanged, _) => "unchanged".to_owned(),
                (_, 1) => totals(&output.diff),
                (_, count) => format!("{} in {count} places", totals(&output.diff)),
            });
            view.tone = Tone::Success;
            view.blocks.push(Block::Diff(output.diff.clone()));
            view
        }
        Stage::Rejected { input, reason } => files::rejected(of_input(edit, input), reason),
        Stage::Failed { partial, failure } => {
            files::failed(title(edit, written(partial, "file_path")), failure)
        }
        Stage::Cancelled { partial, reason } => {
            files::cancelled(title(edit, written(partial, "file_path")), reason)
        }
    }
}

pub(super) fn title(edit: &Edit, path: &str) -> String {
    if path.is_empty() {
        "Edit".to_owned()
    } else {
        format!("Edit {}", files::shown(&edit.services.workspace, path))
    }
}

/// While the model writes, the replacement may still be missing: until then only what goes is shown.
fn writing(edit: &Edit, partial: &Value) -> View {
    let path = written(partial, "file_path");
    let mut view = View::titled(title(edit, path));
    let old = written(partial, "old_string");
    match partial.get("new_string").and_then(Value::as_str) {
        Some(new) if old.len() + new.len() <= MAX_WRITING => {
            view.blocks = strings(edit, path, old, new)
        }
        _ if !old.is_empty() => view.blocks.push(Block::Code {
            language: (!path.is_empty()).then(|| path.to_owned()),
            text: old
                .lines()
                .map(files::shortened)
                .collect::<Vec<_>>()
                .join("\n"),
            first_line: None,
            hidden_lines: 0,
        }),
        _ => {}
    }
    view
}

fn of_input(edit: &Edit, input: &EditInput) -> View {
    let mut view = View::titled(title(edit, &input.file_path));
    if input.replace_all {
        view.tag = Some("every occurrence".to_owned());
    }
    view.blocks = strings(edit, &input.file_path, &input.old_string, &input.new_string);
    view
}

/// The two strings as a change.
fn strings(edit: &Edit, path: &str, old: &str, new: &str) -> Vec<Block> {
    let shown = files::shown(&edit.services.workspace, path);
    vec![Block::Diff(replacement(shown, old, new))]
}
