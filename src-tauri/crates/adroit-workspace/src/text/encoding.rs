//! Bytes to text and back, exactly.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{EncoderResult, Encoding};
use thiserror::Error;

const UTF8_MARK: &[u8] = &[0xef, 0xbb, 0xbf];

/// Where a file of this many undecodable bytes per valid UTF-8 character is a broken UTF-8 file and not
/// one in another encoding: text in another encoding hardly ever forms UTF-8 sequences by chance.
const VALID_PER_BROKEN: usize = 4;

/// How much of a file the guesser sees, from shortly before its first character beyond ASCII.
const GUESS_WINDOW: usize = 256 << 10;

/// Stands for the undecodable byte 0x80 in the text of a broken UTF-8 file: private use characters that
/// are checked not to occur in the file itself.
const FIRST_MARK: u32 = 0x10_ff80 - 0x80;

/// How the bytes of a file stand for its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextEncoding {
    /// UTF-8.
    Utf8,
    /// UTF-8 after a byte order mark.
    Utf8Bom,
    /// UTF-8 with some bytes that are not; they are kept, and cannot be named in an edit.
    Utf8Broken,
    /// UTF-16.
    Utf16 {
        /// The higher byte comes first.
        big_endian: bool,
        /// A byte order mark comes first.
        bom: bool,
    },
    /// An older encoding, guessed from the bytes and proven to give them back.
    Legacy(&'static Encoding),
}

/// A character that a file's encoding cannot hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the character {character:?} (U+{:04X}) cannot be written in {encoding}", u32::from(*character))]
pub struct Unencodable {
    /// The character.
    pub character: char,
    /// The encoding's name.
    pub encoding: &'static str,
}

impl TextEncoding {
    /// The encoding's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Utf8 => "UTF-8",
            Self::Utf8Bom => "UTF-8 with BOM",
            Self::Utf8Broken => "UTF-8 with undecodable bytes",
            Self::Utf16 {
                big_endian: false, ..
            } => "UTF-16LE",
            Self::Utf16 {
                big_endian: true, ..
            } => "UTF-16BE",
            Self::Legacy(encoding) => encoding.name(),
        }
    }

    /// The byte order mark that stands before the text.
    pub fn mark(self) -> &'static [u8] {
        match self {
            Self::Utf8Bom => UTF8_MARK,
            Self::Utf16 {
                bom: true,
                big_endian: false,
            } => &[0xff, 0xfe],
            Self::Utf16 {
                bom: true,
                big_endian: true,
            } => &[0xfe, 0xff],
            _ => &[],
        }
    }

    /// The text of these bytes, without the mark; `None` where some byte stands for nothing or where
    /// the text would not give the bytes back.
    pub fn decode(self, bytes: &[u8]) -> Option<String> {
        let body = bytes.strip_prefix(self.mark())?;
        match self {
            Self::Utf8 | Self::Utf8Bom => String::from_utf8(body.to_vec()).ok(),
            Self::Utf8Broken => decode_broken(body),
            Self::Utf16 { big_endian, .. } => decode_utf16(body, big_endian),
            Self::Legacy(encoding) => {
                let text = encoding.decode_without_bom_handling_and_without_replacement(body)?;
                (self.encode(&text).ok()? == body).then(|| text.into_owned())
            }
        }
    }

    /// The bytes of a text, without the mark.
    ///
    /// # Errors
    /// The first character that the encoding cannot hold.
    pub fn encode(self, text: &str) -> Result<Vec<u8>, Unencodable> {
        match self {
            Self::Utf8 | Self::Utf8Bom => Ok(text.as_bytes().to_vec()),
            Self::Utf8Broken => Ok(encode_broken(text)),
            Self::Utf16 { big_endian, .. } => Ok(text
                .encode_utf16()
                .flat_map(|unit| {
                    if big_endian {
                        unit.to_be_bytes()
                    } else {
                        unit.to_le_bytes()
                    }
                })
                .collect()),
            Self::Legacy(encoding) => encode_legacy(encoding, text),
        }
    }
}

