//! What makes sense as questions and answers, and what the model is told of them.

use std::collections::HashSet;
use std::fmt::Write as _;

use adroit_protocol::view::QuestionAnswer;
use adroit_tool::{InvalidInput, ToolFailure};
use schemars::JsonSchema;
use serde::Serialize;

use super::{AskUserQuestionInput, AskedQuestion, GivenAnswer};

/// The longest answer in the person's own words, in characters.
pub(super) const LONGEST_WORDS: usize = 10_000;

/// The questions with their answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AskUserQuestionOutput {
    /// One for each question, in their order.
    pub answers: Vec<AnsweredQuestion>,
}

/// A question with its answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AnsweredQuestion {
    /// The question.
    pub question: String,
    /// The labels that were chosen.
    pub chosen: Vec<String>,
    /// What was said in other words.
    pub other: Option<String>,
}

impl AskUserQuestionOutput {
    pub(super) fn for_model(&self) -> String {
        let mut text = "The questions were answered:".to_owned();
        for answered in &self.answers {
            let _ = write!(text, "\n\n{}", answered.question);
            for label in &answered.chosen {
                let _ = write!(text, "\n- {label}");
            }
            if let Some(other) = &answered.other {
                let _ = write!(text, "\n- In their own words: {other}");
            }
        }
        text
    }
}

/// Questions that can be told apart, each with choices that can be told apart; and answers, where
/// there are some, to these very questions.
pub(super) fn check(input: &AskUserQuestionInput) -> Result<(), InvalidInput> {
    let invalid = |message: String| Err(InvalidInput::new("invalid_question", message));
    let mut questions = HashSet::new();
    for (at, asked) in (1..).zip(&input.questions) {
        if asked.question.trim().is_empty() {
            return invalid(format!("Question {at} is empty."));
        }
        if !questions.insert(asked.question.as_str()) {
            return invalid(format!(
                "Question {at} is asked twice: answers are told apart by the question's text."
            ));
        }
        let mut labels = HashSet::new();
        for option in &asked.options {
            let label = option.label.trim();
            if label.is_empty() {
                return invalid(format!("An option of question {at} has no label."));
            }
            if !labels.insert(label) {
                return invalid(format!("Question {at} has the option `{label}` twice."));
            }
        }
    }
    if input.answers.is_empty() {
        return Ok(());
    }
    if let Some(foreign) = input
        .answers
        .keys()
        .find(|key| !questions.contains(key.as_str()))
    {
        return invalid(format!(
            "`answers` has an answer to `{foreign}`, which is none of the questions."
        ));
    }
    match answers(input) {
        Ok(_) => Ok(()),
        Err(problem) => invalid(problem),
    }
}

/// The answers by question, where every question has one.
///
/// # Errors
/// What is missing, in words.
pub(super) fn answers(input: &AskUserQuestionInput) -> Result<Vec<QuestionAnswer>, String> {
    let one = |asked: &AskedQuestion| {
        let given = input.answers.get(&asked.question);
        let answer = given
            .map(|given| understood(asked, given))
            .unwrap_or_default();
        check_answer(asked, &answer).map(|()| answer)
    };
    input.questions.iter().map(one).collect()
}

/// Whether an answer answers the question.
///
/// # Errors
/// What is wrong with it, in words.
pub(super) fn check_answer(asked: &AskedQuestion, answer: &QuestionAnswer) -> Result<(), String> {
    let question = &asked.question;
    let said = answer.other.as_deref().map(str::trim).unwrap_or_default();
    let mut seen = HashSet::new();
    for at in &answer.chosen {
        if *at as usize >= asked.options.len() || !seen.insert(at) {
            return Err(format!("`{question}` has no such choice"));
        }
    }
    if said.chars().count() > LONGEST_WORDS {
        return Err(format!(
            "the answer to `{question}` has more than {LONGEST_WORDS} characters"
        ));
    }
    match answer.chosen.len() + usize::from(!said.is_empty()) {
        0 => Err(format!("`{question}` has no answer")),
        1 => Ok(()),
        _ if asked.multi_select => Ok(()),
        _ => Err(format!("`{question}` takes one answer")),
    }
}

/// An answer by text: a label, several labels with commas between, or other words.
fn understood(asked: &AskedQuestion, given: &GivenAnswer) -> QuestionAnswer {
    let position = |text: &str| {
        let same = |option: &super::QuestionOption| option.label.trim() == text.trim();
        let at = asked.options.iter().position(same)?;
        u32::try_from(at).ok()
    };
    let texts: Vec<&str> = match given {
        GivenAnswer::Several(texts) => texts.iter().map(String::as_str).collect(),
        GivenAnswer::One(text) => {
            let parts: Vec<&str> = text.split(',').map(str::trim).collect();
            let all_known = parts.iter().all(|part| position(part).is_some());
            if position(text).is_none() && asked.multi_select && all_known {
                parts
            } else {
                vec![text]
            }
        }
    };
    let mut answer = QuestionAnswer::default();
    let mut words = Vec::new();
    for text in texts {
        match position(text) {
            Some(at) => answer.chosen.push(at),
            None if text.trim().is_empty() => {}
            None => words.push(text.trim()),
        }
    }
    answer.other = (!words.is_empty()).then(|| words.join(", "));
    answer
}

/// The answers of an input that was answered.
pub(super) fn answered(input: &AskUserQuestionInput) -> Result<AskUserQuestionOutput, ToolFailure> {
    let answers = answers(input).map_err(|problem| {
        ToolFailure::new(
            "not_answered",
            format!(
                "Nobody answered: {problem}. Do not ask again; go on with what you know, and say what you assumed."
            ),
        )
    })?;
    let answered = |(asked, answer): (&AskedQuestion, QuestionAnswer)| AnsweredQuestion {
        question: asked.question.clone(),
        chosen: answer
            .chosen
            .iter()
            .filter_map(|at| asked.options.get(*at as usize))
            .map(|option| option.label.clone())
            .collect(),
        other: answer.other.map(|words| words.trim().to_owned()),
    };
    Ok(AskUserQuestionOutput {
        answers: input.questions.iter().zip(answers).map(answered).collect(),
    })
}
