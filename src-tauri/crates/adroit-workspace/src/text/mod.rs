//! What of a file is text, in which encoding, with which line endings.

mod binary;
mod encoding;
mod endings;

use std::borrow::Cow;
use std::fmt;
use std::path::Path;

use thiserror::Error;

pub use binary::sniff_binary;
pub use encoding::{TextEncoding, Unencodable};
pub(crate) use encoding::{byte_to_mark, detect, mark_to_byte};
pub use endings::{Endings, LineEnding};

use crate::{ReadError, display_path, open_regular};

/// The largest file that is held in memory as a whole, in bytes.
const MAX_LOADED: u64 = 64 << 20;

/// BLAKE3 of a file's bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct ContentHash([u8; 32]);

impl ContentHash {
    /// The hash of these bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self(*blake3::hash(bytes).as_bytes())
    }

    /// The hash that these bytes are.
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The hash itself.
    pub fn bytes(self) -> [u8; 32] {
        self.0
    }

    pub(crate) fn from_hasher(hasher: &blake3::Hasher) -> Self {
        Self(*hasher.finalize().as_bytes())
    }
}

impl fmt::Display for ContentHash {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0
            .iter()
            .try_for_each(|byte| write!(formatter, "{byte:02x}"))
    }
}

impl fmt::Debug for ContentHash {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let start: String = self.to_string().chars().take(12).collect();
        write!(formatter, "ContentHash({start}…)")
    }
}

/// Why a file could not be had as text.
#[derive(Debug, Error)]
pub enum LoadError {
    /// It could not be read at all.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// It is not text.
    #[error("{path} is a binary file ({kind}, {})", human_size(*size))]
    Binary {
        /// Which.
        path: String,
        /// What it seems to be.
        kind: String,
        /// Its size in bytes.
        size: u64,
    },
    /// It says to be UTF-16 and is not.
    #[error(
        "{path} begins like {encoding} text but holds bytes that are not: it is not read, so that nothing is lost"
    )]
    Undecodable {
        /// Which.
        path: String,
        /// What it claims to be.
        encoding: String,
    },
}

/// The whole content of a text file, as bytes and as text, with proof that one gives the other.
#[derive(Clone, Debug)]
pub struct LoadedText {
    /// The bytes on disk.
    pub bytes: Vec<u8>,
    /// The text without a byte order mark, line endings as they are.
    pub text: String,
    /// How bytes and text belong together.
    pub encoding: TextEncoding,
    /// Which line endings it has.
    pub endings: Endings,
    /// Hash of `bytes`.
    pub hash: ContentHash,
}

impl LoadedText {
    /// Loads an ordinary file by a path whose links are resolved.
    ///
    /// # Errors
    /// When it cannot be read, is larger than 64 MB, or is not text.
    pub fn load(real: &Path) -> Result<Self, LoadError> {
        let file = open_regular(real)?;
        let bytes = crate::disk::read_open(real, file, MAX_LOADED)?;
        Self::from_bytes(bytes, real)
    }

    /// Makes text of bytes. `path` is only named in errors.
    ///
    /// # Errors
    /// When they are not text.
    pub fn from_bytes(bytes: Vec<u8>, path: &Path) -> Result<Self, LoadError> {
        if let Some(kind) = sniff_binary(&bytes) {
            let size = bytes.len() as u64;
            return Err(LoadError::Binary {
                path: display_path(path),
                kind,
                size,
            });
        }
        let detected = detect(&bytes);
        let Some(text) = detected.decode(&bytes) else {
            let encoding = detected.name().to_owned();
            return Err(LoadError::Undecodable {
                path: display_path(path),
                encoding,
            });
        };
        let endings = Endings::of(&text);
        let hash = ContentHash::of(&bytes);
        Ok(Self {
            bytes,
            text,
            encoding: detected,
            endings,
            hash,
        })
    }

    /// The lines without their endings. A lone carriage return ends a line only in a file that has no
    /// line feed at all.
    pub fn lines(&self) -> impl Iterator<Item = &str> {
        endings::lines(&self.text, self.endings.cr_only())
    }

