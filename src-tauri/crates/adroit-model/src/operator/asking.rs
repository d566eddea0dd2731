//! Questions to the person: their phrasing, and what becomes of the answer.

use super::calls;
use super::command::Command;
use super::lexer::{Kind, Token};
use super::past::{Past, Step};
use super::results::quotation;
use super::words::{span_text, without};
use super::work::{End, failed};

/// How many choices a question may have.
const CHOICES: std::ops::RangeInclusive<usize> = 2..=4;

/// `ask me QUESTION? A, B or C`, `ask me "QUESTION" any of A, B`, `ask me A or B`.
pub(super) fn ask(tokens: &[Token], request: &str) -> Command {
    let tokens = without(tokens, &["me", "the", "user", "person", "whether", "if"]);
    let end = tokens.iter().position(|token| {
        token.is_literal() || token.is_word() && token.text.ends_with(['?', ':'])
    });
    let (asked, rest) = match end {
        Some(end) => tokens.split_at(end + 1),
        None => (tokens, &[][..]),
    };
    let multiple = ["any", "some"].iter().any(|word| starts_with(rest, word));
    let rest = without(rest, &["any", "some", "of"]);
    let question = span_text(asked, request).trim_end_matches(':').to_owned();
    let choices = if rest.is_empty() {
        choices(asked, request)
    } else {
        choices(rest, request)
    };
    if question.is_empty() || !CHOICES.contains(&choices.len()) {
        let words = format!("ask {}", span_text(tokens, request));
        return Command::Unknown { words };
    }
    Command::Ask {
        question: as_question(&question),
        choices,
        multiple,
    }
}

fn starts_with(tokens: &[Token], word: &str) -> bool {
    tokens.first().is_some_and(|token| token.lower() == word)
}

fn as_question(text: &str) -> String {
    let mut question = text.to_owned();
    if let Some(first) = question.get(..1) {
        let upper = first.to_uppercase();
        question.replace_range(..1, &upper);
    }
    if !question.ends_with('?') {
        question.push('?');
    }
    question
}

/// What stands between commas and "or": quoted pieces each by itself.
fn choices(tokens: &[Token], request: &str) -> Vec<String> {
    let mut choices: Vec<Vec<Token>> = vec![Vec::new()];
    for token in tokens {
        let last = choices.last_mut();
        match token.kind {
            Kind::Break => choices.push(Vec::new()),
            Kind::Word if matches!(token.lower().as_str(), "or" | "and") => {
                choices.push(Vec::new());
            }
            _ => {
                if let Some(last) = last {
                    last.push(token.clone());
                }
                let written = request.get(token.span.clone()).unwrap_or_default();
                if written.ends_with([',', ';']) {
                    choices.push(Vec::new());
                }
            }
        }
    }
    choices
        .iter()
        .map(|tokens| span_text(tokens, request))
        .map(|text| text.trim_end_matches(['?', ',', ';']).to_owned())
        .filter(|text| !text.is_empty())
        .collect()
}

/// Asks, and tells what was answered.
pub(super) fn carry_out(
    question: &str,
    choices: &[String],
    multiple: bool,
    past: &mut Past,
) -> Step<End> {
    let outcome = past.ask_one("I ask you.", calls::ask(question, choices, multiple))?;
    if outcome.failed {
        return Ok(failed("An answer", &outcome, past));
    }
    let answer = outcome
        .text
        .split_once(question)
        .map_or(outcome.text.as_str(), |(_, answer)| answer)
        .trim();
    past.say(&format!("You answered:\n\n{}", quotation(answer)));
    Ok(End::Done)
}
