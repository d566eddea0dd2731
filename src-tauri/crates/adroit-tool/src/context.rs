//! What a call runs in: small facets, not forty fields.

use std::collections::{HashMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use adroit_protocol::view::Block;
use adroit_protocol::{CallId, TerminalId};
use tokio::sync::mpsc;

use crate::{Cancellation, NothingDeferred, ToolCatalog, ToolFailure};

/// The context of one call.
#[derive(Clone)]
pub struct CallContext {
    /// Names the call.
    pub call: CallId,
    /// Told when the call has to end.
    pub cancellation: Cancellation,
    /// The working directory of the agent at the moment that the call starts. Bash
    /// starts there; relative paths of Bash commands are resolved against it. Relative
    /// paths of file tools are resolved against the **workspace root**, always.
    pub cwd: Arc<Path>,
    /// What this agent has read.
    pub files: Arc<dyn FileState>,
    /// Where progress goes.
    pub progress: ProgressSender,
    /// Bounds.
    pub limits: Limits,
    /// A folder of the app's own data where a call may leave output that is too long
    /// for the model. Read may read there.
    pub overflow_directory: Arc<Path>,
    /// True where a person can be asked.
    pub interactive: bool,
    /// The tools that the model has to load before it can call them.
    pub catalog: Arc<dyn ToolCatalog>,
    /// Files that no result may show, whatever the call is about.
    pub withheld: Withheld,
    /// Keeps what the call replaces.
    pub originals: Arc<dyn Originals>,
}

impl CallContext {
    /// A context beside any session: for tests, and for `adroit-cli tool call`.
    #[must_use]
    pub fn detached(cwd: &Path, overflow_directory: &Path) -> Self {
        Self {
            call: CallId::generate(),
            cancellation: Cancellation::new(),
            cwd: cwd.into(),
            files: Arc::new(RememberedFiles::default()),
            progress: ProgressSender::ignored(),
            limits: Limits::default(),
            overflow_directory: overflow_directory.into(),
            interactive: false,
            catalog: Arc::new(NothingDeferred),
            withheld: Withheld::default(),
            originals: Arc::new(NothingKept),
        }
    }
}

/// Keeps what a call replaces, so that exactly that can be taken back. A tool that writes a file itself
/// asks it around the write, while nobody else in the app may change the file.
pub trait Originals: Send + Sync {
    /// The file at this real path is about to be replaced. `content` is the Blake3 hash of what stands
    /// there by the tool's own look; none where nothing does.
    ///
    /// # Errors
    /// Something else stands there by now, or it could not be kept: the tool must not write.
    fn replacing(&self, path: &Path, content: Option<[u8; 32]>) -> Result<(), ToolFailure>;
    /// It was replaced by these bytes.
    fn replaced(&self, path: &Path, bytes: &[u8]);
}

/// Nothing is kept: there is no session that could take anything back.
#[derive(Clone, Copy, Debug, Default)]
pub struct NothingKept;

impl Originals for NothingKept {
    fn replacing(&self, _path: &Path, _content: Option<[u8; 32]>) -> Result<(), ToolFailure> {
        Ok(())
    }

    fn replaced(&self, _path: &Path, _bytes: &[u8]) {}
}

/// Files that a deny rule keeps from being read. A call is judged by the folder that it
/// searches, so without this a search above a denied file would show its content.
#[derive(Clone, Default)]
pub struct Withheld {
    contains: Option<Arc<PathPredicate>>,
    restricts: Option<Arc<dyn RestrictedReading>>,
}

/// Rules that deny or ask before a file is read, for tools that look at what a folder holds
/// before they say what a call is about.
pub trait RestrictedReading: Send + Sync {
    /// There is such a rule at all. Without one nobody needs to look.
    fn any(&self) -> bool;
    /// Some rule speaks of this file, by its absolute path.
    fn speaks_of(&self, path: &Path) -> bool;
}

type PathPredicate = dyn Fn(&Path) -> bool + Send + Sync;

impl Withheld {
    /// The files that the predicate holds for; it is asked with absolute paths.
    pub fn new(contains: impl Fn(&Path) -> bool + Send + Sync + 'static) -> Self {
        Self {
            contains: Some(Arc::new(contains)),
            restricts: None,
        }
    }

    /// With the rules that deny or ask.
    #[must_use]
    pub fn with_rules(mut self, rules: Arc<dyn RestrictedReading>) -> Self {
        self.restricts = Some(rules);
        self
    }

    /// Whether some rule denies or asks before single files are read.
    #[must_use]
    pub fn has_rules(&self) -> bool {
        self.restricts
            .as_deref()
            .is_some_and(RestrictedReading::any)
    }

    /// Whether a rule denies or asks before this file is read.
    #[must_use]
    pub fn restricts(&self, path: &Path) -> bool {
        self.contains(path)
            || self
                .restricts
                .as_deref()
                .is_some_and(|rules| rules.speaks_of(path))
    }

    /// Whether this file is one of them.
    #[must_use]
    pub fn contains(&self, path: &Path) -> bool {
        self.contains
            .as_deref()
            .is_some_and(|contains| contains(path))
    }
}

/// Bounds of one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Lines that Read gives where the call does not say how many.
    pub read_lines: usize,
    /// Characters of one line before it is cut.
    pub line_chars: usize,
    /// Names that Glob gives.
    pub glob_results: usize,
    /// Characters of a command's output that go to the model.
    pub terminal_chars: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            read_lines: 2_000,
            line_chars: 2_000,
            glob_results: 100,
            terminal_chars: 30_000,
        }
    }
}

