//! The phrasings of creating files and running commands.

use super::command::Command;
use super::lexer::{Kind, Token};
use super::words::{is_content_word, span_text, without};

pub(super) fn create(tokens: &[Token], request: &str) -> Command {
    const FILLERS: &[&str] = &[
        "a", "an", "the", "new", "empty", "file", "called", "named", "document", "text", "at", "me",
    ];
    const CONTENT_FILLERS: &[&str] = &[
        "the",
        "content",
        "contents",
        "text",
        "following",
        "this",
        "lines",
        "line",
        "as",
    ];
    let tokens = without(tokens, FILLERS);
    // "write CONTENT to PATH"
    let to = tokens
        .iter()
        .rposition(|token| matches!(token.lower().as_str(), "to" | "into"));
    let content_word = tokens
        .iter()
        .position(|token| is_content_word(&token.lower()));
    if let Some(at) = to
        && (content_word.is_none_or(|word| word > at) || tokens[0].is_literal())
        && let Some(path) = without(&tokens[at + 1..], FILLERS).first()
        && at > 0
    {
        return Command::Create {
            path: path.name().to_owned(),
            content: span_text(&tokens[..at], request),
        };
    }
    let Some(path) = tokens.first().filter(|token| token.kind != Kind::Fence) else {
        return Command::Help;
    };
    let mut rest = &tokens[1..];
    if rest
        .first()
        .is_some_and(|token| token.lower() == "that" || token.lower() == "which")
    {
        rest = &rest[1..];
    }
    let content = match rest
        .iter()
        .position(|token| is_content_word(&token.lower()))
    {
        Some(at) => without(&rest[at + 1..], CONTENT_FILLERS),
        None => rest,
    };
    let content = without(content, &[":"]);
    let literal = content.iter().find(|token| token.is_literal());
    let content = match (literal, content) {
        (Some(literal), [first, ..]) if first.is_literal() || literal.kind == Kind::Fence => {
            literal.text.clone()
        }
        (_, [first, .., last]) => request[first.span.start..last.span.end].to_owned(),
        (_, [one]) => one.text.clone(),
        (_, []) => String::new(),
    };
    Command::Create {
        path: path.name().to_owned(),
        content,
    }
}

pub(super) fn run(verb: &str, tokens: &[Token], request: &str) -> Command {
    let words: Vec<String> = tokens.iter().map(Token::lower).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    if matches!(
        (verb, &words[..]),
        (
            "run",
            ["the" | "all", "tests"] | ["tests"] | ["all", "the", "tests"]
        ) | ("test", [] | ["it"] | ["the", "project"])
    ) {
        return Command::Test;
    }
    if verb == "test" {
        return Command::Unknown {
            words: format!("test {}", span_text(tokens, request)),
        };
    }
    let outside = words.starts_with(&["outside", "the", "sandbox"]);
    let tokens = match &words[..] {
        _ if outside => &tokens[3..],
        ["the", "command", ..] => &tokens[2..],
        ["command", ..] => &tokens[1..],
        _ => tokens,
    };
    let command = match tokens {
        [] => return Command::Help,
        [one] if one.is_literal() => one.text.trim_end().to_owned(),
        [first, .., last] if last.is_word() => {
            // The full stop of a sentence, but not the one of `ls .` or `cat a.`.
            let plain = last
                .text
                .strip_suffix('.')
                .filter(|word| word.len() > 1 && word.chars().all(char::is_alphanumeric));
            request[first.span.start..last.span.start + plain.unwrap_or(&last.text).len()]
                .to_owned()
        }
        [first, .., last] => request[first.span.start..last.span.end].to_owned(),
        [one] => one.text.clone(),
    };
    Command::Run { command, outside }
}
