//! Which words of a program are paths, commands or scripts.

use super::Verdict;
use crate::arguments::{self, Parsed};
use crate::evaluate::expand::{Argument, Shape};
use crate::tables;
use crate::tables::row::{FlagPath, Kind, Row, flag};
use crate::types::Access;

/// `tar tzf x` is `tar -tzf x`.
pub(super) fn tar_letters(name: &str, arguments: &[Argument]) -> Vec<Argument> {
    let mut result = arguments.to_vec();
    if matches!(name, "tar" | "bsdtar")
        && let Some(first) = result.first_mut()
        && let Shape::Literal(text) = &mut first.shape
        && !text.starts_with('-')
        && !text.is_empty()
        && text.bytes().all(|byte| byte.is_ascii_alphabetic())
    {
        text.insert(0, '-');
    }
    result
}

/// Adds what the options and operands of a row say are paths.
pub(super) fn collect_paths(row: &Row, parsed: &Parsed, verdict: &mut Verdict) {
    for given in &parsed.options {
        let Some(value) = &given.value else {
            continue;
        };
        match given.path {
            Some(FlagPath::Read) => {
                // `docker run -v /host:/inside`: the first is ours.
                let volume = matches!(given.name.as_str(), "-v" | "--volume");
                let host = value.literal().and_then(|text| text.split_once(':'));
                match host {
                    Some((host, _)) if volume => verdict.paths.push((
                        Argument {
                            shape: Shape::Literal(host.to_owned()),
                            ..value.clone()
                        },
                        Access::Read,
                    )),
                    _ => verdict.paths.push((value.clone(), Access::Read)),
                }
            }
            Some(FlagPath::Write) => verdict.paths.push((value.clone(), Access::Write)),
            None => {
                let unlisted = flag(row.flags, &given.name).is_none();
                if unlisted
                    && row.kind == Kind::Acts
                    && crate::paths::looks_like_path(value.prefix())
                {
                    verdict.paths.push((value.clone(), Access::Read));
                }
            }
        }
    }
    let letters = operand_letters(row.operands, parsed.operands.len(), parsed.operand_replaced);
    for (at, (operand, letter)) in parsed.operands.iter().zip(letters).enumerate() {
        match letter {
            'p' => verdict.paths.push((operand.clone(), Access::Read)),
            'w' => verdict.paths.push((operand.clone(), Access::Write)),
            'r' => verdict.paths.push((operand.clone(), Access::Remove)),
            'g' => {
                let certain = parsed.after_dashes.is_some_and(|dashes| at >= dashes);
                if certain || crate::paths::looks_like_path(operand.prefix()) {
                    verdict.paths.push((operand.clone(), Access::Read));
                }
            }
            // Unquoted, it may become several words, and the later ones stand where paths do.
            _ if takes_paths(row)
                && matches!(operand.shape, Shape::Unknown { splits: true, .. }) =>
            {
                verdict.paths.push((operand.clone(), Access::Read));
            }
            _ => {}
        }
    }
    verdict.takes_paths |= takes_paths(row);
}

fn takes_paths(row: &Row) -> bool {
    row.operands.contains(['p', 'w', 'r'])
}

/// One letter for each operand.
fn operand_letters(spec: &str, count: usize, replaced: bool) -> Vec<char> {
    let letters: Vec<char> = spec.chars().collect();
    let star = letters.iter().position(|letter| *letter == '*');
    let (mut head, repeated, tail) = match star {
        Some(at) if at > 0 => (
            letters[..at - 1].to_vec(),
            Some(letters[at - 1]),
            letters[at + 1..].to_vec(),
        ),
        _ => (letters, None, Vec::new()),
    };
    if replaced && !head.is_empty() {
        head.remove(0);
    }
    let mut result = Vec::with_capacity(count);
    for at in 0..count {
        let from_end = count - at;
        let letter = if at < head.len() {
            head[at]
        } else if from_end <= tail.len() && count > head.len() + usize::from(!tail.is_empty()) {
            tail[tail.len() - from_end]
        } else {
            repeated.unwrap_or('g')
        };
        result.push(letter);
    }
    result
}

/// Paths of a program that no table knows.
pub(super) fn generic_paths(arguments: &[Argument], verdict: &mut Verdict) {
    let parsed = arguments::parse(&tables::UNKNOWN, arguments);
    collect_paths(&tables::UNKNOWN, &parsed, verdict);
}

/// `git -C dir`, `--git-dir=dir`.
pub(super) fn global_paths(arguments: &[Argument], verdict: &mut Verdict) {
    for (at, argument) in arguments.iter().enumerate() {
        let Some(text) = argument.literal() else {
            continue;
        };
        match text {
            "-C" | "--git-dir" | "--work-tree" => {
                if let Some(value) = arguments.get(at + 1) {
                    verdict.paths.push((value.clone(), Access::Read));
                }
            }
            _ => {
                for name in ["--git-dir=", "--work-tree=", "--exec-path="] {
                    if let Some(value) = text.strip_prefix(name) {
                        let value = Argument {
                            shape: Shape::Literal(value.to_owned()),
                            ..argument.clone()
                        };
                        verdict.paths.push((value, Access::Read));
                    }
                }
            }
        }
    }
}

/// What a program runs or writes beside its row.
pub(super) fn special(name: &str, parsed: &Parsed, arguments: &[Argument], verdict: &mut Verdict) {
    match name {
        "find" | "gfind" => embedded_commands(arguments, verdict),
        "fd" | "fdfind" => {
            if let Some(at) = arguments.iter().position(|argument| {
                matches!(
                    argument.literal(),
                    Some("-x" | "-X" | "--exec" | "--exec-batch")
                )
            }) {
                verdict.embedded.push(arguments[at + 1..].to_vec());
            }
        }
        "bash" | "sh" | "zsh" | "dash" | "ksh" | "fish" => {
            for given in &parsed.options {
                if given.name == "-c" {
                    verdict.scripts.extend(given.value.clone());
                }
            }
        }
        "eval" | "trap" => {
            let literal: Option<Vec<&str>> =
                parsed.operands.iter().map(Argument::literal).collect();
            if let (Some(texts), Some(first)) = (literal, parsed.operands.first()) {
                let text = if name == "trap" {
                    texts[0].to_owned()
                } else {
                    texts.join(" ")
                };
                verdict
                    .scripts
                    .push(Argument::synthetic(&text, first.span.clone()));
            }
        }
        "dd" => {
            for operand in &parsed.operands {
                let Some((key, value)) = operand.literal().and_then(|text| text.split_once('='))
                else {
                    continue;
                };
                let access = match key {
                    "if" => Access::Read,
                    "of" => Access::Write,
                    _ => continue,
                };
                let value = Argument {
                    shape: Shape::Literal(value.to_owned()),
                    ..operand.clone()
                };
                verdict.paths.push((value, access));
            }
        }
        _ => {}
    }
}

fn embedded_commands(arguments: &[Argument], verdict: &mut Verdict) {
    let mut at = 0;
    while at < arguments.len() {
        let runs = matches!(
            arguments[at].literal(),
            Some("-exec" | "-execdir" | "-ok" | "-okdir")
        );
        at += 1;
        if !runs {
            continue;
        }
        let end = arguments[at..]
            .iter()
            .position(|argument| matches!(argument.literal(), Some(";" | "+")))
            .map_or(arguments.len(), |length| at + length);
        verdict.embedded.push(arguments[at..end].to_vec());
        at = end;
    }
}
