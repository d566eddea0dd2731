//! The owner of every process tree.

use std::collections::{HashMap, HashSet};
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, Weak};
use std::time::{Duration, Instant};

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::watch;
use uuid::Uuid;

use crate::cgroup::Group;
use crate::conduct::{Limits, conduct, read_terminal};
use crate::exit::KillReason;
use crate::feed::Feed;
use crate::leftovers::{self, Note};
use crate::output::Recorder;
use crate::procfs::{self, ProcessRecord};
use crate::running::{GRACE, Running, Shared, lock};
use crate::spec::{CommandSpec, SpawnError};
use crate::terminal::{self, Terminal};
use crate::tree::{self, TAG, Tree, TreeId};
use crate::watchdog::Watchdog;

/// Raw bytes kept per terminal for views that attach later.
const SCROLLBACK: usize = 256 * 1024;

/// Time after which an ended child that nobody waited for is collected.
const UNCLAIMED: Duration = Duration::from_secs(10);

/// The living trees. Shared with the tasks that attend them.
pub(crate) struct Registry {
    trees: Mutex<HashMap<TreeId, Arc<Shared>>>,
    closed: AtomicBool,
    /// Ended children of unknown origin, and when they were first seen.
    strangers: Mutex<HashMap<(i32, u64), Instant>>,
    /// Counts the times that a child of this program changed its state.
    changes: watch::Sender<u64>,
}

/// Wakes at each change of a child's state.
pub(crate) struct Changes(watch::Receiver<u64>);

impl Changes {
    pub(crate) async fn wait(&mut self) {
        if self.0.changed().await.is_err() {
            std::future::pending().await
        }
    }
}

impl Registry {
    pub(crate) fn remove(&self, id: TreeId) {
        lock(&self.trees).remove(&id);
    }

    pub(crate) fn child_changes(&self) -> Changes {
        let mut receiver = self.changes.subscribe();
        // The first look is at once: the change may already have been.
        receiver.mark_changed();
        Changes(receiver)
    }

    fn living(&self) -> Vec<Arc<Shared>> {
        lock(&self.trees).values().cloned().collect()
    }

    /// Collects orphans that ended: at once those known to be ours, others
    /// when nobody else has waited for them in a good while. (A process that
    /// left its session and ended before it was ever looked at cannot be told
    /// from another component's child, whose exit must not be taken away.)
    fn reap_orphans(&self) {
        let living = self.living();
        let direct: HashSet<i32> = living
            .iter()
            .filter(|shared| !shared.leader_reaped.load(Ordering::Acquire))
            .map(|shared| shared.tree.leader)
            .collect();
        let mut strangers = lock(&self.strangers);
        let mut still = HashMap::new();
        for record in procfs::own_children()
            .unwrap_or_default()
            .into_iter()
            .filter(|pid| !direct.contains(pid))
            .filter_map(procfs::record)
            .filter(ProcessRecord::is_dead)
        {
            let identity = (record.pid, record.start_time);
            let since = strangers.remove(&identity).unwrap_or_else(Instant::now);
            if living.iter().any(|shared| shared.tree.remembers(&record))
                || since.elapsed() > UNCLAIMED
            {
                tree::reap(record.pid);
            } else {
                still.insert(identity, since);
            }
        }
        *strangers = still;
    }
}

struct Inner {
    registry: Arc<Registry>,
    state_folder: Option<PathBuf>,
    reaper: OnceLock<tokio::task::JoinHandle<()>>,
    /// Taken to start it once.
    watchdog_wanted: AtomicBool,
    watchdog: Mutex<Option<Watchdog>>,
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.registry.closed.store(true, Ordering::Release);
        if let Some(reaper) = self.reaper.get() {
            reaper.abort();
        }
        // No runtime may be left to be polite on.
        for shared in self.registry.living() {
            shared.kill.send_replace(Some(KillReason::Shutdown));
            shared.tree.kill(Duration::ZERO);
            shared.tree.reap_dead();
            lock(&shared.note).take();
        }
    }
}

/// Starts commands and answers for every process that comes of them. One per
/// application; clones are the same supervisor. When the last clone is dropped
/// all trees are killed.
#[derive(Clone)]
pub struct Supervisor {
    inner: Arc<Inner>,
}

impl std::fmt::Debug for Supervisor {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Supervisor")
            .field("living", &self.inner.registry.living().len())
            .finish_non_exhaustive()
    }
}

impl Default for Supervisor {
    fn default() -> Self {
        Self::new(None)
    }
}

