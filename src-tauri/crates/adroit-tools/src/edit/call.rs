//! Editing.

use std::sync::Arc;

use adroit_protocol::view::Diff;
use adroit_tool::{CallContext, DraftError, ToolFailure};
use adroit_workspace::{LoadedText, Replacement};
use serde::Serialize;
use serde_json::Value;

use super::EditInput;
use crate::Services;
use crate::files::change::{self, totals};
use crate::files::editing::{self, File, FileEdit, Planned};
use crate::files::replacing::{self, Counts, one_replacement};
use crate::files::{ChangeKind, counted};

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
    let done = editing::apply(services, input, context).await?;
    Ok(EditOutput {
        kind: done.change.kind,
        diff: done.change.diff,
        count: done.detail.iter().sum::<usize>() as u64,
        in_place: done.in_place,
    })
}

impl FileEdit for EditInput {
    type Detail = Counts;

    fn file_path(&self) -> &str {
        &self.file_path
    }

    fn plan(&self, on: &File<'_>) -> Result<Planned<Counts>, ToolFailure> {
        let replacement = Replacement {
            old: &self.old_string,
            new: &self.new_string,
            replace_all: self.replace_all,
        };
        replacing::plan(on, &[replacement])
    }

    fn amended(
        &self,
        old: Option<&LoadedText>,
        wanted: &str,
    ) -> Result<(Value, String), DraftError> {
        let (old_string, new_string, text) = one_replacement(old, wanted)?;
        let input = Self {
            file_path: self.file_path.clone(),
            old_string,
            new_string,
            replace_all: false,
        };
        let input =
            serde_json::to_value(input).map_err(|error| DraftError::Unfit(error.to_string()))?;
        Ok((input, text))
    }
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
