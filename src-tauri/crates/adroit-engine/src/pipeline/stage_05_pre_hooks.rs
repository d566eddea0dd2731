//! Stage 5: `PreToolUse` hooks. A hook may stop the call, spare or force the question,
//! add words, or change the input: then the call goes back to stage 3.

use std::sync::Arc;

use adroit_permissions::{Denial, DeniedBy, HookOpinion};
use adroit_tool::ParsedInput;

use super::call::{Call, Ending};
use super::stage_02_resolve::{InputSource, Resolved};
use super::stage_04_validate::Validated;
use super::told::Told;
use crate::pool::PoolTool;
use crate::wording;

/// A call that the hooks have seen.
pub(super) struct Consulted {
    pub(super) tool: Arc<PoolTool>,
    pub(super) input: ParsedInput,
    pub(super) opinion: HookOpinion,
    /// Words of hooks for the model.
    pub(super) words: Vec<String>,
}

/// Where a call goes from here.
pub(super) enum Onward {
    /// To stage 6.
    Consulted(Consulted),
    /// Back to stage 3, with the hook whose change was taken.
    Back(Resolved, String),
}

/// `settled` are the hooks whose change of this call's input was taken already.
pub(super) async fn consult(
    call: &Call,
    validated: Validated,
    settled: &[String],
) -> Result<Onward, Ending> {
    let mut stage = call.trace.enter(5);
    let Validated { tool, input } = validated;
    let hooks = &call.engine.hooks;
    if hooks.is_empty() {
        stage.skipped();
        return Ok(Onward::Consulted(Consulted {
            tool,
            input,
            opinion: HookOpinion::None,
            words: Vec::new(),
        }));
    }
    let told = Told::new(call, &tool, &input);
    let concerns = told.concerns();
    let said = call
        .unless_cancelled(hooks.before_call(told.hook_call(&concerns, settled)))
        .await?;
    call.trace.hooked(said.runs);
    call.trace.stop(said.stop);
    if let HookOpinion::Deny { hook, reason } = &said.opinion {
        stage.note(format!("{hook} denies: {reason}"));
        let reason = format!("the hook `{hook}` denies it: {reason}");
        let denial = Denial {
            reason,
            rule: None,
            by: DeniedBy::Hook,
            words: None,
            matched: Vec::new(),
        };
        return Err(call.denied(denial));
    }
    match said.updated_input {
        Some(updated) if told.is_changed_by(&updated.input) => {
            stage.passed_with("a hook changed the input");
            let changed = Resolved::with_input(tool, updated.input, InputSource::Hook);
            Ok(Onward::Back(changed, updated.hook))
        }
        _ => {
            stage.passed();
            let words = said
                .context
                .iter()
                .map(|words| wording::hook_says(words))
                .collect();
            Ok(Onward::Consulted(Consulted {
                tool,
                input,
                opinion: said.opinion,
                words,
            }))
        }
    }
}
