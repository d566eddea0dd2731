//! What changes between two texts when white space means nothing.

use std::time::Instant;

use adroit_protocol::view::LineChange;
use similar::{
    Algorithm, ChangeTag, DiffOp, DiffableStr as _, capture_diff_slices_deadline, group_diff_ops,
};

use crate::diff::{CONTEXT, DEADLINE, DiffSummary, diff, empty_hunk, ending_of, line, trim_ending};

/// Compares two texts line by line, white space left out of each line, as `git diff -w` does. The
/// lines that are shown are whole; of a line that is the same but for white space the new one shows.
#[must_use]
pub fn diff_ignoring_space(old: &str, new: &str) -> DiffSummary {
    let (old, new) = (old.tokenize_lines(), new.tokenize_lines());
    let deadline = Instant::now() + DEADLINE;
    let ops = capture_diff_slices_deadline(
        Algorithm::Myers,
        &without_space(&old),
        &without_space(&new),
        Some(deadline),
    );
    let mut summary = DiffSummary::default();
    for group in group_diff_ops(ops, CONTEXT) {
        let mut hunk = empty_hunk(&group);
        for op in &group {
            push(&old, &new, op, &mut hunk.lines);
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

fn without_space(lines: &[&str]) -> Vec<String> {
    lines
        .iter()
        .map(|line| line.split_whitespace().collect())
        .collect()
}

fn push(old: &[&str], new: &[&str], op: &DiffOp, lines: &mut Vec<adroit_protocol::view::DiffLine>) {
    let (old_range, new_range) = (op.old_range(), op.new_range());
    if let DiffOp::Equal { .. } = op {
        for (old_index, new_index) in old_range.zip(new_range) {
            let text = new[new_index];
            lines.push(line(
                ChangeTag::Equal,
                trim_ending(text).to_owned(),
                Some(old_index),
                Some(new_index),
                Vec::new(),
                !text.ends_with_newline(),
                ending_of(text),
            ));
        }
        return;
    }
    // Marks stand where a line has its counterpart.
    let marks: Vec<(Marks, Marks)> = old_range
        .clone()
        .zip(new_range.clone())
        .map(|(old_index, new_index)| marks(old[old_index], new[new_index]))
        .collect();
    for (place, index) in old_range.enumerate() {
        let mark = marks.get(place).map(|(old, _)| old.clone());
        lines.push(line(
            ChangeTag::Delete,
            trim_ending(old[index]).to_owned(),
            Some(index),
            None,
            mark.unwrap_or_default(),
            !old[index].ends_with_newline(),
            ending_of(old[index]),
        ));
    }
    for (place, index) in new_range.enumerate() {
        let mark = marks.get(place).map(|(_, new)| new.clone());
        lines.push(line(
            ChangeTag::Insert,
            trim_ending(new[index]).to_owned(),
            None,
            Some(index),
            mark.unwrap_or_default(),
            !new[index].ends_with_newline(),
            ending_of(new[index]),
        ));
    }
}

/// Words of a line, as pairs of UTF-16 offsets.
type Marks = Vec<[u32; 2]>;

/// The words that differ between two lines.
fn marks(old: &str, new: &str) -> (Marks, Marks) {
    let mut marks = (Vec::new(), Vec::new());
    for found in diff(old, new).hunks.into_iter().flat_map(|hunk| hunk.lines) {
        match found.kind {
            LineChange::Removed => marks.0 = found.emphasis,
            LineChange::Added => marks.1 = found.emphasis,
            LineChange::Context => {}
        }
    }
    marks
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn shown(old: &str, new: &str) -> Vec<String> {
        diff_ignoring_space(old, new)
            .hunks
            .iter()
            .flat_map(|hunk| &hunk.lines)
            .map(|line| match line.kind {
                LineChange::Context => format!(" {}", line.text),
                LineChange::Added => format!("+{}", line.text),
                LineChange::Removed => format!("-{}", line.text),
            })
            .collect()
    }

    #[test]
    fn only_what_reads_otherwise_is_a_change() {
        // Indented anew, with one real change in the middle of it.
        assert_eq!(
            shown(
                "if x {\na();\nb();\n}\n",
                "if x {\n    a();\n    c();\n}\r\n"
            ),
            [" if x {", "     a();", "-b();", "+    c();", " }"]
        );
        assert_eq!(shown("a\n b\n", "a \nb"), Vec::<String>::new());
    }

    proptest! {
        #[test]
        fn nothing_is_shown_where_only_space_differs(lines in proptest::collection::vec("[a ]{0,4}", 0..20)) {
            let old: String = lines.iter().map(|line| format!("{line}\n")).collect();
            let new: String = lines.iter().map(|line| format!("  {line}\t\r\n")).collect();
            prop_assert_eq!(diff_ignoring_space(&old, &new), DiffSummary::default());
        }

        #[test]
        fn every_line_stands_in_its_place(
            old in proptest::collection::vec("[ab ]{0,3}", 0..30),
            new in proptest::collection::vec("[ab ]{0,3}", 0..30),
        ) {
            let text = |lines: &[String]| lines.iter().map(|line| format!("{line}\n")).collect::<String>();
            for found in diff_ignoring_space(&text(&old), &text(&new)).hunks.iter().flat_map(|hunk| &hunk.lines) {
                if let Some(number) = found.new_line {
                    prop_assert_eq!(&new[number as usize - 1], &found.text);
                }
                if let (Some(number), LineChange::Removed) = (found.old_line, found.kind) {
                    prop_assert_eq!(&old[number as usize - 1], &found.text);
                }
            }
        }
    }
}
