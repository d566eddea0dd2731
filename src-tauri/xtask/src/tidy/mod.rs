//! `tidy`: what no compiler and no linter checks.
//!
//! Each rule is a function from the repository's files to complaints. A boundary
//! that no check holds erodes.

mod boundaries;
mod files;
pub(crate) mod metadata;
mod sizes;
mod sources;

use crate::outcome::Outcome;
use files::Files;

/// Something wrong at a place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Complaint {
    /// The file, and the line where there is one.
    place: String,
    /// What is wrong and what to do.
    text: String,
}

impl Complaint {
    fn new(place: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            place: place.into(),
            text: text.into(),
        }
    }
}

/// Checks everything and prints every complaint.
pub(crate) fn run() -> Outcome {
    let files = Files::read(&crate::root())?;
    let members = metadata::members()?;
    let exceptions = files
        .text("src-tauri/xtask/tidy-exceptions.txt")
        .unwrap_or_default();
    let manifest = files.text("Cargo.toml").unwrap_or_default();
    let mut complaints = [
        sizes::check(&files, exceptions),
        sources::check(&files),
        boundaries::arrows(&members),
        boundaries::ledger(&members, manifest),
        boundaries::framework(&files, &members),
    ]
    .concat();
    if complaints.is_empty() {
        println!("tidy: {} files, nothing to complain about.", files.len());
        return Ok(());
    }
    complaints.sort();
    for complaint in &complaints {
        eprintln!("{}: {}", complaint.place, complaint.text);
    }
    Err(format!("tidy has {} complaints", complaints.len()).into())
}
