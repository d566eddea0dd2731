//! The offline operator.
use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use futures::{FutureExt, StreamExt, stream};
use tokio_util::sync::CancellationToken;

use crate::{ModelClient, ModelError, ModelRequest, ModelStream};

/// The name of the operator as a model.
pub const OFFLINE_MODEL: &str = "offline-operator";

/// The embedded model: no key, no network, deterministic.
#[derive(Clone, Debug)]
pub struct Operator {
    delay: Duration,
}

impl Operator {
    /// An operator that pauses so long between two pieces.
    #[must_use]
    pub fn new(delay: Duration) -> Self {
        Self { delay }
    }
}

impl ModelClient for Operator {
    fn provider(&self) -> &str {
        "offline"
    }
    fn stream(&self, _request: Arc<ModelRequest>, _cancel: CancellationToken) -> ModelStream {
        let _ = self.delay;
        stream::once(async {
            Err(ModelError::Protocol {
                message: "not yet".into(),
            })
        })
        .boxed()
    }
    fn models(&self) -> BoxFuture<'static, Result<Vec<String>, ModelError>> {
        async { Ok(vec![OFFLINE_MODEL.to_owned()]) }.boxed()
    }
}
