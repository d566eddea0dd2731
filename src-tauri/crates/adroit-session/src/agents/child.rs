//! One agent from its start to its end.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use adroit_engine::{AgentName, CurrentDirectory, Discovered, Engine, Execution, Observer};
use adroit_protocol::SessionId;
use adroit_protocol::event::{SessionSnapshot, Turn};
use adroit_protocol::message::Usage;
use adroit_tool::{CallContext, RememberedFiles, ToolFailure};
use adroit_tools::{AgentReport, AgentTask, Services};

use super::reporting::Reporting;
use super::{Definition, FromAgents, Identity, SubAgents};
use crate::Session;
use crate::announcing::Announcing;
use crate::assembly::pool;
use crate::checkpoints::KeptBy;
use crate::context::Context;
use crate::hooks::Notifying;
use crate::queue::Work;
use crate::state::SessionState;
use crate::transcript::Transcript;
use crate::turn::{Observing, TurnEnd};

/// How long a call of a cancelled agent may take to end by itself. Less than the agent's own call
/// has, so that what came of it is still written down.
const GRACE: Duration = Duration::from_secs(2);
/// Letters of what the calls of an agent are named after.
const PREFIX: usize = 6;

impl Session {
    /// Runs an agent to its end.
    ///
    /// # Errors
    /// There is no such kind, it was stopped, or it did not come to its end by itself.
    pub(super) async fn run_agent(
        self: &Arc<Self>,
        task: AgentTask,
        context: CallContext,
        depth: u8,
    ) -> Result<AgentReport, ToolFailure> {
        let definitions = self.agent_definitions();
        let definition = definitions.find(&task.kind).ok_or_else(|| {
            let message = format!("There is no agent `{}` any more.", task.kind);
            ToolFailure::new("unknown_agent", message)
        })?;
        let id = SessionId::generate();
        let reporting = Arc::new(Reporting::new(
            id.clone(),
            task.title.clone(),
            context.progress.clone(),
        ));
        let child = self.child(id, definition, &task, &reporting, depth);
        self.agents
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(child.id(), Arc::clone(&child));
        reporting.tell();
        let outcome = child
            .work_for_another(task.prompt, context.cancellation.child())
            .await;
        let mut told = self.told_of_agents();
        told.usage += outcome.usage;
        let kind = &task.kind;
        let denied = outcome.denied_calls.into_iter();
        told.denied_calls
            .extend(denied.map(|(call, why)| (format!("{kind}: {call}"), why)));
        drop(told);
        let report = reporting.report(outcome.text, total(outcome.usage));
        ended(report, &outcome.end, &task.title)
    }

    /// What of agents is not in a turn's outcome yet.
    pub(crate) fn told_of_agents(&self) -> MutexGuard<'_, FromAgents> {
        self.from_agents
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn child(
        self: &Arc<Self>,
        id: SessionId,
        definition: &Definition,
        task: &AgentTask,
        reporting: &Arc<Reporting>,
        depth: u8,
    ) -> Arc<Self> {
        let name = AgentName {
            id: id.as_str().to_owned(),
            kind: definition.name.clone(),
            label: format!("{}: {}", definition.name, task.title),
        };
        let transcript = Arc::new(Transcript::of_agent(&self.transcript, &id));
        let state = Arc::new(SessionState::new(
            self.empty_snapshot(&id, &task.title),
            Arc::clone(&self.shared.emit),
        ));
        let observing = Arc::new(Observing::new(
            Arc::clone(&state),
            Arc::clone(&self.checkpointing),
        ));
        reporting.shown_by(self.observer_of(&observing));
        let agents = SubAgents::below(depth);
        let services = Services {
            agents: Arc::clone(&agents) as _,
            ..self.services.clone()
        };
        let engine = Engine {
            pool: Arc::new(self.pool_of(definition, &services, depth)),
            observer: Arc::clone(reporting) as _,
            checkpoints: Arc::new(Announcing {
                kept: KeptBy(Arc::clone(&self.checkpointing)),
                transcript: Arc::clone(&transcript),
            }),
            files: Arc::new(RememberedFiles::default()),
            cwd: CurrentDirectory::new(self.engine.cwd.get()),
            execution: Execution {
                grace: GRACE,
                ..self.engine.execution
            },
            agent: Some(name.clone()),
            ..Engine::clone(&self.engine)
        };
        let letters = id
            .as_str()
            .chars()
            .rev()
            .filter(char::is_ascii_alphanumeric);
        let identity = Identity {
            prefix: letters.take(PREFIX).chain(['_']).collect(),
            name,
            introduction: definition.prompt.clone(),
            model: definition.model.clone(),
        };
        let child = Arc::new(Self {
            shared: self.shared.clone(),
            project: self.project.clone(),
            state,
            transcript,
            engine: Arc::new(engine),
            observing,
            hooks: Arc::clone(&self.hooks),
            checkpointing: Arc::clone(&self.checkpointing),
            context: Mutex::new(Context::default()),
            calls: Mutex::default(),
            untold: Mutex::default(),
            steering: tokio::sync::Notify::new(),
            marks: Mutex::default(),
            discovered: Mutex::default(),
            gathered: crate::past::Gathered::default(),
            approvals: Arc::clone(&self.approvals),
            permissions: Arc::clone(&self.permissions),
            modes: Arc::clone(&self.modes),
            terminals: Arc::clone(&self.terminals),
            tasks: self.tasks.clone(),
            interactive: self.interactive,
            models: Arc::clone(&self.models),
            work: Mutex::new(Work::default()),
            services,
            identity: Some(identity),
            agents: Mutex::default(),
            from_agents: Mutex::default(),
        });
        agents.belong_to(&child);
        child
    }

