//! Scaffold: says in one line what it does.

mod call;
mod presentation;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::sync::Arc;

use adroit_protocol::message::ResultContent;
use adroit_protocol::view::View;
use adroit_tool::{CallContext, DescribeOptions, Outcome, Stage, Tool, ToolFailure};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use call::ScaffoldOutput;

use crate::Services;

/// The tool.
pub struct Scaffold {
    services: Services,
}

/// The input of Scaffold.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ScaffoldInput {
    /// What the model reads about this parameter.
    pub subject: String,
}

impl Scaffold {
    /// The tool over these services.
    pub fn new(services: Services) -> Self {
        Self { services }
    }
}

// What is not said here is not read-only, not parallel, and asked about: see `adroit_tool::Tool`.
impl Tool for Scaffold {
    type Input = ScaffoldInput;
    type Output = ScaffoldOutput;

    fn name(&self) -> &'static str {
        "Scaffold"
    }

    fn search_hint(&self) -> &'static str {
        "words by which a search finds it"
    }

    fn description(&self, input: Option<&ScaffoldInput>, _options: &DescribeOptions) -> String {
        match input {
            Some(input) => format!("Does something with {}.", input.subject),
            None => "Does something.".to_owned(),
        }
    }

    fn prompt(&self, _options: &DescribeOptions) -> Cow<'static, str> {
        Cow::Borrowed(include_str!("prompt.md"))
    }

    async fn call(
        &self,
        input: Arc<ScaffoldInput>,
        context: CallContext,
    ) -> Result<Outcome<ScaffoldOutput>, ToolFailure> {
        call::run(&self.services, &input, &context).map(Outcome::new)
    }

    fn present(&self, stage: Stage<'_, Self>) -> View {
        presentation::present(&stage)
    }

    fn map_result(&self, output: &ScaffoldOutput) -> Vec<ResultContent> {
        vec![ResultContent::text(output.for_model())]
    }
}
