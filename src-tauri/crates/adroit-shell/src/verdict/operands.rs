//! Which words of a program are paths, and which may be.

use std::ops::Range;

use super::{Use, Verdict};
use crate::arguments::{self, Given, Parsed};
use crate::evaluate::expand::{Argument, Shape};
use crate::paths;
use crate::tables::row::{Depth, FlagPath, Kind, Row, flag};
use crate::tables::{self, globals};
use crate::types::{Access, Below};

/// `tar tzf x` is `tar -t -z -f x`: without a dash each letter is an option of its own, and
/// those that take a value take the next words in turn (`tar tfF a ./run`).
pub(super) fn tar_letters(name: &str, arguments: &[Argument]) -> Vec<Argument> {
    const WITH_VALUE: &str = "bCfFgHIKLNTVX";
    let letters = arguments
        .first()
        .and_then(Argument::literal)
        .filter(|text| {
            matches!(name, "tar" | "bsdtar")
                && !text.is_empty()
                && text.bytes().all(|byte| byte.is_ascii_alphabetic())
        });
    let Some(letters) = letters else {
        return arguments.to_vec();
    };
    let mut rest = arguments.iter().skip(1).cloned();
    let mut result = Vec::with_capacity(arguments.len() + letters.len());
    for letter in letters.chars() {
        result.push(literal(&format!("-{letter}"), &arguments[0]));
        if WITH_VALUE.contains(letter) {
            result.extend(rest.next());
        }
    }
    result.extend(rest);
    result
}

/// Adds what the options and operands of a row say are paths, or may be.
pub(super) fn collect_paths(name: &str, row: &Row, parsed: &Parsed, verdict: &mut Verdict) {
    let is_git = name.starts_with("git ");
    if let Some(span) = lists_through_links(name, parsed) {
        verdict.follows_links.push(span);
    }
    for given in &parsed.options {
        if flag(row.flags, &given.name).is_some_and(|flag| flag.follows_links) {
            verdict.follows_links.push(given.span.clone());
        }
        let Some(value) = &given.value else {
            continue;
        };
        match given.path {
            // `docker run -v /host:/inside`: the first is ours.
            Some(FlagPath::Read) if matches!(given.name.as_str(), "-v" | "--volume") => {
                let host = value.literal().and_then(|text| text.split_once(':'));
                verdict.reads(match host {
                    Some((host, _)) => literal(host, value),
                    None => value.clone(),
                });
            }
            // `--mount type=bind,source=/host,target=/inside`
            Some(FlagPath::Read) if given.name == "--mount" => {
                let source = value.literal().and_then(|text| {
                    text.split(',').find_map(|field| {
                        field
                            .strip_prefix("source=")
                            .or_else(|| field.strip_prefix("src="))
                    })
                });
                match source {
                    // A name without a slash is a volume's.
                    Some(source) if source.contains('/') => {
                        verdict.reads(literal(source, value));
                    }
                    _ => {}
                }
            }
            Some(FlagPath::Read) => verdict.reads(value.clone()),
            Some(FlagPath::Write) => verdict.uses(value.clone(), Access::Write),
            None => option_value(row, given, value, is_git, verdict),
        }
    }
    let below = below(row, parsed);
    let letters = operand_letters(row.operands, parsed);
    for (at, (operand, letter)) in parsed.operands.iter().zip(letters).enumerate() {
        let mut uses = |access: Access| {
            let below = match access {
                Access::Remove => Some(Below::everything()),
                _ => below.clone(),
            };
            verdict.paths.push(Use {
                argument: operand.clone(),
                access,
                below,
            });
        };
        match letter {
            'p' => uses(Access::Read),
            'w' => uses(Access::Write),
            'r' => uses(Access::Remove),
            'g' | 'G' => {
                let access = if letter == 'G' {
                    Access::Write
                } else {
                    Access::Read
                };
                let certain = parsed.after_dashes.is_some_and(|dashes| at >= dashes);
                if certain || paths::looks_like_path(operand.prefix()) {
                    uses(access);
                } else {
                    mention(operand, access, verdict);
                }
            }
            // Unquoted, it may become several words, and the later ones stand where paths do.
            _ if takes_paths(row)
                && matches!(operand.shape, Shape::Unknown { splits: true, .. }) =>
            {
                uses(Access::Read);
            }
            _ if operand.prefix().starts_with("file://") => {
                let file = operand.prefix().trim_start_matches("file://");
                verdict.reads(literal(file, operand));
            }
            _ if row.kind == Kind::Acts && !is_builtin(name) => {
                mention(operand, Access::Read, verdict);
            }
            _ => {}
        }
    }
    if below.is_some() && row.kind != Kind::Acts && !has_place(row, parsed) {
        // `rg x` and `grep -r x` search here.
        verdict.paths.push(Use {
            argument: Argument::synthetic(".", 0..0),
            access: Access::Read,
            below,
        });
    }
    verdict.takes_paths |= takes_paths(row);
}

