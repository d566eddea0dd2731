//! Splits the arguments of a program into options and operands as its row says.

use std::ops::Range;

use crate::evaluate::expand::{Argument, Shape};
use crate::tables::row::{Flag, FlagPath, Kind, Row, Style, Takes, abbreviated, flag};

/// An option that was given.
#[derive(Clone, Debug)]
pub(crate) struct Given {
    /// With its dashes; `-30` for a number.
    pub name: String,
    pub value: Option<Argument>,
    pub path: Option<FlagPath>,
    pub span: Range<usize>,
}

/// The arguments of one program.
#[derive(Clone, Debug, Default)]
pub(crate) struct Parsed {
    pub options: Vec<Given>,
    /// With what may be an option although it is not written as one.
    pub operands: Vec<Argument>,
    /// Index of the first operand after `--`.
    pub after_dashes: Option<usize>,
    /// Some option takes the place of the first operand.
    pub operand_replaced: bool,
    /// Arguments that the row does not allow, and why.
    pub refused: Vec<(Range<usize>, String)>,
}

impl Parsed {
    fn refuse(&mut self, argument: &Argument, why: &str) {
        self.refused
            .push((argument.span.clone(), format!("`{}` {why}", argument.raw)));
    }
}

/// Parses `arguments` (without the program) by `row`.
pub(crate) fn parse(row: &Row, arguments: &[Argument]) -> Parsed {
    let mut parsed = Parsed::default();
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let text = match &argument.shape {
            Shape::Literal(text) => text.as_str(),
            // `--since="$x"`: the name of the option is known.
            Shape::Unknown {
                prefix,
                splits: false,
                ..
            } if prefix.starts_with("--") && prefix.contains('=') => prefix.as_str(),
            _ => {
                if argument.may_be_option() && row.kind == Kind::Listed {
                    parsed.refuse(argument, "may turn out to be an option");
                }
                parsed.operands.push(argument.clone());
                continue;
            }
        };
        if text == "--" {
            parsed.after_dashes = Some(parsed.operands.len());
            parsed.operands.extend(rest.cloned());
            break;
        }
        if text.len() < 2 || !text.starts_with('-') {
            parsed.operands.push(argument.clone());
        } else if text.starts_with("--") || row.style == Style::Long {
            long(row, argument, text, &mut rest, &mut parsed);
        } else {
            short(row, argument, text, &mut rest, &mut parsed);
        }
    }
    parsed
}

fn long<'a>(
    row: &Row,
    argument: &Argument,
    text: &str,
    rest: &mut (impl Iterator<Item = &'a Argument> + Clone),
    parsed: &mut Parsed,
) {
    let (name, attached) = match text.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (text, None),
    };
    if row.digits && row.style == Style::Long && is_number(&text[1..]) {
        return;
    }
    let attached = attached.map(|value| attached_value(argument, value, name.len() + 1));
    match flag(row.flags, name) {
        None => {
            if row.kind == Kind::Listed {
                parsed.refuse(argument, "is not known to only read");
            } else if row.style == Style::Gnu {
                let next = rest.clone().next();
                abbreviation(row, argument, (name, attached.as_ref()), next, parsed);
            }
            push(parsed, name, attached, None, argument);
        }
        Some(found) => {
            let value = match (found.takes, attached) {
                (Takes::Nothing, Some(value)) => {
                    if row.kind == Kind::Listed {
                        parsed.refuse(argument, "takes no value");
                    }
                    Some(value)
                }
                (Takes::Value, None) => {
                    if found.named {
                        next_value(row, argument, rest, parsed);
                    }
                    next_value(row, argument, rest, parsed)
                }
                (_, attached) => attached,
            };
            push(parsed, name, value, Some(found), argument);
        }
    }
}

/// An option that may be one of the row, cut short. Its value may be the `next` word, which
/// stays an operand, too: an option of that very name may exist that takes none.
fn abbreviation(
    row: &Row,
    argument: &Argument,
    (name, attached): (&str, Option<&Argument>),
    next: Option<&Argument>,
    parsed: &mut Parsed,
) {
    for (full, found) in [row.flags, row.depth.flags()]
        .into_iter()
        .flat_map(|list| abbreviated(list, name))
    {
        let value = match found.takes {
            Takes::Value => attached.or(next),
            Takes::Nothing | Takes::Attached => attached,
        };
        push(parsed, full, value.cloned(), Some(found), argument);
    }
}

