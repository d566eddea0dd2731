//! Several replacements, one after the other, as one change.

use thiserror::Error;

use super::{EditError, plan_edit};
use crate::{ContentHash, Endings, LoadedText};

/// One replacement of a sequence.
#[derive(Clone, Copy, Debug)]
pub struct Replacement<'r> {
    /// The text to replace.
    pub old: &'r str,
    /// The text to put in its place.
    pub new: &'r str,
    /// Whether every occurrence is replaced.
    pub replace_all: bool,
}

/// What a file becomes by a sequence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SequencePlan {
    /// The new content.
    pub bytes: Vec<u8>,
    /// The new text, without a byte order mark.
    pub text: String,
    /// How many places each replacement changed.
    pub counts: Vec<usize>,
}

/// The replacement at which a sequence stopped. Nothing of the sequence is applied.
#[derive(Debug, Error)]
#[error("{error}")]
pub struct SequenceError {
    /// Which one, from 0.
    pub index: usize,
    /// Why.
    pub error: EditError,
}

/// Works out what `original` becomes when the replacements are made in order, each on what the one
/// before left. The encoding stays that of the original throughout: it is not guessed anew from a text
/// that is half way.
///
/// # Errors
/// The first replacement that cannot be made, and why; see [`plan_edit`].
pub fn plan_edits(
    original: &LoadedText,
    replacements: &[Replacement<'_>],
) -> Result<SequencePlan, SequenceError> {
    let mut counts = Vec::with_capacity(replacements.len());
    let mut current: Option<LoadedText> = None;
    for (index, replacement) in replacements.iter().enumerate() {
        let before = current.as_ref().unwrap_or(original);
        let plan = plan_edit(
            before,
            replacement.old,
            replacement.new,
            replacement.replace_all,
        )
        .map_err(|error| SequenceError { index, error })?;
        counts.push(plan.count);
        current = Some(LoadedText {
            endings: Endings::of(&plan.text),
            hash: ContentHash::of(&plan.bytes),
            encoding: original.encoding,
            bytes: plan.bytes,
            text: plan.text,
        });
    }
    let (bytes, text) = match current {
        Some(last) => (last.bytes, last.text),
        None => (original.bytes.clone(), original.text.clone()),
    };
    Ok(SequencePlan {
        bytes,
        text,
        counts,
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use proptest::prelude::*;

    use super::*;

    fn loaded(bytes: &[u8]) -> LoadedText {
        LoadedText::from_bytes(bytes.to_vec(), Path::new("f")).unwrap()
    }

    fn replacement<'r>(old: &'r str, new: &'r str) -> Replacement<'r> {
        Replacement {
            old,
            new,
            replace_all: false,
        }
    }

    #[test]
    fn each_sees_what_the_one_before_left() {
        let plan = plan_edits(
            &loaded(b"one\r\ntwo\r\n"),
            &[
                replacement("one", "ONE"),
                replacement("ONE\ntwo", "1\n2"),
                Replacement {
                    old: "\n",
                    new: ";\n",
                    replace_all: true,
                },
            ],
        )
        .unwrap();
        assert_eq!(plan.bytes, b"1;\r\n2;\r\n");
        assert_eq!(plan.counts, [1, 1, 2]);
    }

    #[test]
    fn the_first_that_fails_is_named_and_nothing_is_applied() {
        let error = plan_edits(
            &loaded(b"one\n"),
            &[replacement("one", "two"), replacement("one", "three")],
        )
        .unwrap_err();
        assert_eq!(error.index, 1);
        assert!(matches!(error.error, EditError::NotFound { .. }));
    }

    #[test]
    fn the_encoding_is_not_guessed_anew() {
        // When the only character beyond ASCII is gone, the file is still windows-1252.
        let original = loaded(b"nome=configura\xe7\xe3o\n");
        let plan = plan_edits(
            &original,
            &[
                replacement("configura\u{e7}\u{e3}o", "x"),
                replacement("x", "\u{e9}t\u{e9}"),
            ],
        )
        .unwrap();
        assert_eq!(plan.bytes, b"nome=\xe9t\xe9\n");
    }

    proptest! {
        /// A sequence is the same as its edits written one by one.
        #[test]
        fn a_sequence_is_its_edits_one_by_one(
            text in "[ab\r\n]{0,30}",
            steps in proptest::collection::vec(("[ab\n]{1,3}", "[abc\n]{0,3}", any::<bool>()), 1..5),
        ) {
            let original = loaded(text.as_bytes());
            let replacements: Vec<Replacement<'_>> = steps
                .iter()
                .map(|(old, new, replace_all)| Replacement { old, new, replace_all: *replace_all })
                .collect();
            let mut stepwise = Ok(original.clone());
            for step in &replacements {
                stepwise = stepwise.and_then(|before| {
                    plan_edit(&before, step.old, step.new, step.replace_all)
                        .map(|plan| loaded(&plan.bytes))
                });
            }
            match (plan_edits(&original, &replacements), stepwise) {
                (Ok(plan), Ok(last)) => prop_assert_eq!(plan.bytes, last.bytes),
                (Err(_), Err(_)) => {}
                (one, other) => prop_assert!(false, "{one:?} {other:?}"),
            }
        }
    }
}
