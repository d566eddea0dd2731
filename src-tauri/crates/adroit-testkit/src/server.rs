//! The model server.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::io::Write as _;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, Response};
use axum::routing::{get, post};
use bytes::Bytes;
use futures::{Stream, stream};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::wire::Writer;
use crate::{Step, Turn, Wire, response};

/// A request as it arrived.
#[derive(Clone, Debug)]
pub struct RecordedRequest {
    /// Which wire it used.
    pub wire: Wire,
    /// Its headers.
    pub headers: HeaderMap,
    /// Its body.
    pub body: Value,
    /// When it arrived (benches only).
    pub at: Instant,
}

impl RecordedRequest {
    /// The messages of the conversation.
    ///
    /// # Panics
    /// When the body has none.
    #[must_use]
    pub fn messages(&self) -> &[Value] {
        self.body["messages"]
            .as_array()
            .expect("a request has messages")
    }

    /// The last message.
    ///
    /// # Panics
    /// When there is none.
    #[must_use]
    pub fn last_message(&self) -> &Value {
        self.messages().last().expect("a request has a message")
    }

    /// The results of calls since the last answer, in order: id, text, whether an error
    /// (the chat wire has no error flag: always false there).
    #[must_use]
    pub fn tool_results(&self) -> Vec<(String, String, bool)> {
        let messages = self.messages();
        let since = messages
            .iter()
            .rposition(|message| message["role"] == "assistant")
            .map_or(0, |at| at + 1);
        messages[since..].iter().flat_map(results_of).collect()
    }

    /// A header's value; empty when there is none.
    #[must_use]
    pub fn header(&self, name: &str) -> &str {
        self.headers
            .get(name)
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default()
    }
}

fn results_of(message: &Value) -> Vec<(String, String, bool)> {
    if message["role"] == "tool" {
        return vec![(
            text(&message["tool_call_id"]),
            text(&message["content"]),
            false,
        )];
    }
    let blocks = message["content"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default();
    blocks
        .iter()
        .filter(|block| block["type"] == "tool_result")
        .map(|block| {
            (
                text(&block["tool_use_id"]),
                text(&block["content"]),
                block["is_error"] == true,
            )
        })
        .collect()
}

/// A string, or the text parts of a list.
fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts
            .iter()
            .filter_map(|part| part["text"].as_str())
            .collect(),
        _ => String::new(),
    }
}

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
        Some(turn) => play(turn, Writer::new(wire, model, number), shared.stop.clone()),
        // 400, because clients do not repeat it.
        None => refuse(400, &format!("the script has no turn for request {number}")),
    }
}

fn refuse(status: u16, message: &str) -> Response<Body> {
    let turn = response(status).error_body("invalid_request_error", message);
    play(
        turn,
        Writer::new(Wire::Anthropic, String::new(), 0),
        CancellationToken::new(),
    )
}

fn play(turn: Turn, writer: Writer, stop: CancellationToken) -> Response<Body> {
    let mut response = Response::builder().status(turn.status);
    for (name, value) in &turn.headers {
        response = response.header(name, value);
    }
    let body = Body::from_stream(frames(turn, writer, stop));
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
    stop: CancellationToken,
) -> impl Stream<Item = Result<Bytes, CutConnection>> {
    let encoder = turn
        .gzip
        .then(|| flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default()));
    let state = (turn.steps.into_iter(), writer, encoder, stop);
    stream::unfold(
        state,
        |(mut steps, mut writer, mut encoder, stop)| async move {
            loop {
                let Some(step) = steps.next() else {
                    let rest = encoder.take()?.finish().expect("memory can be written");
                    return Some((Ok(rest.into()), (steps, writer, None, stop)));
                };
                let bytes: Bytes = match step {
                    Step::Raw(bytes) => bytes,
                    Step::Cut => {
                        return Some((
                            Err(CutConnection),
                            (Vec::new().into_iter(), writer, None, stop),
                        ));
                    }
                    Step::Gate(gate) => {
                        unless_stopped(&stop, gate.pass()).await?;
                        continue;
                    }
                    Step::Pause(time) => {
                        unless_stopped(&stop, tokio::time::sleep(time)).await?;
                        continue;
                    }
                    Step::Stall => {
                        unless_stopped(&stop, std::future::pending::<Infallible>()).await?;
                        continue;
                    }
                    step => writer.write(&step).into(),
                };
                if bytes.is_empty() {
                    continue;
                }
                let bytes = match &mut encoder {
                    Some(encoder) => compressed(encoder, &bytes),
                    None => bytes,
                };
                return Some((Ok(bytes), (steps, writer, encoder, stop)));
            }
        },
    )
}

/// The output, or none when the server stops first.
async fn unless_stopped<T>(stop: &CancellationToken, wait: impl Future<Output = T>) -> Option<T> {
    tokio::select! {
        value = wait => Some(value),
        () = stop.cancelled() => None,
    }
}

/// The compressed form, flushed so that it can be read at once.
fn compressed(encoder: &mut flate2::write::GzEncoder<Vec<u8>>, bytes: &[u8]) -> Bytes {
    encoder.write_all(bytes).expect("memory can be written");
    encoder.flush().expect("memory can be written");
    std::mem::take(encoder.get_mut()).into()
}
