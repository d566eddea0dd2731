//! What the agent has read, watched for changes by others.
//!
//! A stale edit is refused without this: it looks at the file itself. The watch tells the person, while
//! they look at a call or a request, that the file behind it is another one by now.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use adroit_protocol::event::{Event, SessionChange};
use adroit_protocol::view::Tone;
use adroit_tool::{FileState, RememberedFiles, Seen};
use adroit_workspace::{
    ContentHash, FileChanged, Noticed, PollingReason, WatchSet, display_path, watch_files,
};
use tokio::sync::mpsc::UnboundedReceiver;

use crate::state::SessionState;

/// Files that are watched for one session. A session that reads more still notices stale edits.
const MAX_WATCHED: usize = 1_000;

/// The files of a session that somebody looks at.
pub(crate) struct WatchedFiles {
    changed: Arc<Changed>,
    watch: OnceLock<WatchSet>,
}

/// Which files are not what the agent has read.
struct Changed {
    seen: RememberedFiles,
    project: PathBuf,
    state: Arc<SessionState>,
    paths: Mutex<BTreeSet<PathBuf>>,
}

impl WatchedFiles {
    /// Nothing is watched before the first file was read.
    pub(crate) fn new(project: &Path, state: Arc<SessionState>) -> Self {
        Self {
            changed: Arc::new(Changed {
                seen: RememberedFiles::default(),
                project: project.to_path_buf(),
                state,
                paths: Mutex::default(),
            }),
            watch: OnceLock::new(),
        }
    }

    fn watch(&self) -> Option<&WatchSet> {
        if let Some(set) = self.watch.get() {
            return Some(set);
        }
        // Outside a runtime there is nobody to tell.
        let runtime = tokio::runtime::Handle::try_current().ok()?;
        Some(self.watch.get_or_init(|| {
            let (set, noticed) = watch_files([]).into_parts();
            // Ends with the set, which this value holds.
            runtime.spawn(listen(Arc::clone(&self.changed), noticed));
            set
        }))
    }

    fn follow(&self, path: &Path, seen: Seen) {
        if self.changed.seen.all().len() > MAX_WATCHED {
            return;
        }
        let Some(set) = self.watch() else { return };
        set.add(path, Some(ContentHash::from_bytes(seen.hash)));
    }
}

impl FileState for WatchedFiles {
    fn record(&self, path: &Path, seen: Seen) {
        self.changed.seen.record(path, seen);
        self.changed.set(path, false);
        self.follow(path, seen);
    }

    fn seen(&self, path: &Path) -> Option<Seen> {
        self.changed.seen.seen(path)
    }

    fn forget(&self, path: &Path) {
        self.changed.seen.forget(path);
        self.changed.set(path, false);
        if let Some(set) = self.watch.get() {
            set.remove(path);
        }
    }

    fn all(&self) -> Vec<(PathBuf, Seen)> {
        self.changed.seen.all()
    }

    fn remember_text(&self, path: &Path, text: Arc<str>) {
        self.changed.seen.remember_text(path, text);
    }

    fn text(&self, path: &Path) -> Option<Arc<str>> {
        self.changed.seen.text(path)
    }
}

async fn listen(changed: Arc<Changed>, mut noticed: UnboundedReceiver<Noticed>) {
    while let Some(noticed) = noticed.recv().await {
        let FileChanged { path, content } = match noticed {
            Noticed::File(changed) => changed,
            Noticed::Polling(reason) => {
                changed.state.emit(polling(reason));
                continue;
            }
        };
        // By now the agent may have read or written just this content itself.
        let Some(seen) = changed.seen.seen(&path) else {
            continue;
        };
        changed.set(&path, content.map(ContentHash::bytes) != Some(seen.hash));
    }
}

/// Changes by others will be noticed late.
fn polling(reason: PollingReason) -> Event {
    let (text, hint) = match reason {
        PollingReason::Limit => (
            "The system has no file watches left: changes by other programs are noticed every two seconds.".to_owned(),
            "On Linux, raise fs.inotify.max_user_watches (and max_user_instances).",
        ),
        PollingReason::Other(error) => (
            format!("Files cannot be watched ({error}): changes by other programs are noticed every two seconds."),
            "An edit of a file that changed is refused all the same.",
        ),
    };
    Event::Notice {
        tone: Tone::Warning,
        text,
        hint: Some(hint.to_owned()),
    }
}

