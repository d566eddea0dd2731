//! Keeping a command from writing where it has no business.
//!
//! A command may read everything that the person may, and write to the places of
//! a [`SandboxPolicy`] alone. Who holds it to that is the strongest [`Backend`]
//! that a real trial shows to work on this machine ([`Sandbox::find`]):
//! - **bubblewrap**: the file system is mounted read-only around the command,
//!   with the writable places mounted over it and the protected ones over those;
//! - **landlock with seccomp**, which our own executable applies to itself before
//!   it becomes the command ([`crate::helper_mode`]). It can only add places, so
//!   what is protected within a writable folder stays writable;
//! - **seatbelt** on macOS.
//!
//! What is deliberately not kept apart: other processes, so that a command may
//! look at and end what an earlier one started; reading; the temporary folder,
//! which commands, the person and sockets share; and, with the network on, the
//! desktop's own protocols (X11).

mod bubblewrap;
mod denial;
mod helper;
#[cfg(target_os = "linux")]
mod landlock;
mod network;
mod policy;
#[cfg_attr(not(target_os = "macos"), allow(dead_code))] // Written and tested as text elsewhere.
mod seatbelt;
mod trial;

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use tokio::sync::OnceCell;

pub use denial::Denial;
pub use network::{Door, Gate, HostJudge, Listing, RefusedHosts};
pub use policy::{SandboxNetwork, SandboxPolicy};

pub(crate) use helper::{MODE, run as run_confined};
pub(crate) use network::{MODE as NETWORK_MODE, run as run_with_network};

use crate::spec::CommandSpec;
use crate::supervisor::Supervisor;
use crate::watchdog;

/// Who holds commands to their policy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Backend {
    /// The `bwrap` at this place.
    Bubblewrap(PathBuf),
    /// The kernel, asked by our own executable at this place.
    Landlock(PathBuf),
    /// `sandbox-exec`.
    Seatbelt,
}

impl Backend {
    /// The word that people know it by.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Bubblewrap(_) => "bubblewrap",
            Self::Landlock(_) => "landlock",
            Self::Seatbelt => "seatbelt",
        }
    }

    /// Whether protected paths within writable folders are kept from writing.
    #[must_use]
    pub fn keeps_protected(&self) -> bool {
        !matches!(self, Self::Landlock(_))
    }

    /// Makes `spec` a command that is held to `policy`.
    pub fn confine(&self, policy: &SandboxPolicy, spec: &mut CommandSpec) {
        let program = std::mem::take(&mut spec.program);
        let own = std::mem::take(&mut spec.args);
        let (outer, mut arguments) = match self {
            Self::Bubblewrap(path) => (path.clone(), bubblewrap::arguments(policy)),
            Self::Landlock(path) => (path.clone(), helper::arguments(policy)),
            Self::Seatbelt => (seatbelt::PROGRAM.into(), seatbelt::arguments(policy)),
        };
        if let (Self::Bubblewrap(_), SandboxNetwork::Listed, Some(door)) =
            (self, policy.network, &policy.door)
        {
            arguments.extend(network::arguments(door));
        }
        arguments.push(program.into_os_string());
        arguments.extend(own);
        spec.program = outer;
        spec.args = arguments;
        // bubblewrap stays, and waits for the command as the shell around it does.
        spec.leader_is_wrapper = matches!(self, Self::Bubblewrap(_));
    }
}

/// Why a backend cannot be had, for a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unavailable {
    /// Each backend that was tried, and what happened.
    pub tried: Vec<(&'static str, String)>,
}

impl fmt::Display for Unavailable {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (name, reason)) in self.tried.iter().enumerate() {
            let separator = if index == 0 { "" } else { "; " };
            write!(formatter, "{separator}{name}: {reason}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Unavailable {}

/// What was found of a sandbox.
#[derive(Debug, Clone)]
pub struct Found {
    /// What is in force, or why nothing is.
    pub backend: Result<Backend, Unavailable>,
    /// Stronger backends that do not work here, and why.
    pub passed_over: Vec<(&'static str, String)>,
}

/// Finds out once, when first asked, what this machine offers. Clones share it.
#[derive(Clone)]
pub struct Sandbox {
    supervisor: Supervisor,
    path: Option<OsString>,
    with_network: Arc<OnceCell<Found>>,
    without_network: Arc<OnceCell<Found>>,
}

impl fmt::Debug for Sandbox {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Sandbox")
            .field("with_network", &self.with_network.get())
            .field("without_network", &self.without_network.get())
            .finish_non_exhaustive()
    }
}

impl Sandbox {
    /// Nothing is tried yet. `path` is the value of `PATH` in which `bwrap` is
    /// looked up; entries that are not absolute are passed over, since a project
    /// could put a program of that name there.
    #[must_use]
    pub fn new(supervisor: Supervisor, path: Option<OsString>) -> Self {
        Self {
            supervisor,
            path,
            with_network: Arc::default(),
            without_network: Arc::default(),
        }
    }

    /// The backend for commands with this access to the network. The first call
    /// tries them out, which takes milliseconds, at most a few seconds: keep it off
    /// the start-up path.
    pub async fn find(&self, network: SandboxNetwork) -> &Found {
        let cell = match network {
            SandboxNetwork::On => &self.with_network,
            SandboxNetwork::Listed | SandboxNetwork::Off => &self.without_network,
        };
        cell.get_or_init(|| trial::find(&self.supervisor, self.path.as_deref(), network))
            .await
    }

    /// What [`Sandbox::find`] found, where it was asked.
    #[must_use]
    pub fn found(&self, network: SandboxNetwork) -> Option<&Found> {
        match network {
            SandboxNetwork::On => self.with_network.get(),
            SandboxNetwork::Listed | SandboxNetwork::Off => self.without_network.get(),
        }
    }

    /// Our executable, by which `backend` lets commands reach what a list has and nothing else;
    /// for [`Gate::open`].
    ///
    /// # Errors
    /// Why it cannot, for a person. A command has no network then.
    pub fn network_helper(&self, backend: &Backend) -> Result<PathBuf, String> {
        match backend {
            Backend::Bubblewrap(_) => watchdog::own_helper_by_name(),
            // It knows ports, and no hosts.
            Backend::Landlock(_) | Backend::Seatbelt => Err(format!(
                "{} cannot tell one host from another",
                backend.name()
            )),
        }
    }
}
