//! Patience: asks again where it is safe and useful, and says so.

use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::time::Duration;

use futures::{StreamExt, stream};
use tokio_util::sync::CancellationToken;

use crate::{ModelClient, ModelError, ModelRequest, ModelStream, StreamEvent};

/// How often and how long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetryPolicy {
    /// Attempts after the first one.
    pub retries: u32,
    /// The wait before the first retry; it doubles each time.
    pub first_delay: Duration,
    /// The longest wait of our own choosing.
    pub longest_delay: Duration,
    /// The longest wait that a server may ask for; beyond it the error is reported at once,
    /// because a person would rather decide than watch.
    pub longest_retry_after: Duration,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            retries: 6,
            first_delay: Duration::from_millis(500),
            longest_delay: Duration::from_secs(16),
            longest_retry_after: Duration::from_secs(90),
        }
    }
}

impl RetryPolicy {
    /// No retries at all.
    pub const NEVER: Self = Self {
        retries: 0,
        first_delay: Duration::ZERO,
        longest_delay: Duration::ZERO,
        longest_retry_after: Duration::ZERO,
    };

    /// The wait before the attempt after `failed` failed ones (1 is the first), or none when
    /// it is time to report the error. A caller that begins a new attempt after
    /// [`ModelError::Interrupted`] asks here too.
    #[must_use]
    pub fn delay(&self, failed: u32, error: &ModelError) -> Option<Duration> {
        if failed == 0 || failed > self.retries || !error.retryable() {
            return None;
        }
        if let Some(after) = error.retry_after() {
            return (after <= self.longest_retry_after).then_some(after);
        }
        let doubled = self
            .first_delay
            .saturating_mul(2u32.saturating_pow(failed - 1));
        Some(doubled.min(self.longest_delay).mul_f64(jitter()))
    }
}

/// A factor from 0.75 to 1, so that many clients do not come back at the same moment.
fn jitter() -> f64 {
    let random = RandomState::new().hash_one(0u8);
    0.75 + 0.25 * (random >> 11) as f64 / (1u64 << 53) as f64
}

/// One retry that is about to happen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Retry {
    /// The attempts that failed so far.
    pub failed: u32,
    /// The retries that the policy allows.
    pub of: u32,
    /// How long it waits.
    pub after: Duration,
    /// Why.
    pub error: ModelError,
}

/// The state between two events.
struct Attempts<F> {
    client: Arc<dyn ModelClient>,
    request: Arc<ModelRequest>,
    cancel: CancellationToken,
    policy: RetryPolicy,
    on_retry: F,
    current: Option<ModelStream>,
    failed: u32,
    /// Something of the current attempt was shown.
    shown: bool,
    done: bool,
}

/// Asks with retries. Each is told to `on_retry` before the wait begins.
///
/// An attempt is repeated only before its first content event. After that the error is
/// [`ModelError::Interrupted`]: the caller discards what it has of the attempt, and may
/// begin a new one when the error says that it is retryable.
pub fn with_retries<F>(
    client: Arc<dyn ModelClient>,
    request: Arc<ModelRequest>,
    cancel: CancellationToken,
    policy: RetryPolicy,
    on_retry: F,
) -> ModelStream
where
    F: FnMut(Retry) + Send + 'static,
{
    let attempts = Attempts {
        client,
        request,
        cancel,
        policy,
        on_retry,
        current: None,
        failed: 0,
        shown: false,
        done: false,
    };
    stream::unfold(attempts, |mut attempts| async move {
        let event = attempts.next().await?;
        Some((event, attempts))
    })
    .boxed()
}

impl<F: FnMut(Retry) + Send> Attempts<F> {
    async fn next(&mut self) -> Option<Result<StreamEvent, ModelError>> {
        if self.done {
            return None;
        }
        loop {
            let stream = self.current.get_or_insert_with(|| {
                self.client
                    .stream(Arc::clone(&self.request), self.cancel.clone())
            });
            let event = stream.next().await.unwrap_or_else(|| {
                Err(ModelError::Dropped {
                    reason: "the stream ended without a finish".into(),
                })
            });
            let error = match event {
                Ok(event) => {
                    self.shown |= event.is_content();
                    self.done = matches!(event, StreamEvent::Finish { .. });
                    return Some(Ok(event));
                }
                Err(error) => error,
            };
            match self.wait_after(error).await {
                Ok(()) => self.current = None,
                Err(error) => {
                    self.done = true;
                    return Some(Err(error));
                }
            }
        }
    }

