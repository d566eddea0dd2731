//! Shows how calls go: the engine's updates become entries of the transcript view.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use adroit_engine::{CallUpdate, Observer};
use adroit_protocol::event::{CallItem, CallStatus, ItemBody};
use adroit_protocol::view::View;
use adroit_protocol::{CallId, ItemId};

use crate::clock::now_ms;
use crate::state::SessionState;

/// The calls that are shown now, with their entries.
pub(crate) struct Observing {
    state: Arc<SessionState>,
    shown: Mutex<HashMap<CallId, Shown>>,
}

#[derive(Clone)]
struct Shown {
    item: ItemId,
    started_at: Option<u64>,
    mutating: bool,
}

impl Observing {
    pub(crate) fn new(state: Arc<SessionState>) -> Self {
        Self {
            state,
            shown: Mutex::default(),
        }
    }

    /// A call that the model begins to write, or writes on.
    pub(super) fn writing(&self, call: &CallId, tool: &str, view: View) {
        self.show(
            call,
            CallUpdate {
                tool: tool.to_owned(),
                status: CallStatus::Writing,
                view,
                mutating: false,
                terminal: None,
                elapsed: None,
            },
        );
    }

    /// The entry of a call.
    pub(super) fn item(&self, call: &CallId) -> Option<ItemId> {
        self.shown().get(call).map(|shown| shown.item.clone())
    }

    /// Whether a call may have changed something.
    pub(super) fn is_mutating(&self, call: &CallId) -> bool {
        self.shown().get(call).is_none_or(|shown| shown.mutating)
    }

    /// The turn is over: its calls change no more.
    pub(super) fn forget(&self) {
        self.shown().clear();
    }

    fn shown(&self) -> std::sync::MutexGuard<'_, HashMap<CallId, Shown>> {
        self.shown.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn show(&self, call: &CallId, update: CallUpdate) {
        let mut shown = self.shown();
        let known = shown.get(call).cloned();
        let started_at = known
            .as_ref()
            .and_then(|known| known.started_at)
            .or_else(|| (update.status == CallStatus::Running).then(now_ms));
        let body = ItemBody::Call {
            call: CallItem {
                call: call.clone(),
                tool: update.tool,
                status: update.status,
                view: update.view,
                mutating: update.mutating,
                started_at,
                elapsed_ms: update
                    .elapsed
                    .map(|elapsed| u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX)),
                terminal: update.terminal,
            },
        };
        // Under the lock, so that two updates of one call cannot change places.
        let item = match known {
            Some(known) => {
                self.state.replace_item(&known.item, body);
                known.item
            }
            None => self.state.add_item(body),
        };
        shown.insert(
            call.clone(),
            Shown {
                item,
                started_at,
                mutating: update.mutating,
            },
        );
    }
}

impl Observer for Observing {
    fn call_changed(&self, call: &CallId, update: CallUpdate) {
        self.show(call, update);
    }
}
