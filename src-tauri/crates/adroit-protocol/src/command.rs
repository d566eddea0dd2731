//! The command table: everything that the UI may ask of the backend, declared once.
//!
//! [`command_table!`] hands the table to a macro of the caller. The host turns it
//! into a trait with one method a command, so that a command without a body does not
//! compile; the code generator turns it into the UI's types.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

pub use crate::changes::*;
pub use crate::consent::*;
pub use crate::event::SessionSnapshot;
use crate::permission::{Mode, RuleEntry};
pub use crate::place::{EditPlace, FileLines, FindFiles, FoundFiles, ViewFile};
use crate::record::DecisionRecord;
use crate::settings::{
    CompactionSettings, Density, ExecutionSettings, Provider, SandboxState, Theme,
};
pub use crate::settings_change::SettingsChange;
use crate::wire::wire;
use crate::{CallId, ItemId, SessionId, TerminalId};

/// Passes the whole table to `$callback!`: name on the wire, method, input, output.
#[macro_export]
macro_rules! command_table {
    ($callback:ident) => {
        $callback! {
            /// What the app is and what it was started with.
            "app.state" app_state(Empty) -> AppState;
            /// Lets the person choose a folder with the desktop's dialog.
            "project.pick" project_pick(Empty) -> PickedFolder;
            /// Opens a folder.
            "project.open" project_open(ProjectPath) -> Project;
            /// Says that a folder is trusted, or not any more.
            "project.trust" project_trust(TrustProject) -> Project;
            /// Takes a folder off the list of recent ones.
            "project.forget" project_forget(ProjectPath) -> Empty;
            /// The sessions of a project, newest first.
            "session.list" session_list(ProjectPath) -> SessionList;
            /// Begins a session.
            "session.create" session_create(ProjectPath) -> SessionSnapshot;
            /// Opens a stored session, or gives the present state of an open one.
            "session.open" session_open(SessionRef) -> SessionSnapshot;
            /// Deletes a stored session. The UI asks before.
            "session.delete" session_delete(SessionRef) -> Empty;
            /// Says something to the agent; queued while a turn runs.
            "turn.submit" turn_submit(SubmitMessage) -> Empty;
            /// Stops the turn.
            "turn.stop" turn_stop(SessionRef) -> Empty;
            /// Takes a message out of the queue; gives its text back.
            "queue.remove" queue_remove(QueueRef) -> QueueRemoved;
            /// Changes the text of a queued message.
            "queue.edit" queue_edit(EditQueued) -> Empty;
            /// Delivers a queued message at the next tool boundary, or at the turn's end again; at
            /// once where nothing runs.
            "queue.steer" queue_steer(SteerQueued) -> Empty;
            /// Answers a request.
            "request.answer" request_answer(AnswerRequest) -> Empty;
            /// The text of a waiting call, for changing it.
            "request.draft" request_draft(DraftQuery) -> DraftText;
            /// What would be applied with a change: shown before it is approved.
            "request.preview_change" request_preview_change(PreviewChange) -> ChangePreview;
            /// Says what a rule would cover, before it is remembered.
            "request.check_rule" request_check_rule(CheckRule) -> RuleCheck;
            /// Switches the mode; applies to the very next call.
            "mode.set" mode_set(SetMode) -> Empty;
            /// The decision record of a call.
            "call.record" call_record(CallRef) -> CallRecord;
            /// Looks for a text in a conversation, results of calls included.
            "session.find" session_find(FindText) -> FoundText;
            /// The files that a call, a turn or the session changed, or that differ from the last commit.
            "changes.list" changes_list(ChangesQuery) -> ChangeList;
            /// One of those files, old against new.
            "changes.file" changes_file(FileQuery) -> FileComparison;
            /// Says that a changed file was looked at and found good, or takes that back.
            "changes.review" changes_review(ReviewMark) -> Empty;
            /// What taking changes back would do. Nothing is done.
            "undo.preview" undo_preview(UndoQuery) -> UndoPreview;
            /// Takes changes back as the preview said.
            "undo.apply" undo_apply(UndoRequest) -> UndoResult;
            /// Takes changes back when the turn ends; at once where none runs.
            "undo.later" undo_later(UndoLater) -> Empty;
            /// Takes back nothing when the turn ends after all.
            "undo.forget" undo_forget(UndoRef) -> Empty;
            /// Goes back in the conversation to before a message; gives its text back.
            "session.rewind" session_rewind(RewindSession) -> Rewound;
            /// Calls of before that other rules or another mode would have decided otherwise.
            "permissions.what_if" permissions_what_if(WhatIf) -> WhatIfAnswer;
            /// Requests of all sessions that wait for an answer.
            "inbox.list" inbox_list(Empty) -> Inbox;
            /// All settings with their sources.
            "settings.get" settings_get(SettingsQuery) -> SettingsState;
            /// Changes a setting.
            "settings.change" settings_change(ChangeSettings) -> SettingsState;
            /// The hooks of a project with their last runs.
            "hooks.list" hooks_list(SettingsQuery) -> HookList;
            /// Stores a provider's key.
            "secret.set" secret_set(SetSecret) -> SettingsState;
            /// Removes a provider's stored key.
            "secret.clear" secret_clear(ProviderRef) -> SettingsState;
            /// Tries the provider: lists its models, or says what is wrong.
            "provider.check" provider_check(SettingsQuery) -> ProviderCheck;
            /// Opens a terminal of the person's own.
            "terminal.open" terminal_open(OpenTerminal) -> TerminalState;
            /// The terminals of a session, those of running calls included.
            "terminal.list" terminal_list(SessionRef) -> TerminalList;
            /// The scrollback of a terminal; its output follows as events.
            "terminal.attach" terminal_attach(TerminalRef) -> TerminalState;
            /// Types into a terminal.
            "terminal.write" terminal_write(WriteTerminal) -> Empty;
            /// Tells a terminal its size.
            "terminal.resize" terminal_resize(ResizeTerminal) -> Empty;
            /// Ends what runs in a terminal.
            "terminal.close" terminal_close(TerminalRef) -> Empty;
            /// Says how much of a terminal's output was shown, so that more is sent.
            "terminal.shown" terminal_shown(TerminalShown) -> Empty;
            /// Lets a running command go on in the background; its call returns with the task's name.
            "terminal.background" terminal_background(TerminalRef) -> Empty;
            /// The processes that run in a terminal, with what they use.
            "terminal.processes" terminal_processes(TerminalRef) -> TerminalProcesses;
            /// Ends one of them; what it started goes on.
            "terminal.end_process" terminal_end_process(ProcessRef) -> Empty;
            /// Which of some words name a file of the workspace.
            "place.find" place_find(FindFiles) -> FoundFiles;
            /// Some lines of a file of the workspace.
            "place.view" place_view(ViewFile) -> FileLines;
            /// Opens a place in the person's own editor.
            "place.edit" place_edit(EditPlace) -> Empty;
        }
    };
}

/// Nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Empty {}

wire! {
    /// What the app is and what it was started with.
    struct AppState {
        /// The version.
        version: String,
        /// True in the desktop app, false in a plain browser.
        desktop: bool,
        /// The folder that the app was started on.
        start_folder: Option<String>,
        /// Folders opened before, newest first.
        recent: Vec<RecentProject>,
    }
    /// A folder opened before.
    struct RecentProject {
        /// The folder.
        path: String,
        /// Its last part.
        name: String,
        /// When it was opened, milliseconds since 1970.
        #[ts(type = "number")]
        opened_at: u64,
        /// False where the folder is gone.
        exists: bool,
    }
    /// The folder that was chosen.
    struct PickedFolder {
        /// Absent where the person chose none.
        path: Option<String>,
    }
    /// Names a project.
    struct ProjectPath {
        /// The folder.
        path: String,
    }
    /// Says whether a folder is trusted.
    struct TrustProject {
        /// The folder.
        path: String,
        /// True for trusted.
        trusted: bool,
    }
    /// A project.
    struct Project {
        /// The folder, resolved.
        path: String,
        /// Its last part.
        name: String,
        /// Whether it is trusted.
        trust: Trust,
        /// What of the folder takes effect only when it is trusted: settings files, hooks, servers.
        held_back: Vec<String>,
    }
    /// The sessions of a project.
    struct SessionList {
        /// They, newest first.
        sessions: Vec<SessionSummary>,
    }
    /// One stored session.
    struct SessionSummary {
        /// Which.
        session: SessionId,
        /// What it is about.
        title: String,
        /// When something last happened in it, milliseconds since 1970.
        #[ts(type = "number")]
        updated_at: u64,
        /// True where its file has damaged lines.
        damaged: bool,
    }
    /// A text to look for, whatever its case.
    struct FindText {
        /// In which conversation.
        session: SessionId,
        /// What.
        text: String,
    }
    /// Where a text was found.
    struct FoundText {
        /// The entries that have it, in order.
        entries: Vec<FoundEntry>,
    }
    /// An entry that has a text which was looked for.
    struct FoundEntry {
        /// Which.
        item: ItemId,
        /// The line around its first place, shortened.
        excerpt: String,
    }
    /// Names a session.
    struct SessionRef {
        /// Which.
        session: SessionId,
    }
    /// Something to say to the agent.
    struct SubmitMessage {
        /// To whom.
        session: SessionId,
        /// What.
        text: String,
        /// While a turn runs: deliver it at the next tool boundary and not after the turn.
        #[serde(default)]
        #[ts(optional, as = "Option<bool>")]
        steer: bool,
    }
    /// A new text for a queued message.
    struct EditQueued {
        /// Of which session.
        session: SessionId,
        /// Which message.
        message: ItemId,
        /// Its text from now on.
        text: String,
    }
    /// When a queued message is delivered.
    struct SteerQueued {
        /// Of which session.
        session: SessionId,
        /// Which message.
        message: ItemId,
        /// True for the next tool boundary, false for the turn's end.
        steer: bool,
    }
    /// Names a queued message.
    struct QueueRef {
        /// Of which session.
        session: SessionId,
        /// Which message.
        message: ItemId,
    }
    /// What was taken out of the queue.
    struct QueueRemoved {
        /// Its text, absent where it was delivered already.
        text: Option<String>,
    }
    /// A mode for a session.
    struct SetMode {
        /// Which session.
        session: SessionId,
        /// The mode.
        mode: Mode,
        /// The person confirms that permissions may be bypassed. Needed once on a machine.
        #[serde(default)]
        #[ts(optional, as = "Option<bool>")]
        confirmed: bool,
    }
    /// Names a call.
    struct CallRef {
        /// Of which session.
        session: SessionId,
        /// Which call.
        call: CallId,
    }
    /// All that is known of a call.
    struct CallRecord {
        /// Its decision record, absent for a call that has not got so far.
        record: Option<DecisionRecord>,
        /// Its input as the model sent it.
        #[ts(type = "unknown")]
        input: serde_json::Value,
        /// What the model got back.
        result: Option<String>,
    }
    /// Which settings.
    struct SettingsQuery {
        /// The project, absent for those of the person only.
        project: Option<String>,
        /// The session, whose remembered rules are listed too.
        session: Option<SessionId>,
    }
    /// All settings as they are in force.
    struct SettingsState {
        /// The files, strongest first.
        files: Vec<SettingsFileState>,
        /// The rules of all sources.
        rules: Vec<RuleEntry>,
        /// What is odd about some of them.
        reports: Vec<RuleReport>,
        /// The mode that a new session begins in.
        default_mode: Mode,
        /// Colours.
        theme: Theme,
        /// Whether calls fold.
        density: Density,
        /// The person's own editor, as a command line; nothing where none is named.
        editor: Option<String>,
        /// When a conversation is compacted.
        compaction: CompactionSettings,
        /// How calls are run.
        execution: ExecutionSettings,
        /// The kinds of agents.
        agents: Vec<AgentState>,
        /// What holds commands now.
        sandbox: SandboxState,
        /// The provider in force.
        provider: Provider,
        /// The model in force.
        model: Option<String>,
        /// The server in force, where it is not the provider's own.
        base_url: Option<String>,
        /// What is known of each provider's key. Never the key.
        keys: Vec<KeyState>,
    }
    /// A kind of agent, or a file that defines none.
    struct AgentState {
        /// Its name; empty where the file cannot be read.
        name: String,
        /// When to use it.
        description: String,
        /// The tools that it may have; all that agents may have where there are none.
        tools: Vec<String>,
        /// The model that it asks, where that is not the conversation's.
        model: Option<String>,
        /// The file that defines it; none for one that is built in.
        file: Option<String>,
        /// What is wrong with the file.
        problem: Option<String>,
    }
    /// The hooks of a project.
    struct HookList {
        /// They, strongest source first, in the order of their files.
        hooks: Vec<crate::hook::HookState>,
        /// What is wrong in the files beside single hooks.
        problems: Vec<String>,
    }
    /// One settings file.
    struct SettingsFileState {
        /// Whose it is.
        source: crate::permission::RuleSource,
        /// Where it is.
        path: String,
        /// Whether it exists.
        exists: bool,
        /// True where the folder is not trusted, so that the file takes no effect.
        held_back: bool,
        /// Names the text that a command in a sandbox left there. It has no effect until the
        /// person accepts it (`accept_file`); what the file said before has.
        changed_in_sandbox: Option<String>,
        /// What is wrong with it, each with its position.
        problems: Vec<SettingsProblem>,
    }
    /// Something wrong in a settings file.
    struct SettingsProblem {
        /// Where.
        position: Option<crate::permission::Position>,
        /// What, and what follows from it.
        text: String,
        /// True where the whole file is not used.
        fatal: bool,
    }
    /// What is known of a provider's key.
    struct KeyState {
        /// The provider.
        provider: Provider,
        /// Where the key comes from.
        origin: KeyOrigin,
        /// In words: the variable, the keyring, the file.
        place: String,
    }
    /// A change of settings.
    struct ChangeSettings {
        /// The project, for changes of project scope.
        project: Option<String>,
        /// The session, for changes of session scope.
        session: Option<SessionId>,
        /// The change.
        change: SettingsChange,
    }
    /// A provider's key.
    struct SetSecret {
        /// The provider.
        provider: Provider,
        /// The key.
        key: String,
    }
    /// Names a provider.
    struct ProviderRef {
        /// The provider.
        provider: Provider,
    }
    /// What a provider answered.
    struct ProviderCheck {
        /// True where it answered.
        ok: bool,
        /// What it said, or what is wrong and what to do.
        text: String,
        /// Its models.
        models: Vec<String>,
    }
    /// A terminal to open.
    struct OpenTerminal {
        /// Beside which session: it starts in that project's folder.
        session: SessionId,
        /// Rows.
        rows: u16,
        /// Columns.
        columns: u16,
    }
    /// The terminals of a session.
    struct TerminalList {
        /// They, newest last.
        terminals: Vec<TerminalSummary>,
    }
    /// One terminal.
    struct TerminalSummary {
        /// Which.
        terminal: TerminalId,
        /// What runs in it.
        title: String,
        /// The call that it belongs to, absent for the person's own.
        call: Option<CallId>,
        /// Where it runs.
        cwd: String,
        /// Whether its process runs.
        running: bool,
        /// Whether the call waits for it, so that it can be moved to the background.
        movable: bool,
        /// The background task that it is.
        task: Option<String>,
        /// When it began, milliseconds since 1970.
        #[ts(type = "number")]
        started_at: u64,
        /// How long it ran, milliseconds; absent while it runs.
        #[ts(type = "number | null")]
        elapsed_ms: Option<u64>,
        /// How it ended: the code, or 128 and the signal.
        exit_code: Option<i32>,
        /// What the code says, where it says something: `no match`.
        meaning: Option<String>,
        /// What the sandbox kept a background task from, in sentences.
        kept_back: Option<String>,
        /// Processes that outlived the command and still run.
        survivors: Vec<String>,
    }
    /// How far a terminal's output was shown.
    struct TerminalShown {
        /// Which terminal.
        terminal: TerminalId,
        /// Offset of the end of what was shown.
        #[ts(type = "number")]
        offset: u64,
    }
    /// What runs in a terminal.
    struct TerminalProcesses {
        /// They, oldest first.
        processes: Vec<TerminalProcess>,
    }
    /// Names a process of a terminal.
    struct ProcessRef {
        /// Which terminal.
        terminal: TerminalId,
        /// The process's number.
        pid: i32,
    }
    /// One process.
    struct TerminalProcess {
        /// Its number.
        pid: i32,
        /// Who started it.
        parent: i32,
        /// Its command line.
        command: String,
        /// Processor time used so far, milliseconds.
        #[ts(type = "number")]
        cpu_ms: u64,
        /// Memory in use, bytes.
        #[ts(type = "number")]
        memory_bytes: u64,
        /// Ports that it listens on.
        ports: Vec<u16>,
    }
    /// Names a terminal.
    struct TerminalRef {
        /// Which.
        terminal: TerminalId,
    }
    /// A terminal with what it shows.
    struct TerminalState {
        /// It.
        summary: TerminalSummary,
        /// Base64 of its scrollback, bounded.
        scrollback: String,
        /// Offset of the scrollback's end in all that the terminal ever printed.
        #[ts(type = "number")]
        end: u64,
        /// Rows.
        rows: u16,
        /// Columns.
        columns: u16,
    }
    /// Something to type.
    struct WriteTerminal {
        /// Which terminal.
        terminal: TerminalId,
        /// The text.
        text: String,
    }
    /// A terminal's size.
    struct ResizeTerminal {
        /// Which terminal.
        terminal: TerminalId,
        /// Rows.
        rows: u16,
        /// Columns.
        columns: u16,
    }
}

/// Whether a folder is trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Trust {
    /// Nobody has said yet: treated as not trusted.
    Unknown,
    /// It is.
    Trusted,
    /// It is not: only reading tools, and nothing of the folder takes effect.
    Untrusted,
}

/// Where a key comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum KeyOrigin {
    /// There is none.
    None,
    /// A variable of the environment.
    Environment,
    /// The system's keyring.
    Keyring,
    /// A file that only the person may read, where there is no keyring.
    File,
}
