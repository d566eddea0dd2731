//! How a call looks.

use adroit_protocol::view::{Block, ChipKind, FileEntry, Group, GroupKind, Tone, View};
use adroit_tool::Stage;
use serde_json::Value;

use super::{Glob, GlobInput, GlobOutput};
use crate::files::{self, chip, counted, number, written};

pub(super) fn present(glob: &Glob, stage: &Stage<'_, Glob>) -> View {
    match stage {
        Stage::Writing { partial } => of_partial(glob, partial),
        Stage::Queued { input } => of_input(glob, input),
        Stage::Running { input, .. } => {
            let mut view = of_input(glob, input);
            view.activity = Some(format!("Looking for {}", input.pattern));
            view
        }
        Stage::Succeeded { input, output } => succeeded(glob, input, output),
        Stage::Rejected { input, reason } => files::rejected(of_input(glob, input), reason),
        Stage::Failed { partial, failure } => {
            files::failed(of_partial(glob, partial).title, failure)
        }
        Stage::Cancelled { partial, reason } => {
            files::cancelled(of_partial(glob, partial).title, reason)
        }
    }
}

fn of_input(glob: &Glob, input: &GlobInput) -> View {
    of(
        glob,
        &input.pattern,
        input.path.as_deref().unwrap_or_default(),
    )
}

fn of_partial(glob: &Glob, partial: &Value) -> View {
    of(glob, written(partial, "pattern"), written(partial, "path"))
}

fn of(glob: &Glob, pattern: &str, path: &str) -> View {
    if pattern.is_empty() {
        return View::titled("List files");
    }
    let place = if path.is_empty() {
        String::new()
    } else {
        format!(" in {}", files::shown(&glob.services.workspace, path))
    };
    let group = Some(Group {
        kind: GroupKind::List,
        chips: vec![chip(ChipKind::Pattern, pattern)],
    });
    View {
        title: format!("List {pattern}{place}"),
        group,
        ..View::default()
    }
}

fn succeeded(glob: &Glob, input: &GlobInput, output: &GlobOutput) -> View {
    let mut view = of_input(glob, input);
    let count = counted(output.total, "file", "files");
    view.summary = Some(if output.partial {
        format!("{count} so far, out of time")
    } else {
        count
    });
    if output.partial {
        view.tone = Tone::Warning;
    }
    if !output.files.is_empty() {
        view.blocks.push(Block::FileList {
            entries: output
                .files
                .iter()
                .map(|path| FileEntry {
                    path: path.clone(),
                    detail: None,
                })
                .collect(),
            more: number(output.total - output.files.len() as u64),
        });
    }
    view.blocks
        .extend(output.notes.iter().map(|note| Block::Notice {
            tone: Tone::Info,
            text: note.clone(),
        }));
    view
}
