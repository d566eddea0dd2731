//! Editing a cell.

use std::sync::Arc;

use adroit_protocol::view::{Diff, FileChange};
use adroit_tool::{CallContext, ToolFailure};
use adroit_workspace::{LoadedText, Resolved, TextEncoding, Workspace};
use serde::Serialize;

use super::{EditMode, NotebookEditInput};
use crate::Services;
use crate::files::change::{self, Present, apply, diff_of, must_be_seen, present, totals};
use crate::files::notebook::{self, Edited, Notebook, NotebookError};
use crate::files::{self, Change, ChangeKind, replacing};

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

/// A change, and what it is in words.
struct Planned {
    change: Change,
    done: String,
}

pub(super) async fn edit(
    services: &Services,
    input: Arc<NotebookEditInput>,
    context: CallContext,
) -> Result<NotebookEditOutput, ToolFailure> {
    let workspace = Arc::clone(&services.workspace);
    let resolved = resolve(&workspace, &input)?;
    let real = resolved.real.clone();
    let (sender, words) = std::sync::mpsc::channel();
    let (change, in_place) = apply(&real, &context, move |context| {
        let planned = plan(&workspace, &resolved, &input, context)?;
        // The receiver waits below.
        let _ = sender.send(planned.done);
        Ok(planned.change)
    })
    .await?;
    Ok(NotebookEditOutput {
        kind: change.kind,
        diff: change.diff,
        done: words.try_recv().unwrap_or_default(),
        in_place,
    })
}

pub(super) async fn preview(
    services: &Services,
    input: &NotebookEditInput,
    context: &CallContext,
) -> Result<Change, ToolFailure> {
    let (workspace, input, context) = (
        Arc::clone(&services.workspace),
        input.clone(),
        context.clone(),
    );
    let work = tokio::task::spawn_blocking(move || {
        let resolved = resolve(&workspace, &input)?;
        plan(&workspace, &resolved, &input, &context).map(|planned| planned.change)
    });
    work.await
        .unwrap_or_else(|fault| Err(ToolFailure::new("fault", fault.to_string())))
}

fn resolve(workspace: &Workspace, input: &NotebookEditInput) -> Result<Resolved, ToolFailure> {
    files::resolve(workspace, &input.notebook_path)
        .map_err(|error| ToolFailure::new("invalid_path", format!("{error}.")))
}

fn plan(
    workspace: &Workspace,
    resolved: &Resolved,
    input: &NotebookEditInput,
    context: &CallContext,
) -> Result<Planned, ToolFailure> {
    let path = workspace.display(&resolved.path);
    let old = match present(workspace, resolved)? {
        Present::Absent => return Err(replacing::absent(workspace, resolved, context)),
        Present::Other(_) => return Err(no_notebook(&path, "it is not text")),
        Present::Text(old) => old,
    };
    must_be_seen(workspace, resolved, &old, context)?;
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
    make(&path, &old, &notebook, input)
}

fn make(
    path: &str,
    old: &LoadedText,
    notebook: &Notebook<'_>,
    input: &NotebookEditInput,
) -> Result<Planned, ToolFailure> {
    let at = input
        .cell()
        .map(|name| notebook.find(name))
        .transpose()
        .map_err(|error| no_cell(path, &error))?;
    let source = input.new_source.as_deref().unwrap_or_default();
    let kind = input.cell_type.map(super::CellType::word);
    let before = at.and_then(|at| notebook.cells.get(at));
    let (edited, verb, old_source, new_source) = match (input.mode(), at) {
        (EditMode::Replace, Some(at)) => (
            notebook::replace(notebook, at, source, kind),
            "Replaced",
            before.map_or("", |cell| cell.source.as_str()),
            source,
        ),
        (EditMode::Delete, Some(at)) => (
            notebook::delete(notebook, at),
            "Deleted",
            before.map_or("", |cell| cell.source.as_str()),
            "",
        ),
        (EditMode::Insert, at) => (
            notebook::insert(notebook, at, source, kind.unwrap_or("code")),
            "Inserted",
            "",
            source,
        ),
        (EditMode::Replace | EditMode::Delete, None) => (None, "", "", ""),
    };
    let Some(edited) = edited else {
        return Err(ToolFailure::new(
            "no_cell",
            "Name the cell by cell_id or cell_index.",
        ));
    };
    let name = named(notebook, &edited, input.mode())?;
    let done = format!("{verb} {name}");
    let mut notes = vec![name];
    if edited.outputs_cleared {
        notes.push("its outputs are cleared".to_owned());
    }
    let diff = diff_of(
        path.to_owned(),
        FileChange::Updated,
        old_source,
        new_source,
        notes,
    );
    let bytes = [old.encoding.mark(), edited.text.as_bytes()].concat();
    Ok(Planned {
        change: Change::shown_as(Some(old), bytes, &edited.text, diff),
        done,
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
