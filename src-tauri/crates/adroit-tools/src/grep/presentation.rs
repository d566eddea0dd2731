//! How a call looks.

use adroit_protocol::view::{
    Block, ChipKind, FileEntry, FileMatches, Group, GroupKind, MatchLine, Tone, View,
};
use adroit_tool::Stage;
use serde_json::Value;

use super::{Grep, GrepInput, GrepOutput, OutputMode};
use crate::files::{self, chip, counted, number, written};

pub(super) fn present(grep: &Grep, stage: &Stage<'_, Grep>) -> View {
    match stage {
        Stage::Writing { partial } => of_partial(grep, partial),
        Stage::Queued { input } => of_input(grep, input),
        Stage::Running { input, .. } => {
            let mut view = of_input(grep, input);
            view.activity = Some(format!("Searching for {}", input.pattern));
            view
        }
        Stage::Succeeded { input, output } => succeeded(grep, input, output),
        Stage::Rejected { input, reason } => files::rejected(of_input(grep, input), reason),
        Stage::Failed { partial, failure } => {
            files::failed(of_partial(grep, partial).title, failure)
        }
        Stage::Cancelled { partial, reason } => {
            files::cancelled(of_partial(grep, partial).title, reason)
        }
    }
}

fn of_input(grep: &Grep, input: &GrepInput) -> View {
    let mut view = of(
        grep,
        &input.pattern,
        input.path.as_deref().unwrap_or_default(),
    );
    let filters: Vec<&str> = [input.glob.as_deref(), input.file_type.as_deref()]
        .into_iter()
        .flatten()
        .collect();
    view.tag = (!filters.is_empty()).then(|| filters.join(" "));
    view
}

fn of_partial(grep: &Grep, partial: &Value) -> View {
    of(grep, written(partial, "pattern"), written(partial, "path"))
}

fn of(grep: &Grep, pattern: &str, path: &str) -> View {
    if pattern.is_empty() {
        return View::titled("Search");
    }
    let place = if path.is_empty() {
        String::new()
    } else {
        format!(" in {}", files::shown(&grep.services.workspace, path))
    };
    let group = Some(Group {
        kind: GroupKind::Search,
        chips: vec![chip(ChipKind::Pattern, pattern)],
    });
    View {
        title: format!("Search {pattern}{place}"),
        group,
        ..View::default()
    }
}

fn succeeded(grep: &Grep, input: &GrepInput, output: &GrepOutput) -> View {
    let mut view = of_input(grep, input);
    let count = if output.total_files == 0 {
        "no matches".to_owned()
    } else if output.mode == OutputMode::FilesWithMatches {
        counted(output.total_files, "file", "files")
    } else {
        let lines = counted(output.total_lines, "line", "lines");
        format!(
            "{lines} in {}",
            counted(output.total_files, "file", "files")
        )
    };
    view.summary = Some(if output.partial {
        format!("{count} so far, out of time")
    } else {
        count
    });
    if output.partial {
        view.tone = Tone::Warning;
    }
    if !output.files.is_empty() {
        view.blocks.push(match output.mode {
            OutputMode::Content => matches(output),
            _ => list(output),
        });
    }
    view.blocks
        .extend(output.notes.iter().map(|note| Block::Notice {
            tone: Tone::Info,
            text: note.clone(),
        }));
    view
}

fn matches(output: &GrepOutput) -> Block {
    let files = output
        .files
        .iter()
        .map(|file| FileMatches {
            path: file.path.clone(),
            lines: file
                .lines
                .iter()
                .map(|line| MatchLine {
                    line: line.number,
                    text: line.text.clone(),
                    ranges: line.ranges.clone(),
                    context: line.context,
                })
                .collect(),
        })
        .collect();
    Block::Matches {
        files,
        more: number(output.more),
    }
}

fn list(output: &GrepOutput) -> Block {
    let entries = output
        .files
        .iter()
        .map(|file| FileEntry {
            path: file.path.clone(),
            detail: (output.mode == OutputMode::Count)
                .then(|| counted(file.matching_lines, "line", "lines")),
        })
        .collect();
    Block::FileList {
        entries,
        more: number(output.more),
    }
}
