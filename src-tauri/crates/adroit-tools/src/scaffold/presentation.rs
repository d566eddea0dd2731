//! How a call looks.

use adroit_protocol::view::{Block, View};
use adroit_tool::Stage;

use super::Scaffold;
use crate::files::{self, written};

pub(super) fn present(stage: &Stage<'_, Scaffold>) -> View {
    match stage {
        Stage::Writing { partial } => View::titled(title(written(partial, "subject"))),
        Stage::Queued { input } => View::titled(title(&input.subject)),
        Stage::Running { input, .. } => View {
            activity: Some(format!("Working on {}", input.subject)),
            ..View::titled(title(&input.subject))
        },
        Stage::Succeeded { input, output } => View {
            summary: Some("done".to_owned()),
            blocks: vec![Block::Text {
                text: output.for_model(),
            }],
            ..View::titled(title(&input.subject))
        },
        Stage::Rejected { input, reason } => {
            files::rejected(View::titled(title(&input.subject)), reason)
        }
        Stage::Failed { partial, failure } => {
            files::failed(title(written(partial, "subject")), failure)
        }
        Stage::Cancelled { partial, reason } => {
            files::cancelled(title(written(partial, "subject")), reason)
        }
    }
}

fn title(subject: &str) -> String {
    format!("Scaffold {subject}").trim_end().to_owned()
}
