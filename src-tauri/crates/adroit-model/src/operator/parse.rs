//! From a request to commands: a small language (see `language.md`) and plain phrasings of it.
//!
//! Quoted pieces always mean exactly what they say; without quotes the nearest sensible
//! border between two pieces is taken.

use super::command::Command;
use super::lexer::{Kind, Token, tokens};
use super::phrases;
use super::words::span_text;

/// The commands of a request, in order. Never empty.
pub(super) fn commands(request: &str) -> Vec<Command> {
    let tokens = tokens(request);
    let asked = without_politeness(&tokens);
    match asked.split_first() {
        Some((first, steps)) if first.lower() == "plan" => vec![plan(steps, request)],
        _ => in_order(&tokens, request),
    }
}

/// `plan STEP then STEP`: the steps are carried out once the person has approved them.
fn plan(tokens: &[Token], request: &str) -> Command {
    let tokens = without_politeness(tokens);
    let steps: Vec<String> = segments(tokens)
        .into_iter()
        .map(|segment| span_text(without_politeness(segment), request))
        .filter(|step| !step.is_empty())
        .collect();
    if steps.is_empty() {
        return Command::Help;
    }
    let numbered = (1..).zip(&steps).map(|(at, step)| format!("{at}. {step}"));
    Command::Plan {
        text: numbered.collect::<Vec<_>>().join("\n"),
    }
}

fn in_order(tokens: &[Token], request: &str) -> Vec<Command> {
    let mut commands: Vec<Command> = Vec::new();
    for segment in segments(tokens) {
        let segment = without_politeness(segment);
        if let Some(command) = phrases::command(segment, request) {
            commands.push(command);
        }
    }
    if commands.is_empty() {
        vec![Command::Help]
    } else {
        commands
    }
}

/// The requests within one: a command verb after "then", after a line end, and after ";" or
/// "and" where the words before cannot be a command line or unquoted content, which may
/// have these themselves.
fn segments(tokens: &[Token]) -> Vec<&[Token]> {
    let mut segments = Vec::new();
    let mut start = 0;
    let mut at = 0;
    while at < tokens.len() {
        if let Some(next) = separator_end(tokens, start, at) {
            segments.push(&tokens[start..at]);
            start = next;
            at = next;
        } else {
            at += 1;
        }
    }
    segments.push(&tokens[start..]);
    segments.retain(|segment| segment.iter().any(|token| token.kind != Kind::Break));
    segments
}

/// When a separator begins at `at` (or the token before ends with `;`): where the next command begins.
fn separator_end(tokens: &[Token], start: usize, at: usize) -> Option<usize> {
    if at == start {
        return None;
    }
    let mut next = at;
    let mut strong = false;
    let mut weak = tokens[at - 1].is_word() && tokens[at - 1].text.ends_with(';');
    while let Some(token) = tokens.get(next) {
        match (token.kind, token.lower().as_str()) {
            (Kind::Break, _) | (_, "then" | "afterwards") => strong = true,
            (_, "and" | "also" | "finally" | ";" | "&") => weak = true,
            // List marks: "1." "2)" "-" "*".
            _ if strong && is_list_mark(token) => {}
            _ => break,
        }
        next += 1;
    }
    let verb = phrases::begins_command(without_politeness(tokens.get(next..)?));
    let open_ended = phrases::is_open_ended(without_politeness(&tokens[start..at]));
    (verb && (strong || weak && !open_ended)).then_some(next)
}

fn is_list_mark(token: &Token) -> bool {
    token.is_word()
        && (matches!(token.text.as_str(), "-" | "*" | "•")
            || token
                .text
                .strip_suffix(['.', ')'])
                .is_some_and(|number| number.parse::<u8>().is_ok()))
}

/// The tokens after "please", "could you" and the like.
fn without_politeness(mut tokens: &[Token]) -> &[Token] {
    const WORDS: &[&str] = &[
        "please", "can", "could", "would", "will", "you", "kindly", "now", "first", "next", "also",
        "then", "and", "let's", "lets", "us", "i", "i'd", "want", "like", "need", "to", "just",
        "hey", "ok", "okay", "so", "well", "great", "thanks", "pls", "let",
    ];
    while let Some(first) = tokens.first() {
        let polite = first.kind == Kind::Break
            || is_list_mark(first)
            || WORDS.contains(&first.lower().as_str());
        if !polite {
            break;
        }
        tokens = &tokens[1..];
    }
    tokens
}
