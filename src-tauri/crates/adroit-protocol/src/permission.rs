//! Words of the permission system that cross to the UI: modes, rules, requests, answers.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;

use crate::view::{QuestionAnswer, View};
use crate::{CallId, RequestId, SessionId};

/// What happens to a call that no rule decides.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    Hash,
    Serialize,
    Deserialize,
    TS,
    schemars::JsonSchema,
)]
#[serde(rename_all = "camelCase")]
pub enum Mode {
    /// Reads inside the workspace are allowed, the rest asks.
    #[default]
    Default,
    /// As default; meant for planning: nothing but reading goes without a question.
    Plan,
    /// Edits inside the workspace and plain file commands are allowed too.
    AcceptEdits,
    /// Everything is allowed that no rule and no safety check stops.
    BypassPermissions,
    /// A classifier decides, or hands over to the person.
    Auto,
    /// What would ask is denied.
    DontAsk,
}

impl Mode {
    /// All modes, in the order in which Shift+Tab goes through the first four.
    pub const ALL: [Self; 6] = [
        Self::Default,
        Self::AcceptEdits,
        Self::Plan,
        Self::Auto,
        Self::BypassPermissions,
        Self::DontAsk,
    ];

    /// The word in settings files and on the command line.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Plan => "plan",
            Self::AcceptEdits => "acceptEdits",
            Self::BypassPermissions => "bypassPermissions",
            Self::Auto => "auto",
            Self::DontAsk => "dontAsk",
        }
    }
}

impl std::str::FromStr for Mode {
    type Err = UnknownMode;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|mode| mode.word() == word)
            .ok_or_else(|| UnknownMode {
                word: word.to_owned(),
            })
    }
}

/// The mode in which a session goes on once its plan was approved. None of the others: a plan
/// must not lead to a mode that the person could not have meant by approving it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum AfterPlan {
    /// Every change asks.
    Default,
    /// Edits inside the workspace go without a question.
    AcceptEdits,
}

impl AfterPlan {
    /// As a mode.
    #[must_use]
    pub fn mode(self) -> Mode {
        match self {
            Self::Default => Mode::Default,
            Self::AcceptEdits => Mode::AcceptEdits,
        }
    }
}

/// A word that names no mode.
#[derive(Debug, thiserror::Error)]
#[error(
    "`{word}` is not a permission mode; the modes are default, acceptEdits, plan, auto, bypassPermissions, dontAsk"
)]
pub struct UnknownMode {
    /// The word.
    pub word: String,
}

/// The answer of the permission system about one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Behavior {
    /// It runs.
    Allow,
    /// A person is asked.
    Ask,
    /// It does not run.
    Deny,
}

/// Where a rule comes from, strongest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum RuleSource {
    /// Settings that an administrator put on the machine.
    Managed,
    /// Arguments of this start.
    CommandLine,
    /// `.adroit/settings.local.json` and `.claude/settings.local.json` of the project.
    ProjectLocal,
    /// `.adroit/settings.json` and `.claude/settings.json` of the project.
    Project,
    /// The settings in the person's own configuration folder.
    User,
    /// Answers remembered until the session ends.
    Session,
}

/// Where an answer may be remembered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum RuleScope {
    /// Until the session ends; nothing is written.
    Session,
    /// In the project's local settings, which are not shared.
    ProjectLocal,
    /// In the project's settings, which are shared with others.
    Project,
    /// In the person's settings, for all projects.
    User,
}

/// One rule as a settings file has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct RuleEntry {
    /// The text: `Bash(cargo test:*)`.
    pub rule: String,
    /// Which list it is in.
    pub behavior: Behavior,
    /// Whose it is.
    pub source: RuleSource,
    /// The file, absent for rules that live in memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub file: Option<String>,
    /// Where in the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub position: Option<Position>,
    /// When it ceases to hold, milliseconds since 1970; of allow rules only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "number")]
    pub expires_at: Option<u64>,
    /// What is wrong with it. In a deny list an invalid rule denies its whole tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub problem: Option<String>,
}

/// A place in a text file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Position {
    /// From 1.
    pub line: u32,
    /// From 1, in characters.
    pub column: u32,
}

