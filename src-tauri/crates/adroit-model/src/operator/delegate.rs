//! The phrasings of having agents do something.

use super::command::Command;
use super::lexer::Token;
use super::words::{span_text, without};

/// Words with which it begins.
const BEGIN: [&str; 3] = ["use", "start", "ask"];
/// Words before a kind.
const FILLERS: &[&str] = &[
    "a", "an", "the", "one", "two", "three", "some", "new", "of", "kind",
];
/// Words between the agent and what it is to do.
const BETWEEN: &[&str] = &["to", "for", "and", "that", "which", "should", ":"];
/// How far from the beginning the agent is named.
const NEAR: usize = 5;

/// Where the agent is named.
fn agent(tokens: &[Token]) -> Option<usize> {
    tokens
        .iter()
        .take(NEAR)
        .position(|token| matches!(token.lower().as_str(), "agent" | "agents" | "subagent"))
}

/// `use an agent to …`
pub(super) fn is_delegation(tokens: &[Token]) -> bool {
    let begins = tokens
        .first()
        .is_some_and(|first| BEGIN.contains(&first.lower().as_str()));
    // `ask me …` is a question to the person.
    let asks_person = tokens.get(1).is_some_and(|second| second.lower() == "me");
    begins && !asks_person && agent(tokens).is_some()
}

pub(super) fn command(tokens: &[Token], request: &str) -> Command {
    let Some(at) = agent(tokens) else {
        return Command::Help;
    };
    let kind = without(&tokens[1..at], FILLERS)
        .first()
        .map_or("general-purpose", Token::name)
        .to_owned();
    let rest = without(&tokens[at + 1..], BETWEEN);
    if rest.is_empty() {
        return Command::Help;
    }
    let literal: Vec<String> = rest
        .iter()
        .filter(|token| token.is_literal())
        .map(|token| token.text.clone())
        .collect();
    let joined = rest
        .iter()
        .all(|token| token.is_literal() || BETWEEN.contains(&token.lower().as_str()));
    let tasks = if joined && !literal.is_empty() {
        literal
    } else {
        vec![span_text(rest, request)]
    };
    Command::Delegate { kind, tasks }
}
