//! What the model writes.

use std::time::Duration;

use adroit_tool::InvalidInput;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

const DEFAULT_TIMEOUT: u64 = 120_000;
const LONGEST_TIMEOUT: u64 = 600_000;

/// The input of Bash.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BashInput {
    /// The command line, as bash reads it.
    pub command: String,
    /// Milliseconds after which the command is ended; 120000 when absent, at most 600000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 600_000))]
    pub timeout: Option<u64>,
    /// What the command does, in five to ten words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

impl BashInput {
    pub(super) fn timeout(&self) -> Duration {
        Duration::from_millis(self.timeout.unwrap_or(DEFAULT_TIMEOUT))
    }

    pub(super) fn check(&self) -> Result<(), InvalidInput> {
        if self.command.trim().is_empty() {
            return Err(InvalidInput::new(
                "empty_command",
                "The command is empty. Write the command line to run.",
            ));
        }
        if self.command.contains('\0') {
            return Err(InvalidInput::new(
                "nul_in_command",
                "The command holds a NUL character, which no program can be given. \
                 Write it as \\0 in a printf format instead.",
            ));
        }
        match self.timeout {
            Some(timeout) if !(1..=LONGEST_TIMEOUT).contains(&timeout) => Err(InvalidInput::new(
                "timeout_out_of_range",
                format!(
                    "The timeout of {timeout} ms is out of range: give 1 to {LONGEST_TIMEOUT} \
                         milliseconds, or start the program with & and look at it later."
                ),
            )),
            _ => Ok(()),
        }
    }
}
