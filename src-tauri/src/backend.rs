//! The backend as the window sees it.

use crate::arguments::Options;
use adroit_protocol::{ErrorCode, WireError};
use serde_json::Value;
use std::path::Path;
use tauri::AppHandle;
use tokio::sync::mpsc::{Receiver, channel};

/// The running backend.
pub(crate) struct Backend;

impl Backend {
    /// Starts it.
    pub(crate) async fn start(_options: &Options, _app: &AppHandle) -> anyhow::Result<Self> {
        Ok(Self)
    }

    /// Runs one command.
    pub(crate) async fn rpc(&self, name: &str, _input: Value) -> Result<Value, WireError> {
        Err(WireError::new(
            ErrorCode::NotFound,
            format!("there is no command `{name}`"),
        ))
    }

    /// The batches of events from now on.
    pub(crate) async fn subscribe(&self) -> Receiver<Value> {
        channel(1).1
    }

    /// Opens a project folder.
    pub(crate) async fn open_folder(&self, _folder: &Path) {}

    /// Ends everything that runs.
    pub(crate) async fn shutdown(&self) {}
}
