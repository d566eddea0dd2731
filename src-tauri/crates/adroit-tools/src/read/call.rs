//! Reading.

use adroit_protocol::message::ResultContent;
use adroit_tool::{CallContext, MAX_REMEMBERED_TEXT, Seen, ToolFailure};
use adroit_workspace::{
    ContentHash, LoadError, LoadedText, Page, PageRequest, Resolved, TextEncoding, human_size,
    read_page,
};
use serde::Serialize;

use super::{ReadInput, image, notebook, pdf};
use crate::Services;
use crate::files::{self, counted, read_failure};

/// Characters of one page. A page of the longest permitted lines would fill a model's memory.
const MAX_PAGE: usize = 200_000;
/// The largest image that is decoded, in bytes.
const MAX_IMAGE: u64 = 40 << 20;
/// The largest file that is no text and that may be replaced, in bytes: it is compared before.
const MAX_REPLACED: u64 = 64 << 20;
/// What the first bytes of a PDF are known by.
const PDF: &str = "application/pdf";

/// What was read.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReadOutput {
    /// The file, relative to the project where inside.
    pub path: String,
    /// Its content.
    pub content: ReadContent,
}

/// The content of a file.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase", tag = "kind")]
pub enum ReadContent {
    /// Lines.
    Text(TextPage),
    /// An image.
    Image(image::Picture),
    /// Pages of a PDF.
    Document(pdf::Document),
    /// The cells of a notebook.
    Notebook(notebook::NotebookCells),
}

/// Some lines of a text file.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TextPage {
    /// The number of the first line, from 1.
    pub first_line: u64,
    /// The lines, without endings.
    pub lines: Vec<TextLine>,
    /// How many lines the file has.
    pub total_lines: u64,
    /// Its size in bytes.
    pub size: u64,
    /// The encoding's name where it is not plain UTF-8.
    pub encoding: Option<&'static str>,
    /// The page ended early because it grew too large.
    pub page_full: bool,
}

/// One line.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TextLine {
    /// Its text, cut when long.
    pub text: String,
    /// How much was cut off, in characters.
    pub cut: u64,
}

pub(super) async fn read(
    services: &Services,
    input: &ReadInput,
    context: CallContext,
) -> Result<ReadOutput, ToolFailure> {
    let resolved = files::resolve(&services.workspace, &input.file_path)
        .map_err(|error| ToolFailure::new("invalid_path", format!("{error}.")))?;
    let request = PageRequest {
        first: input.offset.unwrap_or(1).max(1),
        count: input.limit.unwrap_or(context.limits.read_lines as u64),
        line_limit: context.limits.line_chars,
        page_limit: MAX_PAGE,
    };
    let cancel = context.cancellation.token().clone();
    let reading = Reading {
        services: services.clone(),
        resolved,
        context,
    };
    // Who asks for lines of a notebook gets the lines of the file.
    let as_notebook = input.offset.is_none() && input.limit.is_none() && input.pages.is_none();
    let pages = input.pages.clone();
    let work = tokio::task::spawn_blocking(move || {
        if as_notebook
            && notebook::is_named_so(&reading.resolved.real)
            && let Some(read) = reading.notebook()?
        {
            return Ok(read);
        }
        reading.file(request, pages.as_deref())
    });
    // A decoder knows no cancelling, and a dead network file system no end: neither holds the call up.
    tokio::select! {
        biased;
        () = cancel.cancelled() => Err(cancelled()),
        read = work => read.unwrap_or_else(|fault| {
            Err(ToolFailure::new(
                "fault",
                format!("reading ended unexpectedly: {fault}"),
            ))
        }),
    }
}

fn cancelled() -> ToolFailure {
    ToolFailure::new("cancelled", "Cancelled while reading.")
}

/// One file that is being read.
struct Reading {
    services: Services,
    resolved: Resolved,
    context: CallContext,
}

