//! Files in other encodings than UTF-8: their bytes are not the pattern's, so their text is searched.

use std::fs::File;
use std::io::Read;

use super::control::{Control, Stoppable};
use crate::sniff_binary;
use crate::text::{TextEncoding, detect};

/// A larger file is searched by its bytes alone.
const MAX_DECODED: u64 = 16 << 20;
/// How much of a file tells whether it is text, in bytes.
const HEAD: u64 = 8_192;

/// Whether the pattern may match characters beyond ASCII that it names: those have other bytes in other
/// encodings. What matches them in passing (`.`, `\\w`) matches the bytes of any encoding badly, and is not
/// worth a second look at each such file.
pub(super) fn is_beyond_ascii(pattern: &str) -> bool {
    !pattern.is_ascii()
        || [r"\p", r"\P", r"\u", r"\U", r"\x"]
            .iter()
            .any(|sign| pattern.contains(sign))
}

/// The text of a file that is neither UTF-8 nor binary; nothing of any other file.
pub(super) fn text_of(file: File, control: &Control) -> Option<String> {
    if file.metadata().ok()?.len() > MAX_DECODED {
        return None;
    }
    let mut bytes = Vec::new();
    let mut reader = Stoppable::new(file.take(MAX_DECODED), control);
    reader.read_to_end(&mut bytes).ok()?;
    if std::str::from_utf8(&bytes).is_ok() && !bytes.contains(&0) || sniff_binary(&bytes).is_some()
    {
        return None;
    }
    match detect(&bytes) {
        TextEncoding::Utf8 | TextEncoding::Utf8Bom | TextEncoding::Utf8Broken => None,
        encoding => encoding.decode(&bytes),
    }
}

/// Whether a file that holds NUL bytes reads as text all the same, judged as Read judges it.
pub(super) fn is_text(file: &File) -> bool {
    let mut head = Vec::new();
    file.take(HEAD).read_to_end(&mut head).is_ok() && sniff_binary(&head).is_none()
}
