//! Rules as conditions of hooks.

use adroit_protocol::permission::Mode;
use serde_json::json;

use super::support::{call, snapshot};
use crate::Condition;

fn concerns(rule: &str, tool: &str, input: serde_json::Value) -> bool {
    let workspace = snapshot(Mode::Default, Vec::new()).workspace;
    Condition::parse(rule)
        .unwrap()
        .concerns(call(tool, input), &workspace)
}

#[test]
fn a_condition_sees_every_command_of_a_chain() {
    for command in ["git push", "cd src && git push -f", "true; git push"] {
        assert!(
            concerns("Bash(git push *)", "Bash", json!({ "command": command })),
            "{command}"
        );
    }
    assert!(!concerns(
        "Bash(git push *)",
        "Bash",
        json!({ "command": "git status" })
    ));
    assert!(!concerns(
        "Bash(git push *)",
        "Read",
        json!({ "file_path": "git push" })
    ));
}

#[test]
fn a_condition_on_files_knows_their_folder() {
    let edit = |path: &str| json!({ "file_path": path });
    assert!(concerns(
        "Edit(/src/**)",
        "Edit",
        edit("/w/project/src/a.rs")
    ));
    assert!(!concerns(
        "Edit(/src/**)",
        "Edit",
        edit("/w/project/doc/a.md")
    ));
    // A hook for edited files could make nothing of a command that writes one.
    assert!(!concerns(
        "Edit(/src/**)",
        "Bash",
        json!({ "command": "touch src/a.rs" })
    ));
    assert!(concerns("Read", "Read", edit("/w/project/doc/a.md")));
}

#[test]
fn what_is_no_rule_is_no_condition() {
    assert!(Condition::parse("").is_err());
    assert!(Condition::parse("Bash(git").is_err());
}
