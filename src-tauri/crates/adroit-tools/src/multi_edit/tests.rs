use std::sync::Arc;

use adroit_tool::ErasedStage;
use serde_json::{Value, json};

use crate::tests::{Project, shown_diff, the_diff};

fn input(path: &str, edits: &[(&str, &str)]) -> Value {
    let edits: Vec<Value> = edits
        .iter()
        .map(|(old, new)| json!({ "old_string": old, "new_string": new }))
        .collect();
    json!({ "file_path": path, "edits": edits })
}

#[tokio::test]
async fn dv_edit_020_all_or_nothing_and_in_order() {
    let project = Project::with(&[("m.txt", b"one\ntwo\n")]);
    project.read("m.txt").await;
    let failure = project
        .failure(
            "MultiEdit",
            input("m.txt", &[("one", "ONE"), ("ONE", "1"), ("missing", "x")]),
        )
        .await;
    assert_eq!(failure.code, "no_match");
    insta::assert_snapshot!(failure, @"
    m.txt: edit 3 of 3 cannot be made (as the file reads after the 2 edits before it): old_string was not found in the file.
    No edit was made: the file is as it was.
    ");
    assert_eq!(project.bytes("m.txt"), b"one\ntwo\n");
    let done = project
        .call("MultiEdit", input("m.txt", &[("one", "ONE"), ("ONE", "1")]))
        .await
        .unwrap();
    assert_eq!(project.bytes("m.txt"), b"1\ntwo\n");
    insta::assert_snapshot!(done.text, @"
    Edited m.txt: 2 edits made (+1 −1). It now reads:
         1	1
         2	two
    ");
    assert_eq!(done.view.summary.as_deref(), Some("+1 −1, 2 edits"));
    // Its own change does not make the file stale.
    project.edit("m.txt", "two", "2").await.unwrap();
}

#[tokio::test]
async fn bytes_outside_the_places_stay() {
    let project = Project::with(&[("f", b"\xef\xbb\xbfa\r\nb\nc\r\nlast")]);
    project.read("f").await;
    let edits = input("f", &[("b", "B\nBB"), ("c\nlast", "C\nend")]);
    project.call("MultiEdit", edits).await.unwrap();
    assert_eq!(project.bytes("f"), b"\xef\xbb\xbfa\r\nB\nBB\nC\r\nend");
}

#[tokio::test]
async fn several_places_are_counted_and_each_error_has_its_number() {
    let project = Project::with(&[("f", b"x y x\nz\nz\n")]);
    project.read("f").await;
    let edits = json!({ "file_path": "f", "edits": [
        { "old_string": "x", "new_string": "w", "replace_all": true },
        { "old_string": "y", "new_string": "v" },
    ]});
    let text = project.text("MultiEdit", edits).await;
    assert!(text.contains("2 edits in 3 places made"), "{text}");
    let failure = project
        .failure("MultiEdit", input("f", &[("w v", "u"), ("z", "y")]))
        .await;
    assert_eq!(failure.code, "not_unique");
    assert!(
        failure.message.contains("edit 2 of 2") && failure.message.contains("lines 2, 3"),
        "{failure}"
    );
    assert_eq!(failure.summary.as_deref(), Some("edit 2: 2 matches"));
    for (edits, number) in [
        (vec![("w", "w")], "Edit 1 of 1"),
        (vec![("v", "a"), ("", "b")], "Edit 2 of 2"),
    ] {
        let failure = project.failure("MultiEdit", input("f", &edits)).await;
        assert!(failure.message.contains(number), "{failure}");
    }
    assert_eq!(
        project.failure("MultiEdit", input("f", &[])).await.code,
        "no_edits"
    );
}

#[tokio::test]
async fn the_same_conditions_as_for_edit() {
    let project = Project::with(&[("f", b"x\n"), ("full", b"x\n")]);
    let edits = || input("f", &[("x", "y"), ("y", "z")]);
    assert_eq!(project.failure("MultiEdit", edits()).await.code, "not_read");
    project.read("f").await;
    project.write("f", b"x\nmore\n");
    let failure = project.failure("MultiEdit", edits()).await;
    assert_eq!(failure.code, "stale");
    assert_eq!(project.bytes("f"), b"x\nmore\n");
    std::fs::remove_file(project.root.join("f")).unwrap();
    assert_eq!(project.failure("MultiEdit", edits()).await.code, "gone");
    project.read("full").await;
    let creates = input("full", &[("", "new\n"), ("new", "old")]);
    assert_eq!(project.failure("MultiEdit", creates).await.code, "exists");
}

#[tokio::test]
async fn the_first_edit_may_create() {
    let project = Project::new();
    let edits = input("deep/new.txt", &[("", "one\ntwo\n"), ("two", "2")]);
    let preview = project.preview("MultiEdit", edits.clone()).await;
    let done = project.call("MultiEdit", edits).await.unwrap();
    assert_eq!(project.bytes("deep/new.txt"), b"one\n2\n");
    assert_eq!(
        the_diff(&done.view),
        the_diff(&preview),
        "what was shown is what was done"
    );
    insta::assert_snapshot!(shown_diff(the_diff(&done.view)), @"
    Created deep/new.txt +2 -0
    @@ -0,0 +1,2 @@
    +one
    +2
    ");
    let failure = project
        .failure("MultiEdit", input("other", &[("", "a\n"), ("b", "c")]))
        .await;
    assert!(failure.message.contains("edit 2 of 2"), "{failure}");
    assert!(!project.root.join("other").exists());
}

#[test]
fn what_is_written_shows_edit_by_edit() {
    let project = Project::new();
    let tool = project.tool("MultiEdit");
    let partial = json!({ "file_path": "a.rs", "edits": [
        { "old_string": "one", "new_string": "1" },
        { "old_string": "two" },
    ]});
    let view = tool.present(ErasedStage::Writing { partial: &partial });
    assert_eq!(
        (view.title.as_str(), view.tag.as_deref()),
        ("Edit a.rs", Some("2 edits"))
    );
    assert_eq!(view.blocks.len(), 1);
    let parsed = tool
        .parse(Arc::new(input("a.rs", &[("one", "1"), ("two", "2")])))
        .unwrap();
    let view = tool.present(ErasedStage::Queued { input: &parsed });
    assert_eq!(view.blocks.len(), 2);
}
