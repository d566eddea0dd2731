//! OpenAI-compatible Chat Completions: OpenAI, Ollama, llama.cpp, LM Studio, vLLM, routers.

mod calls;
mod decode;
mod request;

use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use reqwest::header::{AUTHORIZATION, HeaderMap};
use tokio_util::sync::CancellationToken;

use crate::http::{Server, model_names};
use crate::{ModelClient, ModelError, ModelRequest, ModelStream, ProviderConfig, sse};

/// The provider's name in an origin.
pub(crate) const PROVIDER: &str = "openai-chat";
/// The provider's own server.
const DEFAULT_URL: &str = "https://api.openai.com/v1";
const DEFAULT_HOST: &str = "api.openai.com";

/// A client of an OpenAI-compatible Chat Completions server.
#[derive(Clone, Debug)]
pub struct OpenAiChat {
    server: Arc<Server>,
    images: bool,
    idle: Duration,
}

impl OpenAiChat {
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

fn headers(server: &Server) -> Result<HeaderMap, ModelError> {
    let mut headers = HeaderMap::new();
    if let Some(key) = server.key_header("Bearer ", server.is_host(DEFAULT_HOST))? {
        headers.insert(AUTHORIZATION, key);
    }
    Ok(headers)
}

impl ModelClient for OpenAiChat {
    fn provider(&self) -> &str {
        PROVIDER
    }

    fn stream(&self, request: Arc<ModelRequest>, cancel: CancellationToken) -> ModelStream {
        let server = Arc::clone(&self.server);
        let dialect = request::Dialect {
            images: self.images,
            // Compatible servers know the older name only; OpenAI's newer models only the newer.
            completion_tokens: server.is_host(DEFAULT_HOST),
            strict_tools: server.is_host(DEFAULT_HOST),
        };
        let decoder = decode::Decoder::new(Arc::clone(&server), Arc::clone(&request));
        let opening = async move {
            let bytes = request::body(&request, dialect).to_string().into_bytes();
            let headers = headers(&server)?;
            let response = server
                .post("/chat/completions", headers, bytes, &request.model)
                .await?;
            sse::open(response, server.shown()).await
        };
        sse::answer(opening.boxed(), decoder, cancel, self.idle)
    }

    fn models(&self) -> BoxFuture<'static, Result<Vec<String>, ModelError>> {
        let server = Arc::clone(&self.server);
        async move {
            let list = server.get_json("/models", &[], headers(&server)?).await?;
            model_names(&list, &server)
        }
        .boxed()
    }
}

#[cfg(test)]
mod tests;
