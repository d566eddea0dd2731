//! `tool list`, `tool call` and `permissions check`.

use std::io::Write as _;
use std::process::{Command, Stdio};

use adroit_testkit::TempProject;
use serde_json::{Value, json};

use crate::{adroit, lines, run};

#[test]
fn the_pool_is_listed_with_schemas_and_flags() {
    let project = TempProject::empty();
    let output = run(adroit(&project, &["tool", "list", "--json"]));
    let tools = lines(&output).remove(0);
    let names: Vec<_> = tools
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect();
    assert!(names.is_sorted(), "{names:?}");
    for tool in [
        "Bash",
        "Edit",
        "Glob",
        "Grep",
        "MultiEdit",
        "NotebookEdit",
        "Read",
        "TaskOutput",
        "TaskStop",
        "Write",
    ] {
        assert!(names.contains(&tool), "{tool} is missing of {names:?}");
    }
    for tool in tools.as_array().unwrap() {
        assert_eq!(tool["inputSchema"]["additionalProperties"], false);
        assert!(!tool["prompt"].as_str().unwrap().is_empty());
        assert!(tool["deferred"].is_boolean() && tool["interruptBehavior"].is_string());
    }
}

#[test]
fn one_call_goes_through_the_whole_pipeline() {
    let project = TempProject::new(&[("a.txt", "alpha\n")]);
    let output = run(adroit(
        &project,
        &[
            "tool",
            "call",
            "Read",
            "--input",
            r#"{"file_path": "a.txt"}"#,
        ],
    ));
    assert!(output.status.success());
    let report = lines(&output).remove(0);
    assert_eq!(report["isError"], false);
    assert!(
        report["content"][0]["text"]
            .as_str()
            .unwrap()
            .contains("alpha")
    );
    assert_eq!(report["record"]["decision"]["behavior"], "allow");
    assert!(report["view"]["title"].as_str().unwrap().contains("a.txt"));
    let refused = run(adroit(
        &project,
        &[
            "tool",
            "call",
            "Bash",
            "--input",
            r#"{"command": "touch x"}"#,
        ],
    ));
    assert_eq!(refused.status.code(), Some(1));
    assert_eq!(lines(&refused)[0]["status"], "denied");
    let invalid = run(adroit(
        &project,
        &["tool", "call", "Read", "--input", "{nope"],
    ));
    assert_eq!(invalid.status.code(), Some(2));
}

/// Each call is a process of its own, and still an edit needs a file that was read and is as it was.
#[test]
fn calls_on_one_folder_are_one_sitting() {
    let project = TempProject::new(&[("a.txt", "one\ntwo\n")]);
    let call = |tool: &str, input: serde_json::Value| {
        let input = input.to_string();
        let words = [
            "tool",
            "call",
            tool,
            "--mode",
            "acceptEdits",
            "--input",
            &input,
        ];
        let report = lines(&run(adroit(&project, &words))).remove(0);
        (
            report["isError"] == false,
            report["content"][0]["text"].as_str().unwrap().to_owned(),
        )
    };
    let edit =
        |old: &str, new: &str| json!({"file_path": "a.txt", "old_string": old, "new_string": new});
    let (done, text) = call("Edit", edit("one", "1"));
    assert!(!done && text.contains("has not been read yet"), "{text}");
    assert!(call("Read", json!({"file_path": "a.txt"})).0);
    assert!(call("Edit", edit("one", "1")).0);
    assert!(call("Edit", edit("two", "2")).0);
    project.write("a.txt", "1\ntwo and a half\n");
    let (done, text) = call("Edit", edit("1", "one"));
    assert!(
        !done && text.contains("+ two and a half") && text.contains("- 2"),
        "{text}"
    );
}

