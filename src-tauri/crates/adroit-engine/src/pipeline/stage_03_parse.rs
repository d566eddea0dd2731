//! Stage 3: the input is checked against the schema and parsed. An input that a hook or
//! the person changed comes back here.

use std::sync::Arc;

use adroit_tool::{Answerers, ParsedInput, ToolFailure};
use serde_json::{Map, Value};

use super::call::{Call, Ending, SentInput};
use super::stage_02_resolve::{InputSource, Resolved};
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
    let (tool, sent, source) = resolved.into_parts();
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
    let (value, answer) = take_answer(&tool, value, source);
    let checked = tool.schema().check(value).map_err(|problems| {
        stage.note(format!("{} problems", problems.len()));
        invalid("invalid_input", input::message(name, &problems))
    })?;
    let is_answered = !answer.is_empty();
    let whole = put_back(checked.value, answer);
    let parsed = tool.tool().parse(whole).map_err(|problem| {
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
    if is_answered {
        call.answered(source);
    }
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

/// Takes out of an input what answers the call's question, where whoever made this input may answer
/// it. What stays is held against the schema, which knows no answers. Blocks a model that writes the
/// person's answer itself, and a hook that gives one which is the person's alone to give.
fn take_answer(
    tool: &PoolTool,
    value: Arc<Value>,
    source: InputSource,
) -> (Arc<Value>, Map<String, Value>) {
    let fields = tool.tool().answer_fields();
    let may = match source {
        InputSource::Model => false,
        InputSource::Hook => fields.by == Answerers::PersonOrHook,
        InputSource::Person => true,
    };
    let mut answer = Map::new();
    if !may || fields.names.is_empty() {
        return (value, answer);
    }
    let mut value = Arc::unwrap_or_clone(value);
    if let Some(object) = value.as_object_mut() {
        for name in fields.names {
            answer.extend(object.remove_entry(*name));
        }
    }
    (Arc::new(value), answer)
}

fn put_back(value: Arc<Value>, answer: Map<String, Value>) -> Arc<Value> {
    if answer.is_empty() {
        return value;
    }
    let mut value = Arc::unwrap_or_clone(value);
    if let Some(object) = value.as_object_mut() {
        object.extend(answer);
    }
    Arc::new(value)
}

fn invalid(code: &'static str, message: String) -> Ending {
    Ending::Failed(ToolFailure::new(code, message).with_summary("invalid input"))
}

/// True where the text stops in the middle of a JSON value.
fn is_cut_off(raw: &str) -> bool {
    serde_json::from_str::<serde::de::IgnoredAny>(raw).is_err_and(|error| error.is_eof())
}
