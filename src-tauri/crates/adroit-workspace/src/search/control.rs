//! Ending a search: cancelled, out of time, or done.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;

/// How much a search may take and give.
#[derive(Clone, Copy, Debug)]
pub struct SearchLimits {
    /// After this the search returns what it has.
    pub time: Duration,
    /// How many entries (files or lines) are returned; `usize::MAX` for all.
    pub entries: usize,
}

impl Default for SearchLimits {
    fn default() -> Self {
        Self {
            time: Duration::from_secs(20),
            entries: 250,
        }
    }
}

/// A thread that hangs in the file system is given this long beyond the deadline.
const GRACE: Duration = Duration::from_millis(500);

/// Asked by every thread of a search before each entry and each block of a file; so it is two flags
/// and a clock, and takes no lock.
#[derive(Clone, Debug)]
pub(super) struct Control {
    deadline: Instant,
    cancelled: Arc<AtomicBool>,
    late: Arc<AtomicBool>,
}

/// What became of work on other threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    Done,
    Late,
    Cancelled,
}

impl Control {
    pub(super) fn new(time: Duration) -> Self {
        Self {
            deadline: Instant::now() + time,
            cancelled: Arc::default(),
            late: Arc::default(),
        }
    }

    /// Whether to stop now.
    pub(super) fn stop(&self) -> bool {
        if self.cancelled.load(Ordering::Relaxed) || self.late.load(Ordering::Relaxed) {
            return true;
        }
        if Instant::now() >= self.deadline {
            self.late.store(true, Ordering::Relaxed);
            return true;
        }
        false
    }

    /// Runs blocking work beside the async runtime. Returns when it is done, cancelled, or late: a
    /// thread that hangs in the file system (a dead network mount) is left behind and holds nobody up.
    pub(super) async fn run(
        &self,
        cancel: &CancellationToken,
        work: impl FnOnce() + Send + 'static,
    ) -> Ended {
        let task = tokio::task::spawn_blocking(work);
        let last = tokio::time::Instant::from_std(self.deadline + GRACE);
        tokio::select! {
            biased;
            () = cancel.cancelled() => {
                self.cancelled.store(true, Ordering::Relaxed);
                Ended::Cancelled
            }
            _ = task => if self.late.load(Ordering::Relaxed) { Ended::Late } else { Ended::Done },
            () = tokio::time::sleep_until(last) => {
                self.late.store(true, Ordering::Relaxed);
                Ended::Late
            }
        }
    }
}

/// A file that is no longer read once the search is to stop.
pub(super) struct Stoppable<'c, R> {
    pub(super) inner: R,
    pub(super) control: &'c Control,
}

impl<R: std::io::Read> std::io::Read for Stoppable<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.control.stop() {
            // Not `Interrupted`: readers try again on that.
            return Err(std::io::Error::other("the search ended"));
        }
        self.inner.read(buffer)
    }
}
