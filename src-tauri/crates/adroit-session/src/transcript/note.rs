//! Lines of a transcript that nothing depends on.

use adroit_protocol::event::Event;
use adroit_protocol::view::Tone;

use super::{EntryBody, Transcript};
use crate::state::SessionState;

impl Transcript {
    /// Writes a line that nothing depends on; a failure is shown.
    pub(crate) fn note(&self, state: &SessionState, body: EntryBody) {
        if let Err(error) = self.append(body) {
            tracing::error!(%error, "a line of the transcript was lost");
            state.emit(Event::Notice {
                tone: Tone::Danger,
                text: error.to_string(),
                hint: Some(format!(
                    "What is shown here is not stored. {}",
                    error.hint()
                )),
            });
        }
    }
}
