//! Jupyter notebooks (nbformat 4) as text with known places.
//!
//! A notebook is never written anew from what was read: an edit replaces the bytes of one cell, or of
//! one member of it, so that everything a program does not know of stays as it is.

mod edit;
mod layout;
mod members;
#[cfg(test)]
mod tests;

use std::ops::Range;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

pub(crate) use edit::{Edited, delete, insert, replace};
use members::Members;

/// Known names that an error lists.
const MAX_LISTED: usize = 20;

/// Why a text is no notebook, or has not the cell that was asked for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NotebookError {
    /// Not JSON.
    #[error("it is not valid JSON: {0}")]
    Json(String),
    /// JSON, and something else.
    #[error("it is not a notebook: {0}")]
    Shape(&'static str),
    /// No cell has this name.
    #[error("no cell has the id {wanted:?}. {known}")]
    NoSuchId {
        /// As asked for.
        wanted: String,
        /// Which cells there are, in words.
        known: String,
    },
    /// Several cells have this name.
    #[error(
        "the id {wanted:?} is ambiguous: the cells at index {} all have it. Name the cell by cell_index",
        listed(indexes)
    )]
    Ambiguous {
        /// As asked for.
        wanted: String,
        /// Which, from 0.
        indexes: Vec<usize>,
    },
    /// The notebook is shorter.
    #[error("there is no cell at index {wanted}: {known}")]
    NoSuchIndex {
        /// As asked for.
        wanted: u64,
        /// Which cells there are, in words.
        known: String,
    },
}

fn listed(indexes: &[usize]) -> String {
    let words: Vec<String> = indexes.iter().map(usize::to_string).collect();
    words.join(", ")
}

/// A notebook over its text.
#[derive(Debug)]
pub(crate) struct Notebook<'t> {
    pub(crate) text: &'t str,
    pub(crate) cells: Vec<Cell<'t>>,
    /// The array of cells with its brackets.
    array: Range<usize>,
    /// `nbformat` and `nbformat_minor`.
    version: (u64, u64),
    /// The kernel's language, for example `python`.
    pub(crate) language: Option<String>,
}

/// One cell.
#[derive(Debug)]
pub(crate) struct Cell<'t> {
    /// Its place in the text, braces included.
    range: Range<usize>,
    members: Members<'t>,
    pub(crate) id: Option<String>,
    /// `code`, `markdown`, `raw`, or whatever stands there.
    pub(crate) kind: String,
    pub(crate) source: String,
}

/// How a call names a cell.
#[derive(Clone, Copy, Debug)]
pub(crate) enum CellName<'n> {
    Id(&'n str),
    Index(u64),
}

#[derive(Deserialize)]
struct Top<'t> {
    #[serde(borrow)]
    cells: Option<&'t RawValue>,
    #[serde(default)]
    nbformat: Option<u64>,
    #[serde(default)]
    nbformat_minor: Option<u64>,
    #[serde(default)]
    metadata: Option<Value>,
}

impl<'t> Notebook<'t> {
    /// Finds the cells in `text` (without a byte order mark).
    ///
    /// # Errors
    /// When the text is not JSON, or not a notebook of format 4.
    pub(crate) fn parse(text: &'t str) -> Result<Self, NotebookError> {
        let broken = |error: serde_json::Error| NotebookError::Json(error.to_string());
        if let Err(error) = serde_json::from_str::<&RawValue>(text) {
            return Err(broken(error));
        }
        let top: Top<'t> = serde_json::from_str(text)
            .map_err(|_| NotebookError::Shape("the whole is no object of format 4"))?;
        let cells = top.cells.ok_or(NotebookError::Shape(
            "it has no list of cells (format 4 and later have one)",
        ))?;
        let raw_cells: Vec<&'t RawValue> = serde_json::from_str(cells.get())
            .map_err(|_| NotebookError::Shape("`cells` is no list"))?;
        let array = range_in(text, cells.get());
        let cells = raw_cells
            .into_iter()
            .map(|raw| Cell::parse(text, raw))
            .collect::<Result<_, _>>()?;
        let language = top.metadata.as_ref().and_then(|metadata| {
            let name = |pointer| metadata.pointer(pointer).and_then(Value::as_str);
            name("/language_info/name").or_else(|| name("/kernelspec/language"))
        });
        Ok(Self {
            text,
            cells,
            array,
            version: (
                top.nbformat.unwrap_or(4),
                top.nbformat_minor.unwrap_or_default(),
            ),
            language: language.map(str::to_owned),
        })
    }

