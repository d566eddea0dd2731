//! What the calls of a session change: kept before, looked at after, taken back on demand.

mod background;
mod compare;
mod describe;
mod foresee;
mod git;
mod invisible;
mod review;
mod rewind;
mod scope;
mod telling;
mod undo;
mod waiting;

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, LazyLock, Mutex, OnceLock, PoisonError, Weak};

use adroit_checkpoints::{
    Begin, Hash, History, Limits, NotReplaced, Open, Step, StepState, Store, StoreError,
};
use adroit_engine::{Checkpoints, Starting};
use adroit_permissions::Subject;
use adroit_process::{LoginEnvironment, Supervisor};
use adroit_protocol::changes::{CallChanges, ChangeState};
use adroit_protocol::event::{Item, ItemBody};
use adroit_protocol::{CallId, SessionId};
use adroit_shell::{Access, Analysis};
use adroit_tool::{Originals, ToolFailure};
use adroit_tools::BackgroundTasks;
use futures::FutureExt as _;
use futures::future::BoxFuture;

pub(crate) use background::Follower;
pub use undo::UndoError;

use crate::AppDirectories;
use crate::clock::now_ms;

/// One store a project in this process: sessions of one folder share contents, and know what the
/// others change meanwhile.
static STORES: LazyLock<Mutex<HashMap<PathBuf, Weak<Store>>>> = LazyLock::new(Mutex::default);

fn store(folder: &Path) -> Result<Arc<Store>, StoreError> {
    let mut stores = STORES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(store) = stores.get(folder).and_then(Weak::upgrade) {
        return Ok(store);
    }
    let store = Store::open(folder, Limits::default())?;
    stores.retain(|_, store| store.strong_count() > 0);
    stores.insert(folder.to_path_buf(), Arc::downgrade(&store));
    Ok(store)
}

/// Forgets what a session changed, when the session is deleted.
pub fn forget_changes(directories: &AppDirectories, project: &Path, session: &SessionId) {
    let folder = directories.checkpoints(project);
    if folder.is_dir()
        && let Ok(store) = store(&folder)
    {
        store.delete(session);
    }
}

/// Keeps what the calls of one session change.
pub(crate) struct Checkpointing {
    folder: PathBuf,
    session: SessionId,
    project: PathBuf,
    /// Where a command may change something, and what is looked at therefore.
    folders: Vec<PathBuf>,
    history: OnceLock<Arc<History>>,
    turn: AtomicU32,
    open: Mutex<HashMap<CallId, Open>>,
    /// Calls of which something still runs, each with the step that looks after it.
    going_on: Mutex<HashMap<CallId, Open>>,
    tasks: BackgroundTasks,
    programs: Programs,
    changes: Mutex<HashMap<CallId, CallChanges>>,
    /// What was lost for good and the model has not been told.
    losses: Mutex<Vec<String>>,
}

/// What it takes to ask the person's repository.
#[derive(Clone)]
pub(crate) struct Programs {
    pub(crate) supervisor: Supervisor,
    pub(crate) environment: Arc<LoginEnvironment>,
}

impl Checkpointing {
    pub(crate) fn new(
        directories: &AppDirectories,
        project: &Path,
        session: &SessionId,
        additional: Vec<PathBuf>,
        tasks: BackgroundTasks,
        programs: Programs,
    ) -> Arc<Self> {
        let mut folders = vec![project.to_path_buf()];
        folders.extend(additional);
        Arc::new(Self {
            folder: directories.checkpoints(project),
            session: session.clone(),
            project: project.to_path_buf(),
            folders,
            history: OnceLock::new(),
            turn: AtomicU32::new(0),
            open: Mutex::default(),
            going_on: Mutex::default(),
            tasks,
            programs,
            changes: Mutex::default(),
            losses: Mutex::default(),
        })
    }

    /// The history, opened when it is first needed: a session that only reads costs nothing.
    pub(crate) fn history(&self) -> Result<&Arc<History>, StoreError> {
        if let Some(history) = self.history.get() {
            return Ok(history);
        }
        let store = store(&self.folder)?;
        let opened = History::open(store, self.session.clone(), &self.project)?;
        Ok(self.history.get_or_init(|| opened))
    }

