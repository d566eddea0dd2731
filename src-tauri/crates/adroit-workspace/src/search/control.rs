//! Ending a search: cancelled, out of time, or done.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
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

/// Asked by every thread of a search before each entry and each block of a file; so it is one flag, and
/// takes neither a lock nor a look at the clock. Who runs the search sets it.
#[derive(Clone, Debug)]
pub(super) struct Control {
    deadline: Instant,
    state: Arc<AtomicU8>,
}

const GOES_ON: u8 = 0;
const LATE: u8 = 1;
const CANCELLED: u8 = 2;

/// What became of work on other threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    Done,
    Late,
    Cancelled,
}

impl Control {
    pub(super) fn new(time: Duration) -> Self {
        let state = if time.is_zero() { LATE } else { GOES_ON };
        Self {
            deadline: Instant::now() + time,
            state: Arc::new(AtomicU8::new(state)),
        }
    }

    /// Whether to stop now.
    pub(super) fn stop(&self) -> bool {
        self.state.load(Ordering::Relaxed) != GOES_ON
    }

    /// Says to stop: nobody waits for it any more.
    pub(super) fn cancel(&self) {
        self.end(CANCELLED);
    }

    fn is_late(&self) -> bool {
        self.state.load(Ordering::Relaxed) == LATE
    }

    /// Says to stop, once: who is cancelled is not late as well.
    fn end(&self, why: u8) {
        let _ = self
            .state
            .compare_exchange(GOES_ON, why, Ordering::Relaxed, Ordering::Relaxed);
    }

    /// Runs blocking work beside the async runtime. Returns when it is done, cancelled, or late: a
    /// thread that hangs in the file system (a dead network mount) is left behind and holds nobody up.
    /// When this future is dropped, the work is told to stop too.
    pub(super) async fn run(
        &self,
        cancel: &CancellationToken,
        work: impl FnOnce() + Send + 'static,
    ) -> Ended {
        let mut ending = OnDrop {
            control: self,
            armed: true,
        };
        let mut task = tokio::task::spawn_blocking(work);
        let deadline = tokio::time::Instant::from_std(self.deadline);
        let ended = tokio::select! {
            biased;
            () = cancel.cancelled() => Ended::Cancelled,
            _ = &mut task => self.ended(),
            () = tokio::time::sleep_until(deadline) => {
                self.end(LATE);
                tokio::select! {
                    biased;
                    () = cancel.cancelled() => Ended::Cancelled,
                    _ = task => self.ended(),
                    () = tokio::time::sleep_until(deadline + GRACE) => Ended::Late,
                }
            }
        };
        ending.armed = ended == Ended::Cancelled;
        ended
    }

    fn ended(&self) -> Ended {
        if self.is_late() {
            Ended::Late
        } else {
            Ended::Done
        }
    }
}

/// Nobody waits for the work any more.
struct OnDrop<'c> {
    control: &'c Control,
    armed: bool,
}

impl Drop for OnDrop<'_> {
    fn drop(&mut self) {
        if self.armed {
            self.control.cancel();
        }
    }
}

/// A file that is no longer read once the search is to stop.
pub(super) struct Stoppable<'c, R> {
    inner: R,
    control: &'c Control,
    /// Whether something beyond ASCII was read; nothing where nobody wants to know.
    beyond_ascii: Option<bool>,
}

impl<'c, R> Stoppable<'c, R> {
    pub(super) fn new(inner: R, control: &'c Control) -> Self {
        Self {
            inner,
            control,
            beyond_ascii: None,
        }
    }

    /// Looks at what is read, too.
    pub(super) fn watched(mut self, watched: bool) -> Self {
        self.beyond_ascii = watched.then_some(false);
        self
    }

    /// Whether something beyond ASCII was read, where that was watched.
    pub(super) fn is_beyond_ascii(&self) -> bool {
        self.beyond_ascii == Some(true)
    }
}

/// The most that is read between two looks at whether to stop, in bytes: a searcher that has to hold a
/// whole file asks for more at once.
const BLOCK: usize = 1 << 20;

impl<R: std::io::Read> std::io::Read for Stoppable<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.control.stop() {
            // Not `Interrupted`: readers try again on that.
            return Err(std::io::Error::other("the search ended"));
        }
        let room = buffer.len().min(BLOCK);
        let read = self.inner.read(&mut buffer[..room])?;
        if self.beyond_ascii == Some(false) {
            self.beyond_ascii = Some(!buffer[..read].is_ascii());
        }
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::*;

    /// Ends the search while its third block is read.
    struct Endless<'c> {
        control: &'c Control,
        blocks: usize,
        read: usize,
    }

    impl std::io::Read for Endless<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            self.blocks += 1;
            self.read += buffer.len();
            if self.blocks == 3 {
                self.control.cancel();
            }
            Ok(buffer.len())
        }
    }

    #[test]
    fn nothing_is_read_after_the_end_and_never_much_at_once() {
        let control = Control::new(Duration::from_secs(60));
        let endless = Endless {
            control: &control,
            blocks: 0,
            read: 0,
        };
        let mut file = Stoppable::new(endless, &control);
        let mut whole = vec![0; 64 << 20];
        assert!(file.read_exact(&mut whole).is_err());
        assert_eq!((file.inner.blocks, file.inner.read), (3, 3 * BLOCK));
    }

    #[tokio::test]
    async fn who_drops_the_search_ends_it() {
        let control = Control::new(Duration::from_secs(60));
        let (watched, cancel) = (control.clone(), CancellationToken::new());
        let (sender, ended) = std::sync::mpsc::channel();
        {
            let work = control.run(&cancel, move || {
                while !watched.stop() {
                    std::thread::yield_now();
                }
                sender.send(()).unwrap();
            });
            tokio::pin!(work);
            // Begun, and not waited for.
            assert!(polled_once(work.as_mut()).await.is_none());
        }
        ended.recv().unwrap();
    }

    async fn polled_once<F: Future>(mut future: std::pin::Pin<&mut F>) -> Option<F::Output> {
        std::future::poll_fn(|context| {
            std::task::Poll::Ready(match future.as_mut().poll(context) {
                std::task::Poll::Ready(output) => Some(output),
                std::task::Poll::Pending => None,
            })
        })
        .await
    }

    #[tokio::test]
    async fn late_and_cancelled_are_told_apart() {
        let late = Control::new(Duration::ZERO);
        let ended = late.run(&CancellationToken::new(), || {}).await;
        assert_eq!(ended, Ended::Late);
        let cancel = CancellationToken::new();
        cancel.cancel();
        let control = Control::new(Duration::from_secs(60));
        assert_eq!(control.run(&cancel, || {}).await, Ended::Cancelled);
        assert!(control.stop() && !control.is_late());
    }
}
