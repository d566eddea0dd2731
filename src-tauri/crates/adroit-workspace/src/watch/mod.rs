//! Noticing that files change, by content.

mod compare;
mod folders;
#[cfg(test)]
mod tests;

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use notify::RecommendedWatcher;
use notify_debouncer_full::{DebounceEventResult, NoCache, new_debouncer_opt};
use tokio::sync::mpsc;

use self::compare::{State, Which, compare};
use self::folders::{Native, arm, is_limit};
use crate::ContentHash;

/// Events are gathered this long: a save is often several of them.
const DEBOUNCE: Duration = Duration::from_millis(60);
/// Where the system has no more watches to give, files are looked at this often instead.
const POLL: Duration = Duration::from_secs(2);

/// A file has another content than before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileChanged {
    /// The path as it was given to [`watch_files`].
    pub path: PathBuf,
    /// The hash of the new content; `None` when the file is gone or cannot be read.
    pub content: Option<ContentHash>,
}

/// What a watch has to tell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Noticed {
    /// A file changed.
    File(FileChanged),
    /// From now on some changes are noticed up to two seconds late. Told once.
    Polling(PollingReason),
}

/// Why the system does not tell of every change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PollingReason {
    /// It has no more watches to give (on Linux `fs.inotify.max_user_watches` or `max_user_instances`).
    Limit,
    /// Anything else that it answered.
    Other(String),
}

/// Watches files until it and every [`WatchSet`] of it are dropped.
pub struct FileWatch {
    noticed: mpsc::UnboundedReceiver<Noticed>,
    set: WatchSet,
}

/// The files that a [`FileWatch`] watches; more may be added while it runs.
#[derive(Clone)]
pub struct WatchSet(Arc<Shared>);

/// How changes are noticed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Noticing {
    /// The system tells.
    Told,
    /// The system does not tell of all: files are looked at every two seconds.
    Polling,
}

#[derive(Default)]
struct Known {
    files: HashMap<PathBuf, State>,
    folders: BTreeSet<PathBuf>,
}

/// What the watcher's and the polling thread work on. They hold it weakly: it ends with the last set.
struct Shared {
    known: Mutex<Known>,
    // Dropping it ends the watcher and its thread.
    native: Mutex<Option<Native>>,
    // Dropping it ends the polling thread.
    polling: Mutex<Option<std::sync::mpsc::Sender<()>>>,
    poll_every: Duration,
    sender: mpsc::UnboundedSender<Noticed>,
}

/// Reports changes of these files: by content, so that a save of the same content, a touched time and a
/// program's own write (see [`WatchSet::expect`]) are not reported. A file may come later, and so may
/// its folder; a save that replaces the file is one change. Only the folders that hold the files are
/// watched, so that a flood elsewhere (an installation, a build) costs nothing.
///
/// Where the system has no watches to give, from the beginning or later on, the files are looked at every
/// two seconds instead, and that is told.
pub fn watch_files(paths: impl IntoIterator<Item = PathBuf>) -> FileWatch {
    watch_with(paths, POLL, native)
}

fn watch_with(
    paths: impl IntoIterator<Item = PathBuf>,
    poll_every: Duration,
    make: impl FnOnce(Weak<Shared>) -> notify::Result<Native>,
) -> FileWatch {
    let files: HashMap<_, _> = paths
        .into_iter()
        .map(|path| {
            let state = State::of(&path);
            (path, state)
        })
        .collect();
    let (sender, noticed) = mpsc::unbounded_channel();
    let shared = Arc::new(Shared {
        known: Mutex::new(Known {
            files,
            folders: BTreeSet::new(),
        }),
        native: Mutex::default(),
        polling: Mutex::default(),
        poll_every,
        sender,
    });
    match make(Arc::downgrade(&shared)) {
        Ok(made) => {
            *lock(&shared.native) = Some(made);
            shared.arm();
        }
        Err(error) => shared.poll(&error),
    }
    FileWatch {
        noticed,
        set: WatchSet(shared),
    }
}

