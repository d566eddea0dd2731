//! The text of PDF pages.
//!
//! A PDF is a program of strangers: it is read on a thread of its own with a bounded stack, within a
//! time and a number of steps, and never from a stream that unpacks without end. Whatever it does, the
//! call ends; and so does the thread, because it asks at each step whether to go on.

mod pages;
#[cfg(test)]
pub(super) mod tests;
mod text;
mod unpack;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use adroit_tool::{Cancellation, ToolFailure};
use hayro_interpret::hayro_syntax::{DecryptionError, LoadPdfError, Pdf};
use hayro_interpret::kurbo::Rect;
use hayro_interpret::{
    Context, InterpreterCache, InterpreterSettings, RenderContent, TransformExt, interpret_page,
};
use serde::Serialize;

use self::pages::PageRange;
use self::text::PageText;

/// The largest file that is read, in bytes.
pub(super) const MAX_FILE: u64 = 64 << 20;
/// Pages that one call gives.
const MAX_PAGES: usize = 20;
/// Characters of all pages of one call.
const MAX_CHARS: usize = 200_000;
/// What all streams together may unpack to, in bytes.
const MAX_UNPACKED: u64 = 512 << 20;
/// How much reading may take.
const BOUNDS: Bounds = Bounds {
    time: Duration::from_secs(10),
    steps: 1_000_000,
};

/// How much work a document may make.
#[derive(Clone, Copy, Debug)]
struct Bounds {
    /// How long it may take.
    time: Duration,
    /// Things that are drawn on all pages of one call. A map of a city has some 100,000; forms that draw
    /// forms that draw forms come to any number.
    steps: u64,
}
/// A thread that does not look at the clock is waited for this much longer.
const GRACE: Duration = Duration::from_secs(1);
/// The stack of the reading thread, in bytes: nested forms recurse.
const STACK: usize = 32 << 20;

/// Some pages of a PDF.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Document {
    /// How many pages there are.
    pub total_pages: usize,
    /// The pages that were read.
    pub pages: Vec<DocumentPage>,
    /// The range asked for went on past the end.
    pub past_end: bool,
    /// The last page is cut, because there was too much text.
    pub cut: bool,
}

/// One page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DocumentPage {
    /// Its number, from 1.
    pub number: usize,
    /// Its text; empty where it has none.
    pub text: String,
    /// How many images are on it.
    pub images: u32,
    /// Characters whose meaning the file does not say.
    pub unknown: u32,
}

/// Reads `pages` (all when absent, as far as one call goes) of the PDF.
pub(super) fn read(
    path: &str,
    bytes: Vec<u8>,
    pages: Option<&str>,
    cancellation: &Cancellation,
) -> Result<Document, ToolFailure> {
    read_within(path, bytes, pages, cancellation, BOUNDS)
}

