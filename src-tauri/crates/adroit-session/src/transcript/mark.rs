//! How the conversation was before a message of the person.

use adroit_protocol::message::Message;

/// A place in the conversation to which one can go back.
#[derive(Clone, Debug, PartialEq)]
pub struct Mark {
    /// The turn that the message began, from 1.
    pub turn: u32,
    /// Messages before it.
    messages: usize,
    /// Blocks of the last of them: the message may have joined one of the same speaker.
    blocks: usize,
    /// What the model was to be told with it.
    pub notes: Vec<String>,
}

impl Mark {
    /// The present end of a conversation.
    #[must_use]
    pub fn of(turn: u32, conversation: &[Message], notes: Vec<String>) -> Self {
        Self {
            turn,
            messages: conversation.len(),
            blocks: conversation.last().map_or(0, |last| last.content.len()),
            notes,
        }
    }

    /// Takes away what came after it.
    pub fn cut(&self, conversation: &mut Vec<Message>) {
        conversation.truncate(self.messages);
        if let Some(last) = conversation.last_mut() {
            last.content.truncate(self.blocks);
        }
    }
}
