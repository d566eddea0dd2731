//! A three-way merge of bytes, line by line.

use diffy::{ConflictStyle, MergeOptions};

/// Larger files are not merged: the comparison has no deadline. Bytes.
const LARGEST: usize = 4 << 20;

/// What came of a merge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Merged {
    /// Both changes fit together.
    Clean(Vec<u8>),
    /// They do not.
    Conflict {
        /// The text with the places marked; absent where the file has no lines to mark.
        marked: Option<Vec<u8>>,
    },
}

/// Merges the way from `base` to `theirs` into `ours`.
pub(crate) fn merge(base: &[u8], ours: &[u8], theirs: &[u8]) -> Merged {
    if [base, ours, theirs]
        .iter()
        // Text of two bytes a character would be cut within one.
        .any(|bytes| bytes.len() > LARGEST || bytes.contains(&0))
    {
        return Merged::Conflict { marked: None };
    }
    let mut options = MergeOptions::new();
    options.set_conflict_style(ConflictStyle::Merge);
    match options.merge_bytes(base, ours, theirs) {
        Ok(bytes) => Merged::Clean(bytes),
        Err(marked) => Merged::Conflict {
            marked: Some(relabelled(marked)),
        },
    }
}

/// The marks in words that say whose text it is.
fn relabelled(marked: Vec<u8>) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(marked.len());
    for line in marked.split_inclusive(|byte| *byte == b'\n') {
        if line.starts_with(b"<<<<<<< ours") {
            bytes.extend_from_slice(b"<<<<<<< as it is now");
            bytes.extend_from_slice(&line[b"<<<<<<< ours".len()..]);
        } else if line.starts_with(b">>>>>>> theirs") {
            bytes.extend_from_slice(b">>>>>>> as it was before");
            bytes.extend_from_slice(&line[b">>>>>>> theirs".len()..]);
        } else {
            bytes.extend_from_slice(line);
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_elsewhere_stays() {
        let base = b"1\n2\n3\n4\n5\n6\nnew\n";
        let ours = b"one\n2\n3\n4\n5\n6\nnew\n";
        let theirs = b"1\n2\n3\n4\n5\n6\nold\n";
        assert_eq!(
            merge(base, ours, theirs),
            Merged::Clean(b"one\n2\n3\n4\n5\n6\nold\n".to_vec())
        );
    }

    #[test]
    fn a_change_of_the_same_line_is_marked_and_says_whose_it_is() {
        let Merged::Conflict {
            marked: Some(marked),
        } = merge(b"a\nnew\n", b"a\nmine\n", b"a\nold\n")
        else {
            panic!("no conflict");
        };
        let marked = String::from_utf8(marked).unwrap();
        assert_eq!(
            marked,
            "a\n<<<<<<< as it is now\nmine\n=======\nold\n>>>>>>> as it was before\n"
        );
    }

    #[test]
    fn bytes_that_are_no_lines_are_never_merged() {
        assert_eq!(
            merge(b"a\0", b"b\0", b"c\0"),
            Merged::Conflict { marked: None }
        );
    }
}
