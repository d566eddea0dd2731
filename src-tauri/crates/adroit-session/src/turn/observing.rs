//! Shows how calls go: the engine's updates become entries of the transcript view.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use adroit_engine::{CallUpdate, Observer};
use adroit_protocol::event::{CallItem, CallStatus, ItemBody, SessionChange, Turn};
use adroit_protocol::view::View;
use adroit_protocol::{CallId, ItemId};

use crate::checkpoints::Checkpointing;
use crate::clock::now_ms;
use crate::state::SessionState;

/// The calls that are shown now, with their entries.
pub(crate) struct Observing {
    state: Arc<SessionState>,
    checkpointing: Arc<Checkpointing>,
    shown: Mutex<HashMap<CallId, Shown>>,
}

#[derive(Clone)]
struct Shown {
    item: ItemId,
    started_at: Option<u64>,
    mutating: bool,
    status: CallStatus,
    activity: Option<String>,
}

impl Observing {
    pub(crate) fn new(state: Arc<SessionState>, checkpointing: Arc<Checkpointing>) -> Self {
        Self {
            state,
            checkpointing,
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
        let (status, mutating) = (update.status, update.mutating);
        let activity = update.view.activity.clone();
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
                changes: self.checkpointing.changes_of(call),
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
                mutating,
                status,
                activity,
            },
        );
        self.tell_activity(&activity_of(&shown));
    }

    /// What the turn does now, in the row under the transcript.
    fn tell_activity(&self, activity: &str) {
        let turn = self.state.read(|snapshot| match &snapshot.turn {
            Turn::Running {
                since,
                activity: told,
            } if told != activity => Some(Turn::Running {
                since: *since,
                activity: activity.to_owned(),
            }),
            _ => None,
        });
        if let Some(turn) = turn {
            self.state.change(SessionChange::TurnChanged { turn });
        }
    }
}

/// A person who is waited for comes first; then what runs; else the model thinks.
fn activity_of(shown: &HashMap<CallId, Shown>) -> String {
    if shown
        .values()
        .any(|shown| shown.status == CallStatus::Waiting)
    {
        return "Waiting for your answer".to_owned();
    }
    let mut running: Vec<&str> = shown
        .values()
        .filter(|shown| shown.status == CallStatus::Running)
        .filter_map(|shown| shown.activity.as_deref())
        .collect();
    running.sort_unstable();
    match running.as_slice() {
        [] => "Thinking".to_owned(),
        [one] => (*one).to_owned(),
        [first, rest @ ..] => format!("{first} and {} more", rest.len()),
    }
}

impl Observer for Observing {
    fn call_changed(&self, call: &CallId, update: CallUpdate) {
        self.show(call, update);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(status: CallStatus, activity: &str) -> Shown {
        Shown {
            item: ItemId::generate(),
            started_at: None,
            mutating: false,
            status,
            activity: Some(activity.to_owned()),
        }
    }

    #[test]
    fn the_activity_names_what_is_waited_for() {
        let mut calls = HashMap::new();
        assert_eq!(activity_of(&calls), "Thinking");
        calls.insert(
            CallId::from("a"),
            shown(CallStatus::Running, "Reading a.rs"),
        );
        assert_eq!(activity_of(&calls), "Reading a.rs");
        calls.insert(
            CallId::from("b"),
            shown(CallStatus::Running, "Reading b.rs"),
        );
        assert_eq!(activity_of(&calls), "Reading a.rs and 1 more");
        calls.insert(
            CallId::from("c"),
            shown(CallStatus::Waiting, "Editing c.rs"),
        );
        assert_eq!(activity_of(&calls), "Waiting for your answer");
    }
}