/// What an agent has seen of the files: an edit needs a file that was read and is
/// still as it was read.
pub trait FileState: Send + Sync {
    /// The file at this real path was seen with this content.
    fn record(&self, path: &Path, seen: Seen);
    /// What was last seen of it.
    fn seen(&self, path: &Path) -> Option<Seen>;
    /// It is gone.
    fn forget(&self, path: &Path);
    /// Everything that was seen, for keeping it beyond the process.
    fn all(&self) -> Vec<(PathBuf, Seen)> {
        Vec::new()
    }
    /// The text that was seen, for telling what became of it. Only a help: whoever keeps
    /// none still notices every change by its hash.
    fn remember_text(&self, _path: &Path, _text: Arc<str>) {}
    /// The text that [`Self::remember_text`] was last given, where it is still kept.
    fn text(&self, _path: &Path) -> Option<Arc<str>> {
        None
    }
}

/// The longest text that is kept of a file, in bytes. A longer one is known by its hash alone.
pub const MAX_REMEMBERED_TEXT: usize = 512 << 10;
/// Bytes that all kept texts may take together; the oldest go first.
const MAX_REMEMBERED_TEXTS: usize = 8 << 20;

/// What was seen of one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seen {
    /// Blake3 of all its bytes.
    pub hash: [u8; 32],
    /// False where only a part of it was shown.
    pub whole: bool,
}

/// A [`FileState`] in memory.
#[derive(Debug, Default)]
pub struct RememberedFiles {
    files: Mutex<Remembered>,
}

#[derive(Debug, Default)]
struct Remembered {
    seen: HashMap<PathBuf, Seen>,
    /// The oldest first.
    texts: VecDeque<(PathBuf, Arc<str>)>,
}

impl RememberedFiles {
    fn files(&self) -> MutexGuard<'_, Remembered> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl FileState for RememberedFiles {
    fn record(&self, path: &Path, seen: Seen) {
        let mut files = self.files();
        let before = files.seen.insert(path.to_path_buf(), seen);
        // An older text must not be taken for what was seen now.
        if before.is_none_or(|before| before.hash != seen.hash) {
            files.texts.retain(|(kept, _)| kept != path);
        }
    }

    fn seen(&self, path: &Path) -> Option<Seen> {
        self.files().seen.get(path).copied()
    }

