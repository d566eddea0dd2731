//! Grep: lines by content.

mod call;
mod input;
mod output;
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
    CallContext, DescribeOptions, InterruptBehavior, InvalidInput, Outcome, Stage, Tool,
    ToolFailure,
};
use serde_json::Value;

pub use input::{GrepInput, OutputMode};
pub use output::GrepOutput;

use crate::{Services, files};

/// The tool.
pub struct Grep {
    services: Services,
}

impl Grep {
    /// The tool over these services.
    pub fn new(services: Services) -> Self {
        Self { services }
    }
}

impl Tool for Grep {
    type Input = GrepInput;
    type Output = GrepOutput;

    fn name(&self) -> &'static str {
        "Grep"
    }

    fn search_hint(&self) -> &'static str {
        "grep search content regex ripgrep rg find text in files"
    }

    fn description(&self, input: Option<&GrepInput>, _options: &DescribeOptions) -> String {
        match input {
            Some(input) => format!("Searches for {}.", input.pattern),
            None => "Searches file contents by regular expression.".to_owned(),
        }
    }

    fn prompt(&self, _options: &DescribeOptions) -> Cow<'static, str> {
        Cow::Borrowed(include_str!("prompt.md"))
    }

    async fn validate_input(
        &self,
        input: &GrepInput,
        _context: &CallContext,
    ) -> Result<(), InvalidInput> {
        if input.pattern.is_empty() {
            return Err(InvalidInput::new(
                "empty_pattern",
                "The pattern is empty: give a regular expression to search for.",
            ));
        }
        files::resolve(&self.services.workspace, input.place())
            .map(drop)
            .map_err(|error| InvalidInput::new("invalid_path", format!("{error}.")))
    }

    async fn call(
        &self,
        input: Arc<GrepInput>,
        context: CallContext,
    ) -> Result<Outcome<GrepOutput>, ToolFailure> {
        call::grep(&self.services, &input, &context)
            .await
            .map(Outcome::new)
    }

    fn is_read_only(&self, _input: &GrepInput, _context: &CallContext) -> bool {
        true
    }

    fn is_concurrency_safe(&self, _input: &GrepInput, _context: &CallContext) -> bool {
        true
    }

    fn interrupt_behavior(&self) -> InterruptBehavior {
        InterruptBehavior::Cancel
    }

    fn search_or_read(&self, _input: &GrepInput) -> Option<GroupKind> {
        Some(GroupKind::Search)
    }

    fn inputs_equivalent(&self, one: &GrepInput, other: &GrepInput) -> bool {
        one == other
    }

    fn present(&self, stage: Stage<'_, Self>) -> View {
        presentation::present(self, &stage)
    }

    fn is_result_truncated(&self, output: &GrepOutput) -> bool {
        output.more > 0 || output.partial
    }

    fn map_result(&self, output: &GrepOutput) -> Vec<ResultContent> {
        vec![ResultContent::text(output.for_model())]
    }

    fn subject(&self, input: &GrepInput, _context: &CallContext) -> Subject {
        files::search_subject(&self.services.workspace, input.place())
    }

    fn path(&self, input: &GrepInput, _context: &CallContext) -> Option<PathBuf> {
        Some(files::named_and_real(&self.services.workspace, input.place()).0)
    }

    fn observable_input(&self, copy: &mut Value, _context: &CallContext) {
        files::make_absolute(&self.services.workspace, copy, "path");
    }
}