/// How these bytes are most likely encoded. They are known not to be a binary file.
pub(crate) fn detect(bytes: &[u8]) -> TextEncoding {
    if bytes.starts_with(UTF8_MARK) && std::str::from_utf8(bytes).is_ok() {
        return TextEncoding::Utf8Bom;
    }
    if bytes.starts_with(&[0xff, 0xfe]) {
        return TextEncoding::Utf16 {
            big_endian: false,
            bom: true,
        };
    }
    if bytes.starts_with(&[0xfe, 0xff]) {
        return TextEncoding::Utf16 {
            big_endian: true,
            bom: true,
        };
    }
    if let Some(big_endian) = unmarked_utf16(bytes) {
        return TextEncoding::Utf16 {
            big_endian,
            bom: false,
        };
    }
    if std::str::from_utf8(bytes).is_ok() {
        return TextEncoding::Utf8;
    }
    let (valid, broken) = count_utf8(bytes);
    if valid >= broken * VALID_PER_BROKEN {
        return TextEncoding::Utf8Broken;
    }
    let guess = TextEncoding::Legacy(guess(bytes));
    if guess.decode(bytes).is_some() {
        guess
    } else {
        TextEncoding::Utf8Broken
    }
}

/// Whether the bytes are UTF-16 without a mark, and in which order: mostly Latin text shows as a zero
/// in every second byte, which no other text has.
pub(super) fn unmarked_utf16(bytes: &[u8]) -> Option<bool> {
    let head = &bytes[..bytes.len().min(4096) & !1];
    if head.len() < 4 || (bytes.len() < 4096 && !bytes.len().is_multiple_of(2)) {
        return None;
    }
    let pairs = head.len() / 2;
    let zeros = |offset: usize| {
        head.iter()
            .skip(offset)
            .step_by(2)
            .filter(|&&byte| byte == 0)
            .count()
    };
    let (first, second) = (zeros(0), zeros(1));
    let big_endian = match (first, second) {
        (0, second) if second * 10 > pairs * 7 => false,
        (first, 0) if first * 10 > pairs * 7 => true,
        _ => return None,
    };
    let text = decode_utf16(head, big_endian)?;
    let odd = text.chars().any(|character| {
        character.is_control() && !matches!(character, '\t' | '\n' | '\r' | '\x0c')
    });
    (!odd).then_some(big_endian)
}

/// The byte that a character of a broken UTF-8 file stands for.
pub(crate) fn mark_to_byte(character: char) -> Option<u8> {
    let value = u32::from(character);
    (value >= FIRST_MARK + 0x80)
        .then(|| u8::try_from(value - FIRST_MARK).ok())
        .flatten()
}

/// What stands for an undecodable byte.
pub(crate) fn byte_to_mark(byte: u8) -> Option<char> {
    (byte >= 0x80)
        .then(|| char::from_u32(FIRST_MARK + u32::from(byte)))
        .flatten()
}

fn guess(bytes: &[u8]) -> &'static Encoding {
    let first = bytes
        .iter()
        .position(|byte| !byte.is_ascii())
        .unwrap_or(0)
        .saturating_sub(1024);
    let window = &bytes[first..bytes.len().min(first + GUESS_WINDOW)];
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(window, true);
    detector.guess(None, Utf8Detection::Deny)
}

fn count_utf8(bytes: &[u8]) -> (usize, usize) {
    let (mut valid, mut broken) = (0, 0);
    for chunk in bytes.utf8_chunks() {
        valid += chunk
            .valid()
            .chars()
            .filter(|character| !character.is_ascii())
            .count();
        broken += chunk.invalid().len();
    }
    (valid, broken)
}

fn decode_utf16(body: &[u8], big_endian: bool) -> Option<String> {
    if !body.len().is_multiple_of(2) {
        return None;
    }
    let units = body.chunks_exact(2).map(|pair| {
        let pair = [pair[0], pair[1]];
        if big_endian {
            u16::from_be_bytes(pair)
        } else {
            u16::from_le_bytes(pair)
        }
    });
    char::decode_utf16(units)
        .collect::<Result<String, _>>()
        .ok()
}

