//! What a person may change in the settings panel.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::permission::{Behavior, Mode, RuleScope};
use crate::settings::{
    AppearanceSettings, CompactionSettings, ExecutionSettings, LimitSettings, Provider,
};

/// One change of settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(
    tag = "type",
    rename_all = "snake_case",
    rename_all_fields = "camelCase"
)]
pub enum SettingsChange {
    /// A rule more.
    AddRule {
        /// In which list.
        behavior: Behavior,
        /// The rule.
        rule: String,
        /// Where.
        scope: RuleScope,
    },
    /// A rule less.
    RemoveRule {
        /// In which list.
        behavior: Behavior,
        /// The rule.
        rule: String,
        /// Where.
        scope: RuleScope,
        /// In which file, where the source has several.
        file: Option<String>,
    },
    /// The mode that a new session begins in.
    SetDefaultMode {
        /// The mode.
        mode: Mode,
        /// Where.
        scope: RuleScope,
    },
    /// The provider, the model and the server.
    SetModel {
        /// The provider.
        provider: Provider,
        /// The model.
        name: Option<String>,
        /// The server.
        base_url: Option<String>,
    },
    /// Colours and density.
    SetAppearance {
        /// They; absent ones stay.
        appearance: AppearanceSettings,
    },
    /// When a conversation is compacted.
    SetCompaction {
        /// It; absent ones stay.
        compaction: CompactionSettings,
    },
    /// How calls are run.
    SetExecution {
        /// It; absent ones stay.
        execution: ExecutionSettings,
    },
    /// Lets count what a command in a sandbox left in a settings file of the project.
    AcceptFile {
        /// The file.
        path: String,
        /// The text that the person has seen, as `changed_in_sandbox` names it.
        text: String,
    },
    /// How much a command may use.
    SetLimits {
        /// All of it; absent ones are the usual from now on.
        limits: LimitSettings,
    },
    /// The hosts that commands reach where the network is a list.
    SetAllowedDomains {
        /// All of them.
        domains: Vec<String>,
    },
}
