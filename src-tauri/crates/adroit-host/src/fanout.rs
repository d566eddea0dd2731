//! From single events to batches of about a frame, for every listener.
//!
//! A webview takes some thousand messages a second; a flood of single events would make
//! the window late. Measured reasons are in the architecture notes.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use adroit_protocol::event::{Event, EventBatch};
use adroit_session::state::Emit;
use tokio::sync::mpsc;
use tokio::time::Instant;

/// The time of one frame.
const FRAME: Duration = Duration::from_millis(16);

/// Batches that wait for one slow listener before it loses some. It finds the gap in the
/// sequence numbers and asks for the whole state again.
const WAITING: usize = 256;

/// The end at which a listener hears events.
pub type Subscription = mpsc::Receiver<Arc<EventBatch>>;

/// Takes events from anywhere and gives batches to everyone who listens.
#[derive(Clone)]
pub(crate) struct Fanout {
    listeners: Arc<Mutex<Vec<mpsc::Sender<Arc<EventBatch>>>>>,
}

impl Fanout {
    /// Starts it on the present runtime. The second value is where events go in.
    pub(crate) fn start() -> (Self, Emit) {
        let (sender, receiver) = mpsc::unbounded_channel();
        let fanout = Self {
            listeners: Arc::default(),
        };
        let task = fanout.clone();
        tokio::spawn(async move { task.run(receiver).await });
        let emit: Emit = Arc::new(move |event| {
            // The task ends only with the app: nobody is left to tell then.
            let _ = sender.send(event);
        });
        (fanout, emit)
    }

    /// A new listener.
    pub(crate) fn subscribe(&self) -> Subscription {
        let (sender, receiver) = mpsc::channel(WAITING);
        self.listeners
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(sender);
        receiver
    }

    async fn run(&self, mut receiver: mpsc::UnboundedReceiver<Event>) {
        let mut last: Option<Instant> = None;
        while let Some(first) = receiver.recv().await {
            // A lone event leaves at once; a flood leaves once a frame.
            if let Some(last) = last {
                tokio::time::sleep_until(last + FRAME).await;
            }
            let mut events = vec![first];
            while let Ok(event) = receiver.try_recv() {
                events.push(event);
            }
            last = Some(Instant::now());
            self.send(EventBatch { events });
        }
    }

    fn send(&self, batch: EventBatch) {
        let batch = Arc::new(batch);
        self.listeners
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .retain(|listener| match listener.try_send(Arc::clone(&batch)) {
                Ok(()) | Err(mpsc::error::TrySendError::Full(_)) => true,
                Err(mpsc::error::TrySendError::Closed(_)) => false,
            });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_flood_leaves_in_few_batches_and_in_order() {
        let (fanout, emit) = Fanout::start();
        let mut subscription = fanout.subscribe();
        for number in 0..1_000 {
            emit(Event::ProjectChanged {
                path: number.to_string(),
            });
        }
        let mut seen = Vec::new();
        let mut batches = 0;
        while seen.len() < 1_000 {
            let batch = subscription.recv().await.unwrap();
            batches += 1;
            seen.extend(batch.events.iter().map(|event| match event {
                Event::ProjectChanged { path } => path.parse::<usize>().unwrap(),
                _ => unreachable!(),
            }));
        }
        assert!(batches <= 2, "{batches}");
        assert!(seen.iter().copied().eq(0..1_000));
    }

    #[tokio::test(start_paused = true)]
    async fn a_listener_that_does_not_listen_holds_nobody_up() {
        let (fanout, emit) = Fanout::start();
        let _deaf = fanout.subscribe();
        let mut awake = fanout.subscribe();
        for _ in 0..2 * WAITING {
            emit(Event::SettingsChanged);
            awake.recv().await.unwrap();
        }
    }
}