    /// The index of the cell of this name. `cell-N` and a bare number are an index where no cell has
    /// that very id.
    ///
    /// # Errors
    /// When there is none, or more than one.
    pub(crate) fn find(&self, name: CellName<'_>) -> Result<usize, NotebookError> {
        let wanted = match name {
            CellName::Index(index) => return self.at(index),
            CellName::Id(wanted) => wanted,
        };
        let indexes: Vec<usize> = (0..self.cells.len())
            .filter(|&index| self.cells[index].id.as_deref() == Some(wanted))
            .collect();
        match indexes.as_slice() {
            [index] => return Ok(*index),
            [] => {}
            _ => {
                return Err(NotebookError::Ambiguous {
                    wanted: wanted.to_owned(),
                    indexes,
                });
            }
        }
        let number = wanted.strip_prefix("cell-").unwrap_or(wanted);
        match number.parse() {
            Ok(index) => self.at(index),
            Err(_) => Err(NotebookError::NoSuchId {
                wanted: wanted.to_owned(),
                known: self.known(),
            }),
        }
    }

    fn at(&self, index: u64) -> Result<usize, NotebookError> {
        usize::try_from(index)
            .ok()
            .filter(|&index| index < self.cells.len())
            .ok_or_else(|| NotebookError::NoSuchIndex {
                wanted: index,
                known: self.known(),
            })
    }

    /// The name by which a cell can be asked for: its id, or `cell-N`.
    pub(crate) fn name(&self, index: usize) -> String {
        let id = self.cells.get(index).and_then(|cell| cell.id.as_deref());
        match id {
            Some(id) if self.find(CellName::Id(id)) == Ok(index) => id.to_owned(),
            _ => format!("cell-{index}"),
        }
    }

    fn known(&self) -> String {
        let count = self.cells.len();
        if count == 0 {
            return "the notebook has no cells".to_owned();
        }
        let names: Vec<String> = (0..count.min(MAX_LISTED))
            .map(|index| self.name(index))
            .collect();
        let more = if count > MAX_LISTED { ", …" } else { "" };
        format!(
            "the notebook has {}: {}{more}",
            super::counted(count as u64, "cell", "cells"),
            names.join(", ")
        )
    }
}

impl<'t> Cell<'t> {
    fn parse(text: &'t str, raw: &'t RawValue) -> Result<Self, NotebookError> {
        let members: Members<'t> = serde_json::from_str(raw.get())
            .map_err(|_| NotebookError::Shape("a cell is no object"))?;
        let word = |key| {
            let value = members.get(key)?;
            serde_json::from_str::<String>(value.get()).ok()
        };
        let source = match members.get("source") {
            None => String::new(),
            Some(source) => joined(source).ok_or(NotebookError::Shape(
                "the source of a cell is neither a text nor a list of texts",
            ))?,
        };
        Ok(Self {
            range: range_in(text, raw.get()),
            id: word("id"),
            kind: word("cell_type").unwrap_or_default(),
            source,
            members,
        })
    }

    /// The outputs of a code cell.
    pub(crate) fn outputs(&self) -> Vec<Value> {
        let outputs = self.members.get("outputs");
        outputs
            .and_then(|raw| serde_json::from_str(raw.get()).ok())
            .unwrap_or_default()
    }

    /// How often the kernel had run anything when it ran the cell.
    pub(crate) fn execution_count(&self) -> Option<u64> {
        let count = self.members.get("execution_count")?;
        serde_json::from_str(count.get()).ok()
    }
}

/// A text that may be given as a list of its lines.
fn joined(raw: &RawValue) -> Option<String> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Lines {
        Whole(String),
        Parts(Vec<String>),
    }
    match serde_json::from_str(raw.get()).ok()? {
        Lines::Whole(text) => Some(text),
        Lines::Parts(lines) => Some(lines.concat()),
    }
}

/// Where a part that was borrowed from `text` stands in it.
fn range_in(text: &str, part: &str) -> Range<usize> {
    let start = part.as_ptr().addr() - text.as_ptr().addr();
    start..start + part.len()
}
