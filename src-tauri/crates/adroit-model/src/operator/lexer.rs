//! Words, quoted pieces and fenced blocks of a request.

use std::ops::Range;

/// One piece of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token {
    /// What it says: a word as written, or what is between the quotes.
    pub(super) text: String,
    /// Where it is in the request, quotes included.
    pub(super) span: Range<usize>,
    /// How it was written.
    pub(super) kind: Kind,
}

/// How a piece was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Without quotes.
    Word,
    /// In quotes or back quotes.
    Quoted,
    /// In a fenced block; the text ends with a line end.
    Fence,
    /// A line end between words.
    Break,
}

impl Token {
    /// Whether it is an unquoted word.
    pub(super) fn is_word(&self) -> bool {
        self.kind == Kind::Word
    }

    /// Whether it is quoted or fenced, and so means exactly what it says.
    pub(super) fn is_literal(&self) -> bool {
        matches!(self.kind, Kind::Quoted | Kind::Fence)
    }

    /// The word in lower case without punctuation around it; empty for anything quoted.
    pub(super) fn lower(&self) -> String {
        if self.is_word() {
            self.name().to_lowercase()
        } else {
            String::new()
        }
    }

    /// What it says, without the punctuation of the sentence for a word.
    pub(super) fn name(&self) -> &str {
        if !self.is_word() {
            return &self.text;
        }
        let trimmed = self
            .text
            .trim_end_matches([',', ';', ':', '!', '?'])
            .trim_start_matches('(')
            .trim_end_matches(')');
        let stopped = trimmed
            .strip_suffix('.')
            .filter(|rest| !rest.ends_with('.') && !rest.ends_with('/'));
        match stopped.unwrap_or(trimmed) {
            "" => &self.text,
            name => name,
        }
    }
}

/// The closing mark for an opening one.
fn closing(open: char) -> Option<char> {
    Some(match open {
        '"' => '"',
        '\'' => '\'',
        '`' => '`',
        '“' => '”',
        '‘' => '’',
        '«' => '»',
        _ => return None,
    })
}

/// The tokens of a request.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    let mut tokens: Vec<Token> = Vec::new();
    let mut at = 0;
    while let Some(next) = text[at..].chars().next() {
        if next.is_whitespace() {
            if next == '\n' && tokens.last().is_some_and(|token| token.kind != Kind::Break) {
                tokens.push(Token {
                    text: "\n".into(),
                    span: at..at + 1,
                    kind: Kind::Break,
                });
            }
            at += next.len_utf8();
            continue;
        }
        let token = fence(text, at)
            .or_else(|| quoted(text, at, next))
            .unwrap_or_else(|| word(text, at));
        at = token.span.end;
        tokens.push(token);
    }
    while tokens.last().is_some_and(|token| token.kind == Kind::Break) {
        tokens.pop();
    }
    tokens
}

/// A fenced block: three back quotes, an optional language, lines, three back quotes.
fn fence(text: &str, at: usize) -> Option<Token> {
    let after = text[at..].strip_prefix("```")?;
    let (_language, body) = after.split_once('\n')?;
    let body_at = text.len() - body.len();
    let (end, close) = match body.find("\n```") {
        Some(end) => (end + 1, end + 4),
        None if body.starts_with("```") => (0, 3),
        // Not closed: the rest of the request is the block.
        None => (body.len(), body.len()),
    };
    let mut content = body[..end].to_owned();
    if !content.is_empty() && !content.ends_with('\n') {
        content.push('\n');
    }
    Some(Token {
        text: content,
        span: at..body_at + close,
        kind: Kind::Fence,
    })
}

/// A quoted piece. Its closing mark is followed by a space, punctuation or the end, so that
/// an apostrophe within it does not end it.
fn quoted(text: &str, at: usize, open: char) -> Option<Token> {
    let close = closing(open)?;
    let body_at = at + open.len_utf8();
    let mut escaped = false;
    for (offset, character) in text[body_at..].char_indices() {
        if escaped {
            escaped = false;
        } else if character == '\\' && open == '"' {
            escaped = true;
        } else if character == close {
            let end = body_at + offset + close.len_utf8();
            let ends = text[end..]
                .chars()
                .next()
                .is_none_or(|next| next.is_whitespace() || ".,;:!?)".contains(next));
            if ends && (offset > 0 || matches!(open, '"' | '\'')) {
                let body = &text[body_at..body_at + offset];
                let content = if open == '"' {
                    unescaped(body)
                } else {
                    body.to_owned()
                };
                // Punctuation of the sentence after the mark belongs to nobody.
                let rest = &text[end..];
                let end = text.len()
                    - rest
                        .trim_start_matches(['.', ',', ';', ':', '!', '?', ')'])
                        .len();
                return Some(Token {
                    text: content,
                    span: at..end,
                    kind: Kind::Quoted,
                });
            }
        }
    }
    None
}

/// In double quotes `\n`, `\t`, `\"` and `\\` mean what they mean in most languages.
fn unescaped(body: &str) -> String {
    let mut content = String::with_capacity(body.len());
    let mut characters = body.chars();
    while let Some(character) = characters.next() {
        if character != '\\' {
            content.push(character);
            continue;
        }
        match characters.next() {
            Some('n') => content.push('\n'),
            Some('t') => content.push('\t'),
            Some(mark @ ('"' | '\\')) => content.push(mark),
            Some(other) => content.extend(['\\', other]),
            None => content.push('\\'),
        }
    }
    content
}

fn word(text: &str, at: usize) -> Token {
    let end = text[at..]
        .find(char::is_whitespace)
        .map_or(text.len(), |length| at + length);
    Token {
        text: text[at..end].to_owned(),
        span: at..end,
        kind: Kind::Word,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Vec<(Kind, String)> {
        tokens(text)
            .into_iter()
            .map(|token| (token.kind, token.name().to_owned()))
            .collect()
    }

    #[test]
    fn words_quotes_and_fences() {
        let quoted = |text: &str| (Kind::Quoted, text.to_owned());
        let word = |text: &str| (Kind::Word, text.to_owned());
        assert_eq!(shown("read a.txt."), [word("read"), word("a.txt")]);
        assert_eq!(shown("list ."), [word("list"), word(".")]);
        assert_eq!(shown("list ../"), [word("list"), word("../")]);
        assert_eq!(
            shown("'it's here', “a b”"),
            [quoted("it's here"), quoted("a b")]
        );
        assert_eq!(shown(r#""a\n\"b\" \d""#), [quoted("a\n\"b\" \\d")]);
        assert_eq!(shown("\"\""), [quoted("")]);
        assert_eq!(shown("don't `x y`"), [word("don't"), quoted("x y")]);
        let fence = (Kind::Fence, "a\n\nb\n".to_owned());
        assert_eq!(
            shown("x:\n```rust\na\n\nb\n``` then"),
            [word("x"), (Kind::Break, "\n".into()), fence, word("then")]
        );
        assert_eq!(shown("```\n```"), [(Kind::Fence, String::new())]);
    }

    proptest::proptest! {
        #[test]
        fn spans_are_in_order(text in "[a-z \\n\"'`“”\\\\.é]{0,40}") {
            let mut end = 0;
            for token in tokens(&text) {
                assert!(token.span.start >= end && token.span.end > token.span.start);
                assert!(text.get(token.span.clone()).is_some());
                end = token.span.end;
            }
        }
    }
}
