use adroit_tool::CancelReason;
use serde_json::json;

use crate::tests::Project;

#[tokio::test]
async fn dv_search_002_an_ignore_file_above_the_project_hides_nothing() {
    let project = Project::with(&[("src/a.rs", b"")]);
    std::fs::write(project.root.parent().unwrap().join(".gitignore"), "*\n").unwrap();
    assert_eq!(
        project.text("Glob", json!({ "pattern": "**/*.rs" })).await,
        "src/a.rs"
    );
}

#[tokio::test]
async fn dv_search_003_link_circles_end() {
    let project = Project::with(&[("l/x.txt", b"x\n")]);
    std::os::unix::fs::symlink("..", project.root.join("l/up")).unwrap();
    std::os::unix::fs::symlink("self", project.root.join("self")).unwrap();
    assert_eq!(
        project.text("Glob", json!({ "pattern": "**/*" })).await,
        "l/x.txt"
    );
    assert_eq!(
        project.text("Grep", json!({ "pattern": "x" })).await,
        "l/x.txt"
    );
}

#[tokio::test]
async fn dv_search_007_out_of_time_is_said() {
    let output = super::GlobOutput {
        files: vec!["a.rb".into()],
        total: 1,
        partial: true,
        unreadable: 0,
        notes: Vec::new(),
    };
    insta::assert_snapshot!(output.for_model(), @"
    a.rb
    [the search ran out of time; this is only a part (1 file so far). Narrow the pattern or the path]
    ");
    let nothing = super::GlobOutput {
        files: Vec::new(),
        total: 0,
        partial: true,
        unreadable: 0,
        notes: Vec::new(),
    };
    assert!(!nothing.for_model().contains("no files match"));
}

#[tokio::test]
async fn dv_search_008_patterns_that_lead_elsewhere() {
    let project = Project::with(&[("src/a.c", b""), ("sub/b", b"")]);
    let absolute = format!("{}/src/*.c", project.root.display());
    assert_eq!(
        project.text("Glob", json!({ "pattern": absolute })).await,
        "src/a.c"
    );
    assert_eq!(
        project
            .text("Glob", json!({ "pattern": "../src/*.c", "path": "sub" }))
            .await,
        "src/a.c"
    );
    insta::assert_snapshot!(project.text("Glob", json!({ "pattern": "src\\*.c" })).await, @r"
    [no files match]
    [`\` takes the next character literally; separate folders by `/`]
    ");
    let home = project.root.parent().unwrap().join("home");
    std::fs::create_dir(home.join("x")).unwrap();
    std::fs::write(home.join("x/y"), "").unwrap();
    assert_eq!(
        project.text("Glob", json!({ "pattern": "~/x/*" })).await,
        home.join("x/y").display().to_string()
    );
    assert_eq!(
        project
            .failure("Glob", json!({ "pattern": "nowhere/*.c" }))
            .await
            .code,
        "not_found"
    );
}

#[tokio::test]
async fn nothing_found_says_what_was_not_looked_at() {
    let project = Project::with(&[
        (".gitignore", b"*.log\n"),
        ("a.log", b""),
        ("src/a.rs", b""),
    ]);
    insta::assert_snapshot!(project.text("Glob", json!({ "pattern": "*.log" })).await, @"
    [no files match]
    [ignored files do match (hidden by .gitignore): a.log. Name one as the path to list it]
    ");
    insta::assert_snapshot!(project.text("Glob", json!({ "pattern": "src" })).await, @"
    [no files match]
    [src is a folder; its files are `src/**`]
    ");
    insta::assert_snapshot!(project.failure("Glob", json!({ "pattern": "a{b" })).await, @r#"invalid glob "a{b": unclosed alternate group; missing '}' (maybe escape '{' with '[{]'?)"#);
    assert_eq!(
        project
            .failure("Glob", json!({ "pattern": " " }))
            .await
            .code,
        "empty_pattern"
    );
}

#[tokio::test]
async fn a_list_is_capped_and_shown() {
    let mut project = Project::with(&[("a.rs", b""), ("b.rs", b""), ("c.rs", b"")]);
    for (age, name) in [(30, "b.rs"), (20, "c.rs"), (10, "a.rs")] {
        let file = std::fs::File::options()
            .write(true)
            .open(project.root.join(name))
            .unwrap();
        file.set_modified(std::time::SystemTime::now() - std::time::Duration::from_secs(age))
            .unwrap();
    }
    project.context.limits.glob_results = 2;
    let done = project
        .call("Glob", json!({ "pattern": "*.rs" }))
        .await
        .unwrap();
    insta::assert_snapshot!(done.text, @"
    a.rs
    c.rs
    [1 more; the 2 that changed last are listed]
    ");
    insta::assert_json_snapshot!("view", done.view);
    assert!(project.tool("Glob").is_result_truncated(&done.output));
    project.context.cancellation.cancel(CancelReason::Stopped);
    assert_eq!(
        project
            .failure("Glob", json!({ "pattern": "*.rs" }))
            .await
            .code,
        "cancelled"
    );
}

/// Names with brackets, as frameworks give them to routes, are found as they are written.
#[tokio::test]
async fn a_name_with_brackets_is_found_as_it_is_written() {
    let project = Project::with(&[
        ("app/[id]/page.tsx", b"x\n"),
        ("app/i/page.tsx", b"x\n"),
        ("-v.txt", b"x\n"),
    ]);
    let names = async |pattern: &str| {
        let text = project.text("Glob", json!({ "pattern": pattern })).await;
        let mut names: Vec<String> = text.lines().map(str::to_owned).collect();
        names.sort();
        names
    };
    assert_eq!(
        names("app/[id]/page.tsx").await,
        ["app/[id]/page.tsx", "app/i/page.tsx"]
    );
    assert_eq!(names("app/[[]id]/*").await, ["app/[id]/page.tsx"]);
    assert_eq!(names("-*").await, ["-v.txt"]);
    let grep = json!({ "pattern": "x", "glob": "app/[id]/*.tsx" });
    assert!(
        project
            .text("Grep", grep)
            .await
            .contains("app/[id]/page.tsx")
    );
}
