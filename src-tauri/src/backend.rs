//! The backend behind the window, and what the desktop can do for it.

use crate::arguments::Options;
use adroit_host::{App, AppDirectories, AppOptions, CommandLine, Host, Subscription};
use adroit_protocol::event::Event;
use adroit_protocol::{ErrorCode, WireError};
use futures::FutureExt as _;
use futures::future::BoxFuture;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tauri::AppHandle;
use tauri_plugin_dialog::DialogExt as _;
use tokio::sync::oneshot;

/// Where the app keeps its files.
pub(crate) fn directories(options: &Options) -> AppDirectories {
    options
        .data_dir
        .as_deref()
        .map_or_else(AppDirectories::from_environment, AppDirectories::under)
}

/// The running backend.
pub(crate) struct Backend(App);

impl Backend {
    /// Starts it on the present runtime.
    pub(crate) fn start(options: &Options, window: &AppHandle) -> Self {
        let options = AppOptions {
            folder: options.folder.clone(),
            directories: directories(options),
            command_line: CommandLine::default(),
            operator_delay: None,
        };
        Self(App::start(options, Arc::new(Desktop(window.clone()))))
    }

    /// Runs one command of the command table.
    pub(crate) async fn rpc(&self, name: &str, input: Value) -> Result<Value, WireError> {
        self.0.rpc(name, input).await
    }

    /// The batches of events from now on.
    pub(crate) fn subscribe(&self) -> Subscription {
        self.0.subscribe()
    }

    /// Tells the page that a second launch of the app named a folder.
    pub(crate) fn request_folder(&self, folder: &Path) {
        self.0.notify(Event::FolderRequested {
            path: folder.display().to_string(),
        });
    }

    /// Ends everything that runs: no child outlives the app.
    pub(crate) async fn shutdown(&self) {
        self.0.shutdown().await;
    }
}

/// The desktop around the backend.
struct Desktop(AppHandle);

impl Host for Desktop {
    fn is_desktop(&self) -> bool {
        true
    }

    fn pick_folder(&self) -> BoxFuture<'_, Result<Option<PathBuf>, WireError>> {
        let (sender, receiver) = oneshot::channel();
        self.0
            .dialog()
            .file()
            .set_title("Open a project folder")
            .pick_folder(move |folder| {
                // The page that asked may be gone: then nobody waits.
                let _ = sender.send(folder);
            });
        async move {
            let failed = |what: String| {
                WireError::new(ErrorCode::Failed, what).with_hint("Type the folder's path.")
            };
            let folder = receiver
                .await
                .map_err(|_| failed("the folder dialog could not be opened".into()))?;
            folder
                .map(|folder| folder.into_path())
                .transpose()
                .map_err(|error| failed(format!("what was chosen is no folder: {error}")))
        }
        .boxed()
    }
}
