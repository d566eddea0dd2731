//! A part of a change: some hunks taken, others left; and a text that a person edited.

use std::ops::Range;

use adroit_protocol::view::Hunk;
use similar::{Algorithm, ChangeTag, TextDiff};

/// The text that comes of `old` when only some hunks of its way to `new` are taken.
///
/// Hunks are those of [`crate::diff`] of the same two texts, whole and in order. All but the
/// `rejected` ones (positions, from 0) are taken: with none rejected it is `new`, with all `old`.
/// `None` where the hunks are not of these texts, or a position names none.
#[must_use]
pub fn without_hunks(old: &str, new: &str, hunks: &[Hunk], rejected: &[usize]) -> Option<String> {
    if rejected.iter().any(|&position| position >= hunks.len()) {
        return None;
    }
    let (old_lines, new_lines) = (lines(old), lines(new));
    let mut text = String::with_capacity(old.len().max(new.len()));
    let (mut old_at, mut new_at) = (0, 0);
    for (position, hunk) in hunks.iter().enumerate() {
        let from = place(hunk.old_start, hunk.old_lines);
        let to = place(hunk.new_start, hunk.new_lines);
        let (between, same) = (
            old_lines.get(old_at..from.start)?,
            new_lines.get(new_at..to.start)?,
        );
        // What lies between two hunks is the same in both texts, or these are not their hunks.
        if between != same {
            return None;
        }
        text.extend(between.iter().copied());
        let kept = if rejected.contains(&position) {
            old_lines.get(from.clone())?
        } else {
            new_lines.get(to.clone())?
        };
        text.extend(kept.iter().copied());
        (old_at, new_at) = (from.end, to.end);
    }
    let (rest, same) = (old_lines.get(old_at..)?, new_lines.get(new_at..)?);
    if rest != same {
        return None;
    }
    text.extend(rest.iter().copied());
    Some(text)
}

/// The line endings of `before` put back into a text that was edited where every line ends in
/// LF, as a text field does it. Lines that were not touched get the ending that they had; new
/// ones get the ending that most lines have.
#[must_use]
pub fn with_endings_of(before: &str, edited: &str) -> String {
    if !before.contains('\r') {
        return edited.to_owned();
    }
    let before_lines = lines(before);
    let bare: Vec<&str> = before_lines.iter().map(|line| content(line)).collect();
    let usual = usual_ending(&before_lines);
    let edited_lines: Vec<&str> = edited.split_inclusive('\n').collect();
    let edited_bare: Vec<&str> = edited_lines.iter().map(|line| content(line)).collect();
    let compared = TextDiff::configure()
        .algorithm(Algorithm::Myers)
        .diff_slices(&bare, &edited_bare);
    let mut text = String::with_capacity(edited.len() + edited_lines.len());
    for change in compared.iter_all_changes() {
        let Some(index) = change.new_index() else {
            continue;
        };
        let Some(line) = edited_lines.get(index) else {
            continue;
        };
        text.push_str(content(line));
        if line.ends_with('\n') {
            let kept = match change.tag() {
                ChangeTag::Equal => change
                    .old_index()
                    .and_then(|index| before_lines.get(index))
                    .map(|line| ending(line)),
                _ => None,
            };
            // The last line of before may have had no ending.
            text.push_str(kept.filter(|ending| !ending.is_empty()).unwrap_or(usual));
        }
    }
    text
}

fn usual_ending(lines: &[&str]) -> &'static str {
    ["\n", "\r\n", "\r"]
        .into_iter()
        .max_by_key(|wanted| lines.iter().filter(|line| ending(line) == *wanted).count())
        .unwrap_or("\n")
}

/// Lines with their endings, divided as the diff divides them: after LF, CRLF and a lone CR.
fn lines(text: &str) -> Vec<&str> {
    let bytes = text.as_bytes();
    let mut lines = Vec::new();
    let mut start = 0;
    for at in memchr::memchr2_iter(b'\r', b'\n', bytes) {
        if bytes[at] == b'\r' && bytes.get(at + 1) == Some(&b'\n') {
            continue;
        }
        lines.push(&text[start..=at]);
        start = at + 1;
    }
    if start < text.len() {
        lines.push(&text[start..]);
    }
    lines
}