impl Changed {
    /// Notes whether a file is another one than was read, and tells where that is news.
    fn set(&self, path: &Path, changed: bool) {
        let mut paths = self.paths.lock().unwrap_or_else(PoisonError::into_inner);
        let news = if changed {
            paths.insert(path.to_path_buf())
        } else {
            paths.remove(path)
        };
        if news {
            let shown = paths.iter().map(|path| self.display(path)).collect();
            // Sent while the lock is held, so that the last set is the last told.
            self.state
                .change(SessionChange::ChangedFiles { paths: shown });
        }
    }

    fn display(&self, path: &Path) -> String {
        display_path(path.strip_prefix(&self.project).unwrap_or(path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::tests::empty_snapshot;

    struct Desk {
        _folder: tempfile::TempDir,
        root: PathBuf,
        files: WatchedFiles,
        state: Arc<SessionState>,
        events: UnboundedReceiver<Event>,
    }

    fn desk() -> Desk {
        let folder = tempfile::tempdir().unwrap();
        let root = fs_err::canonicalize(folder.path()).unwrap();
        let (sender, events) = tokio::sync::mpsc::unbounded_channel();
        let emit = Arc::new(move |event| sender.send(event).unwrap());
        let state = Arc::new(SessionState::new(empty_snapshot(), emit));
        Desk {
            files: WatchedFiles::new(&root, Arc::clone(&state)),
            _folder: folder,
            root,
            state,
            events,
        }
    }

    impl Desk {
        fn read(&self, name: &str, content: &str) -> PathBuf {
            let path = self.root.join(name);
            fs_err::write(&path, content).unwrap();
            self.record(&path, content);
            path
        }

        fn record(&self, path: &Path, content: &str) {
            let seen = Seen {
                hash: ContentHash::of(content.as_bytes()).bytes(),
                whole: true,
            };
            self.files.record(path, seen);
        }

        async fn told(&mut self) -> Vec<String> {
            match self.events.recv().await.unwrap() {
                Event::Session {
                    change: SessionChange::ChangedFiles { paths },
                    ..
                } => paths,
                other => panic!("{other:?}"),
            }
        }
    }

    #[tokio::test]
    async fn a_change_by_someone_else_is_told_until_the_file_is_read_again() {
        let mut desk = desk();
        let path = desk.read("a.txt", "one");
        fs_err::write(&path, "two").unwrap();
        assert_eq!(desk.told().await, ["a.txt"]);
        assert_eq!(desk.state.snapshot().changed_files, ["a.txt"]);
        desk.record(&path, "two");
        assert!(desk.told().await.is_empty());
        // Changed and changed back.
        fs_err::write(&path, "three").unwrap();
        assert_eq!(desk.told().await, ["a.txt"]);
        fs_err::write(&path, "two").unwrap();
        assert!(desk.told().await.is_empty());
    }

    #[tokio::test]
    async fn the_agents_own_writes_are_no_news() {
        let mut desk = desk();
        let own = desk.read("own.txt", "one");
        let other = desk.read("other.txt", "one");
        fs_err::write(&own, "by the agent").unwrap();
        desk.record(&own, "by the agent");
        fs_err::write(&other, "by someone else").unwrap();
        assert_eq!(desk.told().await, ["other.txt"]);
    }

    /// When the system has no watches left, the person is told what that means and what helps.
    #[tokio::test]
    async fn noticing_late_is_told_to_the_person() {
        let mut desk = desk();
        let (sender, noticed) = tokio::sync::mpsc::unbounded_channel();
        sender.send(Noticed::Polling(PollingReason::Limit)).unwrap();
        drop(sender);
        listen(Arc::clone(&desk.files.changed), noticed).await;
        match desk.events.recv().await.unwrap() {
            Event::Notice { tone, text, hint } => {
                assert_eq!(tone, Tone::Warning);
                assert!(text.contains("noticed every two seconds"), "{text}");
                assert!(hint.unwrap().contains("max_user_watches"));
            }
            other => panic!("{other:?}"),
        }
    }

    #[tokio::test]
    async fn a_file_that_goes_away_is_told_and_one_that_is_forgotten_is_not() {
        let mut desk = desk();
        let gone = desk.read("gone.txt", "x");
        fs_err::remove_file(&gone).unwrap();
        assert_eq!(desk.told().await, ["gone.txt"]);
        desk.files.forget(&gone);
        assert!(desk.told().await.is_empty());
    }
}
