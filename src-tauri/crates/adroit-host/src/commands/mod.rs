//! The bodies of the commands, one file a family.

mod changes;
mod hooks;
mod place;
mod project;
mod request;
mod session;
mod settings;
mod terminal;

use adroit_protocol::command::{
    AnswerRequest, AppState, CallRecord, CallRef, ChangePreview, ChangeSettings, CheckRule,
    DraftQuery, DraftText, EditQueued, Empty, FindText, FoundText, HookList, Inbox, OpenTerminal,
    PickedFolder, PreviewChange, ProcessRef, Project, ProjectPath, ProviderCheck, ProviderRef,
    QueueRef, QueueRemoved, ResizeTerminal, RuleCheck, SessionList, SessionRef, SessionSnapshot,
    SetMode, SetSecret, SettingsQuery, SettingsState, SteerQueued, SubmitMessage, TerminalList,
    TerminalProcesses, TerminalRef, TerminalShown, TerminalState, TrustProject, WhatIf,
    WhatIfAnswer, WriteTerminal,
};
use adroit_protocol::command::{
    ChangeList, ChangesQuery, FileComparison, FileQuery, ReviewMark, RewindSession, Rewound,
    UndoLater, UndoPreview, UndoQuery, UndoRef, UndoRequest, UndoResult,
};
use adroit_protocol::command::{EditPlace, FileLines, FindFiles, FoundFiles, ViewFile};
use adroit_protocol::{ErrorCode, WireError};

use crate::App;
use crate::rpc::CommandBodies;

type Answer<T> = Result<T, WireError>;

impl CommandBodies for App {
    async fn app_state(&self, _input: Empty) -> Answer<AppState> {
        Ok(project::app_state(self))
    }

    async fn project_pick(&self, _input: Empty) -> Answer<PickedFolder> {
        let path = self.inner.host.pick_folder().await?;
        Ok(PickedFolder {
            path: path.map(|path| path.display().to_string()),
        })
    }

    async fn project_open(&self, input: ProjectPath) -> Answer<Project> {
        project::open(self, &input.path)
    }

    async fn project_trust(&self, input: TrustProject) -> Answer<Project> {
        project::trust(self, &input.path, input.trusted)
    }

    async fn project_forget(&self, input: ProjectPath) -> Answer<Empty> {
        self.inner
            .shared
            .projects
            .forget(&input.path)
            .map_err(failed)?;
        Ok(Empty {})
    }

    async fn session_list(&self, input: ProjectPath) -> Answer<SessionList> {
        session::list(self, &input.path).await
    }

    async fn session_create(&self, input: ProjectPath) -> Answer<SessionSnapshot> {
        session::create(self, &input.path)
    }

    async fn session_open(&self, input: SessionRef) -> Answer<SessionSnapshot> {
        session::open(self, &input.session)
    }

    async fn session_delete(&self, input: SessionRef) -> Answer<Empty> {
        session::delete(self, &input.session).await
    }

    async fn turn_submit(&self, input: SubmitMessage) -> Answer<Empty> {
        session::submit(self, input)
    }

    async fn turn_stop(&self, input: SessionRef) -> Answer<Empty> {
        self.session(&input.session)?
            .stop(adroit_tool::CancelReason::Stopped);
        Ok(Empty {})
    }

    async fn queue_remove(&self, input: QueueRef) -> Answer<QueueRemoved> {
        let text = self.session(&input.session)?.remove_queued(&input.message);
        Ok(QueueRemoved { text })
    }

    async fn queue_edit(&self, input: EditQueued) -> Answer<Empty> {
        session::edit_queued(self, input)
    }

    async fn queue_steer(&self, input: SteerQueued) -> Answer<Empty> {
        session::steer_queued(self, &input)
    }

    async fn request_answer(&self, input: AnswerRequest) -> Answer<Empty> {
        request::answer(self, input)
    }

    async fn request_draft(&self, input: DraftQuery) -> Answer<DraftText> {
        request::draft(self, &input)
    }

    async fn request_preview_change(&self, input: PreviewChange) -> Answer<ChangePreview> {
        request::preview_change(self, &input)
    }

    async fn request_check_rule(&self, input: CheckRule) -> Answer<RuleCheck> {
        request::check_rule(self, input).await
    }

