//! `permissions check`, line by line.

use adroit_protocol::permission::Mode;
use serde_json::Value;

use crate::{CheckContext, check_line};

fn answer(line: &str) -> Value {
    in_mode(line, Mode::Default)
}

fn in_mode(line: &str, mode: Mode) -> Value {
    let context = CheckContext {
        workspace: "/w/project".into(),
        home: "/home/dev".into(),
        mode,
    };
    let text = check_line(line, &context);
    assert!(!text.contains('\n'), "{text}");
    serde_json::from_str(&text).expect("JSON")
}

#[test]
fn an_answer_has_the_documented_fields() {
    insta::assert_json_snapshot!(
        answer(r#"{"id": 7, "tool": "Read", "input": {"file_path": "/etc/hosts"}, "why": "x"}"#),
        @r#"
    {
      "id": 7,
      "behavior": "ask",
      "reason": "reads outside the workspace: `/etc/hosts`",
      "rule": null,
      "analysis": {
        "readOnly": true,
        "concurrencySafe": true,
        "outsideWorkspace": true,
        "destructive": false,
        "sedEdit": null
      }
    }
    "#
    );
    let denied = answer(r#"{"id": "a", "tool": "mcp__x__y", "rules": {"deny": ["mcp__x"]}}"#);
    assert_eq!(denied["behavior"], "deny");
    assert_eq!(denied["rule"], "mcp__x");
}

#[test]
fn a_mode_and_a_folder_count() {
    let edit = r#"{"id": 1, "tool": "Write", "input": {"file_path": "a", "content": ""}}"#;
    assert_eq!(in_mode(edit, Mode::AcceptEdits)["behavior"], "allow");
    assert_eq!(in_mode(edit, Mode::DontAsk)["behavior"], "deny");
    let below = r#"{"id": 1, "cwd": "/w/project/a", "tool": "Write",
        "input": {"file_path": "b/c"}, "rules": {"allow": ["Edit(b/**)"]}}"#;
    assert_eq!(answer(below)["behavior"], "allow");
}

#[test]
fn what_is_no_query_is_an_error_and_never_a_behavior() {
    for line in [
        "",
        "nonsense",
        "[]",
        "7",
        r#"{"id": 1}"#,
        r#"{"id": 1, "command": 5}"#,
        r#"{"id": 1, "command": ""}"#,
        r#"{"id": 1, "tool": ""}"#,
        r#"{"id": 1, "tool": "Read"}"#,
        r#"{"id": 1, "tool": "Read", "input": {"file_path": 3}}"#,
        r#"{"id": 1, "tool": "Read", "command": "ls"}"#,
        r#"{"id": 1, "tool": "Glob", "input": {"path": "/w"}}"#,
        r#"{"id": 1, "command": "ls", "cwd": "here"}"#,
        r#"{"id": 1, "command": "ls", "rules": {"dney": ["Bash"]}}"#,
        r#"{"id": 1, "command": "ls", "rules": {"deny": "Bash"}}"#,
        r#"{"id": 1, "command": "ls", "rules": {"deny": [1]}}"#,
        r#"{"id": 1, "command": "ls", "command": "rm x"}"#,
    ] {
        let answer = answer(line);
        assert!(answer.get("behavior").is_none(), "{line}: {answer}");
        assert!(
            answer["error"]
                .as_str()
                .is_some_and(|text| !text.is_empty()),
            "{line}: {answer}"
        );
        if line.starts_with("{\"id\": 1") {
            assert_eq!(answer["id"], 1, "{line}");
        }
    }
}
