//! Files that options of git name and git then writes.

use super::Verdict;
use super::operands::literal;
use crate::evaluate::expand::{Argument, Shape};
use crate::types::Access;

/// Options of git that are followed by a file to write. Git takes any beginning of a long one.
const WRITING: &[&str] = &["--output", "--output-directory"];

/// Adds what `git diff --output=x` and `git config --file x key value` write.
pub(super) fn written_files(name: &str, arguments: &[Argument], verdict: &mut Verdict) {
    for file in values(arguments, WRITING, "--out", None) {
        verdict.uses(file, Access::Write);
    }
    templates(name, arguments, verdict);
    if !name.starts_with("git config") || only_reads(name, arguments) {
        return;
    }
    for file in values(arguments, &["--file"], "--fi", Some("-f")) {
        verdict.uses(file, Access::Write);
    }
}

/// `git init --template=x` copies hooks that git runs from then on.
fn templates(name: &str, arguments: &[Argument], verdict: &mut Verdict) {
    if !matches!(name, "git init" | "git clone") {
        return;
    }
    let Some(template) = arguments
        .iter()
        .find(|word| word.prefix().starts_with("--te") || word.literal().is_none())
    else {
        return;
    };
    let texts: Vec<&str> = arguments
        .iter()
        .filter_map(Argument::literal)
        .filter(|text| !text.starts_with('-'))
        .collect();
    let folder = match (name, texts.last()) {
        ("git clone", Some(last)) => {
            let last = last.trim_end_matches('/');
            let end = last.rsplit(['/', ':']).next().unwrap_or(last);
            // A folder that is named, or the end of the address.
            if texts.len() > 1 {
                last
            } else {
                end.trim_end_matches(".git")
            }
        }
        // A value of the option may be taken for the folder: both are meant.
        ("git init", Some(last)) => last,
        _ => ".",
    };
    for folder in [folder, "."] {
        let hooks = format!("{folder}/.git/hooks/pre-commit");
        verdict.uses(literal(&hooks, template), Access::Write);
    }
}

/// `git -C .git log --output=config`: what git names counts from where it was sent. The paths
/// before `known` are those of the options that send it there.
pub(super) fn elsewhere(before: &[Argument], known: usize, verdict: &mut Verdict) {
    // `--work-tree` is where files are written, too.
    let mut base: Option<Shape> = None;
    for pair in before.windows(2) {
        let (Some("-C" | "--work-tree"), place) = (pair[0].literal(), &pair[1]) else {
            continue;
        };
        base = Some(match (base.take(), &place.shape) {
            (None, shape) => shape.clone(),
            (Some(Shape::Literal(outer)), Shape::Literal(inner)) => {
                Shape::Literal(joined(&outer, inner))
            }
            _ => nowhere(),
        });
    }
    for word in before {
        if let Some(tree) = word
            .literal()
            .and_then(|text| text.strip_prefix("--work-tree="))
        {
            base = Some(Shape::Literal(tree.to_owned()));
        }
    }
    let Some(base) = base else {
        return;
    };
    for path in verdict.paths.iter_mut().skip(known) {
        path.argument.shape = match (&base, &path.argument.shape) {
            (Shape::Literal(base), Shape::Literal(text)) => Shape::Literal(joined(base, text)),
            (
                Shape::Literal(base),
                Shape::Glob {
                    text,
                    prefix,
                    several,
                },
            ) => Shape::Glob {
                text: joined(base, text),
                prefix: joined(base, prefix),
                several: *several,
            },
            _ => nowhere(),
        };
    }
    for (argument, _) in &mut verdict.mentions {
        if let (Shape::Literal(base), Shape::Literal(text)) = (&base, &argument.shape) {
            argument.shape = Shape::Literal(joined(base, text));
        }
    }
}

fn joined(base: &str, text: &str) -> String {
    if text.starts_with(['/', '~']) {
        text.to_owned()
    } else {
        format!("{}/{text}", base.trim_end_matches('/'))
    }
}

fn nowhere() -> Shape {
    Shape::Unknown {
        prefix: String::new(),
        splits: false,
        tail: None,
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
