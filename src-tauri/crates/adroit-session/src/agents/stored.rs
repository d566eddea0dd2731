//! Agents of before: their conversations are read again from their files.

use std::sync::{Arc, PoisonError};

use adroit_protocol::event::SessionSnapshot;
use adroit_protocol::{CallId, SessionId};

use crate::Session;
use crate::transcript::{self, KnownCall};

impl Session {
    /// The conversation of an agent that this session, or an agent of it, has started; none where
    /// it has not.
    #[must_use]
    pub fn agent_snapshot(&self, id: &SessionId) -> Option<SessionSnapshot> {
        if let Some(child) = self.live_agent(id) {
            return Some(child.snapshot());
        }
        let path = transcript::path_of_agent(self.transcript.path(), id)?;
        let replayed = transcript::replay(transcript::read(&path).ok()?.entries);
        let mut snapshot = self.empty_snapshot(id, &replayed.title);
        snapshot.items = replayed.items;
        snapshot.usage = replayed.usage;
        Some(snapshot)
    }

    fn live_agent(&self, id: &SessionId) -> Option<Arc<Self>> {
        self.live_agents().into_iter().find_map(|child| {
            if child.id() == *id {
                Some(child)
            } else {
                child.live_agent(id)
            }
        })
    }

    fn live_agents(&self) -> Vec<Arc<Self>> {
        let agents = self.agents.lock().unwrap_or_else(PoisonError::into_inner);
        agents.values().cloned().collect()
    }

    /// What is known of a call of an agent.
    pub(crate) fn call_of_agent(&self, call: &CallId) -> Option<KnownCall> {
        let live = self.live_agents();
        if let Some(known) = live.iter().find_map(|child| child.call(call)) {
            return Some(known);
        }
        transcript::agents_of(self.transcript.path())
            .iter()
            .filter_map(|path| transcript::read(path).ok())
            .find_map(|read| transcript::replay(read.entries).calls.remove(call))
    }
}
