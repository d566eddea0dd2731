//! Whether the arguments of a program fit its read-only row.

use std::ops::Range;

use super::Objection;
use super::builtins::{declarations, printf, shell_options};
use super::operands::operand_letters;
use crate::arguments::Parsed;
use crate::awk;
use crate::evaluate::expand::Argument;
use crate::sed;
use crate::tables::row::{Check, FlagPath, Kind, Row, flag};
use crate::types::ReasonCode;

pub(super) fn objections(
    row: &Row,
    name: &str,
    word: &Argument,
    parsed: &Parsed,
    appends: bool,
) -> Vec<Objection> {
    let mut result: Vec<Objection> = parsed
        .refused
        .iter()
        .map(|(span, message)| Objection {
            span: span.clone(),
            code: ReasonCode::NotReadOnlyArgument,
            message: message.clone(),
        })
        .collect();
    let mut object = |span: &Range<usize>, message: String| {
        result.push(Objection {
            span: span.clone(),
            code: ReasonCode::NotReadOnlyArgument,
            message,
        });
    };
    if appends && row.kind != Kind::Free {
        object(
            &word.span,
            format!("`xargs` may give `{name}` options with which it does not only read"),
        );
    }
    // `xmllint http://h/x`, `helm lint -f https://h/x`: where a file stands, many fetch an address.
    if let Some(address) = addresses(row, parsed).next() {
        object(
            &address.span,
            format!("`{}` may be fetched from another machine", address.raw),
        );
    }
    if row.response_files
        && let Some(operand) = parsed
            .operands
            .iter()
            .find(|operand| operand.prefix().starts_with('@'))
    {
        // `objdump @file` takes options from the file: `--plugin` loads a library.
        object(
            &operand.span,
            format!("`{}` is replaced by options from a file", operand.raw),
        );
    }
    // `git reflog wri$x` may be one of its words that write.
    if name == "git reflog"
        && let Some(first) = parsed.operands.first()
        && first.literal().is_none()
    {
        object(
            &first.span,
            format!("`{}` may be a word with which `{name}` writes", first.raw),
        );
    }
    if let Some(extra) = first_extra(row, parsed) {
        object(
            &extra.span,
            format!(
                "`{name}` does not only read with the operand `{}`",
                extra.raw
            ),
        );
    }
    // Even where every flag only reads, an option may name a file to be written.
    for given in &parsed.options {
        if given.path == Some(FlagPath::Write) {
            object(
                &given.span,
                format!("`{}` names a file to write", given.name),
            );
        }
    }
    for given in &parsed.options {
        let plain = |value: &Argument| {
            value.literal().is_some_and(|text| {
                text.bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
            })
        };
        if flag(row.flags, &given.name).is_some_and(|known| known.plain_value)
            && !given.value.as_ref().is_some_and(plain)
        {
            object(
                &given.span,
                format!("the value of `{}` may name a file to write", given.name),
            );
        }
    }
    if let Some((span, message)) = check(row, word, parsed) {
        object(&span, message);
    }
    result
}

/// Addresses where a file is to stand.
fn addresses<'p>(row: &Row, parsed: &'p Parsed) -> impl Iterator<Item = &'p Argument> {
    let operands = parsed
        .operands
        .iter()
        .zip(operand_letters(row.operands, parsed))
        .filter(|(_, letter)| *letter == 'p')
        .map(|(operand, _)| operand);
    let values = parsed
        .options
        .iter()
        .filter(|given| given.path.is_some())
        .filter_map(|given| given.value.as_ref());
    operands
        .chain(values)
        .filter(|_| row.kind == Kind::Listed)
        .filter(|argument| argument.prefix().contains("://"))
}

/// The first operand beyond those that the row allows.
fn first_extra<'p>(row: &Row, parsed: &'p Parsed) -> Option<&'p Argument> {
    if row.operands.contains('*') || row.kind != Kind::Listed {
        return None;
    }
    let allowed =
        row.operands.len() - usize::from(parsed.operand_replaced && !row.operands.is_empty());
    parsed.operands.get(allowed)
}

