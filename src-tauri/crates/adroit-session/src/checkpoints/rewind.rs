//! Going back in the conversation to before a message.
//!
//! Nothing is deleted: the transcript gets a line that says so, and goes on from there.

use std::sync::PoisonError;

use adroit_protocol::event::{ItemBody, SessionChange};

use super::undo::UndoError;
use crate::Session;
use crate::transcript::{EntryBody, Mark};

impl Session {
    /// Takes a turn's message and everything after it out of the conversation; gives the message
    /// back. Files stay as they are.
    ///
    /// # Errors
    /// The agent works, there is no such turn, or the transcript cannot be written.
    pub fn rewind(&self, turn: u32) -> Result<String, UndoError> {
        self.at_rest(|| self.rewind_now(turn))
            .ok_or(UndoError::Working)?
    }

    fn rewind_now(&self, turn: u32) -> Result<String, UndoError> {
        let mut marks = self.marks.lock().unwrap_or_else(PoisonError::into_inner);
        let index = marks
            .iter()
            .position(|mark| mark.turn == turn)
            .ok_or(UndoError::NoSuchTurn { turn })?;
        self.transcript
            .append(EntryBody::Rewound { turn })
            .map_err(|error| UndoError::Transcript {
                reason: error.to_string(),
            })?;
        let mark = marks.split_off(index).swap_remove(0);
        drop(marks);
        self.context().rewind(&mark);
        let mut untold = self.untold.lock().unwrap_or_else(PoisonError::into_inner);
        untold.splice(0..0, mark.notes.clone());
        drop(untold);
        let (removed, text) = self.state.read(|snapshot| {
            let from = snapshot.items.iter().position(
                |item| matches!(&item.body, ItemBody::User { turn: found, .. } if *found == Some(turn)),
            );
            let items = from.map_or(&[][..], |from| &snapshot.items[from..]);
            let text = items.first().and_then(|item| match &item.body {
                ItemBody::User { text, .. } => Some(text.clone()),
                _ => None,
            });
            let removed = items.iter().map(|item| item.id.clone()).collect();
            (removed, text.unwrap_or_default())
        });
        self.state
            .change(SessionChange::ItemsRemoved { items: removed });
        Ok(text)
    }

    /// Notes how the conversation is before a turn's message.
    pub(crate) fn mark_turn(&self, turn: u32) {
        let notes = self
            .untold
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        let mark = Mark::of(turn, self.context().messages(), notes);
        self.marks
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(mark);
    }
}
