//! What a person sees of a call. A tool emits a [`View`]; the UI renders its blocks
//! and never asks for a tool's name.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::event::CallStatus;
use crate::{CallId, SessionId, TerminalId};

/// The presentation of one call at one moment.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct View {
    /// What is done, to which thing: `Read src/main.rs`.
    pub title: String,
    /// What is going on, shown while running: `Reading src/main.rs`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub activity: Option<String>,
    /// What came of it, in a few words: `120 lines`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub summary: Option<String>,
    /// A short mark beside the title: `background`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub tag: Option<String>,
    /// The colour of the row.
    #[serde(default)]
    pub tone: Tone,
    /// Present where the call may fold into a group with its neighbours.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub group: Option<Group>,
    /// What shows when the row is open.
    #[serde(default)]
    pub blocks: Vec<Block>,
    /// True where the result shows less than there was.
    #[serde(default, skip_serializing_if = "is_false")]
    #[ts(optional, as = "Option<bool>")]
    pub truncated: bool,
    /// True where the call shows what it wraps in its own place: its blocks are always open.
    #[serde(default, skip_serializing_if = "is_false")]
    #[ts(optional, as = "Option<bool>")]
    pub transparent: bool,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "the form that serde asks for"
)]
fn is_false(flag: &bool) -> bool {
    !flag
}

impl View {
    /// A view with a title only.
    pub fn titled(title: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            ..Self::default()
        }
    }
}

/// How a thing should be felt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Tone {
    /// Ordinary.
    #[default]
    Neutral,
    /// It worked, and that is worth saying.
    Success,
    /// Worth a look.
    Warning,
    /// It failed.
    Danger,
    /// A fact beside the way.
    Info,
}

/// What a call folds under.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Group {
    /// Which verb the group's row uses.
    pub kind: GroupKind,
    /// The targets that the group's row names.
    pub chips: Vec<Chip>,
}

/// The verbs under which calls fold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum GroupKind {
    /// Reading files.
    Read,
    /// Searching contents.
    Search,
    /// Listing names.
    List,
}

/// One target of a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Chip {
    /// What the text is.
    pub kind: ChipKind,
    /// The text as shown; short.
    pub text: String,
}

/// What a chip's text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ChipKind {
    /// A path, relative to the project where it is inside.
    Path,
    /// A pattern.
    Pattern,
    /// A command.
    Command,
}

/// One block of a view. The set is closed: the UI has one component for each.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(
    tag = "type",
    rename_all = "snake_case",
    rename_all_fields = "camelCase"
)]
pub enum Block {
    /// Plain text, as it is.
    Text {
        /// The text.
        text: String,
    },
    /// Markdown.
    Markdown {
        /// The source.
        text: String,
    },
    /// Program text.
    Code {
        /// A file name or extension that tells the language.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        language: Option<String>,
        /// The text, without line numbers.
        text: String,
        /// The number of its first line, where it is part of a file.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        first_line: Option<u32>,
        /// How many lines the block does not show.
        #[serde(default)]
        hidden_lines: u32,
    },
    /// A change of one file.
    Diff(Diff),
    /// A terminal: live where `terminal` is set and still running, else the text that it ended with.
    Terminal {
        /// The live terminal.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        terminal: Option<TerminalId>,
        /// The command line.
        command: String,
        /// Where it runs.
        cwd: String,
        /// Its output as clean text.
        output: String,
        /// How it ended.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        exit_code: Option<i32>,
    },
    /// A program in a terminal waits for somebody to type.
    TerminalInput {
        /// The terminal.
        terminal: TerminalId,
        /// The last lines on its screen, such as the question.
        question: String,
        /// True where what is typed is not shown: it is a secret, never stored nor sent to a model.
        secret: bool,
    },
    /// Lines that matched, by file.
    Matches {
        /// The files.
        files: Vec<FileMatches>,
        /// How many more matches there are.
        more: u32,
    },
    /// Names of files.
    FileList {
        /// The names, relative to the project where inside.
        entries: Vec<FileEntry>,
        /// How many more there are.
        more: u32,
    },
    /// Names and values.
    KeyValue {
        /// The pairs.
        entries: Vec<KeyValue>,
    },
    /// An image.
    Image {
        /// For example `image/png`.
        media_type: String,
        /// Base64 of the bytes.
        data: String,
        /// What it is, for those who cannot see it.
        alternative: String,
    },
    /// A list of things to do.
    Todo {
        /// The list.
        items: Vec<TodoItem>,
    },
    /// A question to the person, with choices.
    Question(Question),
    /// A conversation of another agent.
    SubSession {
        /// Which.
        session: SessionId,
        /// What it is about.
        title: String,
        /// Its calls, oldest first; of many the newest.
        #[serde(default)]
        calls: Vec<SubCall>,
        /// How many older ones there were.
        #[serde(default)]
        more: u32,
    },
    /// A remark of the program.
    Notice {
        /// How it should be felt.
        tone: Tone,
        /// The remark.
        text: String,
    },
}

