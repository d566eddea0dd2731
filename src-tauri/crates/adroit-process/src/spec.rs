//! What to run, and why it could not be run.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::time::Duration;

use crate::output::OutputLimits;
use crate::terminal::TerminalSize;

/// The kernel's limit for one argument or environment string (32 pages,
/// execve(2): MAX_ARG_STRLEN), its final NUL included.
pub const MAX_ARGUMENT_BYTES: usize = 131_072;

/// What happens to processes that outlive the command that started them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SurvivorPolicy {
    /// They go on, stay in the supervisor's care and are listed in the exit.
    #[default]
    Keep,
    /// They are ended, and listed in the exit as ended.
    Kill,
}

/// A command for [`crate::Supervisor::spawn`].
#[derive(Debug, Clone)]
pub struct CommandSpec {
    /// A path, or a name that is looked up in the `PATH` of `env`.
    pub program: PathBuf,
    /// Arguments after the program's name.
    pub args: Vec<OsString>,
    /// Working directory; it must exist.
    pub cwd: PathBuf,
    /// The complete environment: nothing is inherited. See
    /// [`crate::Environment`] for one that is fit for commands.
    pub env: Vec<(OsString, OsString)>,
    /// Size of the terminal at the start.
    pub size: TerminalSize,
    /// The whole tree is ended after this time. `None`: never.
    pub timeout: Option<Duration>,
    /// The whole tree is ended when its processes together hold more memory of their own
    /// than this, in bytes. Looked at a few times a second. `None`: no limit.
    pub memory: Option<u64>,
    /// Bounds of the clean text in [`crate::Exit::output`].
    pub output_limits: OutputLimits,
    /// Folder for output that exceeds the bound; made when needed.
    pub overflow_dir: Option<PathBuf>,
    /// What happens to processes that outlive the command.
    pub survivors: SurvivorPolicy,
    /// The program only waits for what it starts, as the shell around a command
    /// does. Its end would take the terminal from under processes that are just
    /// asked to end and clean up (SIGHUP), so it is asked last.
    pub only_waits: bool,
    /// The program starts the one that is meant, and waits for it: bubblewrap. Set by
    /// [`crate::Backend::confine`].
    pub leader_is_wrapper: bool,
}

impl CommandSpec {
    /// `program` without arguments in `cwd` with the defaults of this crate:
    /// no timeout, no overflow folder, survivors kept.
    pub fn new(
        program: impl Into<PathBuf>,
        cwd: impl Into<PathBuf>,
        env: Vec<(OsString, OsString)>,
    ) -> Self {
        Self {
            program: program.into(),
            args: Vec::new(),
            cwd: cwd.into(),
            env,
            size: TerminalSize::default(),
            timeout: None,
            memory: None,
            output_limits: OutputLimits::default(),
            overflow_dir: None,
            survivors: SurvivorPolicy::default(),
            only_waits: false,
            leader_is_wrapper: false,
        }
    }

    /// Checks what the kernel would only report from inside of the new process.
    pub(crate) fn check(&self) -> Result<(), SpawnError> {
        if !self.cwd.is_dir() {
            return Err(SpawnError::WorkingDirectory {
                path: self.cwd.clone(),
            });
        }
        let mut total = self.program.as_os_str().len();
        let variables = self
            .env
            .iter()
            .map(|(name, value)| (name.len() + 1 + value.len(), name.as_os_str()));
        let arguments = self.args.iter().map(|word| (word.len(), OsStr::new("")));
        for (length, name) in arguments.chain(variables) {
            if length + 1 > MAX_ARGUMENT_BYTES {
                return Err(SpawnError::TooLong {
                    what: if name.is_empty() {
                        "one argument".to_owned()
                    } else {
                        format!("the variable {}", name.to_string_lossy())
                    },
                    bytes: length,
                    limit: MAX_ARGUMENT_BYTES - 1,
                });
            }
            total += length + 1 + size_of::<usize>();
        }
        let limit = total_limit();
        if total > limit {
            return Err(SpawnError::TooLong {
                what: "arguments and environment together".to_owned(),
                bytes: total,
                limit,
            });
        }
        Ok(())
    }
}

/// A quarter of the stack limit, at least 128 KiB, at most 6 MiB (execve(2)).
fn total_limit() -> usize {
    let stack = rustix::process::getrlimit(rustix::process::Resource::Stack).current;
    let quarter = usize::try_from(stack.unwrap_or(u64::MAX) / 4).unwrap_or(usize::MAX);
    quarter.clamp(MAX_ARGUMENT_BYTES, 6 << 20)
}

/// A command could not be started.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SpawnError {
    /// The working directory is missing or is no directory.
    #[error("cannot run in {}: it is not a folder (moved or deleted?)", path.display())]
    WorkingDirectory {
        /// The directory asked for.
        path: PathBuf,
    },
    /// More than the kernel passes to a program.
    #[error("{what} is too long to pass to a program: {bytes} bytes, at most {limit}")]
    TooLong {
        /// What is too long.
        what: String,
        /// Its size.
        bytes: usize,
        /// The most that is allowed.
        limit: usize,
    },
    /// The program does not exist or is not executable, or the system gave no
    /// terminal or process.
    #[error("cannot start {}: {reason}", program.display())]
    Start {
        /// The program asked for.
        program: PathBuf,
        /// The system's words.
        reason: String,
    },
    /// [`crate::Supervisor::shutdown`] was called.
    #[error("cannot start {}: the application is closing", program.display())]
    ShuttingDown {
        /// The program asked for.
        program: PathBuf,
    },
    /// Called outside of a Tokio runtime.
    #[error("cannot start {}: no async runtime is running here", program.display())]
    NoRuntime {
        /// The program asked for.
        program: PathBuf,
    },
}
