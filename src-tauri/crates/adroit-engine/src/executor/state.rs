//! The state of the calls of one message: the schedule and what belongs to each call.

use std::sync::Arc;

use adroit_tool::{CancelReason, Cancellation};

use super::DiscardedCall;
use crate::engine::ToolResult;
use crate::pipeline::{Call, Parsed};
use crate::schedule::{CallState, Schedule};

/// The state of all calls of one message.
pub(super) struct State {
    pub(super) schedule: Schedule,
    pub(super) slots: Vec<Slot>,
    interrupted: bool,
    /// Something was cancelled: calls that wait have to be looked through.
    sweep: bool,
    /// The failed call, in words, that later shell calls may have depended on.
    failed_shell: Option<String>,
}

/// One call.
pub(super) struct Slot {
    cancellation: Cancellation,
    gives_way: bool,
    shell: bool,
    /// While it waits, unless it is being classified anew.
    pub(super) waiting: Option<Box<Waiting>>,
    /// While it runs.
    pub(super) running: Option<Arc<Call>>,
    /// From its end until it is given out.
    pub(super) result: Option<ToolResult>,
    /// From its end on, where its tool was called.
    pub(super) ran: Option<DiscardedCall>,
}

/// A call that waits for its turn.
pub(super) struct Waiting {
    pub(super) call: Call,
    pub(super) parsed: Parsed,
}

/// What is to be done next, outside of the lock.
pub(super) enum Step {
    Nothing,
    /// These were cancelled while they waited.
    End(Vec<(usize, Box<Waiting>)>),
    /// The agent went elsewhere while this one waited: whether it may run beside others
    /// is asked again, since a command that is safe in one folder may not be in another.
    Classify(usize, Box<Waiting>),
    Start(usize, Arc<Call>, Parsed),
}

impl Slot {
    pub(super) fn new(cancellation: Cancellation, gives_way: bool, shell: bool) -> Self {
        Self {
            cancellation,
            gives_way,
            shell,
            waiting: None,
            running: None,
            result: None,
            ran: None,
        }
    }
}

impl State {
    pub(super) fn new(cap: usize) -> Self {
        Self {
            schedule: Schedule::new(cap),
            slots: Vec::new(),
            interrupted: false,
            sweep: false,
            failed_shell: None,
        }
    }

    /// Cancels what gives way to a new message, now and later.
    pub(super) fn interrupt(&mut self) {
        self.interrupted = true;
        self.cancel(|_, slot| slot.gives_way, &CancelReason::Interrupted);
    }

    /// Why a call that comes now does not run.
    pub(super) fn reason_against(&self, shell: bool, gives_way: bool) -> Option<CancelReason> {
        match &self.failed_shell {
            Some(failed) if shell => Some(CancelReason::SiblingFailed {
                failed: failed.clone(),
            }),
            _ if gives_way && self.interrupted => Some(CancelReason::Interrupted),
            _ => None,
        }
    }

    /// A call that was being classified waits again. It may have been cancelled meanwhile.
    pub(super) fn put_back(&mut self, index: usize, waiting: Box<Waiting>) {
        self.slots[index].waiting = Some(waiting);
        self.sweep = true;
    }

    pub(super) fn next_step(&mut self, all: &Cancellation) -> Step {
        if self.sweep || all.is_cancelled() {
            self.sweep = false;
            let ended = self.take_cancelled();
            if !ended.is_empty() {
                return Step::End(ended);
            }
        }
        let Some(index) = self.schedule.startable() else {
            return Step::Nothing;
        };
        // Whoever classifies it anew goes on with it.
        let Some(waiting) = self.slots[index].waiting.take() else {
            return Step::Nothing;
        };
        if waiting.call.has_other_directory() {
            return Step::Classify(index, waiting);
        }
        self.schedule.start_next();
        let Waiting { call, parsed } = *waiting;
        let call = Arc::new(call);
        self.slots[index].running = Some(Arc::clone(&call));
        Step::Start(index, call, parsed)
    }

    fn take_cancelled(&mut self) -> Vec<(usize, Box<Waiting>)> {
        let Self {
            schedule, slots, ..
        } = self;
        schedule
            .queued()
            .filter_map(|index| {
                let slot = &mut slots[index];
                let waiting = if slot.cancellation.is_cancelled() {
                    slot.waiting.take()
                } else {
                    None
                };
                waiting.map(|waiting| (index, waiting))
            })
            .collect()
    }

    pub(super) fn cancel_later_shells(&mut self, index: usize, failed: String) {
        let reason = CancelReason::SiblingFailed {
            failed: failed.clone(),
        };
        self.cancel(|later, slot| later > index && slot.shell, &reason);
        self.failed_shell.get_or_insert(failed);
    }

    /// Cancels those of the unfinished calls that are meant.
    fn cancel(&mut self, is_meant: impl Fn(usize, &Slot) -> bool, reason: &CancelReason) {
        for (index, slot) in self.slots.iter().enumerate() {
            let unfinished = matches!(
                self.schedule.state(index),
                Some(CallState::Queued | CallState::Executing)
            );
            if unfinished && is_meant(index, slot) {
                slot.cancellation.cancel(reason.clone());
            }
        }
        self.sweep = true;
    }
}
