//! Searching.

use adroit_tool::{CallContext, ToolFailure};
use adroit_workspace::search::{
    self, EmptyReason, GrepOutcome, GrepRequest, Scope, SearchLimits, Wanted,
};

use super::output::{FileResult, GrepOutput};
use super::{GrepInput, OutputMode};
use crate::Services;
use crate::files::{self, counted, not_found, search_failure};

pub(super) async fn grep(
    services: &Services,
    input: &GrepInput,
    context: &CallContext,
) -> Result<GrepOutput, ToolFailure> {
    let workspace = &services.workspace;
    let resolved = files::resolve(workspace, input.place())
        .map_err(|error| ToolFailure::new("invalid_path", format!("{error}.")))?;
    if !resolved.exists {
        return Err(not_found(workspace, &resolved));
    }
    let mode = input.mode();
    let request = GrepRequest {
        pattern: input.pattern.clone(),
        scope: Scope {
            path: resolved.real,
            root: workspace.root().to_owned(),
            hidden: files::hidden(context),
        },
        glob: input.glob.clone().filter(|glob| !glob.trim().is_empty()),
        file_type: input.file_type.clone().filter(|name| !name.is_empty()),
        case_insensitive: input.case_insensitive.unwrap_or(false),
        multiline: input.multiline.unwrap_or(false),
        before: input.lines_before(),
        after: input.lines_after(),
        wanted: match mode {
            OutputMode::Content => Wanted::Lines,
            OutputMode::Count => Wanted::Counts,
            OutputMode::FilesWithMatches => Wanted::Files,
        },
        limits: SearchLimits {
            entries: input.entries(),
            ..SearchLimits::default()
        },
    };
    let found = search::grep(request, context.cancellation.token().clone())
        .await
        .map_err(search_failure)?;
    Ok(output(services, input, found))
}

fn output(services: &Services, input: &GrepInput, found: GrepOutcome) -> GrepOutput {
    let notes = notes(services, input, &found);
    let shown_lines: u64 = found
        .files
        .iter()
        .flat_map(|file| &file.lines)
        .filter(|line| !line.context)
        .count() as u64;
    let more = match input.mode() {
        OutputMode::Content => found.totals.lines.saturating_sub(shown_lines),
        _ => found.totals.files - found.files.len() as u64,
    };
    let files = found
        .files
        .into_iter()
        .map(|file| FileResult {
            path: services.workspace.display(&file.path),
            lines: file.lines.into_iter().map(Into::into).collect(),
            matching_lines: file.matching_lines,
            occurrences: file.occurrences,
        })
        .collect();
    GrepOutput {
        mode: input.mode(),
        line_numbers: input.line_numbers.unwrap_or(true),
        files,
        total_files: found.totals.files,
        total_lines: found.totals.lines,
        total_occurrences: found.totals.occurrences,
        more,
        partial: found.partial,
        notes,
    }
}

fn notes(services: &Services, input: &GrepInput, found: &GrepOutcome) -> Vec<String> {
    let mut notes = Vec::new();
    if found.literal_braces {
        notes.push("braces in the pattern were taken literally".to_owned());
    }
    if found.unreadable > 0 {
        notes.push(format!(
            "{} could not be read",
            counted(found.unreadable, "file or folder", "files or folders")
        ));
    }
    if found.too_long_total > 0 {
        notes.push(too_long(services, input, found));
    }
    let stopped = found
        .files
        .iter()
        .filter(|file| file.stopped_at_binary)
        .count() as u64;
    if stopped > 0 {
        notes.push(format!(
            "{} searched only up to binary data",
            counted(stopped, "file was", "files were")
        ));
    }
    notes.extend(files::links_note(
        &services.workspace,
        &found.links,
        "they are not followed",
    ));
    match &found.empty {
        Some(empty) => notes.extend(why_empty(services, input, empty)),
        None if found.ignores_apply && !found.partial => {
            notes.push("files hidden by ignore files (.gitignore) were not searched".to_owned());
        }
        None => {}
    }
    notes
}

/// Which files were not searched to their end, and why. Never silently: the text may be there.
fn too_long(services: &Services, input: &GrepInput, found: &GrepOutcome) -> String {
    let names: Vec<String> = found
        .too_long
        .iter()
        .map(|path| services.workspace.display(path))
        .collect();
    let more = match found.too_long_total - names.len() as u64 {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let why = if input.multiline == Some(true) {
        "too large to search for matches that span lines"
    } else {
        "a line is too long to be searched"
    };
    format!(
        "not searched to the end ({why}): {}{more}",
        names.join(", ")
    )
}

fn why_empty(services: &Services, input: &GrepInput, empty: &EmptyReason) -> Vec<String> {
    let mut notes = Vec::new();
    if empty.searched == 0 {
        notes.push(if input.glob.is_some() || input.file_type.is_some() {
            "no file was searched: none fits glob and type".to_owned()
        } else {
            "no file was searched".to_owned()
        });
    }
    notes.extend(files::ignored_note(&services.workspace, empty, "search"));
    if empty.ignored_total == 0 && empty.ignored_in_part {
        notes.push("files hidden by ignore files (.gitignore) were not all searched".to_owned());
    }
    if empty.literal {
        notes.push(
            "the pattern does occur as a literal text: escape its special characters with `\\`"
                .to_owned(),
        );
    }
    notes
}
