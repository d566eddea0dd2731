//! The state of one session as the UI sees it, and how changes make the next state.

use std::sync::{Arc, Mutex, PoisonError};

use adroit_protocol::event::{Event, Item, ItemBody, SessionChange, SessionSnapshot};
use adroit_protocol::{ItemId, SessionId};

/// Where events go. Sending never waits.
pub type Emit = Arc<dyn Fn(Event) + Send + Sync>;

/// The one holder of a session's visible state: it is changed here and nowhere else, and
/// every change leaves as an event with the next sequence number.
pub struct SessionState {
    snapshot: Mutex<SessionSnapshot>,
    emit: Emit,
}

impl SessionState {
    /// A state that begins here.
    #[must_use]
    pub fn new(snapshot: SessionSnapshot, emit: Emit) -> Self {
        Self {
            snapshot: Mutex::new(snapshot),
            emit,
        }
    }

    /// The present state.
    #[must_use]
    pub fn snapshot(&self) -> SessionSnapshot {
        self.read(Clone::clone)
    }

    /// Looks at the present state without copying it.
    pub fn read<T>(&self, look: impl FnOnce(&SessionSnapshot) -> T) -> T {
        look(&self.snapshot.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Makes the next state.
    pub fn change(&self, change: SessionChange) {
        let mut snapshot = self.snapshot.lock().unwrap_or_else(PoisonError::into_inner);
        snapshot.sequence += 1;
        let event = Event::Session {
            session: snapshot.session.clone(),
            sequence: snapshot.sequence,
            change: change.clone(),
        };
        apply(&mut snapshot, change);
        // Sent while the lock is held, so that events leave in the order of their numbers.
        (self.emit)(event);
    }

    /// Changes what is not an event of its own: the name of the model.
    pub fn update(&self, edit: impl FnOnce(&mut SessionSnapshot)) {
        edit(&mut self.snapshot.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// An event that is not a change of the session.
    pub fn emit(&self, event: Event) {
        (self.emit)(event);
    }

    /// Whose state it is.
    #[must_use]
    pub fn session(&self) -> SessionId {
        self.read(|snapshot| snapshot.session.clone())
    }

    /// Adds an entry and gives its name back.
    pub fn add_item(&self, body: ItemBody) -> ItemId {
        let id = ItemId::generate();
        self.change(SessionChange::ItemAdded {
            item: Item {
                id: id.clone(),
                body,
            },
        });
        id
    }

    /// Replaces an entry.
    pub fn replace_item(&self, id: &ItemId, body: ItemBody) {
        self.change(SessionChange::ItemReplaced {
            item: Item {
                id: id.clone(),
                body,
            },
        });
    }
}

/// The state after a change. The UI's store does the same in TypeScript.
pub fn apply(snapshot: &mut SessionSnapshot, change: SessionChange) {
    match change {
        SessionChange::ItemAdded { item } => snapshot.items.push(item),
        SessionChange::TextAppended { item, text: added } => {
            // A streaming entry is near the end: look from there.
            if let Some(found) = snapshot
                .items
                .iter_mut()
                .rev()
                .find(|found| found.id == item)
                && let ItemBody::Assistant { text, .. } | ItemBody::Thinking { text, .. } =
                    &mut found.body
            {
                text.push_str(&added);
            }
        }
        SessionChange::ItemReplaced { item } => {
            if let Some(found) = snapshot
                .items
                .iter_mut()
                .rev()
                .find(|found| found.id == item.id)
            {
                *found = item;
            }
        }
        SessionChange::ItemsRemoved { items } => {
            snapshot.items.retain(|item| !items.contains(&item.id))
        }
        SessionChange::RequestOpened { request } => snapshot.requests.push(request),
        SessionChange::RequestClosed { request, .. } => {
            snapshot.requests.retain(|open| open.id != request)
        }
        SessionChange::ModeChanged { mode } => snapshot.mode = mode,
        SessionChange::TurnChanged { turn } => snapshot.turn = turn,
        SessionChange::QueueChanged { queue } => snapshot.queue = queue,
        SessionChange::UndosChanged { undos } => snapshot.undos = undos,
        SessionChange::UsageChanged { usage, turn_usage } => {
            snapshot.usage = usage;
            snapshot.turn_usage = turn_usage;
        }
        SessionChange::TitleChanged { title } => snapshot.title = title,
        SessionChange::ChangedFiles { paths } => snapshot.changed_files = paths,
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use adroit_protocol::event::Turn;
    use adroit_protocol::message::Usage;
    use adroit_protocol::permission::Mode;

    use super::*;

    pub(crate) fn empty_snapshot() -> SessionSnapshot {
        SessionSnapshot {
            session: SessionId::generate(),
            project: "/w/project".to_owned(),
            title: String::new(),
            sequence: 0,
            mode: Mode::Default,
            model: "offline".to_owned(),
            items: Vec::new(),
            requests: Vec::new(),
            queue: Vec::new(),
            undos: Vec::new(),
            turn: Turn::Idle,
            usage: Usage::default(),
            changed_files: Vec::new(),
            turn_usage: Usage::default(),
        }
    }

    #[test]
    fn replaying_the_events_on_an_old_snapshot_gives_the_new_one() {
        let events = Arc::new(Mutex::new(Vec::new()));
        let sink = Arc::clone(&events);
        let state = SessionState::new(
            empty_snapshot(),
            Arc::new(move |event| sink.lock().unwrap().push(event)),
        );
        let mut old = state.snapshot();
        let item = state.add_item(ItemBody::Assistant {
            text: "He".to_owned(),
            streaming: true,
        });
        state.change(SessionChange::TextAppended {
            item: item.clone(),
            text: "llo".to_owned(),
        });
        state.replace_item(
            &item,
            ItemBody::Assistant {
                text: "Hello.".to_owned(),
                streaming: false,
            },
        );
        let gone = state.add_item(ItemBody::User {
            text: "x".to_owned(),
            turn: None,
        });
        state.change(SessionChange::ItemsRemoved { items: vec![gone] });
        state.change(SessionChange::ModeChanged { mode: Mode::Plan });
        for event in events.lock().unwrap().drain(..) {
            let Event::Session {
                sequence, change, ..
            } = event
            else {
                continue;
            };
            assert_eq!(sequence, old.sequence + 1);
            old.sequence = sequence;
            apply(&mut old, change);
        }
        assert_eq!(old, state.snapshot());
    }
}
