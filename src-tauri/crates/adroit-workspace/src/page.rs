//! Some lines of a file of any size, in one pass and bounded memory.

use std::io::Read;
use std::path::Path;

use encoding_rs::{CoderResult, Decoder};

use crate::text::detect;
use crate::{
    ContentHash, LoadError, LoadedText, ReadError, TextEncoding, display_path, escape_control,
    open_regular, sniff_binary,
};

/// A file up to this size is loaded whole, in bytes.
const WHOLE: u64 = 4 << 20;
/// How much is read at once.
const CHUNK: usize = 256 << 10;
/// From how much of the beginning a large file's encoding is told.
const HEAD: usize = 256 << 10;

/// Which lines are wanted.
#[derive(Clone, Copy, Debug)]
pub struct PageRequest {
    /// The first line, from 1.
    pub first: u64,
    /// How many lines.
    pub count: u64,
    /// Characters after which a line is cut.
    pub line_limit: usize,
    /// Characters after which the page ends, at a whole line.
    pub page_limit: usize,
}

/// One line of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageLine {
    /// Its text without the line ending, cut at the limit, NUL and undecodable bytes escaped.
    pub text: String,
    /// How many characters were cut off. For lines of many megabytes a lower bound in bytes.
    pub cut: u64,
}

/// Some lines of a file, and what the file is.
#[derive(Clone, Debug)]
pub struct Page {
    /// Number of the first line of the page, from 1.
    pub first: u64,
    /// The lines; empty when the file has fewer.
    pub lines: Vec<PageLine>,
    /// How many lines the file has.
    pub total_lines: u64,
    /// Its size in bytes.
    pub size: u64,
    /// Its encoding.
    pub encoding: TextEncoding,
    /// Hash of the whole content.
    pub hash: ContentHash,
    /// The page ended because of its size and not because enough lines were read.
    pub page_limit_reached: bool,
    /// The text of the whole file where it is short, for comparing later.
    pub text: Option<String>,
}

/// Reads a page of the file at `real` (links resolved). The whole file is passed through once, for its
/// hash and its number of lines; only the page is kept. `cancelled` is asked after each chunk.
///
/// # Errors
/// When it cannot be read or is not text.
pub fn read_page(
    real: &Path,
    request: PageRequest,
    cancelled: &dyn Fn() -> bool,
) -> Result<Page, LoadError> {
    let mut file = open_regular(real)?;
    let length = file
        .metadata()
        .map_err(|error| ReadError::from_io(real, error))?
        .len();
    let failed = |error| LoadError::Read(ReadError::from_io(real, error));
    if length <= WHOLE {
        let bytes = crate::disk::read_open(real, file, WHOLE * 4)?;
        return Ok(whole(LoadedText::from_bytes(bytes, real)?, request));
    }
    let mut head = vec![0; HEAD];
    let filled = fill(&mut file, &mut head).map_err(failed)?;
    head.truncate(filled);
    if let Some(kind) = sniff_binary(&head) {
        return Err(LoadError::Binary {
            path: display_path(real),
            kind,
            size: length,
        });
    }
    let mut pass = Pass::new(&head, request);
    pass.feed(&head, false);
    let mut chunk = vec![0; CHUNK];
    loop {
        if cancelled() {
            return Err(failed(std::io::ErrorKind::Interrupted.into()));
        }
        match file.read(&mut chunk).map_err(failed)? {
            0 => break,
            read => pass.feed(&chunk[..read], false),
        }
    }
    pass.feed(&[], true);
    Ok(pass.finish())
}

fn fill(file: &mut std::fs::File, buffer: &mut [u8]) -> std::io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match file.read(&mut buffer[filled..])? {
            0 => break,
            read => filled += read,
        }
    }
    Ok(filled)
}

