//! A matched line as it is shown.

use super::grep::HitLine;

/// Characters of a line that are shown; more of a minified file helps nobody.
const MAX_SHOWN: usize = 500;
/// How much of a long line is shown before its first match, in bytes.
const BEFORE: usize = 120;

/// Makes a line of bytes presentable: line ending removed, bytes that are not UTF-8 and NUL escaped, cut
/// around the first match when long. `ranges` are byte ranges within `bytes`.
pub(super) fn present(
    number: u64,
    bytes: &[u8],
    ranges: &[(usize, usize)],
    context: bool,
    gap_before: bool,
) -> HitLine {
    let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    let bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
    let first = ranges.first().map_or(0, |range| range.0);
    let from = if bytes.len() > MAX_SHOWN {
        boundary(bytes, first.saturating_sub(BEFORE))
    } else {
        0
    };
    let to = boundary(bytes, bytes.len().min(from + MAX_SHOWN));
    let mut text = String::new();
    if from > 0 {
        text.push('…');
    }
    let mut marks = Vec::new();
    let mut at = from;
    for &(start, end) in ranges {
        let (start, end) = (start.clamp(at, to), end.clamp(at, to));
        render(&bytes[at..start], &mut text);
        let mark = utf16(&text);
        render(&bytes[start..end], &mut text);
        if end > start {
            marks.push([mark, utf16(&text)]);
        }
        at = end;
    }
    render(&bytes[at..to], &mut text);
    if to < bytes.len() {
        text.push_str(&format!("… (+{} bytes)", bytes.len() - to));
    }
    HitLine {
        number,
        text,
        ranges: marks,
        context,
        gap_before,
    }
}

fn render(bytes: &[u8], text: &mut String) {
    for chunk in bytes.utf8_chunks() {
        text.push_str(&crate::escape_control(chunk.valid()));
        for byte in chunk.invalid() {
            text.push_str(&format!("\\x{byte:02x}"));
        }
    }
}

fn utf16(text: &str) -> u32 {
    u32::try_from(text.encode_utf16().count()).unwrap_or(u32::MAX)
}

/// The nearest position at or before `at` that does not split a UTF-8 character.
fn boundary(bytes: &[u8], at: usize) -> usize {
    if at >= bytes.len() {
        return bytes.len();
    }
    (at.saturating_sub(3)..=at)
        .rev()
        .find(|&at| bytes[at] & 0xc0 != 0x80)
        .unwrap_or(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bad_bytes_are_escaped_and_marks_follow() {
        let line = present(3, b"na\xefve TODO\r\n", &[(6, 10)], false, false);
        assert_eq!(line.text, "na\\xefve TODO");
        assert_eq!(line.ranges, [[9, 13]]);
    }

    #[test]
    fn a_long_line_is_cut_around_its_match() {
        let text = format!("{}needle{}", "漢".repeat(400), "z".repeat(5_000));
        let line = present(1, text.as_bytes(), &[(1200, 1206)], false, false);
        assert!(
            line.text.starts_with('…') && line.text.contains("needle") && line.text.contains("(+")
        );
        assert!(!line.text.contains("\\x"));
        let [start, end] = line.ranges[0];
        let units: Vec<u16> = line.text.encode_utf16().collect();
        assert_eq!(
            String::from_utf16(&units[start as usize..end as usize]).unwrap(),
            "needle"
        );
    }
}
