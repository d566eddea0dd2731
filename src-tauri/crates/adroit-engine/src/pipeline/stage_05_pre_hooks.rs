//! Stage 5: `PreToolUse` hooks. A hook may stop the call, spare or force the question,
//! add words, or change the input: then the call goes back to stage 3.

use std::sync::Arc;

use adroit_hooks::HookCall;
use adroit_permissions::{Denial, DeniedBy, HookOpinion};
use adroit_tool::ParsedInput;
use serde_json::Value;

use super::call::{Call, Ending};
use super::stage_02_resolve::Resolved;
use super::stage_04_validate::Validated;
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
    /// Back to stage 3.
    Back(Resolved),
}

pub(super) async fn consult(call: &Call, validated: Validated) -> Result<Onward, Ending> {
    let mut stage = call.trace.enter(5);
    let Validated { tool, input } = validated;
    if call.engine.hooks.is_empty() {
        stage.skipped();
        return Ok(Onward::Consulted(Consulted {
            tool,
            input,
            opinion: HookOpinion::None,
            words: Vec::new(),
        }));
    }
    let observed = observable(call, &tool, &input);
    let said = call
        .unless_cancelled(
            call.engine
                .hooks
                .before_call(hook_call(call, &tool, &observed)),
        )
        .await?;
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
        // A hook that hands back what it was shown, derived fields included, changed nothing.
        Some(updated) if updated != **input.value() && updated != observed => {
            stage.passed_with("a hook changed the input");
            Ok(Onward::Back(Resolved::with_input(tool, updated)))
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

/// The input as hooks see it: a copy with derived fields.
pub(super) fn observable(call: &Call, tool: &PoolTool, input: &ParsedInput) -> Value {
    let mut copy = Value::clone(input.value());
    tool.tool().observable_input(&mut copy, &call.context);
    copy
}

pub(super) fn hook_call<'a>(call: &'a Call, tool: &'a PoolTool, input: &'a Value) -> HookCall<'a> {
    HookCall {
        call: &call.id,
        tool: tool.tool().name(),
        aliases: tool.tool().aliases(),
        input,
        cwd: &call.context.cwd,
    }
}
