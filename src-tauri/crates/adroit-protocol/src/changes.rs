//! What calls changed, what taking it back would do, and what came of it.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::view::{Diff, FileChange};
use crate::{CallId, ItemId, SessionId};

/// What one call changed on the disk.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct CallChanges {
    /// The files, folders that only hold them left out; cut where there are many.
    pub files: Vec<ChangedFile>,
    /// How many more there are.
    pub more: u32,
    /// What is not covered, in sentences: ignored files that were lost, a folder too large.
    #[serde(default)]
    pub notes: Vec<String>,
    /// Whether it is taken back.
    pub state: ChangeState,
}

/// Whether a change is taken back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ChangeState {
    /// It is not.
    #[default]
    Made,
    /// All of it is.
    Undone,
    /// It cannot be any more: what was there before is no longer kept.
    Gone,
}

/// One file that changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ChangedFile {
    /// The path, relative to the project where it is inside.
    pub path: String,
    /// What happened to it.
    pub change: FileChange,
    /// What it is.
    pub kind: ChangedKind,
    /// Lines added; absent where lines mean nothing, or were not counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub added: Option<u32>,
    /// Lines removed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub removed: Option<u32>,
    /// A person looked at this very content and found it good.
    #[serde(default)]
    pub reviewed: bool,
}

/// What a changed thing is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ChangedKind {
    /// Text.
    Text,
    /// Bytes that are no text.
    Binary,
    /// A picture.
    Image,
    /// A symbolic link.
    Link,
    /// A folder.
    Folder,
    /// A file that is not kept, or no ordinary one.
    Other,
}

/// Which changes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(
    tag = "type",
    rename_all = "snake_case",
    rename_all_fields = "camelCase"
)]
pub enum ChangeScope {
    /// Of one call.
    Call {
        /// Which.
        call: CallId,
    },
    /// Of one turn.
    Turn {
        /// Its number in the session, from 1.
        turn: u32,
    },
    /// Of a turn and everything after it.
    Since {
        /// The turn's number.
        turn: u32,
    },
    /// Of the whole session.
    Session,
    /// Everything that differs from the last commit, whoever changed it.
    Git,
}

/// The changes of a scope.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ChangeList {
    /// The files, by path.
    pub files: Vec<ChangedFile>,
    /// What is not covered, in sentences.
    pub notes: Vec<String>,
    /// The number of the newest turn; 0 before the first.
    pub turn: u32,
    /// Whether something in it can be taken back.
    pub undoable: bool,
}

/// One file of a scope, old against new.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct FileComparison {
    /// Which, and how it changed.
    pub file: ChangedFile,
    /// The lines that changed.
    pub diff: Diff,
    /// What differs and cannot be seen in the lines: endings, byte order mark, trailing space, hidden
    /// characters, permission bits, where a link points.
    pub invisible: Vec<String>,
    /// The old picture as base64 with its type, where it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub old_image: Option<ImageData>,
    /// The new one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub new_image: Option<ImageData>,
    /// Whether the lines read the same: everything that differs is something that they do not show.
    pub only_invisible: bool,
    /// Whether single places can be taken back and accepted.
    pub by_hunk: bool,
    /// The places of `diff` that a person accepted as they are, by their position.
    pub accepted: Vec<u32>,
}

/// A picture.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ImageData {
    /// For example `image/png`.
    pub media_type: String,
    /// Base64 of the bytes.
    pub data: String,
}

/// What to take back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct UndoTarget {
    /// Of which changes.
    pub scope: ChangeScope,
    /// Which files of them; absent for all.
    #[serde(default)]
    pub files: Option<Vec<UndoFile>>,
    /// True where an earlier undo of them is taken back.
    #[serde(default)]
    pub redo: bool,
}

/// One file, or places of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct UndoFile {
    /// As the list of changes names it.
    pub path: String,
    /// The places; none for the whole file.
    #[serde(default)]
    pub hunks: Vec<HunkPlace>,
}

/// A place of change, by its line numbers in the diff that was shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct HunkPlace {
    /// As [`crate::view::Hunk::old_start`].
    pub old_start: u32,
    /// As there.
    pub old_lines: u32,
    /// As there.
    pub new_start: u32,
    /// As there.
    pub new_lines: u32,
}

