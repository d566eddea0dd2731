//! For looking at decisions by hand.

use adroit_protocol::permission::Mode;

use super::support::{bash, rules, snapshot};
use crate::decide;

/// Prints the decision for each line of the file that `ADROIT_PERMISSION_CASES` names, each
/// `mode | rules | command`.
#[test]
#[ignore = "prints what it is asked about"]
fn explain_many() {
    let Ok(path) = std::env::var("ADROIT_PERMISSION_CASES") else {
        return;
    };
    for line in std::fs::read_to_string(path).expect("a file").lines() {
        let mut fields = line.splitn(3, " | ");
        let (Some(mode), Some(text), Some(command)) = (fields.next(), fields.next(), fields.next())
        else {
            continue;
        };
        let mode: Mode = serde_json::from_value(mode.trim().into()).expect("a mode");
        let verdict = decide(&snapshot(mode, rules(text.trim())), bash(command));
        println!(
            "{:?}\t{command}\t{}",
            verdict.behavior(),
            verdict.summary().reason
        );
    }
}
