//! Schemas of any shape, and inputs of any shape against them.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::input::{InputSchema, message};

fn check(schema: Value, input: Value) -> Result<Value, String> {
    InputSchema::new(Arc::new(schema))
        .check(Arc::new(input))
        .map(|checked| Value::clone(&checked.value))
        .map_err(|problems| message("Tool", &problems))
}

/// dv-stream-014: only "true" and "false" are booleans, only the exact word is a choice.
#[test]
fn booleans_and_choices_in_strings() {
    let schema = json!({
        "type": "object",
        "properties": {
            "replace_all": {"type": "boolean"},
            "output_mode": {"anyOf": [{"$ref": "#/$defs/OutputMode"}, {"type": "null"}]},
        },
        "$defs": {"OutputMode": {"oneOf": [
            {"const": "content", "description": "Lines."},
            {"const": "files_with_matches", "description": "Names."},
            {"type": "string", "enum": ["count"]},
        ]}},
    });
    assert_eq!(
        check(schema.clone(), json!({"replace_all": "true"})),
        Ok(json!({"replace_all": true}))
    );
    assert_eq!(
        check(schema.clone(), json!({"replace_all": "false"})),
        Ok(json!({"replace_all": false}))
    );
    let problems: Vec<String> = [json!("False"), json!(1), json!(""), json!(null)]
        .into_iter()
        .map(|value| {
            let words = check(schema.clone(), json!({"replace_all": value}));
            words.map_or_else(
                |words| words.lines().skip(1).collect::<Vec<_>>().join("; "),
                |fits| fits.to_string(),
            )
        })
        .collect();
    insta::assert_snapshot!(problems.join("\n"), @r#"
    - `replace_all`: expected true or false; got the string "False"
    - `replace_all`: expected true or false; got the number 1
    - `replace_all`: expected true or false; got the string ""
    {}
    "#);
    insta::assert_snapshot!(check(schema, json!({"output_mode": "Content"})).unwrap_err(), @r#"
    InputValidationError: Tool was not called. Its input has a problem:
    - `output_mode`: expected one of "content", "files_with_matches", "count"; got the string "Content"
    "#);
}

/// dv-stream-018: servers' schemas may be of any kind.
#[test]
fn nested_and_recursive_schemas() {
    let schema = json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["target"],
        "properties": {
            "target": {"oneOf": [
                {"type": "object", "required": ["file"], "properties": {"file": {"type": "string"}}},
                {"type": "object", "required": ["line"], "properties": {"line": {"type": "integer"}}},
            ]},
            "tree": {"$ref": "#/$defs/Tree"},
            "name": {"type": "string", "pattern": "^(?!secret)[a-z]+$"},
            "address": {"type": "string", "format": "uri"},
        },
        "$defs": {"Tree": {
            "type": "object",
            "additionalProperties": false,
            "properties": {"children": {"type": "array", "items": {"$ref": "#/$defs/Tree"}}},
        }},
    });
    let good = json!({
        "target": {"file": "a"}, "name": "plain", "address": "not checked",
        "tree": {"children": [{"children": []}, {}]},
    });
    assert_eq!(check(schema.clone(), good.clone()), Ok(good));

    insta::assert_snapshot!(check(schema.clone(), json!({"target": {"file": "a", "line": 1}})).unwrap_err(), @r"
    InputValidationError: Tool was not called. Its input has a problem:
    - `target`: expected exactly one of 2 shapes, and fits more than one; got an object with 2 fields
    ");
    insta::assert_snapshot!(
        check(schema.clone(), json!({"target": {}, "name": "secretive", "tree": {"children": [{}, {"kids": 1}]}})).unwrap_err(),
        @r#"
    InputValidationError: Tool was not called. Its input has 3 problems:
    - `target.file`: is required, and missing
    - `name`: expected a string that matches ^(?!secret)[a-z]+$; got the string "secretive"
    - `tree.children[1].kids`: is not a field of this tool; the fields are `children`
    A missing field is not an empty one, and nothing was done. If your answer was cut off at the output limit, send the call again with less in it, in several calls where needed.
    "#
    );

    let mut deep = json!({});
    for _ in 0..2_000 {
        deep = Value::Object(
            [("children".to_owned(), Value::Array(vec![deep]))]
                .into_iter()
                .collect(),
        );
    }
    let mut input = json!({"target": {"file": "a"}});
    input["tree"] = deep;
    insta::assert_snapshot!(check(schema, input).unwrap_err(), @r"
    InputValidationError: Tool was not called. Its input has a problem:
    - the input: at most 100 levels of nesting; got more
    ");
}

#[test]
fn a_pattern_that_is_not_understood_refuses_nothing() {
    let schema = json!({"properties": {"a": {"type": "string", "pattern": "(?<n>[a-z"}, "b": {"type": "integer"}}});
    assert!(check(schema.clone(), json!({"a": "x"})).is_ok());
    assert!(
        check(schema, json!({"b": true})).is_err(),
        "the rest is still checked"
    );
}

#[test]
fn a_pattern_that_would_take_for_ever_is_given_up() {
    let schema = json!({"properties": {"a": {"type": "string", "pattern": "^(?=a)(a+)+\\1$"}}});
    let input = json!({"a": format!("{}!", "a".repeat(5_000))});
    // Either answer is good, as long as it comes.
    let _ = check(schema, input);
}

#[test]
fn a_schema_that_cannot_be_used_leaves_the_input_to_its_tool() {
    let schema =
        json!({"type": "object", "properties": {"a": {"$ref": "https://example.com/schema.json"}}});
    assert!(check(schema, json!({"a": 1})).is_ok());
}

#[test]
fn every_problem_is_told_with_its_place() {
    let schema = json!({
        "type": "object",
        "required": ["a", "b"],
        "properties": {"list": {"type": "array", "items": {"type": "object", "required": ["x"],
            "properties": {"x": {"type": "number", "maximum": 3}}}}},
    });
    insta::assert_snapshot!(check(schema, json!({"list": [{"x": 4}, {}, "no", {"x": []}]})).unwrap_err(), @r#"
    InputValidationError: Tool was not called. Its input has 6 problems:
    - `a`: is required, and missing
    - `b`: is required, and missing
    - `list[0].x`: expected a number of at most 3; got the number 4
    - `list[1].x`: is required, and missing
    - `list[2]`: expected an object; got the string "no"
    - `list[3].x`: expected a number; got an array of 0
    A missing field is not an empty one, and nothing was done. If your answer was cut off at the output limit, send the call again with less in it, in several calls where needed.
    "#);
}

#[test]
fn a_schema_that_is_only_itself_takes_nothing_down() {
    for schema in [
        json!({"$ref": "#"}),
        json!({"allOf": [{"$ref": "#"}]}),
        json!({"$ref": "#/$defs/A", "$defs": {"A": {"anyOf": [{"$ref": "#/$defs/B"}]}, "B": {"not": {"$ref": "#/$defs/A"}}}}),
    ] {
        // Either answer is good, as long as it comes.
        let _ = check(schema, json!({"a": "1"}));
    }
}
