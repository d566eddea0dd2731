//! The streaming executor: calls start while the stream goes on, results leave in order.
//!
//! The rules are in [`crate::Schedule`]; this is what binds them to tasks, cancellation
//! and one consumer. All state is behind one lock that is never held across an await,
//! nor while anything of a tool or an observer runs.

mod shared;
mod state;

use std::sync::Arc;

use adroit_protocol::CallId;
use adroit_protocol::event::CallStatus;
use adroit_protocol::message::ToolCall;
use adroit_protocol::view::View;
use adroit_tool::{CancelReason, Cancellation};

use crate::engine::{Engine, ToolResult};
use crate::pipeline::{self, Prepared};
use shared::Shared;

/// Runs the calls of one message. Dropping it cancels what still runs.
pub struct Executor {
    shared: Arc<Shared>,
}

/// What a discarded attempt had done.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DiscardReport {
    /// The calls whose tool was called, in order. Others left no trace.
    pub ran: Vec<DiscardedCall>,
}

/// A call of a discarded attempt whose tool was called.
#[derive(Clone, Debug, PartialEq)]
pub struct DiscardedCall {
    /// Which call.
    pub call: CallId,
    /// The tool.
    pub tool: String,
    /// How it ended.
    pub status: CallStatus,
    /// It may have changed something.
    pub mutating: bool,
    /// How it looks.
    pub view: View,
}

impl Executor {
    pub(crate) fn new(engine: Arc<Engine>, cancellation: &Cancellation) -> Self {
        Self {
            shared: Arc::new(Shared::new(engine, cancellation.child())),
        }
    }

    /// Takes a call and starts it at once where its turn has come. Must be called on a
    /// tokio runtime.
    pub fn add(&mut self, call: ToolCall) {
        let prepared = self.prepare(call);
        self.admit(prepared);
    }

    pub(crate) fn prepare(&self, call: ToolCall) -> Prepared {
        pipeline::prepare(
            self.shared.engine(),
            call,
            self.shared.cancellation().child(),
            self.shared.lane(),
        )
    }

    pub(crate) fn admit(&mut self, prepared: Prepared) {
        self.shared.admit(prepared);
    }

    /// The next result in the order of the calls; waits for it. `None` when the results
    /// of all calls that were added so far are out. Dropping the future loses nothing.
    pub async fn next(&mut self) -> Option<ToolResult> {
        loop {
            // A notification between the look and the wait is kept: there is one
            // consumer, and `notify_one` stores a permit for it.
            match self.shared.take_next() {
                Some(next) => return next,
                None => self.shared.changed().await,
            }
        }
    }

    /// All results whose turn has come, without waiting.
    pub fn poll_completed(&mut self) -> Vec<ToolResult> {
        std::iter::from_fn(|| self.shared.take_next().flatten()).collect()
    }

    /// The person said something new: cancels the calls, present and to come, whose tool
    /// says that it gives way to that. The others finish.
    pub fn interrupt(&self) {
        self.shared.interrupt();
    }

    /// Cancels all calls. Each still has its result.
    pub fn stop(&self, reason: CancelReason) {
        self.shared.stop(reason);
    }

    /// Drops everything of a failed attempt of the stream. Nothing starts any more; what
    /// runs is cancelled and waited for, and what had run is reported.
    pub async fn discard(self) -> DiscardReport {
        self.shared.close();
        self.shared.stop(CancelReason::StreamDiscarded);
        while !self.shared.is_idle() {
            self.shared.changed().await;
        }
        self.shared.report()
    }
}

impl Drop for Executor {
    fn drop(&mut self) {
        self.shared.close();
        self.shared.stop(CancelReason::Stopped);
    }
}
