//! Consent that came with a change of the input.

use adroit_permissions::{QuestionDetails, Subject};
use adroit_protocol::record::ConsentRecord;
use adroit_tool::ParsedInput;
use serde_json::Value;

use crate::wording;

/// Consent that was given together with a changed input, for that input only, and only for
/// what the person was told when they gave it.
pub(super) struct GivenConsent {
    input: Value,
    pub(super) record: ConsentRecord,
    /// Why it was asked and what would be lost, as it was shown.
    shown: Vec<String>,
    told: Telling,
}

/// What the model is told of an input that is not the one it sent.
#[derive(Clone)]
pub(super) enum Telling {
    /// The input as it ran.
    Input,
    /// These words.
    Words(String),
    /// Nothing: it is the answer to the call's question, and the result has it.
    Nothing,
}

impl GivenConsent {
    /// `before` is the consent that was given to an earlier version.
    pub(super) fn new(
        input: &Value,
        mut record: ConsentRecord,
        question: &QuestionDetails,
        told: Telling,
        before: Option<&Self>,
    ) -> Self {
        if matches!(told, Telling::Nothing) {
            record.answered = true;
        } else {
            record.changed = true;
        }
        Self {
            input: input.clone(),
            record,
            shown: shown(question).collect(),
            // An input that is changed twice differs from the proposal by both changes.
            told: match (before.map(|before| &before.told), told) {
                (Some(Telling::Words(before)), Telling::Words(now)) => {
                    Telling::Words(wording::changed_again(before, &now))
                }
                (Some(Telling::Words(before)), Telling::Nothing) => Telling::Words(before.clone()),
                (_, told) => told,
            },
        }
    }

    /// What the model is told, where it is told something.
    pub(super) fn words(&self, input: &ParsedInput) -> Option<String> {
        match &self.told {
            Telling::Input => Some(wording::changed_by_person(&input.value().to_string())),
            Telling::Words(words) => Some(words.clone()),
            Telling::Nothing => None,
        }
    }

    /// True where the consent answers this question too: the very input that the person left,
    /// and no reason and no loss that was not shown to them. A command is always another
    /// command: what it would do is known only once it was analysed, so it is shown again.
    /// Blocks a command that is edited into a worse one and would run on the consent to the better.
    pub(super) fn answers(
        &self,
        input: &Value,
        question: &QuestionDetails,
        subject: &Subject,
    ) -> bool {
        self.input == *input
            && !matches!(subject, Subject::Shell { .. })
            && shown(question).all(|reason| self.shown.contains(&reason))
    }
}

/// Everything that a question tells the person.
fn shown(question: &QuestionDetails) -> impl Iterator<Item = String> {
    question
        .reasons
        .iter()
        .map(|reason| reason.text.clone())
        .chain(question.destructive.clone())
        .collect::<Vec<_>>()
        .into_iter()
}
