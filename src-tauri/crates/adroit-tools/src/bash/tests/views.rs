//! What is shown of a command, and what it counts as.

use adroit_protocol::view::{Block, GroupKind, Tone};
use adroit_tool::{Stage, Tool, ToolFailure};
use serde_json::json;

use super::{Fixture, input};
use crate::bash::BashInput;

#[test]
fn titles_are_the_first_line_and_times_are_for_people() {
    use crate::bash::presentation::{duration, first_line};
    assert_eq!(first_line("cargo test"), "cargo test");
    assert_eq!(first_line("\n cd a\nmake\n"), "cd a …");
    assert_eq!(
        first_line(&"é".repeat(200)),
        format!("{} …", "é".repeat(120))
    );
    assert_eq!(
        [5, 1_000, 1_250, 60_000, 125_000].map(duration),
        ["5 ms", "1 s", "1.2 s", "1 min", "2 min 5 s"]
    );
}

#[tokio::test]
async fn every_moment_has_a_view() {
    let fixture = Fixture::new();
    let bash = &fixture.bash;
    for partial in [
        json!({}),
        json!(null),
        json!({"command": 5}),
        json!({"command": "ls -"}),
    ] {
        let view = bash.present(Stage::Writing { partial: &partial });
        assert!(!view.title.is_empty());
    }
    let input = BashInput {
        description: Some("Build it".to_owned()),
        ..input("make\nmake install")
    };
    let view = bash.preview(&input, &fixture.context).await;
    let Some(Block::Terminal { command, cwd, .. }) = view.blocks.last() else {
        panic!("no command in {view:?}");
    };
    assert_eq!(command, "make\nmake install");
    assert_eq!(*cwd, fixture.root.display().to_string());
    assert_eq!(view.blocks.len(), 2, "the description stands before it");
    // A description that only repeats the command says nothing.
    let input = BashInput {
        description: Some("Run make".to_owned()),
        ..input
    };
    let view = bash
        .preview(
            &BashInput {
                command: "make".to_owned(),
                ..input
            },
            &fixture.context,
        )
        .await;
    assert_eq!(view.blocks.len(), 1, "{view:?}");
    let view = bash.present(Stage::Failed {
        partial: &json!({"command": "make"}),
        failure: &ToolFailure::new("exit_code", "Exit code 2").with_summary("exit code 2"),
    });
    assert_eq!((view.title.as_str(), view.tone), ("make", Tone::Danger));
    assert_eq!(view.summary.as_deref(), Some("exit code 2"));
}

#[tokio::test]
async fn what_is_not_understood_is_neither_read_only_nor_safe() {
    let fixture = Fixture::new();
    for command in [
        "$X",
        "eval \"$(cat x)\"",
        "(",
        "rm -rf build",
        "git status; rm x",
    ] {
        let input = input(command);
        assert!(
            !fixture.bash.is_read_only(&input, &fixture.context),
            "{command}"
        );
        assert!(
            !fixture.bash.is_concurrency_safe(&input, &fixture.context),
            "{command}"
        );
        assert_eq!(fixture.bash.search_or_read(&input), None, "{command}");
    }
}

#[tokio::test]
async fn readers_fold_under_their_verb() {
    let fixture = Fixture::new();
    for (command, verb) in [
        ("grep -rn main src", Some(GroupKind::Search)),
        ("cat Cargo.toml | head -5", Some(GroupKind::Read)),
        ("ls -la | grep x", Some(GroupKind::List)),
        ("git status", None),
        ("echo hi", None),
    ] {
        let input = input(command);
        assert!(
            fixture.bash.is_read_only(&input, &fixture.context),
            "{command}"
        );
        assert!(
            fixture.bash.is_concurrency_safe(&input, &fixture.context),
            "{command}"
        );
        assert_eq!(fixture.bash.search_or_read(&input), verb, "{command}");
    }
    let moving = input("cd src && ls");
    assert!(!fixture.bash.is_concurrency_safe(&moving, &fixture.context));
}

#[tokio::test]
async fn an_exit_code_that_answers_is_no_failure() {
    let fixture = Fixture::new();
    std::fs::write(fixture.root.join("a"), "x\n").expect("a file");
    let outcome = fixture.run("grep nothing a").await.expect("success");
    assert_eq!(outcome.data.exit_code, Some(1));
    let text = outcome.data.for_model();
    assert!(text.starts_with("(no output)\nExit code 1: "), "{text}");
    assert_eq!(
        fixture.failure("grep nothing missing").await.code,
        "exit_code"
    );
}
