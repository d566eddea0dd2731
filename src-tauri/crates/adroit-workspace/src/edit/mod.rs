//! Replacing a string and nothing else.

mod nearest;
mod sequence;
mod splice;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

use thiserror::Error;

pub use nearest::Nearest;
pub use sequence::{Replacement, SequenceError, SequencePlan, plan_edits};

use crate::text::{mark_to_byte, unescape_bytes};
use crate::{LoadedText, TextEncoding, Unencodable};
use splice::{Place, splice};

/// Places listed when a string is not unique.
const MAX_LISTED: usize = 20;

/// What a file becomes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditPlan {
    /// The new content.
    pub bytes: Vec<u8>,
    /// The new text, without a byte order mark.
    pub text: String,
    /// How many places were replaced.
    pub count: usize,
    /// The line of each replaced place in the original, from 1.
    pub lines: Vec<usize>,
}

/// Why an edit is refused. The file is untouched.
#[derive(Debug, Error)]
pub enum EditError {
    /// Nothing to look for.
    #[error("old_string is empty: give the text to replace")]
    Empty,
    /// Nothing would change.
    #[error(
        "old_string and new_string are identical (line endings aside, which an edit keeps): nothing to change"
    )]
    Identical,
    /// The string does not occur.
    #[error("old_string was not found in the file{}", nearest.as_ref().map(|near| format!(".\n{near}")).unwrap_or_default())]
    NotFound {
        /// What comes closest, for correcting the string; never replaced.
        nearest: Option<Nearest>,
    },
    /// The string covers bytes that are no text.
    #[error(
        "old_string covers bytes at line {line} that are not valid {encoding} (shown as {shown}): what they mean is not known, so they are not replaced. Edit the text around them"
    )]
    Undecodable {
        /// Where the string begins, from 1.
        line: usize,
        /// The encoding's name.
        encoding: &'static str,
        /// The first such byte as it is shown.
        shown: String,
    },
    /// The string occurs more than once.
    #[error("old_string occurs {count} times in the file ({}): add surrounding lines to make it unique, or set replace_all to replace every occurrence", listed(lines, *count))]
    NotUnique {
        /// How often, overlapping occurrences counted.
        count: usize,
        /// The first lines where it begins, from 1.
        lines: Vec<usize>,
    },
    /// The new text does not fit the file's encoding.
    #[error(
        "{0}, the encoding of this file: use other characters, or convert the file to UTF-8 first"
    )]
    Unencodable(#[from] Unencodable),
    /// Part of the file does not survive decoding and encoding.
    #[error(
        "the place to change cannot be told apart in the file's bytes ({encoding}): the edit is refused, so that nothing else changes"
    )]
    NotExact {
        /// The encoding's name.
        encoding: &'static str,
    },
}

/// Works out what `original` becomes when `old` is replaced by `new`, once or everywhere.
///
/// Both strings are literal. A `\n` in them stands for the line ending that the file has at that place:
/// `old` matches CRLF and CR lines, and new lines end as their neighbours do. Only the part in which
/// `old` and `new` differ is touched; every other byte is copied.
///
/// # Errors
/// Each a reason why nothing may be replaced; see [`EditError`].
pub fn plan_edit(
    original: &LoadedText,
    old: &str,
    new: &str,
    replace_all: bool,
) -> Result<EditPlan, EditError> {
    if old.is_empty() {
        return Err(EditError::Empty);
    }
    let file = Unified::of(&original.text, original.endings.cr_only());
    let has_returns = original.endings.crlf > 0 || original.endings.cr_only();
    let old_unified = unify(old);
    // A model that writes CRLF into a file of such lines means a line break; elsewhere it means CRLF.
    let new_unified = if has_returns || old.contains("\r\n") {
        unify(new)
    } else {
        Cow::Borrowed(new)
    };
    if old_unified == new_unified {
        return Err(EditError::Identical);
    }
    let starts: Vec<usize> = if replace_all {
        file.text
            .match_indices(old_unified.as_ref())
            .map(|(at, _)| at)
            .collect()
    } else {
        overlapping(&file.text, &old_unified)
    };
    let line_of = |at: usize| memchr::memchr_iter(b'\n', &file.text.as_bytes()[..at]).count() + 1;
    match starts.len() {
        0 => {
            if let Some(error) = undecodable(original, &file.text, &old_unified) {
                return Err(error);
            }
            return Err(EditError::NotFound {
                nearest: nearest::find(&file.text, &old_unified),
            });
        }
        count if count > 1 && !replace_all => {
            let mut lines: Vec<usize> = starts
                .iter()
                .take(MAX_LISTED * 4)
                .map(|&at| line_of(at))
                .collect();
            lines.dedup();
            lines.truncate(MAX_LISTED);
            return Err(EditError::NotUnique { count, lines });
        }
        _ => {}
    }
    let (prefix, suffix) = common_ends(&old_unified, &new_unified);
    let insertion = &new_unified[prefix..new_unified.len() - suffix];
    let places: Vec<Place> = starts
        .iter()
        .map(|&start| Place {
            start: file.to_file(start + prefix),
            end: file.to_file(start + old_unified.len() - suffix),
        })
        .collect();
    let (bytes, text) = splice(original, &places, insertion)?;
    let lines = lines_of(&file.text, &starts);
    Ok(EditPlan {
        bytes,
        text,
        count: starts.len(),
        lines,
    })
}

