//! Anthropic Messages.

mod decode;
mod request;

use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use tokio_util::sync::CancellationToken;

use crate::http::Server;
use crate::{ModelClient, ModelError, ModelRequest, ModelStream, ProviderConfig, sse};

/// The provider's name in an origin.
pub(crate) const PROVIDER: &str = "anthropic";
/// The provider's own server.
const DEFAULT_URL: &str = "https://api.anthropic.com/v1";
const VERSION: &str = "2023-06-01";
/// Without this the server holds back the arguments of a call until it has checked them whole.
const FINE_GRAINED: &str = "fine-grained-tool-streaming-2025-05-14";
/// Lets the model think between calls.
const INTERLEAVED: &str = "interleaved-thinking-2025-05-14";
/// Pages of the list of models that are asked for at most.
const MAX_PAGES: usize = 20;

/// A client of an Anthropic Messages server.
#[derive(Clone, Debug)]
pub struct Anthropic {
    server: Arc<Server>,
    images: bool,
    idle: Duration,
}

impl Anthropic {
    /// A client; nothing is connected yet.
    ///
    /// # Errors
    /// [`ModelError::BadAddress`] when the base URL is unusable.
    pub fn new(config: &ProviderConfig) -> Result<Self, ModelError> {
        Ok(Self {
            server: Arc::new(Server::new(config, DEFAULT_URL)?),
            images: config.images,
            idle: config.idle_timeout,
        })
    }
}

fn headers(server: &Server, thinking: bool) -> Result<HeaderMap, ModelError> {
    let mut headers = HeaderMap::new();
    headers.insert("anthropic-version", HeaderValue::from_static(VERSION));
    let beta = if thinking {
        format!("{FINE_GRAINED},{INTERLEAVED}")
    } else {
        FINE_GRAINED.to_owned()
    };
    if let Ok(value) = HeaderValue::from_str(&beta) {
        headers.insert("anthropic-beta", value);
    }
    if let Some(key) = server.key_header("", server.is_host("api.anthropic.com"))? {
        headers.insert(HeaderName::from_static("x-api-key"), key);
    }
    Ok(headers)
}

impl ModelClient for Anthropic {
    fn provider(&self) -> &str {
        PROVIDER
    }

    fn stream(&self, request: Arc<ModelRequest>, cancel: CancellationToken) -> ModelStream {
        let (server, images) = (Arc::clone(&self.server), self.images);
        let decoder = decode::Decoder::new(Arc::clone(&server), Arc::clone(&request));
        let opening = async move {
            let body = request::body(&request, images);
            let headers = headers(&server, request.thinking.is_some())?;
            let bytes = body.to_string().into_bytes();
            let response = server
                .post("/messages", headers, bytes, &request.model)
                .await?;
            sse::open(response, server.shown()).await
        };
        sse::answer(opening.boxed(), decoder, cancel, self.idle)
    }

    fn models(&self) -> BoxFuture<'static, Result<Vec<String>, ModelError>> {
        let server = Arc::clone(&self.server);
        async move {
            let mut names = Vec::new();
            let mut after = String::new();
            for _ in 0..MAX_PAGES {
                let query = [("limit", "100"), ("after_id", after.as_str())];
                let query = if after.is_empty() {
                    &query[..1]
                } else {
                    &query[..]
                };
                let page = server
                    .get_json("/models", query, headers(&server, false)?)
                    .await?;
                let listed = crate::http::model_names(&page, &server)?;
                let last = listed.last().cloned();
                names.extend(listed);
                match last {
                    Some(last) if page["has_more"] == true => after = last,
                    _ => break,
                }
            }
            Ok(names)
        }
        .boxed()
    }
}

#[cfg(test)]
mod tests;
