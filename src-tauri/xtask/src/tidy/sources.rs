//! What a source file must and must not hold.

use super::Complaint;
use super::files::{Files, before_tests, is_generated, is_test};

/// Marks of unfinished work or of a program's signature. Assembled so that this
/// file does not complain about itself.
const MARKS: &[&str] = &[
    concat!("// TO", "DO"),
    concat!("TO", "DO:"),
    concat!("// FIX", "ME"),
    concat!("FIX", "ME:"),
    concat!("XX", "X:"),
    concat!("HA", "CK:"),
    concat!("Co-Authored", "-By"),
    concat!("Generated ", "with"),
];

/// Macros that must not be left in the code.
const UNFINISHED: &[&str] = &[
    concat!("to", "do!("),
    concat!("unimple", "mented!("),
    concat!("db", "g!("),
];

/// Lints whose exception needs a reason. Clippy finds the calls themselves.
const PANICKING: &[&str] = &[
    "clippy::unwrap_used",
    "clippy::expect_used",
    "clippy::panic",
    "unsafe_code",
];

/// Ways to turn text into markup or code: what the webview shows is untrusted.
const RAW_MARKUP: &[&str] = &[
    "dangerouslySetInnerHTML",
    "innerHTML",
    "outerHTML",
    "insertAdjacentHTML",
    "document.write",
    "new Function(",
    "eval(",
    "srcdoc",
    "srcDoc",
];

/// Comparisons with a tool's name: the UI renders blocks, not tools.
const BY_TOOL: &[&str] = &[".tool ==", ".tool !=", "switch (call.tool", "switch (tool"];

/// Words of which a crate's head has at least one for each thing it must say.
const HEAD: &[(&str, &[&str])] = &[
    ("what it owns", &["own"]),
    (
        "who calls it",
        &["call", "used by", "the host", "the session"],
    ),
    ("its invariants", &["invariant"]),
    ("what it must never know", &["never", "no knowledge"]),
];

/// Complains about single source files.
pub(super) fn check(files: &Files) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    for (path, text) in files.ending(&[".rs", ".ts", ".tsx", ".css", ".mjs", ".md", ".toml"]) {
        if is_generated(path) {
            continue;
        }
        find(
            path,
            text.lines(),
            MARKS,
            "is no word for the tree: do it, or file it",
            &mut complaints,
        );
    }
    for (path, text) in files.ending(&[".rs"]).filter(|(path, _)| !is_test(path)) {
        find(
            path,
            before_tests(text),
            UNFINISHED,
            "is unfinished work",
            &mut complaints,
        );
        reasons(path, text, &mut complaints);
    }
    for (path, text) in files.ending(&[".ts", ".tsx"]) {
        if path.starts_with("ui/src/") && !is_generated(path) && !is_test(path) {
            let text_lines = || text.lines();
            find(
                path,
                text_lines(),
                RAW_MARKUP,
                "turns text into markup or code",
                &mut complaints,
            );
            let hint = "looks at a tool's name: put what you need into its view";
            find(path, text_lines(), BY_TOOL, hint, &mut complaints);
        }
    }
    heads(files, &mut complaints);
    complaints
}

fn find<'a>(
    path: &str,
    lines: impl Iterator<Item = &'a str>,
    needles: &[&str],
    text: &str,
    complaints: &mut Vec<Complaint>,
) {
    for (index, line) in lines.enumerate() {
        for needle in needles.iter().filter(|needle| line.contains(**needle)) {
            let place = format!("{path}:{}", index + 1);
            complaints.push(Complaint::new(place, format!("`{needle}` {text}")));
        }
    }
}

/// An `allow` or `expect` of a panicking lint says why.
fn reasons(path: &str, text: &str, complaints: &mut Vec<Complaint>) {
    for (index, line) in before_tests(text).enumerate() {
        let is_exception = line.contains("allow(") || line.contains("expect(");
        let lint = PANICKING.iter().find(|lint| line.contains(**lint));
        if let Some(lint) = lint.filter(|_| is_exception)
            && !line.contains("reason")
            && !line.contains("//")
        {
            complaints.push(Complaint::new(
                format!("{path}:{}", index + 1),
                format!("an exception from `{lint}` needs a reason"),
            ));
        }
    }
}

/// The head of each library crate says what it is.
fn heads(files: &Files, complaints: &mut Vec<Complaint>) {
    for (path, text) in files.ending(&["/src/lib.rs"]) {
        let head: String = text
            .lines()
            .take_while(|line| line.starts_with("//!") || line.is_empty())
            .collect::<Vec<_>>()
            .join("\n")
            .to_lowercase();
        for (what, words) in HEAD {
            if !words.iter().any(|word| head.contains(word)) {
                complaints.push(Complaint::new(
                    path,
                    format!("the crate's head must say {what}"),
                ));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaints(path: &str, text: &str) -> usize {
        check(&Files::of(&[(path, text)])).len()
    }

    #[test]
    fn unfinished_work() {
        let unfinished = format!("fn a() {{ {}) }}\n", UNFINISHED[0]);
        assert_eq!(complaints("src-tauri/a.rs", &unfinished), 1);
        assert_eq!(complaints("src-tauri/a/tests.rs", &unfinished), 0);
        assert_eq!(
            complaints("src-tauri/a.rs", &format!("#[cfg(test)]\n{unfinished}")),
            0
        );
        assert_eq!(complaints("README.md", &format!("{} later\n", MARKS[0])), 1);
    }

    #[test]
    fn a_panic_needs_a_reason() {
        let bare = "#[allow(clippy::unwrap_used)]\n";
        let reasoned = "#[allow(clippy::unwrap_used, reason = \"the table is constant\")]\n";
        assert_eq!(complaints("src-tauri/a.rs", bare), 1);
        assert_eq!(complaints("src-tauri/a.rs", reasoned), 0);
    }

    #[test]
    fn raw_markup_and_tools_by_name_stay_out_of_the_interface() {
        assert_eq!(
            complaints("ui/src/a.tsx", "<p dangerouslySetInnerHTML={x} />\n"),
            1
        );
        assert_eq!(complaints("ui/src/a.ts", "element.innerHTML = text;\n"), 1);
        assert_eq!(complaints("ui/src/a.ts", "if (call.tool === name) {}\n"), 1);
        assert_eq!(
            complaints("ui/src/a.test.ts", "element.innerHTML = text;\n"),
            0
        );
    }

    #[test]
    fn a_head_says_what_a_crate_is() {
        let head = "//! Owns it.\n//! Called by b.\n//! Invariants: one.\n//! Must never know c.\n";
        assert_eq!(complaints("src-tauri/crates/a/src/lib.rs", head), 0);
        assert_eq!(
            complaints("src-tauri/crates/a/src/lib.rs", "//! A crate.\n"),
            4
        );
    }
}
