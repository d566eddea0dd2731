//! The handed cases, every field in both directions.

use serde_json::Value;

use super::look_in;

#[test]
fn verdicts() {
    let cases = include_str!("../../cases/verdicts.jsonl");
    let mut wrong = Vec::new();
    let mut count = 0;
    for line in cases.lines().filter(|line| !line.trim().is_empty()) {
        let case: Value = serde_json::from_str(line).unwrap();
        let text = |key: &str| case[key].as_str().unwrap();
        let analysis = look_in(text("command"), text("cwd"));
        count += 1;
        let allow = analysis.read_only && !analysis.outside_workspace;
        let found = [
            ("read_only", Value::Bool(analysis.read_only)),
            ("concurrency_safe", Value::Bool(analysis.read_only)),
            (
                "default_mode",
                Value::from(if allow { "allow" } else { "ask" }),
            ),
            ("outside_workspace", Value::Bool(analysis.outside_workspace)),
            ("destructive", Value::Bool(analysis.destructive.is_some())),
            (
                "sed_edit",
                analysis
                    .sed_edit
                    .as_ref()
                    .map_or(Value::Null, |edit| serde_json::json!({"file": edit.file})),
            ),
        ];
        for (key, value) in found {
            if case[key] != value {
                wrong.push(format!(
                    "{} {key}: expected {}, found {value}\n  {}\n  {:?}",
                    text("id"),
                    case[key],
                    text("command"),
                    analysis.reasons
                ));
            }
        }
    }
    assert_eq!(count, 60);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
