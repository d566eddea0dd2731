//! The app without anybody in front of it: one message to its end, or one call.
//!
//! The folder that a person names on a command line counts as trusted: naming it there is
//! the same act as trusting it in the window. What would ask is denied, unless a rule or a
//! mode allows it.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use adroit_protocol::event::{CallStatus, Event};
use adroit_protocol::message::{CallInput, ResultContent, ToolCall, Usage};
use adroit_protocol::record::DecisionRecord;
use adroit_protocol::view::View;
use adroit_protocol::{CallId, SessionId, strict_json};
use adroit_session::projects::{ProjectError, resolve};
use adroit_session::settings::CommandLine;
use adroit_session::state::Emit;
use adroit_session::{
    AppDirectories, OpenError, Session, SessionOptions, Sitting, TurnEnd, TurnOutcome,
};
use adroit_tool::{Cancellation, Origin};
use serde::Serialize;
use serde_json::Value;

use crate::app::{CLOSED, shared};

/// How a run without a window is started.
pub struct HeadlessOptions {
    /// The folder, as it was named.
    pub project: String,
    /// Where the app keeps its files.
    pub directories: AppDirectories,
    /// What the command line says.
    pub command_line: CommandLine,
    /// Pause of the offline operator between pieces.
    pub operator_delay: Option<Duration>,
    /// Where events go.
    pub emit: Emit,
}

/// A run could not begin.
#[derive(Debug, thiserror::Error)]
pub enum HeadlessError {
    /// The folder cannot be opened.
    #[error("{problem}. {hint}", hint = problem.hint())]
    Project {
        /// What is wrong with it. Part of the text already, so not a source beside it.
        problem: ProjectError,
    },
    /// The session cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
}

impl From<ProjectError> for HeadlessError {
    fn from(problem: ProjectError) -> Self {
        Self::Project { problem }
    }
}

/// A session without a window.
pub struct Headless {
    session: Arc<Session>,
    supervisor: adroit_process::Supervisor,
    sitting: Sitting,
}

/// What came of a turn, as the last line of `stream-json` and as `--output json`.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TurnReport {
    /// Which session; it can be opened in the window.
    pub session: SessionId,
    /// True where the model came to its end by itself.
    pub ok: bool,
    /// How it ended, in words, where it was not by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// What to do then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// What the model said last.
    pub text: String,
    /// Calls that were made.
    pub calls: usize,
    /// Of them, those that failed, were denied or were cancelled.
    pub failed_calls: usize,
    /// Calls that were denied, each with the reason.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub denied_calls: Vec<DeniedCall>,
    /// How often the model was asked.
    pub requests: usize,
    /// How long it took, milliseconds.
    pub elapsed_ms: u64,
    /// Tokens.
    pub usage: Usage,
}

/// A call that was denied.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DeniedCall {
    /// The call in a few words.
    pub call: String,
    /// Why, in one sentence.
    pub reason: String,
}

/// What came of one call.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CallReport {
    /// True where the call failed, was denied or was cancelled.
    pub is_error: bool,
    /// How it ended.
    pub status: CallStatus,
    /// What a model would get.
    pub content: Vec<ResultContent>,
    /// What a person would see.
    pub view: View,
    /// Why it was allowed, or not.
    pub record: DecisionRecord,
    /// What an MCP server sent beside the result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mcp_meta: Option<Value>,
}

/// One tool of the pool.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[allow(clippy::struct_excessive_bools)] // The flags of the contract, as they are.
pub struct ToolReport {
    /// Its name.
    pub name: String,
    /// Former names.
    pub aliases: Vec<String>,
    /// Where it comes from.
    pub origin: String,
    /// One sentence.
    pub description: String,
    /// What the model is told.
    pub prompt: String,
    /// JSON Schema of its input.
    pub input_schema: Arc<Value>,
    /// JSON Schema of what hooks get as its `tool_response`, where the tool promises one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_schema: Option<Value>,
    /// True where the model sees its name only at first.
    pub deferred: bool,
    /// True where it is never deferred.
    pub always_load: bool,
    /// True where the provider should hold the model to the schema.
    pub strict: bool,
    /// True where it cannot run without a person.
    pub requires_user_interaction: bool,
    /// The most characters of a result before it goes to a file; absent where the tool bounds it.
    pub max_result_chars: Option<usize>,
    /// What a new message of the person does to it: `cancel` or `block`.
    pub interrupt_behavior: String,
}

impl Headless {
    /// Opens a session on a folder.
    ///
    /// # Errors
    /// The folder or the session cannot be opened.
    pub fn open(options: HeadlessOptions) -> Result<Self, HeadlessError> {
        let project: PathBuf = resolve(&options.project, options.directories.home())?;
        let sitting = Sitting::of(&options.directories, &project);
        let shared = shared(options.directories, options.command_line, options.emit);
        let supervisor = shared.supervisor.clone();
        let session = Session::open(
            shared,
            SessionOptions {
                project,
                resume: None,
                interactive: false,
                trusted: Some(true),
                operator_delay: options.operator_delay,
            },
        )?;
        Ok(Self {
            session,
            supervisor,
            sitting,
        })
    }

