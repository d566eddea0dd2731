//! A plan that the person has approved.

use adroit_protocol::permission::AfterPlan;
use adroit_tool::ToolFailure;
use serde::Serialize;

use super::ExitPlanModeInput;

/// How it goes on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ExitPlanModeOutput {
    /// The plan as it was approved.
    pub plan: String,
    /// The mode from now on.
    pub mode: AfterPlan,
}

impl ExitPlanModeOutput {
    pub(super) fn for_model(&self) -> String {
        let edits = match self.mode {
            AfterPlan::Default => "Your changes are asked about one by one.",
            AfterPlan::AcceptEdits => {
                "Edits of files in the project are accepted; commands may still be asked about."
            }
        };
        format!(
            "The person approved the plan, and plan mode is over. {edits} Carry the plan out now."
        )
    }
}

/// Whether there is a plan at all.
///
/// # Errors
/// What is missing, in words.
pub(super) fn check(plan: &str) -> Result<(), String> {
    if plan.trim().is_empty() {
        Err("`plan` is empty: write what you are going to do.".to_owned())
    } else {
        Ok(())
    }
}

pub(super) fn approved(input: &ExitPlanModeInput) -> Result<ExitPlanModeOutput, ToolFailure> {
    // Blocks a yes that came without the person's choice of a mode.
    let mode = input.mode.ok_or_else(|| {
        ToolFailure::new(
            "not_approved",
            "Nobody approved the plan, so plan mode goes on. Present it again when it is ready.",
        )
    })?;
    Ok(ExitPlanModeOutput {
        plan: input.plan.clone(),
        mode,
    })
}
