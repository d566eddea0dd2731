//! What the stages of one call share beside the state that they hand on.

use std::future::Future;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use adroit_permissions::{Denial, Subject};
use adroit_protocol::event::CallStatus;
use adroit_protocol::message::{CallInput, ToolCall};
use adroit_protocol::view::View;
use adroit_protocol::{CallId, TerminalId};
use adroit_tool::{
    CallContext, CancelReason, Cancellation, ErasedStage, ParsedInput, ProgressSender, ToolFailure,
    Withheld,
};
use futures::future::{Either, select};
use serde_json::Value;

use super::present::present;
use super::trace::Trace;
use crate::engine::Engine;
use crate::pool::PoolTool;
use crate::ports::CallUpdate;

/// How a call ends before its result is mapped.
#[derive(Debug)]
pub(crate) enum Ending {
    /// It could not be called.
    Failed(ToolFailure),
    /// It must not be called.
    Denied(Denial),
    /// It was cancelled.
    Cancelled(CancelReason),
}

/// One call. The stages share it by reference; a panic in a stage leaves it whole.
pub(crate) struct Call {
    pub(crate) id: CallId,
    pub(crate) engine: Arc<Engine>,
    pub(crate) context: CallContext,
    pub(crate) trace: Trace,
    /// The tool's name as the model wrote it.
    name: String,
    /// The input as the model sent it.
    sent: Arc<Value>,
    tool: OnceLock<Arc<PoolTool>>,
    known: Mutex<Known>,
    began: OnceLock<Instant>,
    elapsed: OnceLock<Duration>,
    ran: AtomicBool,
    over: AtomicBool,
}

/// A call as it was sent.
pub(crate) struct Sent {
    pub(crate) name: String,
    pub(crate) input: SentInput,
}

/// The input as it was sent. Shared, since a whole file may be in it.
pub(crate) enum SentInput {
    /// JSON.
    Object(Arc<Value>),
    /// Not a JSON object, and what is wrong with it.
    Invalid { raw: String, message: String },
}

#[derive(Default)]
struct Known {
    input: Option<ParsedInput>,
    read_only: bool,
    safe: bool,
    terminal: Option<TerminalId>,
}

impl Call {
    /// The call beside its stages, and what goes into the first of them.
    pub(crate) fn new(
        engine: &Arc<Engine>,
        call: ToolCall,
        cancellation: Cancellation,
    ) -> (Self, Sent) {
        let (sent, input) = match call.input {
            CallInput::Object(value) => {
                let value = Arc::new(value);
                (Arc::clone(&value), SentInput::Object(value))
            }
            CallInput::Invalid { raw, message } => {
                let empty = Arc::new(Value::Object(serde_json::Map::new()));
                (empty, SentInput::Invalid { raw, message })
            }
        };
        let context = CallContext {
            call: call.id.clone(),
            cancellation,
            cwd: engine.cwd.get(),
            files: Arc::clone(&engine.files),
            progress: ProgressSender::ignored(),
            limits: engine.limits,
            overflow_directory: Arc::clone(engine.results.directory()),
            interactive: engine.interactive,
            catalog: Arc::clone(&engine.pool) as _,
            withheld: withheld(engine),
        };
        let this = Self {
            id: call.id,
            engine: Arc::clone(engine),
            context,
            trace: Trace::new(&call.name),
            name: call.name.clone(),
            sent,
            tool: OnceLock::new(),
            known: Mutex::default(),
            began: OnceLock::new(),
            elapsed: OnceLock::new(),
            ran: AtomicBool::new(false),
            over: AtomicBool::new(false),
        };
        let name = call.name;
        (this, Sent { name, input })
    }

    fn known(&self) -> std::sync::MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn set_tool(&self, tool: &Arc<PoolTool>) {
        self.trace.resolved(tool.tool().name());
        let _ = self.tool.set(Arc::clone(tool));
    }

    pub(crate) fn tool(&self) -> Option<&Arc<PoolTool>> {
        self.tool.get()
    }

    pub(crate) fn tool_name(&self) -> &str {
        self.tool().map_or(&self.name, |tool| tool.tool().name())
    }

    /// Keeps an input and what the tool says of it. What was said of an input that the tool
    /// takes for the same is not asked again: a hook that rewrites a description must not cost
    /// a second analysis of the command.
    pub(crate) fn set_input(&self, tool: &PoolTool, input: &ParsedInput) {
        let before = {
            let known = self.known();
            let same = |before: &ParsedInput| tool.tool().inputs_equivalent(before, input);
            let equivalent = known.input.as_ref().is_some_and(same);
            equivalent.then_some((known.read_only, known.safe))
        };
        self.classify(tool, input, before);
    }

    fn classify(&self, tool: &PoolTool, input: &ParsedInput, before: Option<(bool, bool)>) {
        let (read_only, safe) = before.unwrap_or_else(|| {
            (
                tool.tool().is_read_only(input, &self.context),
                tool.tool().is_concurrency_safe(input, &self.context),
            )
        });
        let mut known = self.known();
        known.input = Some(input.clone());
        known.read_only = read_only;
        known.safe = safe;
    }

    pub(crate) fn input(&self) -> Option<ParsedInput> {
        self.known().input.clone()
    }