    /// Which session.
    #[must_use]
    pub fn session(&self) -> SessionId {
        self.session.id()
    }

    /// The folder.
    #[must_use]
    pub fn project(&self) -> &Path {
        self.session.project()
    }

    /// What is wrong with the settings in force, a line a problem that begins with its place.
    #[must_use]
    pub fn settings_problems(&self) -> Vec<String> {
        let effective = self.session.effective();
        let told = effective.files.iter().flat_map(|file| {
            file.problems.iter().map(|problem| {
                let place = problem
                    .position
                    .map(|at| format!(":{}:{}", at.line, at.column))
                    .unwrap_or_default();
                format!("{}{place}: {}", file.path.display(), problem.text)
            })
        });
        told.collect()
    }

    /// One message to the end of its turn.
    pub async fn exec(&self, prompt: String) -> TurnReport {
        let started = Instant::now();
        let outcome = self.session.run(prompt).await;
        self.report(outcome, started.elapsed())
    }

    /// Stops the turn that runs.
    pub fn stop(&self) {
        self.session.stop(adroit_tool::CancelReason::Stopped);
    }

    /// Runs one call through the whole pipeline. Calls on one folder are one sitting: what
    /// an earlier one has read, this one may change.
    pub async fn call(&self, tool: &str, input: &str) -> CallReport {
        let invalid = |message: String| CallInput::Invalid {
            message,
            raw: input.to_owned(),
        };
        // Nothing is mended here: what is typed by hand is what is meant, or wrong.
        let input = match strict_json(input) {
            Ok(value @ Value::Object(_)) => CallInput::Object(value),
            Ok(_) => invalid("the input must be a JSON object".to_owned()),
            Err(error) => invalid(error.to_string()),
        };
        let call = ToolCall {
            id: CallId::generate(),
            name: tool.to_owned(),
            input,
        };
        let engine = self.session.engine();
        // Whoever calls by hand has the schema from `tool list`: nothing is to be loaded first.
        if let Some(entry) = engine.pool.find(tool) {
            engine.pool.discovered().insert(entry.tool().name());
        }
        self.sitting.restore(engine.files.as_ref());
        let result = engine.run_one(call, Cancellation::new()).await;
        if let Err(error) = self.sitting.keep(engine.files.as_ref()) {
            tracing::warn!(%error, "later calls will not know what this one has read");
        }
        CallReport {
            is_error: result.is_error,
            status: result.status,
            content: result.content,
            view: result.view,
            record: result.record,
            mcp_meta: result.mcp_meta,
        }
    }

    /// The pool.
    #[must_use]
    pub fn tools(&self) -> Vec<ToolReport> {
        let pool = &self.session.engine().pool;
        let options = pool.describe_options(false);
        pool.iter()
            .map(|tool| ToolReport {
                name: tool.name().to_owned(),
                aliases: tool
                    .aliases()
                    .iter()
                    .map(|alias| (*alias).to_owned())
                    .collect(),
                origin: match tool.origin() {
                    Origin::BuiltIn => "built-in".to_owned(),
                    Origin::Mcp { server, .. } => format!("mcp:{server}"),
                },
                description: tool.description(None, &options),
                prompt: tool.prompt(&options).into_owned(),
                input_schema: tool.input_schema(),
                output_schema: tool.output_schema(),
                deferred: tool.should_defer(),
                always_load: tool.always_load(),
                strict: tool.strict(),
                requires_user_interaction: tool.requires_user_interaction(),
                max_result_chars: match tool.max_result_chars() {
                    adroit_tool::ResultLimit::Chars(chars) => Some(chars),
                    adroit_tool::ResultLimit::SelfBounded => None,
                },
                interrupt_behavior: match tool.interrupt_behavior() {
                    adroit_tool::InterruptBehavior::Cancel => "cancel".to_owned(),
                    adroit_tool::InterruptBehavior::Block => "block".to_owned(),
                },
            })
            .collect()
    }

    /// Ends everything that runs.
    pub async fn close(self) {
        self.session.close();
        self.session.farewell(CLOSED).await;
        self.supervisor.shutdown().await;
    }

    fn report(&self, outcome: TurnOutcome, elapsed: Duration) -> TurnReport {
        let (problem, hint) = match outcome.end {
            TurnEnd::Done => (None, None),
            TurnEnd::Incomplete(text) => (Some(text), None),
            TurnEnd::Stopped => (Some("Stopped.".to_owned()), None),
            TurnEnd::Failed { message, hint } => (Some(message), Some(hint)),
        };
        TurnReport {
            session: self.session.id(),
            ok: problem.is_none(),
            problem,
            hint,
            text: outcome.text,
            calls: outcome.calls,
            failed_calls: outcome.failed_calls,
            denied_calls: outcome
                .denied_calls
                .into_iter()
                .map(|(call, reason)| DeniedCall { call, reason })
                .collect(),
            requests: outcome.requests,
            elapsed_ms: u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX),
            usage: outcome.usage,
        }
    }
}

/// Nobody hears events.
#[must_use]
pub fn unheard() -> Emit {
    Arc::new(|_event: Event| {})
}