/// `ls -LR`: a link below may lead anywhere, and what lies there is listed.
fn lists_through_links(name: &str, parsed: &Parsed) -> Option<Range<usize>> {
    let follows = match name {
        "ls" | "dir" | "vdir" | "lsd" => "-L",
        "eza" | "exa" => "-X",
        _ => return None,
    };
    let goes_on = parsed.options.iter().any(|given| {
        matches!(given.name.as_str(), "-R" | "-T" | "--tree") || given.name.starts_with("--rec")
    });
    let option = parsed
        .options
        .iter()
        .find(|given| given.name == follows || given.name.starts_with("--deref"))?;
    goes_on.then(|| option.span.clone())
}

/// Some operand says where to look.
fn has_place(row: &Row, parsed: &Parsed) -> bool {
    let letters = operand_letters(row.operands, parsed);
    letters.contains(&'p')
}

/// Whether the row goes on below its operands, and to which files.
fn below(row: &Row, parsed: &Parsed) -> Option<Below> {
    let has = |flags: &str| {
        parsed.options.iter().any(|given| {
            flags
                .split_ascii_whitespace()
                .any(|known| match known.split_once('=') {
                    // `grep -d recurse`; words are cut short like options.
                    Some((name, text)) => {
                        let value = given.value.as_ref().and_then(Argument::literal);
                        name == given.name && value.is_none_or(|value| text.starts_with(value))
                    }
                    None => known == given.name,
                })
        })
    };
    let hidden = match row.depth {
        Depth::Named => return None,
        Depth::Flags(flags) if !has(flags) => return None,
        Depth::Flags(_) => true,
        Depth::Visible(flags) => {
            let unrestricted = parsed
                .options
                .iter()
                .filter(|given| matches!(given.name.as_str(), "-u" | "--unrestricted"))
                .count();
            has(flags) || unrestricted > 1
        }
    };
    let mut names = Vec::new();
    for given in &parsed.options {
        let names_flag = row
            .names_flags
            .split_ascii_whitespace()
            .any(|known| known == given.name);
        match (names_flag, given.value.as_ref().map(Argument::literal)) {
            (false, _) | (true, None) => {}
            // What cannot be read leaves any name.
            (true, Some(None)) => {
                return Some(Below {
                    hidden,
                    names: Vec::new(),
                    perhaps: false,
                    one_by_one: false,
                    shallow: false,
                });
            }
            // An exclusion leaves the rest.
            (true, Some(Some(text))) if text.starts_with('!') => {}
            (true, Some(Some(text))) => {
                let last = text.rsplit('/').next().unwrap_or(text);
                names.push(last.to_owned());
            }
        }
    }
    Some(Below {
        hidden,
        names,
        perhaps: false,
        one_by_one: false,
        shallow: false,
    })
}

/// The value of an option that the row does not call a path.
fn option_value(row: &Row, given: &Given, value: &Argument, is_git: bool, verdict: &mut Verdict) {
    let unlisted = flag(row.flags, &given.name).is_none();
    if unlisted && row.kind == Kind::Acts {
        if paths::looks_like_path(value.prefix()) {
            verdict.reads(value.clone());
        } else {
            mention(value, Access::Read, verdict);
        }
        return;
    }
    // `lsd --config-file=/etc/x`: an option that the row does not know may read what it names.
    if unlisted
        && row.kind == Kind::Free
        && !is_git
        && given.name.starts_with("--")
        && paths::looks_like_path(value.prefix())
    {
        verdict.reads(value.clone());
    }
    let Some(text) = value.literal() else {
        return;
    };
    // `curl -d @file`, `-F name=@file`, `git log -L 1,5:file`.
    let in_form = matches!(given.name.as_str(), "-F" | "--form");
    if let Some((_, file)) = text.split_once(|mark| mark == '@' || in_form && mark == '<') {
        verdict.mentions.push((literal(file, value), Access::Read));
        // `-F 'a=@one,two;type=text/plain'`
        for file in file.split([',', ';']).filter(|_| in_form) {
            verdict.mentions.push((literal(file, value), Access::Read));
        }
    } else if is_git
        && given.name == "-L"
        && let Some((_, file)) = text.rsplit_once(':')
    {
        verdict.mentions.push((literal(file, value), Access::Read));
    }
}

