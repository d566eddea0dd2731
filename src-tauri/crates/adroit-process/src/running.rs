//! The handle to a command that runs (or ran).

use std::io::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;
use tokio::sync::watch;

use crate::exit::{Exit, KillReason, Survivor};
use crate::feed::{Feed, Subscription};
use crate::leftovers::Note;
use crate::output::{Output, OutputMark, Recorder};
use crate::procfs::{self, Blocked, ProcessRecord};
use crate::terminal::{Terminal, TerminalSize};
use crate::tree::{Tree, TreeId};
use crate::usage::{self, ProcessUsage};

/// Time between the polite and the hard signal.
pub(crate) const GRACE: Duration = Duration::from_secs(1);

/// Where a tree is in its life.
#[derive(Debug, Clone, Default)]
pub(crate) enum Stage {
    #[default]
    Running,
    /// The direct process ended; survivors go on.
    Exited(Arc<Exit>),
    /// Nothing of it is left.
    Gone(Arc<Exit>),
}

impl Stage {
    fn exit(&self) -> Option<&Arc<Exit>> {
        match self {
            Self::Running => None,
            Self::Exited(exit) | Self::Gone(exit) => Some(exit),
        }
    }
}

pub(crate) struct Shared {
    pub(crate) tree: Tree,
    pub(crate) feed: Arc<Feed>,
    pub(crate) recorder: Mutex<Recorder>,
    pub(crate) terminal: Mutex<Option<Terminal>>,
    writer: Mutex<Option<Box<dyn Write + Send>>>,
    pub(crate) kill: watch::Sender<Option<KillReason>>,
    /// The time limit no longer counts.
    pub(crate) unlimited: watch::Sender<bool>,
    pub(crate) stage: watch::Sender<Stage>,
    pub(crate) started: Instant,
    pub(crate) note: Mutex<Option<Note>>,
    /// The exit of the direct process was collected.
    pub(crate) leader_reaped: std::sync::atomic::AtomicBool,
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    pub(crate) fn new(
        tree: Tree,
        feed: Arc<Feed>,
        recorder: Recorder,
        terminal: Option<Terminal>,
        note: Option<Note>,
        started: Instant,
    ) -> Self {
        Self {
            tree,
            feed,
            recorder: Mutex::new(recorder),
            terminal: Mutex::new(terminal),
            writer: Mutex::new(None),
            kill: watch::Sender::new(None),
            unlimited: watch::Sender::new(false),
            stage: watch::Sender::new(Stage::Running),
            started,
            note: Mutex::new(note),
            leader_reaped: std::sync::atomic::AtomicBool::new(false),
        }
    }

    /// Nothing of the tree is left: gives back what it held.
    pub(crate) fn release(&self) {
        lock(&self.writer).take();
        lock(&self.terminal).take();
        lock(&self.note).take();
    }

    /// Notes members that only descent tells of now: after a crash it will be lost.
    fn note_members(&self, everyone: &[ProcessRecord]) {
        let Some(members) = self.tree.learn(everyone) else {
            return;
        };
        if let Some(note) = lock(&self.note).as_ref()
            && let Err(error) = note.update(&self.tree, &members)
        {
            tracing::debug!(%error, "a note for the clean-up after a crash is out of date");
        }
    }

    fn write_blocking(&self, bytes: &[u8]) -> io::Result<()> {
        let mut writer = lock(&self.writer);
        if writer.is_none() {
            *writer = Some(lock(&self.terminal).as_ref().ok_or_else(ended)?.writer()?);
        }
        match writer.as_mut() {
            Some(writer) => writer.write_all(bytes).and_then(|()| writer.flush()),
            None => Err(ended()),
        }
    }
}

fn ended() -> io::Error {
    io::Error::new(io::ErrorKind::BrokenPipe, "the command has ended")
}

/// A program waits for input from its terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InputRequest {
    /// `false`: what is typed is not shown, so it is a secret: never store it
    /// nor pass it to a model.
    pub echo: bool,
    /// The last lines on the screen, such as the question.
    pub last_lines: String,
    /// How the program takes what is typed.
    pub wants: Wanted,
}

/// How a program that waits takes its input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// Whole lines; a Ctrl-D ends them.
    Lines,
    /// Single keys: line editors, menus, and programs such as `top`. What a Ctrl-D
    /// means is up to them.
    Keys,
    /// Single keys, on the alternate screen: editors and pagers.
    Screen,
}

