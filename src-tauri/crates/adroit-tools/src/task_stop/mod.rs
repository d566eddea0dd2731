//! TaskStop: ends a background task.

mod call;
mod presentation;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::sync::Arc;

use adroit_protocol::message::ResultContent;
use adroit_protocol::view::View;
use adroit_tool::{CallContext, DescribeOptions, Outcome, Stage, Tool, ToolFailure};
use schemars::{JsonSchema, schema_for};
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use call::TaskStopResult;

use crate::Services;

/// The tool.
pub struct TaskStop {
    services: Services,
}

/// The input of TaskStop.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TaskStopInput {
    /// The task's name, as the result of Bash gave it: `task_1f2e3d4c`.
    pub task_id: String,
}

impl TaskStop {
    /// The tool over these services.
    pub fn new(services: Services) -> Self {
        Self { services }
    }
}

impl Tool for TaskStop {
    type Input = TaskStopInput;
    type Output = TaskStopResult;

    fn name(&self) -> &'static str {
        "TaskStop"
    }

    fn aliases(&self) -> &'static [&'static str] {
        &["KillShell", "KillBash"]
    }

    fn output_schema(&self) -> Option<Value> {
        Some(schema_for!(TaskStopResult).to_value())
    }

    fn strict(&self) -> bool {
        true
    }

    fn search_hint(&self) -> &'static str {
        "stop kill end terminate background task server process"
    }

    fn description(&self, input: Option<&TaskStopInput>, _options: &DescribeOptions) -> String {
        match input {
            Some(input) => format!("Ends {}.", input.task_id),
            None => "Ends a background task.".to_owned(),
        }
    }

    fn prompt(&self, _options: &DescribeOptions) -> Cow<'static, str> {
        Cow::Borrowed(include_str!("prompt.md"))
    }

    async fn call(
        &self,
        input: Arc<TaskStopInput>,
        context: CallContext,
    ) -> Result<Outcome<TaskStopResult>, ToolFailure> {
        call::stop(&self.services.tasks, &input, &context)
            .await
            .map(Outcome::new)
    }

    /// It reaches only what this agent itself started, with a permission that was given for it, and
    /// changes nothing else. A question before it would keep servers running that nobody needs.
    fn is_read_only(&self, _input: &TaskStopInput, _context: &CallContext) -> bool {
        true
    }

    fn user_facing_name(&self) -> Cow<'static, str> {
        Cow::Borrowed("Stop task")
    }

    fn present(&self, stage: Stage<'_, Self>) -> View {
        presentation::present(&self.services.tasks, &stage)
    }

    fn is_result_truncated(&self, output: &TaskStopResult) -> bool {
        output.last.truncated
    }

    fn map_result(&self, output: &TaskStopResult) -> Vec<ResultContent> {
        vec![ResultContent::text(output.for_model())]
    }
}
