//! What surrounds a command never makes it free: over every case, not over samples.

use super::corpus::{Case, cases};
use super::look;

fn free(command: &str) -> bool {
    let analysis = look(command);
    analysis.read_only && !analysis.outside_workspace
}

/// Harmless in itself: before, around or behind a command that stands at `%`.
const AROUND: &[&str] = &[
    "timeout 5 %",
    "time %",
    "nice -n 5 %",
    "command %",
    "env %",
    "stdbuf -oL %",
    "LANG=C %",
    "! %",
    "(%\n)",
    "{ %\n}",
    "true && %",
    "cat a | %",
    "ls; %",
    "%\nls",
    "if true; then %\nfi",
    "for i in a b; do %\ndone",
    "while read -r l; do %\ndone < a",
    "echo \"$(%\n)\"",
    "cat <(%\n)",
    "case a in a) %\n;; esac",
    "# a comment\n%",
    "\n  %",
];

/// `nohup` asks for what it would write where its output is a terminal, and a pager for what is
/// typed there: within a pipe or a substitution it is none.
fn asks(case: &Case) -> bool {
    let at_a_terminal = ["nohup", "less", "more"]
        .iter()
        .any(|name| case.command.starts_with(name) || case.command.contains(&format!("| {name}")));
    case.mark != "read" && !at_a_terminal
}

#[test]
fn what_asks_asks_within_anything_harmless() {
    let mut wrong = Vec::new();
    for case in cases().iter().filter(|case| asks(case)) {
        for around in AROUND {
            let whole = around.replace('%', case.command);
            if free(&whole) {
                wrong.push(whole);
            }
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}

/// A program's name means the same however it is quoted, in both directions.
#[test]
fn quoting_the_name_of_a_program_changes_nothing() {
    /// Reserved words and those that the shell takes for such where they are not quoted.
    const RESERVED: &str = "if for while until case select time function coproc";
    let mut wrong = Vec::new();
    for case in cases() {
        let name: String = case
            .command
            .chars()
            .take_while(|letter| letter.is_ascii_lowercase())
            .collect();
        let rest = &case.command[name.len()..];
        let reserved = RESERVED.split(' ').any(|word| word == name);
        if name.len() < 2 || reserved || !(rest.is_empty() || rest.starts_with(' ')) {
            continue;
        }
        let (first, others) = name.split_at(1);
        for quoted in [
            format!("'{name}'{rest}"),
            format!("\"{name}\"{rest}"),
            format!("\\{name}{rest}"),
            format!("{first}''{others}{rest}"),
            format!("{first}\"{others}\"{rest}"),
        ] {
            // Which programs list files for `xargs` is seen by their plain names alone.
            let piped = case.command.contains(" | xargs");
            let is_free = free(&quoted);
            let excused = piped && !is_free;
            if is_free != (case.mark == "read") && !excused {
                wrong.push(format!("{} {quoted}", case.mark));
            }
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}

/// A list is never freer than what it is split into.
#[test]
fn a_list_is_never_freer_than_its_parts() {
    let cases = cases();
    // What one sets the other may use: a folder, a number.
    let carries = |command: &str| {
        ["cd ", "pushd", "=", "((", "set", "read"]
            .iter()
            .any(|text| command.contains(text))
    };
    let mut wrong = Vec::new();
    for pair in cases.windows(2) {
        let [one, two] = pair else {
            continue;
        };
        if carries(one.command) || carries(two.command) || !(asks(one) || asks(two)) {
            continue;
        }
        for joint in [" ; ", " && ", " || ", "\n", " | "] {
            let list = format!("{}{joint}{}", one.command, two.command);
            // A comment or a document takes in what follows it.
            if free(&list) && !one.command.contains(['#', '<']) {
                wrong.push(list);
            }
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}
