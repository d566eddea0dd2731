//! Noticing that files change, by content.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use notify::{RecommendedWatcher, RecursiveMode};
use notify_debouncer_full::{DebounceEventResult, Debouncer, NoCache, new_debouncer_opt};
use thiserror::Error;
use tokio::sync::mpsc;

use crate::{ContentHash, ReadError, display_path, read_bytes_capped};

/// Events are gathered this long: a save is often several of them.
const DEBOUNCE: Duration = Duration::from_millis(60);
/// A file that is gone is looked for again after this before it counts as deleted: many editors save
/// by moving the old file away and writing a new one.
const GONE_GRACE: Duration = Duration::from_millis(250);
/// Where the system has no more watches to give, files are looked at this often instead.
const POLL: Duration = Duration::from_secs(2);
/// The largest file that is watched by content, in bytes.
const MAX_WATCHED: u64 = 16 << 20;

/// A file has another content than before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileChanged {
    /// The path as it was given to [`watch_files`].
    pub path: PathBuf,
    /// The hash of the new content; `None` when the file is gone or cannot be read.
    pub content: Option<ContentHash>,
}

/// Why nothing can be watched.
#[derive(Debug, Error)]
pub enum WatchError {
    /// Not even by looking again and again.
    #[error("cannot watch files for changes: {0}")]
    Unavailable(notify::Error),
}

/// Watches files until it is dropped.
pub struct FileWatch {
    changes: mpsc::UnboundedReceiver<FileChanged>,
    known: Arc<Mutex<Known>>,
    _watcher: Watcher,
    polling: bool,
}

enum Watcher {
    Native {
        _debouncer: Arc<Mutex<Option<Native>>>,
    },
    Polling {
        _stop: std::sync::mpsc::Sender<()>,
    },
}

type Native = Debouncer<RecommendedWatcher, NoCache>;

#[derive(Default)]
struct Known {
    contents: HashMap<PathBuf, Option<ContentHash>>,
    folders: BTreeSet<PathBuf>,
}

/// Reports changes of these files: by content, so that a save of the same content, a touched time and a
/// program's own write (see [`FileWatch::expect`]) are not reported. A file may come later, and so may
/// its folder; a save that replaces the file is one change.
///
/// # Errors
/// When there is no way to watch at all. Where only the system's watches are used up, it polls.
pub fn watch_files(paths: impl IntoIterator<Item = PathBuf>) -> Result<FileWatch, WatchError> {
    let contents: HashMap<_, _> = paths
        .into_iter()
        .map(|path| {
            let content = content_of(&path);
            (path, content)
        })
        .collect();
    let known = Arc::new(Mutex::new(Known {
        contents,
        folders: BTreeSet::new(),
    }));
    let (sender, changes) = mpsc::unbounded_channel();
    match native(&known, &sender) {
        Ok(debouncer) => Ok(FileWatch {
            changes,
            known,
            _watcher: Watcher::Native {
                _debouncer: debouncer,
            },
            polling: false,
        }),
        Err(error) => {
            tracing::warn!(%error, "no system watches left: looking at watched files every two seconds");
            let stop = poll(Arc::clone(&known), sender);
            Ok(FileWatch {
                changes,
                known,
                _watcher: Watcher::Polling { _stop: stop },
                polling: true,
            })
        }
    }
}

impl FileWatch {
    /// The next change. Never ends while the watch lives.
    pub async fn changed(&mut self) -> Option<FileChanged> {
        self.changes.recv().await
    }

    /// Tells the watch what this program itself is about to write, so that it is not reported; a write
    /// by someone else right afterwards still is.
    pub fn expect(&self, path: &Path, content: ContentHash) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(present) = known.contents.get_mut(path) {
            *present = Some(content);
        }
    }

    /// Whether it polls, because the system has no more watches to give.
    pub fn is_polling(&self) -> bool {
        self.polling
    }
}

fn native(
    known: &Arc<Mutex<Known>>,
    sender: &mpsc::UnboundedSender<FileChanged>,
) -> notify::Result<Arc<Mutex<Option<Native>>>> {
    let slot: Arc<Mutex<Option<Native>>> = Arc::default();
    // Weak: the watcher's own thread must not keep the watcher alive.
    let own = Arc::downgrade(&slot);
    let (known_there, sender) = (Arc::clone(known), sender.clone());
    let debouncer = new_debouncer_opt::<_, RecommendedWatcher, NoCache>(
        DEBOUNCE,
        None,
        move |_: DebounceEventResult| {
            // Whatever happened, the files themselves tell what they are now. Folders first: what comes
            // into being in a folder not yet watched must not be missed.
            if let Some(slot) = own.upgrade()
                && let Some(debouncer) =
                    slot.lock().unwrap_or_else(PoisonError::into_inner).as_mut()
            {
                let _ = arm(debouncer, &known_there);
            }
            compare(&known_there, &sender);
        },
        NoCache,
        notify::Config::default(),
    )?;
    let mut held = slot.lock().unwrap_or_else(PoisonError::into_inner);
    arm(held.insert(debouncer), known)?;
    drop(held);
    Ok(slot)
}

