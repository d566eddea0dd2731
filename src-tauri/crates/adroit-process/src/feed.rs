//! The raw bytes of one terminal for those who watch it.
//!
//! One bounded ring, any number of readers that each remember their offset. A
//! reader that falls behind loses the oldest bytes and is told how many: it can
//! neither hold up the process nor make memory grow.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::watch;

/// Time that a delivery waits for more, so that a screen gets one batch a frame.
const COALESCE: Duration = Duration::from_millis(16);

#[derive(Debug, Clone, Copy, Default)]
struct Progress {
    total: u64,
    closed: bool,
}

/// The writing end, shared by the thread that reads the terminal and by all
/// subscriptions.
#[derive(Debug)]
pub(crate) struct Feed {
    ring: Mutex<VecDeque<u8>>,
    capacity: usize,
    progress: watch::Sender<Progress>,
}

impl Feed {
    pub(crate) fn new(capacity: usize) -> Arc<Self> {
        Arc::new(Self {
            ring: Mutex::new(VecDeque::new()),
            capacity,
            progress: watch::Sender::new(Progress::default()),
        })
    }

    fn ring(&self) -> MutexGuard<'_, VecDeque<u8>> {
        self.ring.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn push(&self, bytes: &[u8]) {
        let kept = &bytes[bytes.len().saturating_sub(self.capacity)..];
        let mut ring = self.ring();
        let excess = (ring.len() + kept.len()).saturating_sub(self.capacity);
        ring.drain(..excess);
        ring.extend(kept);
        // Under the lock, so that offset and ring never disagree.
        self.progress
            .send_modify(|progress| progress.total += bytes.len() as u64);
    }

    pub(crate) fn close(&self) {
        self.progress.send_modify(|progress| progress.closed = true);
    }

    /// What the ring holds, and the offset after its last byte.
    pub(crate) fn snapshot(&self) -> (Bytes, u64) {
        let ring = self.ring();
        let (front, back) = ring.as_slices();
        let bytes = Bytes::from([front, back].concat());
        (bytes, self.progress.borrow().total)
    }

    pub(crate) fn subscribe(self: &Arc<Self>, from: u64) -> Subscription {
        Subscription {
            progress: self.progress.subscribe(),
            feed: Arc::clone(self),
            offset: from,
            paced: false,
        }
    }

    pub(crate) fn total(&self) -> u64 {
        self.progress.borrow().total
    }

    /// Waits for the end of the terminal.
    pub(crate) fn closed(&self) -> Closed {
        Closed(self.progress.subscribe())
    }

    fn read_from(&self, offset: u64) -> (Bytes, u64, u64) {
        let ring = self.ring();
        let total = self.progress.borrow().total;
        let start = total - ring.len() as u64;
        let skipped = start.saturating_sub(offset);
        let from = (offset.max(start) - start) as usize;
        let (front, back) = ring.as_slices();
        let bytes = if from < front.len() {
            [&front[from..], back].concat()
        } else {
            back[from - front.len()..].to_vec()
        };
        (Bytes::from(bytes), skipped, total)
    }
}

/// See [`Feed::closed`].
pub(crate) struct Closed(watch::Receiver<Progress>);

impl Closed {
    pub(crate) async fn wait(&mut self) {
        // An error means that the feed is gone, which is closed as well.
        let _ = self.0.wait_for(|progress| progress.closed).await;
    }
}

/// A piece of terminal output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chunk {
    /// Bytes that came before `bytes` and were dropped because the reader was
    /// too slow. A terminal view should say so and reset its state.
    pub skipped: u64,
    /// Raw bytes as the program wrote them.
    pub bytes: Bytes,
    /// Offset of the end of `bytes` in the whole output.
    pub end: u64,
}

/// The reading end: see [`crate::Running::subscribe`].
#[derive(Debug)]
pub struct Subscription {
    feed: Arc<Feed>,
    progress: watch::Receiver<Progress>,
    offset: u64,
    paced: bool,
}

impl Subscription {
    /// The next piece: everything since the last one, at most one each 16 ms.
    /// `None` when the terminal is closed and all was delivered.
    pub async fn next(&mut self) -> Option<Chunk> {
        loop {
            let seen = *self.progress.borrow_and_update();
            if seen.total > self.offset {
                if self.paced && !seen.closed {
                    tokio::time::sleep(COALESCE).await;
                }
                self.paced = true;
                let (bytes, skipped, end) = self.feed.read_from(self.offset);
                self.offset = end;
                return Some(Chunk {
                    skipped,
                    bytes,
                    end,
                });
            }
            if seen.closed {
                return None;
            }
            if self.progress.changed().await.is_err() {
                return None;
            }
            // The first byte after a silence is shown at once.
            self.paced = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_slow_reader_loses_the_oldest_and_is_told() {
        let feed = Feed::new(8);
        let mut subscription = feed.subscribe(0);
        for _ in 0..1000 {
            feed.push(b"0123456789");
        }
        assert!(feed.ring().len() <= 8);
        let chunk = subscription.next().await.expect("a chunk");
        assert_eq!(&chunk.bytes[..], b"23456789");
        assert_eq!(chunk.skipped, 10_000 - 8);
        assert_eq!(chunk.end, 10_000);
        feed.push(b"ab");
        feed.close();
        let chunk = subscription.next().await.expect("a chunk");
        assert_eq!((&chunk.bytes[..], chunk.skipped), (&b"ab"[..], 0));
        assert_eq!(subscription.next().await, None);
    }

    #[tokio::test]
    async fn a_late_reader_continues_where_the_snapshot_ended() {
        let feed = Feed::new(100);
        feed.push(b"before");
        let (bytes, end) = feed.snapshot();
        assert_eq!(&bytes[..], b"before");
        let mut subscription = feed.subscribe(end);
        feed.push(b"after");
        feed.close();
        assert_eq!(
            &subscription.next().await.expect("a chunk").bytes[..],
            b"after"
        );
    }
}
