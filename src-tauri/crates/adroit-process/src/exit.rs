//! How a command ended.

use std::time::Duration;

use serde::Serialize;

use crate::output::Output;
use crate::procfs;

/// The status of the direct process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum ExitStatus {
    /// It ended by itself.
    Code(i32),
    /// A signal ended it. Also when SIGKILL was sent and the kernel has not
    /// carried it out yet (uninterruptible sleep).
    Signal(i32),
}

impl ExitStatus {
    /// Ended by itself with 0.
    pub fn success(self) -> bool {
        self == Self::Code(0)
    }

    /// The number that shells use: the code, or 128 plus the signal.
    pub fn shell_code(self) -> i32 {
        match self {
            Self::Code(code) => code,
            Self::Signal(signal) => 128 + signal,
        }
    }
}

/// Who ended a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum KillReason {
    /// The call it belongs to was cancelled.
    Cancelled,
    /// A person pressed stop on it.
    Person,
    /// The application is closing.
    Shutdown,
}

/// Why a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum ExitReason {
    /// By itself, or by a signal from elsewhere.
    Exited,
    /// Its time was over.
    TimedOut,
    /// It and what it started used more memory than they may.
    OutOfMemory,
    /// It was asked for with [`crate::Running::kill`].
    Killed(KillReason),
}

/// A process that outlived the command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Survivor {
    /// Process number.
    pub pid: i32,
    /// Command line, words joined by spaces.
    pub command: String,
    /// It was ended by [`crate::SurvivorPolicy::Kill`].
    pub killed: bool,
}

impl Survivor {
    /// A process that runs.
    pub(crate) fn living(pid: i32) -> Self {
        Self {
            pid,
            command: procfs::command_line(pid),
            killed: false,
        }
    }
}

/// The end of a command.
#[derive(Debug, Clone)]
pub struct Exit {
    /// Status of the direct process.
    pub status: ExitStatus,
    /// Why it ended.
    pub reason: ExitReason,
    /// What it printed, as clean bounded text.
    pub output: Output,
    /// Processes of its tree that outlived it.
    pub survivors: Vec<Survivor>,
    /// From start to end.
    pub elapsed: Duration,
}
