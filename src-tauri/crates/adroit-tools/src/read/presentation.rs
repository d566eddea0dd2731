//! How a call looks.

use adroit_protocol::view::{Block, ChipKind, Group, GroupKind, View};
use adroit_tool::Stage;
use serde_json::Value;

use super::call::{ReadContent, ReadOutput};
use super::{Document, Read, ReadInput};
use crate::files::{self, chip, counted, number, written};

/// Lines that a view carries; the rest is counted.
const MAX_LINES: usize = 200;
/// Cells and outputs of a notebook that a view carries.
const MAX_BLOCKS: usize = 60;

pub(super) fn present(read: &Read, stage: &Stage<'_, Read>) -> View {
    match stage {
        Stage::Writing { partial } => of(read, written(partial, "file_path"), None),
        Stage::Queued { input } => of_input(read, input),
        Stage::Running { input, progress } => {
            let mut view = of_input(read, input);
            view.activity = Some(format!(
                "Reading {}",
                files::shown(&read.services.workspace, &input.file_path)
            ));
            view.summary = progress.and_then(|progress| progress.message.clone());
            view
        }
        Stage::Succeeded { input, output } => succeeded(read, input, output),
        Stage::Rejected { input, reason } => files::rejected(of_input(read, input), reason),
        Stage::Failed { partial, failure } => files::failed(title(read, partial), failure),
        Stage::Cancelled { partial, reason } => files::cancelled(title(read, partial), reason),
    }
}

fn title(read: &Read, partial: &Value) -> String {
    of(read, written(partial, "file_path"), None).title
}

fn of_input(read: &Read, input: &ReadInput) -> View {
    if let Some(pages) = &input.pages {
        return of(read, &input.file_path, Some(format!("pages {pages}")));
    }
    let range = match (input.offset.unwrap_or(1).max(1), input.limit) {
        (1, None) => None,
        (1, Some(limit)) => Some(format!("first {}", counted(limit, "line", "lines"))),
        (first, None) => Some(format!("from line {first}")),
        (first, Some(limit)) => Some(format!(
            "lines {first}–{}",
            first.saturating_add(limit.saturating_sub(1))
        )),
    };
    of(read, &input.file_path, range)
}

fn of(read: &Read, path: &str, tag: Option<String>) -> View {
    if path.is_empty() {
        return View::titled("Read");
    }
    let shown = files::shown(&read.services.workspace, path);
    let group = Some(Group {
        kind: GroupKind::Read,
        chips: vec![chip(ChipKind::Path, &shown)],
    });
    View {
        title: format!("Read {shown}"),
        tag,
        group,
        ..View::default()
    }
}

fn succeeded(read: &Read, input: &ReadInput, output: &ReadOutput) -> View {
    let mut view = of_input(read, input);
    match &output.content {
        ReadContent::Text(page) => {
            view.summary = Some(if page.lines.len() as u64 == page.total_lines {
                counted(page.total_lines, "line", "lines")
            } else {
                format!(
                    "lines {}–{} of {}",
                    page.first_line,
                    page.last_line(),
                    page.total_lines
                )
            });
            if !page.lines.is_empty() {
                let shown: Vec<&str> = page
                    .lines
                    .iter()
                    .take(MAX_LINES)
                    .map(|line| line.text.as_str())
                    .collect();
                view.blocks.push(Block::Code {
                    language: Some(output.path.clone()),
                    text: shown.join("\n"),
                    first_line: Some(number(page.first_line)),
                    hidden_lines: number(page.lines.len().saturating_sub(MAX_LINES) as u64),
                });
            }
        }
        ReadContent::Image(picture) => {
            view.summary = Some(picture.description.clone());
            view.blocks.push(Block::Image {
                media_type: picture.media_type.to_owned(),
                data: picture.data.clone(),
                alternative: format!("{}: {}", output.path, picture.description),
            });
        }
        ReadContent::Document(document) => {
            view.summary = Some(document.extent());
            view.blocks = pages(document);
        }
        ReadContent::Notebook(cells) => {
            view.summary = Some(cells.summary());
            view.blocks = cells.blocks(MAX_BLOCKS);
        }
    }
    view
}

/// The text of the pages, as much of it as a view carries.
fn pages(document: &Document) -> Vec<Block> {
    let mut room = MAX_LINES;
    let mut blocks = Vec::new();
    for page in &document.pages {
        let lines: Vec<&str> = page.text.lines().collect();
        let shown = lines.len().min(room);
        room -= shown;
        blocks.push(Block::Code {
            language: None,
            text: lines[..shown].join("\n"),
            first_line: None,
            hidden_lines: number((lines.len() - shown) as u64),
        });
        if room == 0 {
            break;
        }
    }
    blocks
}
