use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;

use adroit_permissions::ToolCheck;
use adroit_tool::ErasedStage;
use adroit_workspace::WriteError;
use serde_json::json;

use crate::tests::{Project, shown_diff, the_diff};

async fn rewritten(bytes: &[u8], content: &str) -> (Vec<u8>, String) {
    let project = Project::with(&[("f", bytes)]);
    project.read("f").await;
    let text = project
        .text("Write", json!({ "file_path": "f", "content": content }))
        .await;
    (project.bytes("f"), text)
}

#[tokio::test]
async fn dv_edit_002_the_line_endings_are_kept_and_said() {
    let (bytes, text) = rewritten(b"a\r\nb\r\n", "a\nb\nc\n").await;
    assert_eq!(bytes, b"a\r\nb\r\nc\r\n");
    insta::assert_snapshot!(text, @"
    Updated f (3 lines, +1 −0).
    [CRLF line endings kept]
    ");
    assert_eq!(rewritten(b"a\r\nb\r\n", "a\r\nb\n").await.0, b"a\r\nb\r\n");
    assert_eq!(rewritten(b"a\rb\r", "a\nc\n").await.0, b"a\rc\r");
    let (bytes, text) = rewritten(b"a\nb\n", "a\r\nb\r\n").await;
    assert_eq!(bytes, b"a\r\nb\r\n");
    assert!(
        text.contains("line endings changed from LF to CRLF"),
        "{text}"
    );
    let (bytes, text) = rewritten(b"a\nb\r\nc\r\n", "x\ny\n").await;
    assert_eq!(bytes, b"x\r\ny\r\n");
    assert!(text.contains("mixed line endings"), "{text}");
    let project = Project::new();
    project
        .text(
            "Write",
            json!({ "file_path": "new.sh", "content": "#!/bin/sh\n" }),
        )
        .await;
    assert_eq!(project.bytes("new.sh"), b"#!/bin/sh\n");
}

#[tokio::test]
async fn dv_edit_005_a_mark_is_kept_and_none_is_added() {
    let (bytes, text) = rewritten(b"\xef\xbb\xbfWrite-Host 1\n", "Write-Host 2\n").await;
    assert_eq!(bytes, b"\xef\xbb\xbfWrite-Host 2\n");
    assert!(text.contains("UTF-8 with BOM kept"), "{text}");
    assert_eq!(
        rewritten(b"\xef\xbb\xbfa\n", "\u{feff}b\n").await.0,
        b"\xef\xbb\xbfb\n"
    );
    let project = Project::with(&[("p2.md", b"# t\n")]);
    project.read("p2.md").await;
    project.edit("p2.md", "# t", "# u").await.unwrap();
    assert_eq!(project.bytes("p2.md"), b"# u\n");
}

#[tokio::test]
async fn another_encoding_is_kept_or_the_write_is_refused() {
    let latin = b"caf\xe9 cr\xe8me br\xfbl\xe9e d\xe9j\xe0 vu\n";
    assert_eq!(rewritten(latin, "th\u{e9}\n").await.0, b"th\xe9\n");
    let project = Project::with(&[("f", latin)]);
    project.read("f").await;
    let failure = project
        .failure("Write", json!({ "file_path": "f", "content": "→" }))
        .await;
    assert_eq!(failure.code, "unencodable");
    assert_eq!(project.bytes("f"), latin);
}

#[tokio::test]
async fn dv_edit_012_parents_are_made_and_a_file_is_no_folder() {
    let project = Project::new();
    let text = project
        .text(
            "Write",
            json!({ "file_path": "a/b c/\u{fc}/x.txt", "content": "1" }),
        )
        .await;
    assert_eq!(text, "Created a/b c/\u{fc}/x.txt (1 line).");
    project.write("a/file", b"kept");
    let failure = project
        .failure(
            "Write",
            json!({ "file_path": "a/file/y.txt", "content": "1" }),
        )
        .await;
    assert_eq!(failure.code, "no_parent");
    assert!(
        failure
            .message
            .contains("a/file is a file, not a directory"),
        "{failure}"
    );
    assert_eq!(project.bytes("a/file"), b"kept");
}

#[tokio::test]
async fn dv_edit_013_the_executable_bit_survives() {
    let project = Project::with(&[("hook.sh", b"#!/bin/sh\n"), ("plain", b"")]);
    let mode = |name: &str| {
        project
            .root
            .join(name)
            .metadata()
            .unwrap()
            .permissions()
            .mode()
            & 0o7777
    };
    std::fs::set_permissions(
        project.root.join("hook.sh"),
        std::fs::Permissions::from_mode(0o755),
    )
    .unwrap();
    project.read("hook.sh").await;
    project
        .text(
            "Write",
            json!({ "file_path": "hook.sh", "content": "#!/bin/sh\nexit 0\n" }),
        )
        .await;
    assert_eq!(mode("hook.sh"), 0o755);
    project
        .text("Write", json!({ "file_path": "new", "content": "" }))
        .await;
    assert_eq!(mode("new"), mode("plain"));
}

#[tokio::test]
async fn dv_edit_018_a_full_disk_is_named() {
    // The file's survival on a really full disk is tested where writing is; here are the words.
    let failure = crate::files::write_failure(WriteError::NoSpace {
        path: "mnt/keep.txt".into(),
    });
    assert_eq!(failure.code, "no_space");
    insta::assert_snapshot!(failure, @"no space left on the device for mnt/keep.txt: nothing was written, free some space and try again.");
}

#[tokio::test]
async fn dv_edit_021_an_input_cut_off_blanks_nothing() {
    let project = Project::with(&[("keep.pas", "x".repeat(9_000).as_bytes())]);
    project.read("keep.pas").await;
    let failure = project
        .failure("Write", json!({ "file_path": "keep.pas" }))
        .await;
    assert!(
        failure.message.contains("missing field `content`"),
        "{failure}"
    );
    assert_eq!(project.bytes("keep.pas").len(), 9_000);
}

#[tokio::test]
async fn what_was_not_read_or_changed_since_is_not_replaced() {
    let project = Project::with(&[("f", b"x\n")]);
    let input = json!({ "file_path": "f", "content": "new\n" });
    assert_eq!(
        project.failure("Write", input.clone()).await.code,
        "not_read"
    );
    project.read("f").await;
    project.write("f", b"other\n");
    assert_eq!(project.failure("Write", input.clone()).await.code, "stale");
    assert_eq!(project.bytes("f"), b"other\n");
    project.read("f").await;
    project.text("Write", input.clone()).await;
    assert_eq!(
        project.text("Write", input).await,
        "f already has exactly this content; nothing was written."
    );
    assert_eq!(project.names(""), ["f"]);
}

/// A file that is no text: Read says why, Edit refuses, and Write replaces it once it was looked at, with
/// the person asked and only while it is still the same.
#[tokio::test]
async fn what_is_no_text_is_replaced_as_a_whole_or_not_at_all() {
    let bytes = b"text\nand a \0 byte\n";
    let project = Project::with(&[("f.dat", bytes.as_slice()), ("plain", b"x\n")]);
    let input = json!({ "file_path": "f.dat", "content": "new\n" });
    assert_eq!(
        project.failure("Write", input.clone()).await.code,
        "not_read"
    );
    let failure = project
        .failure("Read", json!({ "file_path": "f.dat" }))
        .await;
    insta::assert_snapshot!(failure, @"f.dat is a binary file (a NUL byte at offset 11, 18 bytes). It is not text. Look at it with `file` or `xxd` in Bash where that helps. Write may replace it as a whole; the user is asked.");
    let failure = project.edit("f.dat", "text", "x").await.err().unwrap();
    insta::assert_snapshot!(failure, @"f.dat is not a text file (a NUL byte at offset 11): only text can be edited. Change it with a program in Bash, or read it and replace it as a whole with Write.");
    assert_eq!(project.bytes("f.dat"), bytes);
    let check = |path: &str| {
        let tool = project.tool("Write");
        let input = json!({ "file_path": path, "content": "new\n" });
        let input = tool.parse(Arc::new(input)).unwrap();
        tool.check_permissions(&input, &project.context)
    };
    assert_eq!(
        check("f.dat"),
        ToolCheck::Ask {
            reason: "It replaces a file that is not text (a NUL byte at offset 11) as a whole."
                .into(),
            bypass_immune: false,
        }
    );
    assert_eq!(check("plain"), ToolCheck::Pass);
    assert_eq!(check("none"), ToolCheck::Pass);
    // Somebody else writes it meanwhile.
    project.write("f.dat", b"other\0");
    assert_eq!(project.failure("Write", input.clone()).await.code, "stale");
    project
        .failure("Read", json!({ "file_path": "f.dat" }))
        .await;
    let text = project.text("Write", input).await;
    assert!(text.contains("the file was not text before"), "{text}");
    assert_eq!(project.bytes("f.dat"), b"new\n");
}

/// Whatever the tool, the kind of name and the bits: what a file has beside its content stays.
#[tokio::test]
async fn what_a_file_has_beside_its_content_stays() {
    for tool in ["Edit", "Write", "MultiEdit"] {
        for kind in ["plain", "symbolic link", "hard link"] {
            for mode in [0o600, 0o644, 0o755, 0o4750] {
                let project = Project::with(&[("target", b"old\r\n")]);
                let (target, name) = (project.root.join("target"), project.root.join("name"));
                let name = match kind {
                    "plain" => "target",
                    "symbolic link" => {
                        std::os::unix::fs::symlink("target", &name).unwrap();
                        "name"
                    }
                    _ => {
                        std::fs::hard_link(&target, &name).unwrap();
                        "name"
                    }
                };
                std::fs::set_permissions(&target, std::fs::Permissions::from_mode(mode)).unwrap();
                project.read(name).await;
                let input = match tool {
                    "Edit" => {
                        json!({ "file_path": name, "old_string": "old", "new_string": "new" })
                    }
                    "Write" => json!({ "file_path": name, "content": "new\n" }),
                    _ => {
                        json!({ "file_path": name, "edits": [{ "old_string": "old", "new_string": "new" }] })
                    }
                };
                project.text(tool, input).await;
                let case = format!("{tool} {kind} {mode:o}");
                assert_eq!(project.bytes("target"), b"new\r\n", "{case}");
                assert_eq!(project.bytes(name), b"new\r\n", "{case}");
                let facts = adroit_workspace::inspect(&target).unwrap();
                assert_eq!(facts.mode, mode, "{case}");
                assert_eq!(
                    facts.links,
                    if kind == "hard link" { 2 } else { 1 },
                    "{case}"
                );
                assert_eq!(
                    project.root.join("name").is_symlink(),
                    kind == "symbolic link",
                    "{case}"
                );
                let left = if kind == "plain" { 1 } else { 2 };
                assert_eq!(project.names("").len(), left, "{case}");
            }
        }
    }
}

#[tokio::test]
async fn the_request_shows_the_whole_change() {
    let project = Project::with(&[("a.txt", b"one\ntwo\n")]);
    project.read("a.txt").await;
    let input = json!({ "file_path": "a.txt", "content": "one\nzwei\n" });
    let preview = project.preview("Write", input.clone()).await;
    insta::assert_snapshot!(shown_diff(the_diff(&preview)), @"
    Updated a.txt +1 -1
    @@ -1,2 +1,2 @@
     one
    -two
    +zwei
    ");
    let done = project.call("Write", input).await.unwrap();
    assert_eq!(the_diff(&done.view), the_diff(&preview));
    let created = project
        .preview("Write", json!({ "file_path": "b.txt", "content": "new\n" }))
        .await;
    insta::assert_snapshot!(shown_diff(the_diff(&created)), @"
    Created b.txt +1 -0
    @@ -0,0 +1,1 @@
    +new
    ");
}

#[test]
fn the_content_shows_while_it_is_written() {
    let project = Project::new();
    let tool = project.tool("Write");
    let content: String = (1..=100).map(|line| format!("line {line}\n")).collect();
    let partial = json!({ "file_path": "long.txt", "content": content });
    insta::assert_json_snapshot!(
        "writing",
        tool.present(ErasedStage::Writing { partial: &partial })
    );
    let input = tool
        .parse(Arc::new(json!({ "file_path": "a", "content": "x" })))
        .unwrap();
    let running = tool.present(ErasedStage::Running {
        input: &input,
        progress: None,
    });
    assert_eq!(running.activity.as_deref(), Some("Writing a"));
}
