//! AskUserQuestion: asks the person, and gives their answers to the model.
//!
//! The answers come from the person, or from a hook in their place, never from the model: they are
//! no part of the schema ([`Tool::answer_fields`]), and an input of a model that has some is refused.

mod call;
mod draft;
mod presentation;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use adroit_protocol::message::ResultContent;
use adroit_protocol::view::View;
use adroit_tool::{
    AnswerFields, Answerers, CallContext, DescribeOptions, Drafted, InterruptBehavior,
    InvalidInput, Outcome, Stage, Tool, ToolFailure,
};
use schemars::{JsonSchema, schema_for};
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use call::{AnsweredQuestion, AskUserQuestionOutput};
use draft::QuestionDraft;

/// The tool.
pub struct AskUserQuestion;

/// The input of AskUserQuestion.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AskUserQuestionInput {
    /// The questions, one to four.
    #[schemars(length(min = 1, max = 4))]
    pub questions: Vec<AskedQuestion>,
    /// The answers, by the question's text. Not in the schema: see [`Tool::answer_fields`].
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(skip)]
    pub answers: BTreeMap<String, GivenAnswer>,
}

/// One question.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct AskedQuestion {
    /// The whole question, ending with a question mark: `"Which database shall the service use?"`.
    #[schemars(length(min = 1, max = 1000))]
    pub question: String,
    /// What it is about in one or two words, at most 12 characters: `"Database"`.
    #[schemars(length(min = 1, max = 40))]
    pub header: String,
    /// The choices, two to four. The person can always answer in their own words instead.
    #[schemars(length(min = 2, max = 4))]
    pub options: Vec<QuestionOption>,
    /// True where several options may be chosen together. False by default.
    #[serde(default)]
    pub multi_select: bool,
}

/// One choice.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct QuestionOption {
    /// What is chosen, in a few words.
    #[schemars(length(min = 1, max = 200))]
    pub label: String,
    /// What choosing it means: what happens then, what it costs.
    #[schemars(length(max = 1000))]
    pub description: String,
}

/// An answer as a hook gives it: one text, or several choices.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(untagged)]
pub enum GivenAnswer {
    /// A label, labels separated by commas, or other words.
    One(String),
    /// Labels, or other words.
    Several(Vec<String>),
}

impl Tool for AskUserQuestion {
    type Input = AskUserQuestionInput;
    type Output = AskUserQuestionOutput;

    fn name(&self) -> &'static str {
        "AskUserQuestion"
    }

    fn search_hint(&self) -> &'static str {
        "ask person user question choice clarify decide preference options"
    }

    fn output_schema(&self) -> Option<Value> {
        Some(schema_for!(AskUserQuestionOutput).to_value())
    }

    fn description(
        &self,
        input: Option<&AskUserQuestionInput>,
        _options: &DescribeOptions,
    ) -> String {
        match input.map(|input| input.questions.as_slice()) {
            Some([one]) => format!("Asks: {}", one.question),
            Some(several) => format!("Asks {} questions.", several.len()),
            None => "Asks the person questions.".to_owned(),
        }
    }

    fn prompt(&self, options: &DescribeOptions) -> Cow<'static, str> {
        if options.interactive {
            Cow::Borrowed(include_str!("prompt.md"))
        } else {
            Cow::Borrowed(concat!(
                include_str!("prompt.md"),
                include_str!("unattended.md")
            ))
        }
    }

    async fn call(
        &self,
        input: Arc<AskUserQuestionInput>,
        _context: CallContext,
    ) -> Result<Outcome<AskUserQuestionOutput>, ToolFailure> {
        call::answered(&input).map(Outcome::new)
    }

    async fn validate_input(
        &self,
        input: &AskUserQuestionInput,
        _context: &CallContext,
    ) -> Result<(), InvalidInput> {
        call::check(input)
    }

    /// A question changes nothing.
    fn is_read_only(&self, _input: &AskUserQuestionInput, _context: &CallContext) -> bool {
        true
    }

    /// What only reads may go on while the person thinks; what may change something waits.
    fn is_concurrency_safe(&self, _input: &AskUserQuestionInput, _context: &CallContext) -> bool {
        true
    }

    /// Who says something else instead has answered.
    fn interrupt_behavior(&self) -> InterruptBehavior {
        InterruptBehavior::Cancel
    }

    fn requires_user_interaction(&self) -> bool {
        true
    }

    fn answer_fields(&self) -> AnswerFields {
        AnswerFields {
            names: &["answers"],
            by: Answerers::PersonOrHook,
        }
    }

    fn present(&self, stage: Stage<'_, Self>) -> View {
        presentation::present(&stage)
    }

    async fn draft(&self, input: &AskUserQuestionInput, _context: &CallContext) -> Option<Drafted> {
        Some(QuestionDraft::drafted(input))
    }

    fn user_facing_name(&self) -> Cow<'static, str> {
        Cow::Borrowed("Question")
    }

    fn map_result(&self, output: &AskUserQuestionOutput) -> Vec<ResultContent> {
        vec![ResultContent::text(output.for_model())]
    }
}
