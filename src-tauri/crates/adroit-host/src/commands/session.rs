//! Sessions and turns.

use std::path::PathBuf;

use adroit_protocol::command::{CallRecord, CallRef, Empty, SessionList, SessionSnapshot, SetMode};
use adroit_protocol::permission::Mode;
use adroit_protocol::{ErrorCode, SessionId, WireError};
use adroit_session::session::{is_trusted, stored};
use adroit_session::transcript;

use super::{Answer, failed, project};
use crate::App;

pub(super) async fn list(app: &App, path: &str) -> Answer<SessionList> {
    let folder = project::folder(app, path)?;
    let directories = app.inner.shared.directories.clone();
    let sessions = tokio::task::spawn_blocking(move || stored(&directories, &folder))
        .await
        .map_err(failed)?;
    Ok(SessionList { sessions })
}

pub(super) fn create(app: &App, path: &str) -> Answer<SessionSnapshot> {
    let folder = project::folder(app, path)?;
    Ok(app.open_session(&folder, None)?.snapshot())
}

pub(super) fn open(app: &App, id: &SessionId) -> Answer<SessionSnapshot> {
    if let Ok(session) = app.session(id) {
        return Ok(session.snapshot());
    }
    let folder = project_of(app, id)?;
    let folder = project::folder(app, &folder.display().to_string())?;
    Ok(app.open_session(&folder, Some(id.clone()))?.snapshot())
}

pub(super) fn delete(app: &App, id: &SessionId) -> Answer<Empty> {
    let open = app.sessions().remove(id);
    let folder = match &open {
        Some(session) => {
            session.close();
            session.project().to_path_buf()
        }
        None => project_of(app, id)?,
    };
    transcript::delete(&app.inner.shared.directories, &folder, id).map_err(failed)?;
    adroit_session::forget_changes(&app.inner.shared.directories, &folder, id);
    Ok(Empty {})
}

pub(super) fn submit(app: &App, id: &SessionId, text: String) -> Answer<Empty> {
    if text.trim().is_empty() {
        return Err(WireError::new(
            ErrorCode::InvalidInput,
            "the message is empty",
        ));
    }
    let session = app.session(id)?;
    if !session.project().is_dir() {
        return Err(WireError::new(
            ErrorCode::NotFound,
            format!("the project folder {} is gone", session.project().display()),
        )
        .with_hint("Put it back, or open another folder. The conversation is kept."));
    }
    session.submit(text);
    Ok(Empty {})
}

pub(super) fn set_mode(app: &App, input: &SetMode) -> Answer<Empty> {
    let session = app.session(&input.session)?;
    if input.mode == Mode::BypassPermissions
        && !is_trusted(&app.inner.shared.projects, session.project())
    {
        return Err(WireError::new(
            ErrorCode::Untrusted,
            "permissions are not bypassed in a folder that is not trusted",
        )
        .with_hint("Trust the folder first."));
    }
    session.set_mode(input.mode);
    Ok(Empty {})
}

pub(super) fn call_record(app: &App, input: &CallRef) -> Answer<CallRecord> {
    let known = app
        .session(&input.session)?
        .call(&input.call)
        .ok_or_else(|| {
            WireError::new(
                ErrorCode::NotFound,
                format!("nothing is known of the call {}", input.call),
            )
        })?;
    Ok(CallRecord {
        record: known.record,
        input: known.input,
        result: known.result,
    })
}

/// The project of a stored session.
fn project_of(app: &App, id: &SessionId) -> Answer<PathBuf> {
    transcript::find(&app.inner.shared.directories, id).ok_or_else(|| {
        WireError::new(ErrorCode::NotFound, format!("there is no session {id}"))
            .with_hint("It may have been deleted; begin a new one.")
    })
}
