//! What the phrasings share.

use super::lexer::{Kind, Token};

/// The request from the first to the last of these tokens; what it says exactly, when it is one quoted piece.
pub(super) fn span_text(tokens: &[Token], request: &str) -> String {
    match tokens {
        [] => String::new(),
        [one] if one.is_literal() => one.text.clone(),
        [one] => one.name().to_owned(),
        [first, .., last] => {
            let end = last.span.start
                + if last.is_word() {
                    last.name().len()
                } else {
                    last.span.len()
                };
            request[first.span.start..end].to_owned()
        }
    }
}

pub(super) fn without<'a>(mut tokens: &'a [Token], fillers: &[&str]) -> &'a [Token] {
    while tokens
        .first()
        .is_some_and(|token| token.kind == Kind::Break || fillers.contains(&token.lower().as_str()))
    {
        tokens = &tokens[1..];
    }
    tokens
}

/// Words after which a place follows.
pub(super) fn is_place_word(token: &Token) -> bool {
    matches!(
        token.lower().as_str(),
        "in" | "across" | "everywhere" | "throughout" | "inside" | "within" | "under" | "below"
    )
}

pub(super) fn is_content_word(word: &str) -> bool {
    matches!(
        word,
        "with" | "containing" | "saying" | "contains" | "says" | "having"
    )
}
