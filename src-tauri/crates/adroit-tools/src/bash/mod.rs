//! Bash: one shell command in a terminal of its own.

mod call;
mod classify;
mod definitions;
mod draft;
mod input;
mod links;
mod output;
mod presentation;
mod prompt;
mod sandbox;
mod sed_edit;
mod waiting;

#[cfg(test)]
mod cases;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::sync::{Arc, Mutex, Once};

use adroit_permissions::{Subject, ToolCheck};
use adroit_protocol::message::ResultContent;
use adroit_protocol::view::{Block, GroupKind, View};
use adroit_tool::{
    CallContext, Cascade, DescribeOptions, Drafted, InvalidInput, Outcome, Speculation, Stage,
    Tool, ToolFailure,
};
use serde_json::Value;

pub use self::definitions::keeps_definition;
pub use self::input::BashInput;
pub use self::output::BashOutput;
pub(crate) use self::presentation::{duration, first_line, notice};
pub(crate) use self::sandbox::{Explain, Explanation};

use self::classify::Analyses;
use self::sandbox::Denied;
use self::sed_edit::ShownEdits;
use crate::Services;

/// The tool. One per agent: it remembers what it analysed.
pub struct Bash {
    services: Services,
    analyses: Analyses,
    shown: ShownEdits,
    /// What commands were kept from by the sandbox.
    denied: Arc<Denied>,
    /// What commands made at protected names after their call was over, not told yet.
    made_later: Arc<Mutex<Vec<String>>>,
    /// The sandbox is being tried out.
    warmed: Once,
}

impl Bash {
    /// The tool over these services.
    pub fn new(services: Services) -> Self {
        let analyses = Analyses::new(&services);
        Self {
            services,
            analyses,
            shown: ShownEdits::default(),
            denied: Arc::default(),
            made_later: Arc::default(),
            warmed: Once::new(),
        }
    }
}

impl Tool for Bash {
    type Input = BashInput;
    type Output = BashOutput;

    fn name(&self) -> &'static str {
        "Bash"
    }

    fn search_hint(&self) -> &'static str {
        "run shell command terminal build test git install script"
    }

    fn description(&self, input: Option<&BashInput>, _options: &DescribeOptions) -> String {
        input
            .and_then(|input| input.description.clone())
            .unwrap_or_else(|| "Runs a shell command.".to_owned())
    }

    fn prompt(&self, options: &DescribeOptions) -> Cow<'static, str> {
        Cow::Owned(prompt::prompt(options))
    }

    async fn validate_input(
        &self,
        input: &BashInput,
        _context: &CallContext,
    ) -> Result<(), InvalidInput> {
        input.check()
    }

    async fn call(
        &self,
        input: Arc<BashInput>,
        context: CallContext,
    ) -> Result<Outcome<BashOutput>, ToolFailure> {
        self.run(&input, &context).await
    }

    fn check_permissions(&self, input: &BashInput, context: &CallContext) -> ToolCheck {
        self.check_release(input, context)
    }

    fn is_read_only(&self, input: &BashInput, context: &CallContext) -> bool {
        self.analyses.of(&input.command, &context.cwd).read_only
    }

    /// A command that only reads runs beside others, unless it takes the
    /// working directory elsewhere: two at once would race for where they end.
    fn is_concurrency_safe(&self, input: &BashInput, context: &CallContext) -> bool {
        let analysis = self.analyses.of(&input.command, &context.cwd);
        analysis.read_only && !classify::leaves_directory(&analysis)
    }

    fn is_destructive(&self, input: &BashInput, context: &CallContext) -> bool {
        let analysis = self.analyses.of(&input.command, &context.cwd);
        analysis.destructive.is_some() || analysis.critical.is_some()
    }

    fn is_open_world(&self, input: &BashInput) -> bool {
        let analysis = self
            .analyses
            .of(&input.command, self.services.workspace.root());
        // What is not understood may reach anywhere.
        analysis.network || !analysis.understood
    }

    fn search_or_read(&self, input: &BashInput) -> Option<GroupKind> {
        classify::verb(
            &self
                .analyses
                .of(&input.command, self.services.workspace.root()),
        )
    }

    fn inputs_equivalent(&self, one: &BashInput, other: &BashInput) -> bool {
        one.command == other.command
            && one.run_in_background == other.run_in_background
            && one.dangerously_disable_sandbox == other.dangerously_disable_sandbox
    }

    fn speculate(&self, input: &Value, context: &CallContext) -> Option<Speculation> {
        let command = input.get("command")?.as_str()?;
        self.analyses.speculate(command, &context.cwd)
    }

    fn cascade(&self) -> Cascade {
        Cascade::Shell
    }

    fn present(&self, stage: Stage<'_, Self>) -> View {
        presentation::present(self, &stage)
    }

    async fn preview(&self, input: &BashInput, context: &CallContext) -> View {
        let mut view = presentation::preview(input, &context.cwd);
        view.blocks.extend(
            self.release_notice(input, context)
                .map(presentation::notice),
        );
        view.blocks
            .extend(self.sed_preview(input, context).await.map(Block::Diff));
        view
    }

    async fn draft(&self, input: &BashInput, context: &CallContext) -> Option<Drafted> {
        let draft = draft::CommandDraft {
            input: input.clone(),
            cwd: context.cwd.to_path_buf(),
        };
        Some(Drafted {
            view: draft.view(),
            draft: Arc::new(draft),
        })
    }

    fn is_result_truncated(&self, output: &BashOutput) -> bool {
        output.truncated
    }

    fn map_result(&self, output: &BashOutput) -> Vec<ResultContent> {
        vec![ResultContent::text(output.for_model())]
    }

    fn classifier_input(&self, input: &BashInput) -> Option<String> {
        Some(input.command.clone())
    }

    fn subject(&self, input: &BashInput, context: &CallContext) -> Subject {
        Subject::Shell {
            command: input.command.clone(),
            cwd: context.cwd.to_path_buf(),
            analysis: self.analyses.on_disk(&input.command, context, |analysis| {
                links::as_on_disk(
                    analysis,
                    &context.cwd,
                    &self.services.workspace,
                    &context.withheld,
                )
            }),
        }
    }
}
