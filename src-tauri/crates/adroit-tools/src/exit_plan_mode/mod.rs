//! ExitPlanMode: presents a plan, and leaves plan mode where the person approves it.
//!
//! The approval is the person's alone: no rule, no mode and no hook gives it. It comes with the
//! mode to go on in, which is no part of the schema ([`Tool::answer_fields`]).

mod call;
mod draft;
mod presentation;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::sync::Arc;

use adroit_protocol::message::ResultContent;
use adroit_protocol::permission::{AfterPlan, Mode};
use adroit_protocol::view::View;
use adroit_tool::{
    AnswerFields, Answerers, CallContext, ContextChange, DescribeOptions, Drafted, InvalidInput,
    Outcome, Stage, Tool, ToolFailure,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use call::ExitPlanModeOutput;
use draft::PlanDraft;

/// The tool.
pub struct ExitPlanMode;

/// The input of ExitPlanMode.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExitPlanModeInput {
    /// The whole plan, in markdown.
    #[schemars(length(min = 1, max = 50000))]
    pub plan: String,
    /// The mode in which the person lets it go on. Not in the schema: see [`Tool::answer_fields`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub mode: Option<AfterPlan>,
}

impl Tool for ExitPlanMode {
    type Input = ExitPlanModeInput;
    type Output = ExitPlanModeOutput;

    fn name(&self) -> &'static str {
        "ExitPlanMode"
    }

    fn search_hint(&self) -> &'static str {
        "plan mode present approve leave exit proposal"
    }

    fn description(
        &self,
        _input: Option<&ExitPlanModeInput>,
        _options: &DescribeOptions,
    ) -> String {
        "Presents a plan, and goes on with it once you approve it.".to_owned()
    }

    fn prompt(&self, _options: &DescribeOptions) -> Cow<'static, str> {
        Cow::Borrowed(include_str!("prompt.md"))
    }

    async fn call(
        &self,
        input: Arc<ExitPlanModeInput>,
        _context: CallContext,
    ) -> Result<Outcome<ExitPlanModeOutput>, ToolFailure> {
        let output = call::approved(&input)?;
        let change = ContextChange::LeavePlanMode(output.mode);
        Ok(Outcome::new(output).with_context_change(change))
    }

    async fn validate_input(
        &self,
        input: &ExitPlanModeInput,
        _context: &CallContext,
    ) -> Result<(), InvalidInput> {
        call::check(&input.plan).map_err(|message| InvalidInput::new("no_plan", message))
    }

    /// It changes no file. What it does change, the mode, only the person's own choice changes.
    fn is_read_only(&self, _input: &ExitPlanModeInput, _context: &CallContext) -> bool {
        true
    }

    fn requires_user_interaction(&self) -> bool {
        true
    }

    fn answer_fields(&self) -> AnswerFields {
        AnswerFields {
            names: &["mode"],
            by: Answerers::Person,
        }
    }

    fn only_in_mode(&self) -> Option<Mode> {
        Some(Mode::Plan)
    }

    fn present(&self, stage: Stage<'_, Self>) -> View {
        presentation::present(&stage)
    }

    async fn draft(&self, input: &ExitPlanModeInput, _context: &CallContext) -> Option<Drafted> {
        Some(PlanDraft::drafted(input))
    }

    fn user_facing_name(&self) -> Cow<'static, str> {
        Cow::Borrowed("Plan")
    }

    fn map_result(&self, output: &ExitPlanModeOutput) -> Vec<ResultContent> {
        vec![ResultContent::text(output.for_model())]
    }
}