fn read_within(
    path: &str,
    bytes: Vec<u8>,
    pages: Option<&str>,
    cancellation: &Cancellation,
    bounds: Bounds,
) -> Result<Document, ToolFailure> {
    let range = pages.map(str::to_owned);
    let (sender, receiver) = mpsc::channel();
    let (name, cancel) = (path.to_owned(), cancellation.clone());
    let deadline = Instant::now() + bounds.time;
    let spawned = std::thread::Builder::new()
        .name("pdf".to_owned())
        .stack_size(STACK)
        .spawn(move || {
            let steps = AtomicU64::new(0);
            let stop = || {
                cancel.is_cancelled()
                    || Instant::now() > deadline
                    || steps.fetch_add(1, Ordering::Relaxed) > bounds.steps
            };
            // A parser is not to bring the program down, whatever the bytes.
            let read = catch_unwind(AssertUnwindSafe(|| {
                extract(&name, bytes, range.as_deref(), &stop)
            }));
            let ended = match read {
                // It was to stop, so what it says of the file is no verdict.
                _ if steps.load(Ordering::Relaxed) > bounds.steps => {
                    Some(Err(too_much(&name, bounds.steps)))
                }
                Ok(read) => Some(read),
                Err(_) => None,
            };
            // Nobody waits any more where this fails.
            let _ = sender.send(ended);
        });
    if let Err(error) = spawned {
        return Err(ToolFailure::new(
            "fault",
            format!("{path} cannot be read now: no thread could be started ({error})."),
        ));
    }
    let late = || {
        ToolFailure::new(
            "too_slow",
            format!("{path} took longer than {} seconds to read and was given up. Ask for fewer pages; `pdftotext` in Bash may do better.", bounds.time.as_secs()),
        )
        .with_summary("took too long")
    };
    loop {
        match receiver.recv_timeout(Duration::from_millis(20)) {
            Ok(Some(Ok(document))) => return Ok(document),
            Ok(Some(Err(_)) | None) if cancellation.is_cancelled() => {
                return Err(ToolFailure::new("cancelled", "Cancelled while reading."));
            }
            Ok(Some(Err(_)) | None) if Instant::now() > deadline => return Err(late()),
            Ok(Some(Err(failure))) => return Err(failure),
            Ok(None) | Err(RecvTimeoutError::Disconnected) => {
                return Err(broken(path, "its content cannot be made sense of"));
            }
            Err(RecvTimeoutError::Timeout) if cancellation.is_cancelled() => {
                return Err(ToolFailure::new("cancelled", "Cancelled while reading."));
            }
            Err(RecvTimeoutError::Timeout) if Instant::now() > deadline + GRACE => {
                return Err(late());
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
    }
}

fn extract(
    path: &str,
    bytes: Vec<u8>,
    range: Option<&str>,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<Document, ToolFailure> {
    unpack::must_be_bounded(&bytes, MAX_UNPACKED, stop).map_err(|reason| broken(path, &reason))?;
    let pdf = Pdf::new(bytes).map_err(|error| unreadable(path, error))?;
    let total_pages = pdf.pages().len();
    if total_pages == 0 {
        return Err(broken(path, "it has no pages"));
    }
    let range = match range {
        Some(text) => PageRange::parse(text, total_pages)
            .map_err(|error| ToolFailure::new("invalid_pages", format!("{path}: {error}")))?,
        None => PageRange::all(total_pages),
    };
    let cache = InterpreterCache::new();
    let mut document = Document {
        total_pages,
        pages: Vec::new(),
        past_end: range.past_end,
        cut: false,
    };
    let mut room = MAX_CHARS;
    for number in range.numbers().take(MAX_PAGES) {
        let Some(page) = pdf.pages().get(number - 1) else {
            break;
        };
        let transform = page.initial_transform(true).to_kurbo();
        let (width, height) = page.render_dimensions();
        let frame = Rect::new(0.0, 0.0, width.into(), height.into());
        let settings = InterpreterSettings {
            render_content: RenderContent::all(),
            ..InterpreterSettings::default()
        };
        let mut context = Context::new(transform, frame, &cache, pdf.xref(), settings);
        let mut text = PageText::new(stop, room);
        interpret_page(page, &mut context, &mut text);
        let (page, full) = text.finish(number);
        room = room.saturating_sub(page.text.chars().count());
        document.pages.push(page);
        if full || room == 0 {
            document.cut = full;
            break;
        }
    }
    if document.pages.iter().all(|page| page.text.is_empty()) {
        return Err(without_text(path, &document));
    }
    Ok(document)
}

fn too_much(path: &str, steps: u64) -> ToolFailure {
    let message = format!(
        "{path} draws more than {steps} things on the pages that were asked for, and was given up. Ask for fewer pages; `pdftotext` in Bash may do better."
    );
    ToolFailure::new("too_slow", message).with_summary("draws too much")
}

fn unreadable(path: &str, error: LoadPdfError) -> ToolFailure {
    match error {
        LoadPdfError::Decryption(DecryptionError::PasswordProtected) => {
            let message = format!(
                "{path} is encrypted and needs a password, so its text cannot be read. Ask for a version without, or use `qpdf --decrypt --password=…` in Bash where the password is known."
            );
            ToolFailure::new("encrypted_pdf", message).with_summary("encrypted")
        }
        LoadPdfError::Decryption(_) => {
            let message = format!(
                "{path} is encrypted in a way that cannot be read (unknown or broken encryption)."
            );
            ToolFailure::new("encrypted_pdf", message).with_summary("encrypted")
        }
        LoadPdfError::Invalid => broken(path, "it is damaged or cut off"),
    }
}

fn broken(path: &str, reason: &str) -> ToolFailure {
    ToolFailure::new(
        "broken_pdf",
        format!("{path} cannot be read as a PDF: {reason}. Nothing of it was sent."),
    )
    .with_summary("PDF cannot be read")
}

fn without_text(path: &str, document: &Document) -> ToolFailure {
    let images: u32 = document.pages.iter().map(|page| page.images).sum();
    let unknown: u32 = document.pages.iter().map(|page| page.unknown).sum();
    let first = document.pages.first().map_or(1, |page| page.number);
    let last = document.pages.last().map_or(1, |page| page.number);
    let pages = if first == last {
        format!("page {first}")
    } else {
        format!("pages {first} to {last}")
    };
    let why = if unknown > 0 {
        "the characters are drawn in a font that does not say which they are"
    } else if images > 0 {
        "the text, if any, is a picture: the document was scanned"
    } else {
        "nothing is written there"
    };
    let message = format!(
        "{path} has no text on {pages} of {}: {why}. `pdftoppm` and `tesseract` in Bash help where they are installed.",
        document.total_pages
    );
    ToolFailure::new("no_text", message).with_summary("no text")
}

impl Document {
    /// `pages 3 to 5 of 12`.
    pub(super) fn extent(&self) -> String {
        let first = self.pages.first().map_or(1, |page| page.number);
        let last = self.pages.last().map_or(first, |page| page.number);
        if first == last {
            format!("page {first} of {}", self.total_pages)
        } else {
            format!("pages {first} to {last} of {}", self.total_pages)
        }
    }

    pub(super) fn is_whole(&self) -> bool {
        self.pages.len() == self.total_pages && !self.cut
    }

    pub(super) fn for_model(&self) -> String {
        let mut text = String::new();
        for page in &self.pages {
            text.push_str(&format!("[page {}]\n", page.number));
            text.push_str(&page.text);
            if page.text.is_empty() {
                text.push_str(if page.images > 0 {
                    "[no text; the page is a picture]"
                } else {
                    "[no text]"
                });
            }
            text.push_str("\n\n");
        }
        let mut note = self.extent();
        if self.past_end {
            note.push_str(&format!(
                "; the document ends with page {}",
                self.total_pages
            ));
        }
        if self.cut {
            note.push_str("; the last of them is cut, because there is too much text");
        }
        let last = self.pages.last().map_or(0, |page| page.number);
        if last < self.total_pages && !self.past_end {
            let to = self.total_pages.min(last + MAX_PAGES);
            note.push_str(&format!("; continue with pages \"{}-{to}\"", last + 1));
        }
        if self.pages.iter().any(|page| page.unknown > 0) {
            note.push_str("; \u{fffd} stands for characters that the file does not name");
        }
        text.push_str(&format!("[{note}]"));
        text
    }
}
