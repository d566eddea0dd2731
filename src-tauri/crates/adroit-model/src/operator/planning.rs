//! Plans: presented first, carried out once they are approved.

use super::calls;
use super::past::{Past, Step};
use super::work::{End, all, failed};

/// What stands before a plan that the person has edited, in the result of presenting it.
const EDITED: &str = "Carry it out as it reads now:";

/// Presents the plan, and carries out what was approved: as the person left it.
pub(super) fn carry_out(text: &str, past: &mut Past) -> Step<End> {
    let outcome = past.ask_one("This is my plan.", calls::exit_plan_mode(text))?;
    if outcome.failed {
        return Ok(failed("Leaving plan mode", &outcome, past));
    }
    let edited = outcome.text.split_once(EDITED).map(|(_, plan)| plan.trim());
    past.say("The plan is approved.");
    all(&super::parse::commands(edited.unwrap_or(text)), past)
}
