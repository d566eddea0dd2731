//! MultiEdit: several strings of one file replaced, all or none.

mod call;
mod presentation;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::Arc;

use adroit_permissions::Subject;
use adroit_protocol::message::ResultContent;
use adroit_protocol::view::View;
use adroit_tool::{
    CallContext, DescribeOptions, Drafted, Features, InvalidInput, Outcome, Stage, Tool,
    ToolFailure,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use call::MultiEditOutput;

use crate::files::editing;
use crate::{Services, files};

/// The tool.
pub struct MultiEdit {
    services: Services,
}

/// The input of MultiEdit.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MultiEditInput {
    /// The file: absolute, relative to the project folder, or beginning with ~/.
    pub file_path: String,
    /// The edits, made in this order, each on what the one before left.
    #[schemars(length(min = 1))]
    pub edits: Vec<OneEdit>,
}

/// One edit of several.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OneEdit {
    /// The text to replace, exactly as it stands in the file after the edits before. Must occur once,
    /// unless replace_all is set. Empty, in the first edit only, to create a file that does not exist.
    pub old_string: String,
    /// The text to put in its place, taken literally.
    pub new_string: String,
    /// Replace every occurrence.
    #[serde(default)]
    pub replace_all: bool,
}

impl MultiEdit {
    /// The tool over these services.
    pub fn new(services: Services) -> Self {
        Self { services }
    }
}

impl Tool for MultiEdit {
    type Input = MultiEditInput;
    type Output = MultiEditOutput;

    fn name(&self) -> &'static str {
        "MultiEdit"
    }

    fn search_hint(&self) -> &'static str {
        "multi edit several changes replace strings in one file at once atomic"
    }

    fn description(&self, input: Option<&MultiEditInput>, _options: &DescribeOptions) -> String {
        match input {
            Some(input) => format!(
                "Makes {} in {}.",
                files::counted(input.edits.len() as u64, "edit", "edits"),
                files::shown(&self.services.workspace, &input.file_path)
            ),
            None => "Replaces several texts in one file, all or none.".to_owned(),
        }
    }

    fn prompt(&self, _options: &DescribeOptions) -> Cow<'static, str> {
        Cow::Borrowed(include_str!("prompt.md"))
    }

    async fn validate_input(
        &self,
        input: &MultiEditInput,
        context: &CallContext,
    ) -> Result<(), InvalidInput> {
        if input.edits.is_empty() {
            let message = "edits is empty: give at least one edit.";
            return Err(InvalidInput::new("no_edits", message));
        }
        let of = input.edits.len();
        for (index, edit) in input.edits.iter().enumerate() {
            let problem = if edit.old_string == edit.new_string {
                "old_string and new_string are identical: nothing to change"
            } else if index > 0 && edit.old_string.is_empty() {
                "old_string is empty: only the first edit may create a file"
            } else {
                continue;
            };
            let message = format!("Edit {} of {of}: {problem}. No edit was made.", index + 1);
            return Err(InvalidInput::new("identical", message));
        }
        editing::validate(&self.services, input, context)
    }

    async fn call(
        &self,
        input: Arc<MultiEditInput>,
        context: CallContext,
    ) -> Result<Outcome<MultiEditOutput>, ToolFailure> {
        call::edit(&self.services, input, context)
            .await
            .map(Outcome::new)
    }

    fn is_enabled(&self, features: &Features) -> bool {
        features.has(crate::features::MULTI_EDIT)
    }

    fn inputs_equivalent(&self, one: &MultiEditInput, other: &MultiEditInput) -> bool {
        one == other
    }

    fn present(&self, stage: Stage<'_, Self>) -> View {
        presentation::present(self, &stage)
    }

    async fn preview(&self, input: &MultiEditInput, context: &CallContext) -> View {
        let title = presentation::title(self, &input.file_path);
        editing::preview(&self.services, title, input, context).await
    }

    async fn draft(&self, input: &MultiEditInput, context: &CallContext) -> Option<Drafted> {
        let title = presentation::title(self, &input.file_path);
        editing::draft(&self.services, title, input, context).await
    }

    /// What the model reads names the file only.
    fn search_text(&self, output: &MultiEditOutput) -> String {
        files::diff_text(&output.diff)
    }

    fn map_result(&self, output: &MultiEditOutput) -> Vec<ResultContent> {
        vec![ResultContent::text(output.for_model())]
    }

    fn classifier_input(&self, input: &MultiEditInput) -> Option<String> {
        let edits: Vec<String> = input
            .edits
            .iter()
            .map(|edit| format!("{:?} becomes {:?}", edit.old_string, edit.new_string))
            .collect();
        Some(format!("{}: {}", input.file_path, edits.join("; ")))
    }

    fn subject(&self, input: &MultiEditInput, _context: &CallContext) -> Subject {
        editing::subject(&self.services, input)
    }

    fn path(&self, input: &MultiEditInput, _context: &CallContext) -> Option<PathBuf> {
        editing::path(&self.services, input)
    }

    fn observable_input(&self, copy: &mut Value, _context: &CallContext) {
        files::make_absolute(&self.services.workspace, copy, "file_path");
    }
}
