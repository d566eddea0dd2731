//! What the backend tells the UI: a snapshot of a session, and events that change it.
//!
//! The backend holds the truth. A UI that missed an event (the sequence number has a
//! gap) asks for a snapshot again; applying the events after a snapshot's `sequence`
//! to it gives the present state.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::changes::{CallChanges, WaitingUndo};
use crate::message::Usage;
use crate::permission::{Mode, PermissionRequest, RequestEnd};
use crate::view::{Tone, View};
use crate::{CallId, ItemId, RequestId, SessionId, TerminalId};

/// Events of about one frame, in order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct EventBatch {
    /// The events.
    pub events: Vec<Event>,
}

/// One event.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(
    tag = "type",
    rename_all = "snake_case",
    rename_all_fields = "camelCase"
)]
#[expect(
    clippy::large_enum_variant,
    reason = "an event is made once and sent; a box would only make it harder to build"
)]
pub enum Event {
    /// A session changed.
    Session {
        /// Which.
        session: SessionId,
        /// Grows by one with each change of this session.
        #[ts(type = "number")]
        sequence: u64,
        /// How.
        change: SessionChange,
    },
    /// Output of a terminal. A listener that finds a gap between two offsets attaches again.
    TerminalOutput {
        /// Which.
        terminal: TerminalId,
        /// Offset of the first byte in all that the terminal ever printed.
        #[ts(type = "number")]
        offset: u64,
        /// Base64 of the bytes.
        data: String,
    },
    /// Terminals came, went, or are something else now (a background task): ask for them again.
    TerminalsChanged,
    /// A terminal's process ended.
    TerminalEnded {
        /// Which.
        terminal: TerminalId,
        /// Its exit code, absent where a signal ended it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        exit_code: Option<i32>,
    },
    /// Settings, rules or keys changed: ask for them again.
    SettingsChanged,
    /// Hooks ran: whoever shows their runs asks for them again.
    HooksRan,
    /// A project's trust or folder changed: ask for it again.
    ProjectChanged {
        /// Its folder.
        path: String,
    },
    /// The app was started a second time, on this folder: open it here.
    FolderRequested {
        /// The folder.
        path: String,
    },
    /// A remark that belongs to no session.
    Notice {
        /// How it should be felt.
        tone: Tone,
        /// The remark.
        text: String,
        /// What to do next.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        hint: Option<String>,
    },
}

/// How a session changed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(
    tag = "type",
    rename_all = "snake_case",
    rename_all_fields = "camelCase"
)]
pub enum SessionChange {
    /// An entry came at the end.
    ItemAdded {
        /// The entry.
        item: Item,
    },
    /// Text came at the end of a streaming entry.
    TextAppended {
        /// Which entry.
        item: ItemId,
        /// The text.
        text: String,
    },
    /// An entry is now this.
    ItemReplaced {
        /// The entry.
        item: Item,
    },
    /// Entries went away: an attempt of the model that was discarded.
    ItemsRemoved {
        /// Which.
        items: Vec<ItemId>,
    },
    /// A request was opened.
    RequestOpened {
        /// It.
        request: PermissionRequest,
    },
    /// A request ended.
    RequestClosed {
        /// Which.
        request: RequestId,
        /// How.
        end: RequestEnd,
    },
    /// The mode is now this.
    ModeChanged {
        /// The mode.
        mode: Mode,
    },
    /// The turn began, went on or ended.
    TurnChanged {
        /// Its state.
        turn: Turn,
    },
    /// Messages that wait for the turn's end are now these.
    QueueChanged {
        /// They.
        queue: Vec<QueuedMessage>,
    },
    /// Undos that wait for the turn's end are now these.
    UndosChanged {
        /// They.
        undos: Vec<WaitingUndo>,
    },
    /// What the answers of the model cost so far.
    UsageChanged {
        /// In the session.
        usage: Usage,
        /// In the turn that runs, or ran last.
        turn_usage: Usage,
    },
    /// The title is now this.
    TitleChanged {
        /// The title.
        title: String,
    },
    /// Files that somebody else has changed since the agent read or wrote them are now these.
    ChangedFiles {
        /// Their paths, relative to the project where inside, as views show them.
        paths: Vec<String>,
    },
}

/// A message sent while a turn runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct QueuedMessage {
    /// Names it.
    pub id: ItemId,
    /// Its text.
    pub text: String,
    /// True where it is delivered at the next tool boundary of the turn that runs, with the
    /// results of its calls; else it waits for the turn's end.
    #[serde(default)]
    pub steer: bool,
}

