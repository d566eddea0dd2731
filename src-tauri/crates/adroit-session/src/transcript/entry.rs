//! The lines of a transcript.

use adroit_protocol::changes::{CallChanges, FileChoice, WaitingUndo};
use adroit_protocol::event::{CallStatus, CompactionItem, QueuedMessage};
use adroit_protocol::message::{Message, ResultContent, Usage};
use adroit_protocol::permission::Mode;
use adroit_protocol::record::DecisionRecord;
use adroit_protocol::view::{Tone, View};
use adroit_protocol::{CallId, SessionId};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::compaction::Kept;

/// The version of the format. A higher one may hold lines that this version does not know;
/// they are kept in place.
pub(super) const VERSION: u32 = 1;

/// One line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// When, milliseconds since 1970.
    pub at: u64,
    /// What.
    #[serde(flatten)]
    pub body: EntryBody,
}

/// An undo that waits, with what it meant when it was chosen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredUndo {
    /// As the person sees it.
    pub shown: WaitingUndo,
    /// The steps that are taken back.
    pub steps: Vec<u64>,
    /// For files that were changed since.
    pub choices: Vec<FileChoice>,
    /// Against the last commit: what each file differed by.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub seen: Vec<(String, String)>,
}

/// What a line says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[expect(
    clippy::large_enum_variant,
    reason = "an entry is written or read and dropped; few exist at once"
)]
pub enum EntryBody {
    /// The first line.
    Session {
        /// The format's version.
        version: u32,
        /// Which session.
        session: SessionId,
        /// Of which project.
        project: String,
    },
    /// What it is about.
    Title {
        /// The title.
        title: String,
    },
    /// The mode was switched.
    Mode {
        /// To this.
        mode: Mode,
    },
    /// A message of the person.
    User {
        /// Its text.
        text: String,
    },
    /// Words of a hook for the model, which the person did not say.
    HookContext {
        /// They.
        text: String,
    },
    /// Deferred tools that the model has loaded.
    Discovered {
        /// Their names.
        tools: Vec<String>,
    },
    /// A call is about to start. Written before it does.
    Call {
        /// Which.
        call: CallId,
        /// The tool's name as the model wrote it.
        name: String,
        /// The input as the transcript keeps it.
        input: Value,
        /// True where [`EntryBody::Started`] follows before the call may change anything; false in
        /// lines of before that was written.
        #[serde(default)]
        announced: bool,
    },
    /// A call that may change something runs from here on.
    Started {
        /// Which.
        call: CallId,
    },
    /// A message of the model, complete.
    Assistant {
        /// It.
        message: Message,
    },
    /// The result of a call.
    Result {
        /// Which call.
        call: CallId,
        /// The tool's name as resolved.
        tool: String,
        /// What the model gets.
        content: Vec<ResultContent>,
        /// Whether it is an error to the model.
        is_error: bool,
        /// How it ended.
        status: CallStatus,
        /// Whether it may have changed something.
        mutating: bool,
        /// How long it ran.
        elapsed_ms: u64,
        /// How it looks. Shown again without running anything.
        view: View,
        /// Why it was allowed, or not.
        record: DecisionRecord,
        /// What it changed on the disk.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        changes: Option<CallChanges>,
        /// What an MCP server sent beside the result; never shown to the model.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        mcp_meta: Option<Value>,
        /// The text by which a search finds it, where that is not the content's own.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        search_text: Option<String>,
    },
    /// Messages that a tool added after the results.
    Added {
        /// They.
        messages: Vec<Message>,
    },
    /// An attempt of the model was thrown away; these calls of it had run.
    Discarded {
        /// The calls.
        calls: Vec<CallId>,
        /// What the model is told of them.
        note: Option<String>,
    },
    /// The person went back to before a turn's message: it and what followed is out of the
    /// conversation, and stays in the file.
    Rewound {
        /// The turn.
        turn: u32,
    },
    /// From here on the model gets a summary instead of the older part of the conversation, which
    /// stays in the file.
    Compacted {
        /// The summary, and why.
        #[serde(flatten)]
        compaction: CompactionItem,
        /// What is still sent as it is.
        kept: Kept,
        /// What the person last said, where that is not in it.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        said: Vec<String>,
    },
    /// What the model is told with the next message: the person took something back.
    Told {
        /// The words.
        text: String,
    },
    /// A remark of the program.
    Notice {
        /// How it should be felt.
        tone: Tone,
        /// The remark.
        text: String,
        /// What to do next.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        hint: Option<String>,
    },
    /// A message of the person that was said within a turn, with the results of its calls.
    Steered {
        /// Its text.
        text: String,
    },
    /// Messages that wait to be said are now these.
    Queue {
        /// They.
        messages: Vec<QueuedMessage>,
    },
    /// Undos that wait for the end of the turn are now these.
    Undos {
        /// They.
        undos: Vec<StoredUndo>,
    },
    /// What an answer cost.
    Usage {
        /// The tokens.
        usage: Usage,
    },
}
