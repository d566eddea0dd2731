//! The settings schema: one JSON Schema for every settings file, ours and the
//! `permissions` part of `.claude/settings.json`.
//!
//! Unknown keys are kept where a file is rewritten and reported as a warning; they
//! never make a file invalid, since files of other programs are read as they are.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::permission::Mode;

/// What one settings file may say. Every field may be absent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", default)]
pub struct SettingsFile {
    /// Rules and the mode.
    pub permissions: PermissionSettings,
    /// Which model answers.
    pub model: ModelSettings,
    /// When a conversation is compacted. Only from the person's own and managed settings.
    pub compaction: CompactionSettings,
    /// How calls are run.
    pub execution: ExecutionSettings,
    /// How it looks. Only from the person's own settings.
    pub appearance: AppearanceSettings,
    /// What is told of calls, and to whom. Only from the person's own and managed settings.
    pub telemetry: TelemetrySettings,
    /// Switches under which tools exist, such as `{"notebooks": false}`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub features: BTreeMap<String, bool>,
}

/// Rules and the mode.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", default)]
pub struct PermissionSettings {
    /// Calls that run without a question: `Tool` or `Tool(specifier)`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub allow: Vec<String>,
    /// Calls that always ask.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ask: Vec<String>,
    /// Calls that never run.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub deny: Vec<String>,
    /// When allow rules of this file cease to hold: the moment in UTC, by the rule's text,
    /// such as `{"Bash(make:*)": "2026-05-01T18:00Z"}`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub until: BTreeMap<String, String>,
    /// The mode that a new session begins in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default_mode: Option<Mode>,
    /// `"disable"` takes the mode bypassPermissions away. In managed settings nobody can give it back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disable_bypass_permissions_mode: Option<String>,
    /// Folders beside the project that count as inside.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub additional_directories: Vec<String>,
}

/// What is told of calls, and to whom.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", default)]
pub struct TelemetrySettings {
    /// Whether a log is kept in the app's data folder: JSON lines, a file a day, a week of them. True
    /// when absent. It never has the contents of calls.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log: Option<bool>,
    /// A collector for the spans of calls: OTLP over HTTP, `http://localhost:4318`. Nothing is
    /// exported without it, nor by a build without the feature `otlp`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub otlp_endpoint: Option<String>,
}

/// Which model answers. A project's settings cannot choose the server: a cloned folder must not send code elsewhere.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", default)]
pub struct ModelSettings {
    /// The wire protocol.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<Provider>,
    /// The model's name at the provider.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The server, for local servers and routers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base_url: Option<String>,
    /// The most tokens of one answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_output_tokens: Option<u32>,
    /// Tokens that the model takes, what is asked and what is answered together. For local servers,
    /// and where the size that is known of a model is not the one in use.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_tokens: Option<u64>,
    /// The model that decides in auto mode, at the same provider; that of the conversation when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub classifier: Option<String>,
    /// Seconds that the classifier may take before the person is asked; 20 when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub classifier_timeout_seconds: Option<u32>,
    /// Seconds that the server may take to begin an answer; 300 when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub response_timeout_seconds: Option<u32>,
    /// Seconds that an answer may be silent before it counts as stalled; 90 when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idle_timeout_seconds: Option<u32>,
}

/// When a conversation is compacted: a summary takes the place of its older part in what is sent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", default)]
pub struct CompactionSettings {
    /// Whether it is compacted by itself before it outgrows the model; true when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub automatic: Option<bool>,
    /// How full the model's context may get before that, in percent; 80 when absent, from 10 to
    /// 100. There is always room left for an answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threshold_percent: Option<u8>,
}

/// The wire protocols.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema, TS,
)]
#[serde(rename_all = "kebab-case")]
pub enum Provider {
    /// The embedded operator: no key, no network.
    #[default]
    Offline,
    /// Anthropic Messages.
    Anthropic,
    /// OpenAI-compatible Chat Completions.
    OpenaiChat,
}

impl Provider {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Offline, Self::Anthropic, Self::OpenaiChat];

    /// The word in settings files and on the command line.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Offline => "offline",
            Self::Anthropic => "anthropic",
            Self::OpenaiChat => "openai-chat",
        }
    }
}

impl std::str::FromStr for Provider {
    type Err = UnknownProvider;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|provider| provider.word() == word)
            .ok_or_else(|| UnknownProvider {
                word: word.to_owned(),
            })
    }
}

/// A word that names no provider.
#[derive(Debug, thiserror::Error)]
#[error("`{word}` is not a provider; the providers are offline, anthropic, openai-chat")]
pub struct UnknownProvider {
    /// The word.
    pub word: String,
}

