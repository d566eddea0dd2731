//! TaskOutput: what a background task printed since it was last asked.

mod call;
mod presentation;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::sync::Arc;

use adroit_protocol::message::ResultContent;
use adroit_protocol::view::View;
use adroit_tool::{
    CallContext, DescribeOptions, InterruptBehavior, InvalidInput, Outcome, Stage, Tool,
    ToolFailure,
};
use schemars::{JsonSchema, schema_for};
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use call::TaskOutputResult;
pub(crate) use call::{find, report};
pub(crate) use presentation::{of_result, titled};

use crate::Services;

const DEFAULT_TIMEOUT: u64 = 30_000;
const LONGEST_TIMEOUT: u64 = 600_000;

/// The tool.
pub struct TaskOutput {
    services: Services,
}

/// The input of TaskOutput.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TaskOutputInput {
    /// The task's name, as the result of Bash gave it: `task_1f2e3d4c`.
    pub task_id: String,
    /// Wait until the task ends or, with a filter, until a new line matches it.
    #[serde(default)]
    pub block: bool,
    /// The longest wait in milliseconds; 30000 when absent, at most 600000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 600_000))]
    pub timeout: Option<u64>,
    /// A regular expression: only lines that match are given. The others are passed over for good.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filter: Option<String>,
}

impl TaskOutput {
    /// The tool over these services.
    pub fn new(services: Services) -> Self {
        Self { services }
    }
}

impl Tool for TaskOutput {
    type Input = TaskOutputInput;
    type Output = TaskOutputResult;

    fn name(&self) -> &'static str {
        "TaskOutput"
    }

    fn aliases(&self) -> &'static [&'static str] {
        &["BashOutput"]
    }

    fn output_schema(&self) -> Option<Value> {
        Some(schema_for!(TaskOutputResult).to_value())
    }

    fn search_hint(&self) -> &'static str {
        "background task output log new lines wait server running command"
    }

    fn description(&self, input: Option<&TaskOutputInput>, _options: &DescribeOptions) -> String {
        match input {
            Some(input) => format!("Reads new output of {}.", input.task_id),
            None => "Reads new output of a background task.".to_owned(),
        }
    }

    fn prompt(&self, _options: &DescribeOptions) -> Cow<'static, str> {
        Cow::Borrowed(include_str!("prompt.md"))
    }

    async fn validate_input(
        &self,
        input: &TaskOutputInput,
        _context: &CallContext,
    ) -> Result<(), InvalidInput> {
        if input
            .timeout
            .is_some_and(|timeout| !(1..=LONGEST_TIMEOUT).contains(&timeout))
        {
            return Err(InvalidInput::new(
                "timeout_out_of_range",
                format!("Give a timeout of 1 to {LONGEST_TIMEOUT} milliseconds."),
            ));
        }
        input.pattern().map(drop)
    }

    async fn call(
        &self,
        input: Arc<TaskOutputInput>,
        context: CallContext,
    ) -> Result<Outcome<TaskOutputResult>, ToolFailure> {
        call::output(&self.services.tasks, &input, &context)
            .await
            .map(Outcome::new)
    }

    fn is_read_only(&self, _input: &TaskOutputInput, _context: &CallContext) -> bool {
        true
    }

    fn is_concurrency_safe(&self, _input: &TaskOutputInput, _context: &CallContext) -> bool {
        true
    }

    fn interrupt_behavior(&self) -> InterruptBehavior {
        InterruptBehavior::Cancel
    }

    fn user_facing_name(&self) -> Cow<'static, str> {
        Cow::Borrowed("Task output")
    }

    fn present(&self, stage: Stage<'_, Self>) -> View {
        presentation::present(&self.services.tasks, &stage)
    }

    fn is_result_truncated(&self, output: &TaskOutputResult) -> bool {
        output.truncated
    }

    /// What a task printed shows as its command would have shown it.
    fn is_transparent_wrapper(&self) -> bool {
        true
    }

    fn map_result(&self, output: &TaskOutputResult) -> Vec<ResultContent> {
        vec![ResultContent::text(output.for_model())]
    }
}
