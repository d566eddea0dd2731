//! The few liberties that are taken with an input, all of them documented here:
//!
//! - a string that is exactly a JSON number, where the schema wants a number and no string;
//! - `"true"` and `"false"`, exactly so, where it wants a boolean and no string
//!   (`"false"` becomes `false`; `"False"`, `1` and `""` are errors);
//! - `null` for a field that may be absent and may not be null: the field is left out.
//!
//! Nothing else is repaired. In particular nothing whose value decides a permission
//! ([`DECIDING`]) is ever touched, and the case of an enum is never changed.

use serde_json::{Map, Value};

/// Fields that rules and safety checks look at. Were one of them coerced, the call that
/// was written and the call that is judged would not be the same.
const DECIDING: [&str; 14] = [
    "command",
    "cwd",
    "directory",
    "domain",
    "file_path",
    "host",
    "mode",
    "notebook_path",
    "path",
    "paths",
    "sandbox",
    "server",
    "uri",
    "url",
];

/// How deep references are followed: a schema may refer to itself.
const MAX_HOPS: usize = 16;

/// The input with the liberties taken, and what was taken; `None` where nothing was.
pub(crate) fn coerce(input: &Value, schema: &Value) -> Option<(Value, Vec<String>)> {
    let mut value = input.clone();
    let mut notes = Vec::new();
    walk(&mut value, schema, schema, "", &mut notes);
    (!notes.is_empty()).then_some((value, notes))
}

/// True where [`coerce`] would find something, without copying the input.
pub(crate) fn may_apply(input: &Value, schema: &Value) -> bool {
    fn suspicious(value: &Value) -> bool {
        match value {
            Value::Null => true,
            Value::String(text) => scalar(text).is_some(),
            Value::Array(items) => items.iter().any(suspicious),
            Value::Object(fields) => fields.values().any(suspicious),
            Value::Bool(_) | Value::Number(_) => false,
        }
    }
    schema.is_object() && suspicious(input)
}

fn walk(value: &mut Value, schema: &Value, root: &Value, path: &str, notes: &mut Vec<String>) {
    let Some(schema) = single(schema, root) else {
        return;
    };
    match value {
        Value::Object(fields) => walk_fields(fields, schema, root, path, notes),
        Value::Array(items) => {
            let Some(item_schema) = schema.get("items") else {
                return;
            };
            for (index, item) in items.iter_mut().enumerate() {
                let at = format!("{path}[{index}]");
                step(item, item_schema, root, &at, notes);
            }
        }
        _ => {}
    }
}

fn walk_fields(
    fields: &mut Map<String, Value>,
    schema: &Value,
    root: &Value,
    path: &str,
    notes: &mut Vec<String>,
) {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
        return;
    };
    let required = schema.get("required").and_then(Value::as_array);
    let is_required =
        |name: &str| required.is_some_and(|names| names.iter().any(|item| item == name));
    let mut left_out = Vec::new();
    for (name, value) in fields.iter_mut() {
        let Some(property) = properties.get(name) else {
            continue;
        };
        if DECIDING.contains(&name.to_ascii_lowercase().as_str()) {
            continue;
        }
        let at = if path.is_empty() {
            name.clone()
        } else {
            format!("{path}.{name}")
        };
        if value.is_null() && !is_required(name) && !types(property, root).has(Types::NULL) {
            left_out.push(name.clone());
            notes.push(format!("`{at}` was null and is left out"));
            continue;
        }
        step(value, property, root, &at, notes);
    }
    for name in left_out {
        fields.shift_remove(&name);
    }
}

fn step(value: &mut Value, schema: &Value, root: &Value, path: &str, notes: &mut Vec<String>) {
    let Value::String(text) = &*value else {
        return walk(value, schema, root, path, notes);
    };
    let wanted = types(schema, root);
    if wanted.has(Types::STRING) {
        return;
    }
    let Some(found) = scalar(text) else { return };
    let fits = match &found {
        Value::Bool(_) => wanted.has(Types::BOOLEAN),
        Value::Number(number) => {
            wanted.has(Types::NUMBER)
                || (wanted.has(Types::INTEGER) && (number.is_i64() || number.is_u64()))
        }
        _ => false,
    };
    if fits {
        notes.push(format!(
            "`{path}` was the string {text:?} and is read as {found}"
        ));
        *value = found;
    }
}

/// The number or boolean that a string spells exactly.
fn scalar(text: &str) -> Option<Value> {
    match text {
        "true" => return Some(Value::Bool(true)),
        "false" => return Some(Value::Bool(false)),
        _ => {}
    }
    let plausible =
        text.len() <= 32 && text.starts_with(|first: char| first == '-' || first.is_ascii_digit());
    if !plausible || text.ends_with(char::is_whitespace) {
        return None;
    }
    let number: Value = serde_json::from_str(text).ok()?;
    number.is_number().then_some(number)
}

/// The schema that applies, where it is only one: references are followed, and of "this
/// or null" it is this.
fn single<'a>(mut schema: &'a Value, root: &'a Value) -> Option<&'a Value> {
    for _ in 0..MAX_HOPS {
        if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
            schema = root.pointer(reference.strip_prefix('#')?)?;
        } else if let Some(arms) = schema
            .get("anyOf")
            .or_else(|| schema.get("oneOf"))
            .and_then(Value::as_array)
        {
            let mut real = arms
                .iter()
                .filter(|arm| arm.get("type").and_then(Value::as_str) != Some("null"));
            schema = real.next()?;
            if real.next().is_some() {
                return None;
            }
        } else {
            return Some(schema);
        }
    }
    None
}

