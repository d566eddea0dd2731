//! The summary of the offline operator: what the entries of the transcript tell, without a model.

use std::fmt::Write as _;

use adroit_protocol::event::{CallItem, CallStatus, Item, ItemBody};

use super::rendering::shortened;

/// Characters of an earlier summary that go into the next one: they must not grow for ever.
const EARLIER: usize = 4_000;
/// Characters of a request.
const REQUEST: usize = 400;
/// Lines of each kind; of more the newest are told.
const LINES: usize = 60;

/// The summary. `working` where the last request is not answered yet; `tasks` go on in the background.
pub(super) fn summary(
    earlier: Option<&str>,
    items: &[Item],
    working: Option<&str>,
    tasks: &[String],
) -> String {
    let mut asked = Vec::new();
    let (mut read, mut changed, mut ran, mut failed) =
        <(Vec<_>, Vec<_>, Vec<_>, Vec<_>)>::default();
    for item in items {
        match &item.body {
            ItemBody::User { text, .. } => asked.push(shortened(text.trim(), REQUEST)),
            ItemBody::Call { call } if call.status == CallStatus::Succeeded => {
                let into = if !call.mutating {
                    &mut read
                } else if call.changes.is_some() {
                    &mut changed
                } else {
                    &mut ran
                };
                into.push(told(call));
            }
            ItemBody::Call { call } => failed.push(told(call)),
            _ => {}
        }
    }
    let open = working
        .map(|request| {
            format!(
                "the last request is still worked on: {}",
                shortened(request, REQUEST)
            )
        })
        .into_iter()
        .chain(tasks.iter().map(|task| format!("still running: {task}")))
        .collect();
    let mut text = String::new();
    if let Some(earlier) = earlier {
        let _ = writeln!(
            text,
            "## Before that\n\n{}\n",
            shortened(earlier.trim(), EARLIER)
        );
    }
    section(&mut text, "What was asked", asked);
    section(&mut text, "What was looked at", read);
    section(&mut text, "What was changed", changed);
    section(&mut text, "What was run", ran);
    section(&mut text, "What failed or was not allowed", failed);
    section(&mut text, "Still open", open);
    text.trim_end().to_owned()
}

fn told(call: &CallItem) -> String {
    let mut line = call.view.title.clone();
    if let Some(summary) = &call.view.summary {
        let _ = write!(line, " ({summary})");
    }
    line
}

fn section(text: &mut String, title: &str, mut lines: Vec<String>) {
    let mut seen = std::collections::HashSet::new();
    lines.retain(|line| seen.insert(line.clone()));
    if lines.is_empty() {
        return;
    }
    let _ = writeln!(text, "## {title}\n");
    let more = lines.len().saturating_sub(LINES);
    if more > 0 {
        let _ = writeln!(text, "- {more} older ones");
    }
    for line in lines.iter().skip(more) {
        let _ = writeln!(text, "- {}", line.replace('\n', "\n  "));
    }
    text.push('\n');
}
