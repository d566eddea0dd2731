//! Putting new text between untouched bytes.

use std::ops::Range;

use super::EditError;
use crate::{LineEnding, LoadedText};

/// A range of the file's text that is replaced.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub start: usize,
    pub end: usize,
}

/// The new bytes and the new text when `insertion` (lines ending in `\n`) stands at each place.
/// Places are in order and do not overlap.
pub(super) fn splice(
    original: &LoadedText,
    places: &[Place],
    insertion: &str,
) -> Result<(Vec<u8>, String), EditError> {
    let mut cursor = Cursor::new(original);
    let mut text = String::with_capacity(original.text.len() + insertion.len());
    let mut copied = 0;
    for place in places {
        let inserted = with_endings(original, place.start..place.end, insertion);
        cursor.keep(&original.text[copied..place.start])?;
        cursor.skip(&original.text[place.start..place.end])?;
        cursor.insert(&inserted)?;
        text.push_str(&original.text[copied..place.start]);
        text.push_str(&inserted);
        copied = place.end;
    }
    let bytes = cursor.finish();
    text.push_str(&original.text[copied..]);
    // The proof: what is about to be written reads as what was meant.
    if original.encoding.decode(&bytes).as_deref() != Some(text.as_str()) {
        return Err(EditError::NotExact {
            encoding: original.encoding.name(),
        });
    }
    Ok((bytes, text))
}

/// Walks through the original bytes beside the text, so that bytes are copied and never made anew.
struct Cursor<'o> {
    original: &'o LoadedText,
    at: usize,
    out: Vec<u8>,
}

impl<'o> Cursor<'o> {
    fn new(original: &'o LoadedText) -> Self {
        let mark = original.encoding.mark();
        let mut out = Vec::with_capacity(original.bytes.len());
        out.extend_from_slice(mark);
        Self {
            original,
            at: mark.len(),
            out,
        }
    }

    fn keep(&mut self, part: &str) -> Result<(), EditError> {
        let range = self.range_of(part)?;
        self.out.extend_from_slice(&self.original.bytes[range]);
        Ok(())
    }

    fn skip(&mut self, part: &str) -> Result<(), EditError> {
        self.range_of(part).map(drop)
    }

    fn insert(&mut self, part: &str) -> Result<(), EditError> {
        let encoded = self.original.encoding.encode(part)?;
        self.out.extend_from_slice(&encoded);
        Ok(())
    }

    fn finish(mut self) -> Vec<u8> {
        self.out.extend_from_slice(&self.original.bytes[self.at..]);
        self.out
    }

    /// The bytes that `part` stands for. Checked, because an encoding may join two characters.
    fn range_of(&mut self, part: &str) -> Result<Range<usize>, EditError> {
        let not_exact = EditError::NotExact {
            encoding: self.original.encoding.name(),
        };
        let Ok(encoded) = self.original.encoding.encode(part) else {
            return Err(not_exact);
        };
        if !self.original.bytes[self.at..].starts_with(&encoded) {
            return Err(not_exact);
        }
        let range = self.at..self.at + encoded.len();
        self.at = range.end;
        Ok(range)
    }
}

/// `insertion` with the endings of the replaced lines, in order, and after them the last one of these;
/// where no line end is replaced, the ending of the line itself or of the one before.
fn with_endings(original: &LoadedText, place: Range<usize>, insertion: &str) -> String {
    if !insertion.contains('\n') || (original.endings.crlf == 0 && !original.endings.cr_only()) {
        return insertion.to_owned();
    }
    let cr_only = original.endings.cr_only();
    let replaced = endings_in(&original.text[place.clone()], cr_only);
    let fallback = replaced.last().copied().unwrap_or_else(|| {
        first_ending(&original.text[place.end..], cr_only)
            .or_else(|| last_ending(&original.text[..place.start], cr_only))
            .unwrap_or_else(|| original.endings.dominant())
    });
    let mut ended = String::with_capacity(insertion.len() + 16);
    for (index, piece) in insertion.split('\n').enumerate() {
        if index > 0 {
            ended.push_str(
                replaced
                    .get(index - 1)
                    .copied()
                    .unwrap_or(fallback)
                    .as_str(),
            );
        }
        ended.push_str(piece);
    }
    ended
}

fn endings_in(text: &str, cr_only: bool) -> Vec<LineEnding> {
    let ending = if cr_only { b'\r' } else { b'\n' };
    memchr::memchr_iter(ending, text.as_bytes())
        .map(|at| ending_at(text, at, cr_only))
        .collect()
}

fn first_ending(text: &str, cr_only: bool) -> Option<LineEnding> {
    let ending = if cr_only { b'\r' } else { b'\n' };
    memchr::memchr(ending, text.as_bytes()).map(|at| ending_at(text, at, cr_only))
}

fn last_ending(text: &str, cr_only: bool) -> Option<LineEnding> {
    let ending = if cr_only { b'\r' } else { b'\n' };
    memchr::memrchr(ending, text.as_bytes()).map(|at| ending_at(text, at, cr_only))
}

fn ending_at(text: &str, at: usize, cr_only: bool) -> LineEnding {
    if cr_only {
        LineEnding::Cr
    } else if at > 0 && text.as_bytes()[at - 1] == b'\r' {
        LineEnding::Crlf
    } else {
        LineEnding::Lf
    }
}
