//! Refusing a file that unpacks without end. The parser unpacks a stream whole, so a few kilobytes that
//! stand for gigabytes would use up the memory; they are measured before, and nothing of them is kept.

use std::io::Read;

use flate2::read::ZlibDecoder;
use memchr::memmem;
use weezl::BitOrder;
use weezl::decode::Configuration;

/// Why nothing is said of the rest.
const STOPPED: &str = "measuring its streams was stopped";

/// How far before a stream its dictionary is looked for, in bytes.
const DICTIONARY: usize = 4 << 10;

/// Measures every packed stream of the file. Together they may unpack to `limit` bytes. `stop` is asked
/// before each stream, and after each few kilobytes of one.
///
/// # Errors
/// In words, when there is more than a document of this kind has, or it was stopped.
pub(super) fn must_be_bounded(
    bytes: &[u8],
    limit: u64,
    stop: &dyn Fn() -> bool,
) -> Result<(), String> {
    let mut total = 0;
    for at in memmem::find_iter(bytes, b"stream") {
        if stop() {
            return Err(STOPPED.to_owned());
        }
        let Some(body) = body_after(&bytes[at + b"stream".len()..]) else {
            continue;
        };
        let before = &bytes[at.saturating_sub(DICTIONARY)..at];
        let dictionary = memmem::rfind(before, b"obj").map_or(before, |start| &before[start..]);
        let packings = Packing::named_in(dictionary);
        // Packed twice, a stream of a kilobyte may stand for a gigabyte and looks small the first time.
        if packings.iter().filter(|packing| packing.grows()).count() > 1 {
            return Err("one of its streams is packed more than once".to_owned());
        }
        total += unpacked_size(body, &packings, limit - total, stop);
        if total > limit {
            return Err(format!(
                "its streams unpack to more than {}",
                adroit_workspace::human_size(limit)
            ));
        }
    }
    Ok(())
}

/// What follows the word `stream` at the end of its line, up to where the stream ends.
fn body_after(rest: &[u8]) -> Option<&[u8]> {
    let body = rest
        .strip_prefix(b"\r\n")
        .or_else(|| rest.strip_prefix(b"\n"))
        .or_else(|| rest.strip_prefix(b"\r"))?;
    let end = memmem::find(body, b"endstream").unwrap_or(body.len());
    Some(&body[..end])
}

/// How a stream is packed (ISO 32000-1, 7.4); those that only pictures have are not unpacked here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Packing {
    Flate,
    Lzw,
    Ascii85,
    AsciiHex,
    RunLength,
}

impl Packing {
    const NAMES: [(&'static str, Self); 10] = [
        ("/FlateDecode", Self::Flate),
        ("/Fl", Self::Flate),
        ("/LZWDecode", Self::Lzw),
        ("/LZW", Self::Lzw),
        ("/ASCII85Decode", Self::Ascii85),
        ("/A85", Self::Ascii85),
        ("/ASCIIHexDecode", Self::AsciiHex),
        ("/AHx", Self::AsciiHex),
        ("/RunLengthDecode", Self::RunLength),
        ("/RL", Self::RunLength),
    ];

    /// The packings that a dictionary names, in their order.
    fn named_in(dictionary: &[u8]) -> Vec<Self> {
        let mut found: Vec<(usize, Self)> = Vec::new();
        for (name, packing) in Self::NAMES {
            for at in memmem::find_iter(dictionary, name) {
                let after = dictionary.get(at + name.len());
                if !after.is_some_and(u8::is_ascii_alphanumeric) {
                    found.push((at, packing));
                }
            }
        }
        found.sort_by_key(|(at, _)| *at);
        found.into_iter().map(|(_, packing)| packing).collect()
    }

    fn grows(self) -> bool {
        matches!(self, Self::Flate | Self::Lzw | Self::RunLength)
    }
}

/// How much a stream unpacks to, counted up to a little more than `limit`.
fn unpacked_size(body: &[u8], packings: &[Packing], limit: u64, stop: &dyn Fn() -> bool) -> u64 {
    // Written as text it is first read as bytes, of which there are no more than characters.
    let bytes = match packings.first() {
        Some(Packing::Ascii85) => Some(from_ascii85(body)),
        Some(Packing::AsciiHex) => Some(from_hex(body)),
        _ => None,
    };
    let bytes = bytes.as_deref().unwrap_or(body);
    if packings.contains(&Packing::Lzw) {
        return lzw_size(bytes, limit, stop);
    }
    if packings.contains(&Packing::RunLength) {
        // 2 bytes stand for 128 at most.
        return bytes.len() as u64 * 64;
    }
    // Also where nothing is said: the dictionary may be written elsewhere. The first byte is that of a
    // zlib header of any window size (RFC 1950).
    if packings.contains(&Packing::Flate) || bytes.first().is_some_and(|byte| byte & 0x0f == 8) {
        return count(&mut ZlibDecoder::new(bytes).take(limit + 1), stop);
    }
    0
}

/// How much comes. An error ends the stream here as it does for the parser.
fn count(reader: &mut impl Read, stop: &dyn Fn() -> bool) -> u64 {
    let mut buffer = [0; 16 << 10];
    let mut total = 0;
    while !stop()
        && let Ok(read) = reader.read(&mut buffer)
        && read > 0
    {
        total += read as u64;
    }
    total
}

fn lzw_size(mut bytes: &[u8], limit: u64, stop: &dyn Fn() -> bool) -> u64 {
    let mut decoder = Configuration::with_tiff_size_switch(BitOrder::Msb, 8).build();
    let mut buffer = [0; 16 << 10];
    let mut total = 0;
    while total <= limit && !stop() {
        let step = decoder.decode_bytes(bytes, &mut buffer);
        total += step.consumed_out as u64;
        bytes = bytes.get(step.consumed_in..).unwrap_or_default();
        let stuck = step.consumed_in == 0 && step.consumed_out == 0;
        if stuck || !matches!(step.status, Ok(weezl::LzwStatus::Ok)) {
            break;
        }
    }
    total
}

fn from_hex(text: &[u8]) -> Vec<u8> {
    let digits: Vec<u8> = text
        .iter()
        .filter_map(|&digit| char::from(digit).to_digit(16))
        .filter_map(|digit| u8::try_from(digit).ok())
        .collect();
    digits
        .chunks(2)
        .map(|pair| pair[0] << 4 | pair.get(1).copied().unwrap_or(0))
        .collect()
}

fn from_ascii85(text: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len() / 5 * 4);
    let mut group: Vec<u32> = Vec::with_capacity(5);
    let mut put = |group: &mut Vec<u32>| {
        let kept = group.len().saturating_sub(1);
        group.resize(5, 84);
        let value = group.iter().fold(0_u32, |value, digit| {
            value.wrapping_mul(85).wrapping_add(*digit)
        });
        bytes.extend(&value.to_be_bytes()[..kept]);
        group.clear();
    };
    for &character in text {
        match character {
            b'~' => break,
            b'z' if group.is_empty() => {
                group.resize(5, 0);
                put(&mut group);
            }
            b'!'..=b'u' => {
                group.push(u32::from(character - b'!'));
                if group.len() == 5 {
                    put(&mut group);
                }
            }
            _ => {}
        }
    }
    if !group.is_empty() {
        put(&mut group);
    }
    bytes
}
