//! The fallback without streaming: the calls of a finished message in batches.

use std::collections::VecDeque;
use std::sync::Arc;

use adroit_protocol::message::ToolCall;
use adroit_tool::{CancelReason, Cancellation};

use crate::engine::{Engine, ToolResult};
use crate::executor::Executor;
use crate::pipeline::Prepared;

/// Runs the calls of a message that is complete: consecutive safe ones form one parallel
/// batch, each unsafe one is a batch of its own, and a batch begins when the one before
/// it is over. Results, cascade and cancellation are those of the [`Executor`].
#[must_use]
pub fn batches(engine: &Arc<Engine>, calls: Vec<ToolCall>, cancellation: Cancellation) -> Batches {
    Batches {
        executor: engine.executor(cancellation),
        waiting: calls.into(),
        held_back: None,
    }
}

/// The calls of one message, batch by batch.
pub struct Batches {
    executor: Executor,
    waiting: VecDeque<ToolCall>,
    /// The first call of the next batch.
    held_back: Option<Prepared>,
}

impl Batches {
    /// The next result in the order of the calls; `None` when all are out.
    pub async fn next(&mut self) -> Option<ToolResult> {
        if let Some(result) = self.executor.next().await {
            return Some(result);
        }
        self.begin_batch().await;
        self.executor.next().await
    }

    /// As [`Executor::interrupt`].
    pub fn interrupt(&self) {
        self.executor.interrupt();
    }

    /// As [`Executor::stop`].
    pub fn stop(&self, reason: CancelReason) {
        self.executor.stop(reason);
    }

    /// Begins the next batch. The calls of it are classified now, after all of the batch
    /// before took effect.
    async fn begin_batch(&mut self) {
        let Some(first) = self.next_prepared().await else {
            return;
        };
        let first_is_safe = first.call.is_safe();
        self.executor.admit(first);
        if !first_is_safe {
            return;
        }
        while let Some(next) = self.next_prepared().await {
            if next.call.is_safe() {
                self.executor.admit(next);
            } else {
                self.held_back = Some(next);
                return;
            }
        }
    }

    /// Not to be dropped half-way without a loss, so it holds nothing while it waits.
    async fn next_prepared(&mut self) -> Option<Prepared> {
        if self.held_back.is_none() {
            let call = self.waiting.pop_front()?;
            self.held_back = Some(self.executor.prepare(call));
        }
        if let Some(held_back) = &self.held_back {
            held_back.call.classified().await;
        }
        self.held_back.take()
    }
}
