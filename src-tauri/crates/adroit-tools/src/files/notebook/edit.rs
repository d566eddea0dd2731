//! Changing one cell and no other byte.

use std::ops::Range;

use serde_json::{Value, json};

use super::layout::{Layout, indent_at};
use super::{Cell, Notebook, range_in};

/// A notebook's new text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Edited {
    pub(crate) text: String,
    /// The cell that was changed or made; where one was deleted, its former index.
    pub(crate) index: usize,
    /// Outputs of the cell were dropped: they belonged to the old source.
    pub(crate) outputs_cleared: bool,
}

/// Gives a cell another source and, where `kind` says so, another type.
pub(crate) fn replace(
    notebook: &Notebook<'_>,
    index: usize,
    source: &str,
    kind: Option<&str>,
) -> Option<Edited> {
    let cell = notebook.cells.get(index)?;
    let layout = Layout::of(notebook.text, &notebook.array);
    let outputs_cleared = !cell.outputs().is_empty();
    let kind = kind.unwrap_or(&cell.kind);
    let patches = match cell.members.get("source") {
        Some(old) if kind == cell.kind => {
            let place = range_in(notebook.text, old.get());
            let mut patches = vec![(place.clone(), like(notebook, &layout, place, source))];
            if cell.kind == "code" {
                for (name, blank) in [("outputs", "[]"), ("execution_count", "null")] {
                    if let Some(old) = cell.members.get(name) {
                        patches.push((range_in(notebook.text, old.get()), blank.to_owned()));
                    }
                }
            }
            patches
        }
        _ => {
            let cell_text = rebuilt(notebook, &layout, cell, source, kind);
            vec![(cell.range.clone(), cell_text)]
        }
    };
    Some(Edited {
        text: patched(notebook.text, patches),
        index,
        outputs_cleared,
    })
}

/// A new cell after the one at `after`, or before all others.
pub(crate) fn insert(
    notebook: &Notebook<'_>,
    after: Option<usize>,
    source: &str,
    kind: &str,
) -> Option<Edited> {
    let layout = Layout::of(notebook.text, &notebook.array);
    let text = notebook.text;
    let index = after.map_or(0, |after| after + 1);
    let patch = match (after, notebook.cells.first()) {
        (Some(after), Some(first)) => {
            let cell = notebook.cells.get(after)?;
            let indent = indent_at(text, first.range.start);
            let new = layout.render(&fresh(notebook, source, kind, index), indent);
            let at = cell.range.end;
            (at..at, format!("{}{new}", layout.between(indent)))
        }
        (None, Some(first)) => {
            let indent = indent_at(text, first.range.start);
            let new = layout.render(&fresh(notebook, source, kind, index), indent);
            let at = first.range.start;
            (at..at, format!("{new}{}", layout.between(indent)))
        }
        (Some(_), None) => return None,
        (None, None) => {
            let outer = indent_at(text, notebook.array.start);
            let new = layout.render(&fresh(notebook, source, kind, index), &layout.deeper(outer));
            let array = layout.enclose("[", "]", vec![new], outer);
            (notebook.array.clone(), array)
        }
    };
    Some(Edited {
        text: patched(text, vec![patch]),
        index,
        outputs_cleared: false,
    })
}

/// The notebook without a cell.
pub(crate) fn delete(notebook: &Notebook<'_>, index: usize) -> Option<Edited> {
    let cell = notebook.cells.get(index)?;
    // With the cell goes the comma that parted it from its neighbour.
    let place = match (index.checked_sub(1), notebook.cells.get(index + 1)) {
        (Some(before), _) => notebook.cells.get(before)?.range.end..cell.range.end,
        (None, Some(next)) => cell.range.start..next.range.start,
        (None, None) => notebook.array.start + 1..notebook.array.end - 1,
    };
    Some(Edited {
        text: patched(notebook.text, vec![(place, String::new())]),
        index,
        outputs_cleared: false,
    })
}

/// The text with each place replaced. Places do not overlap.
fn patched(text: &str, mut patches: Vec<(Range<usize>, String)>) -> String {
    patches.sort_by_key(|(place, _)| place.start);
    let mut new = String::with_capacity(text.len());
    let mut copied = 0;
    for (place, part) in patches {
        new.push_str(&text[copied..place.start]);
        new.push_str(&part);
        copied = place.end;
    }
    new.push_str(&text[copied..]);
    new
}

