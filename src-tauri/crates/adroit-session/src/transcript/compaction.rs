//! A conversation that was compacted: what is sent of it from then on.

use adroit_protocol::CallId;
use adroit_protocol::message::{Content, Message, Role};
use serde::{Deserialize, Serialize};

use super::mark::{Mark, Place};

/// From where on a compacted conversation is still sent whole. Named by what stands there, so that
/// a transcript means the same however it is replayed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "from", rename_all = "snake_case")]
pub enum Kept {
    /// From the person's message that began a turn.
    Turn {
        /// Which.
        turn: u32,
    },
    /// From the answer of the model that made a call.
    Call {
        /// Which.
        call: CallId,
    },
    /// Only what came after the compaction.
    Nothing,
}

impl Kept {
    /// Where it is in a conversation. What is not found is not sent: a tail that began in the
    /// middle of a call would be refused.
    #[must_use]
    pub fn place(&self, conversation: &[Message], marks: &[Mark]) -> Place {
        let found = match self {
            Self::Turn { turn } => marks
                .iter()
                .find(|mark| mark.turn == *turn)
                .map(|mark| mark.place),
            Self::Call { call } => conversation
                .iter()
                .rposition(|message| makes(message, call))
                .map(|index| Place::before(conversation, index)),
            Self::Nothing => None,
        };
        found.unwrap_or_else(|| Place::end_of(conversation))
    }
}

fn makes(message: &Message, call: &CallId) -> bool {
    message
        .content
        .iter()
        .any(|block| matches!(block, Content::ToolUse { id, .. } if id == call))
}

/// One compaction of a conversation that is itself kept whole.
#[derive(Clone, Debug, PartialEq)]
pub struct Compaction {
    /// How long the conversation was then. Going back to before it undoes the compaction.
    pub at: Place,
    /// From where on it is sent as it is.
    pub from: Place,
    /// The same by name.
    pub kept: Kept,
    /// What is sent for all that is before.
    pub summary: String,
    /// What the person last said, where that is before, too.
    pub said: Vec<String>,
}

/// Before a summary: tags, because the person did not say it.
const BEGIN: &str = "<system-summary>\nThe conversation so far was longer than fits. This is a summary of what is not here any more; \
     read files again where you need their text.\n\n";
const END: &str = "\n</system-summary>";

impl Compaction {
    /// What is sent of the conversation: the summary, then what the person last said, then the
    /// rest as it is.
    #[must_use]
    pub fn sent(&self, conversation: &[Message]) -> Vec<Message> {
        let texts = std::iter::once(format!("{BEGIN}{}{END}", self.summary))
            .chain(self.said.iter().cloned());
        let mut messages = vec![Message {
            role: Role::User,
            content: texts.map(|text| Content::Text { text }).collect(),
        }];
        for message in self.from.after(conversation) {
            match messages.last_mut() {
                Some(last) if last.role == message.role => last.content.extend(message.content),
                _ => messages.push(message),
            }
        }
        messages
    }
}
