//! Shows in the row of the call that started an agent what the agent does.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use adroit_engine::{CallUpdate, Observer};
use adroit_protocol::view::SubCall;
use adroit_protocol::{CallId, SessionId};
use adroit_tool::{Progress, ProgressSender};
use adroit_tools::AgentReport;

/// Calls that are listed in the row; of more the newest.
const MOST: usize = 40;

/// Tells of one agent.
pub(super) struct Reporting {
    session: SessionId,
    title: String,
    progress: ProgressSender,
    inner: OnceLock<Arc<dyn Observer>>,
    calls: Mutex<Calls>,
}

#[derive(Default)]
struct Calls {
    newest: Vec<SubCall>,
    more: u32,
}

impl Reporting {
    pub(super) fn new(session: SessionId, title: String, progress: ProgressSender) -> Self {
        Self {
            session,
            title,
            progress,
            inner: OnceLock::new(),
            calls: Mutex::default(),
        }
    }

    /// Who shows the calls in the agent's own conversation.
    pub(super) fn shown_by(&self, observer: Arc<dyn Observer>) {
        let _ = self.inner.set(observer);
    }

    fn calls(&self) -> MutexGuard<'_, Calls> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What came of it.
    pub(super) fn report(&self, text: String, tokens: u64) -> AgentReport {
        let calls = self.calls();
        AgentReport {
            session: self.session.clone(),
            text,
            calls: calls.newest.clone(),
            more: calls.more,
            tokens,
        }
    }

    /// Tells how far it is.
    pub(super) fn tell(&self) {
        let block = self.report(String::new(), 0).block(&self.title);
        self.progress.send(Progress {
            sub_session: Some(block),
            ..Progress::default()
        });
    }
}

impl Observer for Reporting {
    fn call_changed(&self, call: &CallId, update: CallUpdate) {
        let told = SubCall {
            call: call.clone(),
            title: update.view.title.clone(),
            status: update.status,
            activity: update.view.activity.clone(),
            summary: update.view.summary.clone(),
        };
        if let Some(inner) = self.inner.get() {
            inner.call_changed(call, update);
        }
        let mut calls = self.calls();
        let known = calls.newest.iter_mut().find(|known| known.call == *call);
        let changed = match known {
            Some(known) if *known == told => false,
            Some(known) => {
                *known = told;
                true
            }
            None => {
                calls.newest.push(told);
                if calls.newest.len() > MOST {
                    calls.newest.remove(0);
                    calls.more += 1;
                }
                true
            }
        };
        drop(calls);
        if changed {
            self.tell();
        }
    }
}
