//! The routes.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use adroit_host::App;
use adroit_protocol::{ErrorCode, WireError};
use axum::extract::{DefaultBodyLimit, Path, Query, Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::sse::{Event as ServerSentEvent, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use futures::{Stream, StreamExt as _};
use serde::Deserialize;
use serde_json::Value;
use tokio_stream::wrappers::ReceiverStream;

use crate::files;

const TOKEN_HEADER: &str = "x-adroit-token";
/// A pasted message can be long; a whole disk cannot be meant.
const LARGEST_BODY: usize = 64 * 1024 * 1024;

struct Server {
    app: App,
    ui: PathBuf,
    token: String,
    address: SocketAddr,
}

/// All routes over the app.
pub(crate) fn router(app: App, ui: PathBuf, token: String, address: SocketAddr) -> Router {
    let server = Arc::new(Server {
        app,
        ui,
        token,
        address,
    });
    Router::new()
        .route("/rpc/{name}", post(rpc))
        .route("/events", get(events))
        .fallback(file)
        .layer(DefaultBodyLimit::max(LARGEST_BODY))
        .layer(middleware::from_fn_with_state(
            Arc::clone(&server),
            same_host,
        ))
        .with_state(server)
}

/// Refuses every name but our own address. Blocks DNS rebinding.
async fn same_host(State(server): State<Arc<Server>>, request: Request, next: Next) -> Response {
    let host = request
        .headers()
        .get(header::HOST)
        .and_then(|host| host.to_str().ok());
    let ours = [
        server.address.to_string(),
        format!("localhost:{}", server.address.port()),
    ];
    if host.is_some_and(|host| ours.iter().any(|ours| ours == host)) {
        next.run(request).await
    } else {
        (
            StatusCode::FORBIDDEN,
            "this server answers to its own address only",
        )
            .into_response()
    }
}

async fn rpc(
    State(server): State<Arc<Server>>,
    Path(name): Path<String>,
    headers: HeaderMap,
    Json(input): Json<Value>,
) -> Response {
    let given = headers
        .get(TOKEN_HEADER)
        .and_then(|token| token.to_str().ok());
    if !is_token(&server, given) {
        return refused();
    }
    match server.app.rpc(&name, input).await {
        Ok(output) => Json(output).into_response(),
        Err(error) => (status(error.code), Json(error)).into_response(),
    }
}

#[derive(Deserialize)]
struct EventsQuery {
    /// An `EventSource` cannot send headers.
    token: Option<String>,
}

async fn events(State(server): State<Arc<Server>>, Query(query): Query<EventsQuery>) -> Response {
    if !is_token(&server, query.token.as_deref()) {
        return refused();
    }
    Sse::new(batches(&server.app))
        .keep_alive(KeepAlive::default())
        .into_response()
}

fn batches(app: &App) -> impl Stream<Item = Result<ServerSentEvent, Infallible>> + use<> {
    ReceiverStream::new(app.subscribe()).filter_map(|batch| {
        let event = ServerSentEvent::default().json_data(batch.as_ref());
        std::future::ready(event.ok().map(Ok))
    })
}

async fn file(State(server): State<Arc<Server>>, request: Request) -> Response {
    files::serve(&server.ui, request.uri().path()).await
}

fn is_token(server: &Server, given: Option<&str>) -> bool {
    given.is_some_and(|given| given == server.token)
}

fn refused() -> Response {
    let error = WireError::new(
        ErrorCode::Failed,
        "the token of this server is missing or wrong",
    )
    .with_hint("Open the address that the server printed when it started.");
    (StatusCode::FORBIDDEN, Json(error)).into_response()
}

fn status(code: ErrorCode) -> StatusCode {
    match code {
        ErrorCode::InvalidInput => StatusCode::BAD_REQUEST,
        ErrorCode::NotFound => StatusCode::NOT_FOUND,
        ErrorCode::Untrusted | ErrorCode::Unconfirmed => StatusCode::FORBIDDEN,
        ErrorCode::Stale => StatusCode::CONFLICT,
        ErrorCode::Unsupported => StatusCode::NOT_IMPLEMENTED,
        ErrorCode::Failed => StatusCode::INTERNAL_SERVER_ERROR,
    }
}