fn check(row: &Row, word: &Argument, parsed: &Parsed) -> Option<(Range<usize>, String)> {
    let first = parsed.operands.first();
    match row.check {
        Check::None => None,
        Check::Sed => sed_script(&script(parsed, &["-e", "--expression"])).or_else(|| {
            first
                .is_none()
                .then(|| (word.span.clone(), "there is no script".to_owned()))
                .filter(|_| !parsed.operand_replaced)
        }),
        Check::Awk => {
            let program = first?;
            let safe = program.literal().is_some_and(awk::only_prints);
            (!safe).then(|| {
                (
                    program.span.clone(),
                    "the awk program does not only compute and print".to_owned(),
                )
            })
        }
        Check::Plus => parsed
            .operands
            .iter()
            .find(|operand| !operand.prefix().starts_with('+'))
            .map(|operand| {
                (
                    operand.span.clone(),
                    format!("`{}` sets the clock", operand.raw),
                )
            }),
        // Needs the order of the words: `program` calls `test_words`.
        Check::Test => None,
        Check::ListingOperands(flags) => {
            let operand = first?;
            let lists = parsed
                .options
                .iter()
                .any(|given| has_word(flags, &given.name));
            (!lists).then(|| {
                (
                    operand.span.clone(),
                    format!("`{}` makes or changes a ref", operand.raw),
                )
            })
        }
        Check::FirstOperand(words) => {
            let operand = first?;
            let known = operand.literal().is_some_and(|text| has_word(words, text));
            (!known).then(|| {
                (
                    operand.span.clone(),
                    format!("`{}` is not known to only read", operand.raw),
                )
            })
        }
        Check::NeedsFlag(flags) => {
            let has = parsed
                .options
                .iter()
                .any(|given| has_word(flags, &given.name));
            (!has).then(|| {
                (
                    word.span.clone(),
                    format!("`{}` is read-only only with certain options", word.raw),
                )
            })
        }
        Check::Verb(words) => {
            let known = first
                .and_then(Argument::literal)
                .is_some_and(|text| has_word(words, text));
            (!known).then(|| {
                let span = first.map_or(&word.span, |operand| &operand.span);
                (
                    span.clone(),
                    format!("`{}` is read-only only with certain words", word.raw),
                )
            })
        }
        Check::Jq => {
            let filter = first.filter(|_| !parsed.operand_replaced)?;
            may_import(filter).then(|| (filter.span.clone(), IMPORTS.to_owned()))
        }
        Check::Yq => {
            // One yq is a jq: its filter may import.
            if let Some(filter) = first.filter(|filter| may_import(filter)) {
                return Some((filter.span.clone(), IMPORTS.to_owned()));
            }
            // `eval` puts such an expression together; after the word `eval` the expression is second.
            let told = usize::from(matches!(
                first.and_then(Argument::literal),
                Some("e" | "ea" | "eval" | "eval-all")
            ));
            let expression = parsed
                .operands
                .iter()
                .enumerate()
                .find_map(|(at, operand)| {
                    let acts = match operand.literal() {
                        Some(text) => {
                            text.contains('(')
                                && ["load", "system", "eval"]
                                    .iter()
                                    .any(|word| text.contains(word))
                        }
                        None => at <= told,
                    };
                    acts.then_some(operand)
                })?;
            Some((
                expression.span.clone(),
                "the expression reads another file or runs a program".to_owned(),
            ))
        }
        Check::Tar => tar(word, parsed),
        Check::Names => parsed
            .operands
            .iter()
            .chain(
                parsed
                    .options
                    .iter()
                    .filter(|given| given.name == "-a")
                    .filter_map(|given| given.value.as_ref()),
            )
            .find(|operand| {
                !operand
                    .literal()
                    .is_some_and(crate::variables::is_local_name)
            })
            .map(|operand| {
                (
                    operand.span.clone(),
                    format!("`{}` may be a variable that changes what runs", operand.raw),
                )
            }),
        Check::Pager => parsed
            .operands
            .iter()
            .find(|operand| !starts_harmlessly(operand))
            .map(|operand| {
                (
                    operand.span.clone(),
                    format!("the pager may run what stands in `{}`", operand.raw),
                )
            }),
        Check::SafeAssignments => parsed
            .operands
            .iter()
            .find(|operand| {
                !operand
                    .literal()
                    .and_then(|text| text.split_once('='))
                    .is_some_and(|(name, value)| {
                        crate::variables::is_harmless_before_command(name, Some(value))
                    })
            })
            .map(|operand| {
                (
                    operand.span.clone(),
                    format!("`{}` may change what runs", operand.raw),
                )
            }),
        Check::Devices => parsed
            .operands
            .iter()
            .find(|operand| {
                !operand
                    .literal()
                    .is_some_and(crate::paths::is_harmless_device)
            })
            .map(|operand| {
                (
                    operand.span.clone(),
                    format!("it writes the file `{}`", operand.raw),
                )
            }),
        Check::Declarations => declarations(word, parsed),
        Check::Printf => printf(word, parsed),
        Check::ShellOptions => shell_options(word, parsed),
        Check::WithoutEquals => parsed
            .operands
            .iter()
            .find(|operand| operand.literal().is_none_or(|text| text.contains('=')))
            .map(|operand| {
                (
                    operand.span.clone(),
                    format!("`{}` sets a value", operand.raw),
                )
            }),
        Check::Copied => copied(word, parsed),
    }
}

