//! Symbolic links that a walk meets. It follows none, so that it ends, meets each file once and stays where
//! it may look; and says which ones lead out of the folder that is searched.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// How many links that lead elsewhere are named.
const MAX_NAMED: usize = 3;

/// Links that lead out of the scope.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinksElsewhere {
    /// The first of them by name.
    pub named: Vec<PathBuf>,
    /// How many there are.
    pub total: u64,
}

#[derive(Default)]
pub(super) struct Links(Mutex<Elsewhere>);

#[derive(Default)]
struct Elsewhere {
    named: BTreeSet<PathBuf>,
    total: u64,
}

impl Links {
    /// The ordinary file that a link leads to. A link that leads out of the scope, to a file or a folder, is
    /// noted; one that leads nowhere is nothing.
    pub(super) fn leads_to(&self, link: &Path, scope: &Path) -> Option<PathBuf> {
        // One question where a link is broken or turns in a circle, which is answered by an error.
        let real = link.canonicalize().ok()?;
        let facts = real.metadata().ok()?;
        if !facts.is_file() && !facts.is_dir() {
            return None;
        }
        if !real.starts_with(scope) {
            let mut elsewhere = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            elsewhere.total += 1;
            elsewhere.named.insert(link.to_owned());
            if elsewhere.named.len() > MAX_NAMED {
                elsewhere.named.pop_last();
            }
        }
        facts.is_file().then_some(real)
    }

    pub(super) fn elsewhere(&self) -> LinksElsewhere {
        let elsewhere = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        LinksElsewhere {
            named: elsewhere.named.iter().cloned().collect(),
            total: elsewhere.total,
        }
    }
}
