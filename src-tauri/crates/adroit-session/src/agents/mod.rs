//! Agents that work for the first one: each runs the same loop in a context of its own.
//!
//! An agent is a session within a session. It has its own conversation with its own transcript
//! file, its own tools, and its own memory of what it has read. With its parent it shares who is
//! asked (its requests are in the one queue, with its name), the rules and the mode, the hooks, the
//! terminals, and what its calls changed: that belongs to the turn. It ends with the call that
//! started it.

mod child;
mod definitions;
mod front_matter;
mod reporting;
mod stored;

use std::pin::Pin;
use std::sync::{Arc, OnceLock, Weak};

use adroit_engine::AgentName;
use adroit_model::{EndedPart, PartKind, StreamEvent};
use adroit_protocol::CallId;
use adroit_protocol::message::{ToolCall, Usage};
use adroit_tool::{CallContext, ToolFailure};
use adroit_tools::{AgentKind, AgentReport, AgentTask, Agents};

pub use definitions::agent_states;
pub(crate) use definitions::{AGENT, Definition, Definitions};

use crate::Session;

/// Who an agent is.
#[derive(Clone, Debug)]
pub(crate) struct Identity {
    /// In requests and for hooks.
    pub(crate) name: AgentName,
    /// What it is told of itself.
    pub(crate) introduction: String,
    /// The model that it asks, where that is not the conversation's.
    pub(crate) model: Option<String>,
    /// What its calls' names begin with: servers number calls anew in each conversation, and what
    /// is kept of calls is kept by name.
    pub(crate) prefix: String,
}

impl Session {
    /// The same event with the names that the calls of this agent have here.
    pub(crate) fn own_names(&self, event: StreamEvent) -> StreamEvent {
        let Some(who) = &self.identity else {
            return event;
        };
        let named = |id: &CallId| CallId::from(format!("{}{id}", who.prefix));
        match event {
            StreamEvent::Start {
                part,
                kind: PartKind::ToolUse { id, name },
            } => StreamEvent::Start {
                part,
                kind: PartKind::ToolUse {
                    id: named(&id),
                    name,
                },
            },
            StreamEvent::End {
                part,
                content: EndedPart::Call(call),
            } => StreamEvent::End {
                part,
                content: EndedPart::Call(ToolCall {
                    id: named(&call.id),
                    ..call
                }),
            },
            other => other,
        }
    }
}

/// What the outcome of a turn says of the agents that worked in it.
#[derive(Debug, Default)]
pub(crate) struct FromAgents {
    /// Tokens.
    pub(crate) usage: Usage,
    /// Calls that were denied: in a few words, and why.
    pub(crate) denied_calls: Vec<(String, String)>,
}

/// Starts agents for one session.
#[derive(Default)]
pub(crate) struct SubAgents {
    parent: OnceLock<Weak<Session>>,
    /// How many agents are between it and the first one.
    depth: u8,
}

impl SubAgents {
    /// For the agents of an agent.
    fn below(depth: u8) -> Arc<Self> {
        Arc::new(Self {
            parent: OnceLock::new(),
            depth,
        })
    }

    /// Once the session is there.
    pub(crate) fn belong_to(&self, session: &Arc<Session>) {
        // A second session would be another one's: the first stays.
        let _ = self.parent.set(Arc::downgrade(session));
    }

    fn parent(&self) -> Option<Arc<Session>> {
        self.parent.get().and_then(Weak::upgrade)
    }
}

impl Agents for SubAgents {
    fn kinds(&self) -> Vec<AgentKind> {
        let known = self.parent().map(|parent| parent.agent_definitions().known);
        known
            .unwrap_or_default()
            .iter()
            .map(Definition::kind)
            .collect()
    }

    fn run(
        &self,
        task: AgentTask,
        context: CallContext,
    ) -> Pin<Box<dyn Future<Output = Result<AgentReport, ToolFailure>> + Send + '_>> {
        Box::pin(async move {
            let parent = self.parent().ok_or_else(|| {
                ToolFailure::new("closed", "The session has ended; no agent was started.")
            })?;
            parent.run_agent(task, context, self.depth + 1).await
        })
    }
}

impl Session {
    /// How many agents may stand below each other.
    fn agent_depth(&self) -> u8 {
        const DEEPEST: u8 = 5;
        self.execution().agent_depth.unwrap_or(1).min(DEEPEST)
    }

    /// The kinds of agents that there are now.
    pub(crate) fn agent_definitions(&self) -> Definitions {
        Definitions::read(&self.shared.directories, &self.project, self.trusted())
    }
}
