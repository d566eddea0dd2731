//! Having the task done.

use adroit_protocol::view::Block;
use adroit_tool::{CallContext, ToolFailure};
use schemars::JsonSchema;
use serde::Serialize;

use super::AgentInput;
use crate::Services;
use crate::agents::AgentTask;

/// What came of an agent.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentOutput {
    /// Its last message.
    pub text: String,
    /// How many calls it made.
    pub calls: u64,
    /// Tokens that it took.
    pub tokens: u64,
    /// Its conversation as a person sees it.
    #[serde(skip)]
    #[schemars(skip)]
    pub(super) block: Block,
}

pub(super) async fn run(
    services: &Services,
    input: &AgentInput,
    context: CallContext,
) -> Result<AgentOutput, ToolFailure> {
    let task = AgentTask {
        kind: input.kind().to_owned(),
        title: input.description.clone(),
        prompt: input.prompt.clone(),
    };
    let report = services.agents.run(task, context).await?;
    Ok(AgentOutput {
        calls: report.calls.len() as u64 + u64::from(report.more),
        tokens: report.tokens,
        block: report.block(&input.description),
        text: report.text,
    })
}