/// A command in a terminal of its own. Clones are the same command; dropping
/// them all does not end it (see [`Running::kill_on_drop`]).
#[derive(Clone)]
pub struct Running {
    pub(crate) shared: Arc<Shared>,
}

impl std::fmt::Debug for Running {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Running")
            .field("id", &self.id())
            .field("pid", &self.pid())
            .finish_non_exhaustive()
    }
}

impl Running {
    /// Identity of the process tree.
    pub fn id(&self) -> TreeId {
        self.shared.tree.id
    }

    /// Process number of the direct process. It may have ended.
    pub fn pid(&self) -> i32 {
        self.shared.tree.leader
    }

    /// Time since the start.
    pub fn age(&self) -> Duration {
        self.shared.started.elapsed()
    }

    /// Raw terminal output from now on, for a terminal view. Joins at most
    /// 16 ms into one piece; a slow reader loses the oldest bytes.
    pub fn subscribe(&self) -> Subscription {
        self.shared.feed.subscribe(self.shared.feed.total())
    }

    /// Raw terminal output that came after offset `end` of an earlier
    /// [`crate::Chunk`] or of [`Running::attach`].
    pub fn subscribe_from(&self, end: u64) -> Subscription {
        self.shared.feed.subscribe(end)
    }

    /// The last raw output (at most 256 KiB), for a view that is built anew.
    pub fn scrollback(&self) -> Bytes {
        self.shared.feed.snapshot().0
    }

    /// The scrollback and the offset of its end in the whole output.
    pub fn scrollback_with_end(&self) -> (Bytes, u64) {
        self.shared.feed.snapshot()
    }

    /// Scrollback and the subscription that goes on exactly after it.
    pub fn attach(&self) -> (Bytes, Subscription) {
        let (bytes, end) = self.shared.feed.snapshot();
        (bytes, self.shared.feed.subscribe(end))
    }

    /// Types into the terminal.
    ///
    /// # Errors
    /// When the command has ended, or the system refuses.
    pub async fn write(&self, bytes: &[u8]) -> io::Result<()> {
        let shared = Arc::clone(&self.shared);
        let bytes = bytes.to_vec();
        // A program that does not read makes this block: never on the runtime.
        tokio::task::spawn_blocking(move || shared.write_blocking(&bytes))
            .await
            .map_err(io::Error::other)?
    }

    /// Ends the input: Ctrl-D at the start of a line.
    ///
    /// # Errors
    /// As [`Running::write`].
    pub async fn end_input(&self) -> io::Result<()> {
        self.write(b"\x04").await
    }

    /// Tells the terminal, and so the program, its new size.
    ///
    /// # Errors
    /// When the command has ended, or the system refuses.
    pub fn resize(&self, size: TerminalSize) -> io::Result<()> {
        let terminal = lock(&self.shared.terminal);
        let terminal = terminal.as_ref().ok_or_else(ended)?;
        terminal.resize(size.at_least_usable())
    }

    /// Asks for the end of the whole tree: SIGTERM, after a second SIGKILL.
    /// Returns at once; [`Running::wait`] and [`Running::gone`] tell when it is
    /// done. After the command's own end this ends its survivors.
    pub fn kill(&self, reason: KillReason) {
        self.shared.kill.send_if_modified(|asked| {
            let first = asked.is_none();
            asked.get_or_insert(reason);
            first
        });
    }

    /// Takes the time limit off: somebody looks after the command from now on.
    pub fn lift_timeout(&self) {
        self.shared.unlimited.send_replace(true);
    }

    /// Where the clean output ends now.
    pub fn output_mark(&self) -> OutputMark {
        lock(&self.shared.recorder).mark()
    }

    /// The clean output since `mark`, bounded as [`crate::Exit::output`] is, and
    /// the place where it ends. Also after the end, and of survivors.
    pub fn output_since(&self, mark: &OutputMark) -> (Output, OutputMark) {
        lock(&self.shared.recorder).since(mark)
    }

    /// Whether the file for long output reached its bound.
    pub fn output_is_cut(&self) -> bool {
        lock(&self.shared.recorder).is_cut()
    }

    /// Whether no process of the tree is left.
    pub fn is_gone(&self) -> bool {
        matches!(*self.shared.stage.borrow(), Stage::Gone(_))
    }