    /// Waits for the next attempt, or says with which error it ends.
    async fn wait_after(&mut self, error: ModelError) -> Result<(), ModelError> {
        if error == ModelError::Cancelled {
            return Err(error);
        }
        if self.shown {
            return Err(ModelError::Interrupted {
                cause: Box::new(error),
            });
        }
        self.failed += 1;
        let Some(after) = self.policy.delay(self.failed, &error) else {
            return Err(error);
        };
        (self.on_retry)(Retry {
            failed: self.failed,
            of: self.policy.retries,
            after,
            error,
        });
        tokio::select! {
            biased;
            () = self.cancel.cancelled() => Err(ModelError::Cancelled),
            () = tokio::time::sleep(after) => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use adroit_protocol::message::{Message, StopReason};
    use futures::FutureExt;
    use futures::future::BoxFuture;
    use tokio::time::Instant;

    use super::*;
    use crate::testing::request;
    use crate::{PartKind, RetryAdvice};

    /// A client that gives one list of events an attempt.
    struct Scripted(Mutex<Vec<Vec<Result<StreamEvent, ModelError>>>>);

    impl ModelClient for Scripted {
        fn provider(&self) -> &str {
            "scripted"
        }

        fn stream(&self, _: Arc<ModelRequest>, _: CancellationToken) -> ModelStream {
            stream::iter(self.0.lock().unwrap().remove(0)).boxed()
        }

        fn models(&self) -> BoxFuture<'static, Result<Vec<String>, ModelError>> {
            async { Ok(Vec::new()) }.boxed()
        }
    }

    fn overloaded(after: Option<u64>) -> ModelError {
        let advice = RetryAdvice {
            after: after.map(Duration::from_secs),
            should: None,
        };
        ModelError::Overloaded {
            message: "busy".into(),
            advice,
        }
    }

    fn start() -> StreamEvent {
        StreamEvent::Start {
            part: 0,
            kind: PartKind::Text,
        }
    }

    fn finish() -> StreamEvent {
        StreamEvent::Finish {
            stop: StopReason::EndTurn,
        }
    }

    struct Run {
        events: Vec<Result<StreamEvent, ModelError>>,
        retries: Vec<Retry>,
        seconds: f64,
    }

    async fn run(attempts: Vec<Vec<Result<StreamEvent, ModelError>>>, policy: RetryPolicy) -> Run {
        let client = Arc::new(Scripted(Mutex::new(attempts)));
        let retries = Arc::new(Mutex::new(Vec::new()));
        let told = Arc::clone(&retries);
        let begun = Instant::now();
        let request = Arc::new(request(vec![Message::user("go")]));
        let stream = with_retries(
            client,
            request,
            CancellationToken::new(),
            policy,
            move |retry| {
                told.lock().unwrap().push(retry);
            },
        );
        let events = stream.collect().await;
        let retries = retries.lock().unwrap().clone();
        Run {
            events,
            retries,
            seconds: begun.elapsed().as_secs_f64(),
        }
    }

    #[tokio::test(start_paused = true)]
    async fn it_waits_longer_each_time_and_says_so() {
        let attempts = vec![
            vec![Err(overloaded(None))],
            vec![Err(ModelError::Dropped { reason: "x".into() })],
            vec![Err(overloaded(Some(7)))],
            vec![Ok(start()), Ok(finish())],
        ];
        let run = run(attempts, RetryPolicy::default()).await;
        assert_eq!(run.events, [Ok(start()), Ok(finish())]);
        assert_eq!(
            run.retries
                .iter()
                .map(|retry| retry.failed)
                .collect::<Vec<_>>(),
            [1, 2, 3]
        );
        assert_eq!(run.retries[2].after, Duration::from_secs(7));
        assert!(
            (0.375..=0.5).contains(&run.retries[0].after.as_secs_f64()),
            "{:?}",
            run.retries[0]
        );
        assert!(
            (0.75..=1.0).contains(&run.retries[1].after.as_secs_f64()),
            "{:?}",
            run.retries[1]
        );
        assert!((8.1..8.6).contains(&run.seconds), "{}", run.seconds);
    }

    #[tokio::test(start_paused = true)]
    async fn dv_stream_004_nothing_is_repeated_after_content() {
        let run = run(
            vec![vec![Ok(start()), Err(overloaded(Some(1)))]],
            RetryPolicy::default(),
        )
        .await;
        let error = run.events[1].clone().unwrap_err();
        assert_eq!(
            error,
            ModelError::Interrupted {
                cause: Box::new(overloaded(Some(1)))
            }
        );
        assert!(error.retryable() && run.retries.is_empty());
        // The caller's own wait before the new attempt.
        assert_eq!(
            RetryPolicy::default().delay(1, &error),
            Some(Duration::from_secs(1))
        );
    }

    #[tokio::test(start_paused = true)]
    async fn it_gives_up() {
        let policy = RetryPolicy {
            retries: 1,
            ..RetryPolicy::default()
        };
        let twice = run(
            vec![vec![Err(overloaded(None))], vec![Err(overloaded(None))]],
            policy,
        )
        .await;
        assert_eq!(
            (twice.events, twice.retries.len()),
            (vec![Err(overloaded(None))], 1)
        );
        // Not worth a retry, or longer than anyone wants to watch.
        for error in [
            ModelError::Protocol {
                message: "x".into(),
            },
            overloaded(Some(600)),
            ModelError::Cancelled,
        ] {
            let once = run(vec![vec![Err(error.clone())]], RetryPolicy::default()).await;
            assert_eq!((once.events, once.retries.len()), (vec![Err(error)], 0));
        }
        let empty = run(vec![vec![]], RetryPolicy::NEVER).await;
        assert!(matches!(
            &empty.events[..],
            [Err(ModelError::Dropped { .. })]
        ));
    }

    #[tokio::test(start_paused = true)]
    async fn cancelling_ends_the_wait() {
        let client = Arc::new(Scripted(Mutex::new(vec![vec![Err(overloaded(Some(60)))]])));
        let cancel = CancellationToken::new();
        let stop = cancel.clone();
        let begun = Instant::now();
        let mut stream = with_retries(
            client,
            Arc::new(request(vec![])),
            cancel,
            RetryPolicy::default(),
            move |_| stop.cancel(),
        );
        assert_eq!(stream.next().await, Some(Err(ModelError::Cancelled)));
        assert!(begun.elapsed().is_zero());
    }
}
