//! The transcript: one append-only JSON Lines file a session, written before effects.
//!
//! A line is one [`Entry`]. A torn last line, a run of NUL bytes, a spliced or an unknown
//! line never costs the rest: what can be read is read, what cannot is counted and left in
//! place. Nothing here rewrites a transcript.

mod compaction;
mod entry;
mod mark;
mod note;
mod read;
mod replay;
mod store;

pub use compaction::{Compaction, Kept};
pub use entry::{Entry, EntryBody, StoredUndo};
pub use mark::{Mark, Place};
pub use read::{ReadTranscript, read};
pub use replay::{KnownCall, Replayed, replay};
pub use store::{
    Transcript, TranscriptError, agents_of, delete, find, list, path_of, path_of_agent,
};