#[test]
fn permissions_are_checked_line_by_line_without_the_folders() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_adroit-cli"))
        .args([
            "permissions",
            "check",
            "--workspace",
            "/w/project",
            "--home",
            "/home/dev",
        ])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let queries = [
        json!({"id": "a", "command": "git status"}),
        json!({"id": "b", "command": "rm -rf ~/"}),
        json!({"id": "c", "tool": "Read", "input": {"file_path": "/home/dev/.ssh/id"}, "rules": {"deny": ["Read(~/.ssh/**)"]}}),
        json!({"id": "d", "tool": "WebFetch", "input": {"url": "https://a.test/"}, "rules": {"allow": ["WebFetch(domain:a.test)"]}}),
    ];
    let mut input = child.stdin.take().unwrap();
    for query in &queries {
        writeln!(input, "{query}").unwrap();
    }
    writeln!(input, "not json").unwrap();
    drop(input);
    let output = child.wait_with_output().unwrap();
    let answers = lines(&output);
    let behaviors: Vec<_> = answers
        .iter()
        .map(|answer| answer["behavior"].as_str())
        .collect();
    assert_eq!(
        behaviors,
        [
            Some("allow"),
            Some("ask"),
            Some("deny"),
            Some("allow"),
            None
        ]
    );
    assert_eq!(answers[1]["analysis"]["destructive"], true);
    assert_eq!(answers[1]["analysis"]["outsideWorkspace"], true);
    assert!(answers[4]["error"].is_string());
}

/// The log of a run without a window: the spans of its calls, and nothing of what they were about.
#[test]
fn calls_are_logged_without_their_contents_unless_settings_say_no() {
    let logged = |settings: &str| {
        let project = TempProject::new(&[("a.txt", "alpha\n")]);
        project.write(".adroit/settings.json", r#"{"telemetry": {"log": false}}"#);
        let directories = adroit_host::AppDirectories::under(&project.data_dir());
        let user = directories.user_settings();
        std::fs::create_dir_all(user.parent().unwrap()).unwrap();
        std::fs::write(user, settings).unwrap();
        let prompt = "create s3cret.txt with wh1sper";
        let output = run(adroit(&project, &["exec", "--mode", "acceptEdits", prompt]));
        assert!(output.status.success(), "{output:?}");
        let folder = directories.logs();
        let files = std::fs::read_dir(folder).map(|files| files.map(|file| file.unwrap().path()));
        files
            .into_iter()
            .flatten()
            .map(|file| std::fs::read_to_string(file).unwrap())
            .collect::<String>()
    };
    let log = logged("{}");
    let calls: Vec<Value> = log
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .filter(|line| line["span"]["name"] == "tool_call")
        .collect();
    assert_eq!(calls.len(), 1, "{log}");
    assert_eq!(calls[0]["span"]["tool"], "Write");
    assert!(calls[0]["span"]["elapsed_us"].is_u64());
    for content in ["s3cret", "wh1sper", "alpha"] {
        assert!(!log.contains(content), "{log}");
    }
    assert_eq!(logged(r#"{"telemetry": {"log": false}}"#), "");
}

/// Whatever is wrong with the text of an input, the answer has the form of any other call's.
#[test]
fn an_input_that_is_no_plain_json_is_refused_as_a_call() {
    let project = TempProject::new(&[("a.txt", "alpha\n")]);
    for (input, problem) in [
        (
            r#"{"command": "ls", "command": "touch x"}"#,
            "is there twice",
        ),
        (r#"{"command": "\ud800"}"#, "hex escape"),
        (r#"{"command": "ls""#, "EOF"),
        ("[1]", "must be a JSON object"),
        ("", "EOF"),
    ] {
        let output = run(adroit(
            &project,
            &["tool", "call", "Bash", "--input", input],
        ));
        // What is no JSON was never a call; what is no object was one.
        let code = if input == "[1]" { 1 } else { 2 };
        assert_eq!(output.status.code(), Some(code), "{output:?}");
        let report = &lines(&output)[0];
        assert_eq!(
            (&report["isError"], &report["status"]),
            (&json!(true), &json!("failed"))
        );
        let text = report["content"][0]["text"].as_str().unwrap();
        assert!(
            text.starts_with("InputValidationError: Bash was not called."),
            "{text}"
        );
        assert!(text.contains(problem), "{input}: {text}");
    }
    assert!(!project.exists("x"));
}
