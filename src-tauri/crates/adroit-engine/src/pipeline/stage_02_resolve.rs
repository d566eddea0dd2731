//! Stage 2: the tool is found, by name, then by alias.

use std::sync::Arc;

use adroit_tool::ToolFailure;
use serde_json::Value;

use super::call::{Call, Ending, SentInput};
use super::stage_01_receive::Requested;
use crate::pool::PoolTool;
use crate::wording;

/// A call whose tool is known.
pub(super) struct Resolved {
    tool: Arc<PoolTool>,
    input: SentInput,
    source: InputSource,
}

/// Whose input it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum InputSource {
    /// The model's, as it was sent.
    Model,
    /// A hook's, which changed it.
    Hook,
    /// The person's, who changed or answered it.
    Person,
}

impl Resolved {
    /// The same tool with another input: the way back of an input that was changed.
    pub(super) fn with_input(tool: Arc<PoolTool>, input: Value, source: InputSource) -> Self {
        Self {
            tool,
            input: SentInput::Object(Arc::new(input)),
            source,
        }
    }

    pub(super) fn into_parts(self) -> (Arc<PoolTool>, SentInput, InputSource) {
        (self.tool, self.input, self.source)
    }
}

pub(super) fn resolve(call: &Call, requested: Requested) -> Result<Resolved, Ending> {
    let mut stage = call.trace.enter(2);
    let sent = requested.sent;
    let pool = &call.engine.pool;
    let Some(tool) = pool.find(&sent.name) else {
        stage.note("no tool has this name");
        let message = wording::unknown_tool(&sent.name, pool);
        return Err(Ending::Failed(
            ToolFailure::new("unknown_tool", message).with_summary("unknown tool"),
        ));
    };
    call.set_tool(tool);
    let name = tool.tool().name();
    if pool.is_hidden(tool.tool().as_ref()) {
        stage.note("deferred, and not loaded");
        let failure = ToolFailure::new("not_loaded", wording::not_loaded(name))
            .with_summary("not loaded yet");
        return Err(Ending::Failed(failure));
    }
    if name == sent.name {
        stage.passed();
    } else {
        stage.passed_with(format!("`{}` is another name of {name}", sent.name));
    }
    Ok(Resolved {
        tool: Arc::clone(tool),
        input: sent.input,
        source: InputSource::Model,
    })
}