    /// A turn begins; gives its number, from 1.
    pub(crate) fn begin_turn(&self) -> u32 {
        self.turn.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// The number of the newest turn.
    pub(crate) fn turn(&self) -> u32 {
        self.turn.load(Ordering::Relaxed)
    }

    /// A stored session goes on after this turn. Its rows get what its calls changed.
    pub(crate) fn resume(&self, turn: u32, items: &mut [Item]) {
        self.turn.store(turn, Ordering::Relaxed);
        if !self.folder.is_dir() {
            return;
        }
        let history = match self.history() {
            Ok(history) => Arc::clone(history),
            Err(error) => {
                tracing::error!(%error, "what the session changed is not known");
                return;
            }
        };
        let undone = history.undone();
        let mut changes = self.changes.lock().unwrap_or_else(PoisonError::into_inner);
        for item in items {
            let ItemBody::Call { call } = &mut item.body else {
                continue;
            };
            let steps = history.steps_of(&call.call);
            if steps.is_empty() {
                call.changes = None;
                continue;
            }
            // What was counted when it ran stands in the transcript; only how it is now is new,
            // and what went on after its end.
            let mut known = match call.changes.take() {
                Some(known) if steps.len() == 1 => Some(known),
                _ => describe::changes(&history, &steps, |path| self.show(path)),
            };
            if let Some(known) = &mut known {
                known.state = state(&steps, &undone);
                changes.insert(call.call.clone(), known.clone());
            }
            call.changes = known;
        }
    }

    /// What a call changed; nothing before it ended.
    pub(crate) fn changes_of(&self, call: &CallId) -> Option<CallChanges> {
        self.changes
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get(call)
            .cloned()
    }

    /// Bytes of a file beyond which it is not kept.
    fn largest(&self) -> u64 {
        self.history.get().map_or_else(
            || Limits::default().file_bytes,
            |history| history.store().limits().file_bytes,
        )
    }

    /// How a path is shown: relative to the project where it is inside.
    pub(crate) fn show(&self, path: &Path) -> String {
        adroit_workspace::display_path(path.strip_prefix(&self.project).unwrap_or(path))
    }

    /// Takes what is known of calls anew after an undo; gives those that are different now.
    fn refresh(&self, history: &History) -> Vec<(CallId, CallChanges)> {
        let undone = history.undone();
        let mut changed = Vec::new();
        let mut all = self.changes.lock().unwrap_or_else(PoisonError::into_inner);
        for (call, known) in all.iter_mut() {
            let now = state(&history.steps_of(call), &undone);
            if known.state != now {
                known.state = now;
                changed.push((call.clone(), known.clone()));
            }
        }
        changed
    }

    fn begin(&self, starting: &Starting) -> Result<(), ToolFailure> {
        let Some(Reach {
            files,
            folders,
            notes,
        }) = self.reach(&starting.subject)
        else {
            return Ok(());
        };
        self.end_abandoned();
        let begin = Begin {
            call: starting.call.clone(),
            turn: self.turn(),
            title: starting.title.clone(),
            at: now_ms(),
            files,
            folders,
            notes,
        };
        let open = self
            .history()
            .and_then(|history| history.begin(begin))
            .map_err(|error| refused(&error))?;
        self.open
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(starting.call.clone(), open);
        Ok(())
    }

    /// Where the call may change something; `None` where it changes no file by itself. What is not
    /// known to be harmless is looked at.
    fn reach(&self, subject: &Subject) -> Option<Reach> {
        match subject {
            Subject::EditFile { path, real } => {
                let file = real.clone().unwrap_or_else(|| path.clone());
                Some(Reach {
                    files: vec![file],
                    ..Reach::default()
                })
            }
            Subject::Shell { analysis, .. } => Some(self.reach_of_command(analysis)),
            Subject::Mcp { .. } | Subject::Plain => Some(Reach {
                folders: self.folders.clone(),
                ..Reach::default()
            }),
            // Calls of an agent and of a skill are calls of their own.
            Subject::ReadFile { .. }
            | Subject::Search { .. }
            | Subject::Fetch { .. }
            | Subject::Agent { .. }
            | Subject::Skill { .. } => None,
        }
    }

    /// The look at the folders sees what is in them; what an ignore file hides, or what lies
    /// elsewhere, is kept only where the command names it, and a folder elsewhere not at all.
    fn reach_of_command(&self, analysis: &Analysis) -> Reach {
        let named: BTreeSet<&Path> = analysis
            .paths
            .iter()
            .filter(|path| matches!(path.access, Access::Write | Access::Remove))
            .filter_map(|path| path.resolved.as_deref())
            .collect();
        let mut reach = Reach {
            folders: self.folders.clone(),
            ..Reach::default()
        };
        for path in named {
            match path.symlink_metadata() {
                Ok(found) if !found.is_dir() => reach.files.push(path.to_path_buf()),
                Ok(_) if !self.folders.iter().any(|inside| path.starts_with(inside)) => {
                    reach.notes.push(format!(
                        "{} lies outside of the project: what this command changes in it is not kept and cannot be restored.",
                        adroit_workspace::display_path(path)
                    ));
                }
                _ => {}
            }
        }
        reach
    }

    /// Ends what a dropped call left open: calls that change something never overlap.
    fn end_abandoned(&self) {
        let calls: Vec<CallId> = self
            .open
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .keys()
            .cloned()
            .collect();
        for call in calls {
            self.end(&call);
        }
    }

    fn end(&self, call: &CallId) {
        let open = self
            .open
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .remove(call);
        let (Some(open), Ok(history)) = (open, self.history()) else {
            return;
        };
        let ended = if self.tasks.goes_on(call) {
            history.end_and_go_on(open, now_ms()).map(|(step, next)| {
                let mut going_on = self.going_on.lock().unwrap_or_else(PoisonError::into_inner);
                going_on.extend(next.map(|next| (call.clone(), next)));
                step
            })
        } else {
            history.end(open)
        };
        let changes = match ended {
            Ok(step) => self.described(history, call, &step),
            Err(error) => {
                tracing::error!(%error, "what a call changed could not be kept");
                Some(CallChanges {
                    notes: vec![format!(
                        "What this call changed could not be kept: {error}. {}",
                        error.hint()
                    )],
                    ..CallChanges::default()
                })
            }
        };
        if let Some(changes) = changes {
            self.changes
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .insert(call.clone(), changes);
        }
    }

    /// What a call changed in all, after one more step of it.
    fn described(&self, history: &History, call: &CallId, step: &Step) -> Option<CallChanges> {
        self.note_losses(step);
        let steps = history.steps_of(call);
        let mut changes = describe::changes(history, &steps, |path| self.show(path))?;
        changes.state = state(&steps, &history.undone());
        Some(changes)
    }

    fn note_losses(&self, step: &Step) {
        let lost: Vec<String> = step
            .files
            .iter()
            .filter(|file| file.before.not_kept().is_some())
            .map(|file| self.show(&file.path))
            .collect();
        if !lost.is_empty() {
            self.losses
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(format!(
                    "\"{}\" changed or deleted {}, of which no copy was kept: this cannot be undone.",
                    step.title,
                    telling::names(&lost, telling::TOLD)
                ));
        }
    }

    /// What was lost for good since this was asked last: the model must know that nobody can take
    /// it back.
    pub(crate) fn take_losses(&self) -> Vec<String> {
        std::mem::take(&mut *self.losses.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Where a call may change something.
#[derive(Default)]
struct Reach {
    /// Files that it names.
    files: Vec<PathBuf>,
    /// Folders in which it may change anything.
    folders: Vec<PathBuf>,
    /// What is not covered, in sentences.
    notes: Vec<String>,
}

/// Whether the steps of a call are taken back: those that changed something.
fn state(steps: &[Step], undone: &BTreeSet<u64>) -> ChangeState {
    let mut changing = steps
        .iter()
        .filter(|step| !step.files.is_empty())
        .peekable();
    if steps.iter().any(|step| step.state == StepState::Forgotten) {
        ChangeState::Gone
    } else if changing.peek().is_some() && changing.all(|step| undone.contains(&step.id)) {
        ChangeState::Undone
    } else {
        ChangeState::Made
    }
}

fn refused(error: &StoreError) -> ToolFailure {
    ToolFailure::new(
        "not_kept",
        format!(
            "The call was not run: what it would change could not be kept for an undo ({error}). {}",
            error.hint()
        ),
    )
    .with_summary("could not be made undoable")
}

/// Runs it where it may wait for the disk.
async fn off_thread<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, tokio::task::JoinError> {
    tokio::task::spawn_blocking(work).await
}

/// The engine's view of it: a handle, since the work is done on another thread.
pub(crate) struct KeptBy(pub(crate) Arc<Checkpointing>);

impl Checkpoints for KeptBy {
    fn before(&self, starting: Starting) -> BoxFuture<'_, Result<(), ToolFailure>> {
        let kept = Arc::clone(&self.0);
        async move {
            off_thread(move || kept.begin(&starting))
                .await
                .unwrap_or_else(|fault| Err(ToolFailure::new("fault", fault.to_string())))
        }
        .boxed()
    }

    fn originals(&self, call: &CallId) -> Arc<dyn Originals> {
        Arc::new(OriginalsOf {
            kept: Arc::clone(&self.0),
            call: call.clone(),
        })
    }

    fn after<'a>(&'a self, call: &'a CallId) -> BoxFuture<'a, ()> {
        let (kept, call) = (Arc::clone(&self.0), call.clone());
        async move {
            if let Err(fault) = off_thread(move || kept.end(&call)).await {
                tracing::error!(%fault, "the look at what a call changed ended unexpectedly");
            }
        }
        .boxed()
    }
}

/// What one call replaces.
struct OriginalsOf {
    kept: Arc<Checkpointing>,
    call: CallId,
}

impl OriginalsOf {
    /// With the step of the call, where it has one: a call that changes no file by itself has none.
    fn with_step<T>(&self, work: impl FnOnce(&History, &mut Open) -> T) -> Option<T> {
        let history = self.kept.history().ok()?;
        let mut open = self
            .kept
            .open
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        Some(work(history, open.get_mut(&self.call)?))
    }
}

impl Originals for OriginalsOf {
    fn replacing(&self, path: &Path, content: Option<[u8; 32]>) -> Result<(), ToolFailure> {
        let content = content.map(Hash::from_bytes);
        let answer = self.with_step(|history, open| history.replacing(open, path, content));
        match answer {
            None | Some(Ok(())) => Ok(()),
            Some(Err(NotReplaced::Store(error))) => Err(refused(&error)),
            Some(Err(NotReplaced::Changed)) => Err(ToolFailure::new(
                "stale",
                format!(
                    "{} was changed by someone else at the last moment: nothing was written. Read it again, then make the change on what is there now.",
                    self.kept.show(path)
                ),
            )
            .with_summary("changed at the last moment")),
        }
    }

    fn replaced(&self, path: &Path, bytes: &[u8]) {
        self.with_step(|history, open| history.replaced(open, path, bytes));
    }
}
