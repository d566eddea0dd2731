//! A command before it is approved: its text may be edited.

use adroit_protocol::permission::{DraftChange, DraftKind, DraftOffer};
use adroit_protocol::view::View;
use adroit_tool::{Draft, DraftError, Redrafted};

use super::BashInput;
use super::presentation;

/// The command that is asked about.
#[derive(Debug)]
pub(super) struct CommandDraft {
    pub(super) input: BashInput,
    pub(super) cwd: std::path::PathBuf,
}

impl CommandDraft {
    pub(super) fn view(&self) -> View {
        presentation::preview(&self.input, &self.cwd)
    }
}

impl Draft for CommandDraft {
    fn offer(&self) -> DraftOffer {
        DraftOffer {
            kind: DraftKind::Command,
            hunks: false,
            text: true,
            answer: false,
        }
    }

    fn text(&self, rejected: &[u32]) -> Result<String, DraftError> {
        if rejected.is_empty() {
            Ok(self.input.command.clone())
        } else {
            Err(DraftError::NoSuchPlace)
        }
    }

    fn change(&self, change: &DraftChange) -> Result<Redrafted, DraftError> {
        let DraftChange::Text { text } = change else {
            return Err(DraftError::NoSuchPlace);
        };
        if *text == self.input.command {
            return Err(DraftError::Unchanged);
        }
        let input = BashInput {
            command: text.clone(),
            timeout: self.input.timeout,
            // The model described another command.
            description: None,
            run_in_background: self.input.run_in_background,
            dangerously_disable_sandbox: self.input.dangerously_disable_sandbox,
        };
        input
            .check()
            .map_err(|invalid| DraftError::Unfit(invalid.message))?;
        let value =
            serde_json::to_value(&input).map_err(|error| DraftError::Unfit(error.to_string()))?;
        Ok(Redrafted {
            input: value,
            view: presentation::preview(&input, &self.cwd),
            told: Some(format!(
                "The user changed the command before approving it.\nYou proposed: {}\nWhat ran: {text}",
                self.input.command
            )),
        })
    }
}
