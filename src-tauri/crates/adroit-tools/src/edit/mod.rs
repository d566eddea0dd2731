//! Edit: one string replaced by another.

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
    CallContext, DescribeOptions, Drafted, InvalidInput, Outcome, Stage, Tool, ToolFailure,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use call::EditOutput;

use crate::files::editing;
use crate::{Services, files};

/// The tool.
pub struct Edit {
    services: Services,
}

/// The input of Edit.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EditInput {
    /// The file: absolute, relative to the project folder, or beginning with ~/.
    pub file_path: String,
    /// The text to replace, exactly as it stands in the file. Must occur once, unless replace_all is set.
    /// Empty to create a file that does not exist.
    pub old_string: String,
    /// The text to put in its place, taken literally.
    pub new_string: String,
    /// Replace every occurrence.
    #[serde(default)]
    pub replace_all: bool,
}

impl Edit {
    /// The tool over these services.
    pub fn new(services: Services) -> Self {
        Self { services }
    }
}

impl Tool for Edit {
    type Input = EditInput;
    type Output = EditOutput;

    fn name(&self) -> &'static str {
        "Edit"
    }

    fn search_hint(&self) -> &'static str {
        "edit change replace string in file modify rename"
    }

    fn description(&self, input: Option<&EditInput>, _options: &DescribeOptions) -> String {
        match input {
            Some(input) => format!(
                "Edits {}.",
                files::shown(&self.services.workspace, &input.file_path)
            ),
            None => "Replaces a text in a file.".to_owned(),
        }
    }

    fn prompt(&self, _options: &DescribeOptions) -> Cow<'static, str> {
        Cow::Borrowed(include_str!("prompt.md"))
    }

    async fn validate_input(
        &self,
        input: &EditInput,
        context: &CallContext,
    ) -> Result<(), InvalidInput> {
        if input.old_string == input.new_string {
            let message = "old_string and new_string are identical: nothing to change.";
            return Err(InvalidInput::new("identical", message));
        }
        editing::validate(&self.services, input, context)
    }

    async fn call(
        &self,
        input: Arc<EditInput>,
        context: CallContext,
    ) -> Result<Outcome<EditOutput>, ToolFailure> {
        call::edit(&self.services, input, context)
            .await
            .map(Outcome::new)
    }

    fn inputs_equivalent(&self, one: &EditInput, other: &EditInput) -> bool {
        one == other
    }

    fn present(&self, stage: Stage<'_, Self>) -> View {
        presentation::present(self, &stage)
    }

    async fn preview(&self, input: &EditInput, context: &CallContext) -> View {
        let title = presentation::title(self, &input.file_path);
        editing::preview(&self.services, title, input, context).await
    }

    async fn draft(&self, input: &EditInput, context: &CallContext) -> Option<Drafted> {
        let title = presentation::title(self, &input.file_path);
        editing::draft(&self.services, title, input, context).await
    }

    /// What the model reads names the file only.
    fn search_text(&self, output: &EditOutput) -> String {
        files::diff_text(&output.diff)
    }

    fn map_result(&self, output: &EditOutput) -> Vec<ResultContent> {
        vec![ResultContent::text(output.for_model())]
    }

    fn classifier_input(&self, input: &EditInput) -> Option<String> {
        Some(format!(
            "{}: {:?} becomes {:?}",
            input.file_path, input.old_string, input.new_string
        ))
    }

    fn subject(&self, input: &EditInput, _context: &CallContext) -> Subject {
        editing::subject(&self.services, input)
    }

    fn path(&self, input: &EditInput, _context: &CallContext) -> Option<PathBuf> {
        editing::path(&self.services, input)
    }

    fn observable_input(&self, copy: &mut Value, _context: &CallContext) {
        files::make_absolute(&self.services.workspace, copy, "file_path");
    }
}
