//! What the built-in tools are constructed with.

use std::any::Any;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use adroit_permissions::HostList;
use adroit_process::{
    LoginEnvironment, Running, Sandbox, SandboxNetwork, Supervisor, SurvivorPolicy,
};
use adroit_protocol::{CallId, TerminalId};
use adroit_workspace::Workspace;

use crate::{Agents, BackgroundTasks};

/// The disk and the processes that the tools of one agent work on.
///
/// A sub-agent in another folder gets tools that were made with other services.
#[derive(Clone)]
pub struct Services {
    /// The folders of the project.
    pub workspace: Arc<Workspace>,
    /// Starts and ends processes.
    pub supervisor: Supervisor,
    /// What holds commands to their places.
    pub sandbox: Sandbox,
    /// The environment of the person's login shell, asked for when the first command runs.
    pub environment: Arc<LoginEnvironment>,
    /// Where the terminals of commands are shown.
    pub terminals: Arc<dyn Terminals>,
    /// Commands that go on in the background.
    pub tasks: BackgroundTasks,
    /// Starts agents.
    pub agents: Arc<dyn Agents>,
    /// How commands are run, asked for at the start of each.
    pub commands: Arc<dyn Fn() -> CommandSettings + Send + Sync>,
    /// Called before a command begins that a sandbox holds.
    pub sandboxed: Sandboxed,
    /// The person's home, for `~` in commands.
    pub home: PathBuf,
    /// Folders of the app's own data that Read may read: stored results.
    pub readable_data: Vec<PathBuf>,
}

/// What is kept until nothing is left of a command that a sandbox holds.
pub type WhileSandboxed = Arc<dyn Any + Send + Sync>;

/// Gives what is to be kept for one command.
pub type Sandboxed = Arc<dyn Fn() -> WhileSandboxed + Send + Sync>;

/// How commands are run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommandSettings {
    /// What happens to processes that outlive their command.
    pub survivors: SurvivorPolicy,
    /// How they are held.
    pub sandbox: SandboxSettings,
    /// How much they may use.
    pub limits: CommandLimits,
}

/// How much a command may use. Absent ones are the usual.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CommandLimits {
    /// Time of a command that names no timeout.
    pub timeout: Option<Duration>,
    /// Bytes of memory of the command and all that it starts.
    pub memory: Option<u64>,
    /// Bytes of output kept on disk.
    pub output: Option<u64>,
}

/// How commands are held to the project.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SandboxSettings {
    /// Whether.
    pub mode: SandboxMode,
    /// Whether they reach the network.
    pub network: SandboxNetwork,
    /// The hosts they reach where that is a list.
    pub hosts: HostList,
    /// Further places that may be written, absolute.
    pub writable: Vec<PathBuf>,
    /// The app's own data and settings, which no command may write.
    pub app: Vec<PathBuf>,
    /// Files of keys, which no command may read where the sandbox can hide them.
    pub secrets: Vec<PathBuf>,
}

/// Whether commands are held by a sandbox.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SandboxMode {
    /// No.
    Off,
    /// Where one works on this machine.
    #[default]
    Auto,
    /// A command that cannot be held does not run.
    Required,
}

/// Shows the terminals of commands to a person.
pub trait Terminals: Send + Sync {
    /// A command runs in a terminal now. The listener may type into it; the call goes
    /// on whether anybody looks or not.
    fn opened(&self, opened: OpenedTerminal<'_>) -> TerminalId;
}

/// A command that runs in a terminal now.
#[derive(Clone, Copy, Debug)]
pub struct OpenedTerminal<'a> {
    /// The call that it belongs to.
    pub call: &'a CallId,
    /// The command in a few words.
    pub title: &'a str,
    /// The whole command line.
    pub command: &'a str,
    /// Where it runs.
    pub cwd: &'a Path,
    /// Its processes.
    pub running: &'a Running,
}

/// Nobody looks.
#[derive(Debug, Default)]
pub struct NoTerminals;

impl Terminals for NoTerminals {
    fn opened(&self, _opened: OpenedTerminal<'_>) -> TerminalId {
        TerminalId::generate()
    }
}
