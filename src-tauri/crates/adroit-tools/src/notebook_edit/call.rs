//! Editing a cell.

use std::sync::Arc;

use adroit_protocol::view::{Diff, FileChange};
use adroit_tool::{CallContext, DraftError, ToolFailure};
use adroit_workspace::{LoadedText, TextEncoding};
use serde::Serialize;
use serde_json::Value;

use super::{EditMode, NotebookEditInput};
use crate::Services;
use crate::files::change::{self, Part, Present, diff_of, must_be_seen, totals};
use crate::files::editing::{self, File, FileEdit, Planned};
use crate::files::notebook::{self, Edited, Notebook, NotebookError};
use crate::files::{Change, ChangeKind, replacing};

/// What was edited.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NotebookEditOutput {
    /// What became of the file.
    pub(super) kind: ChangeKind,
    /// The change of the cell's source.
    pub(super) diff: Diff,
    /// What was done, in words: `replaced cell abc`.
    pub(super) done: String,
    /// The file was written over, because it has other names or another owner.
    pub(super) in_place: bool,
}

pub(super) async fn edit(
    services: &Services,
    input: Arc<NotebookEditInput>,
    context: CallContext,
) -> Result<NotebookEditOutput, ToolFailure> {
    let done = editing::apply(services, input, context).await?;
    Ok(NotebookEditOutput {
        kind: done.change.kind,
        diff: done.change.diff,
        done: done.detail,
        in_place: done.in_place,
    })
}

impl FileEdit for NotebookEditInput {
    /// What was done, in words.
    type Detail = String;

    fn file_path(&self) -> &str {
        &self.notebook_path
    }

    fn plan(&self, on: &File<'_>) -> Result<Planned<String>, ToolFailure> {
        let path = on.path();
        let old = match on.present {
            Present::Absent => return Err(replacing::absent(on)),
            Present::Other { what, .. } => {
                return Err(no_notebook(&path, &format!("it is not text ({what})")));
            }
            Present::Text(old) => old,
        };
        must_be_seen(on, old)?;
        if !matches!(old.encoding, TextEncoding::Utf8 | TextEncoding::Utf8Bom) {
            return Err(no_notebook(
                &path,
                &format!(
                    "it is encoded in {}, and notebooks are UTF-8",
                    old.encoding.name()
                ),
            ));
        }
        let notebook =
            Notebook::parse(&old.text).map_err(|error| no_notebook(&path, &error.to_string()))?;
        make(&path, old, &notebook, self)
    }

    /// The text of a cell is what a person edits, not the JSON around it.
    fn amended(&self, _: Option<&LoadedText>, wanted: &str) -> Result<(Value, String), DraftError> {
        let input = Self {
            new_source: Some(wanted.to_owned()),
            ..self.clone()
        };
        serde_json::to_value(input)
            .map(|input| (input, wanted.to_owned()))
            .map_err(|error| DraftError::Unfit(error.to_string()))
    }

    /// A cell that is deleted has no new text.
    fn may_be_amended(&self) -> bool {
        self.mode() != EditMode::Delete
    }
}

fn make(
    path: &str,
    old: &LoadedText,
    notebook: &Notebook<'_>,
    input: &NotebookEditInput,
) -> Result<Planned<String>, ToolFailure> {
    let at = input
        .cell()
        .map(|name| notebook.find(name))
        .transpose()
        .map_err(|error| no_cell(path, &error))?;
    let source = input.new_source.as_deref().unwrap_or_default();
    let kind = input.cell_type.map(super::CellType::word);
    let before = at
        .and_then(|at| notebook.cells.get(at))
        .map(|cell| cell.source.clone());
    let (edited, verb, before, after) = match (input.mode(), at) {
        (EditMode::Replace, Some(at)) => (
            notebook::replace(notebook, at, source, kind),
            "Replaced",
            before,
            source,
        ),
        (EditMode::Delete, Some(at)) => (notebook::delete(notebook, at), "Deleted", before, ""),
        (EditMode::Insert, at) => (
            notebook::insert(notebook, at, source, kind.unwrap_or("code")),
            "Inserted",
            None,
            source,
        ),
        (EditMode::Replace | EditMode::Delete, None) => (None, "", None, ""),
    };
    let Some(edited) = edited else {
        return Err(ToolFailure::new(
            "no_cell",
            "Name the cell by cell_id or cell_index.",
        ));
    };
    let name = named(notebook, &edited, input.mode())?;
    let mut notes = vec![name.clone()];
    if edited.outputs_cleared {
        notes.push("its outputs are cleared".to_owned());
    }
    let diff = diff_of(
        path.to_owned(),
        FileChange::Updated,
        before.as_deref().unwrap_or_default(),
        after,
        notes,
    );
    let part = Part {
        name: format!("{name} of {path}"),
        old: before,
        new: after.to_owned(),
    };
    let bytes = [old.encoding.mark(), edited.text.as_bytes()].concat();
    Ok(Planned {
        change: Change::of_part(old, bytes, &edited.text, diff, part),
        detail: format!("{verb} {name}"),
    })
}

/// The cell that was changed, as it can be asked for afterwards: `cell abc (index 2, code)`. What was
/// made is read once more, so that a notebook is never left broken.
fn named(notebook: &Notebook<'_>, edited: &Edited, mode: EditMode) -> Result<String, ToolFailure> {
    let after = Notebook::parse(&edited.text).map_err(|error| {
        let message = format!("The edit would break the notebook ({error}). Nothing was written.");
        ToolFailure::new("would_break", message).with_summary("not editable exactly")
    })?;
    let notebook = if mode == EditMode::Delete {
        notebook
    } else {
        &after
    };
    let kind = notebook
        .cells
        .get(edited.index)
        .map_or("", |cell| cell.kind.as_str());
    Ok(format!(
        "cell {} (index {}, {kind})",
        notebook.name(edited.index),
        edited.index
    ))
}

fn no_notebook(path: &str, reason: &str) -> ToolFailure {
    let message = format!(
        "{path} cannot be edited as a notebook: {reason}. It was not changed. Read it with offset 1 to see it as text, and mend it with Edit."
    );
    ToolFailure::new("not_a_notebook", message).with_summary("not a notebook")
}

fn no_cell(path: &str, error: &NotebookError) -> ToolFailure {
    let (code, summary) = match error {
        NotebookError::Ambiguous { .. } => ("ambiguous_cell", "id not unique"),
        _ => ("no_cell", "no such cell"),
    };
    ToolFailure::new(code, format!("{path}: {error}. Nothing was changed.")).with_summary(summary)
}

impl NotebookEditOutput {
    pub(super) fn for_model(&self) -> String {
        let path = &self.diff.path;
        let mut text = match self.kind {
            ChangeKind::Unchanged => {
                format!("{path} already has exactly this cell; nothing was written.")
            }
            _ => format!("{} of {path} ({}).", self.done, totals(&self.diff)),
        };
        // The first note is the cell's name, which is said already.
        for note in change::facts(&self.diff, self.in_place).iter().skip(1) {
            text.push_str(&format!("\n[{note}]"));
        }
        text
    }
}
