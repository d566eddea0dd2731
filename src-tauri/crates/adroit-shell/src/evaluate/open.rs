//! The words of a command as they are when it runs, for rules that forbid.

use std::ops::Range;

use super::Evaluator;
use super::expand::Argument;
use crate::types::{CommandPart, Word};
use crate::wrappers;

/// Commands with open words that one analysis keeps; a loop makes one in each turn.
const MOST: usize = 512;

impl Evaluator<'_> {
    /// `git p{ush,x}` is a push and `git $x` may be one: neither says so as it is written.
    pub(super) fn opened(&mut self, arguments: &[Argument], written: &[Word], span: &Range<usize>) {
        let marks = input_marks(arguments);
        let same = marks.is_none()
            && arguments.len() == written.len()
            && arguments
                .iter()
                .zip(written)
                .all(|(argument, word)| argument.literal() == word.text.as_deref())
            && arguments
                .iter()
                .all(|argument| argument.literal().is_some());
        if same || arguments.is_empty() || self.analysis.suspected_parts.len() >= MOST {
            return;
        }
        let mut words: Vec<Word> = arguments
            .iter()
            .map(|argument| {
                let text = match argument.literal() {
                    Some(text) => text.to_owned(),
                    None => format!("{}{}", argument.prefix(), CommandPart::OPEN),
                };
                let mark = marks
                    .iter()
                    .flatten()
                    .find_map(|mark| text.find(mark.as_str()));
                let text = match mark {
                    Some(at) => format!("{}{}", &text[..at], CommandPart::OPEN),
                    None => text,
                };
                Word {
                    text: Some(text),
                    raw: argument.raw.clone(),
                    span: argument.span.clone(),
                }
            })
            .collect();
        if marks.is_some() {
            // `echo push | xargs git`: what it reads comes last.
            words.push(Word {
                text: Some(CommandPart::OPEN.to_string()),
                raw: String::new(),
                span: span.clone(),
            });
        }
        self.analysis.suspected_parts.push(CommandPart {
            words,
            assignments: Vec::new(),
            redirects: Vec::new(),
            read_only: false,
            span: span.clone(),
            nested: true,
            opaque: true,
        });
    }
}

/// What stands for the input of a program that runs another with it; `None` without one.
fn input_marks(arguments: &[Argument]) -> Option<Vec<String>> {
    let reader = arguments.iter().position(|argument| {
        argument.literal().is_some_and(|text| {
            matches!(wrappers::base_name(text), "xargs" | "gxargs" | "parallel")
        })
    })?;
    let mut marks = vec!["{}".to_owned()];
    let mut words = arguments[reader + 1..].iter().filter_map(Argument::literal);
    while let Some(word) = words.next() {
        let attached = ["-I", "-i", "-J", "--replace="]
            .into_iter()
            .find_map(|option| word.strip_prefix(option));
        let mark = match attached {
            Some("") => words.next(),
            other => other,
        };
        marks.extend(mark.filter(|mark| !mark.is_empty()).map(str::to_owned));
    }
    Some(marks)
}
