//! Words: quotes, expansions and substitutions, as bash reads them.
//!
//! The parsers leave a word as raw text. This scanner finds what stands in it;
//! the ends of substitutions that it finds are compared with the second parser.

use std::ops::Range;

use super::Refusal;
use super::parameter::{is_harmless_parameter, numeric};
use super::primary::Converter;
use super::skip::{closing_brace, closing_parenthesis};
use super::source::Region;
use super::tree::{Piece, Placed, Word};
use crate::types::ReasonCode;

/// Where a word stands, which decides what is special in it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// An ordinary word.
    Word,
    /// The value of an assignment: no braces, tilde after colons.
    Assignment,
    /// The body of a here-document: quotes are text.
    Document,
}

/// Whether `text` is a variable name.
pub(crate) fn is_name(text: &str) -> bool {
    let mut bytes = text.bytes();
    bytes
        .next()
        .is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_')
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Reads the bytes `span` of the whole source as one word.
pub(super) fn read(
    converter: &mut Converter,
    region: &Region<'_, '_>,
    span: Range<usize>,
    mode: Mode,
    depth: usize,
) -> Result<Word, Refusal> {
    let text = region.source.slice(span.clone());
    let mut scanner = Scanner {
        converter,
        region,
        bytes: text.as_bytes(),
        text,
        start: span.start,
        at: 0,
        depth,
        pieces: Vec::new(),
        mode,
    };
    match mode {
        Mode::Document => scanner.quoted(None)?,
        Mode::Word | Mode::Assignment => scanner.unquoted()?,
    }
    Ok(Word {
        raw: text.to_owned(),
        span,
        pieces: scanner.pieces,
    })
}

struct Scanner<'c, 'r, 'a, 's> {
    converter: &'c mut Converter,
    region: &'r Region<'a, 's>,
    text: &'a str,
    bytes: &'a [u8],
    /// Offset of `text` in the source.
    start: usize,
    at: usize,
    depth: usize,
    pieces: Vec<Piece>,
    mode: Mode,
}

impl Scanner<'_, '_, '_, '_> {
    fn refuse(&self, from: usize, message: &str) -> Refusal {
        Refusal::new(
            ReasonCode::NotUnderstood,
            self.start + from..self.start + self.text.len(),
            message,
        )
    }

    fn literal(&mut self, added: &str, is_quoted: bool) {
        if let Some(Piece::Literal { text, quoted }) = self.pieces.last_mut()
            && *quoted == is_quoted
        {
            text.push_str(added);
            return;
        }
        self.pieces.push(Piece::Literal {
            text: added.to_owned(),
            quoted: is_quoted,
        });
    }

    fn unquoted(&mut self) -> Result<(), Refusal> {
        while let Some(&byte) = self.bytes.get(self.at) {
            match byte {
                b'\\' => self.escape(),
                b'\'' => self.single()?,
                b'"' => {
                    self.at += 1;
                    self.literal("", true);
                    self.quoted(Some(b'"'))?;
                }
                b'$' => self.dollar(false)?,
                b'`' => self.backquote(false)?,
                // A bracket that nothing closes is text: `[ -d x ]`.
                b'[' if !self.bytes[self.at + 1..].contains(&b']') => {
                    self.literal("[", false);
                    self.at += 1;
                }
                b'*' | b'?' | b'[' => {
                    self.pieces.push(Piece::Glob(char::from(byte)));
                    self.at += 1;
                }
                b'{' | b'}' | b',' if self.mode == Mode::Word => {
                    self.pieces.push(Piece::Brace(char::from(byte)));
                    self.at += 1;
                }
                b'~' if self.tilde_place() => self.tilde(),
                b'|' | b'&' | b';' | b'(' | b')' | b'<' | b'>' | b' ' | b'\t' | b'\n' => {
                    return Err(self.refuse(self.at, "a word holds an unquoted operator"));
                }
                _ => self.plain(),
            }
        }
        Ok(())
    }

    /// A run of text without meaning.
    fn plain(&mut self) {
        let from = self.at;
        while let Some(&byte) = self.bytes.get(self.at) {
            let special = matches!(
                byte,
                b'\\'
                    | b'\''
                    | b'"'
                    | b'$'
                    | b'`'
                    | b'*'
                    | b'?'
                    | b'['
                    | b'{'
                    | b'}'
                    | b','
                    | b'~'
                    | b'|'
                    | b'&'
                    | b';'
                    | b'('
                    | b')'
                    | b'<'
                    | b'>'
                    | b' '
                    | b'\t'
                    | b'\n'
            );
            if special && self.at > from {
                break;
            }
            self.at += 1;
        }
        let text = &self.text[from..self.at];
        self.literal(text, false);
    }

    fn escape(&mut self) {
        let rest = &self.text[self.at + 1..];
        match rest.chars().next() {
            // A continued line: both characters vanish.
            Some('\n') => self.at += 2,
            Some(character) => {
                let length = character.len_utf8();
                let text = &rest[..length];
                self.literal(text, true);
                self.at += 1 + length;
            }
            None => {
                self.literal("\\", true);
                self.at += 1;
            }
        }
    }

    fn single(&mut self) -> Result<(), Refusal> {
        let rest = &self.text[self.at + 1..];
        let Some(length) = rest.find('\'') else {
            return Err(self.refuse(self.at, "a quote is not closed"));
        };
        let text = &rest[..length];
        self.literal(text, true);
        self.at += length + 2;
        Ok(())
    }

    /// Inside double quotes up to `end`, or a here-document when there is none.
    fn quoted(&mut self, end: Option<u8>) -> Result<(), Refusal> {
        loop {
            let Some(&byte) = self.bytes.get(self.at) else {
                return match end {
                    None => Ok(()),
                    Some(_) => Err(self.refuse(self.at, "a quote is not closed")),
                };
            };
            match byte {
                _ if Some(byte) == end => {
                    self.at += 1;
                    return Ok(());
                }
                b'\\' => match self.bytes.get(self.at + 1) {
                    Some(b'\n') => self.at += 2,
                    Some(next @ (b'$' | b'`' | b'\\')) => {
                        let text = char::from(*next).to_string();
                        self.literal(&text, true);
                        self.at += 2;
                    }
                    Some(b'"') if end.is_some() => {
                        self.literal("\"", true);
                        self.at += 2;
                    }
                    _ => {
                        self.literal("\\", true);
                        self.at += 1;
                    }
                },
                b'$' => self.dollar(true)?,
                b'`' => self.backquote(true)?,
                _ => {
                    let from = self.at;
                    while let Some(&byte) = self.bytes.get(self.at) {
                        if matches!(byte, b'\\' | b'$' | b'`') || Some(byte) == end {
                            break;
                        }
                        self.at += 1;
                    }
                    let text = &self.text[from..self.at];
                    self.literal(text, true);
                }
            }
        }
    }

    fn tilde_place(&self) -> bool {
        let before = self.at.checked_sub(1).and_then(|at| self.bytes.get(at));
        match before {
            None => true,
            // `a:~` in an assignment, `name=~` in a word that looks like one.
            Some(b':') => self.mode == Mode::Assignment,
            Some(b'=') => true,
            // What a brace expansion may bring to the start of a word.
            Some(b'{' | b',') => self.mode == Mode::Word,
            Some(_) => false,
        }
    }

    fn tilde(&mut self) {
        let rest = &self.bytes[self.at + 1..];
        let length = rest
            .iter()
            .position(|byte| {
                !(byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'+' | b'.'))
            })
            .unwrap_or(rest.len());
        let ends = matches!(rest.get(length), None | Some(b'/' | b':' | b',' | b'}'));
        if ends {
            let user = self.text[self.at + 1..self.at + 1 + length].to_owned();
            self.pieces.push(Piece::Tilde(user));
            self.at += 1 + length;
        } else if rest
            .get(length)
            .is_some_and(|byte| matches!(byte, b'\\' | b'\'' | b'"' | b'$' | b'{'))
        {
            // Quoting within the name switches the expansion off; not worth following.
            self.pieces.push(Piece::Tilde("?".to_owned()));
            self.at += 1 + length;
        } else {
            self.literal("~", false);
            self.at += 1;
        }
    }

    fn dollar(&mut self, quoted: bool) -> Result<(), Refusal> {
        let from = self.at;
        let Some(&next) = self.bytes.get(self.at + 1) else {
            self.literal("$", true);
            self.at += 1;
            return Ok(());
        };
        match next {
            b'(' if self.bytes.get(self.at + 2) == Some(&b'(') => self.arithmetic(quoted),
            b'(' => {
                let Some(close) = closing_parenthesis(self.bytes, self.at + 2) else {
                    return Err(self.refuse(from, "a substitution is not closed"));
                };
                self.substitution(self.at + 2..close, self.at..close + 1, quoted)
            }
            b'{' => self.parameter(quoted),
            b'[' => {
                self.converter.distrust(
                    self.start + from..self.start + self.text.len(),
                    "the old arithmetic form $[...]",
                );
                self.at += 2;
                self.pieces.push(Piece::Unknown { quoted });
                Ok(())
            }
            b'\'' if !quoted => self.ansi(),
            b'"' if !quoted => {
                // A translated string: the catalogue may hold anything.
                self.at += 2;
                self.pieces.push(Piece::Unknown { quoted: true });
                self.quoted(Some(b'"'))
            }
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => {
                let rest = &self.bytes[self.at + 1..];
                let length = rest
                    .iter()
                    .position(|byte| !(byte.is_ascii_alphanumeric() || *byte == b'_'))
                    .unwrap_or(rest.len());
                let name = self.text[self.at + 1..self.at + 1 + length].to_owned();
                self.pieces.push(Piece::Variable { name, quoted });
                self.at += 1 + length;
                Ok(())
            }
            b'0'..=b'9' | b'@' | b'*' | b'#' | b'?' | b'-' | b'$' | b'!' => {
                // A number has no blanks in it; the arguments of the shell may.
                let counts = matches!(next, b'#' | b'?' | b'$');
                self.pieces.push(Piece::Unknown {
                    quoted: (quoted || counts) && next != b'@',
                });
                self.at += 2;
                Ok(())
            }
            _ => {
                self.literal("$", true);
                self.at += 1;
                Ok(())
            }
        }
    }

    /// `$((...))`: harmless when only numbers and operators stand in it.
    fn arithmetic(&mut self, quoted: bool) -> Result<(), Refusal> {
        let from = self.at;
        let Some(close) = closing_parenthesis(self.bytes, self.at + 2) else {
            return Err(self.refuse(from, "an arithmetic expansion is not closed"));
        };
        let inner = self
            .text
            .get(self.at + 3..close.saturating_sub(1))
            .unwrap_or_default();
        let closed = self.bytes.get(close.saturating_sub(1)) == Some(&b')');
        let inner_from = self.at + 3;
        self.at = close + 1;
        let span = self.start + from..self.start + self.at;
        let (expression, lists) = self.within_arithmetic(inner, inner_from)?;
        let quotes = expression.contains(['`', '"', '\'', '\\']);
        let comments = has_comment(&expression);
        if !closed || quotes || comments || expression.contains("$(") {
            // May also be a subshell in a substitution.
            self.converter
                .distrust(span.clone(), "an arithmetic expansion with substitutions");
        }
        let numbers = lists.iter().all(|(list, _)| list.prints_number());
        let plain = closed && numbers && !quotes && !comments && !expression.contains('\n');
        self.pieces.push(Piece::Evaluates {
            span,
            quoted,
            arithmetic: plain.then_some(expression),
            lists,
        });
        Ok(())
    }

    /// The substitutions in the arithmetic `inner`, which begins at `from`, and its text with a
    /// number in the place of each.
    fn within_arithmetic(
        &mut self,
        inner: &str,
        from: usize,
    ) -> Result<(String, Vec<Placed>), Refusal> {
        let mut expression = String::new();
        let mut lists = Vec::new();
        let mut at = 0;
        while let Some(found) = inner[at..].find("$(") {
            let open = at + found;
            let close = closing_parenthesis(inner.as_bytes(), open + 2);
            let nested = inner[open + 2..].starts_with('(');
            let Some(close) = close.filter(|_| !nested) else {
                break;
            };
            let outer = self.start + from + open..self.start + from + close + 1;
            let region = self.region.source.region(outer.start + 2..outer.end - 1);
            lists.push((self.converter.region(&region, self.depth + 1)?, outer));
            expression.push_str(&inner[at..open]);
            expression.push_str(" 1 ");
            at = close + 1;
        }
        expression.push_str(&inner[at..]);
        Ok((expression, lists))
    }

    fn backquote(&mut self, quoted: bool) -> Result<(), Refusal> {
        let from = self.at;
        let rest = &self.text[self.at + 1..];
        let Some(length) = rest.find('`') else {
            return Err(self.refuse(from, "a backquote is not closed"));
        };
        if rest[..length].contains('\\') {
            return Err(self.refuse(from, "a backslash within backquotes"));
        }
        let inner = self.at + 1..self.at + 1 + length;
        self.substitution(inner.clone(), from..inner.end + 1, quoted)
    }

    fn substitution(
        &mut self,
        inner: Range<usize>,
        outer: Range<usize>,
        quoted: bool,
    ) -> Result<(), Refusal> {
        let inner_span = self.start + inner.start..self.start + inner.end;
        let region = self.region.source.region(inner_span);
        let list = self.converter.region(&region, self.depth + 1)?;
        self.pieces.push(Piece::Substitution {
            list,
            quoted,
            span: self.start + outer.start..self.start + outer.end,
        });
        self.at = outer.end;
        Ok(())
    }

    /// `${...}`: a plain name, or an operator whose effect is known.
    fn parameter(&mut self, quoted: bool) -> Result<(), Refusal> {
        let from = self.at;
        let Some(close) = closing_brace(self.bytes, self.at + 2) else {
            return Err(self.refuse(from, "a parameter expansion is not closed"));
        };
        let inner = &self.text[self.at + 2..close];
        self.at = close + 1;
        let span = self.start + from..self.start + self.at;
        if inner.starts_with([' ', '\t', '\n', '|']) {
            return Err(self.refuse(from, "a command substitution in braces"));
        }
        if is_name(inner) {
            self.pieces.push(Piece::Variable {
                name: inner.to_owned(),
                quoted,
            });
            return Ok(());
        }
        if inner.contains("$(") || inner.contains('`') {
            // The commands in it would be missing from the list.
            self.converter
                .distrust(span.clone(), "a substitution within a parameter expansion");
        }
        self.pieces.push(if is_harmless_parameter(inner) {
            // `"${a[@]}"` becomes several words within quotes too.
            let quoted = quoted && !inner.ends_with("[@]");
            Piece::Unknown { quoted }
        } else {
            Piece::Evaluates {
                span,
                quoted,
                arithmetic: None,
                lists: Vec::new(),
            }
        });
        Ok(())
    }

    /// `$'...'`.
    fn ansi(&mut self) -> Result<(), Refusal> {
        let from = self.at;
        let mut text = String::new();
        let mut at = self.at + 2;
        loop {
            let Some(character) = self.text[at..].chars().next() else {
                return Err(self.refuse(from, "a quote is not closed"));
            };
            at += character.len_utf8();
            match character {
                '\'' => break,
                '\\' => {
                    let Some(escaped) = self.text[at..].chars().next() else {
                        return Err(self.refuse(from, "a quote is not closed"));
                    };
                    at += escaped.len_utf8();
                    match escaped {
                        'n' => text.push('\n'),
                        't' => text.push('\t'),
                        'r' => text.push('\r'),
                        '\\' | '\'' | '"' | '?' => text.push(escaped),
                        'x' | 'u' | 'U' | '0'..='7' => {
                            let Some((character, length)) = numeric(escaped, &self.text[at..])
                            else {
                                return Err(self.refuse(from, "an escape that cannot be read"));
                            };
                            at += length;
                            text.push(character);
                        }
                        _ => return Err(self.refuse(from, "an escape that is not known")),
                    }
                }
                other => text.push(other),
            }
        }
        self.literal(&text, true);
        self.at = at;
        Ok(())
    }
}

/// Whether a `#` may begin a comment: in `16#ff` it stands between a base and its digits.
fn has_comment(text: &str) -> bool {
    let bytes = text.as_bytes();
    text.match_indices('#').any(|(at, _)| {
        let digit_before = at > 0 && bytes[at - 1].is_ascii_digit();
        let digit_after = bytes.get(at + 1).is_some_and(u8::is_ascii_alphanumeric);
        !(digit_before && digit_after)
    })
}