/// A question to the person about one call. Lives in the backend; the UI shows it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct PermissionRequest {
    /// Which question.
    pub id: RequestId,
    /// Must come back with the answer: an answer to anything but this very request is refused.
    pub nonce: String,
    /// Whose conversation.
    pub session: SessionId,
    /// The call that waits.
    pub call: CallId,
    /// The tool's name.
    pub tool: String,
    /// Its name as a person reads it.
    pub tool_label: String,
    /// What the call does, in one sentence of the tool about this input.
    pub description: String,
    /// True where it reaches beyond the machine.
    pub open_world: bool,
    /// The agent that asks, where it is not the main one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub agent: Option<String>,
    /// The whole call as the tool presents it: command with its folder, path, diff.
    pub view: View,
    /// The whole input as the model sent it.
    #[ts(type = "unknown")]
    pub input: Value,
    /// Why it asks; the first is the main reason.
    pub reasons: Vec<RequestReason>,
    /// What would be lost, where something would; such a request needs a held key or button.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub destructive: Option<String>,
    /// What of it could not be taken back afterwards, in sentences.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<Vec<String>>")]
    pub unrestorable: Vec<String>,
    /// Rules that would cover this call and its like, narrowest first; empty where none may be remembered.
    pub suggestions: Vec<RuleSuggestion>,
    /// What of it may be changed before it is approved; absent where nothing may.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub draft: Option<DraftOffer>,
    /// True where the person changed the call, and what came of that is asked about now.
    #[serde(default)]
    pub revised: bool,
    /// When it was asked, milliseconds since 1970.
    #[ts(type = "number")]
    pub asked_at: u64,
}

/// One reason of a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct RequestReason {
    /// One sentence.
    pub text: String,
    /// The word that it is about, as a pair of UTF-16 offsets into the command.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub span: Option<[u32; 2]>,
}

/// A rule that the person may remember.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct RuleSuggestion {
    /// The rule exactly as it will be stored.
    pub rule: String,
    /// What it covers, in words.
    pub covers: String,
    /// How broad it is.
    pub breadth: Breadth,
}

/// How broad a rule is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Breadth {
    /// This very input.
    Exact,
    /// What begins the same, or lies in the same folder.
    Prefix,
    /// Every use of the tool.
    Tool,
}

/// What of a waiting call may be changed before it is approved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct DraftOffer {
    /// What it is.
    pub kind: DraftKind,
    /// The hunks of the request's diff may be taken or left one by one.
    pub hunks: bool,
    /// The text may be edited.
    pub text: bool,
    /// The call is a question: it cannot be allowed as it is, only with an answer.
    pub answer: bool,
}

/// What may be changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum DraftKind {
    /// A command line.
    Command,
    /// The new content of a file.
    File,
    /// Answers to the questions of the request's view.
    Questions,
    /// A plan in markdown, and the mode in which it goes on once it is approved.
    Plan,
}

/// How the person changed a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(
    tag = "type",
    rename_all = "snake_case",
    rename_all_fields = "camelCase"
)]
pub enum DraftChange {
    /// The whole text as they left it: the command, or the new content of the file.
    Text {
        /// The text.
        text: String,
    },
    /// Some places of the diff are left out.
    Hunks {
        /// Their positions in the request's diff, from 0.
        rejected: Vec<u32>,
    },
    /// The plan is approved.
    Plan {
        /// The plan as they left it; as it was presented where this is absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        text: Option<String>,
        /// The mode in which it goes on.
        mode: AfterPlan,
    },
    /// The questions of the view are answered.
    Answers {
        /// One answer for each, in their order.
        answers: Vec<QuestionAnswer>,
    },
}

/// Words of the person about one line of a diff.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct LineComment {
    /// The file, as the diff names it.
    pub path: String,
    /// Which text the number is of.
    pub side: DiffSide,
    /// The line, from 1.
    pub line: u32,
    /// What is said.
    pub text: String,
}

/// The texts that a diff compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum DiffSide {
    /// What is there now.
    Old,
    /// What is proposed.
    New,
}

/// What the person says to a request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(
    tag = "type",
    rename_all = "snake_case",
    rename_all_fields = "camelCase"
)]
pub enum Answer {
    /// This once.
    AllowOnce {
        /// Words about lines, for the model.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[ts(optional, as = "Option<Vec<LineComment>>")]
        comments: Vec<LineComment>,
    },
    /// This once, with this change. What is not covered by what the request said is asked about anew.
    AllowChanged {
        /// The change.
        change: DraftChange,
        /// Words about lines, for the model.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[ts(optional, as = "Option<Vec<LineComment>>")]
        comments: Vec<LineComment>,
    },
    /// This time and whatever the rule covers.
    AllowAndRemember {
        /// The rule; proven to cover this call before it is stored.
        rule: String,
        /// Where it is stored.
        scope: RuleScope,
        /// When it ceases to hold, milliseconds since 1970; never where this is absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional, type = "number")]
        expires_at: Option<u64>,
    },
    /// No.
    Deny {
        /// Words for the model.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        words: Option<String>,
        /// Words about lines, for the model.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[ts(optional, as = "Option<Vec<LineComment>>")]
        comments: Vec<LineComment>,
    },
}

/// How a request ended. Exactly one of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum RequestEnd {
    /// Allowed.
    Allowed,
    /// Denied.
    Denied,
    /// The call was cancelled while it waited.
    Cancelled,
    /// The app ended, or the session was closed, before an answer came.
    Expired,
}
