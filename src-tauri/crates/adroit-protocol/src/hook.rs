//! Words of hooks that cross to the UI and to the transcript: events, runs, what is configured.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::CallId;
use crate::permission::{Position, RuleSource};

/// When a hook runs. The names are those of settings files and of a hook's input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, TS)]
pub enum HookEvent {
    /// Before a call is judged.
    PreToolUse,
    /// Before a person is asked about a call.
    PermissionRequest,
    /// After a call that succeeded.
    PostToolUse,
    /// After a call that failed.
    PostToolUseFailure,
    /// Before a message of the person goes to the model.
    UserPromptSubmit,
    /// Before the first turn of a session, a resumed one included, and after a compaction.
    SessionStart,
    /// When a session that had begun ends: the app is closed, or the session is deleted.
    SessionEnd,
    /// When the model is done.
    Stop,
    /// When a sub-agent is done.
    SubagentStop,
    /// Before the conversation is compacted.
    PreCompact,
    /// When the person is told of something.
    Notification,
}

impl HookEvent {
    /// All of them, in the order in which a session meets them.
    pub const ALL: [Self; 11] = [
        Self::SessionStart,
        Self::UserPromptSubmit,
        Self::PreToolUse,
        Self::PermissionRequest,
        Self::PostToolUse,
        Self::PostToolUseFailure,
        Self::Notification,
        Self::PreCompact,
        Self::SubagentStop,
        Self::Stop,
        Self::SessionEnd,
    ];

    /// The name in settings files and in a hook's input.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::PreToolUse => "PreToolUse",
            Self::PermissionRequest => "PermissionRequest",
            Self::PostToolUse => "PostToolUse",
            Self::PostToolUseFailure => "PostToolUseFailure",
            Self::UserPromptSubmit => "UserPromptSubmit",
            Self::SessionStart => "SessionStart",
            Self::SessionEnd => "SessionEnd",
            Self::Stop => "Stop",
            Self::SubagentStop => "SubagentStop",
            Self::PreCompact => "PreCompact",
            Self::Notification => "Notification",
        }
    }

    /// The event of this name.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|event| event.name() == name)
    }

    /// True where a hook is told of one call of a tool, so that matchers and conditions speak of it.
    #[must_use]
    pub fn is_about_a_call(self) -> bool {
        matches!(
            self,
            Self::PreToolUse
                | Self::PermissionRequest
                | Self::PostToolUse
                | Self::PostToolUseFailure
        )
    }
}

/// What a `PreToolUse` hook that failed does to the call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum HookFailurePolicy {
    /// The call goes on; the failure is shown.
    #[default]
    Continue,
    /// The call does not run.
    Block,
}

/// How a run of a hook ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum HookOutcome {
    /// It had nothing to say against it.
    Passed,
    /// It allowed the call.
    Allowed,
    /// It wants the person to decide.
    Asked,
    /// It said no.
    Blocked,
    /// It ran and failed: an exit code that means nothing, an answer that cannot be read.
    Failed,
    /// It took too long and was ended.
    TimedOut,
    /// It could not be started at all.
    NotStarted,
    /// It was ended together with the call.
    Cancelled,
}

impl HookOutcome {
    /// True where the hook did not do its work, so that nothing can be concluded from it.
    #[must_use]
    pub fn is_failure(self) -> bool {
        matches!(self, Self::Failed | Self::TimedOut | Self::NotStarted)
    }
}

/// One run of one hook.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct HookRun {
    /// Which hook: [`HookState::id`].
    pub hook: String,
    /// The hook in a few words: its command or address.
    pub label: String,
    /// When it ran.
    pub event: HookEvent,
    /// Whose settings it is in.
    pub source: RuleSource,
    /// The call that it was told of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub call: Option<CallId>,
    /// How it ended.
    pub outcome: HookOutcome,
    /// Its reason, or what went wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub message: Option<String>,
    /// True where it changed the input.
    #[serde(default)]
    pub changed_input: bool,
    /// Exit code, or HTTP status.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub code: Option<i32>,
    /// The beginning of its standard output, or of the response.
    pub output: String,
    /// The beginning of its standard error.
    pub errors: String,
    /// When it began, milliseconds since 1970.
    #[ts(type = "number")]
    pub at: u64,
    /// How long it took, milliseconds.
    #[ts(type = "number")]
    pub duration_ms: u64,
}

/// A hook as the settings name it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct HookState {
    /// Names it for as long as its settings do not change.
    pub id: String,
    /// When it runs.
    pub event: HookEvent,
    /// Which tools, or which kinds of the event; empty for all.
    pub matcher: String,
    /// The rule that a call must fit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub condition: Option<String>,
    /// `command` or `http`, or what the file says where that is not known.
    pub kind: String,
    /// The command, or the address.
    pub text: String,
    /// Whose settings it is in.
    pub source: RuleSource,
    /// The file.
    pub file: String,
    /// Where in the file.
    pub position: Position,
    /// How long it may take, milliseconds.
    #[ts(type = "number")]
    pub timeout_ms: u64,
    /// What its failure does to a call.
    pub on_failure: HookFailurePolicy,
    /// It runs beside the session, which does not wait for it.
    pub background: bool,
    /// Why it does not run, where it does not: an untrusted folder, hooks switched off.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub held_back: Option<String>,
    /// What is wrong with it: it cannot be started, and its failure policy applies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub problem: Option<String>,
    /// Its last runs, newest first.
    pub runs: Vec<HookRun>,
}