const IMPORTS: &str = "the filter may read a module";

/// Whether a jq filter begins with a directive; only there may one stand. A module says
/// where its imports lie: `module {}; import "./a" as $a {search:"/outside"}; $a`.
fn may_import(filter: &Argument) -> bool {
    let mut rest = filter.prefix().trim_start();
    while let Some(comment) = rest.strip_prefix('#') {
        let (line, after) = comment.split_once('\n').unwrap_or((comment, ""));
        // Newer ones go on with a comment after a backslash.
        if line.trim_end_matches('\r').ends_with('\\') {
            return true;
        }
        rest = after.trim_start();
    }
    let word: &str = rest
        .split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .next()
        .unwrap_or_default();
    let whole = word.len() < rest.len() || filter.literal().is_some();
    ["module", "import", "include"]
        .iter()
        .any(|directive| *directive == word || !whole && directive.starts_with(word))
}

/// Several scripts are one, each a line of it.
fn sed_script(scripts: &[&Argument]) -> Option<(Range<usize>, String)> {
    let texts: Option<Vec<&str>> = scripts.iter().map(|script| script.literal()).collect();
    if texts.is_some_and(|texts| sed::only_prints(&texts.join("\n"))) {
        return None;
    }
    // The one that is to blame, where one is alone.
    let guilty = scripts
        .iter()
        .find(|script| !script.literal().is_some_and(sed::only_prints))
        .or(scripts.first())?;
    Some((
        guilty.span.clone(),
        "the sed script does not only print".to_owned(),
    ))
}

/// Only lists, and only a local archive: `host:file` is fetched through another program.
fn tar(word: &Argument, parsed: &Parsed) -> Option<(Range<usize>, String)> {
    let has = |names: &[&str]| {
        parsed
            .options
            .iter()
            .any(|given| names.contains(&given.name.as_str()))
    };
    // What comes out goes to the output.
    let prints = has(&["-x", "--extract", "--get"]) && has(&["-O", "--to-stdout"]);
    if !has(&["-t", "--list"]) && !prints || prints && has(&["-t", "--list"]) {
        return Some((
            word.span.clone(),
            format!("`{}` is read-only only with certain options", word.raw),
        ));
    }
    let local = has(&["--force-local"]);
    parsed
        .options
        .iter()
        .filter(|given| matches!(given.name.as_str(), "-f" | "--file") && !local)
        .filter_map(|given| given.value.as_ref())
        .find(|archive| archive.literal().is_none_or(|text| text.contains(':')))
        .map(|archive| {
            (
                archive.span.clone(),
                format!("`{}` may lie on another machine", archive.raw),
            )
        })
}

/// An operand of a pager: a file, or a first command of which nothing runs: to the end, to a
/// line, to what follows a pattern.
fn starts_harmlessly(operand: &Argument) -> bool {
    let Some(text) = operand.literal() else {
        return !operand.prefix().is_empty() && !operand.prefix().starts_with('+');
    };
    let Some(command) = text.strip_prefix('+') else {
        return true;
    };
    matches!(command, "F" | "G" | "g")
        || command.bytes().all(|byte| byte.is_ascii_digit())
        || command
            .strip_prefix(['/', '?'])
            .is_some_and(|pattern| pattern.bytes().all(|byte| (0x20..0x7f).contains(&byte)))
}

pub(super) fn has_word(list: &str, word: &str) -> bool {
    list.split_ascii_whitespace().any(|known| known == word)
}

/// The scripts of `sed`: the values of `-e`, or the first operand.
fn script<'p>(parsed: &'p Parsed, flags: &[&str]) -> Vec<&'p Argument> {
    let given: Vec<&Argument> = parsed
        .options
        .iter()
        .filter(|given| flags.contains(&given.name.as_str()))
        .filter_map(|given| given.value.as_ref())
        .collect();
    if given.is_empty() {
        parsed.operands.first().into_iter().collect()
    } else {
        given
    }
}

/// `dd if=a of=/dev/null`: what it writes holds nothing, and every operand is a known one.
fn copied(word: &Argument, parsed: &Parsed) -> Option<(Range<usize>, String)> {
    const KEYS: &str = "if bs ibs obs cbs count skip seek iseek oseek conv iflag oflag status";
    parsed
        .operands
        .iter()
        .chain(parsed.after_dashes.map(|_| word))
        .find(|operand| {
            !operand
                .literal()
                .and_then(|text| text.split_once('='))
                .is_some_and(|(key, value)| {
                    has_word(KEYS, key) || key == "of" && crate::paths::is_harmless_device(value)
                })
        })
        .map(|operand| {
            (
                operand.span.clone(),
                format!("`{}` writes what it copies", operand.raw),
            )
        })
}
