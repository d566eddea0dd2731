//! The terminals that a person sees: those of running commands and the person's own.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use adroit_process::{
    CommandSpec, Exit, ExitStatus, KillReason, LoginEnvironment, Running, Shell, SpawnError,
    Supervisor, TerminalSize,
};
use adroit_protocol::command::{TerminalState, TerminalSummary};
use adroit_protocol::event::Event;
use adroit_protocol::{CallId, TerminalId};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;

use crate::state::Emit;

/// Finished terminals whose output stays readable.
const KEPT: usize = 50;

/// The terminals of one session.
pub struct TerminalRegistry {
    supervisor: Supervisor,
    environment: Arc<LoginEnvironment>,
    emit: Emit,
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
    call: Option<CallId>,
    size: TerminalSize,
    running: Running,
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
    ) -> Arc<Self> {
        Arc::new(Self {
            supervisor,
            environment,
            emit,
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
        let id = self.register(None, &title, size, &running);
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
                    .map(|terminal| summary(id, terminal))
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
        Some(TerminalState {
            summary: summary(id, &terminal),
            scrollback: BASE64.encode(terminal.running.scrollback()),
            rows: terminal.size.rows,
            columns: terminal.size.columns,
        })
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

    /// Ends what runs in a terminal; a finished one is taken off the list.
    ///
    /// # Errors
    /// It is gone.
    pub fn close(&self, id: &TerminalId) -> Result<(), TerminalError> {
        let mut terminals = self.lock();
        let terminal = terminals.known.get(id).ok_or(TerminalError::Gone)?;
        if terminal.running.exit().is_none() {
            terminal.running.kill(KillReason::Person);
        }
        // The terminal of a call stays readable; the person's own goes with its shell.
        if terminal.call.is_none() || terminal.running.exit().is_some() {
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

    fn register(
        self: &Arc<Self>,
        call: Option<CallId>,
        title: &str,
        size: TerminalSize,
        running: &Running,
    ) -> TerminalId {
        let id = TerminalId::generate();
        let terminal = Terminal {
            title: title.to_owned(),
            call,
            size,
            running: running.clone(),
        };
        {
            let mut terminals = self.lock();
            terminals.known.insert(id.clone(), terminal);
            terminals.order.push(id.clone());
            terminals.forget_old();
        }
        self.pump(id.clone(), running.clone());
        id
    }

    /// Sends what the terminal prints, from its first byte on.
    fn pump(self: &Arc<Self>, terminal: TerminalId, running: Running) {
        let emit = Arc::clone(&self.emit);
        let mut subscription = running.subscribe_from(0);
        let end = (Arc::clone(&emit), terminal.clone(), running);
        tokio::spawn(async move {
            while let Some(chunk) = subscription.next().await {
                if chunk.skipped > 0 {
                    let note = format!(
                        "\r\n\x1b[0m[{} bytes passed too fast to show]\r\n",
                        chunk.skipped
                    );
                    emit(Event::TerminalOutput {
                        terminal: terminal.clone(),
                        data: BASE64.encode(note),
                    });
                }
                emit(Event::TerminalOutput {
                    terminal: terminal.clone(),
                    data: BASE64.encode(&chunk.bytes),
                });
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
    fn opened(&self, call: &CallId, title: &str, running: &Running) -> TerminalId {
        self.0
            .register(Some(call.clone()), title, TerminalSize::default(), running)
    }
}

/// The registry as the Bash tool sees it.
pub struct ArcRegistry(pub Arc<TerminalRegistry>);

fn summary(id: &TerminalId, terminal: &Terminal) -> TerminalSummary {
    let exit = terminal.running.exit();
    TerminalSummary {
        terminal: id.clone(),
        title: terminal.title.clone(),
        call: terminal.call.clone(),
        running: exit.is_none(),
        exit_code: exit.as_deref().and_then(code),
    }
}

fn code(exit: &Exit) -> Option<i32> {
    match exit.status {
        ExitStatus::Code(code) => Some(code),
        ExitStatus::Signal(_) => None,
    }
}
