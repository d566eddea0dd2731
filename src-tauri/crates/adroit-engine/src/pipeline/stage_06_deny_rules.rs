//! Stage 6: the facts of the call are put together, the rules and the mode of this very
//! moment are taken, and deny rules end the call.

use std::sync::Arc;

use adroit_permissions::{AfterDeny, CallFacts, HookOpinion, Review};
use adroit_protocol::record::CallTraits;
use adroit_tool::{ParsedInput, ToolFailure};

use super::call::{Call, Ending};
use super::stage_05_pre_hooks::Consulted;
use crate::pool::PoolTool;
use crate::wording;

/// A call that no deny rule stops.
pub(super) struct NotDenied {
    pub(super) tool: Arc<PoolTool>,
    pub(super) input: ParsedInput,
    pub(super) words: Vec<String>,
    pub(super) review: AfterDeny,
}

pub(super) fn judge(call: &Call, consulted: Consulted) -> Result<NotDenied, Ending> {
    let mut stage = call.trace.enter(6);
    let Consulted {
        tool,
        input,
        opinion,
        words,
    } = consulted;
    let snapshot = call.engine.permissions.snapshot();
    call.trace.judged(snapshot.mode);
    if let Some(only) = tool.tool().only_in_mode()
        && snapshot.mode != only
    {
        stage.note(format!("only in the mode {}", only.word()));
        let message = wording::other_mode(tool.tool().name(), only, snapshot.mode);
        let failure = ToolFailure::new("other_mode", message).with_summary("not in this mode");
        return Err(Ending::Failed(failure));
    }
    call.trace.understood(traits(call, &tool, &input));
    match Review::begin(&snapshot, facts(call, &tool, &input, opinion)).deny_rules() {
        Ok(review) => {
            stage.passed();
            Ok(NotDenied {
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

pub(super) fn facts(
    call: &Call,
    tool: &PoolTool,
    input: &ParsedInput,
    hook: HookOpinion,
) -> CallFacts {
    let tool = tool.tool();
    // A hook answers a question by an answer and a yes together; either alone leaves it open.
    let answered = call.is_answered_by_hook() && matches!(hook, HookOpinion::Allow { .. });
    CallFacts {
        call: call.id.clone(),
        tool: tool.name().to_owned(),
        aliases: tool
            .aliases()
            .iter()
            .map(|alias| (*alias).to_owned())
            .collect(),
        input: Arc::clone(input.value()),
        subject: tool.subject(input, &call.context),
        read_only: tool.is_read_only(input, &call.context),
        requires_interaction: tool.requires_user_interaction() && !answered,
        tool_check: tool.check_permissions(input, &call.context),
        hook,
    }
}

/// What the tool says of the input, for the record.
fn traits(call: &Call, tool: &PoolTool, input: &ParsedInput) -> CallTraits {
    let tool = tool.tool();
    CallTraits {
        read_only: call.is_read_only(),
        concurrency_safe: call.is_safe(),
        destructive: tool.is_destructive(input, &call.context),
        open_world: tool.is_open_world(input),
        path: tool
            .path(input, &call.context)
            .map(|path| path.display().to_string()),
    }
}
