//! Line endings.

use std::fmt;

/// How a line ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LineEnding {
    /// `\n`
    #[default]
    Lf,
    /// `\r\n`
    Crlf,
    /// `\r`
    Cr,
}

impl LineEnding {
    /// The characters.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Lf => "\n",
            Self::Crlf => "\r\n",
            Self::Cr => "\r",
        }
    }
}

/// How many lines end in which way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Endings {
    /// Lines that end in `\n` alone.
    pub lf: usize,
    /// Lines that end in `\r\n`.
    pub crlf: usize,
    /// Carriage returns with no line feed after them.
    pub cr: usize,
    /// Whether the last line has an ending.
    pub final_newline: bool,
}

impl Endings {
    /// Counts the endings of a text.
    pub fn of(text: &str) -> Self {
        let bytes = text.as_bytes();
        let mut endings = Self::default();
        for at in memchr::memchr2_iter(b'\n', b'\r', bytes) {
            match bytes[at] {
                b'\n' if at > 0 && bytes[at - 1] == b'\r' => endings.crlf += 1,
                b'\n' => endings.lf += 1,
                _ if bytes.get(at + 1) != Some(&b'\n') => endings.cr += 1,
                _ => {}
            }
        }
        endings.final_newline = text.ends_with('\n') || (endings.cr_only() && text.ends_with('\r'));
        endings
    }

    /// Whether a lone carriage return ends a line: only where no line feed does.
    pub fn cr_only(&self) -> bool {
        self.lf == 0 && self.crlf == 0 && self.cr > 0
    }

    /// Whether lines end in different ways.
    pub fn mixed(&self) -> bool {
        self.lf > 0 && self.crlf > 0
    }

    /// The way most lines end; line feed where none does.
    pub fn dominant(&self) -> LineEnding {
        if self.cr_only() {
            LineEnding::Cr
        } else if self.crlf > self.lf {
            LineEnding::Crlf
        } else {
            LineEnding::Lf
        }
    }
}

impl fmt::Display for Endings {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.mixed() {
            return write!(
                formatter,
                "mixed line endings ({} LF, {} CRLF)",
                self.lf, self.crlf
            );
        }
        formatter.write_str(match self.dominant() {
            LineEnding::Lf => "LF line endings",
            LineEnding::Crlf => "CRLF line endings",
            LineEnding::Cr => "CR line endings",
        })
    }
}

/// The lines without endings; no empty line after a final ending.
pub(super) fn lines(text: &str, cr_only: bool) -> impl Iterator<Item = &str> {
    let ending = if cr_only { '\r' } else { '\n' };
    text.split_inclusive(ending).map(move |line| {
        let line = line.strip_suffix(ending).unwrap_or(line);
        if cr_only {
            line
        } else {
            line.strip_suffix('\r').unwrap_or(line)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_is_counted() {
        let endings = Endings::of("a\nb\r\nc\r\nd\re");
        assert_eq!(
            endings,
            Endings {
                lf: 1,
                crlf: 2,
                cr: 1,
                final_newline: false
            }
        );
        assert_eq!(endings.dominant(), LineEnding::Crlf);
        assert_eq!(endings.to_string(), "mixed line endings (1 LF, 2 CRLF)");
        let old = Endings::of("a\rb\r");
        assert!(old.cr_only() && old.final_newline);
        assert_eq!(lines("a\rb\r", true).collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(
            lines("a\r\n\nb\r\n", false).collect::<Vec<_>>(),
            ["a", "", "b"]
        );
        assert_eq!(Endings::of("").dominant(), LineEnding::Lf);
    }
}
