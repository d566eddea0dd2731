//! What calls changed, kept so that it can be taken back.
//!
//! **Owns** the store of a project ([`Store`]: content-addressed, compressed, capped), the history
//! of one session in it ([`History`]: its [`Step`]s, each with the images of every file before and
//! after), the look at the whole workspace around a call that may write anywhere, and the way back
//! ([`Plan`]: what an undo would do, then [`History::apply`]).
//!
//! **Called by** `adroit-session`, which says when a call begins and ends and who asks to undo.
//!
//! **Invariants**
//! - An image of what stands there is in the store before the call that may change it runs.
//! - A crash at any point loses nothing: a step that was begun and not ended is ended, from what
//!   is on the disk, when the history is opened again.
//! - Undoing never overwrites what somebody else changed, unless the file was named and that was
//!   chosen; what it overwrites is kept, so that the undo can be undone.
//! - Nothing of the person's repository is touched: the store lies in the app's own folder.
//!
//! It must never know: tools, permissions, models, transcripts.

mod apply;
mod attributes;
mod collect;
mod fault;
mod history;
mod hunks;
mod image;
mod journal;
mod known;
mod limits;
mod links;
mod listing;
mod merge;
mod objects;
mod originals;
mod path_text;
mod plan;
mod recover;
mod scan;
mod store;
mod walk;

#[cfg(test)]
mod tests;

pub use apply::{Applied, Choice, FileOutcome, Outcome, Undoing};
pub use attributes::Attributes;
pub use fault::{Faults, Point};
pub use history::{Begin, History, Open};
pub use hunks::{HunkRange, without_hunks};
pub use image::{Content, Hash, Image, NotKept, capture};
pub use journal::{FileStep, Names, Origin, Step, StepState};
pub use limits::{Limits, ScanLimits};
pub use objects::ObjectError;
pub use originals::NotReplaced;
pub use plan::{Plan, PlannedFile, Selection, Target, Verdict};
pub use store::{Store, StoreError};
