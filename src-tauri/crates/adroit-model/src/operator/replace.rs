//! The phrasings of a replacement.

use super::command::{Command, Scope};
use super::lexer::{Kind, Token};

use super::scope::{place_start, scope};
use super::words::span_text;

/// "replace OLD with NEW in PLACE", "change OLD to NEW in PLACE", "edit FILE: replace OLD with
/// NEW", "edit FILE OLD -> NEW", "in PLACE replace OLD with NEW".
pub(super) fn replace(verb: &str, tokens: &[Token], request: &str) -> Command {
    let tokens: Vec<Token> = tokens
        .iter()
        .filter(|token| token.kind != Kind::Break)
        .cloned()
        .collect();
    let inner = tokens
        .iter()
        .position(|token| is_inner_verb(&token.lower()));
    if let Some(at) = inner.filter(|_| matches!(verb, "edit" | "update" | "in")) {
        let place = if verb == "in" {
            &tokens[1..at]
        } else {
            &tokens[..at]
        };
        let verb = tokens[at].lower();
        return parts(&verb, &tokens[at + 1..], scope(place), request);
    }
    if verb == "edit" && tokens.first().is_some_and(looks_like_path) {
        let rest = &tokens[1..];
        let arrow = rest.iter().position(|token| is_arrow(&token.text));
        if arrow.is_some_and(|at| at > 0) {
            return parts(verb, rest, scope(&tokens[..1]), request);
        }
    }
    parts(verb, &tokens, Scope::default(), request)
}

/// "remove TEXT from FILE"
pub(super) fn remove(tokens: &[Token], _request: &str) -> Command {
    let Some((text, place)) = tokens.split_first() else {
        return Command::Help;
    };
    Command::Replace {
        old: text.text.clone(),
        new: String::new(),
        all: false,
        scope: scope(place),
    }
}

fn is_inner_verb(word: &str) -> bool {
    matches!(word, "replace" | "change" | "substitute" | "rename")
}

fn is_arrow(text: &str) -> bool {
    matches!(text, "->" | "→" | "=>")
}

fn looks_like_path(token: &Token) -> bool {
    let name = token.name();
    token.is_literal() || name.contains('/') || name.contains('.')
}

/// OLD, NEW and place from the tokens after the verb.
fn parts(verb: &str, tokens: &[Token], prefix: Scope, request: &str) -> Command {
    let (tokens, mut all) = without_quantity(tokens);
    let separates = |token: &Token| match token.lower().as_str() {
        "with" | "by" => true,
        "to" | "into" => matches!(verb, "change" | "rename" | "edit" | "update" | "swap"),
        _ => token.is_word() && is_arrow(&token.text),
    };
    let Some(at) = tokens.iter().skip(1).position(separates).map(|at| at + 1) else {
        return Command::Help;
    };
    let (old_tokens, new_tokens) = (&tokens[..at], &tokens[at + 1..]);
    let (old, middle) = old_and_place(old_tokens, request);
    let (new, end) = match new_tokens {
        [first, rest @ ..] if first.is_literal() => (first.text.clone(), rest),
        _ => match place_start(new_tokens) {
            Some(at) => (span_text(&new_tokens[..at], request), &new_tokens[at..]),
            None => (
                span_text(new_tokens, request),
                &new_tokens[new_tokens.len()..],
            ),
        },
    };
    let new = match new.as_str() {
        "nothing" if new_tokens.first().is_some_and(Token::is_word) => String::new(),
        _ => new,
    };
    all |= end
        .iter()
        .chain(middle)
        .any(|token| token.lower() == "everywhere");
    let scope = [scope(end), scope(middle), prefix]
        .into_iter()
        .find(|scope| !scope.is_everywhere())
        .unwrap_or_default();
    if old.is_empty() {
        Command::Help
    } else {
        Command::Replace {
            old,
            new,
            all,
            scope,
        }
    }
}

/// The text to replace, and a place named before "with".
fn old_and_place<'a>(tokens: &'a [Token], request: &str) -> (String, &'a [Token]) {
    match tokens {
        [first, place @ ..] if first.is_literal() => (first.text.clone(), place),
        _ => {
            let place = place_start(tokens).filter(|at| {
                *at > 0
                    && (!scope(&tokens[*at..]).is_everywhere()
                        || tokens[*at].lower() == "everywhere")
            });
            match place {
                Some(at) => (span_text(&tokens[..at], request), &tokens[at..]),
                None => (span_text(tokens, request), &[]),
            }
        }
    }
}

/// The tokens after "all occurrences of" and "the text", and whether all were asked for.
fn without_quantity(mut tokens: &[Token]) -> (&[Token], bool) {
    let mut all = false;
    while let Some(first) = tokens.first() {
        let word = first.lower();
        match word.as_str() {
            "all" | "every" | "each" => all = true,
            "occurrences" | "occurrence" | "instances" | "instance" | "uses" | "of" => {}
            "the" | "text" | "word" | "string" if tokens.get(1).is_some_and(Token::is_literal) => {}
            "the"
                if tokens.get(1).is_some_and(|next| {
                    matches!(next.lower().as_str(), "text" | "word" | "string")
                }) => {}
            _ => break,
        }
        if tokens.len() == 1 {
            break;
        }
        tokens = &tokens[1..];
    }
    (tokens, all)
}
