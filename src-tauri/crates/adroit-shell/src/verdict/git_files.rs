//! Files that options of git name and git then writes.

use super::Verdict;
use super::operands::literal;
use crate::evaluate::expand::Argument;
use crate::types::Access;

/// Options of git that are followed by a file to write. Git takes any beginning of a long one.
const WRITING: &[&str] = &["--output", "--output-directory"];

/// Adds what `git diff --output=x` and `git config --file x key value` write.
pub(super) fn written_files(name: &str, arguments: &[Argument], verdict: &mut Verdict) {
    for file in values(arguments, WRITING, "--out", None) {
        verdict.uses(file, Access::Write);
    }
    if !name.starts_with("git config") || only_reads(name, arguments) {
        return;
    }
    for file in values(arguments, &["--file"], "--fi", Some("-f")) {
        verdict.uses(file, Access::Write);
    }
}

/// `git config` without a new value only prints.
fn only_reads(name: &str, arguments: &[Argument]) -> bool {
    if matches!(name, "git config get" | "git config list") {
        return true;
    }
    name == "git config"
        && arguments.iter().any(|argument| {
            matches!(
                argument.literal(),
                Some(
                    "-l" | "--list"
                        | "--get"
                        | "--get-all"
                        | "--get-regexp"
                        | "--get-urlmatch"
                        | "list"
                        | "get"
                )
            )
        })
}

/// Values of an option by any beginning of its `long` names that is not shorter than
/// `shortest`, or by its letter.
fn values(
    arguments: &[Argument],
    long: &[&str],
    shortest: &str,
    letter: Option<&str>,
) -> Vec<Argument> {
    let mut found = Vec::new();
    for (at, argument) in arguments.iter().enumerate() {
        let text = argument.prefix();
        if text == "--" {
            break;
        }
        let (option, attached) = match text.split_once('=') {
            Some((option, value)) => (option, Some(value)),
            None => (text, None),
        };
        let is_long =
            option.len() >= shortest.len() && long.iter().any(|known| known.starts_with(option));
        let behind = letter
            .and_then(|letter| text.strip_prefix(letter))
            .filter(|_| !text.starts_with("--"));
        match (is_long, attached, behind) {
            (true, Some(value), _) | (false, _, Some(value)) if !value.is_empty() => {
                found.push(match argument.literal() {
                    Some(_) => literal(value, argument),
                    None => argument.clone(),
                });
            }
            (true, None, _) | (false, _, Some(_)) => found.extend(arguments.get(at + 1).cloned()),
            _ => {}
        }
    }
    found
}
