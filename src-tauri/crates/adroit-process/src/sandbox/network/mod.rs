//! Which hosts a confined command reaches, where that is a list.
//!
//! The command runs in a network of its own, in which there is nothing but a loopback
//! (bubblewrap's `--unshare-net`), so that nothing leads out but what is handed in. That is one
//! proxy: our own executable, started within before the command, listens on the loopback,
//! hands the listening socket out to the app, and becomes the command ([`handover`]). A socket
//! stays in the network in which it was made whoever holds it, so that the app answers there
//! with no process of its own inside, and with the app goes the way out.
//!
//! What is blocked by that: whatever does not use the proxy (no route), names that are not
//! listed, a listed name that leads to this machine or its network (the very address that was
//! judged is connected to, and never another look-up of the name), another command that poses
//! as the app or as the helper (both look who the kernel says the other is).
//!
//! What is not: what lies behind one address. A server that answers for a listed and for
//! another name can be asked for the other within an encrypted connection.

mod address;
mod gate;
mod handover;
mod proxy;

#[cfg(test)]
mod tests;

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use super::denial::Denial;

pub use gate::Gate;
pub(super) use handover::arguments;
pub(crate) use handover::{MODE, run};

/// What the list says of a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Listing {
    /// Nothing.
    Absent,
    /// A pattern covers it.
    Covered,
    /// It stands there itself.
    Named,
}

/// Says what the list says of a host: a name in lower case and ASCII without a dot at its end,
/// or an address as a URL has it (`127.0.0.1`, `[::1]`).
pub type HostJudge = Arc<dyn Fn(&str) -> Listing + Send + Sync>;

/// Most refusals kept of one command.
const MOST: usize = 20;

/// The hosts that a command was kept from. Clones are the same list.
#[derive(Debug, Clone, Default)]
pub struct RefusedHosts(Arc<Mutex<Vec<Denial>>>);

impl RefusedHosts {
    fn add(&self, denial: Denial) {
        let mut list = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if list.len() < MOST && !list.contains(&denial) {
            list.push(denial);
        }
    }

    /// Those so far, in the order in which they were asked for, each once.
    #[must_use]
    pub fn so_far(&self) -> Vec<Denial> {
        let list = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        list.clone()
    }
}

/// How a command within gets to its [`Gate`]; made by [`Gate::door`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Door {
    /// Our executable, by a path that is the same within.
    helper: PathBuf,
    /// Where the gate waits for the listening socket.
    socket: PathBuf,
    /// What is asked for on the machine's loopback goes out too.
    loopback_outside: bool,
}
