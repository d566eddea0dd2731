//! What the model gets of a terminal: clean text, bounded.

mod bounded;
mod escape;
mod recorder;
mod screen;

use std::path::PathBuf;

pub use recorder::OutputMark;
pub(crate) use recorder::Recorder;

/// How much of a command's output is kept, and where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutputLimits {
    /// Bytes of clean text kept in memory, half from the beginning and half
    /// from the end. Longer output goes to a file as well.
    pub memory_bytes: usize,
    /// Bytes of clean text that the file may hold.
    pub file_bytes: u64,
}

impl Default for OutputLimits {
    /// 30,000 bytes shown, 64 MiB in the file.
    fn default() -> Self {
        Self {
            memory_bytes: 30_000,
            file_bytes: 64 << 20,
        }
    }
}

/// The clean text of a command's output.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Output {
    /// The beginning; all of it when `dropped_bytes` is 0.
    pub head: String,
    /// The end, when the middle was dropped.
    pub tail: String,
    /// Bytes of clean text between `head` and `tail`.
    pub dropped_bytes: u64,
    /// Bytes of clean text in all.
    pub total_bytes: u64,
    /// Bytes that the terminal delivered, escape sequences included.
    pub raw_bytes: u64,
    /// Bytes of binary data that were named instead of shown.
    pub binary_bytes: u64,
    /// The whole clean text, when it did not fit in memory.
    pub file: Option<PathBuf>,
    /// The file reached its limit and holds only the beginning.
    pub file_is_partial: bool,
    /// Why there is no file although there should be one.
    pub file_problem: Option<String>,
}

impl Output {
    /// Whether the command printed nothing visible.
    pub fn is_empty(&self) -> bool {
        self.total_bytes == 0
    }

    /// The text with a marker for what was dropped in the middle.
    ///
    /// `max_bytes` cuts further than the limit the output was taken with; the
    /// cut is at a line where one is near, always at a character.
    pub fn text(&self, max_bytes: usize) -> String {
        let mut head = self.head.as_str();
        let mut tail = self.tail.as_str();
        if head.len() + tail.len() > max_bytes {
            if tail.is_empty() {
                tail = head;
            }
            head = keep_start(head, max_bytes / 2);
            tail = keep_end(tail, max_bytes - max_bytes / 2);
        }
        let shown = (head.len() + tail.len()) as u64;
        let dropped = self.total_bytes.saturating_sub(shown);
        if dropped == 0 {
            return format!("{head}{tail}");
        }
        let line_break = if head.is_empty() || head.ends_with('\n') {
            ""
        } else {
            "\n"
        };
        let place = match &self.file {
            Some(path) if self.file_is_partial => {
                format!("; the beginning is in {}", path.display())
            }
            Some(path) => format!("; the whole is in {}", path.display()),
            None => String::new(),
        };
        format!("{head}{line_break}[… {dropped} bytes left out{place} …]\n{tail}")
    }
}

fn keep_start(text: &str, length: usize) -> &str {
    let cut = &text[..text.floor_char_boundary(length)];
    match cut.rfind('\n') {
        Some(line_end) if line_end + 1 >= cut.len() - cut.len() / 5 => &cut[..=line_end],
        _ => cut,
    }
}

fn keep_end(text: &str, length: usize) -> &str {
    let cut = &text[text.ceil_char_boundary(text.len().saturating_sub(length))..];
    match cut.find('\n') {
        Some(line_end) if line_end < cut.len() / 5 => &cut[line_end + 1..],
        _ => cut,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_marker_states_the_dropped_size() {
        let output = Output {
            head: "a\nb\n".to_owned(),
            tail: "y\nz\n".to_owned(),
            dropped_bytes: 100,
            total_bytes: 108,
            file: Some("/tmp/output-1.txt".into()),
            ..Output::default()
        };
        assert_eq!(
            output.text(1000),
            "a\nb\n[… 100 bytes left out; the whole is in /tmp/output-1.txt …]\ny\nz\n"
        );
    }

    #[test]
    fn a_smaller_limit_cuts_further_without_cutting_a_character() {
        let output = Output {
            head: "ä".repeat(100),
            total_bytes: 200,
            ..Output::default()
        };
        for limit in 0..=200 {
            let text = output.text(limit);
            assert_eq!(text.contains("bytes left out"), limit < 200, "{limit}");
        }
        assert!(
            output
                .text(21)
                .starts_with("äääää\n[… 180 bytes left out …]\n")
        );
    }
}