    /// A part of [`Self::text`] as it may be shown: NUL and undecodable bytes escaped.
    pub fn shown<'t>(&self, part: &'t str) -> Cow<'t, str> {
        escape_control(part)
    }
}

/// A text as it may be shown: NUL as `\x00`, the one character that some receivers of a text cannot
/// hold, and what stands for an undecodable byte in [`LoadedText::text`] as that byte, `\xff`.
pub fn escape_control(text: &str) -> Cow<'_, str> {
    // What stands for a byte begins with 0xf4, as no other character in use does (RFC 3629).
    if memchr::memchr2(0, 0xf4, text.as_bytes()).is_none() {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        match (character, mark_to_byte(character)) {
            ('\0', _) => escaped.push_str("\\x00"),
            (_, Some(byte)) => escaped.push_str(&format!("\\x{byte:02x}")),
            _ => escaped.push(character),
        }
    }
    Cow::Owned(escaped)
}

/// The text that `shown` was made from where it names undecodable bytes: `\xff` as what stands for that
/// byte. `None` where it names none.
pub(crate) fn unescape_bytes(shown: &str) -> Option<String> {
    let mut text = String::with_capacity(shown.len());
    let mut rest = shown;
    let mut found = false;
    while let Some(at) = rest.find("\\x") {
        let (before, escape) = rest.split_at(at);
        text.push_str(before);
        let mark = escape
            .get(2..4)
            .and_then(|digits| u8::from_str_radix(digits, 16).ok())
            .and_then(byte_to_mark);
        match mark {
            Some(mark) => {
                text.push(mark);
                found = true;
                rest = &escape[4..];
            }
            None => {
                text.push_str("\\x");
                rest = &escape[2..];
            }
        }
    }
    text.push_str(rest);
    found.then_some(text)
}

/// A size in the largest unit that keeps it readable: `512 bytes`, `1.5 KB`, `3.0 MB`.
pub fn human_size(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["KB", "MB", "GB", "TB"];
    if bytes < 1024 {
        return format!("{bytes} byte{}", if bytes == 1 { "" } else { "s" });
    }
    let mut value = bytes as f64 / 1024.0;
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    format!("{value:.1} {}", UNITS[unit])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(bytes: &[u8]) -> LoadedText {
        LoadedText::from_bytes(bytes.to_vec(), Path::new("f")).unwrap()
    }

    #[test]
    fn a_nul_late_in_a_long_log_is_text_and_shown_escaped() {
        let mut log = "line of a log\n".repeat(220_000).into_bytes();
        log[2_900_000] = 0;
        let loaded = load(&log);
        assert_eq!(loaded.encoding, TextEncoding::Utf8);
        let shown: Vec<_> = loaded.lines().map(|line| loaded.shown(line)).collect();
        assert!(shown.iter().any(|line| line.contains("\\x00")));
        assert!(!shown.iter().any(|line| line.contains('\0')));
    }

    #[test]
    fn binary_is_named_with_its_size() {
        let error =
            LoadedText::from_bytes(b"MZ\x90\x00\x03".to_vec(), Path::new("a.exe")).unwrap_err();
        insta::assert_snapshot!(error, @"a.exe is a binary file (application/vnd.microsoft.portable-executable, 5 bytes)");
    }

    #[test]
    fn undecodable_bytes_of_utf8_are_shown_escaped() {
        let loaded = load(
            "größer als üblich: höflich \u{fc}\n"
                .as_bytes()
                .iter()
                .chain(b"\xff\n")
                .copied()
                .collect::<Vec<_>>()
                .as_slice(),
        );
        assert_eq!(loaded.encoding, TextEncoding::Utf8Broken);
        assert_eq!(
            loaded
                .lines()
                .map(|line| loaded.shown(line).into_owned())
                .nth(1)
                .unwrap(),
            "\\xff"
        );
    }

    #[test]
    fn sizes() {
        assert_eq!(human_size(1), "1 byte");
        assert_eq!(human_size(1536), "1.5 KB");
        assert_eq!(human_size(3 << 20), "3.0 MB");
    }
}
