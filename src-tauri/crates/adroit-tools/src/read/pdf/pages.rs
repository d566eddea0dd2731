//! Which pages.

use std::ops::RangeInclusive;

/// The accepted forms, for messages.
const FORMS: &str = "Give one page (\"3\"), a range (\"3-5\"), or a range to the end (\"3-\")";

/// Pages of a document, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PageRange {
    first: usize,
    last: usize,
    /// The range went on past the last page.
    pub(super) past_end: bool,
}

impl PageRange {
    pub(super) fn all(total: usize) -> Self {
        Self {
            first: 1,
            last: total,
            past_end: false,
        }
    }

    /// Reads `3`, `3-5` or `3-`.
    pub(super) fn parse(text: &str, total: usize) -> Result<Self, String> {
        let pages = if total == 1 {
            "1 page"
        } else {
            &format!("{total} pages")
        };
        let refused = |reason: &str| {
            Err(format!(
                "pages {text:?} {reason}. {FORMS}; the document has {pages}."
            ))
        };
        let number = |digits: &str| -> Option<usize> {
            let digits = digits.trim();
            let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
            // A number too long for the machine is past any end.
            plain.then(|| digits.parse().unwrap_or(usize::MAX))
        };
        let (first, last) = match text.split_once('-') {
            None => (number(text), number(text)),
            Some((first, last)) if last.trim().is_empty() => (number(first), Some(total)),
            Some((first, last)) => (number(first), number(last)),
        };
        let (Some(first), Some(last)) = (first, last) else {
            return refused("is no range of pages");
        };
        if first == 0 || last == 0 {
            return refused("begins at 0, and pages are counted from 1");
        }
        if first > total {
            return refused("is past the end");
        }
        if first > last {
            return refused("runs backwards");
        }
        Ok(Self {
            first,
            last: last.min(total),
            past_end: last > total,
        })
    }

    pub(super) fn numbers(&self) -> RangeInclusive<usize> {
        self.first..=self.last
    }
}
