//! What the threads of a search have found, together.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use super::grep::{FileHits, Totals};

/// Files that were too long to be searched of which the name is kept.
const MAX_TOO_LONG: usize = 5;

/// What all threads have found.
#[derive(Default)]
pub(super) struct Found {
    pub(super) searched: AtomicU64,
    pub(super) unreadable: AtomicU64,
    /// The last file that is kept, once there is no room for one after it.
    last: RwLock<Option<Arc<Path>>>,
    collected: Mutex<Collected>,
}

#[derive(Default)]
pub(super) struct Collected {
    pub(super) files: BTreeMap<PathBuf, FileHits>,
    entries: usize,
    pub(super) totals: Totals,
    pub(super) too_long: BTreeSet<PathBuf>,
    pub(super) too_long_total: u64,
}

impl Found {
    /// Whether a file comes after all that are kept: then only its sums matter.
    pub(super) fn is_beyond(&self, path: &Path) -> bool {
        let last = self.last.read().unwrap_or_else(PoisonError::into_inner);
        last.as_deref().is_some_and(|last| path > last)
    }

    pub(super) fn add(&self, hits: FileHits, limit: usize) {
        let mut collected = self.collect();
        let last = collected.add(hits, limit);
        if let Some(last) = last {
            *self.last.write().unwrap_or_else(PoisonError::into_inner) = Some(last);
        }
    }

    pub(super) fn collect(&self) -> MutexGuard<'_, Collected> {
        self.collected
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl Collected {
    /// Keeps the first by path, so that the same search names the same files.
    pub(super) fn add_too_long(&mut self, path: &Path) {
        self.too_long_total += 1;
        self.too_long.insert(path.to_owned());
        if self.too_long.len() > MAX_TOO_LONG {
            self.too_long.pop_last();
        }
    }

    /// Keeps the first files by path up to the limit; of the others only their sums. Gives the last one
    /// that is kept, where it is another one by now and there is no room after it.
    fn add(&mut self, hits: FileHits, limit: usize) -> Option<Arc<Path>> {
        self.totals.files += 1;
        self.totals.lines += hits.matching_lines;
        self.totals.occurrences += hits.occurrences;
        let is_beyond = self.entries >= limit
            && self
                .files
                .last_key_value()
                .is_none_or(|(last, _)| hits.path > *last);
        if is_beyond {
            return None;
        }
        self.entries += weight(&hits);
        self.files.insert(hits.path.clone(), hits);
        while let Some(last) = self.files.last_entry()
            && self.entries - weight(last.get()) >= limit
        {
            self.entries -= weight(last.get());
            last.remove();
        }
        let (last, _) = self.files.last_key_value()?;
        (self.entries >= limit).then(|| Arc::from(last.as_path()))
    }
}

/// How much of the limit a file takes.
pub(super) fn weight(hits: &FileHits) -> usize {
    hits.lines.len().max(1)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn hits(path: &str, lines: u64) -> FileHits {
        FileHits {
            path: PathBuf::from(path),
            lines: Vec::new(),
            matching_lines: lines,
            occurrences: 0,
            stopped_at_binary: false,
        }
    }

    proptest! {
        /// In whatever order the threads come: the first by path are kept, and all are counted.
        #[test]
        fn the_order_of_finding_changes_nothing(
            order in Just((0..30_usize).collect::<Vec<_>>()).prop_shuffle(),
            limit in 0..40_usize,
        ) {
            let found = Found::default();
            for number in &order {
                let path = format!("/{number:02}");
                // A file that is beyond never is one of those that are kept.
                prop_assert!(!found.is_beyond(Path::new(&path)) || *number >= limit);
                found.add(hits(&path, 2), limit);
            }
            let collected = found.collect();
            let kept: Vec<_> = collected.files.keys().cloned().collect();
            let first: Vec<_> = (0..limit.min(30)).map(|number| PathBuf::from(format!("/{number:02}"))).collect();
            prop_assert_eq!(kept, first);
            prop_assert_eq!((collected.totals.files, collected.totals.lines), (30, 60));
        }
    }
}
