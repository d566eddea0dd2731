//! Failures that the model may read, as against faults of the engine.

use adroit_protocol::message::ResultContent;
use adroit_protocol::view::Block;

/// A call failed in a way that the model should read and may react to.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct ToolFailure {
    /// What happened, to which thing, and what to do next, in words for the model.
    pub message: String,
    /// A stable word for tests and for the record: `not_found`, `stale`.
    pub code: &'static str,
    /// What the model gets instead of the message, where text alone does not do.
    pub content: Vec<ResultContent>,
    /// What the person sees beside the message: the terminal of a failed command.
    pub blocks: Vec<Block>,
    /// A few words for the row: `exit code 2`.
    pub summary: Option<String>,
    /// Changes of the context that happened all the same: a failed command still changed the folder.
    pub context_change: Option<crate::ContextChange>,
}

impl ToolFailure {
    /// A failure with a message.
    pub fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            code,
            content: Vec::new(),
            blocks: Vec::new(),
            summary: None,
            context_change: None,
        }
    }

    /// The same with what the person sees.
    #[must_use]
    pub fn with_blocks(mut self, blocks: Vec<Block>) -> Self {
        self.blocks = blocks;
        self
    }

    /// The same with a few words for the row.
    #[must_use]
    pub fn with_summary(mut self, summary: impl Into<String>) -> Self {
        self.summary = Some(summary.into());
        self
    }

    /// What the model gets.
    #[must_use]
    pub fn result_content(&self) -> Vec<ResultContent> {
        if self.content.is_empty() {
            vec![ResultContent::text(self.message.clone())]
        } else {
            self.content.clone()
        }
    }
}

/// An input that fits the schema and still makes no sense.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct InvalidInput {
    /// What is wrong and what would be right, in words for the model.
    pub message: String,
    /// A stable word.
    pub code: &'static str,
}

impl InvalidInput {
    /// An invalid input.
    pub fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            code,
        }
    }
}
