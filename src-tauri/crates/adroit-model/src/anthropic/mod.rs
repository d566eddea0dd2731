//! Skeleton.
use std::sync::Arc;

use futures::future::BoxFuture;
use futures::{FutureExt, StreamExt, stream};
use tokio_util::sync::CancellationToken;

use crate::{ModelClient, ModelError, ModelRequest, ModelStream, ProviderConfig};

/// The client.
#[derive(Clone, Debug)]
pub struct Anthropic {}

impl Anthropic {
    /// A client.
    pub fn new(_config: &ProviderConfig) -> Result<Self, ModelError> {
        Ok(Self {})
    }
}

impl ModelClient for Anthropic {
    fn provider(&self) -> &str {
        "anthropic"
    }
    fn stream(&self, _request: Arc<ModelRequest>, _cancel: CancellationToken) -> ModelStream {
        stream::once(async {
            Err(ModelError::Protocol {
                message: "not yet".into(),
            })
        })
        .boxed()
    }
    fn models(&self) -> BoxFuture<'static, Result<Vec<String>, ModelError>> {
        async { Ok(vec![]) }.boxed()
    }
}
