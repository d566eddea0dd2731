//! What holds for every command.

use std::path::Path;

use proptest::prelude::*;
use proptest::test_runner::Config;

use super::look;
use crate::{ShellContext, analyze, exit_meaning};

/// Pieces from which odd commands are made.
const FRAGMENTS: &[&str] = &[
    "ls",
    "rm x",
    "cat a",
    "echo",
    "git status",
    "git log",
    " ",
    " ",
    " ",
    ";",
    "&&",
    "||",
    "|",
    "|&",
    "&",
    "\n",
    "\\\n",
    "(",
    ")",
    "{ ",
    " }",
    "$(",
    "`",
    "${",
    "}",
    "$((",
    "))",
    "'",
    "\"",
    "$'",
    "\\",
    "#",
    "<",
    ">",
    ">>",
    "<<E\n",
    "\nE\n",
    "<<<",
    "<(",
    ">(",
    "2>&1",
    "if ",
    "; then ",
    "; fi",
    "for f in a b; do ",
    "; done",
    "while ",
    "case x in a) ",
    ";; esac",
    "[[ ",
    " ]]",
    "[ ",
    " ]",
    "!",
    "time ",
    "time -p ",
    "timeout 5 ",
    "env ",
    "sudo ",
    "xargs ",
    "A=b ",
    "$X",
    "\"$X\"",
    "*",
    "?",
    "[a]",
    "{a,b}",
    "~",
    "~/x",
    "../x",
    "/etc/x",
    "-n",
    "--output=x",
    "-exec",
    "find .",
    "sed -n p",
    "awk '{print}'",
    "é",
    "\u{200b}",
    "\r",
    "\0",
    "coproc ",
    "function f ",
    "f() ",
    "select ",
    "((",
    "a[0]=1",
    "[ -v x ]",
    "=",
    "sort -o x",
    "\t",
];

fn fragments() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(FRAGMENTS), 0..24).prop_map(|parts| parts.concat())
}

fn commands() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "ls",
        "rm x",
        "cat a.txt",
        "git status",
        "git push",
        "echo x > y",
        "sort -o a b",
        "find . -delete",
        "find . -name x",
        "cat /etc/passwd",
        "cat \"$X\"",
        "sed -n p a",
        "sed -i s/a/b/ f",
        "awk '{print}' a",
        "cargo test",
        "echo $(rm x)",
        "grep x a",
        "git log --output=x",
        "A=b ls",
        "ls &",
        "[ -v x[0] ]",
        "date -s x",
        "cd src",
        "cd /tmp",
    ])
}

