//! Finding files by name and lines by content, on the crates that ripgrep is made of.
//!
//! Both walk in parallel, respect ignore files of the project (and of its git repository, but not those
//! that lie above a project without one), look into hidden files but not into version control folders,
//! and follow no symbolic links (links to files are found by their names). A search ends at once when it is cancelled; when its time is up it
//! returns what it has, marked partial. It never says *nothing found* where it did not look.

mod control;
mod decoded;
mod filter;
mod folder;
mod found;
mod glob;
mod grep;
mod hints;
mod lines;
mod links;
mod pattern;
#[cfg(test)]
mod tests;
mod walk;

pub use control::SearchLimits;
pub use filter::FilterError;
pub use glob::{GlobOutcome, GlobRequest, glob, split_pattern};
pub use grep::{FileHits, GrepOutcome, GrepRequest, HitLine, Totals, Wanted, grep};
pub use hints::EmptyReason;
pub use links::LinksElsewhere;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use thiserror::Error;

/// Why a search did not take place.
#[derive(Debug, Error)]
pub enum SearchError {
    /// The regular expression cannot be read.
    #[error("invalid regular expression:\n{message}")]
    Pattern {
        /// The parser's words, which point at the position.
        message: String,
    },
    /// A glob or a type cannot be understood.
    #[error(transparent)]
    Filter(#[from] FilterError),
    /// The folder to search is not there.
    #[error("{path} does not exist")]
    NotFound {
        /// As shown.
        path: String,
    },
    /// The thing to search is neither a file nor a folder.
    #[error("{path} is {}, not a file or folder", kind.words())]
    NotSearchable {
        /// As shown.
        path: String,
        /// What it is.
        kind: crate::FileKind,
    },
    /// The person or the program stopped it.
    #[error("the search was cancelled")]
    Cancelled,
}

/// Files that a search passes over as if they were not there.
#[derive(Clone, Default)]
pub struct Hidden {
    contains: Option<Arc<PathPredicate>>,
}

type PathPredicate = dyn Fn(&Path) -> bool + Send + Sync;

impl Hidden {
    /// The files that the predicate holds for; it is asked from several threads.
    pub fn new(contains: impl Fn(&Path) -> bool + Send + Sync + 'static) -> Self {
        Self {
            contains: Some(Arc::new(contains)),
        }
    }

    fn contains(&self, path: &Path) -> bool {
        self.contains
            .as_deref()
            .is_some_and(|contains| contains(path))
    }
}

impl std::fmt::Debug for Hidden {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Hidden")
    }
}

/// Where a search takes place.
#[derive(Clone, Debug)]
pub struct Scope {
    /// The file or folder that is searched, links resolved.
    pub path: PathBuf,
    /// The workspace root, links resolved: ignore files above it count only within one git repository.
    pub root: PathBuf,
    /// Files that must not show up, nor be counted.
    pub hidden: Hidden,
}
