//! From a word to the arguments that a program would get.

use std::ops::Range;

use super::arithmetic;
use super::output;
use super::state::{State, Value};
use crate::syntax::tree::{List, Piece, Word};
use crate::types::ShellContext;

/// What is known of one argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    Literal(String),
    /// A pattern; as text with its glob characters, and what stands before the first of them.
    /// `several` when it becomes all names that fit, and not one of them.
    Glob {
        text: String,
        prefix: String,
        several: bool,
    },
    /// Only its beginning is known; `splits` when it may become several words or none. With a
    /// `tail`, none of them is an option or leads out of a folder whatever they are, and that
    /// is how they end.
    Unknown {
        prefix: String,
        splits: bool,
        tail: Option<String>,
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
            Shape::Unknown { tail: Some(_), .. } => false,
            Shape::Unknown { prefix, splits, .. } => {
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
            tail: None,
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
    if let Some(piece) = only_piece(word) {
        let value = match piece {
            Piece::Substitution { list, .. } => known_output(list, state, context),
            Piece::Variable { name, .. } => variable(name, state, context),
            _ => Value::Unknown,
        };
        if matches!(
            value,
            Value::Objects | Value::Temporary | Value::Digits | Value::Integer
        ) {
            return value;
        }
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
        Piece::Substitution { list, .. } => list.surely_prints_number(),
        _ => false,
    };
    only_piece(word).is_some_and(is_digits)
}

/// Whether `word` is one expansion that gives digits or nothing: evaluated, it is a number.
pub(crate) fn is_digits(word: &Word, state: &State) -> bool {
    let prints = |piece: &Piece| match piece {
        Piece::Variable { name, .. } => state.variables.get(name) == Some(&Value::Digits),
        Piece::Substitution { list, .. } => list.prints_number(),
        _ => false,
    };
    is_integer(word, state) || only_piece(word).is_some_and(prints)
}

/// The piece of which `word` consists, quotes aside.
fn only_piece(word: &Word) -> Option<&Piece> {
    let mut pieces = word
        .pieces
        .iter()
        .filter(|piece| !matches!(piece, Piece::Literal { text, .. } if text.is_empty()));
    pieces.next().filter(|_| pieces.next().is_none())
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
    let mut word = Known::default();
    for piece in pieces {
        match piece {
            Piece::Literal { text, .. } => word.text(text),
            Piece::Brace(character) => word.text(character.encode_utf8(&mut [0; 4])),
            Piece::Glob(character) => {
                word.several = true;
                word.pattern(character.encode_utf8(&mut [0; 4]), 0);
            }
            Piece::Tilde(user) => match tilde(user, state, context) {
                Some(path) => word.text(&path),
                None => word.unknown(false),
            },
            Piece::Variable { name, quoted } => {
                word.value(variable(name, state, context), *quoted);
            }
            Piece::Evaluates {
                arithmetic: Some(expression),
                ..
            } if arithmetic::effect(expression, state).is_some() => {
                // Digits: one word, whatever it is.
                word.unknown(false);
            }
            Piece::Unknown { quoted } | Piece::Evaluates { quoted, .. } => word.unknown(!quoted),
            Piece::Substitution { list, quoted, .. } => {
                word.value(known_output(list, state, context), *quoted);
            }
            Piece::Process { .. } => word.text("/dev/fd/63"),
        }
    }
    word.shape()
}

/// What is known of a word while its pieces are put together.
#[derive(Default)]
struct Known {
    text: String,
    /// Where the first pattern stands, and whether it becomes all names that fit.
    glob_at: Option<usize>,
    several: bool,
    /// Where the first unknown piece stands, and whether one of them splits.
    unknown_at: Option<usize>,
    splits: bool,
    /// Some unknown piece is not the name of an object.
    other: bool,
    /// Where the text begins that follows the last name of an object.
    tail_at: Option<usize>,
}

impl Known {
    fn text(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// A pattern, of which the first `fixed` bytes are text.
    fn pattern(&mut self, pattern: &str, fixed: usize) {
        self.glob_at.get_or_insert(self.text.len() + fixed);
        self.text.push_str(pattern);
    }

    fn unknown(&mut self, splits: bool) {
        self.unknown_at.get_or_insert(self.text.len());
        self.splits |= splits;
        self.other = true;
    }

    fn objects(&mut self, splits: bool) {
        // `$a..$b`, `$a^$b`: between two names stands what joins revisions.
        let joins = |text: &str| {
            text.bytes()
                .all(|byte| byte.is_ascii_digit() || b".^~".contains(&byte))
        };
        self.other |= self.tail_at.is_some_and(|at| !joins(&self.text[at..]));
        self.unknown_at.get_or_insert(self.text.len());
        self.tail_at = Some(self.text.len());
        self.splits |= splits;
    }

    fn value(&mut self, value: Value, quoted: bool) {
        match value {
            Value::Known(value) if quoted || is_one_word(&value) => self.text(&value),
            Value::Glob(pattern) if quoted => {
                // `packages/*` begins as it is written: no name that it finds is an option.
                let fixed = pattern.find(['*', '?', '[']).unwrap_or_default();
                self.pattern(&pattern, fixed);
            }
            // Digits: one word, whatever it is.
            Value::Number => self.pattern("*", 0),
            Value::Integer => self.unknown(false),
            Value::Objects => self.objects(!quoted),
            Value::Known(_)
            | Value::Glob(_)
            | Value::Digits
            | Value::Temporary
            | Value::Unknown => {
                self.unknown(!quoted);
            }
        }
    }

    /// The end of a word of which only names of objects are unknown. They may be nothing:
    /// `$sha-x` is then an option, and `$sha/x` lies outside.
    fn tail(&self) -> Option<String> {
        let tail = self.text.get(self.tail_at?..)?;
        let stays = !tail.starts_with(['-', '/'])
            && !tail.contains("/..")
            && !tail.contains("../")
            && tail != "..";
        let plain = !self.other && self.glob_at.is_none() && !self.text.starts_with('-');
        (stays && plain).then(|| tail.to_owned())
    }

    fn shape(mut self) -> Shape {
        if let Some(at) = self.unknown_at {
            let tail = self.tail();
            let at = self.glob_at.map_or(at, |glob| glob.min(at));
            self.text.truncate(at);
            return Shape::Unknown {
                prefix: self.text,
                splits: self.splits,
                tail,
            };
        }
        match self.glob_at {
            Some(at) => Shape::Glob {
                prefix: self.text[..at].to_owned(),
                text: self.text,
                several: self.several,
            },
            None => Shape::Literal(self.text),
        }
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

pub(super) fn variable(name: &str, state: &State, context: &ShellContext<'_>) -> Value {
    if let Some(value) = state.variables.get(name) {
        return value.clone();
    }
    match name {
        "HOME" => Value::Known(context.home.to_string_lossy().into_owned()),
        "PWD" => single_directory(state).map_or(Value::Unknown, Value::Known),
        _ => Value::Unknown,
    }
}

/// `$(pwd)` is the working directory, `$(git rev-parse HEAD)` the name of an object.
fn known_output(list: &List, state: &State, context: &ShellContext<'_>) -> Value {
    if list.prints_number() {
        return if list.surely_prints_number() {
            Value::Integer
        } else {
            Value::Digits
        };
    }
    let Some(simple) = output::writer(list) else {
        return Value::Unknown;
    };
    let is_pwd = matches!(simple.words.as_slice(), [word] if word.raw == "pwd")
        && list.0.iter().all(|item| item.first.commands.len() == 1)
        && simple.redirects.is_empty();
    if is_pwd {
        return single_directory(state).map_or(Value::Unknown, Value::Known);
    }
    let words: Vec<Argument> = simple
        .words
        .iter()
        .flat_map(|word| expand(word, state, context))
        .collect();
    if output::names_objects(&words) {
        Value::Objects
    } else if output::makes_temporary(&words) {
        Value::Temporary
    } else {
        Value::Unknown
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