fn whole(loaded: LoadedText, request: PageRequest) -> Page {
    let mut taken = Taken::new(request);
    let mut number = 0;
    for line in loaded.lines() {
        number += 1;
        if taken.wants(number) {
            // Shown before it is cut, so that an escape is never split.
            let shown = loaded.shown(line);
            taken.push(&shown, 0);
        }
    }
    Page {
        first: request.first,
        lines: taken.lines,
        total_lines: number,
        size: loaded.bytes.len() as u64,
        encoding: loaded.encoding,
        hash: loaded.hash,
        page_limit_reached: taken.full,
        text: Some(loaded.text),
    }
}

/// The lines of the page so far.
struct Taken {
    request: PageRequest,
    lines: Vec<PageLine>,
    characters: usize,
    full: bool,
}

impl Taken {
    fn new(request: PageRequest) -> Self {
        Self {
            request,
            lines: Vec::new(),
            characters: 0,
            full: false,
        }
    }

    fn wants(&self, line: u64) -> bool {
        !self.full && line >= self.request.first && line - self.request.first < self.request.count
    }

    fn push(&mut self, text: &str, dropped: u64) {
        let limit = self.request.line_limit;
        let (kept, rest) = match text.char_indices().nth(limit) {
            Some((at, _)) => text.split_at(at),
            None => (text, ""),
        };
        let characters = kept.chars().count();
        if !self.lines.is_empty() && self.characters + characters > self.request.page_limit {
            self.full = true;
            return;
        }
        self.characters += characters;
        self.lines.push(PageLine {
            text: kept.to_owned(),
            cut: rest.chars().count() as u64 + dropped,
        });
    }
}

/// One pass over a large file.
struct Pass {
    encoding: TextEncoding,
    decoder: Option<Decoder>,
    ending: u8,
    hasher: blake3::Hasher,
    size: u64,
    finished_lines: u64,
    line: Vec<u8>,
    line_dropped: u64,
    line_begun: bool,
    keep: usize,
    taken: Taken,
}

impl Pass {
    fn new(head: &[u8], request: PageRequest) -> Self {
        // A character may be split at the end of the head; up to the last line end all are whole.
        let whole = head
            .iter()
            .rposition(|&byte| byte == b'\n')
            .map_or(head, |at| &head[..=at]);
        let encoding = match detect(head) {
            utf16 @ TextEncoding::Utf16 { .. } => utf16,
            _ => detect(whole),
        };
        let decoder = match encoding {
            TextEncoding::Utf16 {
                big_endian: false, ..
            } => Some(encoding_rs::UTF_16LE.new_decoder_with_bom_removal()),
            TextEncoding::Utf16 {
                big_endian: true, ..
            } => Some(encoding_rs::UTF_16BE.new_decoder_with_bom_removal()),
            TextEncoding::Legacy(legacy) => Some(legacy.new_decoder_without_bom_handling()),
            TextEncoding::Utf8Bom => Some(encoding_rs::UTF_8.new_decoder_with_bom_removal()),
            TextEncoding::Utf8 | TextEncoding::Utf8Broken => None,
        };
        let cr_only = !head.contains(&b'\n') && head.contains(&b'\r');
        Self {
            encoding,
            decoder,
            ending: if cr_only { b'\r' } else { b'\n' },
            hasher: blake3::Hasher::new(),
            size: 0,
            finished_lines: 0,
            line: Vec::new(),
            line_dropped: 0,
            line_begun: false,
            keep: request.line_limit.saturating_mul(4).saturating_add(8),
            taken: Taken::new(request),
        }
    }

    fn feed(&mut self, bytes: &[u8], last: bool) {
        self.hasher.update(bytes);
        self.size += bytes.len() as u64;
        match self.decoder.take() {
            None => self.lines(bytes),
            Some(mut decoder) => {
                let mut text = String::with_capacity(CHUNK * 2);
                let mut rest = bytes;
                loop {
                    let (result, read, _) = decoder.decode_to_string(rest, &mut text, last);
                    self.lines(text.as_bytes());
                    text.clear();
                    rest = &rest[read..];
                    if result == CoderResult::InputEmpty {
                        break;
                    }
                }
                self.decoder = Some(decoder);
            }
        }
        if last && self.line_begun {
            self.end_line();
        }
    }

