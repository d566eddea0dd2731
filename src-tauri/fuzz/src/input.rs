//! Inputs of tools: whatever a model sends, it is refused in words, or it fits the schema and
//! fits it again, and no value that decides permissions was changed.

use std::sync::Arc;

use adroit_engine::fitted_input;
use serde_json::{Value, json};

/// Fields that rules and checks look at.
const DECIDING: [&str; 4] = ["command", "file_path", "path", "url"];

/// Checks the text, as JSON, against a schema that has one field of every kind.
pub fn check(data: &[u8]) {
    let Ok(sent) = serde_json::from_slice::<Value>(data) else {
        return;
    };
    let schema = Arc::new(schema());
    let sent = Arc::new(sent);
    match fitted_input(&schema, Arc::clone(&sent)) {
        Err(words) => assert!(!words.trim().is_empty(), "{sent} is refused without a word"),
        Ok(fitted) => {
            let again = fitted_input(&schema, Arc::clone(&fitted));
            assert_eq!(
                again.as_deref(),
                Ok(fitted.as_ref()),
                "what fits does not fit again"
            );
            for field in DECIDING {
                let (before, after) = (sent.get(field), fitted.get(field));
                let dropped = after.is_none() && before.is_none_or(Value::is_null);
                assert!(before == after || dropped, "{field} of {sent} was changed");
            }
        }
    }
}

fn schema() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "additionalProperties": false,
        "required": ["command"],
        "properties": {
            "command": { "type": "string", "minLength": 1 },
            "file_path": { "type": ["string", "null"] },
            "path": { "type": "string" },
            "url": { "type": "string", "pattern": "^https?://" },
            "timeout": { "type": ["integer", "null"], "minimum": 0, "maximum": 600_000 },
            "ratio": { "type": "number" },
            "replace_all": { "type": "boolean", "default": false },
            "mode": { "enum": ["content", "count"] },
            "todos": {
                "type": "array",
                "items": { "$ref": "#/$defs/Todo" }
            }
        },
        "$defs": {
            "Todo": {
                "type": "object",
                "additionalProperties": false,
                "required": ["content"],
                "properties": {
                    "content": { "type": "string" },
                    "done": { "type": "boolean" },
                    "inner": { "anyOf": [{ "$ref": "#/$defs/Todo" }, { "type": "null" }] }
                }
            }
        }
    })
}
