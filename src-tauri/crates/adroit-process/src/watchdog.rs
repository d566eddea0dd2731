//! A small second process that outlives this one and ends what it left.
//!
//! When this program is killed outright (SIGKILL, out of memory) nobody of it is
//! left to end its commands, and one that called `setsid` hears of nothing. So
//! the first command also starts this very executable once more, in a mode in
//! which it does nothing but wait: it holds the reading end of a pipe whose other
//! end is ours. The kernel closes that with us, however we end; then the watchdog
//! ends what the notes of our trees name (see [`crate::leftovers`]), and itself.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use crate::leftovers;
use crate::procfs;
use crate::running::GRACE;

/// The one argument that asks for the mode.
pub(crate) const MODE: &str = "--adroit-watchdog";
/// Time that a killed owner may take to be gone after it closed the pipe.
const OWNER: Duration = Duration::from_secs(10);
/// Time that a watchdog may take to end when its owner closes.
const FAREWELL: Duration = Duration::from_secs(2);
const POLL: Duration = Duration::from_millis(2);

/// Set when `main` passes the mode on, so that this executable can be its own watchdog.
static OFFERED: OnceLock<()> = OnceLock::new();

/// This executable can be started in its modes.
pub(crate) fn offer() {
    OFFERED.get_or_init(|| ());
}

/// Watches, with the arguments after [`MODE`], and returns when there is nothing left to do.
pub(crate) fn run(mut arguments: impl Iterator<Item = OsString>) {
    // In the arguments and not in the pipe: the owner may be killed at any moment after the start.
    let mut number = || arguments.next()?.to_str()?.parse().ok();
    let (pid, start): (Option<u64>, Option<u64>) = (number(), number());
    if let (Some(pid), Some(start), Some(folder)) = (pid, start, arguments.next())
        && let Err(error) = watch(Owner { pid, start }, Path::new(&folder))
    {
        eprintln!("the watchdog could not hear of its owner: {error}");
    }
}

/// The process that is watched over.
#[derive(Clone, Copy)]
struct Owner {
    pid: u64,
    start: u64,
}

impl Owner {
    fn own() -> Self {
        let pid = std::process::id();
        let start = i32::try_from(pid).ok().and_then(procfs::record);
        Self {
            pid: pid.into(),
            start: start.map_or(0, |record| record.start_time),
        }
    }

    fn lives(self) -> bool {
        let record = i32::try_from(self.pid).ok().and_then(procfs::record);
        record.is_some_and(|now| now.start_time == self.start && !now.is_dead())
    }
}

/// Waits for the owner's end and cleans up after it.
fn watch(owner: Owner, folder: &Path) -> io::Result<()> {
    // This returns when the owner is gone, or says that all is in order.
    let mut farewell = Vec::new();
    io::stdin().lock().read_to_end(&mut farewell)?;
    if !farewell.is_empty() {
        return Ok(());
    }
    let deadline = Instant::now() + OWNER;
    while owner.lives() && Instant::now() < deadline {
        std::thread::sleep(POLL);
    }
    leftovers::clean(folder, GRACE);
    Ok(())
}

/// A running watchdog. Dropping it sends it home: nothing is left to watch over.
#[derive(Debug)]
pub(crate) struct Watchdog {
    child: Child,
    pipe: Option<ChildStdin>,
}

impl Watchdog {
    /// Starts one for the notes in `folder`; `None` where this executable cannot be one.
    pub(crate) fn start(folder: &Path) -> io::Result<Option<Self>> {
        if OFFERED.get().is_none() {
            return Ok(None);
        }
        let owner = Owner::own();
        let mut child = Command::new(own_executable()?)
            .arg(MODE)
            .args([owner.pid.to_string(), owner.start.to_string()])
            .arg(folder)
            .current_dir("/")
            // It needs none of it, and lives as long as the keys in it would be to be kept.
            .env_clear()
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            // Ctrl-C and a closed terminal are for the owner, not for it.
            .process_group(0)
            .spawn()?;
        let pipe = child.stdin.take();
        Ok(Some(Self { child, pipe }))
    }
}

/// This executable, where it can be started in the modes of [`crate::helper_mode`].
pub(crate) fn own_helper() -> Result<PathBuf, String> {
    if OFFERED.get().is_none() {
        return Err("this program cannot confine commands".to_owned());
    }
    own_executable().map_err(|error| error.to_string())
}

/// The same by a name that another process knows it by.
pub(crate) fn own_helper_by_name() -> Result<PathBuf, String> {
    own_helper()?;
    let path = std::env::current_exe().map_err(|error| error.to_string())?;
    if path.is_file() {
        return Ok(path);
    }
    Err("this program was replaced while it runs: start it anew".to_owned())
}

/// The running file itself, also where it was replaced by an update meanwhile.
fn own_executable() -> io::Result<PathBuf> {
    let link = Path::new("/proc/self/exe");
    if link.exists() {
        return Ok(link.to_owned());
    }
    std::env::current_exe()
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        if let Some(mut pipe) = self.pipe.take() {
            // One that is gone already needs no word.
            let _ = pipe.write_all(b"farewell");
        }
        let deadline = Instant::now() + FAREWELL;
        while let Ok(None) = self.child.try_wait() {
            if Instant::now() > deadline {
                // It is no use any more, and must not be left behind either.
                let _ = self.child.kill();
                let _ = self.child.wait();
                return;
            }
            std::thread::sleep(POLL);
        }
    }
}