impl Reading {
    fn path(&self) -> String {
        self.services.workspace.display(&self.resolved.path)
    }

    /// Why there is nothing to show. That there is something else than text, and which, counts as read:
    /// so that it can be replaced as a whole, as long as it is still the same.
    fn failure(&self, error: LoadError) -> ToolFailure {
        if matches!(
            error,
            LoadError::Binary { .. } | LoadError::Undecodable { .. }
        ) && let Ok(bytes) =
            adroit_workspace::read_bytes_capped(&self.resolved.real, MAX_REPLACED)
        {
            self.record(ContentHash::of(&bytes), true, None);
        }
        read_failure(&self.services.workspace, &self.resolved, error)
    }

    fn file(&self, request: PageRequest, pages: Option<&str>) -> Result<ReadOutput, ToolFailure> {
        let ended = || self.context.cancellation.is_cancelled();
        match read_page(&self.resolved.real, request, &ended) {
            Err(LoadError::Binary { kind, .. }) if kind == PDF => self.document(pages),
            Ok(_) | Err(LoadError::Binary { .. }) if pages.is_some() => {
                let message = format!(
                    "{} is not a PDF: pages are for PDF documents only. Leave them out, or use offset and limit for lines.",
                    self.path()
                );
                Err(ToolFailure::new("not_a_pdf", message).with_summary("not a PDF"))
            }
            Ok(page) => self.text(page),
            Err(LoadError::Binary { kind, .. }) if image::is_image(&kind) => self.picture(),
            Err(_) if ended() => Err(cancelled()),
            Err(error) => Err(self.failure(error)),
        }
    }

    fn text(&self, page: Page) -> Result<ReadOutput, ToolFailure> {
        let path = self.path();
        if page.lines.is_empty() && page.first > page.total_lines.max(1) {
            let message = format!(
                "{path} has {}; offset {} is past its end.",
                counted(page.total_lines, "line", "lines"),
                page.first
            );
            return Err(ToolFailure::new("offset_past_end", message).with_summary("past the end"));
        }
        let whole = page.first == 1
            && page.lines.len() as u64 == page.total_lines
            && page.lines.iter().all(|line| line.cut == 0);
        self.record(page.hash, whole, page.text);
        let encoding = (page.encoding != TextEncoding::Utf8).then(|| page.encoding.name());
        let lines = page
            .lines
            .into_iter()
            .map(|line| TextLine {
                text: line.text,
                cut: line.cut,
            })
            .collect();
        let text = TextPage {
            first_line: page.first,
            lines,
            total_lines: page.total_lines,
            size: page.size,
            encoding,
            page_full: page.page_limit_reached,
        };
        Ok(ReadOutput {
            path,
            content: ReadContent::Text(text),
        })
    }

    /// Notes that the agent has seen the file, and the text that it has seen.
    fn record(&self, hash: ContentHash, whole: bool, text: Option<String>) {
        let real = &self.resolved.real;
        let seen = Seen {
            hash: hash.bytes(),
            whole,
        };
        self.context.files.record(real, seen);
        if let Some(text) = text.filter(|text| text.len() <= MAX_REMEMBERED_TEXT) {
            self.context.files.remember_text(real, text.into());
        }
    }

    fn bytes(&self, limit: u64) -> Result<Vec<u8>, ToolFailure> {
        adroit_workspace::read_bytes_capped(&self.resolved.real, limit)
            .map_err(|error| self.failure(error.into()))
    }

    fn picture(&self) -> Result<ReadOutput, ToolFailure> {
        let path = self.path();
        let bytes = self.bytes(MAX_IMAGE)?;
        let picture = image::prepare(&bytes).map_err(|error| {
            let size = human_size(bytes.len() as u64);
            ToolFailure::new("broken_image", format!("{path} ({size}): {error}"))
                .with_summary("image cannot be decoded")
        })?;
        self.record(ContentHash::of(&bytes), true, None);
        Ok(ReadOutput {
            path,
            content: ReadContent::Image(picture),
        })
    }

