//! Noticing that files change, by content.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use notify::{RecommendedWatcher, RecursiveMode};
use notify_debouncer_full::{DebounceEventResult, Debouncer, NoCache, new_debouncer_opt};
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

/// Watches files until it and every [`WatchSet`] of it are dropped.
pub struct FileWatch {
    changes: mpsc::UnboundedReceiver<FileChanged>,
    set: WatchSet,
}

/// The files that a [`FileWatch`] watches; more may be added while it runs.
#[derive(Clone)]
pub struct WatchSet {
    known: Arc<Mutex<Known>>,
    // Only held: dropping it ends the watcher and its thread.
    native: Arc<Mutex<Option<Native>>>,
    polling: Arc<Mutex<Option<std::sync::mpsc::Sender<()>>>>,
    sender: mpsc::UnboundedSender<FileChanged>,
}

/// How changes are noticed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Noticing {
    /// The system tells.
    Told,
    /// The system has no more watches to give: files are looked at every two seconds.
    Polling,
}

type Native = Debouncer<RecommendedWatcher, NoCache>;

#[derive(Default)]
struct Known {
    files: HashMap<PathBuf, State>,
    folders: BTreeSet<PathBuf>,
}

/// What a file was when it was last looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct State {
    content: Option<ContentHash>,
    /// Equal stamps mean that polling need not read the file. Never used where the system says that
    /// something happened: a change may keep time and size.
    stamp: Option<(std::time::SystemTime, u64)>,
}

impl State {
    fn of(path: &Path) -> Self {
        // The stamp first: what changes in between is read again at the next look.
        Self {
            stamp: stamp_of(path),
            content: content_of(path),
        }
    }
}

/// Reports changes of these files: by content, so that a save of the same content, a touched time and a
/// program's own write (see [`WatchSet::expect`]) are not reported. A file may come later, and so may
/// its folder; a save that replaces the file is one change. Only the folders that hold the files are
/// watched, so that a flood elsewhere (an installation, a build) costs nothing.
///
/// Where the system has no watches to give, the files are looked at every two seconds instead.
pub fn watch_files(paths: impl IntoIterator<Item = PathBuf>) -> FileWatch {
    let files: HashMap<_, _> = paths
        .into_iter()
        .map(|path| {
            let state = State::of(&path);
            (path, state)
        })
        .collect();
    let (sender, changes) = mpsc::unbounded_channel();
    let set = WatchSet {
        known: Arc::new(Mutex::new(Known {
            files,
            folders: BTreeSet::new(),
        })),
        native: Arc::default(),
        polling: Arc::default(),
        sender,
    };
    if let Err(error) = set.start() {
        set.poll(&error);
    }
    FileWatch { changes, set }
}

impl FileWatch {
    /// The next change. Never ends while the watch or one of its sets lives.
    pub async fn changed(&mut self) -> Option<FileChanged> {
        self.changes.recv().await
    }

    /// The files that are watched.
    pub fn set(&self) -> &WatchSet {
        &self.set
    }

    /// The set, and the changes for as long as the set lives.
    pub fn into_parts(self) -> (WatchSet, mpsc::UnboundedReceiver<FileChanged>) {
        (self.set, self.changes)
    }
}

impl WatchSet {
    /// Watches one more file, of which this content is known. A file that is watched already is from
    /// now on compared with this content.
    pub fn add(&self, path: &Path, content: Option<ContentHash>) -> Noticing {
        let state = State {
            stamp: stamp_of(path),
            content,
        };
        let new = lock(&self.known)
            .files
            .insert(path.to_owned(), state)
            .is_none();
        if new && let Some(debouncer) = lock(&self.native).as_mut() {
            if let Err(error) = arm(debouncer, &self.known) {
                self.poll(&error);
            }
            // What changed before the watch began was told to nobody.
            compare(
                &self.known,
                &self.sender,
                &Which::These([path.to_owned()].into()),
            );
        }
        self.noticing()
    }

    /// Watches a file no more.
    pub fn remove(&self, path: &Path) {
        lock(&self.known).files.remove(path);
    }

