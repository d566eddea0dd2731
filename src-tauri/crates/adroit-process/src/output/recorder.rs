//! From raw terminal bytes to clean bounded text, in one pass.

use std::num::NonZeroU16;
use std::path::PathBuf;

use super::bounded::{Bounded, BoundedText};
use super::escape::{EscapeParser, Sequence};
use super::screen::LineScreen;
use super::{Output, OutputLimits};
use crate::TerminalSize;

/// Private modes that switch to the alternate screen (xterm).
const ALTERNATE_SCREEN: &[u16] = &[47, 1047, 1049];

/// Fed with what the terminal delivers, cut anywhere.
pub(crate) struct Recorder {
    sink: BoundedText,
    screen: LineScreen,
    escape: EscapeParser,
    /// The beginning of a character whose end has not come yet.
    partial: Vec<u8>,
    /// A full-screen program's screen. Only there are width and scroll regions
    /// needed, so only there is a whole terminal emulated.
    alternate: Option<vt100::Parser>,
    size: TerminalSize,
    raw_bytes: u64,
    binary_bytes: u64,
    /// Binary data of the run not yet named.
    binary_run: u64,
}

impl Recorder {
    pub(crate) fn new(limits: OutputLimits, folder: Option<PathBuf>, size: TerminalSize) -> Self {
        Self {
            sink: BoundedText::new(limits, folder),
            screen: LineScreen::new(size.rows.into()),
            escape: EscapeParser::default(),
            partial: Vec::new(),
            alternate: None,
            size,
            raw_bytes: 0,
            binary_bytes: 0,
            binary_run: 0,
        }
    }

    pub(crate) fn feed(&mut self, bytes: &[u8]) {
        self.raw_bytes += bytes.len() as u64;
        if self.alternate.is_none() && is_binary(bytes) {
            self.binary_run += bytes.len() as u64;
            self.binary_bytes += bytes.len() as u64;
            self.partial.clear();
            self.escape.abandon();
            return;
        }
        self.name_binary();
        let piece = Piece::new(bytes);
        let mut at = 0;
        while at < bytes.len() {
            at = if self.alternate.is_some() {
                self.feed_alternate(bytes, at)
            } else {
                self.feed_lines(&piece, at)
            };
        }
    }

    fn name_binary(&mut self) {
        if self.binary_run > 0 {
            let size = std::mem::take(&mut self.binary_run);
            self.screen.start_new_line(&mut self.sink);
            let name = format!("[binary data, {size} bytes, not shown]");
            self.screen.write_any(&name, &mut self.sink);
            self.screen.line_feed(&mut self.sink);
        }
    }

    /// Takes bytes from `start` until the alternate screen is left; returns
    /// where it stopped.
    fn feed_alternate(&mut self, bytes: &[u8], start: usize) -> usize {
        for (index, &byte) in bytes.iter().enumerate().skip(start) {
            let sequence = if self.escape.takes(byte) {
                self.escape.advance(byte)
            } else {
                if byte == 0x1B {
                    self.escape.begin();
                }
                None
            };
            if leaves_alternate(sequence.as_ref()) {
                self.alternate = None;
                return index + 1;
            }
        }
        if let Some(alternate) = &mut self.alternate {
            alternate.process(&bytes[start..]);
        }
        bytes.len()
    }

    /// Takes bytes from `at` until the alternate screen is entered; returns
    /// where it stopped.
    fn feed_lines(&mut self, piece: &Piece<'_>, mut at: usize) -> usize {
        let bytes = piece.bytes;
        while at < bytes.len() {
            if self.escape.is_ground() {
                let run = text_length(&bytes[at..]);
                if run > 0 {
                    self.write(piece, at, at + run);
                    at += run;
                    continue;
                }
                if self.partial.is_empty()
                    && let Some(length) = EscapeParser::colour(&bytes[at..])
                {
                    at += length;
                    continue;
                }
            }
            let byte = bytes[at];
            at += 1;
            if byte == b'\n' {
                self.escape.abandon();
            }
            if self.escape.is_ground() || !self.escape.takes(byte) {
                self.control_byte(byte);
            } else if let Some(sequence) = self.escape.advance(byte) {
                if enters_alternate(&sequence) {
                    self.alternate = Some(vt100::Parser::new(
                        dimension(self.size.rows),
                        dimension(self.size.columns),
                        0,
                    ));
                    return at;
                }
                self.screen.apply(&sequence, &mut self.sink);
            }
        }
        at
    }

