//! Stage 7: ask rules, the tool's own check, safety checks and allow rules are read.
//! What the tool's check or a safety check denies ends here.

use std::sync::Arc;

use adroit_permissions::AfterRules;
use adroit_tool::ParsedInput;

use super::call::{Call, Ending};
use super::stage_06_deny_rules::NotDenied;
use crate::pool::PoolTool;

/// A call that the rules have spoken about.
pub(super) struct Ruled {
    pub(super) tool: Arc<PoolTool>,
    pub(super) input: ParsedInput,
    pub(super) words: Vec<String>,
    pub(super) review: AfterRules,
}

pub(super) fn rule(call: &Call, judged: NotDenied) -> Result<Ruled, Ending> {
    let mut stage = call.trace.enter(7);
    let NotDenied {
        tool,
        input,
        words,
        review,
    } = judged;
    match review.rules_and_check() {
        Ok(review) => {
            stage.passed();
            Ok(Ruled {
                tool,
                input,
                words,
                review,
            })
        }
        Err(denial) => {
            stage.note(denial.reason.clone());
            Err(call.denied(denial))
        }
    }
}