    /// Tells the watch what this program itself is about to write, so that it is not reported; a write
    /// by someone else right afterwards still is.
    pub fn expect(&self, path: &Path, content: ContentHash) {
        if let Some(present) = lock(&self.known).files.get_mut(path) {
            present.content = Some(content);
        }
    }

    /// How changes are noticed now.
    pub fn noticing(&self) -> Noticing {
        if lock(&self.polling).is_some() {
            Noticing::Polling
        } else {
            Noticing::Told
        }
    }

    fn start(&self) -> notify::Result<()> {
        // Weak: the watcher's own thread must not keep the watcher alive.
        let own = Arc::downgrade(&self.native);
        let (known, sender) = (Arc::clone(&self.known), self.sender.clone());
        let debouncer = new_debouncer_opt::<_, RecommendedWatcher, NoCache>(
            DEBOUNCE,
            None,
            move |events: DebounceEventResult| {
                // Whatever happened, the files themselves tell what they are now. Folders first: what
                // comes into being in a folder not yet watched must not be missed.
                if let Some(slot) = own.upgrade()
                    && let Some(debouncer) = lock(&slot).as_mut()
                    && let Err(error) = arm(debouncer, &known)
                {
                    tracing::warn!(%error, "a folder cannot be watched");
                }
                compare(&known, &sender, &Which::of(events));
            },
            NoCache,
            notify::Config::default(),
        )?;
        arm(lock(&self.native).insert(debouncer), &self.known)
    }

    /// Looks at the files again and again instead of being told.
    fn poll(&self, error: &notify::Error) {
        let mut polling = lock(&self.polling);
        if polling.is_some() {
            return;
        }
        tracing::warn!(%error, "no system watches left: looking at watched files every two seconds");
        let (stop, stopped) = std::sync::mpsc::channel();
        *polling = Some(stop);
        let (known, sender) = (Arc::clone(&self.known), self.sender.clone());
        std::thread::spawn(move || {
            while stopped.recv_timeout(POLL) == Err(std::sync::mpsc::RecvTimeoutError::Timeout) {
                compare(&known, &sender, &Which::Restamped);
            }
        });
    }
}

/// Which files are looked at.
enum Which {
    /// Something happened, nobody knows where.
    All,
    /// Those that have another time or size.
    Restamped,
    /// Those at these paths or below them.
    These(HashSet<PathBuf>),
}

