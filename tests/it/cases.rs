//! The handed cases of streams, calls, hooks and requests: each is a test that names it.

use std::path::Path;

use serde_json::Value;

/// The folders whose tests are looked through. A test names its case in its comment or in its own
/// name: `dv_stream_001`.
const TESTED: [&str; 4] = ["src-tauri/crates", "tests/it", "tests/e2e", "ui/test"];

/// The cases, a JSON object a line.
const CASES: [&str; 2] = [
    include_str!("../cases/protocol.jsonl"),
    include_str!("../cases/permission-gui.jsonl"),
];

/// Adds the text of every file below `folder` that has tests in it.
///
/// Files are looked for, not listed: a test that moves to another file takes its case with it.
fn tests_below(folder: &Path, texts: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            if !path.ends_with("node_modules") {
                tests_below(&path, texts);
            }
            continue;
        }
        let marks: &[&str] = match path.extension().and_then(|ending| ending.to_str()) {
            Some("rs") => &["#[test]", "#[tokio::test"],
            Some("ts" | "mjs") => &["test(", "it("],
            _ => continue,
        };
        let text = std::fs::read_to_string(&path).unwrap();
        if marks.iter().any(|mark| text.contains(mark)) {
            texts.push(text);
        }
    }
}

#[test]
fn every_case_has_a_test() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut texts = Vec::new();
    for folder in TESTED {
        tests_below(&root.join(folder), &mut texts);
    }
    for line in CASES.iter().flat_map(|cases| cases.lines()) {
        let case: Value = serde_json::from_str(line).unwrap();
        let id = case["id"].as_str().unwrap();
        let name = id.replace('-', "_");
        let tested = texts
            .iter()
            .any(|text| text.contains(id) || text.contains(&name));
        assert!(tested, "{id} has no test: {}", case["title"]);
    }
}
