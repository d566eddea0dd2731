//! A call that may change something stands in the transcript as begun before it changes anything:
//! after a crash it is known which calls were never run.

use std::sync::Arc;

use adroit_engine::{Checkpoints, Starting};
use adroit_protocol::CallId;
use adroit_tool::{Originals, ToolFailure};
use futures::FutureExt as _;
use futures::future::BoxFuture;

use crate::checkpoints::KeptBy;
use crate::transcript::{EntryBody, Transcript};

/// Keeps what a call changes, then writes that it begins.
pub(crate) struct Announcing {
    pub(crate) kept: KeptBy,
    pub(crate) transcript: Arc<Transcript>,
}

impl Announcing {
    fn announce(&self, call: &CallId) -> Result<(), ToolFailure> {
        // A call by hand, outside of a conversation, has no transcript.
        if !self.transcript.is_begun() {
            return Ok(());
        }
        let entry = EntryBody::Started { call: call.clone() };
        self.transcript.append(entry).map_err(|error| {
            let message = format!(
                "The call was not run, because it could not be recorded: {error}. Tell the user: {}",
                error.hint()
            );
            ToolFailure::new("not_recorded", message).with_summary("not recorded")
        })
    }
}

impl Checkpoints for Announcing {
    fn before(&self, starting: Starting) -> BoxFuture<'_, Result<(), ToolFailure>> {
        async move {
            let call = starting.call.clone();
            self.kept.before(starting).await?;
            let announced = self.announce(&call);
            if announced.is_err() {
                self.kept.after(&call).await;
            }
            announced
        }
        .boxed()
    }

    fn originals(&self, call: &CallId) -> Arc<dyn Originals> {
        self.kept.originals(call)
    }

    fn after<'a>(&'a self, call: &'a CallId) -> BoxFuture<'a, ()> {
        self.kept.after(call)
    }
}
