//! The terminals that a person sees: those of running commands and the person's own.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use adroit_process::{
    CommandSpec, Exit, ExitReason, ExitStatus, KillReason, LoginEnvironment, Running, Shell,
    SpawnError, Supervisor, TerminalSize,
};
use adroit_protocol::command::{TerminalProcess, TerminalState, TerminalSummary};
use adroit_protocol::event::Event;
use adroit_protocol::{CallId, TerminalId};
use adroit_tools::{BackgroundTasks, OpenedTerminal};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use tokio::sync::watch;

use crate::clock::now_ms;
use crate::state::Emit;

/// Finished terminals whose output stays readable.
const KEPT: usize = 50;
/// Bytes sent ahead of what was shown. A command is never held up by a slow window: what it
/// prints meanwhile shows as far as the scrollback reaches.
const AHEAD: u64 = 256 * 1024;

/// The terminals of one session.
pub struct TerminalRegistry {
    supervisor: Supervisor,
    environment: Arc<LoginEnvironment>,
    emit: Emit,
    tasks: BackgroundTasks,
    terminals: Mutex<Terminals>,
}

#[derive(Default)]
struct Terminals {
    known: HashMap<TerminalId, Terminal>,
    order: Vec<TerminalId>,
}

#[derive(Clone)]
struct Terminal {
    title: String,
    cwd: PathBuf,
    /// What runs in it, for the meaning of its exit code.
    command: String,
    call: Option<CallId>,
    started_at: u64,
    size: TerminalSize,
    running: Running,
    /// Offset of the end of what some window has shown.
    shown: Arc<watch::Sender<u64>>,
}

