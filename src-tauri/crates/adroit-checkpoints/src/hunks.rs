//! A file's change with some of its places put back.

use adroit_workspace::LoadedText;
use similar::DiffableStr as _;
use std::path::Path;

/// A place of change, by the line numbers that the diff names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct HunkRange {
    /// First line in the old text, from 1; where there is none, the line before the place.
    pub old_start: u32,
    /// Lines of the old text.
    pub old_lines: u32,
    /// First line in the new text, from 1; where there is none, the line before the place.
    pub new_start: u32,
    /// Lines of the new text.
    pub new_lines: u32,
}

/// The lines from index to index that a place takes.
fn range(start: u32, lines: u32, all: usize) -> Option<std::ops::Range<usize>> {
    let first = if lines == 0 {
        start
    } else {
        start.checked_sub(1)?
    } as usize;
    let end = first.checked_add(lines as usize)?;
    (end <= all).then_some(first..end)
}

/// The new bytes with the given places as they were in the old ones. `None` where the texts cannot
/// be taken apart without loss (another encoding, no text), or a place does not exist.
#[must_use]
pub fn without_hunks(old: &[u8], new: &[u8], hunks: &[HunkRange]) -> Option<Vec<u8>> {
    let load = |bytes: &[u8]| LoadedText::from_bytes(bytes.to_vec(), Path::new("")).ok();
    let (before, after) = (load(old)?, load(new)?);
    let encode = |text: &str| {
        let mut bytes = after.encoding.mark().to_vec();
        bytes.extend(after.encoding.encode(text).ok()?);
        Some(bytes)
    };
    // Only where text and bytes give one another is what is put together of lines exact.
    if encode(&after.text)? != new {
        return None;
    }
    encode(&replace(&before.text, &after.text, hunks)?)
}

fn replace(old: &str, new: &str, hunks: &[HunkRange]) -> Option<String> {
    let (old_lines, new_lines) = (old.tokenize_lines(), new.tokenize_lines());
    let mut sorted = hunks.to_vec();
    sorted.sort_by_key(|hunk| (hunk.new_start, hunk.old_start));
    let mut text = String::with_capacity(new.len());
    let mut at = 0;
    for hunk in sorted {
        let old_range = range(hunk.old_start, hunk.old_lines, old_lines.len())?;
        let new_range = range(hunk.new_start, hunk.new_lines, new_lines.len())?;
        text.extend(new_lines.get(at..new_range.start)?.iter().copied());
        text.extend(old_lines.get(old_range)?.iter().copied());
        at = new_range.end;
    }
    text.extend(new_lines.get(at..)?.iter().copied());
    Some(text)
}