fn short<'a>(
    row: &Row,
    argument: &Argument,
    text: &str,
    rest: &mut impl Iterator<Item = &'a Argument>,
    parsed: &mut Parsed,
) {
    let cluster = &text[1..];
    if row.digits && is_number(cluster) {
        push(parsed, text, None, None, argument);
        return;
    }
    for (at, character) in cluster.char_indices() {
        let name = format!("-{character}");
        let after = &cluster[at + character.len_utf8()..];
        let found = flag(row.flags, &name);
        match found {
            None if row.kind == Kind::Listed => {
                // `head -n5` style digits after a known flag are its value; this is unknown.
                parsed.refuse(argument, "is not known to only read");
                return;
            }
            // `-I/usr/include`: the rest is a value, not more flags.
            None if crate::paths::looks_like_path(after) => {
                let value = attached_value(argument, after, text.len() - after.len());
                push(parsed, &name, Some(value), None, argument);
                within(row, argument, text, after, parsed);
                return;
            }
            None => push(parsed, &name, None, None, argument),
            Some(found) => match found.takes {
                Takes::Nothing => push(parsed, &name, None, Some(found), argument),
                Takes::Attached => {
                    let value = (!after.is_empty())
                        .then(|| attached_value(argument, after, text.len() - after.len()));
                    push(parsed, &name, value, Some(found), argument);
                    return;
                }
                Takes::Value => {
                    let value = if after.is_empty() {
                        next_value(row, argument, rest, parsed)
                    } else {
                        Some(attached_value(argument, after, text.len() - after.len()))
                    };
                    push(parsed, &name, value, Some(found), argument);
                    return;
                }
            },
        }
    }
}

/// `cp -at.git/hooks x`: what looks like the value of a flag that is not known may be
/// more flags, the last of them with a path.
fn within(row: &Row, argument: &Argument, text: &str, cluster: &str, parsed: &mut Parsed) {
    for (at, letter) in cluster.char_indices() {
        if !letter.is_ascii_alphabetic() {
            return;
        }
        let name = format!("-{letter}");
        let Some(found) = flag(row.flags, &name) else {
            continue;
        };
        if found.takes != Takes::Nothing {
            let after = &cluster[at + letter.len_utf8()..];
            let value = attached_value(argument, after, text.len() - after.len());
            push(parsed, &name, Some(value), Some(found), argument);
            return;
        }
    }
}

fn push(
    parsed: &mut Parsed,
    name: &str,
    value: Option<Argument>,
    found: Option<Flag>,
    argument: &Argument,
) {
    parsed.operand_replaced |= found.is_some_and(|flag| flag.replaces_operand);
    parsed.options.push(Given {
        name: name.to_owned(),
        value,
        path: found.and_then(|flag| flag.path),
        span: argument.span.clone(),
    });
}

fn next_value<'a>(
    row: &Row,
    argument: &Argument,
    rest: &mut impl Iterator<Item = &'a Argument>,
    parsed: &mut Parsed,
) -> Option<Argument> {
    let Some(value) = rest.next() else {
        if row.kind == Kind::Listed {
            parsed.refuse(argument, "lacks its value");
        }
        return None;
    };
    // An unquoted expansion or a pattern may become several words, the later ones options.
    let several = !matches!(
        value.shape,
        Shape::Literal(_)
            | Shape::Unknown { splits: false, .. }
            | Shape::Glob { several: false, .. }
    );
    if several && row.kind == Kind::Listed {
        parsed.refuse(value, "may become several words");
    }
    Some(value.clone())
}

fn attached_value(argument: &Argument, text: &str, skip: usize) -> Argument {
    let shape = match &argument.shape {
        Shape::Literal(_) => Shape::Literal(text.to_owned()),
        Shape::Glob { text: whole, .. } => {
            Shape::Literal(whole.get(skip..).unwrap_or_default().to_owned())
        }
        Shape::Unknown { splits, .. } => Shape::Unknown {
            prefix: text.to_owned(),
            splits: *splits,
            tail: None,
        },
    };
    Argument {
        raw: argument.raw.clone(),
        span: argument.span.clone(),
        shape,
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}
