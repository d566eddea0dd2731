//! Tells the UI when a settings file changed on disk.
//!
//! Decisions do not wait for this: they look at the files themselves. A watch that cannot
//! be had costs only the panel's freshness, so it is reported in the log and nothing more.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use adroit_protocol::event::Event;
use adroit_session::state::Emit;
use adroit_workspace::watch_files;

pub(crate) struct SettingsWatch {
    emit: Emit,
    watched: Mutex<HashSet<PathBuf>>,
}

impl SettingsWatch {
    pub(crate) fn new(emit: Emit) -> Self {
        Self {
            emit,
            watched: Mutex::default(),
        }
    }

    /// Watches these files too, existing or not.
    pub(crate) fn add(&self, paths: impl IntoIterator<Item = PathBuf>) {
        let mut watched = self.watched.lock().unwrap_or_else(PoisonError::into_inner);
        let new: Vec<PathBuf> = paths
            .into_iter()
            .filter(|path| watched.insert(path.clone()))
            .collect();
        if new.is_empty() {
            return;
        }
        let emit = Arc::clone(&self.emit);
        tokio::spawn(async move {
            // Setting up a watch looks at every folder on the way: beside the start.
            match tokio::task::spawn_blocking(move || watch_files(new)).await {
                Ok(mut watch) => {
                    while watch.changed().await.is_some() {
                        emit(Event::SettingsChanged);
                    }
                }
                Err(error) => tracing::warn!(%error, "settings files are not watched"),
            }
        });
    }
}