/// What taking something back would do. Nothing is done yet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct UndoPreview {
    /// Names this very preview: it holds only while no file changes.
    pub fingerprint: String,
    /// Each file.
    pub files: Vec<UndoPreviewFile>,
    /// What is not covered, in sentences.
    pub notes: Vec<String>,
}

/// What would become of one file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct UndoPreviewFile {
    /// Which.
    pub path: String,
    /// What would happen.
    pub effect: UndoEffect,
    /// Why, where it is not plain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub reason: Option<String>,
    /// What would change, from what stands there now; where it is a conflict, what would be lost by
    /// going back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub diff: Option<Diff>,
    /// What can be chosen for a conflict beside leaving the file.
    #[serde(default)]
    pub choices: Vec<UndoChoice>,
}

/// What would happen to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum UndoEffect {
    /// Its content comes back.
    Restore,
    /// It exists again.
    Recreate,
    /// It goes away.
    Remove,
    /// Its content comes back, and what was changed since elsewhere in it stays.
    Merge,
    /// It was changed since at the same place: it stays unless something is chosen.
    Conflict,
    /// It is as it was already.
    Nothing,
    /// It cannot be restored.
    Impossible,
}

/// What is done with a file that was changed since.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum UndoChoice {
    /// It stays as it is.
    Keep,
    /// It becomes what it was; the later change is given up.
    Overwrite,
    /// Both are written into it, marked.
    Mark,
}

/// A choice for one file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct FileChoice {
    /// Which file.
    pub path: String,
    /// What is done with it.
    pub choice: UndoChoice,
}

/// What was taken back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct UndoResult {
    /// Files that are what they were.
    pub restored: u32,
    /// Files that were left, each with the reason.
    pub left: Vec<UndoLeft>,
}

/// A file that was left as it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct UndoLeft {
    /// Which.
    pub path: String,
    /// Why.
    pub reason: String,
}

/// Which changes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ChangesQuery {
    /// Of which session.
    pub session: SessionId,
    /// Of what in it.
    pub scope: ChangeScope,
}

/// Which changed file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct FileQuery {
    /// Of which session.
    pub session: SessionId,
    /// Of what in it.
    pub scope: ChangeScope,
    /// As the list names it.
    pub path: String,
    /// True where lines that differ in white space only count as the same.
    pub ignore_space: bool,
}

/// Whether changes were looked at and found good.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ReviewMark {
    /// Of which session.
    pub session: SessionId,
    /// Of what in it.
    pub scope: ChangeScope,
    /// As the list names it; absent for every file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub path: Option<String>,
    /// Which places of the file; none for the whole of it.
    #[serde(default)]
    pub hunks: Vec<HunkPlace>,
    /// True where it was. The mark falls when the file changes again.
    pub reviewed: bool,
}

/// Which changes to preview an undo of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct UndoQuery {
    /// Of which session.
    pub session: SessionId,
    /// What to take back.
    pub target: UndoTarget,
}

/// An undo that was previewed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct UndoRequest {
    /// Of which session.
    pub session: SessionId,
    /// What to take back.
    pub target: UndoTarget,
    /// As the preview named itself.
    pub fingerprint: String,
    /// For files that were changed since; those without a choice stay as they are.
    pub choices: Vec<FileChoice>,
}

/// An undo that is to be done when the turn ends.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct UndoLater {
    /// Of which session.
    pub session: SessionId,
    /// What to take back.
    pub target: UndoTarget,
    /// In a few words.
    pub title: String,
    /// For files that were changed since; those without a choice stay as they are.
    pub choices: Vec<FileChoice>,
}

/// An undo that waits for the end of the turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct WaitingUndo {
    /// Names it.
    pub id: ItemId,
    /// In a few words.
    pub title: String,
    /// What is taken back.
    pub target: UndoTarget,
    /// Its files; cut where there are many.
    pub files: Vec<String>,
    /// How many more there are.
    pub more: u32,
}

/// An undo that is not to be done after all.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct UndoRef {
    /// Of which session.
    pub session: SessionId,
    /// Which.
    pub undo: ItemId,
}

/// How far back to go in a conversation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct RewindSession {
    /// Which session.
    pub session: SessionId,
    /// The turn whose message, and everything after it, goes out of the conversation.
    pub turn: u32,
}

/// What was taken out of the conversation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Rewound {
    /// The message's text, to be said in other words.
    pub text: String,
}
