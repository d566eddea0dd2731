//! From a word to the arguments that a program would get.

use std::ops::Range;

use super::arithmetic;
use super::state::{State, Value};
use crate::syntax::tree::{Command, List, Piece, Word};
use crate::types::ShellContext;

/// What is known of one argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    Literal(String),
    /// A pattern; as text with its glob characters, and what stands before the first of them.
    Glob {
        text: String,
        prefix: String,
    },
    /// Only its beginning is known; `splits` when it may become several words.
    Unknown {
        prefix: String,
        splits: bool,
    },
}

/// One argument of a command.
#[derive(Clone, Debug)]
pub(crate) struct Argument {
    pub raw: String,
    pub span: Range<usize>,
    pub shape: Shape,
}

impl Argument {
    pub(crate) fn literal(&self) -> Option<&str> {
        match &self.shape {
            Shape::Literal(text) => Some(text),
            _ => None,
        }
    }

    /// The text that certainly begins it.
    pub(crate) fn prefix(&self) -> &str {
        match &self.shape {
            Shape::Literal(text) => text,
            Shape::Glob { prefix, .. } | Shape::Unknown { prefix, .. } => prefix,
        }
    }

    /// It may turn out to be an option: `*.txt` matches a file named `-delete.txt`.
    pub(crate) fn may_be_option(&self) -> bool {
        match &self.shape {
            Shape::Literal(text) => text.starts_with('-'),
            Shape::Glob { prefix, .. } => prefix.is_empty() || prefix.starts_with('-'),
            Shape::Unknown { prefix, splits } => {
                *splits || prefix.is_empty() || prefix.starts_with('-')
            }
        }
    }

    /// An argument that stands for nothing in the text.
    pub(crate) fn synthetic(text: &str, span: Range<usize>) -> Self {
        Self {
            raw: text.to_owned(),
            span,
            shape: Shape::Literal(text.to_owned()),
        }
    }
}

/// The longest value of a variable that is followed, in bytes.
const LONGEST_VALUE: usize = 4_096;

/// Most words that one brace expansion may make.
const MOST_WORDS: usize = 64;

/// Expands `word` in `state`. Substitutions in it were run before.
pub(crate) fn expand(word: &Word, state: &State, context: &ShellContext<'_>) -> Vec<Argument> {
    let mut alternatives = Vec::new();
    let complete = braces(&word.pieces, &mut alternatives, 0);
    let argument = |shape| Argument {
        raw: word.raw.clone(),
        span: word.span.clone(),
        shape,
    };
    if !complete {
        return vec![argument(Shape::Unknown {
            prefix: String::new(),
            splits: true,
        })];
    }
    alternatives
        .iter()
        .map(|pieces| argument(shape(pieces, state, context)))
        .collect()
}

/// The value of an assignment: no brace expansion, no splitting, no patterns.
pub(crate) fn assigned(word: &Word, state: &State, context: &ShellContext<'_>) -> Value {
    if is_integer(word, state) {
        return Value::Integer;
    }
    match shape(&word.pieces, state, context) {
        // `x=$x$x` doubles: twenty of them would be a million characters.
        Shape::Literal(text) if text.len() <= LONGEST_VALUE => Value::Known(text),
        Shape::Literal(_) => Value::Unknown,
        // The pattern is kept as text and matched where the variable is used.
        Shape::Glob { .. } | Shape::Unknown { .. } => Value::Unknown,
    }
}

/// Whether `word` is one expansion that gives the digits of a whole number.
pub(crate) fn is_integer(word: &Word, state: &State) -> bool {
    let mut pieces = word
        .pieces
        .iter()
        .filter(|piece| !matches!(piece, Piece::Literal { text, .. } if text.is_empty()));
    let is_digits = |piece: &Piece| match piece {
        Piece::Evaluates {
            arithmetic: Some(expression),
            ..
        } => arithmetic::effect(expression, state).is_some(),
        Piece::Variable { name, .. } => {
            matches!(
                state.variables.get(name),
                Some(Value::Integer | Value::Number)
            )
        }
        Piece::Substitution { list, .. } => counts(list),
        _ => false,
    };
    pieces.next().is_some_and(is_digits) && pieces.next().is_none()
}