fn decode_broken(body: &[u8]) -> Option<String> {
    let mut text = String::with_capacity(body.len());
    for chunk in body.utf8_chunks() {
        if chunk
            .valid()
            .chars()
            .any(|character| mark_to_byte(character).is_some())
        {
            return None;
        }
        text.push_str(chunk.valid());
        for &byte in chunk.invalid() {
            text.push(char::from_u32(FIRST_MARK + u32::from(byte))?);
        }
    }
    Some(text)
}

fn encode_broken(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    for character in text.chars() {
        match mark_to_byte(character) {
            Some(byte) => bytes.push(byte),
            None => bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    bytes
}

fn encode_legacy(encoding: &'static Encoding, text: &str) -> Result<Vec<u8>, Unencodable> {
    let mut encoder = encoding.new_encoder();
    let mut bytes = Vec::new();
    let mut rest = text;
    loop {
        let room = encoder
            .max_buffer_length_from_utf8_without_replacement(rest.len())
            .unwrap_or(rest.len().saturating_mul(4).saturating_add(16));
        bytes.reserve(room);
        let (result, read) =
            encoder.encode_from_utf8_to_vec_without_replacement(rest, &mut bytes, true);
        match result {
            EncoderResult::InputEmpty => return Ok(bytes),
            EncoderResult::Unmappable(character) => {
                return Err(Unencodable {
                    character,
                    encoding: encoding.name(),
                });
            }
            EncoderResult::OutputFull => rest = &rest[read..],
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn round_trip(bytes: &[u8]) -> (TextEncoding, String) {
        let encoding = detect(bytes);
        let text = encoding.decode(bytes).unwrap();
        let mut back = encoding.mark().to_vec();
        back.extend(encoding.encode(&text).unwrap());
        assert_eq!(back, bytes);
        (encoding, text)
    }

    #[test]
    fn the_usual_encodings_are_found() {
        assert_eq!(round_trip(b"plain\n").0, TextEncoding::Utf8);
        assert_eq!(
            round_trip(b"\xef\xbb\xbfWrite-Host 1\n").0,
            TextEncoding::Utf8Bom
        );
        let (encoding, text) = round_trip(b"nome=configura\xe7\xe3o\nmodo=0\n");
        assert!(matches!(encoding, TextEncoding::Legacy(_)));
        assert!(text.starts_with("nome=configuração"), "{encoding:?} {text}");
        let (encoding, text) = round_trip(b"// \xd6\xd0\xce\xc4\xd7\xa2\xca\xcd\nint n = 5;\n");
        assert_eq!(
            (encoding.name(), text.lines().next().unwrap()),
            ("GBK", "// 中文注释")
        );
        let japanese = encoding_rs::SHIFT_JIS
            .encode("これは日本語のテキストです。\n設定ファイル\n")
            .0;
        assert_eq!(round_trip(&japanese).0.name(), "Shift_JIS");
    }

    #[test]
    fn utf16_in_both_orders_with_and_without_mark() {
        for (big_endian, bom) in [(false, true), (true, true), (false, false), (true, false)] {
            let expected = TextEncoding::Utf16 { big_endian, bom };
            let mut bytes = expected.mark().to_vec();
            bytes.extend(expected.encode("key = \"wert\"\r\nü\r\n").unwrap());
            assert_eq!(round_trip(&bytes).0, expected);
        }
        assert_eq!(
            TextEncoding::Utf16 {
                big_endian: false,
                bom: true
            }
            .decode(b"\xff\xfe\x00\xd8"),
            None
        );
    }

    #[test]
    fn a_character_the_encoding_lacks_is_named() {
        let latin = TextEncoding::Legacy(encoding_rs::WINDOWS_1252);
        let error = latin.encode("a→b").unwrap_err();
        insta::assert_snapshot!(error, @"the character '→' (U+2192) cannot be written in windows-1252");
    }

    proptest! {
        #[test]
        fn whatever_is_decoded_gives_its_bytes_back(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            let encoding = detect(&bytes);
            if let Some(text) = encoding.decode(&bytes) {
                let mut back = encoding.mark().to_vec();
                back.extend(encoding.encode(&text).unwrap());
                prop_assert_eq!(back, bytes);
            }
        }
    }
}
