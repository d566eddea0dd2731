//! How a call looks.

use adroit_protocol::view::{Block, Choice, Question, QuestionAnswer, View};
use adroit_tool::Stage;
use serde_json::Value;

use super::{AskUserQuestion, AskUserQuestionInput, AskedQuestion, call};
use crate::files;

/// Characters of a question in a title.
const TITLE: usize = 80;
/// Characters of the answers in a row.
const SUMMARY: usize = 60;

pub(super) fn present(stage: &Stage<'_, AskUserQuestion>) -> View {
    match stage {
        Stage::Writing { partial } => View::titled(title_so_far(partial)),
        Stage::Queued { input } => asked(input),
        Stage::Running { input, .. } => View {
            activity: Some("Passing your answer on".to_owned()),
            ..asked(input)
        },
        Stage::Succeeded { input, output } => View {
            summary: Some(summary(output)),
            ..asked(input)
        },
        Stage::Rejected { input, reason } => {
            let mut view = files::rejected(asked(input), reason);
            view.summary = Some("not answered".to_owned());
            view
        }
        Stage::Failed { partial, failure } => files::failed(title_so_far(partial), failure),
        Stage::Cancelled { partial, reason } => files::cancelled(title_so_far(partial), reason),
    }
}

/// The questions, with their answers where there are some.
pub(super) fn asked(input: &AskUserQuestionInput) -> View {
    let answers = call::answers(input).ok();
    let answer = |at: usize| {
        answers
            .as_ref()
            .and_then(|answers| answers.get(at))
            .cloned()
    };
    let blocks = input.questions.iter().enumerate();
    View {
        blocks: blocks
            .map(|(at, asked)| Block::Question(block(asked, answer(at))))
            .collect(),
        ..View::titled(title(
            input.questions.first().map(|asked| asked.question.as_str()),
            input.questions.len(),
        ))
    }
}

fn block(asked: &AskedQuestion, answer: Option<QuestionAnswer>) -> Question {
    Question {
        header: asked.header.clone(),
        question: asked.question.clone(),
        choices: asked
            .options
            .iter()
            .map(|option| Choice {
                label: option.label.clone(),
                description: option.description.clone(),
            })
            .collect(),
        multiple: asked.multi_select,
        answer,
    }
}

fn title(first: Option<&str>, count: usize) -> String {
    match first {
        Some(question) if count == 1 => format!("Ask: {}", brief(question, TITLE)),
        _ if count > 1 => format!("Ask {count} questions"),
        _ => "Ask".to_owned(),
    }
}

fn title_so_far(partial: &Value) -> String {
    let questions = partial.get("questions").and_then(Value::as_array);
    let first = questions
        .and_then(|questions| questions.first())
        .and_then(|question| question.get("question"))
        .and_then(Value::as_str)
        .filter(|question| !question.is_empty());
    title(first, questions.map_or(0, Vec::len))
}

/// What was answered, in a few words.
fn summary(output: &call::AskUserQuestionOutput) -> String {
    let answers = output.answers.iter().map(|answered| {
        let words = answered.chosen.iter().chain(&answered.other);
        words.cloned().collect::<Vec<_>>().join(", ")
    });
    brief(&answers.collect::<Vec<_>>().join(" · "), SUMMARY)
}

/// A text on one line, cut where it is long.
fn brief(text: &str, most: usize) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let line = words.join(" ");
    match line.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}
