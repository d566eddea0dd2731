//! Answers to permission requests. They are passed on, never judged here.

use adroit_protocol::command::{
    AnswerRequest, ChangePreview, CheckRule, DraftQuery, DraftText, Empty, Inbox, InboxSession,
    PreviewChange, RuleCheck,
};
use adroit_protocol::{ErrorCode, WireError};
use adroit_session::approvals::AnswerError;

use super::Answer;
use crate::App;

pub(super) fn answer(app: &App, input: AnswerRequest) -> Answer<Empty> {
    let remembers = matches!(
        input.answer,
        adroit_protocol::permission::Answer::AllowAndRemember { .. }
    );
    app.session(&input.session)?
        .approvals()
        .answer(&input.request, &input.nonce, input.answer)
        .map_err(|error| refused(&error))?;
    if remembers {
        // A rule of the project or of the person may settle what waits in other sessions too.
        app.reconsider_requests();
    }
    Ok(Empty {})
}

pub(super) async fn check_rule(app: &App, input: CheckRule) -> Answer<RuleCheck> {
    let session = app.session(&input.session)?;
    // Stored sessions are looked through.
    tokio::task::spawn_blocking(move || session.check_rule(&input.request, &input.rule))
        .await
        .map_err(super::failed)?
        .map_err(|error| refused(&error))
}

/// Requests of all open sessions, oldest first.
pub(super) fn inbox(app: &App) -> Inbox {
    let sessions: Vec<_> = app.sessions().values().cloned().collect();
    let mut inbox = Inbox {
        requests: Vec::new(),
        sessions: Vec::new(),
    };
    for session in sessions {
        let state = session.snapshot();
        if state.requests.is_empty() {
            continue;
        }
        inbox.requests.extend(state.requests);
        inbox.sessions.push(InboxSession {
            session: state.session,
            title: state.title,
            project: state.project,
        });
    }
    inbox
        .requests
        .sort_by(|one, other| (one.asked_at, &one.id).cmp(&(other.asked_at, &other.id)));
    inbox
}

pub(super) fn draft(app: &App, input: &DraftQuery) -> Answer<DraftText> {
    let text = app
        .session(&input.session)?
        .approvals()
        .draft_text(&input.request, &input.rejected)
        .map_err(|error| refused(&error))?;
    Ok(DraftText { text })
}

/// A change that cannot be applied is an answer here, not a failure: the person goes on typing.
pub(super) fn preview_change(app: &App, input: &PreviewChange) -> Answer<ChangePreview> {
    let preview = app
        .session(&input.session)?
        .approvals()
        .preview_change(&input.request, &input.change)
        .map_err(|error| refused(&error))?;
    Ok(match preview {
        Ok(view) => ChangePreview {
            view: Some(view),
            problem: None,
        },
        Err(problem) => ChangePreview {
            view: None,
            problem: Some(problem.to_string()),
        },
    })
}

fn refused(error: &AnswerError) -> WireError {
    let (code, hint) = match error {
        AnswerError::Gone => (
            ErrorCode::Stale,
            "Nothing was allowed or denied by this answer.",
        ),
        AnswerError::WrongNonce => (ErrorCode::Stale, "Reload the window and answer again."),
        AnswerError::RuleDoesNotCover(_) => (
            ErrorCode::InvalidInput,
            "Change the rule, or allow the call once.",
        ),
        AnswerError::IsQuestion => (
            ErrorCode::InvalidInput,
            "Open it in its conversation and answer there, or decline.",
        ),
        AnswerError::NotApplicable(_) => (
            ErrorCode::InvalidInput,
            "Change it otherwise, allow it as it was proposed, or deny it.",
        ),
        AnswerError::NotStored(_) => (
            ErrorCode::Failed,
            "Allow the call once, or choose another place for the rule.",
        ),
    };
    WireError::new(code, error.to_string()).with_hint(hint)
}
