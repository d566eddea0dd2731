//! The shared rule cases.

use adroit_protocol::permission::{Behavior, Mode};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{CheckContext, check_line};

const CASES: &str = include_str!("../../cases/rules.jsonl");

/// Cases that fail. One that is not here must pass, one that is here must not.
const KNOWN_FAILURES: [&str; 0] = [];

#[derive(Deserialize)]
struct Expectation {
    id: String,
    expected: Behavior,
    why: String,
}

#[derive(Deserialize)]
struct Answer {
    behavior: Behavior,
    reason: String,
}

fn context() -> CheckContext {
    CheckContext {
        workspace: "/w/project".into(),
        home: "/home/dev".into(),
        mode: Mode::Default,
    }
}

#[test]
fn every_shared_case_is_decided_as_expected() {
    let mut failures = Vec::new();
    let mut count = 0;
    for line in CASES.lines() {
        let case: Expectation = serde_json::from_str(line).expect("a case");
        let answer = check_line(line, &context());
        let answer: Answer = serde_json::from_str(&answer).unwrap_or_else(|error| {
            panic!("{}: {error} in {answer}", case.id);
        });
        count += 1;
        let passes = answer.behavior == case.expected;
        if passes == KNOWN_FAILURES.contains(&case.id.as_str()) {
            failures.push(format!(
                "{}: {:?} for {:?} ({}); expected {:?}: {}",
                case.id,
                answer.behavior,
                serde_json::from_str::<Value>(line).expect("JSON")["command"],
                answer.reason,
                case.expected,
                case.why
            ));
        }
    }
    assert_eq!(count, 25);
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// A line of `working.txt` as a query.
fn query(rules: &str, call: &str) -> Value {
    let mut lists = json!({"allow": [], "ask": [], "deny": []});
    for entry in rules.split(" ; ").filter(|entry| !entry.is_empty()) {
        let (list, rule) = entry.split_once(' ').expect("a list and a rule");
        lists[list]
            .as_array_mut()
            .expect("a list")
            .push(json!(rule));
    }
    let tool = call.split_once(' ').filter(|(name, input)| {
        input.starts_with('{')
            && (name.starts_with("mcp__") || name.starts_with(|c: char| c.is_ascii_uppercase()))
    });
    match tool {
        Some((name, input)) => {
            let input: Value = serde_json::from_str(input).expect("an input");
            json!({"rules": lists, "tool": name, "input": input})
        }
        None => json!({"rules": lists, "command": call.replace('␤', "\n")}),
    }
}

#[test]
fn working_cases_are_decided_as_expected() {
    let mut wrong = Vec::new();
    let mut count = 0;
    let lines = include_str!("../../cases/working.txt").lines();
    for line in lines.filter(|line| !line.starts_with('#')) {
        let fields: Vec<&str> = line.splitn(3, '|').map(str::trim).collect();
        let [expected, rules, call] = fields.as_slice() else {
            panic!("three fields: {line}");
        };
        let answer = check_line(&query(rules, call).to_string(), &context());
        let answer: Answer = serde_json::from_str(&answer)
            .unwrap_or_else(|error| panic!("{error} in {answer} for {line}"));
        count += 1;
        if json!(answer.behavior) != json!(expected) {
            wrong.push(format!("{:?} {line}: {}", answer.behavior, answer.reason));
        }
    }
    assert!(count > 300, "{count}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Prints the answer to each line of the file that `ADROIT_PERMISSION_CASES` names, for looking
/// at some by hand.
#[test]
#[ignore = "prints what it is asked about"]
fn explain_many() {
    let Ok(path) = std::env::var("ADROIT_PERMISSION_CASES") else {
        return;
    };
    for line in std::fs::read_to_string(path).unwrap().lines() {
        println!("{}", check_line(line, &context()));
    }
}
