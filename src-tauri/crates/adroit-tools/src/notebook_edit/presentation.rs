//! How a call looks.

use adroit_protocol::view::{Block, FileChange, Tone, View};
use adroit_tool::Stage;
use serde_json::Value;

use super::{EditMode, NotebookEdit, NotebookEditInput};
use crate::files::change::{diff_of, totals};
use crate::files::{self, ChangeKind, written};

pub(super) fn present(edit: &NotebookEdit, stage: &Stage<'_, NotebookEdit>) -> View {
    match stage {
        Stage::Writing { partial } => writing(edit, partial),
        Stage::Queued { input } => of_input(edit, input),
        Stage::Running { input, .. } => {
            let mut view = of_input(edit, input);
            view.activity = Some(format!(
                "Editing {}",
                files::shown(&edit.services.workspace, &input.notebook_path)
            ));
            view
        }
        Stage::Succeeded { input, output } => {
            let mut view = View::titled(title(edit, &input.notebook_path));
            view.tag = tag(input);
            view.summary = Some(match output.kind {
                ChangeKind::Unchanged => "unchanged".to_owned(),
                _ => totals(&output.diff),
            });
            view.tone = Tone::Success;
            view.blocks.push(Block::Diff(output.diff.clone()));
            view
        }
        Stage::Rejected { input, reason } => files::rejected(of_input(edit, input), reason),
        Stage::Failed { partial, failure } => {
            files::failed(title(edit, written(partial, "notebook_path")), failure)
        }
        Stage::Cancelled { partial, reason } => {
            files::cancelled(title(edit, written(partial, "notebook_path")), reason)
        }
    }
}

pub(super) fn title(edit: &NotebookEdit, path: &str) -> String {
    if path.is_empty() {
        "Edit notebook".to_owned()
    } else {
        format!("Edit {}", files::shown(&edit.services.workspace, path))
    }
}

/// `replace cell abc`, `insert after index 2`, `insert first`.
fn tag(input: &NotebookEditInput) -> Option<String> {
    let cell = match (&input.cell_id, input.cell_index) {
        (Some(id), _) if !id.is_empty() => Some(format!("cell {id}")),
        (_, Some(index)) => Some(format!("cell at index {index}")),
        _ => None,
    };
    let tag = match (input.mode(), cell) {
        (EditMode::Replace, Some(cell)) => cell,
        (EditMode::Delete, Some(cell)) => format!("delete {cell}"),
        (EditMode::Insert, Some(cell)) => format!("insert after {cell}"),
        (EditMode::Insert, None) => "insert first".to_owned(),
        (EditMode::Replace | EditMode::Delete, None) => return None,
    };
    Some(tag)
}

fn writing(edit: &NotebookEdit, partial: &Value) -> View {
    let path = written(partial, "notebook_path");
    let mut view = View::titled(title(edit, path));
    let source = written(partial, "new_source");
    if !source.is_empty() {
        view.blocks.push(code(source));
    }
    view
}

fn of_input(edit: &NotebookEdit, input: &NotebookEditInput) -> View {
    let mut view = View::titled(title(edit, &input.notebook_path));
    view.tag = tag(input);
    let source = input.new_source.as_deref().unwrap_or_default();
    match input.mode() {
        EditMode::Replace => view.blocks.push(code(source)),
        EditMode::Insert => view.blocks.push(Block::Diff(diff_of(
            files::shown(&edit.services.workspace, &input.notebook_path),
            FileChange::Updated,
            "",
            source,
            Vec::new(),
        ))),
        EditMode::Delete => {}
    }
    view
}

fn code(source: &str) -> Block {
    Block::Code {
        language: None,
        text: source
            .lines()
            .map(files::shortened)
            .collect::<Vec<_>>()
            .join("\n"),
        first_line: None,
        hidden_lines: 0,
    }
}
