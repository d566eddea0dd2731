//! Refusing a file that unpacks without end. The parser unpacks a stream whole, so a few kilobytes that
//! stand for gigabytes would use up the memory; they are measured before, and nothing of them is kept.

use std::io::Read;

use flate2::read::ZlibDecoder;

/// Measures every packed stream of the file. Together they may unpack to `limit` bytes.
///
/// # Errors
/// In words, when there is more than a document of this kind has.
pub(super) fn must_be_bounded(bytes: &[u8], limit: u64) -> Result<(), String> {
    // Packed twice, a stream of a kilobyte may stand for a gigabyte and looks small the first time.
    if is_packed_twice(bytes) {
        return Err("one of its streams is packed more than once".to_owned());
    }
    let mut total = 0;
    for at in memchr::memmem::find_iter(bytes, b"stream") {
        let rest = &bytes[at + b"stream".len()..];
        let body = rest
            .strip_prefix(b"\r\n")
            .or_else(|| rest.strip_prefix(b"\n"))
            .or_else(|| rest.strip_prefix(b"\r"));
        // The first byte of a zlib header for any window size (RFC 1950).
        let Some(body) = body.filter(|body| body.first().is_some_and(|byte| byte & 0x0f == 8))
        else {
            continue;
        };
        let mut unpacked = ZlibDecoder::new(body).take(limit - total + 1);
        total += count(&mut unpacked);
        if total > limit {
            return Err(format!(
                "its streams unpack to more than {}",
                adroit_workspace::human_size(limit)
            ));
        }
    }
    Ok(())
}

/// How much comes. An error ends the stream here as it does for the parser.
fn count(reader: &mut impl Read) -> u64 {
    let mut buffer = [0; 16 << 10];
    let mut total = 0;
    while let Ok(read) = reader.read(&mut buffer)
        && read > 0
    {
        total += read as u64;
    }
    total
}

/// `/FlateDecode /FlateDecode`, also by the short names that inline images use.
fn is_packed_twice(bytes: &[u8]) -> bool {
    let name = |bytes: &'_ [u8]| {
        let length = ["/FlateDecode", "/Fl"].iter().find_map(|name| {
            let rest = bytes.strip_prefix(name.as_bytes())?;
            (!rest.first().is_some_and(u8::is_ascii_alphanumeric)).then_some(name.len())
        });
        length.unwrap_or(0)
    };
    memchr::memmem::find_iter(bytes, b"/Fl").any(|at| {
        let first = name(&bytes[at..]);
        first > 0 && name(bytes[at + first..].trim_ascii_start()) > 0
    })
}
