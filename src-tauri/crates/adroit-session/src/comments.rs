//! What a person wrote on the lines of a request's diff, in words for the model.

use adroit_protocol::permission::{DiffSide, LineComment};
use adroit_protocol::view::{Block, View};

/// Characters of a line that are quoted.
const MAX_QUOTED: usize = 160;

/// The comments, each with its place and the line as it was shown. `None` where there are none.
pub(crate) fn in_words(view: &View, comments: &[LineComment]) -> Option<String> {
    let said: Vec<String> = comments
        .iter()
        .filter(|comment| !comment.text.trim().is_empty())
        .map(|comment| in_one_sentence(view, comment))
        .collect();
    (!said.is_empty()).then(|| said.join("\n"))
}

fn in_one_sentence(view: &View, comment: &LineComment) -> String {
    let of = match comment.side {
        DiffSide::Old => "as it is now",
        DiffSide::New => "as you propose it",
    };
    let quoted = line(view, comment)
        .map(|line| format!(" (`{}`)", line.trim()))
        .unwrap_or_default();
    format!(
        "On line {} of {} {of}{quoted}: {}",
        comment.line,
        comment.path,
        comment.text.trim()
    )
}

fn line(view: &View, comment: &LineComment) -> Option<String> {
    view.blocks
        .iter()
        .filter_map(|block| match block {
            Block::Diff(diff) if diff.path == comment.path => Some(diff),
            _ => None,
        })
        .flat_map(|diff| &diff.hunks)
        .flat_map(|hunk| &hunk.lines)
        .find(|line| {
            let number = match comment.side {
                DiffSide::Old => line.old_line,
                DiffSide::New => line.new_line,
            };
            number == Some(comment.line)
        })
        .map(|line| line.text.chars().take(MAX_QUOTED).collect())
}

#[cfg(test)]
mod tests {
    use adroit_protocol::view::{Diff, DiffLine, FileChange, Hunk, LineChange};

    use super::*;

    #[test]
    fn a_comment_names_its_place_and_quotes_the_line() {
        let line = DiffLine {
            kind: LineChange::Added,
            text: "    let level: u16 = 3;".to_owned(),
            old_line: None,
            new_line: Some(7),
            emphasis: Vec::new(),
            missing_newline: false,
            ending: None,
        };
        let mut view = View::titled("Edit lamp.rs");
        view.blocks.push(Block::Diff(Diff {
            path: "lamp.rs".to_owned(),
            change: FileChange::Updated,
            hunks: vec![Hunk {
                old_start: 6,
                old_lines: 0,
                new_start: 7,
                new_lines: 1,
                lines: vec![line],
            }],
            added: 1,
            removed: 0,
            hidden_hunks: 0,
            notes: Vec::new(),
        }));
        let comment = |line, side, text: &str| LineComment {
            path: "lamp.rs".to_owned(),
            side,
            line,
            text: text.to_owned(),
        };
        let said = in_words(
            &view,
            &[
                comment(7, DiffSide::New, "u8 is enough "),
                comment(2, DiffSide::Old, "why?"),
                comment(3, DiffSide::Old, "  "),
            ],
        );
        insta::assert_snapshot!(said.unwrap(), @r"
        On line 7 of lamp.rs as you propose it (`let level: u16 = 3;`): u8 is enough
        On line 2 of lamp.rs as it is now: why?
        ");
        assert_eq!(in_words(&view, &[]), None);
    }
}
