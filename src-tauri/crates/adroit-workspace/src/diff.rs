//! What changes between two texts, as hunks of lines with the words that differ.

use std::time::{Duration, Instant};

use crate::diff_long::{MAX_LINE, cut, differing};
use adroit_protocol::view::{DiffLine, Hunk, LineChange, LineEnding};
use similar::{Algorithm, Change, ChangeTag, DiffOp, TextDiff};

/// Lines shown around a change.
pub(crate) const CONTEXT: usize = 3;

/// After this a diff is still correct, but may be longer than need be.
pub(crate) const DEADLINE: Duration = Duration::from_millis(300);

/// Word marks are computed for replaced blocks of up to this many lines.
const MAX_WORD_BLOCK: usize = 200;

/// The hunks of a change and their totals.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DiffSummary {
    /// The places that change.
    pub hunks: Vec<Hunk>,
    /// Lines that come.
    pub added: u32,
    /// Lines that go.
    pub removed: u32,
}

/// Compares two texts line by line. A line that differs only in its ending differs.
pub fn diff(old: &str, new: &str) -> DiffSummary {
    diff_with_deadline(old, new, DEADLINE)
}

/// As [`diff`], with at most about `limit` spent on finding a short one.
pub fn diff_with_deadline(old: &str, new: &str, limit: Duration) -> DiffSummary {
    let deadline = Instant::now() + limit;
    let compared = TextDiff::configure()
        .algorithm(Algorithm::Myers)
        .deadline(deadline)
        .newline_terminated(true)
        .diff_lines(old, new);
    let mut summary = DiffSummary::default();
    for group in compared.grouped_ops(CONTEXT) {
        let mut hunk = empty_hunk(&group);
        for op in &group {
            push_lines(&compared, op, deadline, &mut hunk.lines);
        }
        for line in &hunk.lines {
            match line.kind {
                LineChange::Added => summary.added += 1,
                LineChange::Removed => summary.removed += 1,
                LineChange::Context => {}
            }
        }
        summary.hunks.push(hunk);
    }
    summary
}

pub(crate) fn empty_hunk(group: &[DiffOp]) -> Hunk {
    let range = |pick: fn(&DiffOp) -> std::ops::Range<usize>| {
        let start = group.first().map(|op| pick(op).start).unwrap_or(0);
        let end = group.last().map(|op| pick(op).end).unwrap_or(0);
        let lines = number(end - start);
        // By the convention of unified diffs an empty part names the line before it.
        (
            if lines == 0 {
                number(start)
            } else {
                number(start + 1)
            },
            lines,
        )
    };
    let (old_start, old_lines) = range(DiffOp::old_range);
    let (new_start, new_lines) = range(DiffOp::new_range);
    Hunk {
        old_start,
        old_lines,
        new_start,
        new_lines,
        lines: Vec::new(),
    }
}

fn push_lines<'t>(
    compared: &TextDiff<'t, 't, str>,
    op: &DiffOp,
    deadline: Instant,
    lines: &mut Vec<DiffLine>,
) {
    let worth_words = matches!(op, DiffOp::Replace { old_len, new_len, .. } if old_len + new_len <= MAX_WORD_BLOCK)
        && compared
            .iter_changes(op)
            .all(|change| change.value().len() <= MAX_LINE)
        && Instant::now() < deadline;
    if worth_words {
        for change in compared.iter_inline_changes_deadline(op, Some(deadline)) {
            let mut text = String::new();
            let mut emphasis: Vec<[u32; 2]> = Vec::new();
            let mut at = 0;
            for (strong, piece) in change.iter_strings_lossy() {
                let piece = trim_ending(&piece);
                let end = at + number(piece.encode_utf16().count());
                match emphasis.last_mut() {
                    Some(last) if strong && last[1] == at => last[1] = end,
                    _ if strong && end > at => emphasis.push([at, end]),
                    _ => {}
                }
                text.push_str(piece);
                at = end;
            }
            lines.push(line(
                change.tag(),
                text,
                change.old_index(),
                change.new_index(),
                emphasis,
                change.missing_newline(),
                whole_line(compared, change.old_index(), change.new_index()).and_then(ending_of),
            ));
        }
        return;
    }
    for change in compared.iter_changes(op) {
        let value = trim_ending(change.value());
        let shown = cut(value, counterpart(compared, op, &change));
        lines.push(line(
            change.tag(),
            shown.text,
            change.old_index(),
            change.new_index(),
            shown.emphasis,
            change.missing_newline(),
            ending_of(change.value()),
        ));
    }
}

/// For a long line that is replaced: what of it differs from the line that takes its place.
fn counterpart<'t>(
    compared: &TextDiff<'t, 't, str>,
    op: &DiffOp,
    change: &Change<&str>,
) -> Option<std::ops::Range<usize>> {
    let value = trim_ending(change.value());
    let DiffOp::Replace {
        old_index,
        old_len,
        new_index,
        new_len,
    } = *op
    else {
        return None;
    };
    if value.len() <= MAX_LINE {
        return None;
    }
    match (change.old_index(), change.new_index()) {
        (Some(old), _) if old - old_index < new_len => {
            let other = compared.new_slice(new_index + (old - old_index))?;
            Some(differing(value, trim_ending(other)).0)
        }
        (_, Some(new)) if new - new_index < old_len => {
            let other = compared.old_slice(old_index + (new - new_index))?;
            Some(differing(trim_ending(other), value).1)
        }
        _ => None,
    }
}