/// The system's own watcher, with its events gathered.
fn native(shared: Weak<Shared>) -> notify::Result<Native> {
    let debouncer = new_debouncer_opt::<_, RecommendedWatcher, NoCache>(
        DEBOUNCE,
        None,
        move |events: DebounceEventResult| {
            if let Some(shared) = shared.upgrade() {
                shared.happened(&Which::of(events));
            }
        },
        NoCache,
        notify::Config::default(),
    )?;
    Ok(Box::new(debouncer))
}

impl FileWatch {
    /// The next change of a file. Never ends while the watch or one of its sets lives.
    pub async fn changed(&mut self) -> Option<FileChanged> {
        loop {
            if let Noticed::File(changed) = self.noticed.recv().await? {
                return Some(changed);
            }
        }
    }

    /// The files that are watched.
    pub fn set(&self) -> &WatchSet {
        &self.set
    }

    /// The set, and what is noticed for as long as the set lives.
    pub fn into_parts(self) -> (WatchSet, mpsc::UnboundedReceiver<Noticed>) {
        (self.set, self.noticed)
    }
}

impl WatchSet {
    /// Watches one more file, of which this content is known. A file that is watched already is from
    /// now on compared with this content.
    pub fn add(&self, path: &Path, content: Option<ContentHash>) -> Noticing {
        let shared = &self.0;
        let is_new = lock(&shared.known)
            .files
            .insert(path.to_owned(), State::known(path, content))
            .is_none();
        if is_new {
            shared.arm();
            // What changed before the watch began was told to nobody.
            compare(
                &shared.known,
                &shared.sender,
                &Which::These([path.to_owned()].into()),
            );
        }
        self.noticing()
    }

    /// Watches a file no more.
    pub fn remove(&self, path: &Path) {
        lock(&self.0.known).files.remove(path);
    }

    /// Tells the watch what this program itself is about to write, so that it is not reported; a write
    /// by someone else right afterwards still is.
    pub fn expect(&self, path: &Path, content: ContentHash) {
        if let Some(present) = lock(&self.0.known).files.get_mut(path) {
            present.content = Some(content);
        }
    }

    /// How changes are noticed now.
    pub fn noticing(&self) -> Noticing {
        if lock(&self.0.polling).is_some() {
            Noticing::Polling
        } else {
            Noticing::Told
        }
    }
}

impl Shared {
    /// Something happened in a watched folder. Whatever it was, the files themselves tell what they are
    /// now.
    fn happened(self: &Arc<Self>, which: &Which) {
        // Folders first: what comes into being in a folder not yet watched must not be missed.
        self.arm();
        compare(&self.known, &self.sender, which);
    }

    /// Watches the folders that the files need; what the system refuses is looked at instead.
    fn arm(self: &Arc<Self>) {
        let refused = match lock(&self.native).as_mut() {
            Some(native) => arm(native.as_mut(), &self.known).err(),
            None => None,
        };
        if let Some(error) = refused {
            self.poll(&error);
        }
    }

    /// Looks at the files again and again instead of being told.
    fn poll(self: &Arc<Self>, error: &notify::Error) {
        let mut polling = lock(&self.polling);
        if polling.is_some() {
            return;
        }
        tracing::warn!(%error, "not all watched files can be watched by the system: looking at them every two seconds");
        let (stop, stopped) = std::sync::mpsc::channel();
        *polling = Some(stop);
        let reason = if is_limit(error) {
            PollingReason::Limit
        } else {
            PollingReason::Other(error.to_string())
        };
        // Nobody listens any more where this fails.
        let _ = self.sender.send(Noticed::Polling(reason));
        let (shared, every) = (Arc::downgrade(self), self.poll_every);
        std::thread::spawn(move || {
            while stopped.recv_timeout(every) == Err(std::sync::mpsc::RecvTimeoutError::Timeout) {
                let Some(shared) = shared.upgrade() else {
                    return;
                };
                compare(&shared.known, &shared.sender, &Which::Restamped);
            }
        });
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