proptest! {
    #![proptest_config(Config { cases: 600, failure_persistence: None, ..Config::default() })]

    #[test]
    fn nothing_panics_and_spans_are_in_the_text(command in fragments()) {
        let analysis = look(&command);
        for reason in &analysis.reasons {
            prop_assert!(command.get(reason.span.clone()).is_some(), "{command:?} {reason:?}");
        }
        for path in &analysis.paths {
            prop_assert!(command.get(path.span.clone()).is_some(), "{command:?} {path:?}");
            prop_assert!(analysis.parts.is_empty() || path.part < analysis.parts.len());
        }
        for part in analysis.parts.iter().chain(&analysis.suspected_parts) {
            part.allow_forms();
            part.deny_forms();
            part.refuses_prefix_rules();
        }
        prop_assert!(analysis.understood || (!analysis.read_only && analysis.parts.is_empty()));
        prop_assert!(analysis.read_only || !analysis.reasons.is_empty(), "{command:?} gives no reason");
        prop_assert!(!analysis.read_only || analysis.parts.iter().all(|part| part.read_only));
        prop_assert!(!analysis.read_only || analysis.destructive.is_none(), "{command:?}");
        exit_meaning(&command, 1);
    }

    #[test]
    fn any_text_at_all(command in "\\PC{0,60}") {
        look(&command);
    }

    #[test]
    fn a_removal_after_it_is_never_reading(command in fragments()) {
        let analysis = look(&format!("{command}; rm x"));
        // Within an open quote, comment or here-document it is only text.
        if analysis.read_only {
            let quoted = command.contains(['\'', '"', '#', '\\']) || command.contains("<<");
            prop_assert!(quoted, "{command:?}");
        }
        let first = look(&format!("rm x\n{command}"));
        prop_assert!(!first.read_only, "{command:?}");
    }

    #[test]
    fn a_wrapper_never_makes_it_reading(command in commands(), wrapper in prop::sample::select(vec!["timeout 5 ", "time ", "nice ", "command ", "env ", "nohup ", "xargs ", "sudo ", "stdbuf -oL ", "! ", "builtin "])) {
        let plain = look(command);
        let wrapped = look(&format!("{wrapper}{command}"));
        prop_assert!(plain.read_only || !wrapped.read_only, "{wrapper}{command}");
        // A builtin after an external wrapper is another program or none; outside stays outside.
        if !command.starts_with("cd ") && !command.starts_with("A=") && !command.starts_with("[ ") {
            prop_assert!(!plain.outside_workspace || wrapped.outside_workspace, "{wrapper}{command}");
        }
        prop_assert!(plain.destructive.is_none() || wrapped.destructive.is_some(), "{wrapper}{command}");
    }

    #[test]
    fn quoting_never_makes_it_reading(command in commands(), at in 0_usize..40, quote in prop::sample::select(vec!["''", "\"\"", "\\\n", "$''"])) {
        let at = at.min(command.len());
        let quoted = format!("{}{}{}", &command[..at], quote, &command[at..]);
        let plain = look(command);
        let changed = look(&quoted);
        // Within single quotes the inserted text is text of another command.
        let inside = command[..at].matches('\'').count() % 2 == 1 || command[..at].matches('"').count() % 2 == 1;
        if !inside && !plain.read_only {
            prop_assert!(!changed.read_only || changed.parts.iter().any(|part| part.words.iter().any(|word| word.text.as_deref() == Some(""))) , "{quoted:?}");
        }
    }

    #[test]
    fn a_list_is_what_its_parts_are(first in commands(), second in commands(), joint in prop::sample::select(vec![" && ", " || ", "; ", "\n", " | "])) {
        let whole = look(&format!("{first}{joint}{second}"));
        let one = look(first);
        let two = look(second);
        prop_assert!(!whole.read_only || (one.read_only && two.read_only), "{first}{joint}{second}");
        let outside = one.outside_workspace || (two.outside_workspace && !first.starts_with("cd "));
        prop_assert!(!outside || !whole.understood || whole.outside_workspace, "{first}{joint}{second}");
        let nested = [format!("({first})"), format!("{{ {first}\n}}"), format!("if true; then {first}\nfi"), format!("echo \"$({first})\""), format!("cat <({first})"), format!("for f in a; do {first}\ndone")];
        for text in nested {
            let nested = look(&text);
            prop_assert!(one.read_only || !nested.read_only, "{text}");
            prop_assert!(!one.outside_workspace || !nested.understood || nested.outside_workspace, "{text}");
        }
    }
}

