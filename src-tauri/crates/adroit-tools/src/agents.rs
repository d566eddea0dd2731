//! Who starts agents, as the tools see it: the session does.

use std::future::Future;
use std::pin::Pin;

use adroit_protocol::SessionId;
use adroit_protocol::view::{Block, SubCall};
use adroit_tool::{CallContext, ToolFailure};

/// Starts agents and knows their kinds.
pub trait Agents: Send + Sync {
    /// The kinds that there are now, sorted by name.
    fn kinds(&self) -> Vec<AgentKind>;

    /// The kind of this name.
    fn kind(&self, name: &str) -> Option<AgentKind> {
        self.kinds().into_iter().find(|kind| kind.name == name)
    }

    /// Runs an agent to its end. It ends with the call's cancellation.
    ///
    /// # Errors
    /// It could not be started, or did not come to its end by itself; what the model may read.
    fn run(
        &self,
        task: AgentTask,
        context: CallContext,
    ) -> Pin<Box<dyn Future<Output = Result<AgentReport, ToolFailure>> + Send + '_>>;
}

/// One kind of agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentKind {
    /// Its name, as `subagent_type` and rules have it.
    pub name: String,
    /// When to use it.
    pub description: String,
    /// True where all of its tools only read.
    pub read_only: bool,
}

/// What an agent is started for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentTask {
    /// Of which kind.
    pub kind: String,
    /// In a few words, for the person.
    pub title: String,
    /// All that it is told.
    pub prompt: String,
}

/// What came of an agent.
#[derive(Clone, Debug, PartialEq)]
pub struct AgentReport {
    /// Its conversation.
    pub session: SessionId,
    /// Its last words.
    pub text: String,
    /// Its calls, oldest first; of many the newest.
    pub calls: Vec<SubCall>,
    /// How many older ones there were.
    pub more: u32,
    /// Tokens that it took.
    pub tokens: u64,
}

impl AgentReport {
    /// Its conversation as a block.
    #[must_use]
    pub fn block(&self, title: &str) -> Block {
        Block::SubSession {
            session: self.session.clone(),
            title: title.to_owned(),
            calls: self.calls.clone(),
            more: self.more,
        }
    }
}

/// No agents.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoAgents;

impl Agents for NoAgents {
    fn kinds(&self) -> Vec<AgentKind> {
        Vec::new()
    }

    fn run(
        &self,
        _task: AgentTask,
        _context: CallContext,
    ) -> Pin<Box<dyn Future<Output = Result<AgentReport, ToolFailure>> + Send + '_>> {
        Box::pin(std::future::ready(Err(ToolFailure::new(
            "no_agents",
            "No agents can be started here.",
        ))))
    }
}