    fn document(&self, pages: Option<&str>) -> Result<ReadOutput, ToolFailure> {
        let path = self.path();
        let bytes = self.bytes(pdf::MAX_FILE)?;
        let hash = ContentHash::of(&bytes);
        let document = pdf::read(&path, bytes, pages, &self.context.cancellation)?;
        self.record(hash, document.is_whole(), None);
        Ok(ReadOutput {
            path,
            content: ReadContent::Document(document),
        })
    }

    /// The file as a notebook; nothing where it is empty and so still to be written.
    fn notebook(&self) -> Result<Option<ReadOutput>, ToolFailure> {
        let path = self.path();
        let loaded = LoadedText::load(&self.resolved.real).map_err(|error| self.failure(error))?;
        if loaded.text.trim().is_empty() {
            return Ok(None);
        }
        let cells = notebook::read(&path, &loaded.text)?;
        self.record(loaded.hash, !cells.is_cut(), Some(loaded.text));
        Ok(Some(ReadOutput {
            path,
            content: ReadContent::Notebook(cells),
        }))
    }
}

impl TextPage {
    /// The number of the last line of the page.
    pub(super) fn last_line(&self) -> u64 {
        self.first_line + (self.lines.len() as u64).saturating_sub(1)
    }

    fn is_whole(&self) -> bool {
        self.first_line == 1 && self.lines.len() as u64 == self.total_lines
    }

    fn for_model(&self, path: &str) -> String {
        if self.total_lines == 0 {
            return format!("[{path} exists and is empty.]");
        }
        let mut text = String::new();
        for (number, line) in (self.first_line..).zip(&self.lines) {
            text.push_str(&format!("{number:>6}\t{}", line.text));
            if line.cut > 0 {
                text.push_str(&format!(" … [line cut: {} more characters]", line.cut));
            }
            text.push('\n');
        }
        let mut notes = Vec::new();
        if !self.is_whole() {
            let mut note = format!(
                "lines {} to {} of {}",
                self.first_line,
                self.last_line(),
                self.total_lines
            );
            if self.page_full {
                note.push_str(", ended early because the lines are long");
            }
            if self.last_line() < self.total_lines {
                note.push_str(&format!("; continue with offset {}", self.last_line() + 1));
            }
            notes.push(note);
        }
        if let Some(encoding) = self.encoding {
            notes.push(format!("encoding {encoding}, kept when the file is edited"));
        }
        if !notes.is_empty() {
            text.push_str(&format!("[{}]", notes.join(". ")));
        }
        text.trim_end_matches('\n').to_owned()
    }
}

impl ReadOutput {
    pub(super) fn is_truncated(&self) -> bool {
        match &self.content {
            ReadContent::Text(page) => {
                !page.is_whole() || page.lines.iter().any(|line| line.cut > 0)
            }
            ReadContent::Image(_) => false,
            ReadContent::Document(document) => !document.is_whole(),
            ReadContent::Notebook(cells) => cells.is_cut(),
        }
    }

    pub(super) fn for_model(&self) -> Vec<ResultContent> {
        match &self.content {
            ReadContent::Text(page) => vec![ResultContent::text(page.for_model(&self.path))],
            ReadContent::Image(picture) => vec![
                ResultContent::text(format!("[{}: {}]", self.path, picture.description)),
                ResultContent::Image {
                    media_type: picture.media_type.to_owned(),
                    data: picture.data.clone(),
                },
            ],
            ReadContent::Document(document) => vec![ResultContent::text(format!(
                "[{}: PDF, {}]\n\n{}",
                self.path,
                counted(document.total_pages as u64, "page", "pages"),
                document.for_model()
            ))],
            ReadContent::Notebook(cells) => cells.for_model(&self.path),
        }
    }
}
