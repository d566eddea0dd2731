//! How a call looks.

use adroit_protocol::view::{Block, Tone, View};
use adroit_tool::Stage;
use serde_json::Value;

use super::{MultiEdit, MultiEditInput};
use crate::files::change::{replacement, totals};
use crate::files::{self, ChangeKind, counted, written};

/// Edits of a call that are shown before it has run; the rest is counted.
const MAX_EDITS: usize = 20;
/// Bytes of all strings up to which they are compared while they are still being written.
const MAX_WRITING: usize = 20_000;

pub(super) fn present(multi: &MultiEdit, stage: &Stage<'_, MultiEdit>) -> View {
    match stage {
        Stage::Writing { partial } => writing(multi, partial),
        Stage::Queued { input } => of_input(multi, input),
        Stage::Running { input, .. } => {
            let mut view = of_input(multi, input);
            view.activity = Some(format!(
                "Editing {}",
                files::shown(&multi.services.workspace, &input.file_path)
            ));
            view
        }
        Stage::Succeeded { input, output } => {
            let mut view = View::titled(title(multi, &input.file_path));
            view.summary = Some(match output.kind {
                ChangeKind::Unchanged => "unchanged".to_owned(),
                _ => format!("{}, {}", totals(&output.diff), output.extent()),
            });
            view.tone = Tone::Success;
            view.blocks.push(Block::Diff(output.diff.clone()));
            view
        }
        Stage::Rejected { input, reason } => files::rejected(of_input(multi, input), reason),
        Stage::Failed { partial, failure } => {
            files::failed(title(multi, written(partial, "file_path")), failure)
        }
        Stage::Cancelled { partial, reason } => {
            files::cancelled(title(multi, written(partial, "file_path")), reason)
        }
    }
}

pub(super) fn title(multi: &MultiEdit, path: &str) -> String {
    if path.is_empty() {
        "Edit".to_owned()
    } else {
        format!("Edit {}", files::shown(&multi.services.workspace, path))
    }
}

fn tag(count: usize) -> Option<String> {
    (count > 0).then(|| counted(count as u64, "edit", "edits"))
}

/// While the model writes: the edits that have both their texts.
fn writing(multi: &MultiEdit, partial: &Value) -> View {
    let path = written(partial, "file_path");
    let mut view = View::titled(title(multi, path));
    let edits = partial.get("edits").and_then(Value::as_array);
    let edits = edits.map(Vec::as_slice).unwrap_or_default();
    view.tag = tag(edits.len());
    let pairs: Vec<(&str, &str)> = edits
        .iter()
        .filter(|edit| edit.get("new_string").is_some_and(Value::is_string))
        .map(|edit| (written(edit, "old_string"), written(edit, "new_string")))
        .collect();
    let size: usize = pairs.iter().map(|(old, new)| old.len() + new.len()).sum();
    if size <= MAX_WRITING {
        view.blocks = strings(multi, path, &pairs);
    }
    view
}

fn of_input(multi: &MultiEdit, input: &MultiEditInput) -> View {
    let mut view = View::titled(title(multi, &input.file_path));
    view.tag = tag(input.edits.len());
    let pairs: Vec<(&str, &str)> = input
        .edits
        .iter()
        .map(|edit| (edit.old_string.as_str(), edit.new_string.as_str()))
        .collect();
    view.blocks = strings(multi, &input.file_path, &pairs);
    view
}

/// The pairs of strings as changes.
fn strings(multi: &MultiEdit, path: &str, pairs: &[(&str, &str)]) -> Vec<Block> {
    let shown = files::shown(&multi.services.workspace, path);
    let mut blocks: Vec<Block> = pairs
        .iter()
        .take(MAX_EDITS)
        .map(|(old, new)| Block::Diff(replacement(shown.clone(), old, new)))
        .collect();
    if pairs.len() > MAX_EDITS {
        blocks.push(Block::Notice {
            tone: Tone::Info,
            text: format!(
                "{} not shown",
                counted((pairs.len() - MAX_EDITS) as u64, "more edit", "more edits")
            ),
        });
    }
    blocks
}
