//! Every name in the workspace's folders that an ignore file does not hide.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use ignore::{WalkBuilder, WalkState};

use crate::image::Stamp;

/// Folders of version control systems: the repository is never touched by an undo.
const VERSION_CONTROL: [&str; 5] = [".git", ".hg", ".svn", ".jj", ".sl"];
/// Found hidden by ignore files that are remembered, so that their loss can be told.
const MOST_IGNORED: usize = 5_000;

/// What was found.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// Files, links and folders, each with what the system says of it.
    pub(crate) entries: Vec<(PathBuf, std::fs::Metadata)>,
    /// Found that an ignore file hides, at the place where it begins to hide them. The stamp is
    /// absent for folders: what happens in them is not looked at.
    pub(crate) ignored: BTreeMap<PathBuf, Option<Stamp>>,
    /// True where there were more files than may be looked at.
    pub(crate) too_many: bool,
}

/// Walks the folders on several threads.
pub(crate) fn walk(roots: &[PathBuf], most: usize) -> Found {
    let mut names = Found::default();
    for root in outermost(roots) {
        let left = most.saturating_sub(names.entries.len());
        let found = walk_one(&root, left);
        names.entries.extend(found.entries);
        names.ignored.extend(found.ignored);
        names.too_many |= found.too_many;
    }
    names
}

/// The folders that lie in no other of them.
fn outermost(roots: &[PathBuf]) -> Vec<PathBuf> {
    let mut kept: Vec<PathBuf> = Vec::new();
    let mut sorted = roots.to_vec();
    sorted.sort();
    for root in sorted {
        if !kept.iter().any(|above| root.starts_with(above)) {
            kept.push(root);
        }
    }
    kept
}

fn walk_one(root: &Path, most: usize) -> Found {
    let in_repository = root
        .ancestors()
        .any(|folder| folder.join(".git").symlink_metadata().is_ok());
    let mut builder = WalkBuilder::new(root);
    builder
        .hidden(false)
        .follow_links(false)
        // As the searching tools do: without a repository a `.gitignore` still means what it says.
        .require_git(in_repository)
        .parents(in_repository)
        .git_global(in_repository)
        .threads(std::thread::available_parallelism().map_or(2, |count| count.get().min(8)))
        .filter_entry(|entry| entry.depth() == 0 || !is_of_others(entry.file_name()));
    let found = Mutex::new(Vec::new());
    let count = AtomicUsize::new(0);
    builder.build_parallel().run(|| {
        Box::new(|entry| {
            let Ok(entry) = entry else {
                return WalkState::Continue;
            };
            if entry.depth() == 0 {
                return WalkState::Continue;
            }
            if count.fetch_add(1, Ordering::Relaxed) >= most {
                return WalkState::Quit;
            }
            if let Ok(metadata) = entry.path().symlink_metadata() {
                found
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .push((entry.into_path(), metadata));
            }
            WalkState::Continue
        })
    });
    let entries = found.into_inner().unwrap_or_else(PoisonError::into_inner);
    let too_many = count.into_inner() > most;
    let ignored = if too_many {
        BTreeMap::new()
    } else {
        ignored_names(root, &entries)
    };
    Found {
        entries,
        ignored,
        too_many,
    }
}

/// The repository's, or a write of the app that is under way at this moment: no call's change.
fn is_of_others(name: &std::ffi::OsStr) -> bool {
    is_version_control(name) || adroit_workspace::is_temporary(name)
}

fn is_version_control(name: &std::ffi::OsStr) -> bool {
    VERSION_CONTROL.iter().any(|known| name == *known)
}

/// Found in the visited folders that the walk did not give.
fn ignored_names(
    root: &Path,
    entries: &[(PathBuf, std::fs::Metadata)],
) -> BTreeMap<PathBuf, Option<Stamp>> {
    let known: HashSet<&Path> = entries.iter().map(|(path, _)| path.as_path()).collect();
    let folders = entries
        .iter()
        .filter(|(_, metadata)| metadata.is_dir())
        .map(|(path, _)| path.as_path());
    let mut ignored = BTreeMap::new();
    for folder in std::iter::once(root).chain(folders) {
        let Ok(listing) = std::fs::read_dir(folder) else {
            continue;
        };
        for entry in listing.flatten() {
            let path = entry.path();
            if known.contains(path.as_path()) || is_of_others(&entry.file_name()) {
                continue;
            }
            let Ok(metadata) = path.symlink_metadata() else {
                continue;
            };
            let stamp = (!metadata.is_dir()).then(|| Stamp::of(&metadata));
            ignored.insert(path, stamp);
            if ignored.len() >= MOST_IGNORED {
                return ignored;
            }
        }
    }
    ignored
}
