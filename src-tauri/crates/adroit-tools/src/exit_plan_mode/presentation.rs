//! How a call looks.

use adroit_protocol::permission::AfterPlan;
use adroit_protocol::view::{Block, Tone, View};
use adroit_tool::Stage;

use super::ExitPlanMode;
use crate::files::{self, written};

const TITLE: &str = "Plan";

pub(super) fn present(stage: &Stage<'_, ExitPlanMode>) -> View {
    match stage {
        Stage::Writing { partial } => plan(written(partial, "plan")),
        Stage::Queued { input } => plan(&input.plan),
        Stage::Running { input, .. } => View {
            activity: Some("Leaving plan mode".to_owned()),
            ..plan(&input.plan)
        },
        Stage::Succeeded { output, .. } => View {
            summary: Some(match output.mode {
                AfterPlan::Default => "approved".to_owned(),
                AfterPlan::AcceptEdits => "approved, edits are accepted".to_owned(),
            }),
            tone: Tone::Success,
            ..plan(&output.plan)
        },
        Stage::Rejected { input, reason } => {
            let mut view = files::rejected(plan(&input.plan), reason);
            view.summary = Some("not approved".to_owned());
            view
        }
        Stage::Failed { failure, .. } => files::failed(TITLE.to_owned(), failure),
        Stage::Cancelled { partial, reason } => {
            let mut view = files::cancelled(TITLE.to_owned(), reason);
            view.blocks = plan(written(partial, "plan")).blocks;
            view
        }
    }
}

/// The plan itself.
pub(super) fn plan(text: &str) -> View {
    let block = (!text.is_empty()).then(|| Block::Markdown {
        text: text.to_owned(),
    });
    View {
        blocks: block.into_iter().collect(),
        ..View::titled(TITLE)
    }
}
