//! The model server.

use std::collections::{HashMap, VecDeque};
use std::io::Write as _;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, Response};
use axum::routing::{get, post};
use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use futures::{Stream, stream};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::wire::Writer;
use crate::{RecordedRequest, Step, Turn, Wire, response};

/// A model server on an ephemeral port of 127.0.0.1. It gives its turns in order, one a
/// request, in the wire that the request used, and keeps every request. It stops on drop.
#[derive(Debug)]
pub struct ScriptedModel {
    address: std::net::SocketAddr,
    shared: Arc<Shared>,
    _stop: DropGuard,
}

#[derive(Debug)]
struct Shared {
    turns: Mutex<VecDeque<Turn>>,
    models: Mutex<Vec<String>>,
    requests: Mutex<Vec<RecordedRequest>>,
    count: watch::Sender<usize>,
    /// When the last bytes of an answer were handed out, by its number.
    ends: Mutex<HashMap<usize, Instant>>,
    stop: CancellationToken,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl ScriptedModel {
    /// Starts a server with these turns.
    ///
    /// # Panics
    /// When no port of 127.0.0.1 can be had.
    pub async fn start(turns: impl IntoIterator<Item = Turn>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0")
            .await
            .expect("an ephemeral port is free");
        let address = listener
            .local_addr()
            .expect("a bound socket has an address");
        let stop = CancellationToken::new();
        let shared = Arc::new(Shared {
            turns: Mutex::new(turns.into_iter().collect()),
            models: Mutex::new(vec!["scripted-model".into()]),
            requests: Mutex::new(Vec::new()),
            count: watch::Sender::new(0),
            ends: Mutex::new(HashMap::new()),
            stop: stop.clone(),
        });
        let routes = Router::new()
            .route("/v1/messages", post(anthropic))
            .route("/v1/chat/completions", post(chat))
            .route("/v1/models", get(models))
            .with_state(Arc::clone(&shared));
        tokio::spawn({
            let stop = stop.clone();
            async move {
                let serving = axum::serve(listener, routes);
                tokio::select! {
                    _ = serving => {}
                    () = stop.cancelled() => {}
                }
            }
        });
        Self {
            address,
            shared,
            _stop: stop.drop_guard(),
        }
    }

    /// The base URL, for either wire (`http://127.0.0.1:PORT`).
    #[must_use]
    pub fn base_url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Adds a turn at the end.
    pub fn push(&self, turn: Turn) {
        lock(&self.shared.turns).push_back(turn);
    }

    /// What `GET /v1/models` lists.
    pub fn set_models(&self, names: &[&str]) {
        *lock(&self.shared.models) = names.iter().map(|&name| name.into()).collect();
    }

    /// The requests so far.
    #[must_use]
    pub fn requests(&self) -> Vec<RecordedRequest> {
        lock(&self.shared.requests).clone()
    }

    /// The request of this number (0 is the first), once it has arrived.
    ///
    /// # Panics
    /// Never: the request that was waited for is there.
    pub async fn request(&self, number: usize) -> RecordedRequest {
        let mut count = self.shared.count.subscribe();
        // The sender lives in `self.shared`.
        let _ = count.wait_for(|count| *count > number).await;
        self.requests()
            .into_iter()
            .nth(number)
            .expect("the request was counted")
    }

    /// When the last bytes of the answer to the request of this number (0 is the first) were
    /// handed to the connection; none while it goes on (benches only).
    #[must_use]
    pub fn answer_ended(&self, number: usize) -> Option<Instant> {
        lock(&self.shared.ends).get(&number).copied()
    }

    /// The turns that were not asked for yet.
    #[must_use]
    pub fn turns_left(&self) -> usize {
        lock(&self.shared.turns).len()
    }
}

async fn anthropic(
    State(shared): State<Arc<Shared>>,
    headers: HeaderMap,
    body: Bytes,
) -> Response<Body> {
    answer(&shared, Wire::Anthropic, headers, &body)
}

async fn chat(
    State(shared): State<Arc<Shared>>,
    headers: HeaderMap,
    body: Bytes,
) -> Response<Body> {
    answer(&shared, Wire::OpenAiChat, headers, &body)
}

async fn models(State(shared): State<Arc<Shared>>) -> Response<Body> {
    let data: Vec<Value> = lock(&shared.models)
        .iter()
        .map(|name| json!({"id": name, "object": "model", "type": "model"}))
        .collect();
    let body = json!({"object": "list", "data": data, "has_more": false}).to_string();
    Response::builder()
        .header("content-type", "application/json")
        .body(Body::from(body))
        .expect("the parts are valid")
}

fn answer(shared: &Arc<Shared>, wire: Wire, headers: HeaderMap, body: &Bytes) -> Response<Body> {
    let at = Instant::now();
    let body: Value = match serde_json::from_slice(body) {
        Ok(body) => body,
        Err(error) => return refuse(400, &format!("the request is not JSON: {error}")),
    };
    let model = body["model"]
        .as_str()
        .unwrap_or("scripted-model")
        .to_owned();
    let number = {
        let mut requests = lock(&shared.requests);
        requests.push(RecordedRequest {
            wire,
            headers,
            body,
            at,
        });
        requests.len()
    };
    let turn = lock(&shared.turns).pop_front();
    shared.count.send_replace(number);
    match turn {
        Some(turn) => play(
            turn,
            Writer::new(wire, model, number),
            Some((Arc::clone(shared), number - 1)),
        ),
        // 400, because clients do not repeat it.
        None => refuse(400, &format!("the script has no turn for request {number}")),
    }
}

fn refuse(status: u16, message: &str) -> Response<Body> {
    let turn = response(status).error_body("invalid_request_error", message);
    play(turn, Writer::new(Wire::Anthropic, String::new(), 0), None)
}

/// The server and the number of the request that an answer belongs to; none for a refusal.
type Place = Option<(Arc<Shared>, usize)>;

fn play(turn: Turn, writer: Writer, place: Place) -> Response<Body> {
    let mut response = Response::builder().status(turn.status);
    for (name, value) in &turn.headers {
        response = response.header(name, value);
    }
    let body = Body::from_stream(frames(turn, writer, place));
    response
        .body(body)
        .expect("the headers of the script are valid")
}

/// How a scripted connection is cut.
#[derive(Debug)]
struct CutConnection;

impl std::fmt::Display for CutConnection {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("cut by the script")
    }
}

