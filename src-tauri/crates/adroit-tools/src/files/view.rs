//! Views that all file tools make in the same way.

use adroit_protocol::view::{Block, Chip, ChipKind, Diff, LineChange, Tone, View};
use adroit_tool::{CancelReason, ToolFailure};
use serde_json::Value;

/// Characters of a chip.
const MAX_CHIP: usize = 60;

/// A text of the input as far as it has arrived; empty where it is missing or something else.
pub(crate) fn written<'v>(partial: &'v Value, field: &str) -> &'v str {
    partial
        .get(field)
        .and_then(Value::as_str)
        .unwrap_or_default()
}

/// One target, shortened from the left for paths: the end of a path says more.
pub(crate) fn chip(kind: ChipKind, text: &str) -> Chip {
    let length = text.chars().count();
    let text = match kind {
        _ if length <= MAX_CHIP => text.to_owned(),
        ChipKind::Path => format!(
            "…{}",
            text.chars().skip(length - MAX_CHIP + 1).collect::<String>()
        ),
        _ => format!("{}…", text.chars().take(MAX_CHIP - 1).collect::<String>()),
    };
    Chip { kind, text }
}

/// The lines that a change took away and brought, for a search. Its context was there before.
pub(crate) fn diff_text(diff: &Diff) -> String {
    let lines = diff.hunks.iter().flat_map(|hunk| &hunk.lines);
    let changed = lines.filter(|line| line.kind != LineChange::Context);
    std::iter::once(diff.path.as_str())
        .chain(changed.map(|line| line.text.as_str()))
        .collect::<Vec<_>>()
        .join("\n")
}

/// The view of a call that somebody said no to.
pub(crate) fn rejected(mut view: View, reason: &str) -> View {
    view.tone = Tone::Warning;
    view.summary = Some("not run".to_owned());
    view.group = None;
    view.activity = None;
    if !reason.is_empty() {
        view.blocks.push(Block::Notice {
            tone: Tone::Warning,
            text: reason.to_owned(),
        });
    }
    view
}

/// The view of a call that failed. Never folded away.
pub(crate) fn failed(title: String, failure: &ToolFailure) -> View {
    let mut blocks = failure.blocks.clone();
    if blocks.is_empty() {
        blocks.push(Block::Notice {
            tone: Tone::Danger,
            text: failure.message.clone(),
        });
    }
    View {
        title,
        tone: Tone::Danger,
        summary: failure.summary.clone(),
        blocks,
        ..View::default()
    }
}

/// The view of a call that was cancelled.
pub(crate) fn cancelled(title: String, reason: &CancelReason) -> View {
    View {
        title,
        tone: Tone::Warning,
        summary: Some(reason.label().to_owned()),
        ..View::default()
    }
}

/// A count for the wire.
pub(crate) fn number(count: u64) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
