//! Places in files that a person opens.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;

use adroit_protocol::ErrorCode;
use adroit_protocol::command::{FileLines, FoundFiles};
use adroit_testkit::TempProject;
use serde_json::{Value, json};

use crate::desk::Desk;

#[tokio::test(flavor = "multi_thread")]
async fn words_of_an_output_are_found_where_they_name_a_file_of_the_project() {
    let desk = Desk::offline(&[("src/a.rs", "one\n"), ("top.txt", "top\n")]).await;
    let root = desk.project.path();
    let outside = desk.project.data_dir().join("outside.txt");
    std::fs::write(&outside, "x").unwrap();
    std::os::unix::fs::symlink(&outside, root.join("link.txt")).unwrap();
    let names = json!([
        "a.rs",
        "top.txt",
        "src",
        "missing.rs",
        "../top.txt",
        outside.display().to_string(),
        "../../etc/passwd",
        "/etc/passwd",
        "link.txt",
        "nul\u{0}",
        ""
    ]);
    let found: FoundFiles = desk
        .on_session(
            "place.find",
            json!({"folder": root.join("src"), "names": names}),
        )
        .await
        .unwrap();
    let path = |name: &str| Some(root.join(name).display().to_string());
    assert_eq!(
        found.paths,
        [
            path("src/a.rs"),
            path("top.txt"),
            None,
            None,
            path("top.txt"),
            None,
            None,
            None,
            // A link that leaves the project is outside.
            None,
            None,
            None,
        ]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn no_more_words_are_looked_at_than_a_line_holds() {
    let desk = Desk::offline(&[("a.txt", "a")]).await;
    let found: FoundFiles = desk
        .on_session(
            "place.find",
            json!({"folder": "/nowhere", "names": vec!["a.txt"; 100]}),
        )
        .await
        .unwrap();
    assert_eq!(found.paths.iter().flatten().count(), 64);
    assert_eq!(found.paths.len(), 100);
}

#[tokio::test(flavor = "multi_thread")]
async fn lines_around_a_place_are_shown() {
    let text: String = (1..=1_000).map(|line| format!("line {line}\n")).collect();
    let desk = Desk::offline(&[("src/a.rs", &text)]).await;
    let page: FileLines = desk
        .on_session(
            "place.view",
            json!({"path": "src/a.rs", "first": 500, "count": 3}),
        )
        .await
        .unwrap();
    assert_eq!(page.lines, ["line 500", "line 501", "line 502"]);
    assert_eq!((page.first, page.total, page.editor), (500, 1_000, false));
    assert_eq!(page.shown, "src/a.rs");
    let whole: FileLines = desk
        .on_session(
            "place.view",
            json!({"path": page.path, "first": 0, "count": 4_000_000}),
        )
        .await
        .unwrap();
    assert_eq!((whole.first, whole.lines.len()), (1, 1_000));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_outside_missing_or_no_text_is_not_shown_and_says_why() {
    let desk = Desk::offline(&[("a.bin", "\u{0}\u{1}\u{0}"), ("dir/a.txt", "")]).await;
    for (path, code, words) in [
        ("/etc/passwd", ErrorCode::Failed, "outside"),
        ("gone.rs", ErrorCode::NotFound, "gone.rs"),
        ("dir", ErrorCode::NotFound, "not an ordinary"),
        ("a.bin", ErrorCode::Failed, "binary"),
    ] {
        let error = desk
            .on_session::<FileLines>("place.view", json!({"path": path, "first": 1, "count": 9}))
            .await
            .unwrap_err();
        assert_eq!(error.code, code, "{path}: {error}");
        assert!(error.message.contains(words), "{path}: {error}");
        assert!(error.hint.is_some(), "{path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_place_opens_in_the_editor_that_the_person_named() {
    let project = TempProject::new(&[("src/a b.rs", "one\n")]);
    let told = project.data_dir().join("told");
    let editor = project.data_dir().join("my editor");
    // A pipe: whoever reads it waits until the editor has told.
    assert!(
        Command::new("mkfifo")
            .arg(&told)
            .status()
            .unwrap()
            .success()
    );
    let script = "#!/bin/sh\nprintf '%s\\n' \"$PWD\" \"$@\" > \"$TOLD\"\n";
    std::fs::write(&editor, script).unwrap();
    std::fs::set_permissions(&editor, Permissions::from_mode(0o755)).unwrap();
    let command = format!(
        "env TOLD={} '{}' +{{line}} {{file}}",
        told.display(),
        editor.display()
    );
    let desk = Desk::start(project, json!({"appearance": {"editor": command}})).await;
    desk.on_session::<Value>(
        "place.edit",
        json!({"path": "src/a b.rs", "position": {"line": 7, "column": 2}}),
    )
    .await
    .unwrap();
    let heard = tokio::task::spawn_blocking(|| std::fs::read_to_string(told));
    let root = desk.project.path();
    assert_eq!(
        heard.await.unwrap().unwrap(),
        format!("{0}\n+7\n{0}/src/a b.rs\n", root.display())
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_editor_that_is_not_named_or_missing_is_said() {
    let desk = Desk::offline(&[("a.txt", "")]).await;
    let edit = json!({"path": "a.txt", "position": null});
    let error = desk
        .on_session::<Value>("place.edit", edit.clone())
        .await
        .unwrap_err();
    assert!(error.message.contains("o editor is named"), "{error}");
    let project = TempProject::new(&[("a.txt", "")]);
    let settings = json!({"appearance": {"editor": "no-such-editor-here {file}"}});
    let desk = Desk::start(project, settings).await;
    let error = desk
        .on_session::<Value>("place.edit", edit)
        .await
        .unwrap_err();
    assert!(error.message.contains("no-such-editor-here"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_project_names_no_editor() {
    let settings = r#"{"appearance": {"editor": "touch pwned"}}"#;
    let desk = Desk::offline(&[("a.txt", ""), (".adroit/settings.json", settings)]).await;
    let error = desk
        .on_session::<Value>("place.edit", json!({"path": "a.txt", "position": null}))
        .await
        .unwrap_err();
    assert!(error.message.contains("o editor is named"), "{error}");
}
