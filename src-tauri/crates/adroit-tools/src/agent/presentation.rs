//! How a call looks: its calls while it works, then what it said.

use adroit_protocol::event::CallStatus;
use adroit_protocol::view::{Block, View};
use adroit_tool::{Progress, Stage};
use serde_json::Value;

use super::{Agent, AgentInput, AgentOutput, USUAL_KIND};
use crate::files::{self, counted, written};

pub(super) fn present(stage: &Stage<'_, Agent>) -> View {
    match stage {
        Stage::Writing { partial } => View::titled(arriving(partial)),
        Stage::Queued { input } => View::titled(title(input)),
        Stage::Running { input, progress } => running(input, *progress),
        Stage::Succeeded { input, output } => View {
            summary: Some(summary(output)),
            blocks: vec![
                output.block.clone(),
                Block::Markdown {
                    text: output.text.clone(),
                },
            ],
            ..View::titled(title(input))
        },
        Stage::Rejected { input, reason } => files::rejected(View::titled(title(input)), reason),
        Stage::Failed { partial, failure } => files::failed(arriving(partial), failure),
        Stage::Cancelled { partial, reason } => files::cancelled(arriving(partial), reason),
    }
}

fn running(input: &AgentInput, progress: Option<&Progress>) -> View {
    let mut view = View::titled(title(input));
    let doing = progress.and_then(|progress| progress.sub_session.as_ref());
    view.activity = Some(match doing.and_then(doing_now) {
        Some(doing) => format!("{}: {doing}", input.kind()),
        None => format!("{}: {}", input.kind(), input.description),
    });
    view.blocks.extend(doing.cloned());
    view
}

/// What its newest unfinished call does.
fn doing_now(block: &Block) -> Option<String> {
    let Block::SubSession { calls, .. } = block else {
        return None;
    };
    let call = calls
        .iter()
        .rev()
        .find(|call| matches!(call.status, CallStatus::Running | CallStatus::Waiting))?;
    Some(call.activity.clone().unwrap_or_else(|| call.title.clone()))
}

fn summary(output: &AgentOutput) -> String {
    let calls = counted(output.calls, "call", "calls");
    if output.tokens == 0 {
        calls
    } else {
        format!("{calls}, {}", counted(output.tokens, "token", "tokens"))
    }
}

fn title(input: &AgentInput) -> String {
    named(input.kind(), &input.description)
}

fn arriving(partial: &Value) -> String {
    let kind = match written(partial, "subagent_type") {
        "" => USUAL_KIND,
        kind => kind,
    };
    named(kind, written(partial, "description"))
}

fn named(kind: &str, description: &str) -> String {
    let description = description.trim();
    if description.is_empty() {
        format!("Agent {kind}")
    } else {
        format!("Agent {kind}: {description}")
    }
}
