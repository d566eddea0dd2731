//! Places in files.

use adroit_protocol::command::{EditPlace, Empty, FileLines, FindFiles, FoundFiles, ViewFile};
use adroit_protocol::{ErrorCode, WireError};
use adroit_session::PlaceError;

use super::Answer;
use crate::App;

pub(super) async fn find(app: &App, input: FindFiles) -> Answer<FoundFiles> {
    let session = app.session(&input.session)?;
    on_disk(move || Ok(session.find_files(&input))).await
}

pub(super) async fn view(app: &App, input: ViewFile) -> Answer<FileLines> {
    let session = app.session(&input.session)?;
    on_disk(move || session.view_file(&input).map_err(|error| wire(&error))).await
}

pub(super) async fn edit(app: &App, input: EditPlace) -> Answer<Empty> {
    let session = app.session(&input.session)?;
    session
        .edit_place(&input.path, input.position)
        .await
        .map_err(|error| wire(&error))?;
    Ok(Empty {})
}

/// Disks can be slow: the loop that serves the window does not wait for them.
async fn on_disk<T: Send + 'static>(
    work: impl FnOnce() -> Answer<T> + Send + 'static,
) -> Answer<T> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|error| WireError::new(ErrorCode::Failed, error.to_string()))?
}

fn wire(error: &PlaceError) -> WireError {
    let code = match error {
        PlaceError::Missing(_) => ErrorCode::NotFound,
        _ => ErrorCode::Failed,
    };
    WireError::new(code, error.to_string()).with_hint(error.hint())
}
