//! Write: the whole content of a file.

mod call;
mod presentation;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::Arc;

use adroit_permissions::{Subject, ToolCheck};
use adroit_protocol::message::ResultContent;
use adroit_protocol::view::View;
use adroit_tool::{
    CallContext, DescribeOptions, Drafted, InvalidInput, Outcome, Stage, Tool, ToolFailure,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use call::WriteOutput;

use crate::files::editing;
use crate::{Services, files};

/// The tool.
pub struct Write {
    services: Services,
}

/// The input of Write.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WriteInput {
    /// The file: absolute, relative to the project folder, or beginning with ~/. Missing folders are made.
    pub file_path: String,
    /// The whole new content. An empty text makes an empty file.
    pub content: String,
}

impl Write {
    /// The tool over these services.
    pub fn new(services: Services) -> Self {
        Self { services }
    }
}

impl Tool for Write {
    type Input = WriteInput;
    type Output = WriteOutput;

    fn name(&self) -> &'static str {
        "Write"
    }

    /// Both of its properties are required, as providers want it of a schema that they enforce.
    fn strict(&self) -> bool {
        true
    }

    fn search_hint(&self) -> &'static str {
        "write create new file overwrite replace content save"
    }

    fn description(&self, input: Option<&WriteInput>, _options: &DescribeOptions) -> String {
        match input {
            Some(input) => format!(
                "Writes {}.",
                files::shown(&self.services.workspace, &input.file_path)
            ),
            None => "Creates a file or replaces its content.".to_owned(),
        }
    }

    fn prompt(&self, _options: &DescribeOptions) -> Cow<'static, str> {
        Cow::Borrowed(include_str!("prompt.md"))
    }

    async fn validate_input(
        &self,
        input: &WriteInput,
        context: &CallContext,
    ) -> Result<(), InvalidInput> {
        editing::validate(&self.services, input, context)
    }

    fn check_permissions(&self, input: &WriteInput, _context: &CallContext) -> ToolCheck {
        call::check(&self.services, input)
    }

    async fn call(
        &self,
        input: Arc<WriteInput>,
        context: CallContext,
    ) -> Result<Outcome<WriteOutput>, ToolFailure> {
        call::write(&self.services, input, context)
            .await
            .map(Outcome::new)
    }

    fn inputs_equivalent(&self, one: &WriteInput, other: &WriteInput) -> bool {
        one == other
    }

    fn present(&self, stage: Stage<'_, Self>) -> View {
        presentation::present(self, &stage)
    }

    async fn preview(&self, input: &WriteInput, context: &CallContext) -> View {
        let title = presentation::title(self, &input.file_path);
        editing::preview(&self.services, title, input, context).await
    }

    async fn draft(&self, input: &WriteInput, context: &CallContext) -> Option<Drafted> {
        let title = presentation::title(self, &input.file_path);
        editing::draft(&self.services, title, input, context).await
    }

    /// What the model reads names the file only.
    fn search_text(&self, output: &WriteOutput) -> String {
        files::diff_text(&output.diff)
    }

    fn map_result(&self, output: &WriteOutput) -> Vec<ResultContent> {
        vec![ResultContent::text(output.for_model())]
    }

    fn classifier_input(&self, input: &WriteInput) -> Option<String> {
        Some(format!("{}: {}", input.file_path, input.content))
    }

    fn subject(&self, input: &WriteInput, _context: &CallContext) -> Subject {
        editing::subject(&self.services, input)
    }

    fn path(&self, input: &WriteInput, _context: &CallContext) -> Option<PathBuf> {
        editing::path(&self.services, input)
    }

    fn observable_input(&self, copy: &mut Value, _context: &CallContext) {
        files::make_absolute(&self.services.workspace, copy, "file_path");
    }
}