impl Supervisor {
    /// A supervisor that notes its trees in `state_folder`, so that the next
    /// start can end what a crash left (see [`Supervisor::clean_leftovers`]).
    /// Touches no file yet.
    pub fn new(state_folder: Option<PathBuf>) -> Self {
        become_subreaper();
        Self {
            inner: Arc::new(Inner {
                registry: Arc::new(Registry {
                    trees: Mutex::default(),
                    closed: AtomicBool::new(false),
                    strangers: Mutex::default(),
                    changes: watch::Sender::new(0),
                }),
                state_folder,
                reaper: OnceLock::new(),
                watchdog_wanted: AtomicBool::new(true),
                watchdog: Mutex::default(),
            }),
        }
    }

    /// Ends the processes that crashed instances left behind and returns their
    /// number. Blocks for up to a few seconds: call it off the start-up path.
    pub fn clean_leftovers(&self) -> usize {
        self.inner
            .state_folder
            .as_deref()
            .map_or(0, |folder| leftovers::clean(folder, GRACE))
    }

    /// Starts a command in a terminal of its own. Must be called inside of a
    /// Tokio runtime.
    ///
    /// # Errors
    /// See [`SpawnError`].
    pub fn spawn(&self, spec: CommandSpec) -> Result<Running, SpawnError> {
        let program = spec.program.clone();
        let runtime = self.ready(&spec)?;
        let id = TreeId(Uuid::new_v4());
        // Before the first process of it, so that no crash comes between the two.
        let note = self.note(id);
        let size = spec.size.at_least_usable();
        let begun = Instant::now();
        let environment = spec
            .env
            .into_iter()
            .filter(|(name, _)| name != TAG)
            .chain([(TAG.into(), id.to_string().into())]);
        let started = terminal::start(&spec.program, &spec.args, &spec.cwd, environment, size)
            .map_err(|reason| SpawnError::Start {
                program: program.clone(),
                reason,
            })?;
        let mut tree = Tree::new(id, started.pid, started.terminal.path().map(Into::into));
        tree.leader_only_waits = spec.only_waits;
        tree.leader_is_wrapper = spec.leader_is_wrapper;
        let recorder = Recorder::new(spec.output_limits, spec.overflow_dir, size);
        let feed = Feed::new(SCROLLBACK);
        let shared = self.take_in(tree, feed, recorder, Some(started.terminal), note, begun);
        let registry = Arc::clone(&self.inner.registry);
        let reading = Arc::clone(&shared);
        let reader = started.reader;
        let thread = std::thread::Builder::new()
            .name("terminal".to_owned())
            .spawn(move || {
                take_into_group(&reading);
                read_terminal(&reading, reader);
            });
        let running = Running {
            shared: Arc::clone(&shared),
        };
        let limits = Limits {
            timeout: spec.timeout,
            memory: spec.memory,
        };
        runtime.spawn(conduct(shared, registry, limits, spec.survivors));
        match thread {
            Ok(_) => Ok(running),
            Err(error) => {
                running.kill(KillReason::Cancelled);
                Err(SpawnError::Start {
                    program,
                    reason: format!("no thread to read its terminal: {error}"),
                })
            }
        }
    }

    /// What every start needs: a runtime, an open supervisor, a command that the kernel will
    /// take, and somebody who hears of its end.
    pub(crate) fn ready(&self, spec: &CommandSpec) -> Result<tokio::runtime::Handle, SpawnError> {
        let program = || spec.program.clone();
        let Ok(runtime) = tokio::runtime::Handle::try_current() else {
            return Err(SpawnError::NoRuntime { program: program() });
        };
        if self.inner.registry.closed.load(Ordering::Acquire) {
            return Err(SpawnError::ShuttingDown { program: program() });
        }
        spec.check()?;
        self.watch_children(&runtime)
            .map_err(|error| SpawnError::Start {
                program: program(),
                reason: format!("its end could not be heard of: {error}"),
            })?;
        self.set_watchdog(&runtime);
        Ok(runtime)
    }

    /// Takes a tree that was just started into care.
    pub(crate) fn take_in(
        &self,
        tree: Tree,
        feed: Arc<Feed>,
        recorder: Recorder,
        terminal: Option<Terminal>,
        note: Option<Note>,
        begun: Instant,
    ) -> Arc<Shared> {
        let note = note.and_then(|note| noted(note.name(&tree)));
        let id = tree.id;
        let shared = Arc::new(Shared::new(tree, feed, recorder, terminal, note, begun));
        lock(&self.inner.registry.trees).insert(id, Arc::clone(&shared));
        shared
    }

