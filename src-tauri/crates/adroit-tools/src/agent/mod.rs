//! Agent: has a task done by an agent with a context of its own.

mod call;
mod presentation;
#[cfg(test)]
pub(crate) mod tests;

use std::borrow::Cow;
use std::sync::Arc;

use adroit_permissions::Subject;
use adroit_protocol::message::ResultContent;
use adroit_protocol::view::View;
use adroit_tool::{
    CallContext, DescribeOptions, Features, InvalidInput, Outcome, Stage, Tool, ToolFailure,
};
use schemars::{JsonSchema, schema_for};
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use call::AgentOutput;

use crate::agents::AgentKind;
use crate::{Services, features};

/// The kind that is started where none is named.
const USUAL_KIND: &str = "general-purpose";

/// The tool.
pub struct Agent {
    services: Services,
}

/// The input of Agent.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AgentInput {
    /// The task in three to six words, for the user.
    pub description: String,
    /// The task, with all that the agent has to know.
    pub prompt: String,
    /// The kind of agent; `general-purpose` where it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subagent_type: Option<String>,
}

impl AgentInput {
    fn kind(&self) -> &str {
        self.subagent_type.as_deref().unwrap_or(USUAL_KIND)
    }
}

impl Agent {
    /// The tool over these services.
    pub fn new(services: Services) -> Self {
        Self { services }
    }

    fn kind(&self, input: &AgentInput) -> Option<AgentKind> {
        self.services.agents.kind(input.kind())
    }
}

impl Tool for Agent {
    type Input = AgentInput;
    type Output = AgentOutput;

    fn name(&self) -> &'static str {
        "Agent"
    }

    fn aliases(&self) -> &'static [&'static str] {
        &["Task"]
    }

    fn search_hint(&self) -> &'static str {
        "agent subagent delegate task explore research parallel context"
    }

    fn output_schema(&self) -> Option<Value> {
        Some(schema_for!(AgentOutput).to_value())
    }

    fn is_enabled(&self, features: &Features) -> bool {
        features.has(features::AGENTS)
    }

    fn description(&self, input: Option<&AgentInput>, _options: &DescribeOptions) -> String {
        match input {
            Some(input) => format!(
                "Starts the agent {} for this: {}. You are asked about its calls as about any.",
                input.kind(),
                input.description
            ),
            None => "Has a task done by an agent with a context of its own.".to_owned(),
        }
    }

    fn prompt(&self, _options: &DescribeOptions) -> Cow<'static, str> {
        Cow::Borrowed(include_str!("prompt.md"))
    }

    fn validate_input(
        &self,
        input: &AgentInput,
        _context: &CallContext,
    ) -> impl Future<Output = Result<(), InvalidInput>> + Send {
        std::future::ready(self.check(input))
    }

    async fn call(
        &self,
        input: Arc<AgentInput>,
        context: CallContext,
    ) -> Result<Outcome<AgentOutput>, ToolFailure> {
        call::run(&self.services, &input, context)
            .await
            .map(Outcome::new)
    }

    /// It reads only where its kind has no tool that does more. What another may do is judged call
    /// by call all the same.
    fn is_read_only(&self, input: &AgentInput, _context: &CallContext) -> bool {
        self.kind(input).is_some_and(|kind| kind.read_only)
    }

    fn is_concurrency_safe(&self, input: &AgentInput, context: &CallContext) -> bool {
        self.is_read_only(input, context)
    }

    fn classifier_input(&self, input: &AgentInput) -> Option<String> {
        Some(format!("{}: {}", input.kind(), input.prompt))
    }

    fn subject(&self, input: &AgentInput, _context: &CallContext) -> Subject {
        Subject::Agent {
            name: input.kind().to_owned(),
        }
    }

    fn present(&self, stage: Stage<'_, Self>) -> View {
        presentation::present(&stage)
    }

    fn map_result(&self, output: &AgentOutput) -> Vec<ResultContent> {
        vec![ResultContent::text(output.text.clone())]
    }
}

impl Agent {
    fn check(&self, input: &AgentInput) -> Result<(), InvalidInput> {
        if input.prompt.trim().is_empty() {
            let message =
                "`prompt` is empty. Say what the agent is to do, and all that it has to know.";
            return Err(InvalidInput::new("empty_prompt", message));
        }
        if self.kind(input).is_some() {
            return Ok(());
        }
        let names: Vec<String> = self
            .services
            .agents
            .kinds()
            .iter()
            .map(|kind| format!("`{}`", kind.name))
            .collect();
        let message = format!(
            "There is no agent `{}`. There are {}.",
            input.kind(),
            names.join(", ")
        );
        Err(InvalidInput::new("unknown_agent", message))
    }
}
