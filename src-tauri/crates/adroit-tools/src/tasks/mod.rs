//! Commands that go on while the model does something else.
//!
//! A command becomes a task when it was started in the background, when a person
//! moved it there, or when something that it started outlives it. A task ends when
//! no process of it is left. Then the model is told at the next boundary of the
//! conversation ([`BackgroundTasks::take_notices`]), unless it has read so already.

mod notice;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use adroit_process::{
    Exit, ExitReason, KillReason, Output, OutputMark, Running, Survivor, WorkingDirectoryReport,
};
use adroit_protocol::{CallId, TerminalId};
use serde::Serialize;
use tokio::sync::watch;

use crate::bash::{Explain, Explanation};

pub use notice::TaskNotice;

/// Ended tasks whose output can still be read.
const KEPT: usize = 50;
/// Time between two looks at whether a task's log reached its bound, and whether it asks.
const LOOK: Duration = Duration::from_secs(2);
/// How often a task that nobody can answer gets the end of input before it is ended.
const ENDS_OF_INPUT: u32 = 3;

/// Names a task, for the model and for people.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(transparent)]
pub struct TaskId(String);

impl TaskId {
    fn of(running: &Running) -> Self {
        let tree = running.id().to_string();
        Self(format!("task_{}", tree.get(..8).unwrap_or(&tree)))
    }

    /// The name as the model writes it.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Display for TaskId {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// A command that becomes a task.
pub(crate) struct NewTask {
    /// The call that started it.
    pub(crate) call: CallId,
    pub(crate) command: String,
    pub(crate) cwd: PathBuf,
    pub(crate) terminal: TerminalId,
    pub(crate) running: Running,
    /// Up to where the model has read the output.
    pub(crate) read: OutputMark,
    /// Files that the command needs until its end.
    pub(crate) files: WorkingDirectoryReport,
    /// Whether a person can type into its terminal.
    pub(crate) interactive: bool,
    /// Says what the sandbox kept it from, where one holds it.
    pub(crate) explain: Option<Explain>,
}

struct Task {
    id: TaskId,
    call: CallId,
    command: String,
    cwd: PathBuf,
    terminal: TerminalId,
    running: Running,
    read: OutputMark,
    /// The model knows of the end: it read it, or brought it about.
    end_is_known: bool,
    explain: Option<Explain>,
}

/// What is to be said of a task.
#[derive(Clone)]
pub struct TaskState {
    /// Which.
    pub id: TaskId,
    /// The call that started it.
    pub call: CallId,
    /// Its command line.
    pub command: String,
    /// Where it runs.
    pub cwd: PathBuf,
    /// The terminal that shows it.
    pub terminal: TerminalId,
    /// Its processes.
    pub running: Running,
    explain: Option<Explain>,
}

impl std::fmt::Debug for TaskState {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("TaskState")
            .field("id", &self.id)
            .field("command", &self.command)
            .field("running", &self.running)
            .finish_non_exhaustive()
    }
}

impl TaskState {
    /// How the command itself ended; survivors of it may go on.
    #[must_use]
    pub fn exit(&self) -> Option<Arc<Exit>> {
        self.running.exit()
    }

    pub(crate) fn explanation(&self) -> Option<Explanation> {
        self.explain.as_ref()?(self.exit().as_deref())
    }

    /// What the sandbox kept it from until now, in sentences.
    #[must_use]
    pub fn kept_back(&self) -> Option<String> {
        Some(self.explanation()?.what)
    }

    /// Whether anything of it runs.
    #[must_use]
    pub fn is_running(&self) -> bool {
        !self.running.is_gone()
    }

    /// What runs of it now.
    #[must_use]
    pub fn processes(&self) -> Vec<Survivor> {
        self.running.members()
    }

    /// In words: `running for 12 s`, `ended with exit code 1 after 3 s`.
    #[must_use]
    pub fn words(&self) -> String {
        notice::state_in_words(&self.running)
    }
}