/// Whether the string was meant to cover bytes that are no text, named as they are shown.
fn undecodable(original: &LoadedText, text: &str, old: &str) -> Option<EditError> {
    if original.encoding != TextEncoding::Utf8Broken {
        return None;
    }
    let meant = unescape_bytes(old)?;
    let at = text.find(&meant)?;
    let first = meant.chars().find_map(mark_to_byte)?;
    Some(EditError::Undecodable {
        line: memchr::memchr_iter(b'\n', &text.as_bytes()[..at]).count() + 1,
        encoding: "UTF-8",
        shown: format!("\\x{first:02x}"),
    })
}

fn listed(lines: &[usize], count: usize) -> String {
    let shown: Vec<String> = lines.iter().map(usize::to_string).collect();
    let more = if lines.len() >= MAX_LISTED && count > lines.len() {
        ", …"
    } else {
        ""
    };
    format!(
        "line{} {}{more}",
        if lines.len() == 1 { "" } else { "s" },
        shown.join(", ")
    )
}

/// Line numbers of ascending positions, in one pass.
fn lines_of(text: &str, positions: &[usize]) -> Vec<usize> {
    let (mut line, mut seen) = (1, 0);
    positions
        .iter()
        .map(|&at| {
            line += memchr::memchr_iter(b'\n', &text.as_bytes()[seen..at]).count();
            seen = at;
            line
        })
        .collect()
}

/// Where `needle` begins, overlapping occurrences included: `aa` is not unique in `aaa`.
fn overlapping(text: &str, needle: &str) -> Vec<usize> {
    let finder = memchr::memmem::Finder::new(needle);
    let step = needle.chars().next().map_or(1, char::len_utf8);
    let mut starts = Vec::new();
    let mut from = 0;
    while let Some(at) = finder.find(&text.as_bytes()[from..]) {
        starts.push(from + at);
        from += at + step;
    }
    starts
}

fn unify(text: &str) -> Cow<'_, str> {
    if text.contains("\r\n") {
        Cow::Owned(text.replace("\r\n", "\n"))
    } else {
        Cow::Borrowed(text)
    }
}

/// How many bytes both texts share at the beginning, and, of the rest, at the end.
fn common_ends(left: &str, right: &str) -> (usize, usize) {
    let prefix: usize = left
        .chars()
        .zip(right.chars())
        .take_while(|(a, b)| a == b)
        .map(|(a, _)| a.len_utf8())
        .sum();
    let suffix = left[prefix..]
        .chars()
        .rev()
        .zip(right[prefix..].chars().rev())
        .take_while(|(a, b)| a == b)
        .map(|(a, _)| a.len_utf8())
        .sum();
    (prefix, suffix)
}

/// A text whose lines all end in `\n`, with the way back to the text as it is.
struct Unified<'t> {
    text: Cow<'t, str>,
    /// Positions in `text` of line ends that are two characters in the file.
    doubled: Vec<usize>,
}

impl<'t> Unified<'t> {
    fn of(text: &'t str, cr_only: bool) -> Self {
        if cr_only {
            return Self {
                text: Cow::Owned(text.replace('\r', "\n")),
                doubled: Vec::new(),
            };
        }
        let mut unified = String::new();
        let mut doubled = Vec::new();
        let mut copied = 0;
        for at in memchr::memmem::find_iter(text.as_bytes(), b"\r\n") {
            unified.push_str(&text[copied..at]);
            doubled.push(unified.len());
            copied = at + 1;
        }
        if doubled.is_empty() {
            return Self {
                text: Cow::Borrowed(text),
                doubled,
            };
        }
        unified.push_str(&text[copied..]);
        Self {
            text: Cow::Owned(unified),
            doubled,
        }
    }

    fn to_file(&self, at: usize) -> usize {
        at + self.doubled.partition_point(|&position| position < at)
    }
}