    fn control_byte(&mut self, byte: u8) {
        self.flush_partial();
        match byte {
            0x1B => self.escape.begin(),
            b'\n' | 0x0B | 0x0C => self.screen.line_feed(&mut self.sink),
            b'\r' => self.screen.carriage_return(),
            0x08 => self.screen.backspace(),
            b'\t' => self.screen.tab(&mut self.sink),
            0 => self.screen.write_any("\u{2400}", &mut self.sink),
            _ => {}
        }
    }

    /// Writes a run of text; an unfinished character at the end of the piece
    /// waits for the next one.
    fn write(&mut self, piece: &Piece<'_>, start: usize, end: usize) {
        if self.partial.is_empty()
            && let Some(ascii) = piece.ascii
        {
            let text = &ascii[start..end];
            return self.screen.write(text, text.len(), &mut self.sink);
        }
        let at_end = end == piece.bytes.len();
        let mut bytes = &piece.bytes[start..end];
        let joined;
        if !self.partial.is_empty() {
            joined = [std::mem::take(&mut self.partial).as_slice(), bytes].concat();
            bytes = &joined;
        }
        loop {
            match std::str::from_utf8(bytes) {
                Ok(text) => return self.write_text(text),
                Err(error) => {
                    let (valid, rest) = bytes.split_at(error.valid_up_to());
                    self.write_text(std::str::from_utf8(valid).unwrap_or_default());
                    match error.error_len() {
                        None if at_end => {
                            self.partial = rest.to_vec();
                            return;
                        }
                        length => {
                            self.write_text("\u{FFFD}");
                            bytes = &rest[length.unwrap_or(rest.len())..];
                        }
                    }
                }
            }
        }
    }

    fn write_text(&mut self, text: &str) {
        if text.chars().any(is_c1_control) {
            let clean: String = text.chars().filter(|&c| !is_c1_control(c)).collect();
            self.screen.write_any(&clean, &mut self.sink);
        } else {
            self.screen.write_any(text, &mut self.sink);
        }
    }

    fn flush_partial(&mut self) {
        if !self.partial.is_empty() {
            self.partial.clear();
            self.screen.write_any("\u{FFFD}", &mut self.sink);
        }
    }

    /// All that was printed so far. More may follow, from survivors.
    pub(crate) fn finish(&mut self) -> Output {
        self.name_binary();
        self.flush_partial();
        if let Some(alternate) = self.alternate.take() {
            let contents = alternate.screen().contents();
            self.screen.start_new_line(&mut self.sink);
            for line in ["[the last screen of a full-screen program]"]
                .into_iter()
                .chain(contents.trim_end().lines())
            {
                self.screen.write_any(line, &mut self.sink);
                self.screen.line_feed(&mut self.sink);
            }
        }
        self.screen.commit_all(&mut self.sink);
        let bounded = self.sink.finish();
        self.output(bounded)
    }

    /// Whether a program draws on the alternate screen now.
    pub(crate) fn is_full_screen(&self) -> bool {
        self.alternate.is_some()
    }

    pub(crate) fn is_cut(&self) -> bool {
        self.sink.is_cut()
    }

    /// Where the output ends now, for a later [`Recorder::since`].
    pub(crate) fn mark(&self) -> OutputMark {
        OutputMark {
            committed: self.sink.total(),
            screen: self.screen_text(),
        }
    }

    /// What was printed since `mark`: lines of the screen that changed since
    /// then are given anew, from their beginning.
    pub(crate) fn since(&mut self, mark: &OutputMark) -> (Output, OutputMark) {
        self.name_binary();
        let now = self.mark();
        let mut bounded = self.sink.since(mark.committed);
        let last = if bounded.dropped == 0 {
            &mut bounded.head
        } else {
            &mut bounded.tail
        };
        last.push_str(&now.screen);
        bounded.total += now.screen.len() as u64;
        let whole_start = bounded.dropped == 0 || !bounded.head.is_empty();
        if whole_start {
            let known = known_lines(&mark.screen, &bounded.head);
            bounded.head.drain(..known);
            bounded.total -= known as u64;
        }
        (self.output(bounded), now)
    }

    fn screen_text(&self) -> String {
        match &self.alternate {
            Some(alternate) => format!(
                "[the screen of a full-screen program]\n{}\n",
                alternate.screen().contents().trim_end()
            ),
            None => self.screen.text(),
        }
    }

