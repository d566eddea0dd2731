//! What hooks are told of a call.

use std::sync::Arc;

use adroit_hooks::{HookAgent, HookCall};
use adroit_permissions::{Condition, HookOpinion, PermissionSnapshot};
use adroit_tool::ParsedInput;
use serde_json::Value;

use super::call::Call;
use super::stage_06_deny_rules::facts;
use crate::pool::PoolTool;

/// A call at the moment that hooks are told of it.
pub(super) struct Told<'a> {
    call: &'a Call,
    tool: Arc<PoolTool>,
    input: ParsedInput,
    /// A copy of the input with the fields that the tool derives. Never what runs.
    observed: Value,
    snapshot: PermissionSnapshot,
}

impl<'a> Told<'a> {
    pub(super) fn new(call: &'a Call, tool: &Arc<PoolTool>, input: &ParsedInput) -> Self {
        let mut observed = Value::clone(input.value());
        tool.tool().observable_input(&mut observed, &call.context);
        Self {
            call,
            tool: Arc::clone(tool),
            input: input.clone(),
            observed,
            snapshot: call.engine.permissions.snapshot(),
        }
    }

    /// Whether a condition of a hook speaks of the call.
    pub(super) fn concerns(&self) -> impl Fn(&Condition) -> bool + Sync {
        |condition| {
            let facts = facts(self.call, &self.tool, &self.input, HookOpinion::None);
            condition.concerns(facts, &self.snapshot.workspace)
        }
    }

    pub(super) fn hook_call<'b>(
        &'b self,
        concerns: &'b (dyn Fn(&Condition) -> bool + Sync),
        settled: &'b [String],
    ) -> HookCall<'b> {
        HookCall {
            call: &self.call.id,
            tool: self.tool.tool().name(),
            aliases: self.tool.tool().aliases(),
            input: &self.observed,
            cwd: &self.call.context.cwd,
            mode: self.snapshot.mode,
            agent: self.call.engine.agent.as_ref().map(|agent| HookAgent {
                id: &agent.id,
                kind: &agent.kind,
            }),
            concerns,
            settled,
        }
    }

    /// False for a hook that hands back what it was shown, derived fields included.
    pub(super) fn is_changed_by(&self, updated: &Value) -> bool {
        *updated != **self.input.value() && *updated != self.observed
    }
}