pub(crate) fn line(
    tag: ChangeTag,
    text: String,
    old: Option<usize>,
    new: Option<usize>,
    emphasis: Vec<[u32; 2]>,
    missing_newline: bool,
    ending: Option<LineEnding>,
) -> DiffLine {
    let kind = match tag {
        ChangeTag::Equal => LineChange::Context,
        ChangeTag::Insert => LineChange::Added,
        ChangeTag::Delete => LineChange::Removed,
    };
    DiffLine {
        kind,
        text,
        old_line: old.map(|index| number(index + 1)),
        new_line: new.map(|index| number(index + 1)),
        emphasis,
        missing_newline,
        ending,
    }
}

/// The line that a change is about, its ending included.
fn whole_line<'c>(
    compared: &'c TextDiff<'_, '_, str>,
    old: Option<usize>,
    new: Option<usize>,
) -> Option<&'c str> {
    match (old, new) {
        (_, Some(new)) => compared.new_slice(new),
        (Some(old), None) => compared.old_slice(old),
        (None, None) => None,
    }
}

/// How a line ends, where it is not with a line feed alone.
pub(crate) fn ending_of(line: &str) -> Option<LineEnding> {
    if line.ends_with("\r\n") {
        Some(LineEnding::Crlf)
    } else {
        line.ends_with('\r').then_some(LineEnding::Cr)
    }
}

pub(crate) fn trim_ending(text: &str) -> &str {
    let text = text.strip_suffix('\n').unwrap_or(text);
    text.strip_suffix('\r').unwrap_or(text)
}

pub(crate) fn number(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn unified(old: &str, new: &str) -> String {
        let mut text = String::new();
        for hunk in diff(old, new).hunks {
            text.push_str(&format!(
                "@@ -{},{} +{},{} @@\n",
                hunk.old_start, hunk.old_lines, hunk.new_start, hunk.new_lines
            ));
            for line in hunk.lines {
                let sign = match line.kind {
                    LineChange::Context => ' ',
                    LineChange::Added => '+',
                    LineChange::Removed => '-',
                };
                text.push_str(&format!("{sign}{}", line.text));
                if !line.emphasis.is_empty() {
                    text.push_str(&format!("  {:?}", line.emphasis));
                }
                if line.missing_newline {
                    text.push_str("  (no newline)");
                }
                text.push('\n');
            }
        }
        text
    }

    #[test]
    fn hunks_with_context_and_words() {
        let old = "1\n2\n3\n4\nlet a = one;\n6\n7\n8\n9\n10\n11\n12\nlast";
        let new = "1\n2\n3\n4\nlet a = two;\n6\n7\n8\n9\n10\n11\n12\nlast\n";
        insta::assert_snapshot!(unified(old, new), @"
        @@ -2,7 +2,7 @@
         2
         3
         4
        -let a = one;  [[8, 11]]
        +let a = two;  [[8, 11]]
         6
         7
         8
        @@ -10,4 +10,4 @@
         10
         11
         12
        -last  (no newline)
        +last
        ");
    }

    #[test]
    fn creation_and_deletion_name_line_zero() {
        insta::assert_snapshot!(unified("", "a\nb\n"), @"
        @@ -0,0 +1,2 @@
        +a
        +b
        ");
        insta::assert_snapshot!(unified("a\n", ""), @"
        @@ -1,1 +0,0 @@
        -a
        ");
        assert_eq!(diff("same\n", "same\n"), DiffSummary::default());
    }

    #[test]
    fn marks_count_in_utf16() {
        let hunk = &diff("😀 eins x\n", "😀 zwei x\n").hunks[0];
        assert_eq!(hunk.lines[0].emphasis, [[3, 7]]);
    }

    /// Applies the hunks as a patch program does.
    fn apply(old: &str, summary: &DiffSummary) -> Vec<String> {
        let lines: Vec<&str> = old.lines().collect();
        let mut out = Vec::new();
        let mut at = 0;
        for hunk in &summary.hunks {
            let start = if hunk.old_lines == 0 {
                hunk.old_start
            } else {
                hunk.old_start - 1
            } as usize;
            out.extend(lines[at..start].iter().map(ToString::to_string));
            at = start;
            for line in &hunk.lines {
                match line.kind {
                    LineChange::Added => out.push(line.text.clone()),
                    LineChange::Removed => at += 1,
                    LineChange::Context => {
                        assert_eq!(lines[at], line.text);
                        out.push(line.text.clone());
                        at += 1;
                    }
                }
            }
        }
        out.extend(lines[at..].iter().map(ToString::to_string));
        out
    }

    proptest! {
        #[test]
        fn applying_gives_the_new_text_also_past_the_deadline(
            old in proptest::collection::vec("[ab ]{0,3}", 0..40),
            new in proptest::collection::vec("[ab ]{0,3}", 0..40),
            hurry: bool,
        ) {
            let join = |lines: &[String]| lines.iter().map(|line| format!("{line}\n")).collect::<String>();
            let (old_text, new_text) = (join(&old), join(&new));
            let limit = if hurry { Duration::ZERO } else { DEADLINE };
            let summary = diff_with_deadline(&old_text, &new_text, limit);
            prop_assert_eq!(apply(&old_text, &summary), new);
            let balance = old.len() as i64 + i64::from(summary.added) - i64::from(summary.removed);
            prop_assert_eq!(balance, apply(&old_text, &summary).len() as i64);
        }
    }
}