/// Stands for the name of an object that only the shell knows.
const OBJECT: &str = "0";

/// A word that may name a file, in each way in which it may.
pub(super) fn mention(argument: &Argument, access: Access, verdict: &mut Verdict) {
    let text = match &argument.shape {
        Shape::Literal(text) => text.clone(),
        // `"$sha:.env"`: whatever object it is, this is the file in it.
        Shape::Unknown {
            tail: Some(tail), ..
        } => format!("{OBJECT}{tail}"),
        Shape::Unknown { .. } => return,
        Shape::Glob { .. } => {
            verdict.mentions.push((argument.clone(), access));
            return;
        }
    };
    if text == OBJECT {
        return;
    }
    // An exclusion of git names what is left out.
    if text.starts_with(":!") || text.starts_with(":^") {
        return;
    }
    let mut add = |text: &str| {
        if !text.is_empty() && !text.contains('\n') && text.len() < 4_096 {
            verdict.mentions.push((literal(text, argument), access));
        }
    };
    add(&text);
    // `HEAD:file`, `:file`, `:(top)file`, `host:file`, `src=file`, `@file`, `a@file`.
    for mark in [':', '=', '@'] {
        if let Some((_, rest)) = text.split_once(mark)
            && !rest.starts_with("//")
        {
            let rest = match rest.strip_prefix('(').and_then(|rest| rest.split_once(')')) {
                Some((_, file)) => file,
                None => rest.trim_start_matches(['/', '@', '<']),
            };
            add(rest);
        }
    }
}

/// `argument` with another text.
pub(super) fn literal(text: &str, argument: &Argument) -> Argument {
    Argument {
        shape: Shape::Literal(text.to_owned()),
        ..argument.clone()
    }
}

/// Builtins of the shell, whose words are texts.
fn is_builtin(name: &str) -> bool {
    matches!(
        name,
        "eval"
            | "exec"
            | "trap"
            | "alias"
            | "export"
            | "declare"
            | "typeset"
            | "local"
            | "readonly"
            | "unset"
            | "let"
            | "builtin"
            | "command"
            | "hash"
            | "enable"
            | "bind"
            | "complete"
            | "printf"
            | "read"
            | "mapfile"
            | "readarray"
            | "getopts"
            | "echo"
            | "ulimit"
            | "kill"
    )
}

fn takes_paths(row: &Row) -> bool {
    row.operands.contains(['p', 'w', 'r'])
}

/// One letter for each operand.
pub(super) fn operand_letters(spec: &str, parsed: &Parsed) -> Vec<char> {
    let (count, replaced) = (parsed.operands.len(), parsed.operand_replaced);
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
    collect_paths("", &tables::UNKNOWN, &parsed, verdict);
}

/// `git -C dir`, `--git-dir=dir`, `npm --prefix dir`.
pub(super) fn global_paths(name: &str, arguments: &[Argument], verdict: &mut Verdict) {
    let Some(globals) = globals::of(name) else {
        return;
    };
    let mut at = 0;
    while let Some(argument) = arguments.get(at) {
        let Some(text) = argument.literal().filter(|text| text.starts_with('-')) else {
            return;
        };
        let Some(known) = globals.option(text) else {
            at += 1;
            continue;
        };
        if known.path {
            match text.split_once('=') {
                Some((_, value)) => verdict.reads(literal(value, argument)),
                None => verdict.paths.extend(arguments.get(at + 1).map(|value| Use {
                    argument: value.clone(),
                    access: Access::Read,
                    below: None,
                })),
            }
        }
        at += known.words;
    }
}
