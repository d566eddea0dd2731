//! Editing in several places.

use std::sync::Arc;

use adroit_protocol::view::Diff;
use adroit_tool::{CallContext, DraftError, ToolFailure};
use adroit_workspace::{LoadedText, Replacement};
use serde::Serialize;
use serde_json::Value;

use super::{MultiEditInput, OneEdit};
use crate::Services;
use crate::files::change::{self, totals};
use crate::files::editing::{self, File, FileEdit, Planned};
use crate::files::replacing::{self, Counts, one_replacement};
use crate::files::{ChangeKind, counted};

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
    let done = editing::apply(services, input, context).await?;
    Ok(MultiEditOutput {
        kind: done.change.kind,
        diff: done.change.diff,
        counts: done.detail,
        in_place: done.in_place,
    })
}

impl FileEdit for MultiEditInput {
    type Detail = Counts;

    fn file_path(&self) -> &str {
        &self.file_path
    }

    fn plan(&self, on: &File<'_>) -> Result<Planned<Counts>, ToolFailure> {
        let replacements: Vec<Replacement<'_>> = self
            .edits
            .iter()
            .map(|edit| Replacement {
                old: &edit.old_string,
                new: &edit.new_string,
                replace_all: edit.replace_all,
            })
            .collect();
        replacing::plan(on, &replacements)
    }

    /// One edit, whatever was proposed.
    fn amended(
        &self,
        old: Option<&LoadedText>,
        wanted: &str,
    ) -> Result<(Value, String), DraftError> {
        let (old_string, new_string, text) = one_replacement(old, wanted)?;
        let edit = OneEdit {
            old_string,
            new_string,
            replace_all: false,
        };
        let input = Self {
            file_path: self.file_path.clone(),
            edits: vec![edit],
        };
        let input =
            serde_json::to_value(input).map_err(|error| DraftError::Unfit(error.to_string()))?;
        Ok((input, text))
    }
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
