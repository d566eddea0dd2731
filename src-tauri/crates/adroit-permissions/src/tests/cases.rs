//! The shared rule cases.

use adroit_protocol::permission::{Behavior, Mode};
use serde::Deserialize;
use serde_json::Value;

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
