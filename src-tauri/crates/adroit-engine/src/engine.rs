//! One agent's engine: what all its calls share.

use std::path::Path;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use adroit_hooks::Hooks;
use adroit_protocol::CallId;
use adroit_protocol::event::CallStatus;
use adroit_protocol::message::{Message, ResultContent, ToolCall};
use adroit_protocol::record::DecisionRecord;
use adroit_protocol::settings::BashErrorCascade;
use adroit_protocol::view::View;
use adroit_tool::{Cancellation, FileState, Limits};

use crate::executor::Executor;
use crate::pipeline::{self, Lane};
use crate::pool::Pool;
use crate::ports::{Checkpoints, Classifier, Consent, Observer, Permissions};
use crate::store::ResultStore;

/// What all calls of one agent share. Cheap to clone: a change of the pool or of the
/// execution settings is a clone with other fields, used from the next message on.
#[derive(Clone)]
pub struct Engine {
    /// The tools.
    pub pool: Arc<Pool>,
    /// The rules and the mode.
    pub permissions: Arc<dyn Permissions>,
    /// Who is asked.
    pub consent: Arc<dyn Consent>,
    /// Who is asked before a person is, in auto mode.
    pub classifier: Arc<dyn Classifier>,
    /// Who is told.
    pub observer: Arc<dyn Observer>,
    /// Who keeps what calls change.
    pub checkpoints: Arc<dyn Checkpoints>,
    /// The hooks.
    pub hooks: Arc<dyn Hooks>,
    /// Where long results go. Its folder is also where a tool may leave long output.
    pub results: ResultStore,
    /// Bounds of each call.
    pub limits: Limits,
    /// What the agent has read.
    pub files: Arc<dyn FileState>,
    /// Where the agent is.
    pub cwd: CurrentDirectory,
    /// How calls are run.
    pub execution: Execution,
    /// Which agent, where it is not the main one.
    pub agent: Option<AgentName>,
    /// A person can be asked.
    pub interactive: bool,
}

impl Engine {
    /// An executor for the calls of one message. Everything of it ends with `cancellation`.
    #[must_use]
    pub fn executor(self: &Arc<Self>, cancellation: Cancellation) -> Executor {
        Executor::new(Arc::clone(self), &cancellation)
    }

    /// Runs one call alone.
    pub async fn run_one(
        self: &Arc<Self>,
        call: ToolCall,
        cancellation: Cancellation,
    ) -> ToolResult {
        let prepared = pipeline::prepare(self, call, cancellation.child(), Lane::default());
        pipeline::run_to_end(&prepared.call, prepared.parsed).await
    }
}

/// Who an agent is that works for another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentName {
    /// Names it, and its conversation.
    pub id: String,
    /// Its kind, which hooks match.
    pub kind: String,
    /// Its kind and what it does, for whoever is asked about its calls.
    pub label: String,
}

/// How calls are run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Execution {
    /// How many calls run at once.
    pub max_concurrency: usize,
    /// Which failing shell calls cancel later ones.
    pub cascade: BashErrorCascade,
    /// How long a cancelled call may take to end by itself, before it is dropped.
    pub grace: Duration,
}

impl Default for Execution {
    fn default() -> Self {
        Self {
            max_concurrency: DEFAULT_CONCURRENCY,
            cascade: BashErrorCascade::default(),
            grace: Duration::from_secs(3),
        }
    }
}

/// How many calls run at once where nothing else is said.
const DEFAULT_CONCURRENCY: usize = 10;
/// The environment variable that says something else.
pub const MAX_CONCURRENCY_VARIABLE: &str = "ADROIT_MAX_TOOL_CONCURRENCY";

impl Execution {
    /// The defaults with `ADROIT_MAX_TOOL_CONCURRENCY` of the environment. A value that is no
    /// positive number is reported in the log and passed over.
    #[must_use]
    pub fn from_environment() -> Self {
        let mut execution = Self::default();
        if let Ok(word) = std::env::var(MAX_CONCURRENCY_VARIABLE) {
            match parse_concurrency(&word) {
                Some(number) => execution.max_concurrency = number,
                None => tracing::warn!(
                    "{MAX_CONCURRENCY_VARIABLE} must be a positive number; {DEFAULT_CONCURRENCY} is used"
                ),
            }
        }
        execution
    }
}

fn parse_concurrency(word: &str) -> Option<usize> {
    word.trim().parse().ok().filter(|number| *number > 0)
}

/// Where an agent is. Clones are the same place.
#[derive(Clone, Debug)]
pub struct CurrentDirectory {
    path: Arc<RwLock<Arc<Path>>>,
}

impl CurrentDirectory {
    /// At this folder.
    #[must_use]
    pub fn new(path: impl Into<Arc<Path>>) -> Self {
        Self {
            path: Arc::new(RwLock::new(path.into())),
        }
    }

    /// The folder.
    #[must_use]
    pub fn get(&self) -> Arc<Path> {
        Arc::clone(&self.path.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Goes to another folder.
    pub fn set(&self, path: impl Into<Arc<Path>>) {
        *self.path.write().unwrap_or_else(PoisonError::into_inner) = path.into();
    }
}

/// What came of one call. Every call has exactly one.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolResult {
    /// Which call.
    pub call: CallId,
    /// What the model reads. Never empty.
    pub content: Vec<ResultContent>,
    /// It failed, was denied or was cancelled.
    pub is_error: bool,
    /// How it looks in the end.
    pub view: View,
    /// Everything that happened to it.
    pub record: DecisionRecord,
    /// Messages that follow the result.
    pub new_messages: Vec<Message>,
    /// What an MCP server sent beside the result. Kept with the transcript, never shown to the model.
    pub mcp_meta: Option<serde_json::Value>,
    /// The text by which a search of the transcript finds it, where that is not the result's own.
    pub search_text: Option<String>,
    /// How it ended.
    pub status: CallStatus,
    /// How long the tool ran; zero where it did not.
    pub elapsed: Duration,
    /// A hook wants the turn to end with this call, and says why.
    pub stop_turn: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_positive_numbers_bound_the_concurrency() {
        assert_eq!(parse_concurrency(" 3 "), Some(3));
        for word in ["0", "-1", "many", ""] {
            assert_eq!(parse_concurrency(word), None, "{word}");
        }
    }
}