/// A terminal command could not be carried out.
#[derive(Debug, thiserror::Error)]
pub enum TerminalError {
    /// There is no such terminal (any more).
    #[error("this terminal is gone")]
    Gone,
    /// The shell could not be started.
    #[error("the terminal could not be opened: {0}")]
    Spawn(#[from] SpawnError),
    /// Nothing to start.
    #[error("the terminal could not be opened: {0}")]
    NoShell(#[from] adroit_process::NoShell),
    /// Its process ended, so it takes no more input.
    #[error("the terminal does not take input: {0}")]
    Ended(std::io::Error),
}

impl TerminalRegistry {
    /// An empty registry.
    #[must_use]
    pub fn new(
        supervisor: Supervisor,
        environment: Arc<LoginEnvironment>,
        emit: Emit,
        tasks: BackgroundTasks,
    ) -> Arc<Self> {
        Arc::new(Self {
            supervisor,
            environment,
            emit,
            tasks,
            terminals: Mutex::default(),
        })
    }

    /// Opens a terminal of the person's own with the person's shell.
    ///
    /// # Errors
    /// There is no shell, or it cannot be started.
    pub async fn open(
        self: &Arc<Self>,
        folder: &Path,
        size: TerminalSize,
    ) -> Result<TerminalState, TerminalError> {
        let environment = self.environment.get().await;
        let shell = match environment.get("SHELL").map(std::path::PathBuf::from) {
            Some(shell)
                if shell.is_file()
                    && shell
                        .file_name()
                        .is_some_and(|name| name != "false" && name != "nologin") =>
            {
                shell
            }
            _ => Shell::discover(environment.get("PATH"), None)?.path,
        };
        let mut spec = CommandSpec::new(shell.clone(), folder, environment.for_person());
        spec.args.push("-i".into());
        spec.size = size;
        let running = self.supervisor.spawn(spec)?;
        let title = shell
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let terminal = Terminal {
            title,
            cwd: folder.to_path_buf(),
            command: String::new(),
            call: None,
            started_at: now_ms(),
            size,
            running,
            shown: Arc::default(),
        };
        let id = self.register(terminal);
        self.state(&id).ok_or(TerminalError::Gone)
    }

    /// All terminals, newest last.
    #[must_use]
    pub fn list(&self) -> Vec<TerminalSummary> {
        let terminals = self.lock();
        terminals
            .order
            .iter()
            .filter_map(|id| {
                terminals
                    .known
                    .get(id)
                    .map(|terminal| self.summary(id, terminal))
            })
            .collect()
    }

    /// Whether a terminal is one of these.
    #[must_use]
    pub fn knows(&self, id: &TerminalId) -> bool {
        self.lock().known.contains_key(id)
    }

    /// What a terminal shows.
    #[must_use]
    pub fn state(&self, id: &TerminalId) -> Option<TerminalState> {
        let terminal = self.lock().known.get(id).cloned()?;
        let (scrollback, end) = terminal.running.scrollback_with_end();
        self.shown(id, end);
        Some(TerminalState {
            summary: self.summary(id, &terminal),
            scrollback: BASE64.encode(scrollback),
            end,
            rows: terminal.size.rows,
            columns: terminal.size.columns,
        })
    }

    /// Notes how far the output of a terminal was shown; more is sent then.
    pub fn shown(&self, id: &TerminalId, offset: u64) {
        if let Some(terminal) = self.lock().known.get(id) {
            terminal.shown.send_if_modified(|shown| {
                let more = offset > *shown;
                *shown = offset.max(*shown);
                more
            });
        }
    }

    /// Types into a terminal.
    ///
    /// # Errors
    /// It is gone, or its process ended.
    pub async fn write(&self, id: &TerminalId, text: &str) -> Result<(), TerminalError> {
        let running = self.running(id)?;
        running
            .write(text.as_bytes())
            .await
            .map_err(TerminalError::Ended)
    }

    /// Tells a terminal its size.
    ///
    /// # Errors
    /// It is gone. A terminal whose process ended needs no size: that is no error.
    pub fn resize(&self, id: &TerminalId, size: TerminalSize) -> Result<(), TerminalError> {
        let running = {
            let mut terminals = self.lock();
            let terminal = terminals.known.get_mut(id).ok_or(TerminalError::Gone)?;
            terminal.size = size;
            terminal.running.clone()
        };
        if let Err(error) = running.resize(size) {
            tracing::debug!(%error, "a terminal was not resized");
        }
        Ok(())
    }

    /// Lets the command in a terminal go on in the background. False where no call
    /// waits for it.
    ///
    /// # Errors
    /// It is gone.
    pub fn background(&self, id: &TerminalId) -> Result<bool, TerminalError> {
        let call = {
            let terminals = self.lock();
            let terminal = terminals.known.get(id).ok_or(TerminalError::Gone)?;
            terminal.call.clone()
        };
        Ok(call.is_some_and(|call| self.tasks.move_to_background(&call)))
    }

    /// What runs in a terminal. Reads `/proc`: not for the runtime's threads.
    ///
    /// # Errors
    /// It is gone.
    pub fn processes(&self, id: &TerminalId) -> Result<Vec<TerminalProcess>, TerminalError> {
        let usage = self.running(id)?.usage();
        Ok(usage
            .into_iter()
            .map(|process| TerminalProcess {
                pid: process.pid,
                parent: process.parent,
                command: process.command,
                cpu_ms: u64::try_from(process.cpu.as_millis()).unwrap_or(u64::MAX),
                memory_bytes: process.memory_bytes,
                ports: process.ports,
            })
            .collect())
    }

    /// Ends one process of a terminal; false where it is none of them. Blocks for up to
    /// a few seconds.
    ///
    /// # Errors
    /// The terminal is gone.
    pub fn end_process(&self, id: &TerminalId, pid: i32) -> Result<bool, TerminalError> {
        Ok(self.running(id)?.end_member(pid))
    }

    /// Ends what runs in a terminal, survivors of its command included; a finished
    /// one is taken off the list.
    ///
    /// # Errors
    /// It is gone.
    pub fn close(&self, id: &TerminalId) -> Result<(), TerminalError> {
        let mut terminals = self.lock();
        let terminal = terminals.known.get(id).ok_or(TerminalError::Gone)?;
        let goes = terminal.running.is_gone();
        if !goes {
            terminal.running.kill(KillReason::Person);
        }
        // The terminal of a call stays readable; the person's own goes with its shell.
        if terminal.call.is_none() || goes {
            terminals.known.remove(id);
            terminals.order.retain(|known| known != id);
        }
        Ok(())
    }

    fn running(&self, id: &TerminalId) -> Result<Running, TerminalError> {
        self.lock()
            .known
            .get(id)
            .map(|terminal| terminal.running.clone())
            .ok_or(TerminalError::Gone)
    }

    fn register(self: &Arc<Self>, terminal: Terminal) -> TerminalId {
        let id = TerminalId::generate();
        let (running, shown) = (terminal.running.clone(), terminal.shown.subscribe());
        {
            let mut terminals = self.lock();
            terminals.known.insert(id.clone(), terminal);
            terminals.order.push(id.clone());
            terminals.forget_old();
        }
        self.pump(id.clone(), running, shown);
        id
    }

    /// Sends what the terminal prints, from its first byte on, as fast as it is shown.
    fn pump(
        self: &Arc<Self>,
        terminal: TerminalId,
        running: Running,
        mut shown: watch::Receiver<u64>,
    ) {
        let emit = Arc::clone(&self.emit);
        let mut subscription = running.subscribe_from(0);
        let end = (Arc::clone(&emit), terminal.clone(), running);
        tokio::spawn(async move {
            while let Some(chunk) = subscription.next().await {
                let end = chunk.end;
                // What was skipped shows as a gap between the offsets.
                emit(Event::TerminalOutput {
                    terminal: terminal.clone(),
                    offset: chunk.end - chunk.bytes.len() as u64,
                    data: BASE64.encode(&chunk.bytes),
                });
                // An error means that the terminal was taken off: nobody looks any more.
                let room = shown.wait_for(|shown| end < *shown + AHEAD).await;
                if room.is_err() {
                    return;
                }
            }
        });
        // A process that outlives the command holds the terminal open: its end is the
        // command's own, and what the survivor prints is still shown.
        tokio::spawn(async move {
            let (emit, terminal, running) = end;
            let exit = running.wait().await;
            emit(Event::TerminalEnded {
                terminal,
                exit_code: code(&exit),
            });
        });
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Terminals> {
        self.terminals
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl Terminals {
    /// Keeps the newest finished ones; a running one is never forgotten.
    fn forget_old(&mut self) {
        let finished: Vec<TerminalId> = self
            .order
            .iter()
            .filter(|id| {
                self.known
                    .get(*id)
                    .is_some_and(|terminal| terminal.running.exit().is_some())
            })
            .cloned()
            .collect();
        for id in finished.iter().take(finished.len().saturating_sub(KEPT)) {
            self.known.remove(id);
            self.order.retain(|known| known != id);
        }
    }
}

impl adroit_tools::Terminals for ArcRegistry {
    fn opened(&self, opened: OpenedTerminal<'_>) -> TerminalId {
        self.0.register(Terminal {
            title: opened.title.to_owned(),
            cwd: opened.cwd.to_path_buf(),
            command: opened.command.to_owned(),
            call: Some(opened.call.clone()),
            started_at: now_ms(),
            size: TerminalSize::default(),
            running: opened.running.clone(),
            shown: Arc::default(),
        })
    }
}

/// The registry as the Bash tool sees it.
pub struct ArcRegistry(pub Arc<TerminalRegistry>);

impl TerminalRegistry {
    fn summary(&self, id: &TerminalId, terminal: &Terminal) -> TerminalSummary {
        let exit = terminal.running.exit();
        let task = self.tasks.of_terminal(id);
        let call = terminal.call.as_ref();
        let ms = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        TerminalSummary {
            terminal: id.clone(),
            title: terminal.title.clone(),
            call: terminal.call.clone(),
            cwd: terminal.cwd.display().to_string(),
            running: exit.is_none(),
            movable: call.is_some_and(|call| self.tasks.is_movable(call)),
            kept_back: task.as_ref().and_then(adroit_tools::TaskState::kept_back),
            task: task.map(|task| task.id.to_string()),
            started_at: terminal.started_at,
            elapsed_ms: exit.as_ref().map(|exit| ms(exit.elapsed)),
            exit_code: exit.as_deref().map(|exit| exit.status.shell_code()),
            meaning: exit.as_deref().and_then(|exit| meaning(terminal, exit)),
            survivors: survivors(&terminal.running),
        }
    }
}

fn meaning(terminal: &Terminal, exit: &Exit) -> Option<String> {
    match (exit.reason, exit.status) {
        (ExitReason::TimedOut, _) => Some("timed out".to_owned()),
        (ExitReason::OutOfMemory, _) => Some("used too much memory".to_owned()),
        (ExitReason::Killed(_), _) => Some("stopped".to_owned()),
        (ExitReason::Exited, ExitStatus::Signal(signal)) => Some(format!("signal {signal}")),
        (ExitReason::Exited, ExitStatus::Code(code)) => {
            adroit_shell::exit_meaning(&terminal.command, code).map(|meaning| meaning.meaning)
        }
    }
}

/// What outlived the command, while it runs.
fn survivors(running: &Running) -> Vec<String> {
    if running.exit().is_none() {
        return Vec::new();
    }
    running
        .members()
        .into_iter()
        .map(|survivor| format!("{} {}", survivor.pid, survivor.command))
        .collect()
}

fn code(exit: &Exit) -> Option<i32> {
    match exit.status {
        ExitStatus::Code(code) => Some(code),
        ExitStatus::Signal(_) => None,
    }
}
