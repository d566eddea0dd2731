//! How long a file may be.

use super::Complaint;
use super::files::{Files, before_tests, is_generated, is_test};
use std::collections::BTreeMap;

/// Lines of a Rust file, its tests aside.
const RUST: usize = 600;
/// Lines of a Rust file of tests alone: tables of cases are long.
const RUST_TESTS: usize = 2000;
/// Lines of a file of the UI, or of a script.
const SCRIPT: usize = 400;
/// Lines of a file of the UI's tests.
const SCRIPT_TESTS: usize = 800;

/// Complains about files that are too long, and about exceptions that could shrink.
pub(super) fn check(files: &Files, exceptions: &str) -> Vec<Complaint> {
    let (mut exceptions, mut complaints) = parse(exceptions);
    for (path, text) in files.iter().filter(|(path, _)| !is_generated(path)) {
        let Some((lines, limit)) = measure(path, text) else {
            continue;
        };
        match exceptions.remove(path) {
            None if lines > limit => complaints.push(Complaint::new(
                path,
                format!("{lines} lines, and {limit} are the limit: split it by what it does"),
            )),
            Some(_) if lines <= limit => complaints.push(Complaint::new(
                path,
                "is within the limit: take it off src-tauri/xtask/tidy-exceptions.txt",
            )),
            Some(allowed) if lines > allowed => complaints.push(Complaint::new(
                path,
                format!(
                    "{lines} lines, and its exception allows {allowed}: exceptions only shrink"
                ),
            )),
            Some(allowed) if lines < allowed => complaints.push(Complaint::new(
                path,
                format!("has shrunk to {lines} lines: lower its exception from {allowed}"),
            )),
            _ => {}
        }
    }
    complaints.extend(exceptions.into_keys().map(|path| {
        Complaint::new(
            path,
            "does not exist: take it off src-tauri/xtask/tidy-exceptions.txt",
        )
    }));
    complaints
}

fn measure(path: &str, text: &str) -> Option<(usize, usize)> {
    let extension = path.rsplit_once('.')?.1;
    let test = is_test(path);
    match extension {
        "rs" if test => Some((text.lines().count(), RUST_TESTS)),
        "rs" => Some((before_tests(text).count(), RUST)),
        "ts" | "tsx" | "mjs" if test => Some((text.lines().count(), SCRIPT_TESTS)),
        "ts" | "tsx" | "mjs" | "css" => Some((text.lines().count(), SCRIPT)),
        _ => None,
    }
}

/// Lines of `path lines date reason`, `#` for comments.
fn parse(text: &str) -> (BTreeMap<String, usize>, Vec<Complaint>) {
    let mut exceptions = BTreeMap::new();
    let mut complaints = Vec::new();
    for (index, line) in text.lines().enumerate() {
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        let mut words = line.split_whitespace();
        let path = words.next().unwrap_or_default();
        let lines = words.next().and_then(|word| word.parse().ok());
        let dated = words
            .next()
            .is_some_and(|date| date.len() == 10 && date.matches('-').count() == 2);
        let reason = words.next().is_some();
        match lines {
            Some(lines) if dated && reason => {
                exceptions.insert(path.to_owned(), lines);
            }
            _ => complaints.push(Complaint::new(
                format!("src-tauri/xtask/tidy-exceptions.txt:{}", index + 1),
                "an exception is `path lines YYYY-MM-DD reason`",
            )),
        }
    }
    (exceptions, complaints)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_lines(path: &str, lines: usize, exceptions: &str) -> Vec<String> {
        let text = "x\n".repeat(lines);
        let files = Files::of(&[(path, &text)]);
        check(&files, exceptions)
            .into_iter()
            .map(|complaint| complaint.text)
            .collect()
    }

    #[test]
    fn a_file_may_be_so_long_and_no_longer() {
        assert!(check_lines("src-tauri/a.rs", 600, "").is_empty());
        assert_eq!(check_lines("src-tauri/a.rs", 601, "").len(), 1);
        assert!(check_lines("src-tauri/crates/x/src/tests.rs", 601, "").is_empty());
        assert_eq!(check_lines("ui/src/a.tsx", 401, "").len(), 1);
        assert!(check_lines("ui/src/generated/a.ts", 4000, "").is_empty());
        assert!(check_lines("notes.md", 4000, "").is_empty());
    }

    #[test]
    fn tests_in_a_file_do_not_count() {
        let text = format!(
            "fn a() {{}}\n#[cfg(test)]\nmod tests {{\n{}}}\n",
            "x\n".repeat(900)
        );
        assert!(check(&Files::of(&[("src-tauri/a.rs", &text)]), "").is_empty());
    }

    #[test]
    fn an_exception_is_exact_and_only_shrinks() {
        let exception = "src-tauri/a.rs 700 2026-12-01 one table\n";
        assert!(check_lines("src-tauri/a.rs", 700, exception).is_empty());
        for lines in [701, 699, 600] {
            assert_eq!(
                check_lines("src-tauri/a.rs", lines, exception).len(),
                1,
                "{lines}"
            );
        }
        assert_eq!(check_lines("src-tauri/b.rs", 1, exception).len(), 1);
        assert_eq!(
            check_lines("src-tauri/b.rs", 1, "src-tauri/b.rs 700\n").len(),
            1
        );
    }
}
