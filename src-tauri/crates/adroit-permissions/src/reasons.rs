//! Sentences for a person, with the place in the command that each is about.

use std::ops::Range;

use adroit_protocol::permission::RequestReason;

/// A reason without a place.
pub(crate) fn plain(text: String) -> RequestReason {
    RequestReason { text, span: None }
}

/// A reason about bytes of `command`, told as UTF-16 offsets: what a text view counts in.
pub(crate) fn spanned(command: &str, span: Option<Range<usize>>, text: String) -> RequestReason {
    RequestReason {
        text,
        span: span.and_then(|span| utf16(command, &span)),
    }
}

fn utf16(command: &str, span: &Range<usize>) -> Option<[u32; 2]> {
    let start = units(command.get(..span.start)?)?;
    let length = units(command.get(span.clone())?)?;
    Some([start, start + length])
}

fn units(text: &str) -> Option<u32> {
    u32::try_from(text.encode_utf16().count()).ok()
}

/// `text` short enough for a sentence.
pub(crate) fn shortened(text: &str) -> String {
    const LIMIT: usize = 80;
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= LIMIT {
        return line;
    }
    let head: String = line.chars().take(LIMIT - 1).collect();
    format!("{head}…")
}

#[cfg(test)]
mod tests {
    use super::spanned;

    #[test]
    fn spans_count_utf16_units() {
        let command = "echo 😀 > x";
        let at = command.find('x').expect("there");
        let reason = spanned(command, Some(at..at + 1), String::new());
        assert_eq!(reason.span, Some([10, 11]));
        // A span that cuts a character is dropped rather than shown wrong.
        assert_eq!(spanned(command, Some(6..7), String::new()).span, None);
    }
}
