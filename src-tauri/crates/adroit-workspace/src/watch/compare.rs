//! What files are, and whether they are still what they were.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;

use notify_debouncer_full::DebounceEventResult;
use tokio::sync::mpsc;

use super::{FileChanged, Known, Noticed, lock};
use crate::{ContentHash, ReadError, display_path, read_bytes_capped};

/// A file that is gone is looked for again after this before it counts as deleted: many editors save
/// by moving the old file away and writing a new one.
const GONE_GRACE: Duration = Duration::from_millis(250);
/// The largest file that is watched by content, in bytes.
const MAX_WATCHED: u64 = 16 << 20;

/// What a file was when it was last looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct State {
    pub(super) content: Option<ContentHash>,
    /// Equal stamps mean that polling need not read the file. Never used where the system says that
    /// something happened: a change may keep time and size.
    pub(super) stamp: Option<(std::time::SystemTime, u64)>,
}

impl State {
    pub(super) fn of(path: &Path) -> Self {
        // The stamp first: what changes in between is read again at the next look.
        Self {
            stamp: stamp_of(path),
            content: content_of(path),
        }
    }
    /// A file whose content is known from elsewhere.
    pub(super) fn known(path: &Path, content: Option<ContentHash>) -> Self {
        Self {
            stamp: stamp_of(path),
            content,
        }
    }
}

/// Which files are looked at.
pub(super) enum Which {
    /// Something happened, nobody knows where.
    All,
    /// Those that have another time or size.
    Restamped,
    /// Those at these paths or below them.
    These(HashSet<PathBuf>),
}

impl Which {
    pub(super) fn of(events: DebounceEventResult) -> Self {
        match events {
            // An overflow of the system's queue: events were lost.
            Ok(events) if events.iter().any(|event| event.need_rescan()) => Self::All,
            Ok(events) => Self::These(
                events
                    .into_iter()
                    .flat_map(|event| event.event.paths)
                    .collect(),
            ),
            Err(_) => Self::All,
        }
    }

    pub(super) fn concerns(&self, path: &Path, state: &State) -> bool {
        let named = |path: &Path, paths: &HashSet<PathBuf>| {
            path.ancestors().any(|part| paths.contains(part))
        };
        match self {
            Self::All => true,
            Self::Restamped => stamp_of(path) != state.stamp || state.content.is_none(),
            Self::These(paths) => {
                named(path, paths)
                    || path
                        .canonicalize()
                        .is_ok_and(|real| real != path && named(&real, paths))
            }
        }
    }
}

/// Looks at the files and tells which have another content than before.
pub(super) fn compare(
    known: &Mutex<Known>,
    sender: &mpsc::UnboundedSender<Noticed>,
    which: &Which,
) {
    let files: Vec<(PathBuf, State)> = {
        let known = lock(known);
        let files = known.files.iter();
        files.map(|(path, state)| (path.clone(), *state)).collect()
    };
    let look = |path: PathBuf| {
        let state = State::of(&path);
        (path, state)
    };
    let mut present: Vec<(PathBuf, State)> = files
        .iter()
        .filter(|(path, state)| which.concerns(path, state))
        .map(|(path, _)| look(path.clone()))
        .collect();
    let vanished = present.iter().any(|(path, state)| {
        state.content.is_none()
            && files
                .iter()
                .any(|(other, before)| other == path && before.content.is_some())
    });
    if vanished {
        std::thread::sleep(GONE_GRACE);
        present = present.into_iter().map(|(path, _)| look(path)).collect();
    }
    for (path, state) in present {
        let mut known = lock(known);
        let Some(before) = known.files.get_mut(&path) else {
            continue;
        };
        let changed = before.content != state.content;
        *before = state;
        if changed {
            let content = state.content;
            let _ = sender.send(Noticed::File(FileChanged { path, content }));
        }
    }
}

fn stamp_of(path: &Path) -> Option<(std::time::SystemTime, u64)> {
    let facts = path.metadata().ok()?;
    Some((facts.modified().ok()?, facts.len()))
}

fn content_of(path: &Path) -> Option<ContentHash> {
    match read_bytes_capped(path, MAX_WATCHED) {
        Ok(bytes) => Some(ContentHash::of(&bytes)),
        Err(ReadError::NotFound(_)) => None,
        Err(error) => {
            tracing::debug!(path = %display_path(path), %error, "a watched file cannot be read");
            None
        }
    }
}
