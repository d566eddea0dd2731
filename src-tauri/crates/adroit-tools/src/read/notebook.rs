//! A notebook as its cells with their outputs.

use std::path::Path;

use adroit_protocol::message::ResultContent;
use adroit_protocol::view::Block;
use adroit_tool::ToolFailure;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;
use serde_json::Value;

use super::image::{self, Picture};
use crate::files::counted;
use crate::files::notebook::Notebook;

/// Characters of all sources and outputs that one call gives.
const MAX_CHARS: usize = 200_000;
/// Characters of one output.
const MAX_OUTPUT: usize = 10_000;
/// Images that one call gives.
const MAX_IMAGES: usize = 8;
/// Kinds of text that an output may hold, the most readable first.
const TEXTS: [&str; 4] = ["text/markdown", "text/plain", "text/latex", "text/html"];
/// Kinds of image that a model can take.
const IMAGES: [&str; 4] = ["image/png", "image/jpeg", "image/webp", "image/gif"];

/// The cells of a notebook.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NotebookCells {
    /// The kernel's language.
    pub language: Option<String>,
    /// The cells, as many as fit.
    pub cells: Vec<ShownCell>,
    /// How many cells there are.
    pub total: usize,
}

/// One cell.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ShownCell {
    /// The name by which NotebookEdit finds it.
    pub name: String,
    /// From 0.
    pub index: usize,
    /// `code`, `markdown` or `raw`.
    pub kind: String,
    /// How often the kernel had run anything when it ran the cell.
    pub execution_count: Option<u64>,
    /// Its source.
    pub source: String,
    /// What came of running it.
    pub outputs: Vec<Output>,
}

/// One output of a cell.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase", tag = "kind")]
pub enum Output {
    /// Text.
    Text {
        /// `stdout`, `stderr`, `error` or `result`.
        label: String,
        /// The text, cut when long.
        text: String,
        /// Characters that were cut off.
        cut: usize,
    },
    /// An image.
    Image(Picture),
    /// Something that is not shown, in words.
    Hidden {
        /// What it is, and why not.
        reason: String,
    },
}

/// Whether the name says that the file is a notebook.
pub(super) fn is_named_so(path: &Path) -> bool {
    path.extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case("ipynb"))
}

/// Reads the cells.
pub(super) fn read(path: &str, text: &str) -> Result<NotebookCells, ToolFailure> {
    let notebook = Notebook::parse(text).map_err(|error| {
        ToolFailure::new(
            "not_a_notebook",
            format!("{path} cannot be read as a notebook: {error}. Read it with offset 1 to see it as text."),
        )
        .with_summary("not a notebook")
    })?;
    let mut reader = Reader {
        room: MAX_CHARS,
        images: MAX_IMAGES,
    };
    let mut cells = Vec::new();
    for (index, cell) in notebook.cells.iter().enumerate() {
        let length = cell.source.chars().count();
        if !cells.is_empty() && length > reader.room {
            break;
        }
        reader.room = reader.room.saturating_sub(length);
        cells.push(ShownCell {
            name: notebook.name(index),
            index,
            kind: cell.kind.clone(),
            execution_count: cell.execution_count(),
            source: adroit_workspace::escape_control(&cell.source).into_owned(),
            outputs: cell
                .outputs()
                .iter()
                .flat_map(|output| reader.output(output))
                .collect(),
        });
    }
    Ok(NotebookCells {
        language: notebook.language.clone(),
        cells,
        total: notebook.cells.len(),
    })
}

struct Reader {
    room: usize,
    images: usize,
}

impl Reader {
    /// An output as what of it can be shown: of several forms of the same the most readable one, and
    /// the image beside it.
    fn output(&mut self, output: &Value) -> Vec<Output> {
        let word = |field| output.get(field).and_then(Value::as_str);
        match word("output_type") {
            Some("stream") => {
                let label = word("name").unwrap_or("stdout").to_owned();
                self.text(label, &joined(output.get("text")))
            }
            Some("error") => {
                let trace = lines(output.get("traceback"));
                let text = if trace.is_empty() {
                    let part = |field| word(field).unwrap_or_default();
                    format!("{}: {}", part("ename"), part("evalue"))
                } else {
                    trace
                };
                self.text("error".to_owned(), &without_escapes(&text))
            }
            Some("execute_result" | "display_data") => self.data(output.get("data")),
            other => vec![Output::Hidden {
                reason: format!(
                    "an output of type {} is not shown",
                    other.unwrap_or("unknown")
                ),
            }],
        }
    }

    fn data(&mut self, data: Option<&Value>) -> Vec<Output> {
        let Some(forms) = data.and_then(Value::as_object) else {
            return Vec::new();
        };
        let mut outputs = Vec::new();
        for kind in IMAGES {
            if let Some(data) = forms.get(kind) {
                outputs.push(self.image(kind, &joined(Some(data))));
            }
        }
        // What an image shows, `<Figure size 640x480>` says again.
        let text = TEXTS.iter().find_map(|kind| forms.get(*kind));
        match text {
            Some(text) if outputs.is_empty() => {
                outputs.extend(self.text("result".to_owned(), &joined(Some(text))));
            }
            None if outputs.is_empty() => {
                let kinds: Vec<&str> = forms.keys().map(String::as_str).collect();
                outputs.push(Output::Hidden {
                    reason: format!("an output of type {} is not shown", kinds.join(", ")),
                });
            }
            _ => {}
        }
        outputs
    }

