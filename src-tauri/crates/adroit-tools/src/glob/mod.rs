//! Glob: files by name.

mod call;
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
use schemars::{JsonSchema, schema_for};
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use call::GlobOutput;

use crate::{Services, files};

/// The tool.
pub struct Glob {
    services: Services,
}

/// The input of Glob.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GlobInput {
    /// The pattern: `**/*.rs`, `src/*.{ts,tsx}`, `../other/*.c`, `/absolute/*`, `~/notes/*`.
    pub pattern: String,
    /// The folder that the pattern is relative to; the project folder when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
}

impl Glob {
    /// The tool over these services.
    pub fn new(services: Services) -> Self {
        Self { services }
    }
}

impl Tool for Glob {
    type Input = GlobInput;
    type Output = GlobOutput;

    fn name(&self) -> &'static str {
        "Glob"
    }

    fn output_schema(&self) -> Option<Value> {
        Some(schema_for!(GlobOutput).to_value())
    }

    fn search_hint(&self) -> &'static str {
        "glob find list files by name pattern ls directory"
    }

    fn description(&self, input: Option<&GlobInput>, _options: &DescribeOptions) -> String {
        match input {
            Some(input) => format!("Lists files that match {}.", input.pattern),
            None => "Lists files by a name pattern.".to_owned(),
        }
    }

    fn prompt(&self, _options: &DescribeOptions) -> Cow<'static, str> {
        Cow::Borrowed(include_str!("prompt.md"))
    }

    async fn validate_input(
        &self,
        input: &GlobInput,
        _context: &CallContext,
    ) -> Result<(), InvalidInput> {
        if input.pattern.trim().is_empty() {
            return Err(InvalidInput::new(
                "empty_pattern",
                "The pattern is empty. For all files give `**/*`.",
            ));
        }
        call::place(&self.services, input)
            .map(drop)
            .map_err(|failure| InvalidInput::new(failure.code, failure.message))
    }

    async fn call(
        &self,
        input: Arc<GlobInput>,
        context: CallContext,
    ) -> Result<Outcome<GlobOutput>, ToolFailure> {
        call::glob(&self.services, &input, &context)
            .await
            .map(Outcome::new)
    }

    fn is_read_only(&self, _input: &GlobInput, _context: &CallContext) -> bool {
        true
    }

    fn is_concurrency_safe(&self, _input: &GlobInput, _context: &CallContext) -> bool {
        true
    }

    fn interrupt_behavior(&self) -> InterruptBehavior {
        InterruptBehavior::Cancel
    }

    fn search_or_read(&self, _input: &GlobInput) -> Option<GroupKind> {
        Some(GroupKind::List)
    }

    fn inputs_equivalent(&self, one: &GlobInput, other: &GlobInput) -> bool {
        one == other
    }

    fn present(&self, stage: Stage<'_, Self>) -> View {
        presentation::present(self, &stage)
    }

    fn is_result_truncated(&self, output: &GlobOutput) -> bool {
        output.total > output.files.len() as u64 || output.partial
    }

    fn map_result(&self, output: &GlobOutput) -> Vec<ResultContent> {
        vec![ResultContent::text(output.for_model())]
    }

    fn subject(&self, input: &GlobInput, _context: &CallContext) -> Subject {
        files::search_subject(&self.services.workspace, &call::folder(input))
    }

    fn path(&self, input: &GlobInput, _context: &CallContext) -> Option<PathBuf> {
        Some(files::named_and_real(&self.services.workspace, &call::folder(input)).0)
    }

    fn observable_input(&self, copy: &mut Value, _context: &CallContext) {
        files::make_absolute(&self.services.workspace, copy, "path");
    }
}
