use std::sync::Arc;

use adroit_tool::{AnyTool, ErasedStage};
use proptest::prelude::*;
use serde_json::json;

use crate::tests::{Project, shown_diff, the_diff};

async fn edited(bytes: &[u8], old: &str, new: &str) -> Vec<u8> {
    let project = Project::with(&[("f", bytes)]);
    project.read("f").await;
    project.edit("f", old, new).await.unwrap();
    project.bytes("f")
}

#[tokio::test]
async fn dv_edit_001_crlf_stays() {
    assert_eq!(
        edited(b"[a]\r\nk=1\r\n[b]\r\nk=2\r\n", "[b]\nk=2", "[b]\nk=3").await,
        b"[a]\r\nk=1\r\n[b]\r\nk=3\r\n"
    );
}

#[tokio::test]
async fn dv_edit_003_windows_1252_stays() {
    assert_eq!(
        edited(b"nome=configura\xe7\xe3o\nmodo=0\n", "modo=0", "modo=1").await,
        b"nome=configura\xe7\xe3o\nmodo=1\n"
    );
}

#[tokio::test]
async fn dv_edit_004_gbk_stays() {
    assert_eq!(
        edited(
            b"// \xd6\xd0\xce\xc4\xd7\xa2\xca\xcd\nint n = 5;\n",
            "int n = 5;",
            "int n = 6;"
        )
        .await,
        b"// \xd6\xd0\xce\xc4\xd7\xa2\xca\xcd\nint n = 6;\n"
    );
}

#[tokio::test]
async fn dv_edit_006_dollars_are_literal() {
    let project = Project::with(&[("d.sh", b"PID=X\nALT=X\n")]);
    project.read("d.sh").await;
    let input =
        json!({ "file_path": "d.sh", "old_string": "X", "new_string": "$$", "replace_all": true });
    let done = project.call("Edit", input).await.unwrap();
    assert_eq!(project.bytes("d.sh"), b"PID=$$\nALT=$$\n");
    insta::assert_snapshot!(done.text, @"
    Edited d.sh: replaced 2 occurrences (+2 −2). It now reads:
         1	PID=$$
         2	ALT=$$
    ");
}

#[tokio::test]
async fn dv_edit_007_overlapping_occurrences() {
    let project = Project::with(&[("o.txt", b"aaaa\n")]);
    project.read("o.txt").await;
    let failure = project.edit("o.txt", "aa", "b").await.err().unwrap();
    assert_eq!(failure.code, "not_unique");
    insta::assert_snapshot!(failure, @"o.txt: old_string occurs 3 times in the file (line 1): add surrounding lines to make it unique, or set replace_all to replace every occurrence");
    let input =
        json!({ "file_path": "o.txt", "old_string": "aa", "new_string": "b", "replace_all": true });
    assert!(
        project
            .text("Edit", input)
            .await
            .contains("replaced 2 occurrences")
    );
    assert_eq!(project.bytes("o.txt"), b"bb\n");
}

#[tokio::test]
async fn dv_edit_008_white_space_is_applied() {
    let project = Project::with(&[("w.py", b"if x:\n    y\n")]);
    project.read("w.py").await;
    project.edit("w.py", "    y", "\ty").await.unwrap();
    project.edit("w.py", "if x:\n", "if x:  \n").await.unwrap();
    assert_eq!(project.bytes("w.py"), b"if x:  \n\ty\n");
}

#[tokio::test]
async fn dv_edit_009_quotes_stay_straight() {
    let file = "// \u{201c}it\u{2019}s\u{201d}\nconst q = 0;\n";
    let new = r#"const q = ["'", '"'].join("|");"#;
    assert_eq!(
        edited(file.as_bytes(), "const q = 0;", new).await,
        format!("// \u{201c}it\u{2019}s\u{201d}\n{new}\n").as_bytes()
    );
}

#[tokio::test]
async fn dv_edit_010_look_alikes_are_explained_and_not_replaced() {
    let file = "pub const MAX\u{a0}WAIT: u8 = 9; // \u{ff08}\u{4e0a}\u{9650}\u{ff19}\u{79d2}\u{ff09}\u{ff80}\u{ff72}\u{ff91}\n";
    let project = Project::with(&[("w.rs", file.as_bytes())]);
    project.read("w.rs").await;
    let failure = project
        .edit("w.rs", "MAX WAIT: u8 = 9", "MAX_WAIT: u8 = 8")
        .await
        .err()
        .unwrap();
    assert_eq!(failure.code, "no_match");
    assert!(
        failure.message.contains("no-break space (U+00A0)"),
        "{failure}"
    );
    assert_eq!(project.bytes("w.rs"), file.as_bytes());
}

#[tokio::test]
async fn dv_edit_011_the_final_newline_stays_as_it_is() {
    assert_eq!(edited(b"x\ny", "y", "z").await, b"x\nz");
    assert_eq!(edited(b"x\ny\n", "y", "z").await, b"x\nz\n");
    let project = Project::new();
    project
        .text("Write", json!({ "file_path": "nf2.txt", "content": "q" }))
        .await;
    assert_eq!(project.bytes("nf2.txt"), b"q");
}

#[tokio::test]
async fn dv_edit_014_time_and_mode_are_no_change_and_equal_time_is_no_proof() {
    use std::os::unix::fs::PermissionsExt;
    let project = Project::with(&[("u.txt", b"one\n")]);
    project.read("u.txt").await;
    let path = project.root.join("u.txt");
    let file = std::fs::File::options().write(true).open(&path).unwrap();
    file.set_modified(std::time::SystemTime::now() + std::time::Duration::from_secs(9))
        .unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o664)).unwrap();
    project.edit("u.txt", "one", "two").await.unwrap();
    // The same size and time, another content.
    let modified = path.metadata().unwrap().modified().unwrap();
    std::fs::write(&path, "six\n").unwrap();
    std::fs::File::options()
        .write(true)
        .open(&path)
        .unwrap()
        .set_modified(modified)
        .unwrap();
    let failure = project.edit("u.txt", "six", "ten").await.err().unwrap();
    assert_eq!(failure.code, "stale");
    insta::assert_snapshot!(failure, @"
    u.txt was changed by someone else since you read it. What changed since:
         1 - two
         1 + six
    Read it again, then make the change on what is there now.
    ");
    assert!(
        failure
            .blocks
            .iter()
            .any(|block| matches!(block, adroit_protocol::view::Block::Diff(_)))
    );
}

