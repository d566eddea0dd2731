//! Scripts as JSON, for the `scripted-model` program.
//!
//! A script is a list of turns, a turn a list of steps (or one object for one step):
//!
//! | step | means |
//! |---|---|
//! | `{"text": "…"}`, `{"text": ["…", "…"]}` | a text block, in one or several deltas |
//! | `{"thinking": "…", "signature": "…"}` | a thinking block |
//! | `{"call": "Read", "input": {…}, "pieces": 3, "id": "…"}` | a call; pieces and id may be left out |
//! | `{"pause": 20}` | milliseconds |
//! | `{"raw": "…"}` | bytes as they are |
//! | `{"stop": "max_tokens"}` | ends with this reason; without it the turn ends in the ordinary way |
//! | `{"cut": true}`, `{"stall": true}` | cuts the connection; stays silent |
//! | `{"status": 529, "headers": {…}, "body": {…}}` | an answer that is no stream; the turn's only step |

use std::time::Duration;

use serde_json::Value;

use crate::{Step, Turn, response, turn};

/// What is wrong with a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptError(String);

impl std::fmt::Display for ScriptError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for ScriptError {}

/// The turns of a script.
///
/// # Errors
/// When the JSON is not a script; the message says which turn and step.
pub fn turns_from_json(script: &Value) -> Result<Vec<Turn>, ScriptError> {
    let turns = script
        .as_array()
        .ok_or_else(|| ScriptError("a script is a list of turns".into()))?;
    turns
        .iter()
        .enumerate()
        .map(|(number, steps)| one_turn(number, steps))
        .collect()
}

fn one_turn(number: usize, steps: &Value) -> Result<Turn, ScriptError> {
    let single = [steps.clone()];
    let steps = steps.as_array().map_or(&single[..], Vec::as_slice);
    if let [step] = steps
        && let Some(status) = step["status"].as_u64()
    {
        return refusal(number, status, step);
    }
    let mut ended = false;
    let mut written = turn();
    for (at, step) in steps.iter().enumerate() {
        let unknown = || {
            ScriptError(format!(
                "turn {number}, step {at} is none that I know: {step}"
            ))
        };
        written = match step
            .as_object()
            .and_then(|fields| fields.keys().next())
            .map(String::as_str)
        {
            Some("text") => match &step["text"] {
                Value::Array(pieces) => {
                    written.text_in_pieces(pieces.iter().filter_map(Value::as_str))
                }
                text => written.text(text.as_str().ok_or_else(unknown)?),
            },
            Some("thinking") => written.thinking(
                step["thinking"].as_str().ok_or_else(unknown)?,
                step["signature"].as_str().unwrap_or_default(),
            ),
            Some("call") => {
                let name = step["call"].as_str().ok_or_else(unknown)?;
                let pieces = step["pieces"]
                    .as_u64()
                    .and_then(|pieces| usize::try_from(pieces).ok())
                    .unwrap_or(1);
                let id = step["id"].as_str().unwrap_or_default();
                written.call_as_in_pieces(id, name, &step["input"], pieces)
            }
            Some("pause") => written.step(Step::Pause(Duration::from_millis(
                step["pause"].as_u64().ok_or_else(unknown)?,
            ))),
            Some("raw") => written.raw(step["raw"].as_str().ok_or_else(unknown)?.to_owned()),
            Some("stop") => {
                ended = true;
                written.stop(step["stop"].as_str().ok_or_else(unknown)?)
            }
            Some("cut") => {
                ended = true;
                written.cut()
            }
            Some("stall") => {
                ended = true;
                written.stall()
            }
            _ => return Err(unknown()),
        };
    }
    Ok(if ended { written } else { written.end() })
}

fn refusal(number: usize, status: u64, step: &Value) -> Result<Turn, ScriptError> {
    let status = u16::try_from(status)
        .ok()
        .filter(|status| (200..600).contains(status))
        .ok_or_else(|| ScriptError(format!("turn {number}: {status} is no status of an answer")))?;
    let mut refusal = response(status);
    if let Some(headers) = step["headers"].as_object() {
        for (name, value) in headers {
            refusal = refusal.header(name, value.as_str().unwrap_or_default());
        }
    }
    Ok(refusal.json(&step["body"]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_script_is_read_or_refused() {
        let turns = turns_from_json(&json!([
            [{"text": "I look."}, {"call": "Read", "input": {"file_path": "a"}, "pieces": 2}],
            {"status": 529, "headers": {"retry-after": "1"}},
            [{"text": ["a", "b"]}, {"pause": 1}, {"stop": "max_tokens"}],
        ]));
        let turns = turns.unwrap();
        assert_eq!((turns.len(), turns[1].status), (3, 529));
        assert!(turns_from_json(&json!({})).is_err());
        assert!(
            turns_from_json(&json!([[{"txet": "x"}]]))
                .unwrap_err()
                .to_string()
                .contains("turn 0, step 0")
        );
        assert!(turns_from_json(&json!([{"status": 7}])).is_err());
    }
}
