//! Every path and byte of disk.
//!
//! Owns: resolving a path as a tool names it ([`Workspace::resolve`]), what of a file is text and in
//! which encoding ([`LoadedText`]), byte-exact edits ([`plan_edit`]), atomic and durable writes
//! ([`write_atomic`]) under one process-wide lock per file ([`lock_path`]), diffs ([`diff`]), searching ([`search`]) and watching ([`watch_files`]).
//!
//! Called by the file tools, by the session (settings, transcripts) and by the engine's result store.
//! Nothing else in the workspace opens a file by path: a check that lives in one place cannot be
//! forgotten in another.
//!
//! Invariants:
//! - *Inside the workspace* is decided on the path that is left when every symbolic link is resolved,
//!   and the file is then opened by that very path with links forbidden: a link swapped in between the
//!   check and the use makes the open fail instead of leading elsewhere.
//! - An edit changes the bytes of the replaced range and no other byte, whatever the encoding.
//! - A write is seen whole or not at all, and leaves no temporary file behind.
//!
//! It must never know: tools, permissions, models, sessions. It answers where a path leads; whether
//! one may go there is decided elsewhere.

mod diff;
mod diff_long;
mod diff_space;
mod disk;
mod edit;
mod lock;
mod near;
mod page;
mod path;
pub mod search;
mod selection;
mod stored_name;
mod text;
mod watch;
mod write;

pub use diff::{DiffSummary, diff, diff_with_deadline};
pub use diff_space::diff_ignoring_space;
pub use disk::{
    DirectoryEntry, FileFacts, FileKind, ReadError, inspect, list_dir, open_regular,
    read_bytes_capped,
};
pub use edit::{
    EditError, EditPlan, Nearest, Replacement, SequenceError, SequencePlan, plan_edit, plan_edits,
};
pub use lock::{PathGuard, lock_path};
pub use near::near_names;
pub use page::{Page, PageLine, PageRequest, read_page};
pub use path::{PathError, Resolved, Workspace, display_path, leads_to};
pub use selection::{with_endings_of, without_hunks};
pub use text::{
    ContentHash, Endings, LineEnding, LoadError, LoadedText, TextEncoding, Unencodable,
    escape_control, human_size, sniff_binary,
};
pub use watch::{FileChanged, FileWatch, Noticed, Noticing, PollingReason, WatchSet, watch_files};
pub use write::{
    Expected, WriteError, WriteOptions, WriteReport, is_temporary, remove_abandoned_beside,
    write_atomic, write_atomic_with_mode,
};