/// The tasks of one agent. Clones are the same tasks.
#[derive(Clone)]
pub struct BackgroundTasks {
    inner: Arc<Inner>,
}

struct Inner {
    state: Mutex<State>,
    changed: Box<dyn Fn() + Send + Sync>,
}

#[derive(Default)]
struct State {
    tasks: Vec<Task>,
    notices: Vec<TaskNotice>,
    /// Calls that run in the foreground and can be moved.
    movable: HashMap<CallId, watch::Sender<bool>>,
}

impl Default for BackgroundTasks {
    /// Tasks that nobody watches.
    fn default() -> Self {
        Self::new(|| {})
    }
}

impl BackgroundTasks {
    /// No tasks yet. `changed` is called when one comes or ends; it must not wait.
    pub fn new(changed: impl Fn() + Send + Sync + 'static) -> Self {
        Self {
            inner: Arc::new(Inner {
                state: Mutex::default(),
                changed: Box::new(changed),
            }),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.inner
            .state
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a command in. Must be called inside of a Tokio runtime.
    pub(crate) fn adopt(&self, new: NewTask) -> TaskId {
        let id = TaskId::of(&new.running);
        let (running, files, interactive) = (new.running.clone(), new.files, new.interactive);
        {
            let mut state = self.state();
            state.tasks.push(Task {
                id: id.clone(),
                call: new.call,
                command: new.command,
                cwd: new.cwd,
                terminal: new.terminal,
                running: new.running,
                read: new.read,
                end_is_known: false,
                explain: new.explain,
            });
            state.forget_old();
        }
        (self.inner.changed)();
        let (tasks, watched) = (self.clone(), id.clone());
        tokio::spawn(async move {
            tasks.watch(&watched, running, interactive).await;
            drop(files);
        });
        id
    }

    /// Waits for the end. Tells before when the log is full; ends what asks
    /// where nobody can answer.
    async fn watch(&self, id: &TaskId, running: Running, interactive: bool) {
        let mut was_full = false;
        let mut ends_of_input = 0;
        loop {
            tokio::select! {
                () = running.gone() => break,
                () = tokio::time::sleep(LOOK) => {}
            }
            if interactive {
                // Elsewhere the look for a question does it.
                let members = running.clone();
                let _ = tokio::task::spawn_blocking(move || members.remember_members()).await;
            }
            if !was_full && running.output_is_cut() {
                was_full = true;
                self.notify(id, TaskNotice::log_is_full);
            }
            if !interactive && waits_for_input(&running).await {
                ends_of_input += 1;
                if ends_of_input > ENDS_OF_INPUT {
                    running.kill(KillReason::Cancelled);
                } else {
                    // It may have ended in this moment; then there is nobody to tell.
                    let _ = running.end_input().await;
                }
            }
        }
        self.notify(id, TaskNotice::ended);
        (self.inner.changed)();
    }

    fn notify(&self, id: &TaskId, notice: impl FnOnce(&TaskState) -> TaskNotice) {
        let mut state = self.state();
        let Some(task) = state.tasks.iter().find(|task| task.id == *id) else {
            return;
        };
        if !task.end_is_known {
            let notice = notice(&task.state());
            state.notices.push(notice);
        }
    }

    /// What the model has to be told since it was last asked for.
    #[must_use]
    pub fn take_notices(&self) -> Vec<TaskNotice> {
        std::mem::take(&mut self.state().notices)
    }

    /// All tasks, oldest first.
    #[must_use]
    pub fn list(&self) -> Vec<TaskState> {
        self.state().tasks.iter().map(Task::state).collect()
    }

    /// A task by its name.
    #[must_use]
    pub fn get(&self, id: &str) -> Option<TaskState> {
        let state = self.state();
        let task = state.tasks.iter().find(|task| task.id.as_str() == id)?;
        Some(task.state())
    }

    /// Whether something that a call started still runs.
    #[must_use]
    pub fn goes_on(&self, call: &CallId) -> bool {
        let state = self.state();
        state
            .tasks
            .iter()
            .any(|task| task.call == *call && !task.running.is_gone())
    }

    /// The task that a terminal shows.
    #[must_use]
    pub fn of_terminal(&self, terminal: &TerminalId) -> Option<TaskState> {
        let state = self.state();
        let task = state.tasks.iter().find(|task| task.terminal == *terminal)?;
        Some(task.state())
    }

    /// What a task printed since the model last read it.
    pub(crate) fn read(&self, id: &TaskId) -> Option<Output> {
        let mut state = self.state();
        let task = state.tasks.iter_mut().find(|task| task.id == *id)?;
        let (output, mark) = task.running.output_since(&task.read);
        task.read = mark;
        Some(output)
    }

    /// The same without taking note of it.
    pub(crate) fn peek(&self, id: &TaskId) -> Option<Output> {
        let state = self.state();
        let task = state.tasks.iter().find(|task| task.id == *id)?;
        Some(task.running.output_since(&task.read).0)
    }

    /// The model knows that the task ended, or will end.
    pub(crate) fn end_is_known(&self, id: &TaskId) {
        let mut state = self.state();
        if let Some(task) = state.tasks.iter_mut().find(|task| task.id == *id) {
            task.end_is_known = true;
        }
        state.notices.retain(|notice| notice.task != *id);
    }

    /// Ends every task.
    pub fn stop_all(&self) {
        for task in &self.state().tasks {
            task.running.kill(KillReason::Shutdown);
        }
    }

    /// A call that runs now and may be moved. Ends with the guard.
    pub(crate) fn movable(&self, call: &CallId) -> Movable {
        let (sender, moved) = watch::channel(false);
        self.state().movable.insert(call.clone(), sender);
        Movable {
            tasks: self.clone(),
            call: call.clone(),
            moved,
        }
    }

    /// Whether a call runs a command now that can be moved.
    #[must_use]
    pub fn is_movable(&self, call: &CallId) -> bool {
        self.state().movable.contains_key(call)
    }

    /// Asks a running command to go on in the background. False where no such
    /// call runs a command now.
    pub fn move_to_background(&self, call: &CallId) -> bool {
        match self.state().movable.get(call) {
            Some(sender) => {
                sender.send_replace(true);
                true
            }
            None => false,
        }
    }
}

impl Task {
    fn state(&self) -> TaskState {
        TaskState {
            id: self.id.clone(),
            call: self.call.clone(),
            command: self.command.clone(),
            cwd: self.cwd.clone(),
            terminal: self.terminal.clone(),
            running: self.running.clone(),
            explain: self.explain.clone(),
        }
    }
}

impl State {
    fn forget_old(&mut self) {
        let ended = |task: &Task| task.running.is_gone();
        let mut excess = self.tasks.iter().filter(|task| ended(task)).count();
        self.tasks.retain(|task| {
            let goes = ended(task) && excess > KEPT;
            excess -= usize::from(goes);
            !goes
        });
    }
}

/// See [`BackgroundTasks::movable`].
pub(crate) struct Movable {
    tasks: BackgroundTasks,
    call: CallId,
    moved: watch::Receiver<bool>,
}

impl Movable {
    /// Waits until a person moves the command.
    pub(crate) async fn moved(&mut self) {
        if self.moved.wait_for(|moved| *moved).await.is_err() {
            std::future::pending().await
        }
    }
}

impl Drop for Movable {
    fn drop(&mut self) {
        self.tasks.state().movable.remove(&self.call);
    }
}

async fn waits_for_input(running: &Running) -> bool {
    let running = running.clone();
    // It reads `/proc`, which is no work for the runtime.
    tokio::task::spawn_blocking(move || running.waiting_for_input().is_some())
        .await
        .unwrap_or(false)
}

/// Whether a command ended badly: not with 0, nor because it was asked to end.
fn is_bad(exit: &Exit) -> bool {
    exit.reason == ExitReason::Exited && !exit.status.success()
}