/// Watches the folder of each file, or the deepest that exists: a watch on the file itself would follow
/// the old file away when an editor replaces it.
fn arm(debouncer: &mut Native, known: &Mutex<Known>) -> notify::Result<()> {
    let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
    let wanted: BTreeSet<PathBuf> = known
        .contents
        .keys()
        .flat_map(|path| folders_of(path))
        .collect();
    for gone in known.folders.difference(&wanted) {
        let _ = debouncer.unwatch(gone);
    }
    let mut watched: BTreeSet<PathBuf> = known.folders.intersection(&wanted).cloned().collect();
    for new in wanted.difference(&known.folders) {
        match debouncer.watch(new, RecursiveMode::NonRecursive) {
            Ok(()) => {
                watched.insert(new.clone());
            }
            // Gone again meanwhile; the next event brings another look.
            Err(error) if matches!(error.kind, notify::ErrorKind::PathNotFound) => {}
            Err(error) if matches!(&error.kind, notify::ErrorKind::Io(io) if io.kind() == std::io::ErrorKind::NotFound) =>
                {}
            Err(error) => return Err(error),
        }
    }
    known.folders = watched;
    Ok(())
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

fn compare(known: &Mutex<Known>, sender: &mpsc::UnboundedSender<FileChanged>) {
    let paths: Vec<PathBuf> = known
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .contents
        .keys()
        .cloned()
        .collect();
    let present: Vec<_> = paths
        .into_iter()
        .map(|path| {
            let content = content_of(&path);
            (path, content)
        })
        .collect();
    let vanished = {
        let known = known.lock().unwrap_or_else(PoisonError::into_inner);
        present.iter().any(|(path, content)| {
            content.is_none() && known.contents.get(path).is_some_and(Option::is_some)
        })
    };
    let present = if vanished {
        std::thread::sleep(GONE_GRACE);
        present
            .into_iter()
            .map(|(path, _)| {
                let content = content_of(&path);
                (path, content)
            })
            .collect()
    } else {
        present
    };
    for (path, content) in present {
        let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(before) = known.contents.get_mut(&path) else {
            continue;
        };
        if *before != content {
            *before = content;
            let _ = sender.send(FileChanged { path, content });
        }
    }
}

fn poll(
    known: Arc<Mutex<Known>>,
    sender: mpsc::UnboundedSender<FileChanged>,
) -> std::sync::mpsc::Sender<()> {
    let (stop, stopped) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        while stopped.recv_timeout(POLL) == Err(std::sync::mpsc::RecvTimeoutError::Timeout) {
            compare(&known, &sender);
        }
    });
    stop
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

#[cfg(test)]
mod tests {
    use super::*;

    fn folder() -> (tempfile::TempDir, PathBuf) {
        let temporary = tempfile::tempdir().unwrap();
        let path = temporary.path().canonicalize().unwrap();
        (temporary, path)
    }

    #[tokio::test]
    async fn a_save_that_replaces_the_file_is_one_change() {
        let (_temporary, root) = folder();
        let path = root.join("f");
        std::fs::write(&path, "old").unwrap();
        let mut watch = watch_files([path.clone()]).unwrap();
        std::fs::rename(&path, root.join("f~")).unwrap();
        std::fs::write(&path, "new").unwrap();
        std::fs::remove_file(root.join("f~")).unwrap();
        let change = watch.changed().await.unwrap();
        assert_eq!(
            change,
            FileChanged {
                path: path.clone(),
                content: Some(ContentHash::of(b"new"))
            }
        );
        // And after the replacement it is still watched.
        std::fs::write(&path, "third").unwrap();
        assert_eq!(
            watch.changed().await.unwrap().content,
            Some(ContentHash::of(b"third"))
        );
    }

    #[tokio::test]
    async fn a_file_whose_folder_does_not_exist_yet() {
        let (_temporary, root) = folder();
        let path = root.join("later/deep/settings.json");
        let mut watch = watch_files([path.clone()]).unwrap();
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, "{}").unwrap();
        assert_eq!(
            watch.changed().await.unwrap().content,
            Some(ContentHash::of(b"{}"))
        );
        std::fs::remove_file(&path).unwrap();
        assert_eq!(watch.changed().await.unwrap().content, None);
    }

    #[tokio::test]
    async fn own_writes_are_not_reported_and_others_are() {
        let (_temporary, root) = folder();
        let path = root.join("f");
        std::fs::write(&path, "old").unwrap();
        let mut watch = watch_files([path.clone()]).unwrap();
        watch.expect(&path, ContentHash::of(b"own"));
        crate::write_atomic(&path, b"own", crate::WriteOptions::default()).unwrap();
        std::fs::write(&path, "external").unwrap();
        assert_eq!(
            watch.changed().await.unwrap().content,
            Some(ContentHash::of(b"external"))
        );
    }

    #[test]
    fn without_system_watches_it_compares_as_well() {
        let (_temporary, root) = folder();
        let path = root.join("f");
        let (sender, mut receiver) = mpsc::unbounded_channel();
        let known = Mutex::new(Known {
            contents: HashMap::from([(path.clone(), None)]),
            folders: BTreeSet::new(),
        });
        std::fs::write(&path, "x").unwrap();
        compare(&known, &sender);
        compare(&known, &sender);
        assert_eq!(
            receiver.try_recv().unwrap().content,
            Some(ContentHash::of(b"x"))
        );
        assert!(receiver.try_recv().is_err());
    }
}