/// A set of JSON types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Types(u8);

impl Types {
    const NULL: u8 = 1;
    const BOOLEAN: u8 = 2;
    const INTEGER: u8 = 4;
    const NUMBER: u8 = 8;
    const STRING: u8 = 16;
    const OTHER: u8 = 32;
    /// Nothing is known: everything may be allowed, so nothing is coerced.
    const ANY: Self = Self(0xff);

    fn has(self, kind: u8) -> bool {
        self.0 & kind != 0
    }

    fn of_word(word: &str) -> u8 {
        match word {
            "null" => Self::NULL,
            "boolean" => Self::BOOLEAN,
            "integer" => Self::INTEGER,
            "number" => Self::NUMBER,
            "string" => Self::STRING,
            _ => Self::OTHER,
        }
    }

    fn of_value(value: &Value) -> u8 {
        match value {
            Value::Null => Self::NULL,
            Value::Bool(_) => Self::BOOLEAN,
            Value::Number(_) => Self::NUMBER,
            Value::String(_) => Self::STRING,
            Value::Array(_) | Value::Object(_) => Self::OTHER,
        }
    }
}

/// The types that a schema allows.
fn types(schema: &Value, root: &Value) -> Types {
    types_within(schema, root, MAX_HOPS)
}

fn types_within(schema: &Value, root: &Value, hops: usize) -> Types {
    let Some(hops) = hops.checked_sub(1) else {
        return Types::ANY;
    };
    let union = |arms: &[Value]| {
        arms.iter()
            .fold(0, |all, arm| all | types_within(arm, root, hops).0)
    };
    if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
        let target = reference
            .strip_prefix('#')
            .and_then(|pointer| root.pointer(pointer));
        return target.map_or(Types::ANY, |target| types_within(target, root, hops));
    }
    if let Some(arms) = schema
        .get("anyOf")
        .or_else(|| schema.get("oneOf"))
        .and_then(Value::as_array)
    {
        return Types(union(arms));
    }
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        return Types(
            values
                .iter()
                .fold(0, |all, value| all | Types::of_value(value)),
        );
    }
    if let Some(value) = schema.get("const") {
        return Types(Types::of_value(value));
    }
    match schema.get("type") {
        Some(Value::String(word)) => Types(Types::of_word(word)),
        Some(Value::Array(words)) => Types(
            words
                .iter()
                .filter_map(Value::as_str)
                .fold(0, |all, word| all | Types::of_word(word)),
        ),
        _ => Types::ANY,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn schema() -> Value {
        json!({
            "type": "object",
            "properties": {
                "limit": {"type": ["integer", "null"]},
                "ratio": {"type": "number"},
                "count": {"type": "integer"},
                "all": {"type": "boolean"},
                "word": {"type": "string"},
                "either": {"type": ["string", "integer"]},
                "anything": {},
                "command": {"type": "integer"},
                "path": {"type": "string"},
                "choice": {"enum": ["1", "2"]},
                "edits": {"type": "array", "items": {"$ref": "#/$defs/Edit"}},
            },
            "required": ["all"],
            "$defs": {"Edit": {"type": "object", "properties": {
                "line": {"type": "integer"}, "inner": {"anyOf": [{"$ref": "#/$defs/Edit"}, {"type": "null"}]},
            }}},
        })
    }

    fn coerced(input: Value) -> Value {
        coerce(&input, &schema()).map_or(input, |(value, _)| value)
    }

    #[test]
    fn takes_exactly_the_documented_liberties() {
        assert_eq!(
            coerced(json!({"limit": "3", "ratio": "-1.5e3"})),
            json!({"limit": 3, "ratio": -1500.0})
        );
        assert_eq!(coerced(json!({"all": "true"})), json!({"all": true}));
        assert_eq!(coerced(json!({"all": "false"})), json!({"all": false}));
        assert_eq!(
            coerced(json!({"word": null, "all": true})),
            json!({"all": true})
        );
        assert_eq!(
            coerced(json!({"edits": [{"line": "7", "inner": {"line": "8"}}]})),
            json!({"edits": [{"line": 7, "inner": {"line": 8}}]})
        );
    }

    #[test]
    fn takes_no_other() {
        for input in [
            json!({"all": "False"}),
            json!({"all": 1}),
            json!({"all": ""}),
            json!({"all": null}),
            json!({"limit": null}),
            json!({"limit": "3 "}),
            json!({"limit": "03"}),
            json!({"limit": "0x3"}),
            json!({"count": "3.5"}),
            json!({"count": "NaN"}),
            json!({"word": 3}),
            json!({"either": "3"}),
            json!({"anything": "3"}),
            json!({"choice": 1}),
            json!({"unknown": "3"}),
        ] {
            assert_eq!(coerce(&input, &schema()), None, "{input}");
        }
    }

    #[test]
    fn never_touches_what_decides_a_permission() {
        assert_eq!(coerce(&json!({"command": "3"}), &schema()), None);
        assert_eq!(coerce(&json!({"path": null}), &schema()), None);
    }

    #[test]
    fn ends_on_a_schema_that_refers_to_itself() {
        let schema = json!({"properties": {"a": {"$ref": "#/properties/a"}}});
        assert_eq!(coerce(&json!({"a": "3"}), &schema), None);
    }
}
