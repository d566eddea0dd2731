//! Read: lines of a file, an image, the pages of a PDF, the cells of a notebook.

mod call;
mod image;
mod notebook;
mod pdf;
mod presentation;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::Arc;

use adroit_permissions::Subject;
use adroit_protocol::message::ResultContent;
use adroit_protocol::view::{GroupKind, View};
use adroit_tool::{
    CallContext, DescribeOptions, InterruptBehavior, InvalidInput, Outcome, ResultLimit, Stage,
    Tool, ToolFailure,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use call::{ReadContent, ReadOutput, TextPage};
pub use notebook::NotebookCells;
pub use pdf::{Document, DocumentPage};

use crate::{Services, files};

/// The tool.
pub struct Read {
    services: Services,
}

/// The input of Read.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReadInput {
    /// The file: absolute, relative to the project folder, or beginning with ~/.
    pub file_path: String,
    /// The first line to read, counted from 1 (0 means 1). For files too long to read at once.
    #[serde(
        default,
        deserialize_with = "files::count::optional",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(range(max = files::count::MAX))]
    pub offset: Option<u64>,
    /// How many lines to read; 2000 when absent.
    #[serde(
        default,
        deserialize_with = "files::count::optional",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(range(min = 1, max = files::count::MAX))]
    pub limit: Option<u64>,
    /// Which pages of a PDF: "3", "3-5", or "3-" to the end. The first 20 when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pages: Option<String>,
}

impl Read {
    /// The tool over these services.
    pub fn new(services: Services) -> Self {
        Self { services }
    }
}

impl Tool for Read {
    type Input = ReadInput;
    type Output = ReadOutput;

    fn name(&self) -> &'static str {
        "Read"
    }

    fn search_hint(&self) -> &'static str {
        "read view show open file text lines image cat"
    }

    fn description(&self, input: Option<&ReadInput>, _options: &DescribeOptions) -> String {
        match input {
            Some(input) => format!(
                "Reads {}.",
                files::shown(&self.services.workspace, &input.file_path)
            ),
            None => "Reads a file.".to_owned(),
        }
    }

    fn prompt(&self, _options: &DescribeOptions) -> Cow<'static, str> {
        Cow::Borrowed(include_str!("prompt.md"))
    }

    /// Its result is bounded by lines; a stored result would be read with Read, stored again, and so on.
    fn max_result_chars(&self) -> ResultLimit {
        ResultLimit::SelfBounded
    }

    async fn validate_input(
        &self,
        input: &ReadInput,
        _context: &CallContext,
    ) -> Result<(), InvalidInput> {
        if input.pages.is_some() && (input.offset.is_some() || input.limit.is_some()) {
            return Err(InvalidInput::new(
                "pages_and_lines",
                "Give pages (for a PDF) or offset and limit (for lines of text), not both.",
            ));
        }
        if input.limit == Some(0) {
            return Err(InvalidInput::new(
                "limit_zero",
                "limit must be at least 1: it says how many lines to read.",
            ));
        }
        files::resolve(&self.services.workspace, &input.file_path)
            .map(drop)
            .map_err(|error| InvalidInput::new("invalid_path", format!("{error}.")))
    }

    async fn call(
        &self,
        input: Arc<ReadInput>,
        context: CallContext,
    ) -> Result<Outcome<ReadOutput>, ToolFailure> {
        call::read(&self.services, &input, context)
            .await
            .map(Outcome::new)
    }

    fn is_read_only(&self, _input: &ReadInput, _context: &CallContext) -> bool {
        true
    }

    fn is_concurrency_safe(&self, _input: &ReadInput, _context: &CallContext) -> bool {
        true
    }

    fn interrupt_behavior(&self) -> InterruptBehavior {
        InterruptBehavior::Cancel
    }

    fn search_or_read(&self, _input: &ReadInput) -> Option<GroupKind> {
        Some(GroupKind::Read)
    }

    fn inputs_equivalent(&self, one: &ReadInput, other: &ReadInput) -> bool {
        one == other
    }

    fn present(&self, stage: Stage<'_, Self>) -> View {
        presentation::present(self, &stage)
    }

    fn is_result_truncated(&self, output: &ReadOutput) -> bool {
        output.is_truncated()
    }

    fn map_result(&self, output: &ReadOutput) -> Vec<ResultContent> {
        output.for_model()
    }

    fn subject(&self, input: &ReadInput, context: &CallContext) -> Subject {
        let (path, real) = files::named_and_real(&self.services.workspace, &input.file_path);
        let own_data = |real: &PathBuf| {
            let folders = self.services.readable_data.iter().map(PathBuf::as_path);
            folders
                .chain([context.overflow_directory.as_ref()])
                .filter_map(|folder| folder.canonicalize().ok())
                .any(|folder| real.starts_with(folder))
        };
        // A stored result is the model's own: no rule about files and no question concerns it.
        if real.as_ref().is_some_and(own_data) {
            Subject::Plain
        } else {
            Subject::ReadFile { path, real }
        }
    }

    fn path(&self, input: &ReadInput, _context: &CallContext) -> Option<PathBuf> {
        Some(files::named_and_real(&self.services.workspace, &input.file_path).0)
    }

    fn observable_input(&self, copy: &mut Value, _context: &CallContext) {
        files::make_absolute(&self.services.workspace, copy, "file_path");
    }
}
