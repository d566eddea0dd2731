//! Stage 4: the tool's own validation, beyond its schema.

use std::sync::Arc;

use adroit_tool::{ParsedInput, ToolFailure};

use super::call::{Call, Ending};
use super::stage_03_parse::Parsed;
use crate::pool::PoolTool;

/// A call whose input makes sense to its tool.
pub(super) struct Validated {
    pub(super) tool: Arc<PoolTool>,
    pub(super) input: ParsedInput,
}

pub(super) async fn validate(call: &Call, parsed: Parsed) -> Result<Validated, Ending> {
    let mut stage = call.trace.enter(4);
    let Parsed { tool, input } = parsed;
    let outcome = call
        .unless_cancelled(tool.tool().validate_input(&input, &call.context))
        .await?;
    if let Err(problem) = outcome {
        stage.note(problem.code);
        return Err(Ending::Failed(ToolFailure::new(
            problem.code,
            problem.message,
        )));
    }
    stage.passed();
    Ok(Validated { tool, input })
}
