//! From the bytes of a response to the events of an answer.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use futures::future::BoxFuture;
use futures::stream::BoxStream;
use futures::{Stream, StreamExt, stream};
use reqwest::Response;
use sse_stream::{Sse, SseByteStream};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::http::{body_of, reason};
use crate::{ModelError, ModelStream, StreamEvent};

/// The largest single event. A whole file may be the arguments of one call, in one event.
const MAX_EVENT_BYTES: usize = 16 * 1024 * 1024;
/// The largest answer.
const MAX_ANSWER_BYTES: usize = 128 * 1024 * 1024;
/// How long the end mark may take after the model said why it stopped: some servers never send one.
const END_GRACE: Duration = Duration::from_secs(2);
/// How often a silent stream is looked at: the monotonic clock stands still while a laptop sleeps.
const LOOK: Duration = Duration::from_secs(5);

/// The decoder of one wire. It is fed whole events and keeps the results until they are taken.
pub(crate) trait Decode: Send + 'static {
    /// One event: its name, if it has one, and its data.
    fn event(&mut self, name: Option<&str>, data: &str) -> Result<(), ModelError>;

    /// Nothing more will come. Emits `Finish` when the answer was complete, else says what is missing.
    fn end_of_stream(&mut self) -> Result<(), ModelError>;

    /// The next result.
    fn pop(&mut self) -> Option<StreamEvent>;

    /// Whether the model has said why it stopped, so that only the end mark is missing.
    fn is_winding_down(&self) -> bool;
}

/// What a response turned out to be.
pub(crate) enum Opened {
    /// Events.
    Events(BoxStream<'static, Result<Bytes, ModelError>>),
    /// One JSON value: the server ignored that a stream was asked for.
    Whole(Bytes),
}

/// Looks at the content type of a successful response.
pub(crate) async fn open(response: Response, url: &str) -> Result<Opened, ModelError> {
    let kind = response
        .headers()
        .get("content-type")
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    if kind.contains("json") && !kind.contains("stream") {
        return Ok(Opened::Whole(body_of(response, MAX_EVENT_BYTES).await?));
    }
    if kind.contains("html") {
        return Err(ModelError::BadAddress {
            url: url.to_owned(),
            reason: "it answers with a web page".into(),
        });
    }
    let bytes = response.bytes_stream();
    Ok(Opened::Events(
        bytes
            .map(|chunk| {
                chunk.map_err(|error| ModelError::Dropped {
                    reason: reason(&error),
                })
            })
            .boxed(),
    ))
}

/// The answer that comes from opening a response and decoding it.
pub(crate) fn answer(
    opening: BoxFuture<'static, Result<Opened, ModelError>>,
    decoder: impl Decode,
    cancel: CancellationToken,
    idle: Duration,
) -> ModelStream {
    let answer = Answer {
        source: Source::Opening(opening),
        decoder,
        cancel,
        idle,
    };
    stream::unfold(answer, |mut answer| async move {
        let event = answer.next().await?;
        Some((event, answer))
    })
    .boxed()
}

struct Answer<D> {
    source: Source,
    decoder: D,
    cancel: CancellationToken,
    idle: Duration,
}

enum Source {
    Opening(BoxFuture<'static, Result<Opened, ModelError>>),
    Events(Box<Events>),
    /// Everything was fed to the decoder.
    Ended,
    /// The consumer has seen the end.
    Done,
}

impl<D: Decode> Answer<D> {
    async fn next(&mut self) -> Option<Result<StreamEvent, ModelError>> {
        loop {
            if let Source::Done = self.source {
                return None;
            }
            if let Some(event) = self.decoder.pop() {
                if let StreamEvent::Finish { .. } = event {
                    self.source = Source::Done;
                }
                return Some(Ok(event));
            }
            let cancel = self.cancel.clone();
            let step = tokio::select! {
                biased;
                () = cancel.cancelled() => Err(ModelError::Cancelled),
                step = self.step() => step,
            };
            if let Err(error) = step {
                // What was decoded before the error comes first only when it is part of the
                // same event; an error ends the answer either way.
                self.source = Source::Done;
                return Some(Err(error));
            }
        }
    }

