//! What some programs print, as far as it is the same whatever they find.

use super::expand::{Argument, Shape};
use crate::syntax::tree::{Command, List, Redirection, Simple};
use crate::wrappers;

/// The command whose lines, or some of them, are all that `list` prints.
pub(super) fn writer(list: &List) -> Option<&Simple> {
    let [item] = list.0.as_slice() else {
        return None;
    };
    let [Command::Simple(first), rest @ ..] = item.first.commands.as_slice() else {
        return None;
    };
    let alone = item.rest.is_empty()
        && !item.background
        && !item.first.negated
        && first.assignments.is_empty()
        && first.redirects.iter().all(silences)
        && rest.iter().all(passes_lines);
    alone.then_some(first)
}

/// `2>/dev/null`: nothing of it comes out instead, nor besides.
fn silences(redirect: &Redirection) -> bool {
    matches!(
        redirect,
        Redirection::File { stdout: false, target, .. } if target.raw == "/dev/null"
    )
}

/// `head -1`: some of the lines, as they are.
fn passes_lines(command: &Command) -> bool {
    let Command::Simple(simple) = command else {
        return false;
    };
    let mut words = simple.words.iter().map(|word| word.raw.as_str());
    matches!(words.next(), Some("head" | "tail"))
        && simple.assignments.is_empty()
        && simple.redirects.is_empty()
        && words.all(|word| {
            word == "-n"
                || word
                    .trim_start_matches("-n")
                    .trim_start_matches(['-', '+'])
                    .bytes()
                    .all(|byte| byte.is_ascii_digit())
        })
}

/// Whether it prints names of objects of git, in hexadecimal digits, and nothing else. No ref
/// is printed: one may be called `--output=x` (`git update-ref refs/heads/--output=x`).
pub(super) fn names_objects(words: &[Argument]) -> bool {
    let Some((verb, arguments)) = subcommand(words) else {
        return false;
    };
    let plain = |options: &[&str]| {
        arguments.iter().all(|argument| match argument.literal() {
            Some(text) if is_count(text) => verb == "rev-list",
            Some(text) if text.starts_with('-') => {
                options.iter().any(|known| match known.strip_suffix('=') {
                    Some(_) => text.starts_with(known),
                    None => text == *known,
                })
            }
            Some(_) => true,
            None => !argument.may_be_option(),
        })
    };
    match verb {
        "merge-base" => plain(&["-a", "--all", "--octopus", "--independent", "--fork-point"]),
        "rev-list" => plain(&[
            "-n",
            "--max-count=",
            "--skip=",
            "--max-parents=0",
            "--all",
            "--first-parent",
            "--no-merges",
            "--merges",
            "--reverse",
            "--since=",
            "--after=",
            "--until=",
            "--before=",
            "--author=",
            "--grep=",
            "--",
        ]),
        // What it does not know it prints as it stands.
        "rev-parse" => {
            let known = plain(&["--verify", "--short", "--short=", "-q", "--quiet"]);
            let names = arguments
                .iter()
                .filter(|argument| !argument.prefix().starts_with('-'))
                .count();
            known && names == 1 && arguments.iter().all(is_revision)
        }
        _ => false,
    }
}

/// `-3`
fn is_count(text: &str) -> bool {
    text.strip_prefix('-').is_some_and(|digits| {
        !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
    })
}

/// The subcommand of git and its arguments, past what only says that nothing is paged.
fn subcommand(words: &[Argument]) -> Option<(&str, &[Argument])> {
    let (program, mut rest) = words.split_first()?;
    if wrappers::trusted_name(program.literal()?)? != "git" {
        return None;
    }
    while let Some(("--no-pager" | "-P", after)) = rest
        .split_first()
        .and_then(|(word, after)| Some((word.literal()?, after)))
    {
        rest = after;
    }
    let (verb, arguments) = rest.split_first()?;
    Some((verb.literal()?, arguments))
}

/// A word that stands for itself where it names no revision: no pattern, no way out.
fn is_revision(argument: &Argument) -> bool {
    match &argument.shape {
        Shape::Literal(text) => {
            !text.contains("..")
                && !text.starts_with('/')
                && text
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || b"_./~^@{}-=".contains(&byte))
        }
        Shape::Unknown { tail, .. } => tail.is_some(),
        Shape::Glob { .. } => false,
    }
}

/// `mktemp -d`: a name that was not there before, or nothing.
pub(super) fn makes_temporary(words: &[Argument]) -> bool {
    let texts: Option<Vec<&str>> = words.iter().map(Argument::literal).collect();
    texts.is_some_and(|texts| {
        texts.split_first().is_some_and(|(name, rest)| {
            wrappers::trusted_name(name) == Some("mktemp")
                && rest.iter().all(|text| {
                    !text.starts_with('-')
                        || matches!(*text, "-d" | "--directory" | "-q" | "-t" | "-p" | "-dt")
                        || text.starts_with("--tmpdir")
                        || text.starts_with("--suffix=")
                })
        })
    })
}