    fn lines(&mut self, bytes: &[u8]) {
        let mut from = 0;
        for at in memchr::memchr_iter(self.ending, bytes) {
            self.collect(&bytes[from..at]);
            self.end_line();
            from = at + 1;
        }
        if from < bytes.len() {
            self.line_begun = true;
            self.collect(&bytes[from..]);
        }
    }

    fn collect(&mut self, part: &[u8]) {
        if !self.taken.wants(self.finished_lines + 1) {
            return;
        }
        let room = self.keep.saturating_sub(self.line.len());
        let kept = &part[..part.len().min(room)];
        self.line.extend_from_slice(kept);
        self.line_dropped += (part.len() - kept.len()) as u64;
    }

    fn end_line(&mut self) {
        self.finished_lines += 1;
        self.line_begun = false;
        if self.taken.wants(self.finished_lines) {
            if self.ending == b'\n' && self.line_dropped == 0 && self.line.last() == Some(&b'\r') {
                self.line.pop();
            }
            let text = shown_bytes(&self.line, self.line_dropped > 0);
            self.taken.push(&text, self.line_dropped);
        }
        self.line.clear();
        self.line_dropped = 0;
    }

    fn finish(self) -> Page {
        Page {
            first: self.taken.request.first,
            lines: self.taken.lines,
            total_lines: self.finished_lines,
            size: self.size,
            encoding: self.encoding,
            hash: ContentHash::from_hasher(&self.hasher),
            page_limit_reached: self.taken.full,
            text: None,
        }
    }
}