    fn observer_of(&self, observing: &Arc<Observing>) -> Arc<dyn Observer> {
        if self.interactive {
            Arc::new(Notifying {
                inner: Arc::clone(observing) as _,
                hooks: Arc::clone(&self.hooks),
                project: self.project.as_path().into(),
            })
        } else {
            Arc::clone(observing) as _
        }
    }

    fn pool_of(
        &self,
        definition: &Definition,
        services: &Services,
        depth: u8,
    ) -> adroit_engine::Pool {
        let starts_agents = depth < self.agent_depth() && definition.may_start_agents();
        let tools = adroit_tools::all(services).into_iter().filter(|tool| {
            definition.has(tool.name(), tool.aliases())
                || starts_agents && tool.name() == super::AGENT
        });
        pool(tools, &self.effective(), Discovered::default())
    }

    pub(super) fn empty_snapshot(&self, id: &SessionId, title: &str) -> SessionSnapshot {
        SessionSnapshot {
            session: id.clone(),
            project: self.project.display().to_string(),
            title: title.to_owned(),
            sequence: 0,
            mode: self.permissions.mode(),
            model: self.state.read(|snapshot| snapshot.model.clone()),
            items: Vec::new(),
            requests: Vec::new(),
            queue: Vec::new(),
            undos: Vec::new(),
            turn: Turn::Idle,
            usage: Usage::default(),
            changed_files: Vec::new(),
            turn_usage: Usage::default(),
        }
    }
}

fn total(usage: Usage) -> u64 {
    usage.input_tokens + usage.output_tokens + usage.cache_read_tokens + usage.cache_write_tokens
}

/// What the model is told of the agent's end.
fn ended(report: AgentReport, end: &TurnEnd, title: &str) -> Result<AgentReport, ToolFailure> {
    let (what, summary) = match end {
        TurnEnd::Done if !report.text.trim().is_empty() => return Ok(report),
        TurnEnd::Done => ("The agent ended without a word.".to_owned(), "said nothing"),
        TurnEnd::Incomplete(why) => (
            format!("The agent did not come to its end: {why}"),
            "incomplete",
        ),
        TurnEnd::Stopped => ("The agent was stopped.".to_owned(), "stopped"),
        TurnEnd::Failed { message, hint } => {
            (format!("The agent failed: {message} {hint}"), "failed")
        }
    };
    let block = report.block(title);
    let message = if report.text.trim().is_empty() {
        what
    } else {
        format!("{what}\n\nIts last words were:\n\n{}", report.text)
    };
    let notice = adroit_protocol::view::Block::Notice {
        tone: adroit_protocol::view::Tone::Warning,
        text: message.clone(),
    };
    Err(ToolFailure::new("agent_ended", message)
        .with_summary(summary)
        .with_blocks(vec![block, notice]))
}
