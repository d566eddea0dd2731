use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;

use serde_json::json;

use crate::tests::Project;

#[tokio::test]
async fn dv_search_001_ignored_files_are_mentioned_and_found_when_named() {
    let project = Project::with(&[
        (".gitignore", b".env\n*.log\n"),
        (".env", b"TOKEN=1\n"),
        ("a.log", b"TOKEN=1\n"),
        ("b", b"x\n"),
    ]);
    insta::assert_snapshot!(project.text("Grep", json!({ "pattern": "TOKEN" })).await, @"
    [no matches]
    [ignored files do match (hidden by .gitignore): .env, a.log. Name one as the path to search it]
    ");
    insta::assert_snapshot!(project.text("Grep", json!({ "pattern": "TOKEN", "path": ".env" })).await, @".env");
    project.write("c.txt", b"TOKEN\n");
    insta::assert_snapshot!(project.text("Grep", json!({ "pattern": "TOKEN" })).await, @"
    c.txt
    [files hidden by ignore files (.gitignore) were not searched]
    ");
}

#[tokio::test]
async fn dv_search_004_literal_looking_patterns() {
    let project = Project::with(&[("g.go", b"interface{}\nmap[string]int\n")]);
    let grep = |pattern: &str| {
        project.text(
            "Grep",
            json!({ "pattern": pattern, "output_mode": "content" }),
        )
    };
    insta::assert_snapshot!(grep("interface{}").await, @"
    g.go:1:interface{}
    [braces in the pattern were taken literally]
    ");
    insta::assert_snapshot!(grep("map[string]int").await, @r"
    [no matches]
    [the pattern does occur as a literal text: escape its special characters with `\`]
    ");
    insta::assert_snapshot!(grep(r"map\[string\]int").await, @"g.go:2:map[string]int");
    insta::assert_snapshot!(project.failure("Grep", json!({ "pattern": "foo(" })).await, @"
    invalid regular expression:
    regex parse error:
        foo(
           ^
    error: unclosed group
    To search for the text itself, escape special characters with a backslash.
    ");
    assert_eq!(grep("-v").await, "[no matches]");
}

#[tokio::test]
async fn dv_search_005_line_ends_of_either_kind() {
    let project = Project::with(&[("c.txt", b"one\r\ntwo\r\n"), ("d.txt", b"one\n")]);
    let grep = |pattern: &str| {
        project.text(
            "Grep",
            json!({ "pattern": pattern, "output_mode": "content" }),
        )
    };
    assert_eq!(grep("one$").await, "c.txt:1:one\nd.txt:1:one");
    assert_eq!(grep("^two$").await, "c.txt:2:two");
}

#[tokio::test]
async fn dv_search_006_bytes_and_names_that_are_not_utf8() {
    let project = Project::with(&[("lat.txt", b"na\xefve TODO\n")]);
    std::fs::write(
        project.root.join(OsString::from_vec(b"b\xff.txt".to_vec())),
        "TODO\n",
    )
    .unwrap();
    let text = project
        .text(
            "Grep",
            json!({ "pattern": "TODO", "output_mode": "content" }),
        )
        .await;
    assert_eq!(text, "b\\xff.txt:1:TODO\nlat.txt:1:na\\xefve TODO");
    // As shown, so can it be read.
    assert_eq!(project.read("b\\xff.txt").await, "     1\tTODO");
}

#[tokio::test]
async fn dv_search_009_case_and_types() {
    let project = Project::with(&[
        ("Foo.h", b"fooBar FOO foo\n"),
        ("a.mts", b"foo\n"),
        ("b.cjs", b"x\n"),
    ]);
    insta::assert_snapshot!(project.text("Grep", json!({ "pattern": "foo", "-i": true, "output_mode": "count" })).await, @"
    Foo.h:1 (3 matches)
    a.mts:1
    [2 matching lines with 4 matches in 2 files]
    ");
    assert_eq!(
        project
            .text("Grep", json!({ "pattern": "foo", "type": "ts" }))
            .await,
        "a.mts"
    );
    insta::assert_snapshot!(project.failure("Grep", json!({ "pattern": "foo", "type": "mts" })).await, @r#"unknown file type "mts" (did you mean ts, typescript, ats, dts?): use one of ripgrep's type names (for example rust, py, js, ts, go, java, cpp, md, json), or a glob instead"#);
    insta::assert_snapshot!(project.text("Grep", json!({ "pattern": "foo", "glob": "*.py" })).await, @"
    [no matches]
    [no file was searched: none fits glob and type]
    ");
}

#[tokio::test]
async fn context_limits_and_numbers() {
    let text: String = (1..=9).map(|line| format!("line {line}\n")).collect();
    let project = Project::with(&[("f", text.as_bytes()), ("g", b"line 2\n")]);
    let input = json!({ "pattern": "line [28]", "output_mode": "content", "-C": 1 });
    insta::assert_snapshot!(project.text("Grep", input).await, @"
    f-1-line 1
    f:2:line 2
    f-3-line 3
    --
    f-7-line 7
    f:8:line 8
    f-9-line 9
    --
    g:1:line 2
    ");
    let input =
        json!({ "pattern": "line", "output_mode": "content", "-n": false, "head_limit": 2 });
    let done = project.call("Grep", input).await.unwrap();
    insta::assert_snapshot!(done.text, @"
    f:line 1
    f:line 2
    [8 more matching lines; 10 in 2 files in all. Raise head_limit or narrow the search]
    ");
    insta::assert_json_snapshot!("view", done.view);
    assert_eq!(
        project
            .text("Grep", json!({ "pattern": "line", "head_limit": 1 }))
            .await,
        "f\n[1 file more; raise head_limit or narrow the search]"
    );
    let input = json!({ "pattern": "1\nline", "multiline": true, "output_mode": "content" });
    assert_eq!(project.text("Grep", input).await, "f:1:line 1\nf:2:line 2");
}
