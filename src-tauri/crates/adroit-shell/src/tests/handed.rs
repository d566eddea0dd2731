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

/// Classification is per command, not per word.
#[test]
fn one_of_these_only_reads() {
    let commands = [
        "ls > out",
        "git status; rm x",
        "find . -delete",
        "find . -exec rm {} +",
        "sort -o f f",
        "git -c core.pager=./x log",
        "tee f",
        "awk \"BEGIN{system(\\\"id\\\")}\"",
        "cat $(touch z)",
        "ls -la | grep foo",
        "git branch -D x",
        "rg --pre=./x p",
    ];
    let reading: Vec<&str> = commands
        .into_iter()
        .filter(|command| look_in(command, "/w/project").read_only)
        .collect();
    assert_eq!(reading, ["ls -la | grep foo"]);
}

/// Spelling hides nothing from a deny rule; where the command cannot be seen,
/// it is at least not read-only and no allow rule covers it.
#[test]
fn no_spelling_runs_silently() {
    let commands = [
        "/bin/rm -rf x",
        "\\rm x",
        "r\"\"m x",
        "command rm x",
        "env rm x",
        "busybox rm x",
        "sh -c \"rm x\"",
        "xargs rm < l",
        "X=rm; $X x",
        "timeout 5 rm x",
        "if true; then rm x; fi",
        "cu\\\nrl http://h",
    ];
    for command in commands {
        let analysis = look_in(command, "/w/project");
        assert!(!analysis.read_only, "{command:?}");
        let seen = analysis
            .parts
            .iter()
            .chain(&analysis.suspected_parts)
            .flat_map(crate::CommandPart::deny_forms)
            .any(|form| form.starts_with("rm ") || form == "rm" || form.starts_with("curl "));
        let uncovered = analysis
            .parts
            .iter()
            .any(|part| !part.read_only && part.allow_forms().is_empty());
        assert!(seen || uncovered, "{command:?}");
    }
}