#[tokio::test]
async fn dv_edit_015_its_own_edit_makes_nothing_stale() {
    let project = Project::with(&[("p.md", b"- [ ] a\n- [ ] b\n- [ ] c\n")]);
    project.read("p.md").await;
    for item in ["a", "b", "c"] {
        project
            .edit("p.md", &format!("- [ ] {item}"), &format!("- [x] {item}"))
            .await
            .unwrap();
    }
    assert_eq!(project.bytes("p.md"), b"- [x] a\n- [x] b\n- [x] c\n");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn dv_edit_016_two_agents_never_lose_an_edit() {
    for _ in 0..50 {
        let project = Project::with(&[("ports.ini", b"left=10\nright=20\n")]);
        project.read("ports.ini").await;
        // Each agent remembers for itself what it read.
        let seen = project
            .context
            .files
            .seen(&project.root.join("ports.ini"))
            .unwrap();
        let other = adroit_tool::CallContext::detached(&project.root, &project.root);
        other.files.record(&project.root.join("ports.ini"), seen);
        let edit = |old: &str, new: &str, context: adroit_tool::CallContext| {
            let tool: Arc<dyn AnyTool> = Arc::clone(project.tool("Edit"));
            let input = json!({ "file_path": "ports.ini", "old_string": old, "new_string": new });
            tokio::spawn(async move {
                let input = tool.parse(Arc::new(input)).unwrap();
                tool.call(&input, context).await.map(drop)
            })
        };
        let left = edit("left=10", "left=11", project.context.clone());
        let right = edit("right=20", "right=21", other);
        let (left, right) = (left.await.unwrap(), right.await.unwrap());
        let expected = match (&left, &right) {
            (Ok(()), Ok(())) => "left=11\nright=21\n",
            (Ok(()), Err(failure)) if failure.code == "stale" => "left=11\nright=20\n",
            (Err(failure), Ok(())) if failure.code == "stale" => "left=10\nright=21\n",
            other => panic!("{other:?}"),
        };
        assert_eq!(project.bytes("ports.ini"), expected.as_bytes());
    }
}

#[tokio::test]
async fn dv_edit_017_a_deleted_file_is_not_brought_back() {
    let project = Project::with(&[("gone.txt", b"x\n")]);
    project.read("gone.txt").await;
    std::fs::remove_file(project.root.join("gone.txt")).unwrap();
    let failure = project.edit("gone.txt", "x", "y").await.err().unwrap();
    assert!(failure.message.contains("no longer exists"), "{failure}");
    assert!(!project.root.join("gone.txt").exists());
    let text = project
        .text("Write", json!({ "file_path": "gone.txt", "content": "n" }))
        .await;
    assert_eq!(text, "Created gone.txt (1 line).");
}

#[tokio::test]
async fn what_was_not_read_is_not_changed() {
    let project = Project::with(&[("f", b"x\n")]);
    let failure = project.edit("f", "x", "y").await.err().unwrap();
    assert_eq!(failure.code, "not_read");
    insta::assert_snapshot!(failure, @"f exists and has not been read yet. Read it first, so that nothing in it is lost unseen.");
    assert_eq!(
        project.edit("f", "x", "x").await.err().unwrap().code,
        "identical"
    );
    assert_eq!(
        project.edit("none", "x", "y").await.err().unwrap().code,
        "not_found"
    );
    assert_eq!(project.bytes("f"), b"x\n");
}

#[tokio::test]
async fn an_empty_string_creates_and_never_replaces() {
    let project = Project::with(&[("full", b"x\n"), ("empty", b"")]);
    project.edit("new/file.txt", "", "made\n").await.unwrap();
    assert_eq!(project.bytes("new/file.txt"), b"made\n");
    project.read("full").await;
    assert_eq!(
        project.edit("full", "", "y").await.err().unwrap().code,
        "exists"
    );
    project.read("empty").await;
    project.edit("empty", "", "filled\n").await.unwrap();
    assert_eq!(project.bytes("empty"), b"filled\n");
}

#[tokio::test]
async fn a_link_stays_a_link_and_names_stay_together() {
    let project = Project::with(&[("target", b"x\n"), ("one", b"x\n")]);
    std::os::unix::fs::symlink("target", project.root.join("link")).unwrap();
    std::fs::hard_link(project.root.join("one"), project.root.join("two")).unwrap();
    project.read("link").await;
    project.edit("link", "x", "y").await.unwrap();
    assert!(project.root.join("link").is_symlink());
    assert_eq!(project.bytes("target"), b"y\n");
    project.read("one").await;
    let done = project.edit("one", "x", "y").await.unwrap();
    assert!(done.text.contains("hard links"), "{}", done.text);
    assert_eq!(project.bytes("two"), b"y\n");
}

#[tokio::test]
async fn the_request_shows_the_change_of_the_file_as_it_is() {
    let project = Project::with(&[("a.rs", b"one\ntwo\nthree\nfour\nfive\nsix\n")]);
    project.read("a.rs").await;
    let input = json!({ "file_path": "a.rs", "old_string": "five", "new_string": "5" });
    let preview = project.preview("Edit", input.clone()).await;
    insta::assert_snapshot!(shown_diff(the_diff(&preview)), @"
    Updated a.rs +1 -1
    @@ -2,5 +2,5 @@
     two
     three
     four
    -five
    +5
     six
    ");
    let done = project.call("Edit", input).await.unwrap();
    assert_eq!(
        the_diff(&done.view),
        the_diff(&preview),
        "what was shown is what was done"
    );
    insta::assert_snapshot!(done.text, @"
    Edited a.rs: replaced 1 occurrence (+1 −1). It now reads:
         2	two
         3	three
         4	four
         5	5
         6	six
    ");
    insta::assert_json_snapshot!("view", done.view);
    let would_fail = project
        .preview(
            "Edit",
            json!({ "file_path": "a.rs", "old_string": "nine", "new_string": "9" }),
        )
        .await;
    assert_eq!(would_fail.summary.as_deref(), Some("text not found"));
}

#[test]
fn the_two_strings_are_a_change_before_anything_ran() {
    let project = Project::new();
    let tool = project.tool("Edit");
    let half = json!({ "file_path": "a.rs", "old_string": "let a = 1;" });
    let view = tool.present(ErasedStage::Writing { partial: &half });
    assert_eq!(view.title, "Edit a.rs");
    let input = tool
        .parse(Arc::new(
            json!({ "file_path": "a.rs", "old_string": "a\nb\n", "new_string": "a\nc\n" }),
        ))
        .unwrap();
    insta::assert_snapshot!(shown_diff(the_diff(&tool.present(ErasedStage::Queued { input: &input }))), @"
    Updated a.rs +1 -1
    @@ -0,2 +0,2 @@
     a
    -b
    +c
    ");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn an_edit_changes_its_range_and_no_other_byte(before in "[ab\r\n]{0,20}", after in "[ab\r\n]{0,20}", new in "[xy]{1,5}") {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let bytes = format!("{before}UNIQUE{after}");
        let changed = runtime.block_on(edited(bytes.as_bytes(), "UNIQUE", &new));
        prop_assert_eq!(changed, format!("{before}{new}{after}").into_bytes());
    }
}

/// Where the file system folds case (exFAT, APFS, NTFS; `TMPDIR` on one of them), another spelling is the same
/// file: read under one and edited under another, and its stored name stays. Elsewhere it is another file.
#[tokio::test]
async fn another_spelling_is_the_same_file_where_the_file_system_says_so() {
    let project = Project::with(&[("Docs/Name.txt", b"one\ntwo\n")]);
    if !project.root.join("docs/NAME.TXT").exists() {
        let failure = project
            .edit("docs/NAME.TXT", "one", "1")
            .await
            .err()
            .unwrap();
        assert!(failure.message.contains("Docs"), "{}", failure.message);
        return;
    }
    project.read("docs/name.txt").await;
    project.edit("DOCS/NAME.TXT", "one", "1").await.unwrap();
    project.edit("Docs/Name.txt", "two", "2").await.unwrap();
    let input = json!({ "file_path": "docs/nAME.txt", "content": "3\n" });
    project.call("Write", input).await.unwrap();
    project.edit("Docs/Name.txt", "3", "4").await.unwrap();
    assert_eq!(project.bytes("Docs/Name.txt"), b"4\n");
    assert_eq!(project.names("."), ["Docs"]);
    assert_eq!(project.names("Docs"), ["Name.txt"]);
}
