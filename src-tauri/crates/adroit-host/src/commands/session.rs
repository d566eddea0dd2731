//! Sessions and turns.

use std::path::PathBuf;

use adroit_protocol::command::{
    CallRecord, CallRef, EditQueued, Empty, FindText, FoundText, SessionList, SessionSnapshot,
    SetMode, SteerQueued, SubmitMessage, WhatIf, WhatIfAnswer,
};
use adroit_protocol::{ErrorCode, SessionId, WireError};
use adroit_session::BypassRefused;
use adroit_session::session::stored;
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
    // An agent's conversation belongs to the session that started it.
    let open: Vec<_> = app.sessions().values().cloned().collect();
    if let Some(snapshot) = open.iter().find_map(|session| session.agent_snapshot(id)) {
        return Ok(snapshot);
    }
    let folder = project_of(app, id)?;
    let folder = project::folder(app, &folder.display().to_string())?;
    Ok(app.open_session(&folder, Some(id.clone()))?.snapshot())
}

pub(super) async fn delete(app: &App, id: &SessionId) -> Answer<Empty> {
    let open = app.sessions().remove(id);
    let folder = match &open {
        Some(session) => {
            session.close();
            session.farewell("clear").await;
            session.project().to_path_buf()
        }
        None => project_of(app, id)?,
    };
    transcript::delete(&app.inner.shared.directories, &folder, id).map_err(failed)?;
    adroit_session::forget_changes(&app.inner.shared.directories, &folder, id);
    Ok(Empty {})
}

pub(super) fn submit(app: &App, input: SubmitMessage) -> Answer<Empty> {
    let SubmitMessage {
        session,
        text,
        steer,
    } = input;
    if text.trim().is_empty() {
        return Err(WireError::new(
            ErrorCode::InvalidInput,
            "the message is empty",
        ));
    }
    let session = app.session(&session)?;
    if !session.project().is_dir() {
        return Err(WireError::new(
            ErrorCode::NotFound,
            format!("the project folder {} is gone", session.project().display()),
        )
        .with_hint("Put it back, or open another folder. The conversation is kept."));
    }
    session.submit(text, steer);
    Ok(Empty {})
}

pub(super) fn edit_queued(app: &App, input: EditQueued) -> Answer<Empty> {
    if input.text.trim().is_empty() {
        return Err(
            WireError::new(ErrorCode::InvalidInput, "the message is empty")
                .with_hint("Remove it from the queue instead."),
        );
    }
    let found = app
        .session(&input.session)?
        .edit_queued(&input.message, input.text);
    said_already(found)
}

pub(super) fn steer_queued(app: &App, input: &SteerQueued) -> Answer<Empty> {
    let found = app
        .session(&input.session)?
        .steer_queued(&input.message, input.steer);
    said_already(found)
}

fn said_already(found: bool) -> Answer<Empty> {
    if found {
        return Ok(Empty {});
    }
    Err(WireError::new(
        ErrorCode::Stale,
        "this message does not wait any more: it was said already",
    ))
}

pub(super) fn set_mode(app: &App, input: &SetMode) -> Answer<Empty> {
    app.session(&input.session)?
        .choose_mode(input.mode, input.confirmed)
        .map_err(|refused| {
            let (code, hint) = match refused {
                BypassRefused::Untrusted => (ErrorCode::Untrusted, "Trust the folder first."),
                BypassRefused::Unconfirmed => {
                    (ErrorCode::Unconfirmed, "Confirm it, or choose another mode.")
                }
                BypassRefused::Disabled => (
                    ErrorCode::Failed,
                    "Choose another mode; who wrote permissions.disableBypassPermissionsMode wanted it so.",
                ),
                BypassRefused::BrokenSettings => {
                    (ErrorCode::Failed, "Mend the settings file first.")
                }
            };
            WireError::new(code, refused.to_string()).with_hint(hint)
        })?;
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

pub(super) async fn what_if(app: &App, input: WhatIf) -> Answer<WhatIfAnswer> {
    let session = app.session(&input.session)?;
    // Stored sessions are looked through, and each call is analysed.
    tokio::task::spawn_blocking(move || session.what_if(&input))
        .await
        .map_err(failed)
}

pub(super) async fn find(app: &App, input: FindText) -> Answer<FoundText> {
    let session = app.session(&input.session)?;
    // Every result of the conversation is gone through.
    tokio::task::spawn_blocking(move || session.find(&input.text))
        .await
        .map_err(failed)
}

/// The project of a stored session.
fn project_of(app: &App, id: &SessionId) -> Answer<PathBuf> {
    transcript::find(&app.inner.shared.directories, id).ok_or_else(|| {
        WireError::new(ErrorCode::NotFound, format!("there is no session {id}"))
            .with_hint("It may have been deleted; begin a new one.")
    })
}
