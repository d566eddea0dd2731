//! What the model writes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Entries returned when the call does not say how many.
const DEFAULT_ENTRIES: usize = 250;

/// The input of Grep.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GrepInput {
    /// The regular expression.
    pub pattern: String,
    /// The file or folder to search; the project folder when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Only files whose name matches, for example `*.rs` or `src/**/*.{ts,tsx}`; `!` excludes. Several
    /// are separated by spaces.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub glob: Option<String>,
    /// Only files of this type, for example rust, py, js, go.
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    pub file_type: Option<String>,
    /// What to return; files_with_matches when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_mode: Option<OutputMode>,
    /// Lines to show after each match (content only).
    #[serde(
        default,
        rename = "-A",
        deserialize_with = "crate::files::count::optional_u32",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(range(max = crate::files::count::MAX))]
    pub after: Option<u32>,
    /// Lines to show before each match (content only).
    #[serde(
        default,
        rename = "-B",
        deserialize_with = "crate::files::count::optional_u32",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(range(max = crate::files::count::MAX))]
    pub before: Option<u32>,
    /// Lines to show before and after each match (content only).
    #[serde(
        default,
        rename = "-C",
        deserialize_with = "crate::files::count::optional_u32",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(range(max = crate::files::count::MAX))]
    pub context: Option<u32>,
    /// Show line numbers (content only); true when absent.
    #[serde(default, rename = "-n", skip_serializing_if = "Option::is_none")]
    pub line_numbers: Option<bool>,
    /// Upper and lower case are the same.
    #[serde(default, rename = "-i", skip_serializing_if = "Option::is_none")]
    pub case_insensitive: Option<bool>,
    /// At most this many lines (content) or files; 250 when absent, 0 for all.
    #[serde(
        default,
        deserialize_with = "crate::files::count::optional_u32",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(range(max = crate::files::count::MAX))]
    pub head_limit: Option<u32>,
    /// Let a match span lines, and `.` match line ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub multiline: Option<bool>,
}

/// What a search returns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OutputMode {
    /// The lines.
    Content,
    /// The files.
    #[default]
    FilesWithMatches,
    /// How many lines match in each file.
    Count,
}

impl GrepInput {
    pub(super) fn place(&self) -> &str {
        self.path
            .as_deref()
            .filter(|path| !path.is_empty())
            .unwrap_or(".")
    }

    pub(super) fn mode(&self) -> OutputMode {
        self.output_mode.unwrap_or_default()
    }

    pub(super) fn entries(&self) -> usize {
        match self.head_limit {
            None => DEFAULT_ENTRIES,
            Some(0) => usize::MAX,
            Some(limit) => limit as usize,
        }
    }

    pub(super) fn lines_before(&self) -> usize {
        self.before.or(self.context).unwrap_or(0) as usize
    }

    pub(super) fn lines_after(&self) -> usize {
        self.after.or(self.context).unwrap_or(0) as usize
    }
}