    /// The processes of the tree that run now. Reads `/proc`: not for every frame.
    pub fn members(&self) -> Vec<Survivor> {
        if self.is_gone() {
            return Vec::new();
        }
        self.shared
            .tree
            .members()
            .iter()
            .map(|record| Survivor::living(record.pid))
            .collect()
    }

    /// The processes of the tree with what they use, oldest first. Reads `/proc`,
    /// the network's tables included: for a person who looks, not in a loop.
    pub fn usage(&self) -> Vec<ProcessUsage> {
        if self.is_gone() {
            return Vec::new();
        }
        usage::of(self.shared.tree.members())
    }

    /// Notes members that only descent tells of now: when their parents end, or this program is
    /// killed, nothing else does. Reads `/proc`: every few seconds.
    pub fn remember_members(&self) {
        if !self.is_gone() {
            self.shared.note_members(&procfs::all());
        }
    }

    /// Ends one process of the tree: SIGTERM, after a second SIGKILL. What it
    /// started goes on. False where it is no member. Blocks until it ended.
    pub fn end_member(&self, pid: i32) -> bool {
        !self.is_gone() && self.shared.tree.end(pid, GRACE)
    }

    /// Kills the tree when the guard is dropped before the command's end.
    pub fn kill_on_drop(&self) -> KillOnDrop {
        KillOnDrop {
            running: self.clone(),
            armed: true,
        }
    }

    /// Waits for the end of the direct process. What a grandchild holds of the
    /// terminal does not delay it by more than 100 ms.
    pub async fn wait(&self) -> Exit {
        let mut stage = self.shared.stage.subscribe();
        loop {
            if let Some(exit) = stage.borrow_and_update().exit() {
                return Exit::clone(exit);
            }
            if stage.changed().await.is_err() {
                // The sender lives in `self`.
                std::future::pending::<()>().await;
            }
        }
    }

    /// The end, if it has come.
    pub fn exit(&self) -> Option<Arc<Exit>> {
        self.shared.stage.borrow().exit().cloned()
    }

    /// Waits until no process of the tree is left, survivors included.
    pub async fn gone(&self) {
        let mut stage = self.shared.stage.subscribe();
        let _ = stage
            .wait_for(|stage| matches!(stage, Stage::Gone(_)))
            .await;
    }

    /// Whether the program in the foreground is blocked waiting for input, as
    /// the kernel tells it (not guessed from silence).
    ///
    /// Reads `/proc`: a millisecond or so, not for every frame.
    pub fn waiting_for_input(&self) -> Option<InputRequest> {
        let (group, path) = {
            let terminal = lock(&self.shared.terminal);
            let terminal = terminal.as_ref()?;
            (terminal.foreground_group()?, terminal.path()?.to_owned())
        };
        let everyone = procfs::all();
        self.shared.note_members(&everyone);
        let blocked: Vec<Blocked> = everyone
            .iter()
            .filter(|record| record.group == group)
            .map(|record| match procfs::blocked_on(record.pid, &path) {
                Blocked::Selecting if !procfs::uses_terminal(record.pid, &path) => Blocked::No,
                blocked => blocked,
            })
            .collect();
        // Only now: a program switches echo off before it reads, so modes seen
        // earlier could show a password prompt as harmless.
        let modes = lock(&self.shared.terminal).as_ref()?.modes()?;
        // Line editors and full-screen programs select on a raw terminal.
        let waits = blocked.contains(&Blocked::Reading)
            || !modes.canonical && blocked.contains(&Blocked::Selecting);
        waits.then(|| {
            let recorder = lock(&self.shared.recorder);
            InputRequest {
                // A line editor switches echo off and shows the text itself.
                echo: modes.echo || !modes.canonical,
                wants: match (recorder.is_full_screen(), modes.canonical) {
                    (true, _) => Wanted::Screen,
                    (false, false) => Wanted::Keys,
                    (false, true) => Wanted::Lines,
                },
                last_lines: recorder.last_lines(5),
            }
        })
    }
}

/// See [`Running::kill_on_drop`].
#[derive(Debug)]
#[must_use = "dropping it kills the command"]
pub struct KillOnDrop {
    running: Running,
    armed: bool,
}

impl KillOnDrop {
    /// The command may outlive its caller after all.
    pub fn release(mut self) {
        self.armed = false;
    }
}

impl Drop for KillOnDrop {
    fn drop(&mut self) {
        if self.armed && self.running.exit().is_none() {
            self.running.kill(KillReason::Cancelled);
        }
    }
}
