//! ToolSearch: loads tools of which the model knows the names only.

mod call;
mod presentation;
mod rank;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::sync::Arc;

use adroit_protocol::message::ResultContent;
use adroit_protocol::view::{GroupKind, View};
use adroit_tool::{CallContext, DescribeOptions, Features, Outcome, Stage, Tool, ToolFailure};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use call::{FoundTool, ToolSearchOutput};

/// The tool. It has nothing of its own: what there is to find is in the call's context.
pub struct ToolSearch;

/// The input of ToolSearch.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ToolSearchInput {
    /// `select:Name` or `select:Name,Name` for tools whose names you know; otherwise words to look for, of which one with a `+` before it must be in the tool's name.
    pub query: String,
    /// How many tools a search by words loads at most: 1 to 20, and 5 where nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 20))]
    pub max_results: Option<u32>,
}

impl Tool for ToolSearch {
    type Input = ToolSearchInput;
    type Output = ToolSearchOutput;

    fn name(&self) -> &'static str {
        "ToolSearch"
    }

    fn search_hint(&self) -> &'static str {
        "find load select deferred tool schema"
    }

    fn always_load(&self) -> bool {
        true
    }

    fn description(&self, input: Option<&ToolSearchInput>, _options: &DescribeOptions) -> String {
        match input {
            Some(input) => format!("Loads tools: {}.", input.query),
            None => "Loads tools that are known by name only.".to_owned(),
        }
    }

    fn prompt(&self, _options: &DescribeOptions) -> Cow<'static, str> {
        Cow::Borrowed(include_str!("prompt.md"))
    }

    async fn call(
        &self,
        input: Arc<ToolSearchInput>,
        context: CallContext,
    ) -> Result<Outcome<ToolSearchOutput>, ToolFailure> {
        call::search(&input, context.catalog.as_ref()).map(Outcome::new)
    }

    /// It changes nothing but what the model knows.
    fn is_read_only(&self, _input: &ToolSearchInput, _context: &CallContext) -> bool {
        true
    }

    fn is_concurrency_safe(&self, _input: &ToolSearchInput, _context: &CallContext) -> bool {
        true
    }

    fn is_enabled(&self, features: &Features) -> bool {
        features.has(crate::features::TOOL_SEARCH)
    }

    fn search_or_read(&self, _input: &ToolSearchInput) -> Option<GroupKind> {
        Some(GroupKind::Search)
    }

    fn inputs_equivalent(&self, one: &ToolSearchInput, other: &ToolSearchInput) -> bool {
        one == other
    }

    fn user_facing_name(&self) -> Cow<'static, str> {
        Cow::Borrowed("Tool search")
    }

    fn present(&self, stage: Stage<'_, Self>) -> View {
        presentation::present(&stage)
    }

    fn map_result(&self, output: &ToolSearchOutput) -> Vec<ResultContent> {
        vec![ResultContent::text(output.for_model())]
    }
}