/// How calls are run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", default)]
pub struct ExecutionSettings {
    /// Start calls while the model still speaks (true), or after it in batches (false).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub streaming: Option<bool>,
    /// Which failing Bash calls cancel later ones of the same message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bash_error_cascade: Option<BashErrorCascade>,
    /// What happens to processes that outlive the command that started them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub survivors: Option<Survivors>,
    /// How commands are held to the project.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sandbox: Option<SandboxSettings>,
    /// How much a command may use. Only from the person's own and managed settings.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limits: Option<LimitSettings>,
    /// How many agents may stand below each other: 1 when absent, so that agents start none; at most
    /// 5. Only from the person's own and managed settings.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_depth: Option<u8>,
}

/// How commands are held to the project. A project's settings can only narrow it: the mode
/// `required`, the network `off` or `allow_listed`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", default)]
pub struct SandboxSettings {
    /// Whether.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<SandboxMode>,
    /// Whether commands reach the network; on when absent, since most builds fetch something.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub network: Option<SandboxNetwork>,
    /// Hosts that commands reach where the network is `allow_listed`: `example.org`,
    /// `*.example.org`. A name that leads to this machine or its own network needs that address
    /// as an entry too. Only from the person's own and managed settings.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub allowed_domains: Vec<String>,
    /// Places that may be written besides the project, temporary folders and caches; absolute,
    /// or below home with `~/`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub writable_paths: Vec<String>,
}

/// Whether commands are held by a sandbox.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "snake_case")]
pub enum SandboxMode {
    /// No.
    Off,
    /// Where one works on this machine.
    #[default]
    Auto,
    /// A command that cannot be held does not run.
    Required,
}

/// Whether commands in a sandbox reach the network.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "snake_case")]
pub enum SandboxNetwork {
    /// Yes.
    #[default]
    On,
    /// The hosts of `allowedDomains`, through a proxy; none where the sandbox cannot tell hosts
    /// apart.
    AllowListed,
    /// No.
    Off,
}

/// What holds commands now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SandboxState {
    /// `bubblewrap`, `landlock` or `seatbelt`; none where nothing does, or it is not known yet.
    pub backend: Option<String>,
    /// One sentence on what that means, or why there is none.
    pub meaning: String,
}

/// How much a command may use.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", default)]
pub struct LimitSettings {
    /// Seconds after which a command is ended that names no timeout of its own; 120 when
    /// absent, at most 600.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_seconds: Option<u32>,
    /// Megabytes of memory that a command and all that it starts may use together; no limit
    /// when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_megabytes: Option<u32>,
    /// Megabytes of a command's output that are kept on disk; 64 when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_megabytes: Option<u32>,
}

impl LimitSettings {
    /// Seconds that may be set.
    pub const SECONDS: RangeInclusive<u32> = 1..=600;
    /// Megabytes of memory that may be set: less, and no shell starts.
    pub const MEMORY: RangeInclusive<u32> = 16..=4_194_304;
    /// Megabytes of output that may be set.
    pub const OUTPUT: RangeInclusive<u32> = 1..=65_536;

    /// What cannot be kept to, in a sentence for the person.
    #[must_use]
    pub fn problem(&self) -> Option<String> {
        [
            ("A time", self.timeout_seconds, Self::SECONDS, "seconds"),
            ("Memory", self.memory_megabytes, Self::MEMORY, "MB"),
            ("Output", self.output_megabytes, Self::OUTPUT, "MB"),
        ]
        .into_iter()
        .find_map(|(what, value, range, unit)| {
            let value = value.filter(|value| !range.contains(value))?;
            Some(format!(
                "{what} of {value} {unit} cannot be a limit: write {} to {} {unit}.",
                range.start(),
                range.end()
            ))
        })
    }
}

/// What happens to processes that outlive the command that started them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "snake_case")]
pub enum Survivors {
    /// They go on as a background task.
    #[default]
    Keep,
    /// They are ended.
    Kill,
}

/// Which failing Bash calls cancel later ones of the same message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "snake_case")]
pub enum BashErrorCascade {
    /// Those that may have changed something.
    #[default]
    Mutating,
    /// All.
    Siblings,
    /// None.
    Off,
}

/// How it looks.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", default)]
pub struct AppearanceSettings {
    /// Colours.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub theme: Option<Theme>,
    /// Whether calls fold.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub density: Option<Density>,
    /// The command that opens a place in the person's own editor, such as
    /// `code --goto {file}:{line}:{column}`. It is no shell's command line: words are split at blanks
    /// outside of quotes, and what is in braces is put in after that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub editor: Option<String>,
}

/// Colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "snake_case")]
pub enum Theme {
    /// As the desktop.
    #[default]
    System,
    /// Light.
    Light,
    /// Dark.
    Dark,
}

/// Whether calls fold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "snake_case")]
pub enum Density {
    /// Consecutive reads, searches and lists share a row.
    #[default]
    Grouped,
    /// Every call has its own row.
    Expanded,
}