/// Whether the agent works.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(
    tag = "type",
    rename_all = "snake_case",
    rename_all_fields = "camelCase"
)]
pub enum Turn {
    /// It waits for the person.
    #[default]
    Idle,
    /// It works.
    Running {
        /// Since when, milliseconds since 1970.
        #[ts(type = "number")]
        since: u64,
        /// What it does now, in a few words.
        activity: String,
    },
}

/// A session as the UI shows it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SessionSnapshot {
    /// Which.
    pub session: SessionId,
    /// The project's folder.
    pub project: String,
    /// What it is about.
    pub title: String,
    /// The number of the last change that is in this snapshot.
    #[ts(type = "number")]
    pub sequence: u64,
    /// The mode.
    pub mode: Mode,
    /// The provider and the model, as shown.
    pub model: String,
    /// The entries.
    pub items: Vec<Item>,
    /// The open requests, in order of asking.
    pub requests: Vec<PermissionRequest>,
    /// Messages that wait.
    pub queue: Vec<QueuedMessage>,
    /// Undos that wait for the turn's end.
    #[serde(default)]
    pub undos: Vec<WaitingUndo>,
    /// Whether the agent works.
    pub turn: Turn,
    /// Tokens so far.
    pub usage: Usage,
    /// Files that somebody else has changed since the agent read or wrote them.
    #[serde(default)]
    pub changed_files: Vec<String>,
    /// Tokens of the turn that runs, or ran last while the app is open.
    pub turn_usage: Usage,
}

/// One entry of the transcript.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Item {
    /// Names it.
    pub id: ItemId,
    /// What it is.
    pub body: ItemBody,
}

/// What an entry is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(
    tag = "type",
    rename_all = "snake_case",
    rename_all_fields = "camelCase"
)]
#[expect(
    clippy::large_enum_variant,
    reason = "most entries of a transcript are calls, the largest variant"
)]
pub enum ItemBody {
    /// What the person said.
    User {
        /// The text.
        text: String,
        /// The number of the turn that it began, from 1.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        turn: Option<u32>,
    },
    /// What the model said.
    Assistant {
        /// Markdown.
        text: String,
        /// True while it still comes.
        streaming: bool,
    },
    /// What the model thought aloud.
    Thinking {
        /// The text.
        text: String,
        /// True while it still comes.
        streaming: bool,
    },
    /// A call.
    Call {
        /// It.
        call: CallItem,
    },
    /// From here on the model gets a summary instead of what stands above, but for the newest of it.
    Compacted {
        /// It.
        compaction: CompactionItem,
    },
    /// A remark of the program: a retry, an error with what to do, a stop.
    Notice {
        /// How it should be felt.
        tone: Tone,
        /// The remark.
        text: String,
        /// What to do next.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        hint: Option<String>,
    },
}

/// A compaction as the transcript shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct CompactionItem {
    /// Who wanted it.
    pub trigger: CompactionTrigger,
    /// Why, in a few words.
    pub why: String,
    /// About how many tokens the next request would have had.
    #[ts(type = "number")]
    pub tokens_before: u64,
    /// About how many it has now.
    #[ts(type = "number")]
    pub tokens_after: u64,
    /// What the model gets instead of what was left out. Markdown.
    pub summary: String,
}

/// Who wanted a compaction. The words are those of a `PreCompact` hook's input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum CompactionTrigger {
    /// The person.
    Manual,
    /// Nobody: the conversation was about to outgrow the model.
    Auto,
}

impl CompactionTrigger {
    /// The word in a hook's input, which a matcher is compared with.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Manual => "manual",
            Self::Auto => "auto",
        }
    }
}

/// A call as the transcript shows it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct CallItem {
    /// Which call.
    pub call: CallId,
    /// The tool's name, for the inspector only: nothing is rendered by it.
    pub tool: String,
    /// How far it is.
    pub status: CallStatus,
    /// Its presentation.
    pub view: View,
    /// True where it may change something: such a call never folds into a group.
    pub mutating: bool,
    /// When it began to run, milliseconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "number")]
    pub started_at: Option<u64>,
    /// How long it ran, milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "number")]
    pub elapsed_ms: Option<u64>,
    /// The live terminal, while there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub terminal: Option<TerminalId>,
    /// What it changed on the disk, once it ended; absent where that was nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub changes: Option<CallChanges>,
}

/// How far a call is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum CallStatus {
    /// The model still writes it.
    Writing,
    /// It waits for its turn.
    Queued,
    /// It waits for the person.
    Waiting,
    /// It runs.
    Running,
    /// It is done.
    Succeeded,
    /// It failed.
    Failed,
    /// A rule, a mode or the person said no.
    Denied,
    /// It was cancelled.
    Cancelled,
}