#[test]
fn limits_hold() {
    let deep = |open: &str, close: &str, count: usize| {
        format!("{}ls{}", open.repeat(count), close.repeat(count))
    };
    let commands = [
        "a".repeat(100_000),
        "a | ".repeat(15_000) + "a",
        "a; ".repeat(20_000),
        "a\n".repeat(30_000),
        "a && ".repeat(12_000) + "a",
        "$(".repeat(30_000),
        "(".repeat(60_000),
        "(".repeat(20),
        deep("(", ")", 200),
        deep("( ", " )", 3_000),
        deep("$(", ")", 3_000),
        deep("{ ", "; }", 2_000),
        deep("if a; then ", "; fi", 2_000),
        deep("\"$(", ")\"", 2_000),
        deep("<(", ")", 500),
        deep("${x:-", "}", 2_000),
        deep("f() { ", "; }", 1_000),
        deep("while a; do ", "; done", 2_000),
        "`".repeat(60_001),
        "'".repeat(60_001),
        "if ".repeat(20_000),
        "case x in ".repeat(5_000),
        "<<a ".repeat(10_000),
        "[[ ( ".repeat(5_000),
        "{a,b}".repeat(5_000),
        "rm ".to_owned() + &"{a,".repeat(3_000),
        deep("$(", ")", 7_500),
        deep("( ", ") ", 7_500),
        deep("{ ", "; }", 7_000),
        deep("if a; then ", "; fi", 4_000),
        deep("\"$(", ")\"", 7_000),
        deep("while a; do ", "; done", 3_500),
        deep("if ", "; then b; fi", 4_000),
        deep("f() ( ", " )", 6_000),
        deep("[[ ! ", " ]]", 6_000),
        "[[ ".to_owned() + &"! ".repeat(15_000) + "a ]]",
        "echo ${a".to_owned() + &"${b".repeat(10_000),
        "99999999999999999999>x".to_owned(),
        "for f in {1..30}; do for g in {1..30}; do for h in {1..30}; do rm $f; done; done; done"
            .to_owned(),
        "! ".repeat(20_000) + "ls",
        "time ".repeat(10_000) + "ls",
        "timeout 5 ".repeat(5_000) + "ls",
        "sudo --x ".repeat(5_000) + "rm x",
        "sh -c \"sh -c 'sh -c ls'\"".to_owned(),
        "(a".repeat(25) + "((",
        "((a".repeat(12),
        "[ ".repeat(20_000),
        "coproc ".repeat(5_000),
        "function f ".repeat(5_000),
    ];
    for command in &commands {
        let analysis = look(command);
        assert!(!analysis.read_only, "{:.40}", command);
        for part in analysis.parts.iter().chain(&analysis.suspected_parts) {
            part.deny_forms();
        }
    }
}

#[test]
fn a_long_here_document_is_analysed() {
    let command = format!(
        "cat > a.md <<'EOF'\n{}EOF",
        "| some (text) | `with` $(marks) |\n".repeat(1_800)
    );
    let analysis = look(&command);
    assert!(analysis.understood, "{:?}", analysis.reasons);
    assert_eq!(analysis.parts.len(), 1);
}

#[test]
fn additional_directories_count_as_inside() {
    let additional = ["/opt/shared".into()];
    let context = ShellContext {
        cwd: Path::new("/w/project"),
        workspace: Path::new("/w/project"),
        additional_directories: &additional,
        home: Path::new("/home/dev"),
    };
    assert!(!analyze("cat /opt/shared/a", &context).outside_workspace);
    assert!(analyze("cat /opt/shared2/a", &context).outside_workspace);
    assert!(analyze("cat /opt/shared/../a", &context).outside_workspace);
}

/// Each of these took seconds: doubled values, chains of wrappers.
#[test]
fn short_texts_that_mean_much_are_bounded() {
    let doubled = format!("x=aaaa; {}cat $x", "x=$x$x; ".repeat(40));
    assert!(
        look(&doubled).outside_workspace,
        "nobody knows what it reads"
    );
    for wrapper in ["sudo ", "timeout 1 ", "env ", "command "] {
        let analysis = look(&format!("{}ls", wrapper.repeat(900)));
        assert!(!analysis.read_only && !analysis.understood, "{wrapper}");
        for part in &analysis.parts {
            assert!(part.deny_forms().len() < 200);
        }
    }
    assert!(look("timeout 5 nice -n 5 stdbuf -oL ls").read_only);
    let many = look(&format!("sed '{}s/a/rm x/e' f", "s/a/b/e;".repeat(2_000)));
    assert!(many.suspected_parts.len() < 1_000, "bounded");
    let anything = crate::CommandPart::OPEN.to_string();
    assert!(
        many.suspected_parts
            .iter()
            .flat_map(crate::CommandPart::deny_forms)
            .any(|form| form == anything),
        "what was not read may be any command"
    );
}
