//! What calls changed, and taking it back.

use adroit_protocol::command::{
    ChangeList, ChangesQuery, Empty, FileComparison, FileQuery, ReviewMark, RewindSession, Rewound,
    UndoLater, UndoPreview, UndoQuery, UndoRef, UndoRequest, UndoResult,
};
use adroit_protocol::{ErrorCode, WireError};
use adroit_session::UndoError;

use super::Answer;
use crate::App;

pub(super) async fn list(app: &App, input: ChangesQuery) -> Answer<ChangeList> {
    let session = app.session(&input.session)?;
    session.changes(input.scope).await.map_err(refused)
}

pub(super) async fn file(app: &App, input: FileQuery) -> Answer<FileComparison> {
    let session = app.session(&input.session)?;
    session
        .compare_file(input.scope, input.path, input.ignore_space)
        .await
        .map_err(refused)
}

pub(super) async fn review(app: &App, input: ReviewMark) -> Answer<Empty> {
    let session = app.session(&input.session)?;
    session
        .mark_reviewed(input.scope, input.path, input.hunks, input.reviewed)
        .await
        .map_err(refused)?;
    Ok(Empty {})
}

pub(super) async fn preview(app: &App, input: UndoQuery) -> Answer<UndoPreview> {
    let session = app.session(&input.session)?;
    session.preview_undo(input.target).await.map_err(refused)
}

pub(super) async fn apply(app: &App, input: UndoRequest) -> Answer<UndoResult> {
    let session = app.session(&input.session)?;
    session
        .undo(input.target, input.fingerprint, input.choices)
        .await
        .map_err(refused)
}

pub(super) async fn later(app: &App, input: UndoLater) -> Answer<Empty> {
    let session = app.session(&input.session)?;
    session
        .undo_later(input.target, input.title, input.choices)
        .await
        .map_err(refused)?;
    Ok(Empty {})
}

pub(super) fn forget(app: &App, input: &UndoRef) -> Answer<Empty> {
    app.session(&input.session)?.forget_undo(&input.undo);
    Ok(Empty {})
}

pub(super) fn rewind(app: &App, input: &RewindSession) -> Answer<Rewound> {
    let session = app.session(&input.session)?;
    let text = session.rewind(input.turn).map_err(refused)?;
    Ok(Rewound { text })
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "used as a function of an error"
)]
fn refused(error: UndoError) -> WireError {
    let code = match &error {
        UndoError::Stale => ErrorCode::Stale,
        UndoError::Nothing | UndoError::NoSuchFile { .. } | UndoError::NoSuchTurn { .. } => {
            ErrorCode::NotFound
        }
        UndoError::Untrusted => ErrorCode::Untrusted,
        _ => ErrorCode::Failed,
    };
    WireError::new(code, error.to_string()).with_hint(error.hint())
}