    /// Feeds the decoder once.
    async fn step(&mut self) -> Result<(), ModelError> {
        match &mut self.source {
            Source::Opening(opening) => {
                self.source = match opening.await? {
                    Opened::Events(bytes) => {
                        Source::Events(Box::new(Events::new(bytes, self.idle)))
                    }
                    Opened::Whole(bytes) => {
                        self.decoder.event(None, &String::from_utf8_lossy(&bytes))?;
                        self.decoder.end_of_stream()?;
                        Source::Ended
                    }
                };
                Ok(())
            }
            Source::Events(events) => {
                let event = if self.decoder.is_winding_down() {
                    tokio::time::timeout(END_GRACE, events.next())
                        .await
                        .unwrap_or(Ok(None))
                } else {
                    events.next().await
                };
                match event {
                    Ok(Some(Sse {
                        event,
                        data: Some(data),
                        ..
                    })) => self
                        .decoder
                        .event(event.as_deref(), &data)
                        .map_err(|error| events.cut_short(error)),
                    Ok(Some(_)) => Ok(()),
                    Ok(None) => {
                        self.source = Source::Ended;
                        self.decoder.end_of_stream()
                    }
                    // The answer was complete; how the connection ended does not matter.
                    Err(_) if self.decoder.is_winding_down() => {
                        self.source = Source::Ended;
                        self.decoder.end_of_stream()
                    }
                    Err(error) => Err(error),
                }
            }
            Source::Ended | Source::Done => Err(ModelError::Dropped {
                reason: "the stream ended without a finish".into(),
            }),
        }
    }
}

/// Server-sent events with bounds on size and silence.
pub(crate) struct Events {
    parser: SseByteStream<BoxStream<'static, Result<Bytes, ModelError>>>,
    bounds: Arc<Bounds>,
}

#[derive(Default)]
struct Bounds {
    since_event: AtomicUsize,
    total: AtomicUsize,
    ended: AtomicBool,
}

impl Events {
    pub(crate) fn new(
        bytes: BoxStream<'static, Result<Bytes, ModelError>>,
        idle: Duration,
    ) -> Self {
        let bounds = Arc::new(Bounds::default());
        let bytes = bounded(bytes, Arc::clone(&bounds), idle).boxed();
        Self {
            parser: SseByteStream::new(bytes),
            bounds,
        }
    }

    async fn next(&mut self) -> Result<Option<Sse>, ModelError> {
        match self.parser.next().await {
            Some(Ok(event)) => {
                self.bounds.since_event.store(0, Ordering::Relaxed);
                Ok(Some(event))
            }
            Some(Err(sse_stream::Error::Body(error))) => {
                Err(match error.downcast::<ModelError>() {
                    Ok(error) => *error,
                    Err(error) => ModelError::Dropped {
                        reason: error.to_string(),
                    },
                })
            }
            Some(Err(error)) => Err(ModelError::Protocol {
                message: error.to_string(),
            }),
            None => Ok(None),
        }
    }

    /// An event that cannot be understood because the stream ended within it was dropped.
    fn cut_short(&self, error: ModelError) -> ModelError {
        match error {
            ModelError::Protocol { .. } if self.bounds.ended.load(Ordering::Relaxed) => {
                ModelError::Dropped {
                    reason: "it ended within an event".into(),
                }
            }
            error => error,
        }
    }
}

/// The bytes with an error for silence and for sizes beyond the bounds. An empty line is added
/// at the end, because an event that is not followed by one is not reported.
fn bounded(
    bytes: impl Stream<Item = Result<Bytes, ModelError>> + Send + Unpin + 'static,
    bounds: Arc<Bounds>,
    idle: Duration,
) -> impl Stream<Item = Result<Bytes, ModelError>> + Send {
    let rest: VecDeque<Bytes> = [Bytes::from_static(b"\n\n")].into();
    stream::unfold(
        (bytes, bounds, rest),
        move |(mut bytes, bounds, mut rest)| async move {
            let item = match within(idle, bytes.next()).await {
                None => Err(ModelError::Stalled { after: idle }),
                Some(Some(Ok(chunk))) => {
                    let since =
                        bounds.since_event.fetch_add(chunk.len(), Ordering::Relaxed) + chunk.len();
                    let total =
                        bounds.total.fetch_add(chunk.len(), Ordering::Relaxed) + chunk.len();
                    if since > MAX_EVENT_BYTES {
                        Err(ModelError::Protocol {
                            message: format!("an event is larger than {MAX_EVENT_BYTES} bytes"),
                        })
                    } else if total > MAX_ANSWER_BYTES {
                        Err(ModelError::Protocol {
                            message: format!("the answer is larger than {MAX_ANSWER_BYTES} bytes"),
                        })
                    } else {
                        Ok(chunk)
                    }
                }
                Some(Some(Err(error))) => Err(error),
                Some(None) => {
                    bounds.ended.store(true, Ordering::Relaxed);
                    Ok(rest.pop_front()?)
                }
            };
            Some((item, (bytes, bounds, rest)))
        },
    )
}

/// The value, or none after so much silence, by whichever clock went further: the monotonic
/// one, or the wall clock, which goes on while the machine sleeps.
async fn within<T>(limit: Duration, waiting: impl Future<Output = T>) -> Option<T> {
    let (begun, begun_wall) = (Instant::now(), SystemTime::now());
    tokio::pin!(waiting);
    loop {
        let passed = begun
            .elapsed()
            .max(begun_wall.elapsed().unwrap_or_default());
        let left = limit.checked_sub(passed).filter(|left| !left.is_zero())?;
        tokio::select! {
            biased;
            value = &mut waiting => return Some(value),
            () = tokio::time::sleep(left.min(LOOK)) => {}
        }
    }
}

#[cfg(test)]
mod tests;
