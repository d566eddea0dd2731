//! The conversation of one agent as its model gets it, and how much of the model it fills.
//!
//! The whole of it is kept. A compaction is a view of it: what is sent is a summary and the
//! newest part. So going back to before a compaction brings everything back.

pub(crate) mod estimate;

use adroit_protocol::message::{Message, Usage};

use crate::transcript::{Compaction, Mark, Place};

/// A conversation.
#[derive(Debug, Default)]
pub(crate) struct Context {
    messages: Vec<Message>,
    compactions: Vec<Compaction>,
    measured: Option<Measured>,
}

/// What the model's server said of a request and its answer.
#[derive(Clone, Copy, Debug)]
struct Measured {
    /// Messages of the conversation when it was asked; the answer comes after them.
    messages: usize,
    /// Tokens of all that was asked and answered.
    tokens: u64,
}

impl Context {
    pub(crate) fn of(messages: Vec<Message>, compactions: Vec<Compaction>) -> Self {
        Self {
            messages,
            compactions,
            measured: None,
        }
    }

    /// All of it, what is not sent any more included.
    pub(crate) fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// Adds to it; two messages of one speaker in a row become one: providers refuse them.
    pub(crate) fn push(&mut self, message: Message) {
        match self.messages.last_mut() {
            Some(last) if last.role == message.role => last.content.extend(message.content),
            _ => self.messages.push(message),
        }
    }

    /// What the model gets.
    pub(crate) fn sent(&self) -> Vec<Message> {
        match self.compactions.last() {
            Some(compaction) => compaction.sent(&self.messages),
            None => self.messages.clone(),
        }
    }

    /// The compaction in force.
    pub(crate) fn compaction(&self) -> Option<&Compaction> {
        self.compactions.last()
    }

    /// From here on something shorter is sent.
    pub(crate) fn compact(&mut self, compaction: Compaction) {
        self.compactions.push(compaction);
        self.measured = None;
    }

    /// Goes back to a place of before.
    pub(crate) fn rewind(&mut self, mark: &Mark) {
        mark.place.cut(&mut self.messages);
        let end = Place::end_of(&self.messages);
        self.compactions.retain(|compaction| compaction.at <= end);
        self.measured = None;
    }

    /// The model was asked and has answered: what its server counted. The answer is pushed after
    /// this.
    pub(crate) fn measure(&mut self, usage: Usage) {
        self.measured = Some(Measured {
            messages: self.messages.len(),
            tokens: usage.input_tokens
                + usage.cache_read_tokens
                + usage.cache_write_tokens
                + usage.output_tokens,
        });
    }

    /// About how many tokens the next request has; `surroundings` tells those of the instructions
    /// and the tools. What a server counted is taken from there, and only what came since is
    /// estimated.
    pub(crate) fn tokens(&self, surroundings: impl FnOnce() -> u64) -> u64 {
        match self.measured {
            // The answer itself was counted.
            Some(measured) => {
                let since = self.messages.get(measured.messages + 1..);
                measured.tokens + estimate::messages(since.unwrap_or_default())
            }
            None => surroundings() + estimate::messages(&self.sent()),
        }
    }
}

#[cfg(test)]
mod tests {
    use adroit_protocol::message::{Content, ResultContent, Role};
    use serde_json::json;

    use super::*;
    use crate::transcript::Kept;

    fn assistant(text: &str) -> Message {
        Message {
            role: Role::Assistant,
            content: vec![Content::Text { text: text.into() }],
        }
    }

    fn text_of(messages: &[Message]) -> String {
        json!(messages).to_string()
    }

    #[test]
    fn a_servers_count_goes_before_the_estimate_of_what_came_since() {
        let mut context = Context::default();
        context.push(Message::user("x".repeat(400)));
        assert_eq!(context.tokens(|| 50), 50 + 100 + 4);
        context.measure(Usage {
            input_tokens: 30,
            output_tokens: 5,
            cache_read_tokens: 1_000,
            cache_write_tokens: 0,
        });
        context.push(assistant("answer"));
        assert_eq!(context.tokens(|| 50), 1_035);
        context.push(Message {
            role: Role::User,
            content: vec![Content::ToolResult {
                tool_use_id: "a".into(),
                content: vec![ResultContent::text("y".repeat(80))],
                is_error: false,
            }],
        });
        assert_eq!(context.tokens(|| 50), 1_035 + 20 + 4);
    }

    #[test]
    fn going_back_to_before_a_compaction_brings_the_whole_back() {
        let mut context = Context::default();
        let mut marks = Vec::new();
        for turn in 1..=3_u32 {
            marks.push(Mark::of(turn, context.messages(), Vec::new()));
            context.push(Message::user(format!("question {turn}")));
            context.push(assistant(&format!("answer {turn}")));
        }
        let whole = context.sent();
        let kept = Kept::Turn { turn: 3 };
        context.compact(Compaction {
            at: Place::end_of(context.messages()),
            from: kept.place(context.messages(), &marks),
            kept,
            summary: "two questions were answered".into(),
            said: Vec::new(),
        });
        let sent = text_of(&context.sent());
        assert!(
            !sent.contains("question 2") && sent.contains("question 3"),
            "{sent}"
        );
        assert!(sent.contains("two questions were answered"), "{sent}");
        assert_eq!(
            context.sent().len(),
            2,
            "the summary and the message are one of the user"
        );

        // A later turn sees it still; going back to that turn keeps it.
        let later = Mark::of(4, context.messages(), Vec::new());
        context.push(Message::user("question 4"));
        context.rewind(&later);
        assert_eq!(text_of(&context.sent()), sent);

        // The turn that the summary stands before was there when it was made.
        context.rewind(&marks[2]);
        assert_eq!(context.sent(), whole[..4]);
    }

    #[test]
    fn a_tail_that_is_not_found_is_not_sent() {
        let conversation = [Message::user("one"), assistant("two")];
        let end = Place::end_of(&conversation);
        for kept in [
            Kept::Turn { turn: 7 },
            Kept::Call {
                call: "gone".into(),
            },
            Kept::Nothing,
        ] {
            assert_eq!(kept.place(&conversation, &[]), end);
        }
    }
}
