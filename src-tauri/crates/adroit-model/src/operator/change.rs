//! Replacing text: read first, then one edit per file.

use super::calls;
use super::command::Scope;
use super::past::{Call, Past, Step};
use super::results::{counted, file_lines, is_empty, paths};
use super::work::{End, failed, first_line};

/// Files that one replacement changes at most: each is a question to the person.
const MOST_FILES: usize = 40;

pub(super) fn replace_in(
    files: &[String],
    old: &str,
    new: &str,
    all: bool,
    past: &mut Past,
) -> Step<End> {
    let named: Vec<String> = files.iter().map(|file| format!("`{file}`")).collect();
    let reads = files
        .iter()
        .map(|file| calls::read(file, None, None))
        .collect();
    let seen = past.ask(
        &format!("I read {} before I change it.", named.join(", ")),
        reads,
    )?;
    let mut end = End::Done;
    let mut edits: Vec<(&str, Call)> = Vec::new();
    for (file, seen) in files.iter().zip(&seen) {
        if seen.failed {
            end = failed(&format!("Reading `{file}`"), seen, past);
            continue;
        }
        let occurrences = file_lines(&seen.text).join("\n").matches(old).count();
        edits.push((file, calls::edit(file, old, new, all || occurrences > 1)));
    }
    if edits.is_empty() {
        return Ok(end);
    }
    let words = format!(
        "I replace `{}` with `{}`.",
        first_line(old),
        first_line(new)
    );
    apply(&words, &edits, end, past)
}

pub(super) fn replace_across(old: &str, new: &str, scope: &Scope, past: &mut Past) -> Step<End> {
    // Grep looks at single lines.
    let sought = old
        .lines()
        .find(|line| !line.trim().is_empty())
        .unwrap_or(old);
    let words = format!("I look for `{sought}` {}.", scope.words());
    let found = past.ask_one(&words, calls::grep(sought, scope, "files_with_matches"))?;
    if found.failed {
        return Ok(failed("The search", &found, past));
    }
    let mut files = paths(&found.text);
    if files.is_empty() || is_empty(&found.text) {
        past.say(&format!(
            "`{sought}` is nowhere {}, so there is nothing to replace.",
            scope.words()
        ));
        return Ok(End::Done);
    }
    let all = files.len();
    files.truncate(MOST_FILES);
    let mut words = format!(
        "It is in {}. I read {} first.",
        counted(all, "file"),
        if all == 1 { "it" } else { "them" }
    );
    if all > files.len() {
        words = format!("It is in {all} files; I take the first {MOST_FILES} and read them first.");
    }
    let seen = past.ask(
        &words,
        files
            .iter()
            .map(|file| calls::read(file, None, None))
            .collect(),
    )?;
    let mut end = End::Done;
    let mut edits: Vec<(&str, Call)> = Vec::new();
    for (file, seen) in files.iter().zip(&seen) {
        if seen.failed {
            end = failed(&format!("Reading `{file}`"), seen, past);
        } else if !old.contains('\n')
            || file_lines(&seen.text)
                .join("\n")
                .contains(old.trim_end_matches('\n'))
        {
            edits.push((file, calls::edit(file, old, new, true)));
        }
    }
    if edits.is_empty() {
        past.say("None of these files can be changed.");
        return Ok(End::Stopped);
    }
    let words = format!(
        "Now one change per file: `{}` becomes `{}`.",
        first_line(old),
        first_line(new)
    );
    apply(&words, &edits, end, past)
}

/// Makes the edits in one message, each a call of its own, and tells what became of each.
fn apply(words: &str, edits: &[(&str, Call)], mut end: End, past: &mut Past) -> Step<End> {
    let outcomes = past.ask(words, edits.iter().map(|(_, call)| call.clone()).collect())?;
    let done: Vec<String> = edits
        .iter()
        .zip(&outcomes)
        .filter(|(_, outcome)| !outcome.failed)
        .map(|((file, _), _)| format!("- `{file}`"))
        .collect();
    if !done.is_empty() {
        past.say(&format!(
            "Changed {}:\n\n{}",
            counted(done.len(), "file"),
            done.join("\n")
        ));
    }
    for ((file, _), outcome) in edits
        .iter()
        .zip(&outcomes)
        .filter(|(_, outcome)| outcome.failed)
    {
        end = failed(&format!("The change of `{file}`"), outcome, past);
    }
    Ok(end)
}
