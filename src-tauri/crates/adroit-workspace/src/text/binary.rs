//! Telling text from everything else.

use super::encoding::unmarked_utf16;

/// How far into a file a NUL means that it is not text, in bytes, as git has it (`buffer_is_binary` in
/// `xdiff-interface.c`). A log with one stray NUL later on is text.
const HEAD: usize = 8_000;

/// The distance between the sync bytes of an MPEG transport stream (ISO/IEC 13818-1).
const TRANSPORT_PACKET: usize = 188;

/// What a file seems to be when it is not text, as a media type, or else what no text has; `None` for
/// text.
///
/// Judged by bytes alone and never by the name: `.ts` is a program or a film. `head` is the beginning
/// of the file, better 8 KB of it or more.
pub fn sniff_binary(head: &[u8]) -> Option<String> {
    let head = &head[..head.len().min(HEAD)];
    if head.starts_with(b"%PDF-") {
        return Some("application/pdf".to_owned());
    }
    let marked = head.starts_with(&[0xff, 0xfe]) || head.starts_with(&[0xfe, 0xff]);
    if (marked && !head.starts_with(&[0xff, 0xfe, 0, 0])) || unmarked_utf16(head).is_some() {
        return None;
    }
    let unclean = head.contains(&0) || is_garbled(head);
    if !unclean && starts_as_utf8(head) {
        // Short magic numbers such as `BM` or `MZ` are words at the beginning of a text too.
        return None;
    }
    if is_transport_stream(head) {
        return Some("video/mp2t".to_owned());
    }
    let known = infer::get(head).filter(|kind| kind.matcher_type() != infer::MatcherType::Text);
    match known {
        // Without control characters a legacy text is likelier than a file known by two letters.
        Some(kind) if unclean => Some(kind.mime_type().to_owned()),
        Some(kind)
            if matches!(
                kind.matcher_type(),
                infer::MatcherType::Image | infer::MatcherType::Archive
            ) =>
        {
            Some(kind.mime_type().to_owned())
        }
        _ if unclean => Some(match memchr::memchr(0, head) {
            Some(at) => format!("a NUL byte at offset {at}"),
            None => "control characters that no text has".to_owned(),
        }),
        _ => None,
    }
}

/// Valid UTF-8, but for a character that the cut at the end may have split.
fn starts_as_utf8(head: &[u8]) -> bool {
    match std::str::from_utf8(head) {
        Ok(_) => true,
        Err(error) => error.error_len().is_none() && head.len() == HEAD,
    }
}

/// More than one control character in ten that no text uses.
fn is_garbled(head: &[u8]) -> bool {
    let control = head
        .iter()
        .filter(|&&byte| {
            (byte < 0x20 && !matches!(byte, b'\t' | b'\n' | b'\r' | 0x08 | 0x0c | 0x1b))
                || byte == 0x7f
        })
        .count();
    control * 10 > head.len()
}

fn is_transport_stream(head: &[u8]) -> bool {
    head.len() > TRANSPORT_PACKET
        && head
            .iter()
            .step_by(TRANSPORT_PACKET)
            .all(|&byte| byte == 0x47)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn film_and_program_of_one_extension() {
        let mut film = vec![0xff_u8; 188 * 8];
        for packet in film.chunks_mut(188) {
            packet[..4].copy_from_slice(&[0x47, 0x40, 0x11, 0x10]);
        }
        assert_eq!(sniff_binary(&film).as_deref(), Some("video/mp2t"));
        assert_eq!(sniff_binary(b"GET: const a: number = 1;\n"), None);
    }

    #[test]
    fn words_that_look_like_magic_numbers_are_text() {
        for text in [
            "BM25 is a ranking function",
            "MZ",
            "ID3 trees",
            "II* and MM",
            "Rar!",
        ] {
            assert_eq!(sniff_binary(text.as_bytes()), None, "{text}");
        }
        assert_eq!(sniff_binary(b"").as_deref(), None);
    }

    #[test]
    fn pictures_documents_and_noise_are_binary() {
        assert_eq!(
            sniff_binary(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR").as_deref(),
            Some("image/png")
        );
        assert_eq!(
            sniff_binary(b"%PDF-1.7\n").as_deref(),
            Some("application/pdf")
        );
        assert_eq!(
            sniff_binary(b"a\0b").as_deref(),
            Some("a NUL byte at offset 1")
        );
        let noise: Vec<u8> = (0..4000_u32)
            .map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8 | 1)
            .collect();
        assert_eq!(
            sniff_binary(&noise).as_deref(),
            Some("control characters that no text has")
        );
    }

    /// The boundary is git's: a NUL at offset 7,999 is in the first 8,000 bytes, one at 8,000 is not.
    #[test]
    fn a_nul_counts_where_it_counts_for_git() {
        let mut text = "line\n".repeat(4_000).into_bytes();
        text[8_000] = 0;
        assert_eq!(sniff_binary(&text), None);
        text[7_999] = 0;
        assert_eq!(
            sniff_binary(&text).as_deref(),
            Some("a NUL byte at offset 7999")
        );
    }

    #[test]
    fn utf16_is_text_with_and_without_a_mark() {
        let little: Vec<u8> = "hello\n"
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect();
        assert_eq!(sniff_binary(&little), None);
        let big: Vec<u8> = "\u{feff}hé\n"
            .encode_utf16()
            .flat_map(u16::to_be_bytes)
            .collect();
        assert_eq!(sniff_binary(&big), None);
    }
}
