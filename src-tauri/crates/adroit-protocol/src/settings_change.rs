//! What a person may change in the settings panel.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::permission::{Behavior, Mode, RuleScope};
use crate::settings::{AppearanceSettings, CompactionSettings, ExecutionSettings, Provider};

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
}
