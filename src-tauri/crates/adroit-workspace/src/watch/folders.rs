//! Which folders the system is asked to watch.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use notify::{ErrorKind, RecommendedWatcher, RecursiveMode};
use notify_debouncer_full::{Debouncer, NoCache};
use rustix::io::Errno;

use super::{Known, lock};

/// What tells of events in folders.
pub(super) trait FolderWatcher: Send {
    /// Watches the entries of one folder, and nothing below them.
    fn watch(&mut self, folder: &Path) -> notify::Result<()>;

    /// Watches it no more.
    fn unwatch(&mut self, folder: &Path) -> notify::Result<()>;
}

pub(super) type Native = Box<dyn FolderWatcher>;

impl FolderWatcher for Debouncer<RecommendedWatcher, NoCache> {
    fn watch(&mut self, folder: &Path) -> notify::Result<()> {
        Debouncer::watch(self, folder, RecursiveMode::NonRecursive)
    }

    fn unwatch(&mut self, folder: &Path) -> notify::Result<()> {
        Debouncer::unwatch(self, folder)
    }
}

/// Whether the system has no more watches, or no more descriptors to watch with (`inotify(7)`: ENOSPC for
/// a watch; EMFILE and ENFILE for an instance).
pub(super) fn is_limit(error: &notify::Error) -> bool {
    match &error.kind {
        ErrorKind::MaxFilesWatch => true,
        ErrorKind::Io(io) => matches!(
            Errno::from_io_error(io),
            Some(Errno::NOSPC | Errno::MFILE | Errno::NFILE)
        ),
        _ => false,
    }
}

fn is_gone(error: &notify::Error) -> bool {
    match &error.kind {
        ErrorKind::PathNotFound => true,
        ErrorKind::Io(io) => io.kind() == std::io::ErrorKind::NotFound,
        _ => false,
    }
}

/// Watches the folder of each file, or the deepest that exists: a watch on the file itself would follow
/// the old file away when an editor replaces it. What can be watched is, whatever is refused beside it.
///
/// # Errors
/// The first refusal.
pub(super) fn arm(watcher: &mut dyn FolderWatcher, known: &Mutex<Known>) -> notify::Result<()> {
    let mut known = lock(known);
    let wanted: BTreeSet<PathBuf> = known
        .files
        .keys()
        .flat_map(|path| folders_of(path))
        .collect();
    for gone in known.folders.difference(&wanted) {
        let _ = watcher.unwatch(gone);
    }
    let mut watched: BTreeSet<PathBuf> = known.folders.intersection(&wanted).cloned().collect();
    let mut refused = Ok(());
    for new in wanted.difference(&known.folders) {
        match watcher.watch(new) {
            Ok(()) => {
                watched.insert(new.clone());
            }
            // Gone again meanwhile; the next event brings another look.
            Err(error) if is_gone(&error) => {}
            Err(error) => refused = refused.and(Err(error)),
        }
    }
    known.folders = watched;
    refused
}

/// The folder that holds the name, and the one that holds the file the name is a link to.
fn folders_of(path: &Path) -> Vec<PathBuf> {
    let deepest = |path: &Path| {
        path.ancestors()
            .skip(1)
            .find(|folder| folder.is_dir())
            .map(Path::to_owned)
    };
    let target = path.canonicalize().ok().and_then(|real| deepest(&real));
    deepest(path).into_iter().chain(target).collect()
}
