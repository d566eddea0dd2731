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
    /// Start the command and go on at once. Its output comes with TaskOutput, and its end is told.
    /// No timeout then, unless one is given.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub run_in_background: bool,
    /// Run the command outside of the sandbox. The user is always asked. Only after a result said
    /// that the sandbox kept this command from something that it needs.
    #[serde(
        default,
        rename = "dangerouslyDisableSandbox",
        skip_serializing_if = "std::ops::Not::not"
    )]
    pub dangerously_disable_sandbox: bool,
}

impl BashInput {
    /// `None`: as long as it takes. `usual` is the settings' time for a command that names none.
    pub(super) fn timeout(&self, usual: Option<Duration>) -> Option<Duration> {
        let usual = usual.map_or(Duration::from_millis(DEFAULT_TIMEOUT), |usual| {
            usual.clamp(
                Duration::from_secs(1),
                Duration::from_millis(LONGEST_TIMEOUT),
            )
        });
        self.timeout
            .map(Duration::from_millis)
            .or((!self.run_in_background).then_some(usual))
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
                         milliseconds, or set run_in_background and read it with TaskOutput."
                ),
            )),
            _ => Ok(()),
        }
    }
}
