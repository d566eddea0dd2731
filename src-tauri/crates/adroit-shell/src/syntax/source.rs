//! The text that is read, and the budget that bounds the reading.

use std::cell::Cell;
use std::ops::Range;

use crate::limits;

/// A text with its byte offsets. The first parser counts characters, we count bytes.
pub(crate) struct Source<'a> {
    pub text: &'a str,
    /// Byte offset of each character, or `None` when all are one byte long.
    offsets: Option<Vec<usize>>,
    /// Bytes that nested parses may still read.
    budget: Cell<usize>,
}

impl<'a> Source<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self {
            text,
            offsets: character_offsets(text),
            budget: Cell::new(limits::NESTED_BYTES),
        }
    }

    pub(crate) fn slice(&self, span: Range<usize>) -> &'a str {
        self.text.get(span).unwrap_or_default()
    }

    /// Takes `bytes` from the budget of nested parses.
    pub(crate) fn spend(&self, bytes: usize) -> bool {
        match self.budget.get().checked_sub(bytes) {
            Some(left) => {
                self.budget.set(left);
                true
            }
            None => false,
        }
    }

    /// The part that starts at byte `start`, for a nested parse.
    pub(crate) fn region(&self, span: Range<usize>) -> Region<'a, '_> {
        let text = self.slice(span.clone());
        let offsets = match &self.offsets {
            None => None,
            Some(_) => character_offsets(text),
        };
        Region {
            source: self,
            text,
            start: span.start,
            offsets,
        }
    }
}

/// A piece of a source that is parsed by itself.
pub(crate) struct Region<'a, 's> {
    pub source: &'s Source<'a>,
    pub text: &'a str,
    pub start: usize,
    offsets: Option<Vec<usize>>,
}

impl Region<'_, '_> {
    /// Byte offset in the whole source of character `index` of this region.
    pub(crate) fn byte(&self, index: usize) -> usize {
        let local = match &self.offsets {
            None => index.min(self.text.len()),
            Some(offsets) => offsets.get(index).copied().unwrap_or(self.text.len()),
        };
        self.start + local
    }
}

fn character_offsets(text: &str) -> Option<Vec<usize>> {
    if text.is_ascii() {
        return None;
    }
    Some(text.char_indices().map(|(offset, _)| offset).collect())
}