fn content(line: &str) -> &str {
    &line[..line.len() - ending(line).len()]
}

fn ending(line: &str) -> &str {
    let ends = ["\r\n", "\n", "\r"];
    let length = ends
        .iter()
        .find(|end| line.ends_with(**end))
        .map_or(0, |end| end.len());
    &line[line.len() - length..]
}

/// By the convention of unified diffs an empty part names the line before it.
fn place(start: u32, lines: u32) -> Range<usize> {
    let start = start as usize;
    let start = if lines == 0 {
        start
    } else {
        start.saturating_sub(1)
    };
    start..start + lines as usize
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::diff;

    fn text() -> impl Strategy<Value = String> {
        let line = prop::sample::select(vec!["a", "b", "c", "d", ""]);
        let ending = prop::sample::select(vec!["\n", "\n", "\n", "\r\n", "\r"]);
        (prop::collection::vec((line, ending), 0..40), any::<bool>()).prop_map(|(lines, cut)| {
            let mut text: String = lines
                .iter()
                .map(|(line, end)| format!("{line}{end}"))
                .collect();
            if cut {
                text.push_str("last");
            }
            text
        })
    }

    #[test]
    fn a_place_is_taken_and_another_left() {
        let old: String = (1..=30).map(|number| format!("{number}\n")).collect();
        let new = old.replace("\n3\n", "\nthree\n").replace("\n25\n", "\n");
        let hunks = diff(&old, &new).hunks;
        assert_eq!(hunks.len(), 2);
        let first = old.replace("\n3\n", "\nthree\n");
        assert_eq!(without_hunks(&old, &new, &hunks, &[1]), Some(first));
        let second = old.replace("\n25\n", "\n");
        assert_eq!(without_hunks(&old, &new, &hunks, &[0]), Some(second));
        assert_eq!(without_hunks(&old, &new, &hunks, &[2]), None);
        assert_eq!(without_hunks("other\n", &new, &hunks, &[0]), None);
    }

    #[test]
    fn a_text_field_costs_no_line_ending() {
        let before = "one\r\ntwo\r\nthree\r\n";
        assert_eq!(
            with_endings_of(before, "one\n2\nand\nthree\n"),
            "one\r\n2\r\nand\r\nthree\r\n"
        );
        let mixed = "one\r\ntwo\nthree\nfour";
        assert_eq!(
            with_endings_of(mixed, "one\ntwo\n3\nfour\n"),
            "one\r\ntwo\n3\nfour\n"
        );
    }

    proptest! {
        #[test]
        fn all_hunks_are_the_new_text_and_none_the_old(old in text(), new in text()) {
            let hunks = diff(&old, &new).hunks;
            let every: Vec<usize> = (0..hunks.len()).collect();
            prop_assert_eq!(without_hunks(&old, &new, &hunks, &[]), Some(new.clone()));
            prop_assert_eq!(without_hunks(&old, &new, &hunks, &every), Some(old.clone()));
        }

        /// Taking some hunks now and the rest later is taking all of them.
        #[test]
        fn what_was_left_can_be_taken_later(old in text(), new in text(), mask in any::<u64>()) {
            let hunks = diff(&old, &new).hunks;
            let left: Vec<usize> = (0..hunks.len()).filter(|at| mask >> (at % 64) & 1 == 1).collect();
            let middle = without_hunks(&old, &new, &hunks, &left).unwrap();
            let rest = diff(&middle, &new).hunks;
            prop_assert_eq!(without_hunks(&middle, &new, &rest, &[]), Some(new));
        }

        #[test]
        fn an_untouched_text_keeps_its_endings(before in text()) {
            let shown = before.replace("\r\n", "\n").replace('\r', "\n");
            prop_assert_eq!(with_endings_of(&before, &shown), before);
        }
    }
}
