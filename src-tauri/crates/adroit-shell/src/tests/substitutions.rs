//! `sed -i` as our own edit, held against the sed of the machine.

use std::io::Write;
use std::process::{Command, Stdio};

use proptest::prelude::*;
use proptest::test_runner::Config;

use super::look;

/// What our edit makes of `text`.
fn ours(command: &str, text: &str) -> Option<String> {
    look(command).sed_edit.and_then(|edit| edit.apply(text))
}

fn is_gnu() -> bool {
    Command::new("sed")
        .arg("--version")
        .output()
        .is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains("GNU sed"))
}

/// What sed itself makes of it.
fn theirs(arguments: &[&str], text: &str) -> Option<String> {
    let mut child = Command::new("sed")
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("sed starts");
    child
        .stdin
        .take()
        .expect("a pipe")
        .write_all(text.as_bytes())
        .expect("sed reads");
    let output = child.wait_with_output().expect("sed ends");
    output
        .status
        .success()
        .then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

const TEXT: &str =
    "one two\nfoo.bar(baz)\n\n  indented foo\nlet x = 10;\nCamelCase foo_bar foo\nlast foo";

const SCRIPTS: &[&str] = &[
    "s/foo/bar/",
    "s/foo/bar/g",
    "s/foo/bar/2",
    "s/o/0/2g",
    "s/FOO/x/I",
    "s/foo\\.bar/x/",
    "s/(baz)/[&]/",
    "s/\\(foo\\).\\(bar\\)/\\2-\\1/",
    "s/^/> /",
    "s/$/;/",
    "s/^$/empty/",
    "s/^ *//",
    "s/ *$//",
    "s/  */ /g",
    "s/o*/x/g",
    "s/x*/-/g",
    "s/[0-9][0-9]*/N/",
    "s/[0-9]\\+/N/",
    "s/[A-Z]/_&/g",
    "s/[^a-z]/-/g",
    "s/\\bfoo\\b/FOO/g",
    "s/\\<foo/<&/g",
    "s/\\w\\+/W/g",
    "s/\\s\\+/ /g",
    "s/a.b/x/",
    "s/.*/[&]/",
    "s/o\\{2\\}/00/",
    "s/[[:space:]]\\{1,\\}/_/g",
    "s|/|\\\\|g",
    "s#foo#a/b#",
    "s/foo/a\\nb/",
    "s/foo/\\t/",
    "s/foo/\\&/",
    "2s/foo/x/",
    "$s/foo/x/",
    "2,4s/o/0/",
    "4,2s/o/0/",
    "2,$s/o/0/g",
    "/indent/s/foo/x/",
    "s/\\(.\\)\\(.*\\)/\\2\\1/",
    "s/a*\\(a*b\\)/<\\1>/",
    "s/x = \\([0-9]*\\)/x = \\1\\1/",
];

const EXTENDED: &[&str] = &[
    "s/(foo)\\.(bar)/\\2.\\1/",
    "s/[0-9]+/<&>/g",
    "s/o{2}/00/",
    "s/^ +//",
    "s/colou?r/x/",
    "s/(\\w+) (\\w+)/\\2 \\1/",
    "s/\\(baz\\)/[]/",
    "s/([a-z]*)o/<\\1>/g",
];

#[test]
fn plain_substitutions_are_what_sed_makes() {
    if !is_gnu() {
        eprintln!("skipped: the sed of this machine is not GNU sed");
        return;
    }
    for (scripts, option) in [(SCRIPTS, None), (EXTENDED, Some("-E"))] {
        for script in scripts {
            for text in [TEXT, "", "\n", "aab\naaa b\n", "x\r\ny\r\n"] {
                let command = format!("sed -i {} '{script}' f", option.unwrap_or_default());
                let arguments: Vec<&str> = option.into_iter().chain([*script]).collect();
                assert_eq!(
                    ours(&command, text),
                    theirs(&arguments, text),
                    "{script} {text:?}"
                );
            }
        }
    }
}

#[test]
fn what_is_not_certain_is_left_to_sed() {
    for command in [
        "sed -i 's/a\\|b/c/' f",
        "sed -E -i 's/a|b/c/' f",
        "sed -E -i 's/(ab)+/c/' f",
        "sed -E -i 's/(a)\\1/c/' f",
        "sed -i 's/a/\\U&/' f",
        "sed -i 's/a/b/p' f",
        "sed -i 's/a/b/m' f",
        "sed -i 's//b/' f",
        "sed -i 's/*a/b/' f",
        "sed -i 's/a^b/c/' f",
        "sed -i 's/[[.a.]]/c/' f",
        "sed -i 's/[!-~]/c/' f",
        "sed -i 's|a\\|b|c|' f",
        "sed -i '/a/,/b/s/c/d/' f",
        "sed -i '2!s/a/b/' f",
        "sed -i '1~2s/a/b/' f",
        "sed -i.bak 's/a/b/' f",
        "sed -i 's/a/\\1/' f",
        "sed -i 's/a/\\x41/' f",
    ] {
        assert_eq!(ours(command, "abc\n"), None, "{command}");
    }
    // GNU sed makes `<a> ` of it.
    let bounded = "sed -i 's/[ab]*\\b\\(a*\\)/<\\1>/' f";
    assert_eq!(ours(bounded, "a \n"), None);
    assert_eq!(
        ours("sed -i 's/\\ba\\b/<&>/' f", "a b\n").as_deref(),
        Some("<a> b\n")
    );
    // What `.` takes of this depends on the locale.
    assert_eq!(ours("sed -i 's/./x/' f", "é\n"), None);
    assert_eq!(ours("sed -i 's/e/x/' f", "é e\n").as_deref(), Some("é x\n"));
    let slow = format!("sed -i 's/{}b/x/' f", "a*".repeat(60));
    assert_eq!(ours(&slow, &"a".repeat(20_000)), None);
}

fn expressions() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "a",
        "b",
        "ab",
        ".",
        "a*",
        "b*",
        ".*",
        "[ab]",
        "[^a]",
        "[ab]*",
        "a\\+",
        "b\\?",
        "\\(a*\\)",
        "\\(b\\)",
        "\\(a*b\\)",
        "\\(.*\\)",
        "a\\{1,2\\}",
        "\\b",
        "x",
    ]);
    (
        any::<bool>(),
        prop::collection::vec(piece, 1..5),
        any::<bool>(),
    )
        .prop_map(|(start, pieces, end)| {
            format!(
                "{}{}{}",
                if start { "^" } else { "" },
                pieces.concat(),
                if end { "$" } else { "" }
            )
        })
}

proptest! {
    #![proptest_config(Config { cases: 300, failure_persistence: None, ..Config::default() })]

    #[test]
    fn any_expression_that_is_followed_is_followed_rightly(
        expression in expressions(),
        replacement in prop::sample::select(vec!["", "x", "<&>", "<\\1>", "&&", "\\1\\2"]),
        flags in prop::sample::select(vec!["", "g", "2", "2g", "I"]),
        text in "[abx ]{0,12}(\n[abx]{0,8}){0,2}\n?",
    ) {
        if !is_gnu() {
            return Ok(());
        }
        let script = format!("s/{expression}/{replacement}/{flags}");
        if let Some(got) = ours(&format!("sed -i '{script}' f"), &text) {
            prop_assert_eq!(Some(got), theirs(&[&script], &text), "{} on {:?}", script, text);
        }
    }
}
