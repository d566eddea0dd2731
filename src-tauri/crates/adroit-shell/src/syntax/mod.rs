//! From text to our syntax tree, through two parsers that must agree.

mod agreement;
mod compound;
mod crude;
mod parameter;
mod primary;
mod second;
mod skip;
mod source;
pub(crate) mod tree;
mod word;

use std::ops::Range;

pub(crate) use crude::crude_commands;
pub(crate) use word::is_name;

use source::Source;
use tree::List;

use crate::types::ReasonCode;

/// Why a text is not understood.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{message}")]
pub(crate) struct Refusal {
    pub code: ReasonCode,
    pub span: Range<usize>,
    pub message: String,
}

impl Refusal {
    pub(crate) fn new(code: ReasonCode, span: Range<usize>, message: impl Into<String>) -> Self {
        Self {
            code,
            span,
            message: message.into(),
        }
    }
}

/// What the parsers make of a text.
pub(crate) struct Reading {
    /// The tree of the first parser, where it has one.
    pub tree: Option<List>,
    /// Command words as the second parser alone sees them, when they differ.
    pub other: Vec<Vec<String>>,
    /// Why the tree must not be trusted; `None` when both agree.
    pub refusal: Option<Refusal>,
}

/// Reads `text` with both parsers.
pub(crate) fn read(text: &str) -> Reading {
    let source = Source::new(text);
    let tree = match primary::parse(&source) {
        Ok(tree) => tree,
        Err(refusal) => {
            // What is too long for the first parser takes the second too long.
            let other = if refusal.code == ReasonCode::Limit {
                Vec::new()
            } else {
                second::outline(text).texts(text)
            };
            return Reading {
                tree: None,
                other,
                refusal: Some(refusal),
            };
        }
    };
    match agreement::check(&source, &tree) {
        Ok(()) => Reading {
            tree: Some(tree.list),
            other: Vec::new(),
            refusal: None,
        },
        Err(refusal) => Reading {
            tree: Some(tree.list),
            other: second::outline(text).texts(text),
            refusal: Some(refusal),
        },
    }
}