    /// The living trees.
    pub(crate) fn registry(&self) -> &Arc<Registry> {
        &self.inner.registry
    }

    /// Notes a tree before its first process, so that no crash comes between the two.
    pub(crate) fn note(&self, tree: TreeId) -> Option<Note> {
        let folder = self.inner.state_folder.as_deref()?;
        noted(Note::write(folder, tree))
    }

    /// Starts the watchdog beside the first command, which does not wait for it.
    fn set_watchdog(&self, runtime: &tokio::runtime::Handle) {
        let Some(folder) = self.inner.state_folder.clone() else {
            return;
        };
        if !self.inner.watchdog_wanted.swap(false, Ordering::AcqRel) {
            return;
        }
        let inner = Arc::downgrade(&self.inner);
        runtime.spawn_blocking(move || match Watchdog::start(&folder) {
            Ok(Some(watchdog)) => {
                if let Some(inner) = inner.upgrade()
                    && !inner.registry.closed.load(Ordering::Acquire)
                {
                    lock(&inner.watchdog).replace(watchdog);
                }
            }
            Ok(None) => {}
            Err(error) => {
                tracing::warn!(%error, "what a crash leaves will be ended at the next start only");
            }
        });
    }

    /// Sends the watchdog home. Blocks for milliseconds.
    fn dismiss_watchdog(&self) {
        let watchdog = lock(&self.inner.watchdog).take();
        drop(watchdog);
    }

    /// Starts the task that hears of ended children, once. The signal is
    /// listened to before the first child exists, so none is missed.
    fn watch_children(&self, runtime: &tokio::runtime::Handle) -> io::Result<()> {
        if self.inner.reaper.get().is_none() {
            let signals = signal(SignalKind::child())?;
            let registry = Arc::downgrade(&self.inner.registry);
            self.inner
                .reaper
                .get_or_init(|| runtime.spawn(hear_of_children(signals, registry)));
        }
        Ok(())
    }

    /// The command with this identity, while anything of it lives.
    pub fn get(&self, id: TreeId) -> Option<Running> {
        let shared = lock(&self.inner.registry.trees).get(&id).cloned()?;
        Some(Running { shared })
    }

    /// Every tree of which something lives, oldest first.
    pub fn living(&self) -> Vec<Running> {
        let mut living = self.inner.registry.living();
        living.sort_by_key(|shared| shared.started);
        living
            .into_iter()
            .map(|shared| Running { shared })
            .collect()
    }

    /// Ends every tree and waits until nothing is left. No command can be
    /// started afterwards.
    pub async fn shutdown(&self) {
        self.inner.registry.closed.store(true, Ordering::Release);
        let living = self.living();
        for running in &living {
            running.kill(KillReason::Shutdown);
        }
        for running in living {
            running.gone().await;
        }
        let supervisor = self.clone();
        // Nothing is left to watch over; a failure means that the runtime ends as well.
        let _ = tokio::task::spawn_blocking(move || supervisor.dismiss_watchdog()).await;
    }
}

/// Puts a tree that was just started into a control group of its own. It may take the
/// kernel milliseconds: not for the runtime.
pub(crate) fn take_into_group(shared: &Shared) {
    let Some(group) = Group::make(shared.tree.id) else {
        return;
    };
    group.take(shared.tree.leader);
    shared.tree.set_group(group);
    if let Some(note) = lock(&shared.note).as_ref()
        && let Err(error) = note.update(&shared.tree, &[])
    {
        tracing::debug!(%error, "a control group could not be noted");
    }
}

/// A note that could not be written is no reason not to run the command.
fn noted(note: io::Result<Note>) -> Option<Note> {
    note.inspect_err(|error| {
        tracing::warn!(%error, "a running command could not be noted for the clean-up after a crash");
    })
    .ok()
}

async fn hear_of_children(mut signals: Signal, registry: Weak<Registry>) {
    while signals.recv().await.is_some() {
        let Some(registry) = registry.upgrade() else {
            return;
        };
        registry.changes.send_modify(|count| *count += 1);
        registry.reap_orphans();
    }
}

/// Orphans of our trees come to this program instead of to init, so that they
/// can be found and their ends collected. Once per program.
fn become_subreaper() {
    #[cfg(target_os = "linux")]
    {
        static ONCE: OnceLock<()> = OnceLock::new();
        ONCE.get_or_init(|| {
            let own = rustix::process::getpid();
            if let Err(error) = rustix::process::set_child_subreaper(Some(own)) {
                tracing::warn!(%error, "orphaned processes will not be found by descent");
            }
        });
    }
}