/// A source in the form that the one at `place` has: a text or a list of lines, on one line or on many.
fn like(notebook: &Notebook<'_>, layout: &Layout, place: Range<usize>, source: &str) -> String {
    let old = &notebook.text[place.clone()];
    let indent = indent_at(notebook.text, place.start);
    if old.starts_with('"') {
        return layout.render(&Value::from(source), indent);
    }
    let has_lines = old.len() > 2 && old.contains('"');
    if has_lines && !old.contains('\n') {
        return layout.on_one_line().render(&lines(source), indent);
    }
    layout.render(&lines(source), indent)
}

fn lines(source: &str) -> Value {
    source.split_inclusive('\n').map(Value::from).collect()
}

/// A source in the form that most of the notebook has.
fn source_value(notebook: &Notebook<'_>, source: &str) -> Value {
    let texts = notebook
        .cells
        .iter()
        .filter(|cell| {
            let source = cell.members.get("source");
            source.is_some_and(|source| source.get().starts_with('"'))
        })
        .count();
    if texts * 2 > notebook.cells.len() {
        Value::from(source)
    } else {
        lines(source)
    }
}

/// A cell of another type: its members keep their order and their text, but for those that the type
/// does not have.
fn rebuilt(
    notebook: &Notebook<'_>,
    layout: &Layout,
    cell: &Cell<'_>,
    source: &str,
    kind: &str,
) -> String {
    let indent = indent_at(notebook.text, cell.range.start);
    let inner = layout.deeper(indent);
    let dropped: &[&str] = match kind {
        "code" => &["attachments"],
        _ => &["outputs", "execution_count"],
    };
    let mut members: Vec<(&str, String)> = cell
        .members
        .iter()
        .filter(|(key, _)| !dropped.contains(key))
        .map(|(key, value)| match key {
            "cell_type" => (key, layout.render(&Value::from(kind), &inner)),
            "source" => {
                let place = range_in(notebook.text, value.get());
                (key, like(notebook, layout, place, source))
            }
            "outputs" => (key, "[]".to_owned()),
            "execution_count" => (key, "null".to_owned()),
            _ => (key, value.get().to_owned()),
        })
        .collect();
    let mut wanted = vec![("source", source_value(notebook, source))];
    if kind == "code" {
        wanted.extend([("execution_count", Value::Null), ("outputs", json!([]))]);
    }
    for (key, value) in wanted {
        if !members.iter().any(|(present, _)| *present == key) {
            // Notebooks sort their names; where this one does not, the end is as good a place.
            let at = members.partition_point(|(present, _)| *present < key);
            members.insert(at, (key, layout.render(&value, &inner)));
        }
    }
    let members = members
        .iter()
        .map(|(key, value)| layout.member(key, value))
        .collect();
    layout.enclose("{", "}", members, indent)
}

/// A new cell.
fn fresh(notebook: &Notebook<'_>, source: &str, kind: &str, index: usize) -> Value {
    let mut cell = serde_json::Map::new();
    cell.insert("cell_type".to_owned(), Value::from(kind));
    if kind == "code" {
        cell.insert("execution_count".to_owned(), Value::Null);
    }
    // Since 4.5 every cell has an id.
    if notebook.version >= (4, 5) {
        cell.insert(
            "id".to_owned(),
            Value::from(new_id(notebook, source, index)),
        );
    }
    cell.insert("metadata".to_owned(), json!({}));
    if kind == "code" {
        cell.insert("outputs".to_owned(), json!([]));
    }
    cell.insert("source".to_owned(), source_value(notebook, source));
    Value::Object(cell)
}

/// An id that no cell has. Made from the content, so that what a person is shown before is what is
/// written after.
fn new_id(notebook: &Notebook<'_>, source: &str, index: usize) -> String {
    let mut salt = 0_u32;
    loop {
        let seed = format!("{salt}\n{index}\n{}\n{source}", notebook.cells.len());
        let hash = adroit_workspace::ContentHash::of(seed.as_bytes()).to_string();
        let id: String = hash.chars().take(8).collect();
        let taken = notebook
            .cells
            .iter()
            .any(|cell| cell.id.as_deref() == Some(id.as_str()));
        if !taken {
            return id;
        }
        salt += 1;
    }
}