/// A question to the person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Question {
    /// What it is about, in a word or two.
    pub header: String,
    /// The question.
    pub question: String,
    /// The choices.
    pub choices: Vec<Choice>,
    /// Several of them may be chosen.
    pub multiple: bool,
    /// What was answered; absent until then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub answer: Option<QuestionAnswer>,
}

/// One choice of a question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Choice {
    /// Its name.
    pub label: String,
    /// What it means.
    pub description: String,
}

/// The answer to one question.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct QuestionAnswer {
    /// The positions of what was chosen, from 0.
    pub chosen: Vec<u32>,
    /// What was said instead of the choices, or beside them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub other: Option<String>,
}

/// A call of another agent, in a line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SubCall {
    /// Which.
    pub call: CallId,
    /// What it is about.
    pub title: String,
    /// How far it is.
    pub status: CallStatus,
    /// What it does while it runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub activity: Option<String>,
    /// What came of it, in a few words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub summary: Option<String>,
}

/// The matches in one file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct FileMatches {
    /// The file, relative to the project where inside.
    pub path: String,
    /// The lines.
    pub lines: Vec<MatchLine>,
}

/// One line of a search result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct MatchLine {
    /// Its number, from 1.
    #[ts(type = "number")]
    pub line: u64,
    /// Its text, cut when long.
    pub text: String,
    /// Where it matched, as pairs of UTF-16 offsets into `text`.
    pub ranges: Vec<[u32; 2]>,
    /// True for a line shown only as context.
    pub context: bool,
}

/// One file of a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct FileEntry {
    /// The path.
    pub path: String,
    /// A few words: a size, a count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub detail: Option<String>,
}

/// A name and its value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct KeyValue {
    /// The name.
    pub key: String,
    /// The value.
    pub value: String,
}

/// One thing to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct TodoItem {
    /// What.
    pub text: String,
    /// How far it is.
    pub status: TodoStatus,
}

/// How far a thing to do is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum TodoStatus {
    /// Not begun.
    Pending,
    /// Being done.
    InProgress,
    /// Done.
    Completed,
}

/// The change of one file, computed by the backend. The UI's hunks are these hunks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Diff {
    /// The file, relative to the project where inside.
    pub path: String,
    /// What happens to the file.
    pub change: FileChange,
    /// The places that change.
    pub hunks: Vec<Hunk>,
    /// Lines added in all, those of hunks not shown included.
    pub added: u32,
    /// Lines removed in all.
    pub removed: u32,
    /// How many hunks the block does not show. Never silently: the UI says it.
    #[serde(default)]
    pub hidden_hunks: u32,
    /// Facts that lines do not show: a changed line ending, a byte order mark, a mode.
    #[serde(default)]
    pub notes: Vec<String>,
}

/// What happens to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum FileChange {
    /// It did not exist.
    Created,
    /// Its content changes.
    Updated,
    /// It goes away.
    Deleted,
}

/// One contiguous place of change with its context.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Hunk {
    /// First line in the old text, from 1 (0 where the old part is empty; both starts are 0
    /// where it is not known which part of the file this is).
    pub old_start: u32,
    /// Lines of the old text.
    pub old_lines: u32,
    /// First line in the new text, from 1 (0 where the new part is empty).
    pub new_start: u32,
    /// Lines of the new text.
    pub new_lines: u32,
    /// The lines in unified order.
    pub lines: Vec<DiffLine>,
}

/// One line of a hunk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct DiffLine {
    /// What happens to the line.
    pub kind: LineChange,
    /// The text without its line ending.
    pub text: String,
    /// Its number in the old text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub old_line: Option<u32>,
    /// Its number in the new text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub new_line: Option<u32>,
    /// Words that differ from the line's counterpart, as pairs of UTF-16 offsets into `text`.
    #[serde(default)]
    pub emphasis: Vec<[u32; 2]>,
    /// True when the file ends here without a line ending.
    #[serde(default)]
    pub missing_newline: bool,
    /// How the line ends, where it is not with a line feed alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub ending: Option<LineEnding>,
}

/// A line ending other than a line feed alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum LineEnding {
    /// A carriage return and a line feed.
    Crlf,
    /// A carriage return alone.
    Cr,
}

/// What happens to a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum LineChange {
    /// It stays.
    Context,
    /// It comes.
    Added,
    /// It goes.
    Removed,
}