impl Which {
    fn of(events: DebounceEventResult) -> Self {
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

    fn concerns(&self, path: &Path, state: &State) -> bool {
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

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Watches the folder of each file, or the deepest that exists: a watch on the file itself would follow
/// the old file away when an editor replaces it.
fn arm(debouncer: &mut Native, known: &Mutex<Known>) -> notify::Result<()> {
    let mut known = lock(known);
    let wanted: BTreeSet<PathBuf> = known
        .files
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

fn compare(known: &Mutex<Known>, sender: &mpsc::UnboundedSender<FileChanged>, which: &Which) {
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
            let _ = sender.send(FileChanged { path, content });
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

#[cfg(test)]
mod tests {
    use super::*;

    fn folder() -> (tempfile::TempDir, PathBuf) {
        let temporary = tempfile::tempdir().unwrap();
        let path = temporary.path().canonicalize().unwrap();
        (temporary, path)
    }

    #[tokio::test]
    async fn dv_watch_001_a_save_that_replaces_the_file_is_one_change() {
        let (_temporary, root) = folder();
        let path = root.join("f");
        std::fs::write(&path, "old").unwrap();
        let mut watch = watch_files([path.clone()]);
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
        let mut watch = watch_files([path.clone()]);
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
    async fn dv_watch_003_own_writes_are_not_reported_and_others_are() {
        let (_temporary, root) = folder();
        let path = root.join("f");
        std::fs::write(&path, "old").unwrap();
        let mut watch = watch_files([path.clone()]);
        watch.set().expect(&path, ContentHash::of(b"own"));
        crate::write_atomic(&path, b"own", crate::WriteOptions::default()).unwrap();
        std::fs::write(&path, "external").unwrap();
        assert_eq!(
            watch.changed().await.unwrap().content,
            Some(ContentHash::of(b"external"))
        );
    }

    #[tokio::test]
    async fn files_are_added_while_it_runs_and_changes_since_they_were_read_are_told() {
        let (_temporary, root) = folder();
        let (one, two) = (root.join("one"), root.join("deep/two"));
        std::fs::create_dir(root.join("deep")).unwrap();
        std::fs::write(&one, "1").unwrap();
        std::fs::write(&two, "changed already").unwrap();
        let (set, mut changes) = watch_files([]).into_parts();
        assert_eq!(set.add(&one, Some(ContentHash::of(b"1"))), Noticing::Told);
        std::fs::write(&one, "one").unwrap();
        assert_eq!(
            changes.recv().await.unwrap().content,
            Some(ContentHash::of(b"one"))
        );
        // It was read with another content than it has by now.
        set.add(&two, Some(ContentHash::of(b"read before")));
        assert_eq!(changes.recv().await.unwrap().path, two);
        set.remove(&two);
        std::fs::write(&two, "not watched").unwrap();
        std::fs::write(&one, "last").unwrap();
        assert_eq!(changes.recv().await.unwrap().path, one);
        // Without the set nothing is watched, and the changes end.
        drop(set);
        assert_eq!(changes.recv().await, None);
    }

    /// Thousands of files come and go in a folder beside, and some in the very folder: the change is
    /// noticed, and nothing else is.
    #[tokio::test]
    async fn dv_watch_002_a_flood_beside_hides_no_change() {
        let (_temporary, root) = folder();
        for place in ["src", "node_modules", "target"] {
            std::fs::create_dir(root.join(place)).unwrap();
        }
        let path = root.join("src/main.rs");
        std::fs::write(&path, "old").unwrap();
        let mut watch = watch_files([path.clone()]);
        for round in 0..3_000 {
            std::fs::write(root.join(format!("node_modules/{round}")), "x").unwrap();
            std::fs::write(root.join(format!("src/{round}.tmp")), "x").unwrap();
            if round == 1_500 {
                std::fs::write(&path, "new").unwrap();
            }
            std::fs::remove_file(root.join(format!("src/{round}.tmp"))).unwrap();
        }
        let change = watch.changed().await.unwrap();
        assert_eq!(change.content, Some(ContentHash::of(b"new")));
        let watched = lock(&watch.set.known).folders.clone();
        assert_eq!(watched, BTreeSet::from([root.join("src")]));
    }

    #[test]
    fn only_what_an_event_names_is_read_again() {
        let state = State {
            content: Some(ContentHash::of(b"x")),
            stamp: None,
        };
        let these = |paths: &[&str]| Which::These(paths.iter().map(PathBuf::from).collect());
        let file = Path::new("/no/where/f");
        assert!(these(&["/no/where/f"]).concerns(file, &state));
        assert!(these(&["/no"]).concerns(file, &state));
        assert!(!these(&["/no/where/g", "/no/where/f2"]).concerns(file, &state));
        assert!(Which::All.concerns(file, &state));
        assert!(!Which::Restamped.concerns(file, &state));
        let gone = State {
            content: None,
            stamp: None,
        };
        assert!(Which::Restamped.concerns(file, &gone));
    }

    #[test]
    fn without_system_watches_it_compares_by_time_and_size_and_then_by_content() {
        let (_temporary, root) = folder();
        let path = root.join("f");
        let (sender, mut receiver) = mpsc::unbounded_channel();
        let nothing = State {
            content: None,
            stamp: None,
        };
        let known = Mutex::new(Known {
            files: HashMap::from([(path.clone(), nothing)]),
            folders: BTreeSet::new(),
        });
        std::fs::write(&path, "x").unwrap();
        compare(&known, &sender, &Which::Restamped);
        compare(&known, &sender, &Which::Restamped);
        assert_eq!(
            receiver.try_recv().unwrap().content,
            Some(ContentHash::of(b"x"))
        );
        assert!(receiver.try_recv().is_err());
    }
}