/// `ls | wc -l` prints one number and nothing else.
fn counts(list: &List) -> bool {
    let [item] = list.0.as_slice() else {
        return false;
    };
    let [_, .., Command::Simple(last)] = item.first.commands.as_slice() else {
        return false;
    };
    let words: Vec<&str> = last.words.iter().map(|word| word.raw.as_str()).collect();
    item.rest.is_empty()
        && !item.background
        && last.assignments.is_empty()
        && last.redirects.is_empty()
        && matches!(words.as_slice(), ["wc", "-l" | "-w" | "-c" | "-m"])
}

/// Text after quote removal, without any expansion; `None` when there is one.
pub(crate) fn unexpanded(word: &Word) -> Option<String> {
    let mut result = String::new();
    let mut braces_open = false;
    for piece in &word.pieces {
        match piece {
            Piece::Literal { text, .. } => result.push_str(text),
            Piece::Tilde(user) => {
                result.push('~');
                result.push_str(user);
            }
            Piece::Brace(character) => {
                // `{}` and a lone brace or comma are text.
                if *character == '{' {
                    braces_open = true;
                } else if *character == ',' && braces_open {
                    return None;
                }
                result.push(*character);
            }
            _ => return None,
        }
    }
    if braces_open && result.contains("..") {
        return None;
    }
    Some(result)
}

fn shape(pieces: &[Piece], state: &State, context: &ShellContext<'_>) -> Shape {
    let mut text = String::new();
    let mut glob_at: Option<usize> = None;
    let mut unknown: Option<(usize, bool)> = None;
    for piece in pieces {
        match piece {
            Piece::Literal { text: literal, .. } => text.push_str(literal),
            Piece::Brace(character) => text.push(*character),
            Piece::Glob(character) => {
                glob_at.get_or_insert(text.len());
                text.push(*character);
            }
            Piece::Tilde(user) => match tilde(user, state, context) {
                Some(path) => text.push_str(&path),
                None => mark_unknown(&mut unknown, text.len(), false),
            },
            Piece::Variable { name, quoted } => match variable(name, state, context) {
                Value::Known(value) if *quoted || is_one_word(&value) => text.push_str(&value),
                Value::Glob(pattern) if *quoted => {
                    // `packages/*` begins as it is written: no name that it finds is an option.
                    let fixed = pattern.find(['*', '?', '[']).unwrap_or_default();
                    glob_at.get_or_insert(text.len() + fixed);
                    text.push_str(&pattern);
                }
                // Digits: one word, whatever it is.
                Value::Number => {
                    glob_at.get_or_insert(text.len());
                    text.push('*');
                }
                Value::Integer => mark_unknown(&mut unknown, text.len(), false),
                _ => mark_unknown(&mut unknown, text.len(), !quoted),
            },
            Piece::Evaluates {
                arithmetic: Some(expression),
                ..
            } if arithmetic::effect(expression, state).is_some() => {
                // Digits: one word, whatever it is.
                mark_unknown(&mut unknown, text.len(), false);
            }
            Piece::Unknown { quoted } | Piece::Evaluates { quoted, .. } => {
                mark_unknown(&mut unknown, text.len(), !quoted);
            }
            Piece::Substitution { list, quoted, .. } => match known_output(list, state) {
                Some(path) if *quoted || is_one_word(&path) => text.push_str(&path),
                _ => mark_unknown(&mut unknown, text.len(), !quoted),
            },
            Piece::Process { .. } => text.push_str("/dev/fd/63"),
        }
    }
    if let Some((at, splits)) = unknown {
        let at = glob_at.map_or(at, |glob| glob.min(at));
        text.truncate(at);
        return Shape::Unknown {
            prefix: text,
            splits,
        };
    }
    match glob_at {
        Some(at) => Shape::Glob {
            prefix: text[..at].to_owned(),
            text,
        },
        None => Shape::Literal(text),
    }
}

fn mark_unknown(unknown: &mut Option<(usize, bool)>, at: usize, splits: bool) {
    match unknown {
        Some((_, already)) => *already |= splits,
        None => *unknown = Some((at, splits)),
    }
}

/// Unquoted, it is neither split nor matched against file names.
fn is_one_word(value: &str) -> bool {
    !value.is_empty() && !value.contains([' ', '\t', '\n', '*', '?', '[', '\\'])
}

fn tilde(user: &str, state: &State, context: &ShellContext<'_>) -> Option<String> {
    match user {
        "" => Some(context.home.to_string_lossy().into_owned()),
        "+" => single_directory(state),
        _ => None,
    }
}

fn single_directory(state: &State) -> Option<String> {
    match state.directories.as_deref() {
        Some([only]) => Some(only.to_string_lossy().into_owned()),
        _ => None,
    }
}

