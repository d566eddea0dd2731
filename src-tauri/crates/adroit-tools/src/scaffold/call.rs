//! What it does.

use adroit_tool::{CallContext, ToolFailure};
use serde::Serialize;

use super::ScaffoldInput;
use crate::Services;

/// What came of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ScaffoldOutput {
    /// What was asked for.
    pub subject: String,
    /// The project's folder.
    pub folder: String,
}

impl ScaffoldOutput {
    pub(super) fn for_model(&self) -> String {
        format!("{} in {}", self.subject, self.folder)
    }
}

pub(super) fn run(
    services: &Services,
    input: &ScaffoldInput,
    _context: &CallContext,
) -> Result<ScaffoldOutput, ToolFailure> {
    if input.subject.trim().is_empty() {
        return Err(ToolFailure::new(
            "nothing_to_do",
            "`subject` is empty: say what to work on.",
        ));
    }
    Ok(ScaffoldOutput {
        subject: input.subject.clone(),
        folder: services.workspace.root().display().to_string(),
    })
}
