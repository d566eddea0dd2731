//! What a model is asked, what it answers, and who answers.

use std::sync::Arc;

use adroit_protocol::CallId;
use adroit_protocol::message::{Content, Message, StopReason, ToolCall, ToolDefinition, Usage};
use futures::future::BoxFuture;
use futures::stream::BoxStream;
use tokio_util::sync::CancellationToken;

use crate::ModelError;

/// One request to a model.
#[derive(Clone, Debug)]
pub struct ModelRequest {
    /// The model's name at its provider.
    pub model: String,
    /// The system prompt, in pieces.
    pub system: Vec<SystemBlock>,
    /// The tools that it may call, in the order of the pool.
    pub tools: Vec<ToolDefinition>,
    /// A prompt cache breakpoint comes after this many tools: the end of the built-in ones.
    pub tool_cache_breakpoint: Option<usize>,
    /// The conversation, oldest first.
    pub messages: Arc<[Message]>,
    /// The most tokens that the answer may have.
    pub max_output_tokens: u32,
    /// The budget of visible reasoning in tokens; none: no reasoning is asked for.
    pub thinking: Option<u32>,
}

/// One piece of the system prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SystemBlock {
    /// The text.
    pub text: String,
    /// Whether everything up to its end is worth caching.
    pub cache: bool,
}

/// One event of an answer.
///
/// A *part* is one block of the answer. Several may be open at once; each `Start` has
/// exactly one `End`, and part numbers are not used twice in one answer.
#[derive(Clone, Debug, PartialEq)]
pub enum StreamEvent {
    /// A part begins.
    Start {
        /// Names the part within this answer.
        part: u32,
        /// What it is.
        kind: PartKind,
    },
    /// More text of a text part.
    Text {
        /// Which part.
        part: u32,
        /// The added text.
        text: String,
    },
    /// More reasoning of a thinking part.
    Thinking {
        /// Which part.
        part: u32,
        /// The added text.
        text: String,
    },
    /// More of a call's arguments: a raw fragment of JSON, for the preview only.
    Arguments {
        /// Which part.
        part: u32,
        /// The added fragment.
        json: String,
    },
    /// A part is complete. A call can start now, while the stream goes on.
    End {
        /// Which part.
        part: u32,
        /// The whole of it.
        content: EndedPart,
    },
    /// What the answer cost. At most one an answer, just before `Finish`.
    Usage(Usage),
    /// The answer is complete: the last event.
    Finish {
        /// Why the model stopped. Whether calls are to be run is decided by the calls, not by this.
        stop: StopReason,
    },
}

impl StreamEvent {
    /// Whether it shows something of the answer. After such an event an attempt cannot be
    /// repeated unseen.
    #[must_use]
    pub fn is_content(&self) -> bool {
        !matches!(self, Self::Usage(_) | Self::Finish { .. })
    }
}

/// What a part is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PartKind {
    /// Text.
    Text,
    /// Visible or encrypted reasoning.
    Thinking,
    /// A tool call.
    ToolUse {
        /// Names the call.
        id: CallId,
        /// The tool's name as the model wrote it.
        name: String,
    },
    /// A kind that we do not know; it is kept, not shown.
    Other,
}

/// A complete part.
#[derive(Clone, Debug, PartialEq)]
pub enum EndedPart {
    /// Anything but a call.
    Content(Content),
    /// A call, perhaps with broken arguments.
    Call(ToolCall),
}

/// The events of one answer. Dropping it ends the request.
pub type ModelStream = BoxStream<'static, Result<StreamEvent, ModelError>>;

/// Something that answers: a model server, or the offline operator.
pub trait ModelClient: Send + Sync {
    /// The wire protocol, as an [`Origin`](adroit_protocol::message::Origin) names it.
    fn provider(&self) -> &str;

    /// Asks once, without retries. The stream ends after `Finish` or after the first error.
    /// Cancelling ends it at once with [`ModelError::Cancelled`].
    fn stream(&self, request: Arc<ModelRequest>, cancel: CancellationToken) -> ModelStream;

    /// True where an answer needs everything since the person's last message: something that
    /// remembers nothing and begins its work anew at each step.
    fn needs_whole_turn(&self) -> bool {
        false
    }

    /// The names of the models that the server offers.
    fn models(&self) -> BoxFuture<'static, Result<Vec<String>, ModelError>>;
}
