//! Replacements of strings in one file: what Edit and MultiEdit have in common.

use adroit_tool::{DraftError, ToolFailure};
use adroit_workspace::{
    ContentHash, EditError, Endings, LoadedText, Replacement, SequenceError, TextEncoding,
    plan_edit, plan_edits,
};

use super::change::{Change, Present, must_be_seen};
use super::editing::{File, Planned};
use super::{counted, not_found};

/// The number of places that each replacement changes.
pub(crate) type Counts = Vec<usize>;

/// Works out what becomes of a file when the replacements are made in order, all or none.
///
/// An empty `old` may stand first: it creates the file, or fills one that is empty. Where there are
/// several replacements, a failure names the number of its own.
pub(crate) fn plan(
    file: &File<'_>,
    replacements: &[Replacement<'_>],
) -> Result<Planned<Counts>, ToolFailure> {
    let path = file.path();
    match file.present {
        Present::Absent => match replacements.split_first() {
            Some((first, rest)) if first.old.is_empty() => {
                fill(&path, None, TextEncoding::Utf8, first, rest)
            }
            _ => Err(absent(file)),
        },
        Present::Other { what, .. } => Err(ToolFailure::new(
            "binary_file",
            format!("{path} is not a text file ({what}): only text can be edited. Change it with a program in Bash, or read it and replace it as a whole with Write."),
        )
        .with_summary("not a text file")),
        Present::Text(old) => {
            must_be_seen(file, old)?;
            match replacements.split_first() {
                Some((first, rest)) if first.old.is_empty() => {
                    if !old.text.is_empty() {
                        return Err(exists(&path));
                    }
                    let encoding = old.encoding;
                    fill(&path, Some(old), encoding, first, rest)
                }
                _ => {
                    let plan = plan_edits(old, replacements)
                        .map_err(|error| failure(&path, &error, replacements.len()))?;
                    let change = Change::new(path, Some(old), plan.bytes, &plan.text, Vec::new());
                    Ok(Planned {
                        change,
                        detail: plan.counts,
                    })
                }
            }
        }
    }
}

/// The file is not there: it never was, or it went after it was read.
pub(crate) fn absent(file: &File<'_>) -> ToolFailure {
    let (files, real) = (&file.context.files, &file.resolved.real);
    if files.seen(real).is_none() {
        return not_found(file.workspace, file.resolved);
    }
    files.forget(real);
    let path = file.path();
    ToolFailure::new("gone", format!("{path} no longer exists: it was deleted after you read it. Nothing was written. Create it anew with Write if it should exist."))
        .with_summary("no longer exists")
}

fn exists(path: &str) -> ToolFailure {
    let message = format!(
        "{path} exists and is not empty; an empty old_string only creates a file. Give the text to replace, or use Write to replace the whole content."
    );
    ToolFailure::new("exists", message).with_summary("file exists")
}

/// The one replacement that turns what is there into `wanted` (its old text and its new one), and the
/// text that it gives.
///
/// # Errors
/// When no replacement gives exactly that.
pub(crate) fn one_replacement(
    old: Option<&LoadedText>,
    wanted: &str,
) -> Result<(String, String, String), DraftError> {
    let Some(old) = old.filter(|old| !old.text.is_empty()) else {
        return Ok((String::new(), wanted.to_owned(), wanted.to_owned()));
    };
    let (before, after) = (lines(&old.text), lines(wanted));
    let start = common(before.iter().zip(&after));
    let room = before.len().min(after.len()) - start;
    let end = common(before.iter().rev().zip(after.iter().rev())).min(room);
    // More and more of what surrounds the change, until the place is the only one of its kind.
    let mut around = 1;
    loop {
        let (start, end) = (start.saturating_sub(around), end.saturating_sub(around));
        let old_string = before[start..before.len() - end].concat();
        let new_string = after[start..after.len() - end].concat();
        match plan_edit(old, &old_string, &new_string, false) {
            Ok(plan) => return Ok((old_string, new_string, plan.text)),
            Err(EditError::NotUnique { .. }) if start > 0 || end > 0 => around *= 2,
            Err(error) => return Err(DraftError::Unfit(error.to_string())),
        }
    }
}

fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

fn common<'t>(pairs: impl Iterator<Item = (&'t &'t str, &'t &'t str)>) -> usize {
    pairs.take_while(|(one, other)| one == other).count()
}

/// A file made of the first replacement's text, with the others made on it.
fn fill(
    path: &str,
    old: Option<&LoadedText>,
    encoding: TextEncoding,
    first: &Replacement<'_>,
    rest: &[Replacement<'_>],
) -> Result<Planned<Counts>, ToolFailure> {
    let mut bytes = encoding.mark().to_vec();
    let body = encoding
        .encode(first.new)
        .map_err(|error| ToolFailure::new("unencodable", format!("{path}: {error}.")))?;
    bytes.extend(body);
    let begun = LoadedText {
        text: first.new.to_owned(),
        endings: Endings::of(first.new),
        hash: ContentHash::of(&bytes),
        encoding,
        bytes,
    };
    let plan = plan_edits(&begun, rest).map_err(|error| {
        let error = SequenceError {
            index: error.index + 1,
            ..error
        };
        failure(path, &error, rest.len() + 1)
    })?;
    let mut counts = vec![1];
    counts.extend(plan.counts);
    Ok(Planned {
        change: Change::new(path.to_owned(), old, plan.bytes, &plan.text, Vec::new()),
        detail: counts,
    })
}

/// An edit that cannot be made, in words. Of several, it says which one, and that none was made.
fn failure(path: &str, error: &SequenceError, of: usize) -> ToolFailure {
    let (code, summary) = match &error.error {
        EditError::NotFound { .. } => ("no_match", "text not found".to_owned()),
        EditError::NotUnique { count, .. } => ("not_unique", format!("{count} matches")),
        EditError::Unencodable(_) => ("unencodable", "does not fit the file's encoding".to_owned()),
        EditError::NotExact { .. } => ("not_exact", "not editable exactly".to_owned()),
        EditError::Undecodable { .. } => ("undecodable", "covers undecodable bytes".to_owned()),
        EditError::Identical | EditError::Empty => ("identical", "nothing to change".to_owned()),
    };
    if of == 1 {
        return ToolFailure::new(code, format!("{path}: {}", error.error)).with_summary(summary);
    }
    let number = error.index + 1;
    let before = match error.index {
        0 => String::new(),
        before => format!(
            " (as the file reads after the {} before it)",
            counted(before as u64, "edit", "edits")
        ),
    };
    let message = format!(
        "{path}: edit {number} of {of} cannot be made{before}: {}.\nNo edit was made: the file is as it was.",
        error.error.to_string().trim_end_matches('.')
    );
    ToolFailure::new(code, message).with_summary(format!("edit {number}: {summary}"))
}
