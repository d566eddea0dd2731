//! What a command changes after its call returned: looked at when it ends, and at each end of a
//! turn while it runs. It belongs to the call, and is taken back with it.

use std::sync::{Arc, OnceLock, PoisonError, Weak};

use adroit_checkpoints::{History, Open, Step, StoreError};
use adroit_protocol::CallId;
use adroit_protocol::changes::CallChanges;

use super::{Checkpointing, off_thread, telling};
use crate::clock::now_ms;
use crate::state::SessionState;

impl Checkpointing {
    /// Looks at what calls changed of which something still runs, or ran until now. Gives those
    /// that changed something more.
    fn look_at_going_on(&self, only_ended: bool) -> Vec<(CallId, CallChanges)> {
        // Held all the time: two looks at once would both begin the step that follows.
        let mut going_on = self.going_on.lock().unwrap_or_else(PoisonError::into_inner);
        let calls: Vec<CallId> = going_on.keys().cloned().collect();
        let mut changed = Vec::new();
        for call in calls {
            let runs = self.tasks.goes_on(&call);
            if runs && only_ended {
                continue;
            }
            let (Some(open), Ok(history)) = (going_on.remove(&call), self.history()) else {
                continue;
            };
            let ended = end(history, open, runs).map(|(step, next)| {
                going_on.extend(next.map(|next| (call.clone(), next)));
                step
            });
            match ended {
                Ok(step) if step.files.is_empty() && step.notes.is_empty() => {}
                Ok(step) => {
                    let described = self.described(history, &call, &step);
                    changed.extend(described.map(|changes| (call, changes)));
                }
                Err(error) => {
                    tracing::error!(%error, "what a task changed could not be kept");
                }
            }
        }
        drop(going_on);
        let mut all = self.changes.lock().unwrap_or_else(PoisonError::into_inner);
        all.extend(changed.iter().cloned());
        changed
    }

    fn nothing_goes_on(&self) -> bool {
        self.going_on
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .is_empty()
    }
}

fn end(history: &History, open: Open, goes_on: bool) -> Result<(Step, Option<Open>), StoreError> {
    if goes_on {
        history.end_and_go_on(open, now_ms())
    } else {
        history.end(open).map(|step| (step, None))
    }
}

/// Looks at what goes on after calls, and shows what is new on their rows.
pub(crate) async fn look(kept: &Arc<Checkpointing>, state: &SessionState, only_ended: bool) {
    let looking = Arc::clone(kept);
    let looked = off_thread(move || {
        if looking.nothing_goes_on() {
            return Vec::new();
        }
        looking.look_at_going_on(only_ended)
    });
    match looked.await {
        Ok(changed) => {
            for (call, changes) in changed {
                telling::show_changes(state, &call, &changes);
            }
        }
        Err(fault) => tracing::error!(%fault, "the look at what tasks changed ended unexpectedly"),
    }
}

/// Who looks when a task ended. Empty until the session stands.
#[derive(Default)]
pub(crate) struct Follower(OnceLock<(Weak<Checkpointing>, Weak<SessionState>)>);

impl Follower {
    /// From now on this one looks.
    pub(crate) fn begin(&self, kept: &Arc<Checkpointing>, state: &Arc<SessionState>) {
        let _ = self.0.set((Arc::downgrade(kept), Arc::downgrade(state)));
    }

    /// A task came or ended. Does not wait.
    pub(crate) fn tasks_changed(&self) {
        let both = self.0.get();
        let both = both.and_then(|(kept, state)| Some((kept.upgrade()?, state.upgrade()?)));
        if let (Some((kept, state)), Ok(runtime)) = (both, tokio::runtime::Handle::try_current()) {
            runtime.spawn(async move { look(&kept, &state, true).await });
        }
    }
}

impl crate::Session {
    /// At the end of a turn: what goes on is looked at although it has not ended.
    pub(crate) async fn look_at_tasks(&self) {
        look(&self.checkpointing, &self.state, false).await;
    }
}
