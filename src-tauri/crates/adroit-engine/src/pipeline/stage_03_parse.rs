//! Stage 3: the input is checked against the schema and parsed. An input that a hook or
//! the person changed comes back here.

use std::sync::Arc;

use adroit_tool::{ParsedInput, ToolFailure};

use super::call::{Call, Ending, SentInput};
use super::stage_02_resolve::Resolved;
use crate::input;
use crate::pool::PoolTool;
use crate::wording;

/// A call whose input fits its tool.
pub(crate) struct Parsed {
    pub(super) tool: Arc<PoolTool>,
    pub(super) input: ParsedInput,
}

pub(super) fn parse(call: &Call, resolved: Resolved) -> Result<Parsed, Ending> {
    let mut stage = call.trace.enter(3);
    let (tool, sent) = resolved.into_parts();
    let name = tool.tool().name();
    let value = match sent {
        SentInput::Object(value) => value,
        SentInput::Invalid { raw, message } => {
            stage.note("not a JSON object");
            let message = wording::invalid_json(name, &message, is_cut_off(&raw));
            return Err(invalid("invalid_json", message));
        }
    };
    // Beside the checks to come, and the hooks: by what was sent, for most inputs stay as they are.
    call.speculate(&tool, &value);
    let checked = tool.schema().check(value).map_err(|problems| {
        stage.note(format!("{} problems", problems.len()));
        invalid("invalid_input", input::message(name, &problems))
    })?;
    let parsed = tool.tool().parse(checked.value).map_err(|problem| {
        stage.note("the tool cannot read it");
        invalid(
            problem.code,
            format!(
                "InputValidationError: {name} was not called. {}",
                problem.message
            ),
        )
    })?;
    call.set_input(&tool, &parsed);
    if checked.notes.is_empty() {
        stage.passed();
    } else {
        stage.passed_with(checked.notes.join("; "));
    }
    Ok(Parsed {
        tool,
        input: parsed,
    })
}

fn invalid(code: &'static str, message: String) -> Ending {
    Ending::Failed(ToolFailure::new(code, message).with_summary("invalid input"))
}

/// True where the text stops in the middle of a JSON value.
fn is_cut_off(raw: &str) -> bool {
    serde_json::from_str::<serde::de::IgnoredAny>(raw).is_err_and(|error| error.is_eof())
}
