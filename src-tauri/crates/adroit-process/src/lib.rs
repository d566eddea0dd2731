//! Process trees, PTYs and bounded output.
//!
//! Owns every process that Adroit starts for a person or a model: each command
//! gets a terminal, session and process group of its own ([`Supervisor::spawn`])
//! and is followed to the end of its last descendant.
//!
//! Called by the Bash tool for commands of a model ([`ShellCommand`]), and by the
//! session for a person's own terminals.
//!
//! Invariants:
//! - A command ends when its direct process ends, never at the end of a
//!   terminal that a grandchild holds.
//! - Nothing escapes: descendants are found by session, descent, terminal and
//!   by a tag in their environment, and all are ended on kill, timeout,
//!   shutdown and drop, after a crash by the watchdog ([`helper_mode`]), and at
//!   the latest at the next start.
//! - No process is signalled on the strength of its number alone: its start
//!   time must match.
//! - Memory is bounded whatever is printed: a ring of raw bytes for views, a
//!   beginning and an end of clean text for the model, the rest in a file.
//! - A slow or absent reader of output never holds up the command.
//!
//! It never knows of tools, permissions, models or settings.

mod cgroup;
mod conduct;
mod definitions;
mod environment;
mod exit;
mod feed;
mod helper;
mod leftovers;
mod output;
mod piped;
mod procfs;
mod running;
mod sandbox;
mod shell;
mod spec;
mod supervisor;
mod terminal;
mod tree;
mod usage;
mod watchdog;

pub use definitions::{Definition, KeepsDefinition};
pub use environment::{Environment, EnvironmentSource, LoginEnvironment};
pub use exit::{Exit, ExitReason, ExitStatus, KillReason, Survivor};
pub use feed::{Chunk, Subscription};
pub use helper::helper_mode;
pub use output::{Output, OutputLimits, OutputMark};
pub use piped::{Captured, Piped, PipedEnd};
pub use running::{InputRequest, KillOnDrop, Running, Wanted};
pub use sandbox::{
    Backend, Denial, Door, Found, Gate, HostJudge, Listing, RefusedHosts, Sandbox, SandboxNetwork,
    SandboxPolicy, Unavailable,
};
pub use shell::{NoShell, PreparedCommand, Shell, ShellCommand, ShellKind, WorkingDirectoryReport};
pub use spec::{CommandSpec, MAX_ARGUMENT_BYTES, SpawnError, SurvivorPolicy};
pub use supervisor::Supervisor;
pub use terminal::TerminalSize;
pub use tree::TreeId;
pub use usage::ProcessUsage;