    fn text(&mut self, label: String, text: &str) -> Vec<Output> {
        let text = text.trim_end_matches('\n');
        if text.is_empty() {
            return Vec::new();
        }
        let limit = MAX_OUTPUT.min(self.room);
        let (kept, cut) = match text.char_indices().nth(limit) {
            Some((at, _)) => (&text[..at], text[at..].chars().count()),
            None => (text, 0),
        };
        self.room -= kept.chars().count().min(self.room);
        vec![Output::Text {
            label,
            text: adroit_workspace::escape_control(kept).into_owned(),
            cut,
        }]
    }

    fn image(&mut self, kind: &str, data: &str) -> Output {
        let hidden = |reason: String| Output::Hidden { reason };
        if self.images == 0 {
            return hidden(format!(
                "an output of type {kind} is not shown: there are more than {MAX_IMAGES} images"
            ));
        }
        let base64: String = data.split_whitespace().collect();
        let decoded = STANDARD
            .decode(base64)
            .map_err(|error| error.to_string())
            .and_then(|bytes| image::prepare(&bytes));
        match decoded {
            Ok(picture) => {
                self.images -= 1;
                Output::Image(picture)
            }
            Err(error) => hidden(format!("an output of type {kind} is broken: {error}")),
        }
    }
}

/// A text, or the texts of a list put together.
fn joined(value: Option<&Value>) -> String {
    match value {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => parts.iter().filter_map(Value::as_str).collect(),
        Some(other) => other.to_string(),
        None => String::new(),
    }
}

fn lines(value: Option<&Value>) -> String {
    let parts = value.and_then(Value::as_array);
    let parts: Vec<&str> = parts
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    parts.join("\n")
}

/// A traceback without the escape codes that colour it.
fn without_escapes(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        if character != '\u{1b}' {
            plain.push(character);
            continue;
        }
        // `ESC [` … up to a letter (ECMA-48, control sequences).
        if characters.next() == Some('[') {
            let _ = characters.find(|character| ('@'..='~').contains(character));
        }
    }
    plain
}

impl NotebookCells {
    pub(super) fn is_cut(&self) -> bool {
        self.cells.len() < self.total
            || self
                .cells
                .iter()
                .flat_map(|cell| &cell.outputs)
                .any(|output| matches!(output, Output::Text { cut, .. } if *cut > 0))
    }

    pub(super) fn summary(&self) -> String {
        counted(self.total as u64, "cell", "cells")
    }

    pub(super) fn for_model(&self, path: &str) -> Vec<ResultContent> {
        let mut content = Vec::new();
        let language = self
            .language
            .as_deref()
            .map_or_else(String::new, |language| format!(" in {language}"));
        let mut text = format!("[{path}: notebook{language}, {}]\n", self.summary());
        for cell in &self.cells {
            let run = cell
                .execution_count
                .map_or_else(String::new, |count| format!(", run {count}"));
            text.push_str(&format!(
                "\n[cell {} (index {}, {}{run})]\n{}\n",
                cell.name,
                cell.index,
                cell.kind,
                cell.source.trim_end_matches('\n')
            ));
            for output in &cell.outputs {
                match output {
                    Output::Text {
                        label,
                        text: shown,
                        cut,
                    } => {
                        text.push_str(&format!("[output: {label}]\n{shown}\n"));
                        if *cut > 0 {
                            text.push_str(&format!("[{cut} more characters of this output]\n"));
                        }
                    }
                    Output::Image(picture) => {
                        text.push_str(&format!("[output: {}]", picture.description));
                        content.push(ResultContent::text(std::mem::take(&mut text)));
                        content.push(ResultContent::Image {
                            media_type: picture.media_type.to_owned(),
                            data: picture.data.clone(),
                        });
                    }
                    Output::Hidden { reason } => text.push_str(&format!("[output: {reason}]\n")),
                }
            }
        }
        let rest = self.total - self.cells.len();
        if rest > 0 {
            text.push_str(&format!(
                "\n[{} not shown: the notebook is too long. Read it with offset and limit to see the lines of the file]",
                counted(rest as u64, "more cell", "more cells")
            ));
        }
        let text = text.trim_end_matches('\n');
        if !text.is_empty() {
            content.push(ResultContent::text(text));
        }
        content
    }

    /// The cells as a person sees them, up to `limit` blocks.
    pub(super) fn blocks(&self, limit: usize) -> Vec<Block> {
        let language = self.language.clone();
        let mut blocks = Vec::new();
        for cell in &self.cells {
            blocks.push(match cell.kind.as_str() {
                "markdown" => Block::Markdown {
                    text: cell.source.clone(),
                },
                _ => Block::Code {
                    language: language.clone().filter(|_| cell.kind == "code"),
                    text: cell.source.clone(),
                    first_line: None,
                    hidden_lines: 0,
                },
            });
            blocks.extend(cell.outputs.iter().map(|output| match output {
                Output::Text { text, .. } => Block::Text { text: text.clone() },
                Output::Image(picture) => Block::Image {
                    media_type: picture.media_type.to_owned(),
                    data: picture.data.clone(),
                    alternative: format!("output of cell {}: {}", cell.name, picture.description),
                },
                Output::Hidden { reason } => Block::Text {
                    text: reason.clone(),
                },
            }));
        }
        blocks.truncate(limit);
        blocks
    }
}
