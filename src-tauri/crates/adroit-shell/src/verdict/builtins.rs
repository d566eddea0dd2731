//! Builtins of the shell whose words it evaluates or takes for its own options.

use std::ops::Range;

use super::check::has_word;
use crate::arguments::Parsed;
use crate::evaluate::expand::{Argument, Shape};

/// `printf -v` and `%n` assign a variable, whose subscript would be evaluated.
pub(super) fn printf(word: &Argument, parsed: &Parsed) -> Option<(Range<usize>, String)> {
    if let Some(option) = parsed.options.first() {
        let assigns = parsed
            .options
            .iter()
            .any(|given| given.name.starts_with("-v"));
        if assigns || parsed.operands.is_empty() {
            return Some((
                option.span.clone(),
                "`printf -v` assigns a variable".to_owned(),
            ));
        }
    }
    let Some(format) = parsed.operands.first() else {
        return Some((word.span.clone(), "`printf` has no format".to_owned()));
    };
    let safe = format.literal().is_some_and(|text| {
        text.split('%').skip(1).all(|conversion| {
            let letter = conversion
                .trim_start_matches(|c: char| c.is_ascii_digit() || "-+ #0'.*hlLjzt".contains(c));
            !letter.starts_with('n')
        })
    });
    (!safe).then(|| {
        (
            format.span.clone(),
            "the format may assign a variable".to_owned(),
        )
    })
}

/// Options of the shell that change only how it goes on.
pub(super) fn shell_options(word: &Argument, parsed: &Parsed) -> Option<(Range<usize>, String)> {
    const LETTERS: &str = "euxovfspqEh";
    const NAMES: &str = "pipefail errexit nounset xtrace errtrace noglob nullglob globstar dotglob failglob nocaseglob";
    if let Some(given) = parsed.options.iter().find(|given| {
        !given
            .name
            .trim_start_matches('-')
            .chars()
            .all(|letter| LETTERS.contains(letter))
    }) {
        return Some((
            given.span.clone(),
            format!("`{}` is not known to be harmless", given.name),
        ));
    }
    if parsed.after_dashes.is_some() {
        return Some((
            word.span.clone(),
            "it sets the arguments of the shell".to_owned(),
        ));
    }
    parsed
        .operands
        .iter()
        .find(|operand| {
            !operand.literal().is_some_and(|text| {
                has_word(NAMES, text)
                    || text.strip_prefix('+').is_some_and(|letters| {
                        letters.chars().all(|letter| LETTERS.contains(letter))
                    })
            })
        })
        .map(|operand| {
            (
                operand.span.clone(),
                format!("`{}` is not known to be harmless", operand.raw),
            )
        })
}

/// `declare -p x`: names, told and not set.
pub(super) fn declarations(word: &Argument, parsed: &Parsed) -> Option<(Range<usize>, String)> {
    let tells = parsed
        .options
        .iter()
        .any(|given| matches!(given.name.as_str(), "-p" | "-f" | "-F"));
    let asks_nothing = parsed.operands.is_empty() && parsed.options.is_empty();
    if !tells && !asks_nothing {
        return Some((word.span.clone(), format!("`{}` sets variables", word.raw)));
    }
    parsed
        .operands
        .iter()
        .find(|operand| !operand.literal().is_some_and(crate::syntax::is_name))
        .map(|operand| {
            (
                operand.span.clone(),
                format!("`{}` may be evaluated", operand.raw),
            )
        })
}

const UNARY_FILE: &str = "-e -f -d -r -w -x -s -L -h -b -c -p -S -g -u -k -O -G -N -a";

const UNARY_TEXT: &str = "-n -z -t -o";

const BINARY: &str = "= == != < > -eq -ne -lt -le -gt -ge -nt -ot -ef -a -o";

/// `test -v` evaluates the subscript of its operand; an operand that cannot be
/// known must not stand where `-v` could. Returns the words that are paths too.
pub(super) fn test_words(words: &[Argument]) -> (Option<(Range<usize>, String)>, Vec<Argument>) {
    let mut paths = Vec::new();
    let literal = |at: usize| words.get(at).and_then(Argument::literal);
    for (at, word) in words.iter().enumerate() {
        let before = at.checked_sub(1).and_then(literal);
        // `-a` and `-o` join two tests unless they come first: what follows may be `-v`.
        let joined = at > 1 && matches!(before, Some("-a" | "-o"));
        let operand_of_unary = !joined
            && before.is_some_and(|text| has_word(UNARY_FILE, text) || has_word(UNARY_TEXT, text));
        let operand_of_binary = !joined && before.is_some_and(|text| has_word(BINARY, text));
        match &word.shape {
            Shape::Literal(text) => {
                if text == "-v" || text == "-R" {
                    let is_name = literal(at + 1).is_some_and(crate::syntax::is_name);
                    if !is_name && !operand_of_binary {
                        return (
                            Some((
                                word.span.clone(),
                                "the subscript of its operand is evaluated".to_owned(),
                            )),
                            paths,
                        );
                    }
                }
                if has_word(UNARY_FILE, text)
                    && !operand_of_unary
                    && let Some(next) = words.get(at + 1)
                {
                    // In `x -a y` it joins two tests.
                    let joins =
                        text == "-a" && at > 0 && before != Some("!") && before != Some("(");
                    if !joins {
                        paths.push(next.clone());
                    }
                }
                if matches!(text.as_str(), "-nt" | "-ot" | "-ef") {
                    paths.extend(at.checked_sub(1).and_then(|at| words.get(at)).cloned());
                    paths.extend(words.get(at + 1).cloned());
                }
            }
            _ => {
                let splits = matches!(
                    word.shape,
                    Shape::Unknown { splits: true, .. } | Shape::Glob { several: true, .. }
                );
                let settled = operand_of_unary
                    || operand_of_binary
                    || literal(at + 1).is_some_and(|text| has_word(BINARY, text))
                    || words.len() == 1;
                // Words that split may be operators in their midst, or vanish.
                if (splits && (word.may_be_option() || word.prefix().is_empty())) || !settled {
                    return (
                        Some((
                            word.span.clone(),
                            format!("`{}` may turn out to be an operator", word.raw),
                        )),
                        paths,
                    );
                }
            }
        }
    }
    (None, paths)
}
