//! From raw terminal bytes to clean bounded text, in one pass.

use std::num::NonZeroU16;
use std::path::PathBuf;

use super::bounded::BoundedText;
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
        let mut rest = bytes;
        while !rest.is_empty() {
            rest = if self.alternate.is_some() {
                self.feed_alternate(rest)
            } else {
                self.feed_lines(rest)
            };
        }
    }

    fn name_binary(&mut self) {
        if self.binary_run > 0 {
            let size = std::mem::take(&mut self.binary_run);
            self.screen.start_new_line(&mut self.sink);
            let name = format!("[binary data, {size} bytes, not shown]");
            self.screen.write(&name, &mut self.sink);
            self.screen.line_feed(&mut self.sink);
        }
    }

    /// Takes bytes until the alternate screen is left; returns the rest.
    fn feed_alternate<'a>(&mut self, bytes: &'a [u8]) -> &'a [u8] {
        for (index, &byte) in bytes.iter().enumerate() {
            let sequence = if byte == 0x1B && !self.escape.takes(byte) {
                self.escape.begin();
                None
            } else if self.escape.takes(byte) {
                self.escape.advance(byte)
            } else {
                None
            };
            if leaves_alternate(sequence.as_ref()) {
                self.alternate = None;
                return &bytes[index + 1..];
            }
        }
        if let Some(alternate) = &mut self.alternate {
            alternate.process(bytes);
        }
        &[]
    }

    /// Takes bytes until the alternate screen is entered; returns the rest.
    fn feed_lines<'a>(&mut self, bytes: &'a [u8]) -> &'a [u8] {
        let mut at = 0;
        while at < bytes.len() {
            if self.escape.is_ground() {
                let run = bytes[at..]
                    .iter()
                    .position(|&byte| byte < 0x20 || byte == 0x7F)
                    .unwrap_or(bytes.len() - at);
                if run > 0 {
                    self.write(&bytes[at..at + run], at + run == bytes.len());
                    at += run;
                    continue;
                }
            }
            let byte = bytes[at];
            at += 1;
            if byte == b'\n' {
                self.escape.abandon();
            }
            if !self.escape.is_ground() && self.escape.takes(byte) {
                if let Some(sequence) = self.escape.advance(byte) {
                    if enters_alternate(&sequence) {
                        self.alternate = Some(vt100::Parser::new(
                            dimension(self.size.rows),
                            dimension(self.size.columns),
                            0,
                        ));
                        return &bytes[at..];
                    }
                    self.screen.apply(&sequence, &mut self.sink);
                }
                continue;
            }
            self.control_byte(byte);
        }
        &[]
    }

    fn control_byte(&mut self, byte: u8) {
        self.flush_partial();
        match byte {
            0x1B => self.escape.begin(),
            b'\n' | 0x0B | 0x0C => self.screen.line_feed(&mut self.sink),
            b'\r' => self.screen.carriage_return(),
            0x08 => self.screen.backspace(),
            b'\t' => self.screen.tab(&mut self.sink),
            0 => self.screen.write("\u{2400}", &mut self.sink),
            _ => {}
        }
    }

    /// Writes text; an unfinished character at the end of the input waits for
    /// the next piece.
    fn write(&mut self, bytes: &[u8], at_end: bool) {
        let joined;
        let mut bytes = bytes;
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
        if !text.is_ascii() && text.chars().any(is_c1_control) {
            let clean: String = text.chars().filter(|&c| !is_c1_control(c)).collect();
            self.screen.write(&clean, &mut self.sink);
        } else if !text.is_empty() {
            self.screen.write(text, &mut self.sink);
        }
    }

    fn flush_partial(&mut self) {
        if !self.partial.is_empty() {
            self.partial.clear();
            self.screen.write("\u{FFFD}", &mut self.sink);
        }
    }

    pub(crate) fn finish(mut self) -> Output {
        self.name_binary();
        self.flush_partial();
        if let Some(alternate) = self.alternate.take() {
            let contents = alternate.screen().contents();
            self.screen.start_new_line(&mut self.sink);
            for line in ["[the last screen of a full-screen program]"]
                .into_iter()
                .chain(contents.trim_end().lines())
            {
                self.screen.write(line, &mut self.sink);
                self.screen.line_feed(&mut self.sink);
            }
        }
        self.screen.finish(&mut self.sink);
        let bounded = self.sink.finish();
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

/// Whether a piece of output is data rather than text: more than a tenth of it
/// is no UTF-8 or a control that text does not use, or nearly a third is NUL
/// (`find -print0` stays text).
fn is_binary(bytes: &[u8]) -> bool {
    const FEWEST: usize = 8;
    let text_control = |byte: u8| matches!(byte, 0x07..=0x0D | 0x1B | 0);
    let controls = bytes
        .iter()
        .filter(|&&byte| byte < 0x20 && !text_control(byte))
        .count();
    let nuls = bytes.iter().filter(|&&byte| byte == 0).count();
    let invalid = if bytes.is_ascii() {
        0
    } else {
        bytes
            .utf8_chunks()
            .map(|chunk| chunk.invalid().len())
            .sum::<usize>()
            // A character cut at either end of the piece is not invalid.
            .saturating_sub(6)
    };
    let bad = controls + invalid;
    (bad >= FEWEST && bad * 10 > bytes.len()) || (nuls >= FEWEST && nuls * 10 > bytes.len() * 3)
}

#[cfg(test)]
#[path = "recorder_tests.rs"]
mod tests;
