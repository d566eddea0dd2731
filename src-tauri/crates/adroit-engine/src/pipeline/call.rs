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
    CallContext, CancelReason, Cancellation, ErasedStage, NothingKept, ParsedInput, ProgressSender,
    ToolFailure,
};
use futures::FutureExt as _;
use futures::future::{BoxFuture, Either, Shared, select};
use serde_json::Value;
use tokio::sync::{RwLockReadGuard, RwLockWriteGuard};

use super::present::present;
use super::reading::withheld;
use super::stage_02_resolve::InputSource;
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
    /// Held while the tool runs: shared by calls that may run beside others, else alone.
    lane: Lane,
}

/// What the calls of one message run in. The schedule lets them start; this holds for inputs
/// that changed since.
pub(crate) type Lane = Arc<tokio::sync::RwLock<()>>;

/// The right to run now.
pub(crate) enum Turn<'a> {
    /// Beside others.
    Beside { _held: RwLockReadGuard<'a, ()> },
    /// Alone.
    Alone { _held: RwLockWriteGuard<'a, ()> },
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
    /// What the tool says of that input, once it was asked.
    class: Option<Class>,
    /// What classifying that input will need, while it is under way.
    speculation: Option<Speculated>,
    /// Who answered the call's question, where it is one.
    answered_by: Option<InputSource>,
    terminal: Option<TerminalId>,
}

/// What decides how a call runs beside others. Nothing of it is assumed before it is known.
#[derive(Clone, Copy, Default)]
struct Class {
    read_only: bool,
    safe: bool,
}

/// Ends when the work that was begun ahead is done, well or not.
pub(crate) type Speculated = Shared<BoxFuture<'static, ()>>;

impl Call {
    /// The call beside its stages, and what goes into the first of them.
    pub(crate) fn new(
        engine: &Arc<Engine>,
        call: ToolCall,
        cancellation: Cancellation,
        lane: Lane,
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
            originals: Arc::new(NothingKept),
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
            lane,
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

    /// Begins what classifying an input will need, on a thread of its own. What was begun for an
    /// earlier input is left alone: nobody asks for it any more.
    pub(crate) fn speculate(&self, tool: &PoolTool, input: &Value) {
        let work = tool.tool().speculate(input, &self.context);
        // Without a runtime (a test of the schedule) it is done when it is asked for.
        let runtime = tokio::runtime::Handle::try_current();
        let speculation = work.zip(runtime.ok()).map(|(work, runtime)| {
            // What goes wrong in there goes wrong again where it is asked for.
            let begun = runtime.spawn_blocking(work).map(drop);
            begun.boxed().shared()
        });
        self.known().speculation = speculation;
    }

    /// What was begun ahead and is not done yet.
    pub(crate) fn speculation(&self) -> Option<Speculated> {
        self.known().speculation.clone()
    }

    /// Keeps an input. What was said of an input that the tool takes for the same is not asked
    /// again: a hook that rewrites a description must not cost a second analysis of the command.
    pub(crate) fn set_input(&self, tool: &PoolTool, input: &ParsedInput) {
        let class = {
            let known = self.known();
            let same = |before: &ParsedInput| tool.tool().inputs_equivalent(before, input);
            let equivalent = known.input.as_ref().is_some_and(same);
            known.class.filter(|_| equivalent)
        };
        let mut known = self.known();
        known.input = Some(input.clone());
        known.class = class;
        let classify_now = class.is_none() && known.speculation.is_none();
        drop(known);
        if classify_now {
            self.classify();
        }
    }

    /// The input that was kept last answers the call's question. What the person answered stays
    /// theirs: a hook that changes it afterwards does not answer in their place.
    pub(super) fn answered(&self, by: InputSource) {
        let mut known = self.known();
        if known.answered_by != Some(InputSource::Person) {
            known.answered_by = Some(by);
        }
    }

    /// Whether a hook, and no person, has answered the call's question.
    pub(super) fn is_answered_by_hook(&self) -> bool {
        self.known().answered_by == Some(InputSource::Hook)
    }

    /// Asks the tool what its input is, where that was not done yet. Waits for what was begun
    /// ahead, so not for a task that others wait for: see [`Self::classified`].
    pub(crate) fn classify(&self) {
        let (Some(tool), Some(input)) = (self.tool(), self.input()) else {
            return;
        };
        if self.known().class.is_some() {
            return;
        }
        let class = Class {
            read_only: tool.tool().is_read_only(&input, &self.context),
            safe: tool.tool().is_concurrency_safe(&input, &self.context),
        };
        let mut known = self.known();
        // It was said of this input and of no other.
        let same = |now: &ParsedInput| Arc::ptr_eq(now.value(), input.value());
        if known.input.as_ref().is_some_and(same) {
            known.class = Some(class);
            known.speculation = None;
        }
    }

    /// The same once what was begun ahead is done.
    pub(crate) async fn classified(&self) {
        if let Some(begun) = self.speculation() {
            begun.await;
        }
        self.classify();
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

    /// Whether it changes nothing. What is not known yet may change something.
    pub(crate) fn is_read_only(&self) -> bool {
        self.known().class.is_some_and(|class| class.read_only)
    }

    /// Whether it may run beside others. A call that has no input will not run at all.
    pub(crate) fn is_safe(&self) -> bool {
        let known = self.known();
        known.input.is_none() || known.class.is_some_and(|class| class.safe)
    }

    /// Waits until the call may run: alone, where it may not run beside others. The schedule saw
    /// to that by the input that was sent; a hook or the person may have made another of it.
    pub(crate) async fn turn(&self) -> Turn<'_> {
        if self.is_safe() {
            let _held = self.lane.read().await;
            Turn::Beside { _held }
        } else {
            let _held = self.lane.write().await;
            Turn::Alone { _held }
        }
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
        // In another folder the same words mean something else.
        let mut known = self.known();
        known.class = None;
        known.speculation = None;
        drop(known);
        self.classify();
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
                known.input.is_some() && !known.class.is_some_and(|class| class.read_only),
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
