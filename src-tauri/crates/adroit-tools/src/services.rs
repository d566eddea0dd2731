//! What the built-in tools are constructed with.

use std::path::PathBuf;
use std::sync::Arc;

use adroit_process::{LoginEnvironment, Running, Supervisor};
use adroit_protocol::{CallId, TerminalId};
use adroit_workspace::Workspace;

/// The disk and the processes that the tools of one agent work on.
///
/// A sub-agent in another folder gets tools that were made with other services.
#[derive(Clone)]
pub struct Services {
    /// The folders of the project.
    pub workspace: Arc<Workspace>,
    /// Starts and ends processes.
    pub supervisor: Supervisor,
    /// The environment of the person's login shell, asked for when the first command runs.
    pub environment: Arc<LoginEnvironment>,
    /// Where the terminals of commands are shown.
    pub terminals: Arc<dyn Terminals>,
    /// The person's home, for `~` in commands.
    pub home: PathBuf,
    /// Folders of the app's own data that Read may read: stored results.
    pub readable_data: Vec<PathBuf>,
}

/// Shows the terminals of commands to a person.
pub trait Terminals: Send + Sync {
    /// A command runs in a terminal now. The listener may type into it; the call goes
    /// on whether anybody looks or not.
    fn opened(&self, call: &CallId, title: &str, running: &Running) -> TerminalId;
}

/// Nobody looks.
#[derive(Debug, Default)]
pub struct NoTerminals;

impl Terminals for NoTerminals {
    fn opened(&self, _call: &CallId, _title: &str, _running: &Running) -> TerminalId {
        TerminalId::generate()
    }
}
