use std::io::Cursor;
use std::os::unix::fs::symlink;

use adroit_protocol::message::ResultContent;
use adroit_protocol::view::Block;
use adroit_tool::{CancelReason, ErasedStage, ResultLimit};
use adroit_workspace::ReadError;
use image::{DynamicImage, ImageFormat};
use serde_json::json;

use super::pdf::tests::pdf;
use crate::tests::Project;

fn encoded(width: u32, height: u32, format: ImageFormat) -> Vec<u8> {
    let mut bytes = Vec::new();
    DynamicImage::new_rgb8(width, height)
        .write_to(&mut Cursor::new(&mut bytes), format)
        .unwrap();
    bytes
}

#[tokio::test]
async fn lines_are_numbered() {
    let project = Project::with(&[("a.rs", b"fn main() {\n\tbody();\n}\n")]);
    let done = project
        .call("Read", json!({ "file_path": "a.rs" }))
        .await
        .unwrap();
    insta::assert_snapshot!(done.text, @"
    1	fn main() {
    2		body();
    3	}
    ");
    insta::assert_json_snapshot!("view", done.view);
    assert_eq!(
        project.read("a.rs").await,
        project
            .read(&project.root.join("a.rs").display().to_string())
            .await
    );
    insta::assert_snapshot!(Project::with(&[("e", b"")]).read("e").await, @"[e exists and is empty.]");
}

#[tokio::test]
async fn dv_read_005_offset_and_limit() {
    let project = Project::with(&[("s.txt", b"a\nb\nc\n")]);
    let read = |input| project.call("Read", input);
    insta::assert_snapshot!(project.failure("Read", json!({ "file_path": "s.txt", "offset": 4 })).await, @"s.txt has 3 lines; offset 4 is past its end.");
    insta::assert_snapshot!(read(json!({ "file_path": "s.txt", "offset": 3, "limit": 10 })).await.unwrap().text, @"
         3	c
    [lines 3 to 3 of 3]
    ");
    assert!(
        read(json!({ "file_path": "s.txt", "offset": 0 }))
            .await
            .unwrap()
            .text
            .starts_with("     1\ta")
    );
    insta::assert_snapshot!(project.failure("Read", json!({ "file_path": "s.txt", "limit": 0 })).await, @"limit must be at least 1: it says how many lines to read.");
    // The engine's schema check names the field; without it the parser does.
    assert_eq!(
        project
            .failure("Read", json!({ "file_path": "s.txt", "offset": -1 }))
            .await
            .code,
        "invalid_input"
    );
    assert_eq!(
        project
            .failure("Read", json!({ "file_path": "s.txt", "offset": "2" }))
            .await
            .code,
        "invalid_input"
    );
    insta::assert_snapshot!(read(json!({ "file_path": "s.txt", "limit": 2 })).await.unwrap().text, @"
         1	a
         2	b
    [lines 1 to 2 of 3; continue with offset 3]
    ");
}

#[tokio::test]
async fn dv_read_006_cuts_fall_between_characters() {
    let mut project = Project::with(&[("u.txt", format!("x{}\n", "漢".repeat(5_000)).as_bytes())]);
    for limit in [1_998, 1_999, 2_000] {
        project.context.limits.line_chars = limit;
        let text = project.read("u.txt").await;
        assert!(
            text.contains(&format!("[line cut: {} more characters]", 5_001 - limit)),
            "{limit}"
        );
        assert!(!text.contains('\u{fffd}'));
    }
}

#[tokio::test]
async fn dv_read_007_text_and_binary_are_told_apart_by_bytes() {
    let project = Project::with(&[
        ("a.exe", b"MZ\x90\x00\x03"),
        ("b.ts", b"const a: number = 1;\n"),
    ]);
    let mut log = "a line of a log file\n".repeat(150_000).into_bytes();
    log[2_900_000] = 0;
    project.write("app.log", &log);
    let mut film = vec![0xff_u8; 188 * 50];
    film.chunks_mut(188)
        .for_each(|packet| packet[..4].copy_from_slice(&[0x47, 0x40, 0x11, 0x10]));
    project.write("film.ts", &film);
    let wide: Vec<u8> = "ключ = 1\n"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    project.write("wide.txt", &[&[0xff, 0xfe], wide.as_slice()].concat());
    insta::assert_snapshot!(project.failure("Read", json!({ "file_path": "a.exe" })).await, @"a.exe is a binary file (application/vnd.microsoft.portable-executable, 5 bytes). It is not text. Look at it with `file` or `xxd` in Bash where that helps. Write may replace it as a whole; the user is asked.");
    insta::assert_snapshot!(project.failure("Read", json!({ "file_path": "film.ts" })).await, @"film.ts is a binary file (video/mp2t, 9.2 KB). It is not text. Look at it with `file` or `xxd` in Bash where that helps. Write may replace it as a whole; the user is asked.");
    assert_eq!(project.read("b.ts").await, "     1\tconst a: number = 1;");
    let line = 2_900_000 / 21 + 1;
    let done = project
        .call(
            "Read",
            json!({ "file_path": "app.log", "offset": line, "limit": 1 }),
        )
        .await
        .unwrap();
    assert!(done.text.contains("\\x00"), "{}", done.text);
    insta::assert_snapshot!(project.read("wide.txt").await, @"
         1	ключ = 1
    [encoding UTF-16LE, kept when the file is edited]
    ");
}

#[tokio::test]
async fn dv_read_004_devices_pipes_and_sockets_are_not_opened() {
    let project = Project::new();
    symlink("/dev/zero", project.root.join("z")).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(project.root.join("s.sock")).unwrap();
    for path in ["/dev/zero", "/dev/random", "z", "s.sock", "."] {
        assert_eq!(
            project
                .failure("Read", json!({ "file_path": path }))
                .await
                .code,
            "not_a_file",
            "{path}"
        );
    }
    for path in ["/dev/stdin", "/proc/self/fd/0", "/dev/tty"] {
        let code = project
            .failure("Read", json!({ "file_path": path }))
            .await
            .code;
        assert!(
            ["not_a_file", "not_found", "permission_denied"].contains(&code),
            "{path}: {code}"
        );
    }
    insta::assert_snapshot!(project.failure("Read", json!({ "file_path": "s.sock" })).await, @"s.sock is a socket, not a file. Opening it could wait for ever, so it is neither read nor written.");
    insta::assert_snapshot!(project.failure("Read", json!({ "file_path": "." })).await, @r#". is a directory, not a file. Name a file in it; Glob lists them, for example with pattern "./*"."#);
}

#[tokio::test]
async fn dv_read_009_permission_and_absence_have_their_own_words() {
    let project = Project::with(&[("src/main.rs", b"")]);
    insta::assert_snapshot!(project.failure("Read", json!({ "file_path": "src/mian.rs" })).await, @"src/mian.rs does not exist. Did you mean src/main.rs?");
    insta::assert_snapshot!(project.failure("Read", json!({ "file_path": "nothing/like/it" })).await, @"nothing/like/it does not exist. Look for it with Glob.");
    // As root nothing is unreadable, so the words are made from the error itself.
    let resolved = crate::files::resolve(&project.workspace(), "src/main.rs").unwrap();
    let denied = crate::files::read_failure(
        &project.workspace(),
        &resolved,
        ReadError::Denied("p".into()).into(),
    );
    insta::assert_snapshot!(denied, @"Permission denied: the user that this program runs as may not read src/main.rs. It exists; another path will not help.");
}

#[tokio::test]
async fn dv_edit_019_a_name_that_only_looks_alike_is_shown_escaped() {
    let name = "Screenshot 2026-01-02 at 3.04.05\u{202f}PM.png";
    let project = Project::with(&[(name, b"text after all\n")]);
    let failure = project
        .failure(
            "Read",
            json!({ "file_path": "Screenshot 2026-01-02 at 3.04.05 PM.png" }),
        )
        .await;
    insta::assert_snapshot!(failure.message.replace('\u{202f}', "<U+202F>"), @r#"Screenshot 2026-01-02 at 3.04.05 PM.png does not exist. Did you mean Screenshot 2026-01-02 at 3.04.05<U+202F>PM.png (in JSON: "Screenshot 2026-01-02 at 3.04.05\u202fPM.png"; it holds characters that look like others)?"#);
    assert!(project.read(name).await.contains("text after all"));
}

#[tokio::test]
async fn dv_read_001_a_cut_image_is_refused() {
    let project = Project::new();
    let whole = encoded(300, 300, ImageFormat::Jpeg);
    project.write("cut.jpg", &whole[..300]);
    let failure = project
        .failure("Read", json!({ "file_path": "cut.jpg" }))
        .await;
    assert_eq!(failure.code, "broken_image");
    assert!(failure.message.contains("the image cannot be decoded"));
}

#[tokio::test]
async fn dv_read_002_the_bytes_tell_the_kind() {
    let project = Project::with(&[("logo.svg", b"<svg xmlns=\"http://www.w3.org/2000/svg\"/>\n")]);
    project.write("shot.png", &encoded(4, 3, ImageFormat::WebP));
    project.write("anim.gif", &encoded(4, 3, ImageFormat::Gif));
    project.write("large.jpg", &encoded(3_000, 1_500, ImageFormat::Jpeg));
    let image = |content: &[ResultContent]| match &content[1] {
        ResultContent::Image { media_type, .. } => media_type.clone(),
        other => panic!("{other:?}"),
    };
    let webp = project
        .call("Read", json!({ "file_path": "shot.png" }))
        .await
        .unwrap();
    assert_eq!(image(&webp.content), "image/webp");
    assert!(
        matches!(&webp.view.blocks[0], Block::Image { media_type, .. } if media_type == "image/webp")
    );
    let gif = project
        .call("Read", json!({ "file_path": "anim.gif" }))
        .await
        .unwrap();
    assert_eq!(image(&gif.content), "image/png");
    assert_eq!(gif.text, "[anim.gif: GIF image, 4 × 3 pixels, first frame]");
    assert!(project.read("logo.svg").await.starts_with("     1\t<svg"));
    assert_eq!(
        project.read("large.jpg").await,
        "[large.jpg: JPG image, 3000 × 1500 pixels, shown at 1568 × 784]"
    );
}

#[tokio::test]
async fn dv_read_010_a_stored_result_is_paged_and_never_stored_again() {
    let project = Project::new();
    assert_eq!(
        project.tool("Read").max_result_chars(),
        ResultLimit::SelfBounded
    );
    let long: String = (0..3_000)
        .map(|line| format!("{line} {}\n", "y".repeat(400)))
        .collect();
    project.write("RESULT.txt", long.as_bytes());
    let text = project.read("RESULT.txt").await;
    assert!(text.len() < 220_000);
    assert!(
        text.contains("ended early because the lines are long; continue with offset"),
        "{}",
        &text[text.len() - 200..]
    );
}

#[tokio::test]
async fn dv_read_003_page_ranges() {
    let pages: Vec<String> = (1..=12)
        .map(|page| format!("BT /F 12 Tf 50 700 Td (text of page {page}) Tj ET"))
        .collect();
    let pages: Vec<&str> = pages.iter().map(String::as_str).collect();
    let project = Project::with(&[("d.pdf", pdf(&pages, "").as_slice()), ("a.txt", b"text\n")]);
    let read = async |pages: &str| {
        project
            .call("Read", json!({ "file_path": "d.pdf", "pages": pages }))
            .await
    };
    let done = read("3-5").await.unwrap();
    insta::assert_snapshot!(done.text, @"
    [d.pdf: PDF, 12 pages]

    [page 3]
    text of page 3

    [page 4]
    text of page 4

    [page 5]
    text of page 5

    [pages 3 to 5 of 12; continue with pages \"6-12\"]
    ");
    assert_eq!(done.view.summary.as_deref(), Some("pages 3 to 5 of 12"));
    assert_eq!(done.view.tag.as_deref(), Some("pages 3-5"));
    insta::assert_snapshot!(read("12-20").await.unwrap().text, @"
    [d.pdf: PDF, 12 pages]

    [page 12]
    text of page 12

    [page 12 of 12; the document ends with page 12]
    ");
    for pages in ["0", "5-3", "1,3", "abc", "-2"] {
        let failure = read(pages).await.err().unwrap();
        assert_eq!(failure.code, "invalid_pages");
        assert!(failure.message.contains("12 pages"), "{failure}");
    }
    assert!(project.read("d.pdf").await.contains("text of page 12"));
    let failure = project
        .failure("Read", json!({ "file_path": "a.txt", "pages": "1" }))
        .await;
    assert_eq!(failure.code, "not_a_pdf");
}

#[tokio::test]
async fn a_notebook_is_read_as_its_cells() {
    let pixel = {
        use base64::Engine as _;
        base64::engine::general_purpose::STANDARD.encode(encoded(4, 3, ImageFormat::Png))
    };
    let notebook = json!({
        "cells": [
            { "cell_type": "markdown", "id": "intro", "metadata": {}, "source": ["# Title\n", "text"] },
            { "cell_type": "code", "id": "calc", "execution_count": 2, "metadata": {}, "source": "x", "outputs": [
                { "output_type": "stream", "name": "stderr", "text": ["careful\n"] },
                { "output_type": "execute_result", "data": { "text/html": "<b>1</b>", "text/plain": ["1"] } },
                { "output_type": "display_data", "data": { "image/png": pixel, "text/plain": "<Figure>" } },
                { "output_type": "display_data", "data": { "image/png": "AAAA" } },
                { "output_type": "display_data", "data": { "application/x": {} } },
                { "output_type": "error", "ename": "E", "evalue": "v", "traceback": ["\u{1b}[0;31mE\u{1b}[0m: v"] },
            ] },
        ],
        "metadata": { "language_info": { "name": "python" } },
        "nbformat": 4, "nbformat_minor": 5,
    });
    let project = Project::with(&[
        ("n.ipynb", notebook.to_string().as_bytes()),
        ("e.ipynb", b""),
    ]);
    let done = project
        .call("Read", json!({ "file_path": "n.ipynb" }))
        .await
        .unwrap();
    insta::assert_snapshot!(done.text, @"
    [n.ipynb: notebook in python, 2 cells]

    [cell intro (index 0, markdown)]
    # Title
    text

    [cell calc (index 1, code, run 2)]
    x
    [output: stderr]
    careful
    [output: result]
    1
    [output: PNG image, 4 × 3 pixels]
    [output: an output of type image/png is broken: the image cannot be decoded: The image format could not be determined. It is damaged or cut off; it was not sent.]
    [output: an output of type application/x is not shown]
    [output: error]
    E: v
    ");
    assert!(
        matches!(&done.content[1], ResultContent::Image { media_type, .. } if media_type == "image/png")
    );
    assert_eq!(done.content.len(), 3);
    assert_eq!(done.view.summary.as_deref(), Some("2 cells"));
    assert_eq!(done.view.blocks.len(), 8);
    assert!(
        project
            .text("Read", json!({ "file_path": "n.ipynb", "offset": 1 }))
            .await
            .starts_with("     1\t{")
    );
    assert_eq!(
        project.read("e.ipynb").await,
        "[e.ipynb exists and is empty.]"
    );
}

#[tokio::test]
async fn numbers_are_whole_and_bounded() {
    let project = Project::with(&[("s.txt", b"a\nb\nc\n")]);
    let read = async |input: &str| {
        let input = serde_json::from_str(input).unwrap();
        project.call("Read", input).await.map(|done| done.text)
    };
    for (fields, expected) in [
        (
            r#""offset": 0, "limit": 1"#,
            "     1\ta\n[lines 1 to 1 of 3; continue with offset 2]",
        ),
        (r#""offset": 3.0"#, "     3\tc\n[lines 3 to 3 of 3]"),
        (
            r#""limit": 9007199254740991"#,
            "     1\ta\n     2\tb\n     3\tc",
        ),
    ] {
        let text = read(&format!(r#"{{"file_path": "s.txt", {fields}}}"#))
            .await
            .unwrap();
        assert_eq!(text, expected, "{fields}");
    }
    for number in [
        "-1",
        "1.5",
        "9223372036854775808",
        "1180591620717411303424",
        "1e300",
    ] {
        for field in ["offset", "limit"] {
            let failure = read(&format!(r#"{{"file_path": "s.txt", "{field}": {number}}}"#))
                .await
                .unwrap_err();
            assert!(
                failure.message.contains("a whole number from 0 to"),
                "{field} {number}: {failure}"
            );
        }
    }
}

#[tokio::test]
async fn another_encoding_is_decoded_and_named() {
    let project = Project::with(&[("g.c", b"// \xd6\xd0\xce\xc4\xd7\xa2\xca\xcd\nint n = 5;\n")]);
    insta::assert_snapshot!(project.read("g.c").await, @"
         1	// 中文注释
         2	int n = 5;
    [encoding GBK, kept when the file is edited]
    ");
}

#[test]
fn every_stage_has_a_view() {
    let project = Project::new();
    let tool = project.tool("Read");
    let input = tool
        .parse(std::sync::Arc::new(
            json!({ "file_path": "src/a.rs", "offset": 10, "limit": 5 }),
        ))
        .unwrap();
    let partial = json!({ "file_path": "src/a.r" });
    let failure = adroit_tool::ToolFailure::new("not_found", "src/a.r does not exist.")
        .with_summary("not found");
    let views = [
        tool.present(ErasedStage::Writing { partial: &partial }),
        tool.present(ErasedStage::Queued { input: &input }),
        tool.present(ErasedStage::Running {
            input: &input,
            progress: None,
        }),
        tool.present(ErasedStage::Rejected {
            input: &input,
            reason: "no",
        }),
        tool.present(ErasedStage::Failed {
            partial: &partial,
            failure: &failure,
        }),
        tool.present(ErasedStage::Cancelled {
            partial: &partial,
            reason: &CancelReason::Stopped,
        }),
    ];
    insta::assert_json_snapshot!("stages", views);
}