    /// The input as far as there is one.
    pub(crate) fn partial(&self) -> Arc<Value> {
        match &self.known().input {
            Some(input) => Arc::clone(input.value()),
            None => Arc::clone(&self.sent),
        }
    }

    pub(crate) fn is_read_only(&self) -> bool {
        self.known().read_only
    }

    /// Whether it may run beside others. A call that has no input will not run at all.
    pub(crate) fn is_safe(&self) -> bool {
        let known = self.known();
        known.safe || known.input.is_none()
    }

    /// True where the agent has gone elsewhere since the call was made.
    pub(crate) fn has_other_directory(&self) -> bool {
        self.engine.cwd.get() != self.context.cwd
    }

    /// Takes the working directory of the moment, and asks the tool again where it has
    /// changed since the input was classified.
    pub(crate) fn refresh_directory(&mut self) {
        let cwd = self.engine.cwd.get();
        if cwd == self.context.cwd {
            return;
        }
        self.context.cwd = cwd;
        if let (Some(tool), Some(input)) = (self.tool.get().cloned(), self.input()) {
            // In another folder the same words mean something else.
            self.classify(&tool, &input, None);
        }
    }

    pub(crate) fn begin(&self) {
        self.ran.store(true, Ordering::Release);
        let _ = self.began.set(Instant::now());
    }

    pub(crate) fn end(&self) {
        let _ = self.elapsed.set(self.elapsed().unwrap_or_default());
    }

    /// Whether the tool was called.
    pub(crate) fn has_run(&self) -> bool {
        self.ran.load(Ordering::Acquire)
    }

    pub(crate) fn elapsed(&self) -> Option<Duration> {
        self.elapsed
            .get()
            .copied()
            .or_else(|| self.began.get().map(Instant::elapsed))
    }

    pub(crate) fn set_terminal(&self, terminal: TerminalId) {
        self.known().terminal = Some(terminal);
    }

    /// The call in a few words: `Bash(mkdir /tmp/a…)`.
    pub(crate) fn words(&self) -> String {
        let command = self
            .tool()
            .zip(self.input())
            .map(|(tool, input)| tool.tool().subject(&input, &self.context));
        match command {
            Some(Subject::Shell { command, .. }) => {
                format!("{}({})", self.tool_name(), shorten(&command))
            }
            _ => self.tool_name().to_owned(),
        }
    }

    /// Tells how the call is.
    pub(crate) fn tell(&self, status: CallStatus, view: View) {
        if self.over.load(Ordering::Acquire) {
            return;
        }
        let (mutating, terminal) = {
            let known = self.known();
            (
                known.input.is_some() && !known.read_only,
                known.terminal.clone(),
            )
        };
        let update = CallUpdate {
            tool: self.tool_name().to_owned(),
            status,
            view,
            mutating,
            terminal,
            elapsed: self.elapsed(),
        };
        self.engine.observer.call_changed(&self.id, update);
    }

    /// Tells how the call ended. Nothing is told of it afterwards.
    pub(crate) fn tell_end(&self, status: CallStatus, view: View) {
        self.tell(status, view);
        self.over.store(true, Ordering::Release);
    }

    /// Tells how the call is, as its tool presents it.
    pub(crate) fn tell_stage(&self, status: CallStatus, stage: ErasedStage<'_>) {
        let view = present(self, stage);
        self.tell(status, view);
    }

    /// The end of a call that must not run.
    pub(crate) fn denied(&self, denial: Denial) -> Ending {
        self.trace.decided(denial.summary(), denial.matched.clone());
        Ending::Denied(denial)
    }

    /// The reason, where the call is cancelled.
    pub(crate) fn check_cancelled(&self) -> Result<(), Ending> {
        self.context
            .cancellation
            .reason()
            .map_or(Ok(()), |reason| Err(Ending::Cancelled(reason)))
    }

    /// Waits for something that is dropped at once when the call is cancelled.
    pub(crate) async fn unless_cancelled<T>(
        &self,
        future: impl Future<Output = T>,
    ) -> Result<T, Ending> {
        let result = {
            let future = std::pin::pin!(future);
            let cancelled = std::pin::pin!(self.context.cancellation.cancelled());
            match select(cancelled, future).await {
                Either::Left(_) => None,
                Either::Right((result, _)) => Some(result),
            }
        };
        match result {
            Some(result) => Ok(result),
            None => Err(Ending::Cancelled(
                self.context
                    .cancellation
                    .reason()
                    .unwrap_or(CancelReason::Stopped),
            )),
        }
    }
}

/// The beginning of a command, on one line.
fn shorten(command: &str) -> String {
    const MOST: usize = 40;
    let line: Vec<&str> = command.split_whitespace().collect();
    let line = line.join(" ");
    match line.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

/// What the rules of the moment keep from being read. Nothing is asked of them before the
/// first file is looked at.
fn withheld(engine: &Engine) -> Withheld {
    let permissions = Arc::clone(&engine.permissions);
    let snapshot = OnceLock::new();
    Withheld::new(move |path| {
        let snapshot = snapshot.get_or_init(|| permissions.snapshot());
        snapshot
            .rules
            .denies_reading(path, None, &snapshot.workspace)
            .is_some()
    })
}