    fn output(&self, bounded: Bounded) -> Output {
        Output {
            head: bounded.head,
            tail: bounded.tail,
            dropped_bytes: bounded.dropped,
            total_bytes: bounded.total,
            raw_bytes: self.raw_bytes,
            binary_bytes: self.binary_bytes,
            file: bounded.file,
            file_is_partial: bounded.file_is_partial,
            file_problem: bounded.file_problem,
        }
    }

    /// The clean text of the last lines so far, for a question that a program
    /// asks on the terminal.
    pub(crate) fn last_lines(&self, count: usize) -> String {
        self.screen.last_lines(count)
    }
}

/// A place in the output of a command that still runs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OutputMark {
    committed: u64,
    /// What the screen showed then: it was given, and may change all the same.
    screen: String,
}

/// The length of the lines at the start of `text` that `known` begins with.
fn known_lines(known: &str, text: &str) -> usize {
    text.split_inclusive('\n')
        .zip(known.lines())
        .take_while(|(line, known)| line.strip_suffix('\n').unwrap_or(line) == *known)
        .map(|(line, _)| line.len())
        .sum()
}

fn dimension(size: u16) -> NonZeroU16 {
    NonZeroU16::new(size).unwrap_or(NonZeroU16::MIN)
}

fn is_c1_control(character: char) -> bool {
    ('\u{80}'..='\u{9F}').contains(&character)
}

fn enters_alternate(sequence: &Sequence) -> bool {
    matches!(sequence, Sequence::Control { private: true, parameters, command: b'h' }
        if parameters.contains_any(ALTERNATE_SCREEN))
}

fn leaves_alternate(sequence: Option<&Sequence>) -> bool {
    matches!(sequence, Some(Sequence::Control { private: true, parameters, command: b'l' })
        if parameters.contains_any(ALTERNATE_SCREEN))
        || matches!(sequence, Some(Sequence::Reset))
}

/// Some output as it was read.
struct Piece<'a> {
    bytes: &'a [u8],
    /// The same as text, when all of it is ASCII: then every byte is a
    /// character, and no part of it needs another look.
    ascii: Option<&'a str>,
}

impl<'a> Piece<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        let ascii = if bytes.is_ascii() {
            std::str::from_utf8(bytes).ok()
        } else {
            None
        };
        Self { bytes, ascii }
    }
}

/// Bytes before the next control character. In blocks that the compiler turns
/// into vector instructions: this looks at every byte of a flood.
fn text_length(bytes: &[u8]) -> usize {
    const BLOCK: usize = 16;
    let is_control = |byte: u8| (byte < 0x20) | (byte == 0x7F);
    let mut length = 0;
    for block in bytes.chunks_exact(BLOCK) {
        if block
            .iter()
            .fold(false, |any, &byte| any | is_control(byte))
        {
            break;
        }
        length += BLOCK;
    }
    let rest = &bytes[length..];
    length
        + rest
            .iter()
            .position(|&byte| is_control(byte))
            .unwrap_or(rest.len())
}

/// Counts the bytes that satisfy `condition`, in blocks that the compiler turns
/// into vector instructions.
fn count(bytes: &[u8], condition: impl Fn(u8) -> bool) -> usize {
    bytes
        .chunks(u8::MAX.into())
        .map(|block| {
            let in_block: u8 = block.iter().map(|&byte| u8::from(condition(byte))).sum();
            usize::from(in_block)
        })
        .sum()
}

/// Whether a piece of output is data rather than text: more than a tenth of it
/// is no UTF-8 or a control that text does not use, or nearly a third is NUL
/// (`find -print0` stays text).
fn is_binary(bytes: &[u8]) -> bool {
    const FEWEST: usize = 8;
    // Bell to carriage return and escape belong to text.
    let odd = count(bytes, |byte| {
        (byte < 0x07) | ((byte > 0x0D) & (byte < 0x20) & (byte != 0x1B))
    });
    let ascii = bytes.is_ascii();
    if odd < FEWEST && ascii {
        return false;
    }
    let nuls = count(bytes, |byte| byte == 0);
    let invalid = if ascii {
        0
    } else {
        let invalid: usize = bytes.utf8_chunks().map(|chunk| chunk.invalid().len()).sum();
        // A character cut at either end of the piece is not invalid.
        invalid.saturating_sub(6)
    };
    let bad = odd - nuls + invalid;
    (bad >= FEWEST && bad * 10 > bytes.len()) || (nuls >= FEWEST && nuls * 10 > bytes.len() * 3)
}

#[cfg(test)]
#[path = "recorder_tests.rs"]
mod tests;
