//! What hooks are told of that is no call.

use std::path::PathBuf;

use adroit_protocol::hook::{HookEvent, HookRun};
use serde_json::{Value, json};

/// Something that happened, or is about to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Occasion {
    /// The person said something; a hook may keep it from the model.
    PromptSubmitted {
        /// What they said.
        prompt: String,
    },
    /// A session begins.
    SessionStarted {
        /// `startup`, `resume` for one that was stored, or `compact` after a compaction.
        source: &'static str,
        /// The model in force.
        model: String,
    },
    /// A session ends. Nobody can object.
    SessionEnded {
        /// `prompt_input_exit` where the app is closed, `clear` where the session is deleted.
        reason: &'static str,
    },
    /// The model is done; a hook may send it on.
    Stopping {
        /// True where a hook has sent it on already: a hook that never agrees should look.
        again: bool,
        /// What the model said last.
        last_message: String,
    },
    /// A sub-agent is done; a hook may send it on.
    SubagentStopping {
        /// Its kind.
        agent: String,
        /// Names it.
        id: String,
        /// Its transcript.
        transcript: PathBuf,
        /// True where a hook has sent it on already.
        again: bool,
        /// What it said last.
        last_message: String,
    },
    /// The conversation is about to be compacted; a hook may keep it from that.
    Compacting {
        /// `manual` or `auto`.
        trigger: &'static str,
        /// What the person wants of the summary; empty where they said nothing.
        instructions: String,
    },
    /// The person is told of something.
    Notified {
        /// `permission_prompt`, or another kind.
        kind: &'static str,
        /// In words.
        message: String,
    },
}

impl Occasion {
    /// The event of it.
    #[must_use]
    pub fn event(&self) -> HookEvent {
        match self {
            Self::PromptSubmitted { .. } => HookEvent::UserPromptSubmit,
            Self::SessionStarted { .. } => HookEvent::SessionStart,
            Self::SessionEnded { .. } => HookEvent::SessionEnd,
            Self::Stopping { .. } => HookEvent::Stop,
            Self::SubagentStopping { .. } => HookEvent::SubagentStop,
            Self::Compacting { .. } => HookEvent::PreCompact,
            Self::Notified { .. } => HookEvent::Notification,
        }
    }

    /// What a matcher is compared with; `None` where matchers mean nothing.
    pub(crate) fn kind(&self) -> Option<&str> {
        match self {
            Self::PromptSubmitted { .. } | Self::Stopping { .. } => None,
            Self::SessionStarted { source, .. } => Some(source),
            Self::SessionEnded { reason } => Some(reason),
            Self::SubagentStopping { agent, .. } => Some(agent),
            Self::Compacting { trigger, .. } => Some(trigger),
            Self::Notified { kind, .. } => Some(kind),
        }
    }

    pub(crate) fn fields(&self) -> Vec<(&'static str, Value)> {
        match self {
            Self::PromptSubmitted { prompt } => vec![("prompt", json!(prompt))],
            Self::SessionStarted { source, model } => {
                vec![("source", json!(source)), ("model", json!(model))]
            }
            Self::SessionEnded { reason } => vec![("reason", json!(reason))],
            Self::Stopping {
                again,
                last_message,
            } => vec![
                ("stop_hook_active", json!(again)),
                ("last_assistant_message", json!(last_message)),
            ],
            Self::SubagentStopping {
                agent,
                id,
                transcript,
                again,
                last_message,
            } => vec![
                ("agent_id", json!(id)),
                ("agent_type", json!(agent)),
                (
                    "agent_transcript_path",
                    json!(transcript.display().to_string()),
                ),
                ("stop_hook_active", json!(again)),
                ("last_assistant_message", json!(last_message)),
            ],
            Self::Compacting {
                trigger,
                instructions,
            } => vec![
                ("trigger", json!(trigger)),
                ("custom_instructions", json!(instructions)),
            ],
            Self::Notified { kind, message } => vec![
                ("notification_type", json!(kind)),
                ("message", json!(message)),
            ],
        }
    }
}

/// What the hooks say together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Heard {
    /// The first hook that says no, and why.
    pub blocked: Option<(String, String)>,
    /// Words for the model.
    pub context: Vec<String>,
    /// Why the turn should end, where it should.
    pub stop: Option<String>,
    /// Every run, in the order of the settings.
    pub runs: Vec<HookRun>,
}
