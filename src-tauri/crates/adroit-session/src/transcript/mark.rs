//! Places in a conversation.

use adroit_protocol::message::{Content, Message};

/// A place in a conversation: what is before it. Places are ordered as they follow each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// Messages before it, the last of them perhaps in part.
    messages: usize,
    /// Blocks of the last of them: what follows may have joined one of the same speaker.
    blocks: usize,
}

impl Place {
    /// The present end of a conversation.
    #[must_use]
    pub fn end_of(conversation: &[Message]) -> Self {
        Self::before(conversation, conversation.len())
    }

    /// The place before a message.
    #[must_use]
    pub fn before(conversation: &[Message], index: usize) -> Self {
        let last = index.checked_sub(1).and_then(|last| conversation.get(last));
        Self {
            messages: index,
            blocks: last.map_or(0, |message| message.content.len()),
        }
    }

    /// Takes away what comes after it.
    pub fn cut(self, conversation: &mut Vec<Message>) {
        conversation.truncate(self.messages);
        if let Some(last) = conversation.last_mut() {
            last.content.truncate(self.blocks);
        }
    }

    /// What comes after it.
    #[must_use]
    pub fn after(self, conversation: &[Message]) -> Vec<Message> {
        let joined = self.messages.checked_sub(1).and_then(|last| {
            let message = conversation.get(last)?;
            let content: Vec<Content> = message.content.get(self.blocks..)?.to_vec();
            (!content.is_empty()).then_some(Message {
                role: message.role,
                content,
            })
        });
        let rest = conversation.get(self.messages..).unwrap_or_default();
        joined.into_iter().chain(rest.iter().cloned()).collect()
    }
}

/// A place in the conversation to which one can go back.
#[derive(Clone, Debug, PartialEq)]
pub struct Mark {
    /// The turn that the message began, from 1.
    pub turn: u32,
    /// How the conversation was before it.
    pub place: Place,
    /// What the model was to be told with it.
    pub notes: Vec<String>,
}

impl Mark {
    /// The present end of a conversation.
    #[must_use]
    pub fn of(turn: u32, conversation: &[Message], notes: Vec<String>) -> Self {
        Self {
            turn,
            place: Place::end_of(conversation),
            notes,
        }
    }
}
