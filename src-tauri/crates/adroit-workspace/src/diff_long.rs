//! Very long lines in a diff: cut to the part that changes.
//!
//! A minified file of 10 MB is one line; nobody can look at it, and no view can carry it.

use std::ops::Range;

/// Bytes of a line that a diff carries.
pub(crate) const MAX_LINE: usize = 2_000;
/// Bytes shown before the part that changes.
const BEFORE: usize = 300;

/// A line cut to what is shown of it.
pub(crate) struct Cut {
    /// The text, with `…` where something is left out.
    pub(crate) text: String,
    /// The part that differs, in UTF-16 units of `text`.
    pub(crate) emphasis: Vec<[u32; 2]>,
}

/// Cuts one line, around `changed` where it is known.
pub(crate) fn cut(line: &str, changed: Option<Range<usize>>) -> Cut {
    let changed_known = changed.is_some();
    let changed = changed.unwrap_or(0..0);
    let start = if line.len() <= MAX_LINE {
        0
    } else {
        floor(line, changed.start.saturating_sub(BEFORE))
    };
    let end = floor(line, line.len().min(start + MAX_LINE));
    let mut text = String::new();
    if start > 0 {
        text.push_str(&format!("… ({start} bytes before) "));
    }
    let units = |text: &str| u32::try_from(text.encode_utf16().count()).unwrap_or(u32::MAX);
    let (from, to) = (
        changed.start.clamp(start, end),
        changed.end.clamp(start, end),
    );
    text.push_str(&line[start..from]);
    let mark = units(&text);
    text.push_str(&line[from..to]);
    let emphasis = if changed_known && to > from {
        vec![[mark, units(&text)]]
    } else {
        Vec::new()
    };
    text.push_str(&line[to..end]);
    if end < line.len() {
        text.push_str(&format!(" … ({} bytes after)", line.len() - end));
    }
    Cut { text, emphasis }
}

/// Where two lines differ: everything but their common beginning and end.
pub(crate) fn differing(old: &str, new: &str) -> (Range<usize>, Range<usize>) {
    let same = |pair: &(u8, u8)| pair.0 == pair.1;
    let prefix = old.bytes().zip(new.bytes()).take_while(same).count();
    let prefix = floor(old, prefix).min(floor(new, prefix));
    let (old_rest, new_rest) = (&old[prefix..], &new[prefix..]);
    let suffix = old_rest
        .bytes()
        .rev()
        .zip(new_rest.bytes().rev())
        .take_while(same)
        .count();
    let old_end = ceil(old, old.len() - suffix);
    let new_end = ceil(new, new.len() - suffix);
    // Both ends move alike, so that they stay at the same character.
    let kept = (old.len() - old_end).min(new.len() - new_end);
    (prefix..old.len() - kept, prefix..new.len() - kept)
}

fn floor(text: &str, at: usize) -> usize {
    (0..=at)
        .rev()
        .find(|&at| text.is_char_boundary(at))
        .unwrap_or(0)
}

fn ceil(text: &str, at: usize) -> usize {
    (at..=text.len())
        .find(|&at| text.is_char_boundary(at))
        .unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_change_in_a_line_of_megabytes_is_shown() {
        let old = format!("{}one{}", "漢".repeat(1_000_000), "b".repeat(1_000_000));
        let new = old.replace("one", "two");
        let (in_old, in_new) = differing(&old, &new);
        let (old, new) = (cut(&old, Some(in_old)), cut(&new, Some(in_new)));
        assert!(old.text.contains("one") && new.text.contains("two"));
        assert!(old.text.len() < MAX_LINE + 100);
        let units: Vec<u16> = new.text.encode_utf16().collect();
        let [start, end] = new.emphasis[0];
        assert_eq!(
            String::from_utf16(&units[start as usize..end as usize]).unwrap(),
            "two"
        );
    }

    proptest! {
        #[test]
        fn what_lies_outside_the_difference_is_the_same(old in "[aé漢]{0,12}", new in "[aé漢]{0,12}") {
            let (in_old, in_new) = differing(&old, &new);
            prop_assert_eq!(&old[..in_old.start], &new[..in_new.start]);
            prop_assert_eq!(&old[in_old.end..], &new[in_new.end..]);
            let _ = (cut(&old, Some(in_old)), cut(&new, Some(in_new)));
        }
    }
}
