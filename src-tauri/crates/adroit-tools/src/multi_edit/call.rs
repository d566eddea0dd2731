//! Editing in several places.

use std::sync::Arc;

use adroit_protocol::view::Diff;
use adroit_tool::{CallContext, DraftError, Drafted, ToolFailure};
use adroit_workspace::{LoadedText, Replacement, Resolved, Workspace};
use serde::Serialize;
use serde_json::Value;

use super::{MultiEditInput, OneEdit};
use crate::Services;
use crate::files::change::{self, Present, apply, present, totals};
use crate::files::draft::FileDraft;
use crate::files::replacing::{self, Planned, one_replacement};
use crate::files::{self, Change, ChangeKind, counted};

/// What was edited.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MultiEditOutput {
    /// What became of the file.
    pub(super) kind: ChangeKind,
    /// All edits together, as one change.
    pub(super) diff: Diff,
    /// How many places each edit replaced.
    pub(super) counts: Vec<usize>,
    /// The file was written over, because it has other names or another owner.
    pub(super) in_place: bool,
}

pub(super) async fn edit(
    services: &Services,
    input: Arc<MultiEditInput>,
    context: CallContext,
) -> Result<MultiEditOutput, ToolFailure> {
    let workspace = Arc::clone(&services.workspace);
    let resolved = resolve(&workspace, &input)?;
    let real = resolved.real.clone();
    let (sender, counted) = std::sync::mpsc::channel();
    let (change, in_place) = apply(&real, &context, move |context| {
        let planned = plan(&workspace, &resolved, &input, context)?;
        // The receiver waits below.
        let _ = sender.send(planned.counts);
        Ok(planned.change)
    })
    .await?;
    Ok(MultiEditOutput {
        kind: change.kind,
        diff: change.diff,
        counts: counted.try_recv().unwrap_or_default(),
        in_place,
    })
}

pub(super) async fn preview(
    services: &Services,
    input: &MultiEditInput,
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

fn resolve(workspace: &Workspace, input: &MultiEditInput) -> Result<Resolved, ToolFailure> {
    files::resolve(workspace, &input.file_path)
        .map_err(|error| ToolFailure::new("invalid_path", format!("{error}.")))
}

/// The change with what a person may change of it; none where it would fail.
pub(super) async fn draft(
    services: &Services,
    title: String,
    input: &MultiEditInput,
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

/// The call that turns what is there into `wanted`: one edit, whatever was proposed.
fn amended(
    file_path: &str,
    old: Option<&LoadedText>,
    wanted: &str,
) -> Result<(Value, String), DraftError> {
    let (old_string, new_string, text) = one_replacement(old, wanted)?;
    let edit = OneEdit {
        old_string,
        new_string,
        replace_all: false,
    };
    let input = MultiEditInput {
        file_path: file_path.to_owned(),
        edits: vec![edit],
    };
    let input =
        serde_json::to_value(input).map_err(|error| DraftError::Unfit(error.to_string()))?;
    Ok((input, text))
}

fn plan(
    workspace: &Workspace,
    resolved: &Resolved,
    input: &MultiEditInput,
    context: &CallContext,
) -> Result<Planned, ToolFailure> {
    let present = present(workspace, resolved)?;
    plan_on(workspace, resolved, &present, input, context)
}

fn plan_on(
    workspace: &Workspace,
    resolved: &Resolved,
    present: &Present,
    input: &MultiEditInput,
    context: &CallContext,
) -> Result<Planned, ToolFailure> {
    let replacements: Vec<Replacement<'_>> = input
        .edits
        .iter()
        .map(|edit| Replacement {
            old: &edit.old_string,
            new: &edit.new_string,
            replace_all: edit.replace_all,
        })
        .collect();
    replacing::plan(workspace, resolved, present, &replacements, context)
}

impl MultiEditOutput {
    /// `3 edits in 5 places`, or `2 edits` where each is one place.
    pub(super) fn extent(&self) -> String {
        let edits = counted(self.counts.len() as u64, "edit", "edits");
        let places: usize = self.counts.iter().sum();
        if places == self.counts.len() {
            edits
        } else {
            format!("{edits} in {}", counted(places as u64, "place", "places"))
        }
    }

    pub(super) fn for_model(&self) -> String {
        let path = &self.diff.path;
        let mut text = match self.kind {
            ChangeKind::Created => format!("Created {path} ({}).", totals(&self.diff)),
            ChangeKind::Updated => {
                format!(
                    "Edited {path}: {} made ({}).",
                    self.extent(),
                    totals(&self.diff)
                )
            }
            ChangeKind::Unchanged => {
                format!("{path} reads as before after all edits; nothing was written.")
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
