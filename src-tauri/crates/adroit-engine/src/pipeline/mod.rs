//! The 14 stages of a call, in order.
//!
//! Each stage is a file. It takes the state that the stage before it made and makes the
//! next; the states can be made nowhere else, so a stage cannot be skipped, and stage 10
//! has nothing to run but what is inside of an [`adroit_permissions::Authorized`].
//!
//! Stages 1 to 3 are quick and run when a call is added, because the executor needs to
//! know whether the input may run beside others. The rest runs in the call's own task.

mod call;
mod finish;
mod given_consent;
mod present;
mod reading;
mod stage_01_receive;
mod stage_02_resolve;
mod stage_03_parse;
mod stage_04_validate;
mod stage_05_pre_hooks;
mod stage_06_deny_rules;
mod stage_07_rules;
mod stage_08_consent;
mod stage_09_span_start;
mod stage_10_call;
mod stage_11_post_hooks;
mod stage_12_span_end;
mod stage_13_map_result;
mod stage_14_context;
mod told;
mod trace;

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use adroit_protocol::message::ToolCall;
use adroit_tool::{Cancellation, ToolFailure};
use futures::FutureExt;

pub(crate) use call::{Call, Ending, Lane};
pub(crate) use stage_03_parse::Parsed;

use crate::engine::{Engine, ToolResult};
use crate::wording;
use stage_14_context::Finished;

/// How often an input may be sent back to stage 3. Two hooks that each undo the other's
/// change would go on for ever.
const MAX_ROUNDS: usize = 5;

/// A call after its first three stages.
pub(crate) struct Prepared {
    pub(crate) call: Call,
    pub(crate) parsed: Result<Parsed, Ending>,
}

/// Stages 1 to 3.
pub(crate) fn prepare(
    engine: &Arc<Engine>,
    received: ToolCall,
    cancellation: Cancellation,
    lane: Lane,
) -> Prepared {
    let (call, sent) = Call::new(engine, received, cancellation, lane);
    let parsed = catch_unwind(AssertUnwindSafe(|| {
        let requested = stage_01_receive::receive(&call, sent)?;
        let resolved = stage_02_resolve::resolve(&call, requested)?;
        stage_03_parse::parse(&call, resolved)
    }))
    .unwrap_or_else(|panic| {
        Err(Ending::Failed(stage_10_call::panicked(
            &call,
            panic.as_ref(),
        )))
    });
    Prepared { call, parsed }
}

/// The rest. Gives exactly one result, whatever the tool does.
pub(crate) async fn run_to_end(call: &Call, parsed: Result<Parsed, Ending>) -> ToolResult {
    let ending = match parsed {
        Err(ending) => ending,
        Ok(parsed) => match AssertUnwindSafe(stages(call, parsed)).catch_unwind().await {
            Ok(Ok(finished)) => return finish::finished(call, finished),
            Ok(Err(ending)) => ending,
            Err(panic) => Ending::Failed(stage_10_call::panicked(call, panic.as_ref())),
        },
    };
    finish::ended(call, ending)
}

/// The result of a call that does not go on.
pub(crate) fn end(call: &Call, ending: Ending) -> ToolResult {
    finish::ended(call, ending)
}

/// Stages 4 to 14.
async fn stages(call: &Call, mut parsed: Parsed) -> Result<Finished, Ending> {
    let mut given = None;
    let mut settled = Vec::new();
    for _ in 0..MAX_ROUNDS {
        let validated = stage_04_validate::validate(call, parsed).await?;
        let consulted = match stage_05_pre_hooks::consult(call, validated, &settled).await? {
            stage_05_pre_hooks::Onward::Consulted(consulted) => consulted,
            stage_05_pre_hooks::Onward::Back(changed, hook) => {
                settled.push(hook);
                parsed = stage_03_parse::parse(call, changed)?;
                continue;
            }
        };
        // From here on it must be known what the input is.
        call.unless_cancelled(call.classified()).await?;
        let judged = stage_06_deny_rules::judge(call, consulted)?;
        let ruled = stage_07_rules::rule(call, judged)?;
        let approved = match stage_08_consent::consent(call, ruled, given.as_ref()).await? {
            stage_08_consent::Onward::Approved(approved) => approved,
            stage_08_consent::Onward::Back(changed, consent) => {
                given = consent;
                parsed = stage_03_parse::parse(call, changed)?;
                continue;
            }
        };
        let started = stage_09_span_start::start(call, approved);
        let ran = stage_10_call::run(call, started).await?;
        let observed = stage_11_post_hooks::observe(call, ran).await;
        let closed = stage_12_span_end::end(call, observed);
        let mapped = stage_13_map_result::map(call, closed).await;
        return Ok(stage_14_context::apply(call, mapped));
    }
    let message = wording::never_settles(call.tool_name(), MAX_ROUNDS);
    Err(Ending::Failed(ToolFailure::new("never_settles", message)))
}

/// The words of a panic, as far as it has some.
fn panic_message(panic: &(dyn Any + Send)) -> String {
    let words = panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message");
    words.chars().take(300).collect()
}