    fn all(&self) -> Vec<(PathBuf, Seen)> {
        let files = self.files();
        let seen = files.seen.iter();
        seen.map(|(path, seen)| (path.clone(), *seen)).collect()
    }

    fn forget(&self, path: &Path) {
        let mut files = self.files();
        files.seen.remove(path);
        files.texts.retain(|(kept, _)| kept != path);
    }

    fn remember_text(&self, path: &Path, text: Arc<str>) {
        let mut files = self.files();
        files.texts.retain(|(kept, _)| kept != path);
        if text.len() > MAX_REMEMBERED_TEXT {
            return;
        }
        files.texts.push_back((path.to_path_buf(), text));
        let mut size: usize = files.texts.iter().map(|(_, text)| text.len()).sum();
        while size > MAX_REMEMBERED_TEXTS
            && let Some((_, oldest)) = files.texts.pop_front()
        {
            size -= oldest.len();
        }
    }

    fn text(&self, path: &Path) -> Option<Arc<str>> {
        let files = self.files();
        let kept = files.texts.iter().find(|(kept, _)| kept == path);
        kept.map(|(_, text)| Arc::clone(text))
    }
}

/// How far a call is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Progress {
    /// A few words.
    pub message: Option<String>,
    /// The terminal that it runs in.
    pub terminal: Option<TerminalId>,
    /// The folder that it runs in.
    pub folder: Option<PathBuf>,
    /// What it asks of the person on that terminal.
    pub question: Option<TerminalQuestion>,
    /// The agent that it has started, as its row shows it.
    pub sub_session: Option<Block>,
}

/// A program waits for input from its terminal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TerminalQuestion {
    /// The last lines on the screen.
    pub text: String,
    /// What is typed is not shown, so it is a secret.
    pub secret: bool,
}

/// Where a call's progress goes. Sending never waits and never fails.
#[derive(Clone)]
pub struct ProgressSender {
    call: CallId,
    sender: Option<mpsc::UnboundedSender<(CallId, Progress)>>,
}

impl ProgressSender {
    /// A sender for this call.
    #[must_use]
    pub fn new(call: CallId, sender: mpsc::UnboundedSender<(CallId, Progress)>) -> Self {
        Self {
            call,
            sender: Some(sender),
        }
    }

    /// A sender that nobody listens to.
    #[must_use]
    pub fn ignored() -> Self {
        Self {
            call: CallId::from(""),
            sender: None,
        }
    }

    /// Tells how far the call is.
    pub fn send(&self, progress: Progress) {
        if let Some(sender) = &self.sender {
            // A listener that went away has no more use for progress.
            let _ = sender.send((self.call.clone(), progress));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_kept_within_bounds_and_the_oldest_go_first() {
        let files = RememberedFiles::default();
        let half: Arc<str> = "x".repeat(MAX_REMEMBERED_TEXT).into();
        let count = MAX_REMEMBERED_TEXTS / MAX_REMEMBERED_TEXT + 1;
        for index in 0..count {
            files.remember_text(Path::new(&format!("/{index}")), Arc::clone(&half));
        }
        assert!(files.text(Path::new("/0")).is_none());
        assert!(files.text(Path::new("/1")).is_some());
        files.remember_text(Path::new("/1"), "new".into());
        assert_eq!(files.text(Path::new("/1")).as_deref(), Some("new"));
        files.remember_text(Path::new("/1"), "x".repeat(MAX_REMEMBERED_TEXT + 1).into());
        assert!(files.text(Path::new("/1")).is_none());
        files.forget(Path::new("/2"));
        assert!(files.text(Path::new("/2")).is_none());
        let seen = |byte| Seen {
            hash: [byte; 32],
            whole: true,
        };
        files.record(Path::new("/a"), seen(1));
        files.remember_text(Path::new("/a"), "one".into());
        files.record(Path::new("/a"), seen(1));
        assert!(files.text(Path::new("/a")).is_some());
        files.record(Path::new("/a"), seen(2));
        assert!(files.text(Path::new("/a")).is_none());
    }
}
