//! The window's two ways to the backend: a command by name, and the events.

use crate::backend::Backend;
use adroit_protocol::WireError;
use adroit_protocol::event::EventBatch;
use serde_json::Value;
use std::sync::{Arc, Mutex, PoisonError};
use tauri::State;
use tauri::async_runtime::JoinHandle;
use tauri::ipc::Channel;

/// Runs one command of the command table.
#[tauri::command]
pub(crate) async fn rpc(
    name: String,
    input: Value,
    backend: State<'_, Backend>,
) -> Result<Value, WireError> {
    backend.rpc(&name, input).await
}

/// The task that feeds the window's present channel.
#[derive(Default)]
pub(crate) struct Subscription(Mutex<Option<JoinHandle<()>>>);

impl Subscription {
    /// Ends the feed of a page that is gone and keeps the new one.
    fn replace(&self, feed: JoinHandle<()>) {
        let mut present = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(former) = present.replace(feed) {
            former.abort();
        }
    }
}

/// Sends every batch of events to the page from now on. A page that was
/// reloaded subscribes anew, and the feed of the page before it ends.
#[tauri::command]
pub(crate) async fn subscribe(
    channel: Channel<Arc<EventBatch>>,
    backend: State<'_, Backend>,
    subscription: State<'_, Subscription>,
) -> Result<(), WireError> {
    let mut batches = backend.subscribe();
    let feed = tauri::async_runtime::spawn(async move {
        while let Some(batch) = batches.recv().await {
            if let Err(error) = channel.send(batch) {
                tracing::debug!(%error, "the page of this channel is gone");
                return;
            }
        }
    });
    subscription.replace(feed);
    Ok(())
}
