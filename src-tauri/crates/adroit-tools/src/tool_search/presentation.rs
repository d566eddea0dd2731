//! How a call looks.

use adroit_protocol::view::{Block, KeyValue, View};
use adroit_tool::Stage;

use super::{ToolSearch, ToolSearchOutput};
use crate::files::{self, written};

pub(super) fn present(stage: &Stage<'_, ToolSearch>) -> View {
    match stage {
        Stage::Writing { partial } => View::titled(title(written(partial, "query"))),
        Stage::Queued { input } => View::titled(title(&input.query)),
        Stage::Running { input, .. } => {
            let mut view = View::titled(title(&input.query));
            view.activity = Some(view.title.replacen("Load", "Loading", 1));
            view
        }
        Stage::Succeeded { input, output } => succeeded(View::titled(title(&input.query)), output),
        Stage::Rejected { input, reason } => {
            files::rejected(View::titled(title(&input.query)), reason)
        }
        Stage::Failed { partial, failure } => {
            files::failed(title(written(partial, "query")), failure)
        }
        Stage::Cancelled { partial, reason } => {
            files::cancelled(title(written(partial, "query")), reason)
        }
    }
}

fn title(query: &str) -> String {
    let query = query.trim();
    match query.strip_prefix("select:") {
        Some(names) => format!("Load {}", names.trim()),
        None if query.is_empty() => "Load tools".to_owned(),
        None => format!("Load tools for “{query}”"),
    }
}

fn succeeded(mut view: View, output: &ToolSearchOutput) -> View {
    view.summary = Some(match output.found.as_slice() {
        [] => "nothing found".to_owned(),
        [one] => one.name.clone(),
        several => format!("{} tools", several.len()),
    });
    if !output.found.is_empty() {
        let entries = output.found.iter().map(|tool| KeyValue {
            key: tool.name.clone(),
            value: tool
                .description
                .lines()
                .next()
                .unwrap_or_default()
                .to_owned(),
        });
        view.blocks.push(Block::KeyValue {
            entries: entries.collect(),
        });
    }
    if !output.missing.is_empty() {
        view.blocks.push(Block::Text {
            text: output.missing.join("\n"),
        });
    }
    view
}