impl std::error::Error for CutConnection {}

/// The body: one frame per step that has output.
fn frames(
    turn: Turn,
    writer: Writer,
    place: Place,
) -> impl Stream<Item = Result<Bytes, CutConnection>> {
    let encoder = turn
        .gzip
        .then(|| GzEncoder::new(Vec::new(), Compression::default()));
    let answer = Answer {
        steps: turn.steps.into_iter(),
        writer,
        encoder,
        place,
    };
    stream::unfold(answer, |mut answer| async move {
        let frame = answer.next().await?;
        Some((frame, answer))
    })
}

/// An answer on its way.
struct Answer {
    steps: std::vec::IntoIter<Step>,
    writer: Writer,
    encoder: Option<GzEncoder<Vec<u8>>>,
    place: Place,
}

impl Answer {
    async fn next(&mut self) -> Option<Result<Bytes, CutConnection>> {
        loop {
            let Some(step) = self.steps.next() else {
                let rest = self
                    .encoder
                    .take()?
                    .finish()
                    .expect("memory can be written");
                return Some(Ok(rest.into()));
            };
            let bytes: Bytes = match step {
                Step::Raw(bytes) => bytes,
                Step::Cut => {
                    self.steps = Vec::new().into_iter();
                    // What was scripted before is flushed while the body waits.
                    tokio::task::yield_now().await;
                    return Some(Err(CutConnection));
                }
                Step::Gate(gate) => {
                    self.unless_stopped(gate.pass()).await?;
                    continue;
                }
                Step::Pause(time) => {
                    self.unless_stopped(tokio::time::sleep(time)).await?;
                    continue;
                }
                Step::Stall => {
                    self.unless_stopped(std::future::pending::<()>()).await?;
                    continue;
                }
                step => self.writer.write(&step).into(),
            };
            if let (Some((shared, number)), []) = (&self.place, self.steps.as_slice()) {
                lock(&shared.ends).insert(*number, Instant::now());
            }
            match &mut self.encoder {
                _ if bytes.is_empty() => {}
                Some(encoder) => return Some(Ok(compressed(encoder, &bytes))),
                None => return Some(Ok(bytes)),
            }
        }
    }

    /// The output, or none when the server stops first.
    async fn unless_stopped<T>(&self, wait: impl Future<Output = T>) -> Option<T> {
        let Some((shared, _)) = &self.place else {
            return Some(wait.await);
        };
        tokio::select! {
            value = wait => Some(value),
            () = shared.stop.cancelled() => None,
        }
    }
}

/// The compressed form, flushed so that it can be read at once.
fn compressed(encoder: &mut GzEncoder<Vec<u8>>, bytes: &[u8]) -> Bytes {
    encoder.write_all(bytes).expect("memory can be written");
    encoder.flush().expect("memory can be written");
    std::mem::take(encoder.get_mut()).into()
}

#[cfg(test)]
mod tests;
