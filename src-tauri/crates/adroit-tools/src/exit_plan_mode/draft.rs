//! A plan as it waits: the person approves it, as it is or edited.

use std::sync::Arc;

use adroit_protocol::permission::{DraftChange, DraftKind, DraftOffer};
use adroit_tool::{Draft, DraftError, Drafted, Redrafted};

use super::{ExitPlanModeInput, call, presentation};

/// The longest plan that may be left by an edit, in characters.
const LONGEST: usize = 50_000;

/// The plan that is presented.
#[derive(Debug)]
pub(super) struct PlanDraft {
    plan: String,
}

impl PlanDraft {
    pub(super) fn drafted(input: &ExitPlanModeInput) -> Drafted {
        Drafted {
            view: presentation::plan(&input.plan),
            draft: Arc::new(Self {
                plan: input.plan.clone(),
            }),
        }
    }
}

impl Draft for PlanDraft {
    fn offer(&self) -> DraftOffer {
        DraftOffer {
            kind: DraftKind::Plan,
            hunks: false,
            text: true,
            answer: true,
        }
    }

    fn text(&self, rejected: &[u32]) -> Result<String, DraftError> {
        if rejected.is_empty() {
            Ok(self.plan.clone())
        } else {
            Err(DraftError::NoSuchPlace)
        }
    }

    fn change(&self, change: &DraftChange) -> Result<Redrafted, DraftError> {
        let DraftChange::Plan { text, mode } = change else {
            return Err(DraftError::NoText);
        };
        let plan = text.as_ref().unwrap_or(&self.plan);
        call::check(plan).map_err(|_| DraftError::NothingLeft)?;
        if plan.chars().count() > LONGEST {
            return Err(DraftError::Unfit(format!(
                "a plan has at most {LONGEST} characters"
            )));
        }
        let input = ExitPlanModeInput {
            plan: plan.clone(),
            mode: Some(*mode),
        };
        let value =
            serde_json::to_value(&input).map_err(|error| DraftError::Unfit(error.to_string()))?;
        let is_edited = *plan != self.plan;
        Ok(Redrafted {
            input: value,
            view: presentation::plan(plan),
            told: is_edited.then(|| {
                format!(
                    "The user edited the plan before approving it. Carry it out as it reads now:\n\n{plan}"
                )
            }),
        })
    }
}