    async fn mode_set(&self, input: SetMode) -> Answer<Empty> {
        session::set_mode(self, &input)
    }

    async fn call_record(&self, input: CallRef) -> Answer<CallRecord> {
        session::call_record(self, &input)
    }

    async fn changes_list(&self, input: ChangesQuery) -> Answer<ChangeList> {
        changes::list(self, input).await
    }

    async fn changes_file(&self, input: FileQuery) -> Answer<FileComparison> {
        changes::file(self, input).await
    }

    async fn changes_review(&self, input: ReviewMark) -> Answer<Empty> {
        changes::review(self, input).await
    }

    async fn undo_preview(&self, input: UndoQuery) -> Answer<UndoPreview> {
        changes::preview(self, input).await
    }

    async fn undo_apply(&self, input: UndoRequest) -> Answer<UndoResult> {
        changes::apply(self, input).await
    }

    async fn undo_later(&self, input: UndoLater) -> Answer<Empty> {
        changes::later(self, input).await
    }

    async fn undo_forget(&self, input: UndoRef) -> Answer<Empty> {
        changes::forget(self, &input)
    }

    async fn session_rewind(&self, input: RewindSession) -> Answer<Rewound> {
        changes::rewind(self, &input)
    }

    async fn session_find(&self, input: FindText) -> Answer<FoundText> {
        session::find(self, input).await
    }
    async fn permissions_what_if(&self, input: WhatIf) -> Answer<WhatIfAnswer> {
        session::what_if(self, input).await
    }

    async fn inbox_list(&self, _input: Empty) -> Answer<Inbox> {
        Ok(request::inbox(self))
    }

    async fn settings_get(&self, input: SettingsQuery) -> Answer<SettingsState> {
        settings::get(self, &input)
    }

    async fn settings_change(&self, input: ChangeSettings) -> Answer<SettingsState> {
        settings::change(self, &input)
    }

    async fn hooks_list(&self, input: SettingsQuery) -> Answer<HookList> {
        hooks::list(self, &input)
    }

    async fn secret_set(&self, input: SetSecret) -> Answer<SettingsState> {
        settings::set_secret(self, &input)
    }

    async fn secret_clear(&self, input: ProviderRef) -> Answer<SettingsState> {
        settings::clear_secret(self, &input)
    }

    async fn provider_check(&self, input: SettingsQuery) -> Answer<ProviderCheck> {
        settings::check_provider(self, &input).await
    }

    async fn terminal_open(&self, input: OpenTerminal) -> Answer<TerminalState> {
        terminal::open(self, &input).await
    }

    async fn terminal_list(&self, input: SessionRef) -> Answer<TerminalList> {
        Ok(TerminalList {
            terminals: self.session(&input.session)?.terminals().list(),
        })
    }

    async fn terminal_attach(&self, input: TerminalRef) -> Answer<TerminalState> {
        terminal::attach(self, &input)
    }

    async fn terminal_write(&self, input: WriteTerminal) -> Answer<Empty> {
        terminal::write(self, &input).await
    }

    async fn terminal_resize(&self, input: ResizeTerminal) -> Answer<Empty> {
        terminal::resize(self, &input)
    }

    async fn terminal_close(&self, input: TerminalRef) -> Answer<Empty> {
        terminal::close(self, &input)
    }

    async fn terminal_shown(&self, input: TerminalShown) -> Answer<Empty> {
        terminal::shown(self, &input)
    }

    async fn terminal_background(&self, input: TerminalRef) -> Answer<Empty> {
        terminal::background(self, &input)
    }

    async fn terminal_processes(&self, input: TerminalRef) -> Answer<TerminalProcesses> {
        terminal::processes(self, &input).await
    }

    async fn terminal_end_process(&self, input: ProcessRef) -> Answer<Empty> {
        terminal::end_process(self, &input).await
    }

    async fn place_find(&self, input: FindFiles) -> Answer<FoundFiles> {
        place::find(self, input).await
    }

    async fn place_view(&self, input: ViewFile) -> Answer<FileLines> {
        place::view(self, input).await
    }

    async fn place_edit(&self, input: EditPlace) -> Answer<Empty> {
        place::edit(self, input).await
    }
}

/// An operation was tried and failed.
fn failed(error: impl std::fmt::Display) -> WireError {
    WireError::new(ErrorCode::Failed, error.to_string())
}
