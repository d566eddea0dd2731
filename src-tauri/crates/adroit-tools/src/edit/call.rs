//! Editing.

use std::sync::Arc;

use adroit_protocol::view::Diff;
use adroit_tool::{CallContext, DraftError, Drafted, ToolFailure};
use adroit_workspace::{LoadedText, Replacement, Resolved, Workspace};
use serde::Serialize;
use serde_json::Value;

use super::EditInput;
use crate::Services;
use crate::files::change::{self, Present, apply, present, totals};
use crate::files::draft::FileDraft;
use crate::files::replacing::{self, Planned, one_replacement};
use crate::files::{self, Change, ChangeKind, counted};

/// What was edited.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EditOutput {
    /// What became of the file.
    pub(super) kind: ChangeKind,
    /// The change.
    pub(super) diff: Diff,
    /// How many places were replaced.
    pub(super) count: u64,
    /// The file was written over, because it has other names or another owner.
    pub(super) in_place: bool,
}

pub(super) async fn edit(
    services: &Services,
    input: Arc<EditInput>,
    context: CallContext,
) -> Result<EditOutput, ToolFailure> {
    let workspace = Arc::clone(&services.workspace);
    let resolved = resolve(&workspace, &input)?;
    let real = resolved.real.clone();
    let (sender, counted) = std::sync::mpsc::channel();
    let (change, in_place) = apply(&real, &context, move |context| {
        let planned = plan(&workspace, &resolved, &input, context)?;
        // The receiver waits below.
        let _ = sender.send(planned.counts.iter().sum::<usize>());
        Ok(planned.change)
    })
    .await?;
    let count = counted.try_recv().unwrap_or(0) as u64;
    Ok(EditOutput {
        kind: change.kind,
        diff: change.diff,
        count,
        in_place,
    })
}

pub(super) async fn preview(
    services: &Services,
    input: &EditInput,
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

fn resolve(workspace: &Workspace, input: &EditInput) -> Result<Resolved, ToolFailure> {
    files::resolve(workspace, &input.file_path)
        .map_err(|error| ToolFailure::new("invalid_path", format!("{error}.")))
}

/// The change with what a person may change of it; none where it would fail.
pub(super) async fn draft(
    services: &Services,
    title: String,
    input: &EditInput,
    context: &CallContext,
) -> Option<Drafted> {
    let (workspace, input, context) = (
        Arc::clone(&services.workspace),
        input.clone(),
        context.clone(),
    );
    let work = tokio::task::spawn_blocking(move || {
        let resolved = resolve(&workspace, &input).ok()?;
        let present = present(&workspace, &resolved).ok()?;
        let change = plan_on(&workspace, &resolved, &present, &input, &context)
            .ok()?
            .change;
        let old = match present {
            Present::Text(old) => Some(old),
            Present::Absent | Present::Other(_) => None,
        };
        let make = Box::new(move |old: Option<&LoadedText>, wanted: &str| {
            amended(&input.file_path, old, wanted)
        });
        Some(FileDraft::offer(title, old, change, make))
    });
    work.await.ok().flatten()
}

/// The call that turns what is there into `wanted`, and the text that it gives.
fn amended(
    file_path: &str,
    old: Option<&LoadedText>,
    wanted: &str,
) -> Result<(Value, String), DraftError> {
    let (old_string, new_string, text) = one_replacement(old, wanted)?;
    let input = EditInput {
        file_path: file_path.to_owned(),
        old_string,
        new_string,
        replace_all: false,
    };
    let input =
        serde_json::to_value(input).map_err(|error| DraftError::Unfit(error.to_string()))?;
    Ok((input, text))
}

fn plan(
    workspace: &Workspace,
    resolved: &Resolved,
    input: &EditInput,
    context: &CallContext,
) -> Result<Planned, ToolFailure> {
    let present = present(workspace, resolved)?;
    plan_on(workspace, resolved, &present, input, context)
}

fn plan_on(
    workspace: &Workspace,
    resolved: &Resolved,
    present: &Present,
    input: &EditInput,
    context: &CallContext,
) -> Result<Planned, ToolFailure> {
    let replacement = Replacement {
        old: &input.old_string,
        new: &input.new_string,
        replace_all: input.replace_all,
    };
    replacing::plan(workspace, resolved, present, &[replacement], context)
}

impl EditOutput {
    pub(super) fn for_model(&self) -> String {
        let path = &self.diff.path;
        let places = counted(self.count, "occurrence", "occurrences");
        let mut text = match self.kind {
            ChangeKind::Created => format!("Created {path} ({}).", totals(&self.diff)),
            ChangeKind::Updated => {
                format!("Edited {path}: replaced {places} ({}).", totals(&self.diff))
            }
            ChangeKind::Unchanged => {
                format!("{path} already reads like this; nothing was written.")
            }
        };
        for note in change::facts(&self.diff, self.in_place) {
            text.push_str(&format!("\n[{note}]"));
        }
        if self.kind == ChangeKind::Updated {
            text.push_str(" It now reads:\n");
            text.push_str(&change::snippet(&self.diff));
        }
        text
    }
}