fn variable(name: &str, state: &State, context: &ShellContext<'_>) -> Value {
    if let Some(value) = state.variables.get(name) {
        return value.clone();
    }
    match name {
        "HOME" => Value::Known(context.home.to_string_lossy().into_owned()),
        "PWD" => single_directory(state).map_or(Value::Unknown, Value::Known),
        _ => Value::Unknown,
    }
}

/// `$(pwd)` is the working directory.
fn known_output(list: &crate::syntax::tree::List, state: &State) -> Option<String> {
    use crate::syntax::tree::Command;
    let [item] = list.0.as_slice() else {
        return None;
    };
    let ([Command::Simple(simple)], true) = (item.first.commands.as_slice(), item.rest.is_empty())
    else {
        return None;
    };
    let is_pwd = matches!(simple.words.as_slice(), [word] if word.raw == "pwd")
        && simple.redirects.is_empty()
        && simple.assignments.is_empty();
    if is_pwd {
        single_directory(state)
    } else {
        None
    }
}

/// Expands the first brace expression of `pieces`, then the rest. False when
/// there are too many words to follow.
fn braces(pieces: &[Piece], out: &mut Vec<Vec<Piece>>, depth: usize) -> bool {
    if out.len() >= MOST_WORDS || depth > 8 {
        return false;
    }
    let opens = pieces
        .iter()
        .enumerate()
        .filter(|(_, piece)| matches!(piece, Piece::Brace('{')))
        .map(|(at, _)| at);
    for open in opens {
        let Some((alternatives, close)) = alternatives(pieces, open) else {
            continue;
        };
        for alternative in alternatives {
            let mut joined = pieces[..open].to_vec();
            joined.extend(alternative);
            joined.extend_from_slice(&pieces[close + 1..]);
            if !braces(&joined, out, depth + 1) {
                return false;
            }
        }
        return true;
    }
    out.push(pieces.to_vec());
    true
}

/// The alternatives of the brace expression that opens at `open`, and where it closes.
fn alternatives(pieces: &[Piece], open: usize) -> Option<(Vec<Vec<Piece>>, usize)> {
    let mut level = 0_usize;
    let mut parts: Vec<Vec<Piece>> = vec![Vec::new()];
    for (at, piece) in pieces.iter().enumerate().skip(open + 1) {
        match piece {
            Piece::Brace('{') => level += 1,
            Piece::Brace('}') if level == 0 => {
                if parts.len() > 1 {
                    return Some((parts, at));
                }
                return Some((sequence(&parts[0])?, at));
            }
            Piece::Brace('}') => level -= 1,
            Piece::Brace(',') if level == 0 => {
                parts.push(Vec::new());
                continue;
            }
            _ => {}
        }
        parts.last_mut()?.push(piece.clone());
    }
    None
}

/// `{1..5}` and `{a..c}`. A step, padding or anything long is left to be unknown.
fn sequence(pieces: &[Piece]) -> Option<Vec<Vec<Piece>>> {
    let text = match pieces {
        [
            Piece::Literal {
                text,
                quoted: false,
            },
        ] => text,
        _ if pieces.iter().any(
            |piece| matches!(piece, Piece::Literal { text, quoted: false } if text.contains("..")),
        ) =>
        {
            return Some(vec![vec![Piece::Unknown { quoted: false }]]);
        }
        _ => return None,
    };
    let (from, to) = text.split_once("..")?;
    let literal = |text: String| {
        vec![Piece::Literal {
            text,
            quoted: false,
        }]
    };
    if let (Ok(from), Ok(to)) = (from.parse::<i64>(), to.parse::<i64>())
        && from.abs_diff(to) < MOST_WORDS as u64
        && !text.starts_with('0')
    {
        let range: Vec<i64> = if from <= to {
            (from..=to).collect()
        } else {
            (to..=from).rev().collect()
        };
        return Some(
            range
                .iter()
                .map(|number| literal(number.to_string()))
                .collect(),
        );
    }
    if let (&[from], &[to]) = (from.as_bytes(), to.as_bytes())
        && from.is_ascii_lowercase()
        && to.is_ascii_lowercase()
        && from <= to
    {
        let letters = from..=to;
        return Some(
            letters
                .map(|letter| literal(char::from(letter).to_string()))
                .collect(),
        );
    }
    // It expands to something: treated as words that cannot be known.
    Some(vec![vec![Piece::Unknown { quoted: false }]])
}
