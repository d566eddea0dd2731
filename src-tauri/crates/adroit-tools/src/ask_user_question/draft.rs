//! The questions as they wait: what the person may do is answer them.

use std::sync::Arc;

use adroit_protocol::permission::{DraftChange, DraftKind, DraftOffer};
use adroit_protocol::view::QuestionAnswer;
use adroit_tool::{Draft, DraftError, Drafted, Redrafted};

use super::call::check_answer;
use super::{AskUserQuestionInput, AskedQuestion, GivenAnswer, presentation};

/// The questions that are asked.
#[derive(Debug)]
pub(super) struct QuestionDraft {
    /// Without answers: what a hook may have said before is not what the person says.
    input: AskUserQuestionInput,
}

impl QuestionDraft {
    pub(super) fn drafted(input: &AskUserQuestionInput) -> Drafted {
        let draft = Self {
            input: AskUserQuestionInput {
                questions: input.questions.clone(),
                answers: std::collections::BTreeMap::new(),
            },
        };
        Drafted {
            view: presentation::asked(&draft.input),
            draft: Arc::new(draft),
        }
    }
}

impl Draft for QuestionDraft {
    fn offer(&self) -> DraftOffer {
        DraftOffer {
            kind: DraftKind::Questions,
            hunks: false,
            text: false,
            answer: true,
        }
    }

    fn text(&self, _rejected: &[u32]) -> Result<String, DraftError> {
        Err(DraftError::NoText)
    }

    fn change(&self, change: &DraftChange) -> Result<Redrafted, DraftError> {
        let DraftChange::Answers { answers } = change else {
            return Err(DraftError::NoText);
        };
        if answers.len() != self.input.questions.len() {
            return Err(DraftError::Unfit(format!(
                "there are {} questions and {} answers",
                self.input.questions.len(),
                answers.len()
            )));
        }
        let mut input = self.input.clone();
        for (asked, answer) in self.input.questions.iter().zip(answers) {
            check_answer(asked, answer).map_err(DraftError::Unfit)?;
            let given = given(asked, answer);
            input.answers.insert(asked.question.clone(), given);
        }
        let value =
            serde_json::to_value(&input).map_err(|error| DraftError::Unfit(error.to_string()))?;
        Ok(Redrafted {
            view: presentation::asked(&input),
            input: value,
            told: None,
        })
    }
}

/// The answer as the input has it. Always a list: a label with a comma stays one.
fn given(asked: &AskedQuestion, answer: &QuestionAnswer) -> GivenAnswer {
    let chosen = answer
        .chosen
        .iter()
        .filter_map(|at| asked.options.get(*at as usize))
        .map(|option| option.label.clone());
    let words = answer.other.iter().map(|words| words.trim().to_owned());
    let words = words.filter(|words| !words.is_empty());
    GivenAnswer::Several(chosen.chain(words).collect())
}
