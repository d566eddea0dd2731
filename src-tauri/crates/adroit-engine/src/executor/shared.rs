//! What the executor and the calls' tasks do to the state that they share.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use adroit_protocol::event::CallStatus;
use adroit_protocol::settings::BashErrorCascade;
use adroit_tool::{CancelReason, Cancellation, Cascade, ErasedStage, InterruptBehavior};
use tokio::sync::Notify;
use tokio::time::Instant;

use super::state::{Slot, State, Step, Waiting};
use super::{DiscardReport, DiscardedCall};
use crate::engine::{Engine, ToolResult};
use crate::pipeline::{self, Call, Ending, Lane, Parsed, Prepared};

pub(super) struct Shared {
    engine: Arc<Engine>,
    cancellation: Cancellation,
    state: Mutex<State>,
    lane: Lane,
    changed: Notify,
    /// When calls are given up that neither end nor let themselves be dropped.
    give_up_at: OnceLock<Instant>,
}

/// How long after its grace a call is given up that cannot be dropped, because it blocks
/// the thread that it runs on.
const PATIENCE: Duration = Duration::from_secs(1);

impl Shared {
    pub(super) fn new(engine: Arc<Engine>, cancellation: Cancellation) -> Self {
        let state = State::new(engine.execution.max_concurrency);
        Self {
            engine,
            cancellation,
            state: Mutex::new(state),
            lane: Lane::default(),
            changed: Notify::new(),
            give_up_at: OnceLock::new(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn engine(&self) -> &Arc<Engine> {
        &self.engine
    }

    pub(super) fn lane(&self) -> Lane {
        Arc::clone(&self.lane)
    }

    pub(super) fn cancellation(&self) -> &Cancellation {
        &self.cancellation
    }

    /// Waits until something may have changed. Once everything is cancelled, it waits so
    /// long only: then what still runs is given up.
    pub(super) async fn changed(&self) {
        tokio::select! {
            () = self.changed.notified() => {}
            () = self.overdue() => self.give_up(),
        }
    }

    async fn overdue(&self) {
        self.cancellation.cancelled().await;
        let patience = self.engine.execution.grace + PATIENCE;
        let at = *self.give_up_at.get_or_init(|| Instant::now() + patience);
        tokio::time::sleep_until(at).await;
    }

    /// Gives the cancelled calls their results though their tasks are stuck. What their
    /// tasks say later is passed over.
    fn give_up(&self) {
        let stuck: Vec<(usize, Arc<Call>)> = {
            let state = self.lock();
            let running = |(index, slot): (usize, &Slot)| Some((index, slot.running.clone()?));
            state.slots.iter().enumerate().filter_map(running).collect()
        };
        for (index, call) in stuck {
            tracing::error!(
                tool = call.tool_name(),
                "a cancelled call blocks its thread and is given up"
            );
            let reason = call
                .context
                .cancellation
                .reason()
                .unwrap_or(CancelReason::Stopped);
            let result = pipeline::end(&call, Ending::Cancelled(reason));
            self.store(index, &call, result);
        }
    }

    pub(super) fn admit(self: &Arc<Self>, prepared: Prepared) {
        let Prepared { call, parsed } = prepared;
        let tool = call.tool().map(|tool| tool.tool());
        let shell = tool.is_some_and(|tool| tool.cascade() == Cascade::Shell);
        let gives_way =
            tool.is_some_and(|tool| tool.interrupt_behavior() == InterruptBehavior::Cancel);
        let cancellation = call.context.cancellation.clone();
        let speculation = call.speculation();
        if parsed.is_ok() && speculation.is_none() {
            tell_queued(&call);
        }
        let mut state = self.lock();
        let index = state.schedule.add(call.is_safe());
        state.slots.push(Slot::new(cancellation, gives_way, shell));
        let parsed = parsed.and_then(|parsed| match state.reason_against(shell, gives_way) {
            Some(reason) => Err(Ending::Cancelled(reason)),
            None => Ok(parsed),
        });
        match parsed {
            Ok(parsed) => {
                state.slots[index].waiting = Some(Box::new(Waiting { call, parsed }));
                drop(state);
                if let Some(begun) = speculation {
                    let shared = Arc::clone(self);
                    tokio::spawn(async move {
                        begun.await;
                        shared.classified(index);
                    });
                }
            }
            Err(ending) => {
                drop(state);
                let result = pipeline::end(&call, ending);
                self.store(index, &call, result);
            }
        }
        self.advance();
    }

    /// What was begun ahead for a call is done. Until now it counted as unsafe, wherever it was;
    /// it may be under way already, alone.
    fn classified(self: &Arc<Self>, index: usize) {
        let (waiting, running) = {
            let mut state = self.lock();
            let slot = &mut state.slots[index];
            (slot.waiting.take(), slot.running.clone())
        };
        let safe = |call: &Call| {
            // A tool that goes down here goes down again where its call can say so.
            catch_unwind(AssertUnwindSafe(|| call.classify())).is_ok() && call.is_safe()
        };
        if let Some(waiting) = waiting {
            let is_safe = safe(&waiting.call);
            tell_queued(&waiting.call);
            let mut state = self.lock();
            state.schedule.reclassify(index, is_safe);
            state.put_back(index, waiting);
        } else if let Some(call) = running {
            let is_safe = safe(&call);
            self.lock().schedule.reclassify(index, is_safe);
        }
        self.advance();
    }

    /// Ends what cannot go on and starts what may start, until neither is left.
    fn advance(self: &Arc<Self>) {
        loop {
            let step = self.lock().next_step(&self.cancellation);
            match step {
                Step::Nothing => return,
                Step::End(ended) => {
                    for (index, waiting) in ended {
                        let call = waiting.call;
                        let reason = call
                            .context
                            .cancellation
                            .reason()
                            .unwrap_or(CancelReason::Stopped);
                        let result = pipeline::end(&call, Ending::Cancelled(reason));
                        self.store(index, &call, result);
                    }
                }
                Step::Classify(index, mut waiting) => {
                    waiting.call.refresh_directory();
                    let mut state = self.lock();
                    state.schedule.reclassify(index, waiting.call.is_safe());
                    state.slots[index].waiting = Some(waiting);
                }
                Step::Start(index, call, parsed) => {
                    let unfinished = Unfinished {
                        shared: Arc::clone(self),
                        index,
                        call: Some(call),
                    };
                    tokio::spawn(unfinished.run(parsed));
                }
            }
        }
    }

    /// Keeps the result of a call. A second one of the same call is dropped.
    fn store(&self, index: usize, call: &Call, result: ToolResult) {
        // Asked of the tool, so before the lock.
        let failed = self.cascades(call, &result).then(|| call.words());
        let mut state = self.lock();
        if !state.schedule.complete(index) {
            return;
        }
        if let Some(failed) = failed {
            state.cancel_later_shells(index, failed);
        }
        let slot = &mut state.slots[index];
        slot.running = None;
        slot.ran = call.has_run().then(|| DiscardedCall {
            call: result.call.clone(),
            tool: result.record.tool.clone(),
            status: result.status,
            mutating: !call.is_read_only(),
            view: result.view.clone(),
        });
        slot.result = Some(result);
        drop(state);
        self.changed.notify_one();
    }

    /// Whether a failure cancels later shell calls. A denied call does not: the answer to
    /// one question is not the answer to the next.
    fn cascades(&self, call: &Call, result: &ToolResult) -> bool {
        let is_shell = call
            .tool()
            .is_some_and(|tool| tool.tool().cascade() == Cascade::Shell);
        let failed = is_shell && result.status == CallStatus::Failed;
        match self.engine.execution.cascade {
            // What never ran, or only reads, has changed nothing that others may miss.
            BashErrorCascade::Mutating => failed && call.has_run() && !call.is_read_only(),
            BashErrorCascade::Siblings => failed,
            BashErrorCascade::Off => false,
        }
    }

    /// `None` where the next result has yet to come, `Some(None)` where there is none to come.
    pub(super) fn take_next(&self) -> Option<Option<ToolResult>> {
        let mut state = self.lock();
        match state.schedule.yield_next() {
            Some(index) => state.slots[index].result.take().map(Some),
            None if state.schedule.is_drained() => Some(None),
            None => None,
        }
    }

    pub(super) fn interrupt(self: &Arc<Self>) {
        let mut state = self.lock();
        state.interrupt();
        drop(state);
        self.advance();
    }

    pub(super) fn stop(self: &Arc<Self>, reason: CancelReason) {
        self.cancellation.cancel(reason);
        self.advance();
    }

    pub(super) fn close(&self) {
        self.lock().schedule.close();
    }

    /// True where nothing runs.
    pub(super) fn is_idle(&self) -> bool {
        self.lock().schedule.executing() == 0
    }

    pub(super) fn report(&self) -> DiscardReport {
        DiscardReport {
            ran: self
                .lock()
                .slots
                .iter_mut()
                .filter_map(|slot| slot.ran.take())
                .collect(),
        }
    }
}

fn tell_queued(call: &Call) {
    if let Some(input) = call.input() {
        call.tell_stage(CallStatus::Queued, ErasedStage::Queued { input: &input });
    }
}

/// A call that runs. However its task ends, dropped with the runtime included, the call
/// has its result and the next ones start.
struct Unfinished {
    shared: Arc<Shared>,
    index: usize,
    call: Option<Arc<Call>>,
}

impl Unfinished {
    async fn run(mut self, parsed: Parsed) {
        let Some(call) = &self.call else { return };
        let result = pipeline::run_to_end(call, Ok(parsed)).await;
        if let Some(call) = self.call.take() {
            self.shared.store(self.index, &call, result);
            self.shared.advance();
        }
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        if let Some(call) = self.call.take() {
            let result = pipeline::end(&call, Ending::Cancelled(CancelReason::Shutdown));
            // Nothing is started from here: there may be no runtime any more.
            self.shared.store(self.index, &call, result);
        }
    }
}