/// UTF-8 with undecodable bytes escaped. Where the line was cut, a split character at the end is dropped.
fn shown_bytes(bytes: &[u8], cut: bool) -> String {
    let mut text = String::with_capacity(bytes.len());
    let mut at = 0;
    for chunk in bytes.utf8_chunks() {
        text.push_str(&escape_control(chunk.valid()));
        at += chunk.valid().len() + chunk.invalid().len();
        if cut && at == bytes.len() && chunk.invalid().len() < 4 {
            break;
        }
        for byte in chunk.invalid() {
            text.push_str(&format!("\\x{byte:02x}"));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page_of(bytes: &[u8], first: u64, count: u64) -> Page {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().canonicalize().unwrap().join("f");
        std::fs::write(&path, bytes).unwrap();
        let request = PageRequest {
            first,
            count,
            line_limit: 2_000,
            page_limit: 1 << 20,
        };
        read_page(&path, request, &|| false).unwrap()
    }

    fn texts(page: &Page) -> Vec<&str> {
        page.lines.iter().map(|line| line.text.as_str()).collect()
    }

    #[test]
    fn lines_of_a_small_file() {
        let page = page_of(b"a\r\nb\nc", 2, 10);
        assert_eq!((texts(&page), page.total_lines), (vec!["b", "c"], 3));
        let past = page_of(b"a\nb\nc\n", 4, 10);
        assert!(past.lines.is_empty() && past.total_lines == 3);
        assert_eq!(page_of(b"", 1, 10).total_lines, 0);
    }

    #[test]
    fn the_middle_of_a_large_file_is_the_same_in_one_pass() {
        for encoding in [
            TextEncoding::Utf8,
            TextEncoding::Utf8Bom,
            TextEncoding::Utf16 {
                big_endian: false,
                bom: true,
            },
            TextEncoding::Utf16 {
                big_endian: true,
                bom: false,
            },
            TextEncoding::Legacy(encoding_rs::WINDOWS_1252),
        ] {
            let text: String = (1..=260_000)
                .map(|line| format!("line number {line} grüße\r\n"))
                .collect();
            let mut bytes = encoding.mark().to_vec();
            bytes.extend(encoding.encode(&text).unwrap());
            assert!(bytes.len() as u64 > WHOLE);
            let page = page_of(&bytes, 130_000, 2);
            assert_eq!(page.encoding.name(), encoding.name());
            assert_eq!(
                texts(&page),
                ["line number 130000 grüße", "line number 130001 grüße"],
                "{}",
                encoding.name()
            );
            assert_eq!((page.total_lines, page.size), (260_000, bytes.len() as u64));
            assert_eq!(page.hash, ContentHash::of(&bytes));
        }
    }

    /// However long the file: no more than a quarter of a megabyte is read between two questions whether
    /// to go on, and none after the answer is no.
    #[test]
    fn a_cancelled_read_ends_at_the_next_block() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().canonicalize().unwrap().join("f");
        let text = "a line of a file\n".repeat(1 << 20);
        std::fs::write(&path, &text).unwrap();
        let request = PageRequest {
            first: 1,
            count: 1,
            line_limit: 100,
            page_limit: 100,
        };
        let asked = std::cell::Cell::new(0);
        let read_until = |last: usize| {
            asked.set(0);
            read_page(&path, request, &|| {
                asked.set(asked.get() + 1);
                asked.get() > last
            })
        };
        assert!(read_until(usize::MAX).is_ok());
        assert!(asked.get() >= text.len() / CHUNK, "{}", asked.get());
        assert!(read_until(3).is_err());
        assert_eq!(asked.get(), 4);
    }

    /// A file of gigabytes is a pass like this one, only longer: what is held does not grow with it.
    #[test]
    fn what_is_held_does_not_grow_with_the_file() {
        let request = PageRequest {
            first: 2,
            count: 3,
            line_limit: 50,
            page_limit: 1_000,
        };
        let mut pass = Pass::new(b"head\n", request);
        pass.feed(b"head\n", false);
        let block = vec![b'x'; CHUNK];
        let mut most = 0;
        // A line without end, in the page and after it, and short lines.
        for round in 0..400 {
            pass.feed(&block, false);
            if round % 100 == 99 {
                pass.feed(b"\n", false);
            }
            most = most.max(pass.line.capacity());
        }
        for _ in 0..50 {
            pass.feed("short\n".repeat(CHUNK / 6).as_bytes(), false);
        }
        assert!(most <= 2 * pass.keep, "{most}");
        let page = pass.finish();
        assert_eq!(page.lines.len(), 3);
        assert!(page.lines.iter().all(|line| line.text.len() <= 50));
        assert!(page.size > 100 << 20);
    }

    #[test]
    fn cuts_fall_between_characters() {
        for size in [5_000, 3_000_000] {
            let bytes = format!("x{}\nend\n", "漢".repeat(size));
            for limit in [1_998, 1_999, 2_000] {
                let folder = tempfile::tempdir().unwrap();
                let path = folder.path().canonicalize().unwrap().join("u.txt");
                std::fs::write(&path, &bytes).unwrap();
                let request = PageRequest {
                    first: 1,
                    count: 9,
                    line_limit: limit,
                    page_limit: 1 << 20,
                };
                let page = read_page(&path, request, &|| false).unwrap();
                assert_eq!(page.lines[0].text.chars().count(), limit);
                assert!(
                    !page.lines[0].text.contains('\u{fffd}') && !page.lines[0].text.contains("\\x")
                );
                assert!(page.lines[0].cut > 0);
                assert_eq!(page.lines[1].text, "end");
            }
        }
    }

    #[test]
    fn a_page_ends_at_its_limit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().canonicalize().unwrap().join("f");
        std::fs::write(&path, "aaaa\nbbbb\ncccc\n").unwrap();
        let request = PageRequest {
            first: 1,
            count: 9,
            line_limit: 100,
            page_limit: 9,
        };
        let page = read_page(&path, request, &|| false).unwrap();
        assert_eq!(texts(&page), ["aaaa", "bbbb"]);
        assert!(page.page_limit_reached);
    }
}
