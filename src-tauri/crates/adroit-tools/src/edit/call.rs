//! Editing.

use std::sync::Arc;

use adroit_protocol::view::Diff;
use adroit_tool::{CallContext, DraftError, Drafted, ToolFailure};
use adroit_workspace::{EditError, LoadedText, Resolved, Workspace, plan_edit};
use serde::Serialize;
use serde_json::Value;

use super::EditInput;
use crate::Services;
use crate::files::change::{self, Present, apply, must_be_seen, present, totals};
use crate::files::draft::FileDraft;
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

/// A change with the number of places.
struct Planned {
    change: Change,
    count: usize,
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
        let _ = sender.send(planned.count);
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
    let make = |old_string: &str, new_string: &str| {
        let input = EditInput {
            file_path: file_path.to_owned(),
            old_string: old_string.to_owned(),
            new_string: new_string.to_owned(),
            replace_all: false,
        };
        serde_json::to_value(input).map_err(|error| DraftError::Unfit(error.to_string()))
    };
    let Some(old) = old.filter(|old| !old.text.is_empty()) else {
        return Ok((make("", wanted)?, wanted.to_owned()));
    };
    let (before, after) = (lines(&old.text), lines(wanted));
    let start = common(before.iter().zip(&after));
    let room = before.len().min(after.len()) - start;
    let end = common(before.iter().rev().zip(after.iter().rev())).min(room);
    // More and more of what surrounds the change, until the place is the only one of its kind.
    let mut around = 1;
    loop {
        let (start, end) = (start.saturating_sub(around), end.saturating_sub(around));
        let old_string = before[start..before.len() - end].concat();
        let new_string = after[start..after.len() - end].concat();
        match plan_edit(old, &old_string, &new_string, false) {
            Ok(plan) => return Ok((make(&old_string, &new_string)?, plan.text)),
            Err(EditError::NotUnique { .. }) if start > 0 || end > 0 => around *= 2,
            Err(error) => return Err(DraftError::Unfit(error.to_string())),
        }
    }
}

fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

fn common<'t>(pairs: impl Iterator<Item = (&'t &'t str, &'t &'t str)>) -> usize {
    pairs.take_while(|(one, other)| one == other).count()
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
    let path = workspace.display(&resolved.path);
    match present {
        Present::Absent if input.old_string.is_empty() => {
            let change = Change::new(
                path,
                None,
                input.new_string.clone().into_bytes(),
                &input.new_string,
                Vec::new(),
            );
            Ok(Planned { change, count: 1 })
        }
        Present::Absent if context.files.seen(&resolved.real).is_some() => {
            context.files.forget(&resolved.real);
            Err(ToolFailure::new("gone", format!("{path} no longer exists: it was deleted after you read it. Nothing was written. Create it anew with Write if it should exist."))
                .with_summary("no longer exists"))
        }
        Present::Absent => Err(files::not_found(workspace, resolved)),
        Present::Other(_) => Err(ToolFailure::new(
            "binary_file",
            format!("{path} is not a text file: Edit changes text only."),
        )
        .with_summary("not a text file")),
        Present::Text(old) => {
            must_be_seen(workspace, resolved, old.hash, context)?;
            replace(&path, old, input)
        }
    }
}

fn replace(path: &str, old: &LoadedText, input: &EditInput) -> Result<Planned, ToolFailure> {
    if input.old_string.is_empty() {
        return fill(path, old, input);
    }
    let plan = plan_edit(old, &input.old_string, &input.new_string, input.replace_all).map_err(
        |error| {
            let (code, summary) = match &error {
                EditError::NotFound { .. } => ("no_match", "text not found".to_owned()),
                EditError::NotUnique { count, .. } => ("not_unique", format!("{count} matches")),
                EditError::Unencodable(_) => {
                    ("unencodable", "does not fit the file's encoding".to_owned())
                }
                EditError::NotExact { .. } => ("not_exact", "not editable exactly".to_owned()),
                EditError::Identical | EditError::Empty => {
                    ("identical", "nothing to change".to_owned())
                }
            };
            ToolFailure::new(code, format!("{path}: {error}")).with_summary(summary)
        },
    )?;
    let change = Change::new(
        path.to_owned(),
        Some(old),
        plan.bytes,
        &plan.text,
        Vec::new(),
    );
    Ok(Planned {
        change,
        count: plan.count,
    })
}

/// An empty `old_string` fills a file that is empty; it never replaces one that is not.
fn fill(path: &str, old: &LoadedText, input: &EditInput) -> Result<Planned, ToolFailure> {
    if !old.text.is_empty() {
        let message = format!(
            "{path} exists and is not empty; an empty old_string only creates a file. Give the text to replace, or use Write to replace the whole content."
        );
        return Err(ToolFailure::new("exists", message).with_summary("file exists"));
    }
    let mut bytes = old.encoding.mark().to_vec();
    let body = old
        .encoding
        .encode(&input.new_string)
        .map_err(|error| ToolFailure::new("unencodable", format!("{error}.")))?;
    bytes.extend(body);
    Ok(Planned {
        change: Change::new(
            path.to_owned(),
            Some(old),
            bytes,
            &input.new_string,
            Vec::new(),
        ),
        count: 1,
    })
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
