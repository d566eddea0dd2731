//! Images that a model can take: decoded once to prove them whole, and made smaller where need be.

use std::io::Cursor;
use std::panic::AssertUnwindSafe;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use image::metadata::Orientation;
use image::{
    DynamicImage, GenericImageView, ImageDecoder as _, ImageError, ImageFormat, ImageReader, Limits,
};
use serde::Serialize;

/// The longest edge that is sent, in pixels: models scale larger images down themselves.
const MAX_EDGE: u32 = 1_568;
/// Bytes of an image that is sent as it is; Base64 makes a third more of them, and 5 MB is the usual limit.
const MAX_SENT: usize = 3_600_000;
/// Width or height beyond which an image is not decoded.
const MAX_DECODED_EDGE: u32 = 30_000;
/// Memory that decoding may take, in bytes.
const MAX_MEMORY: u64 = 512 << 20;

/// An image for a model.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Picture {
    /// For example `image/png`; told by the bytes, never by the name.
    pub media_type: &'static str,
    /// Base64.
    pub data: String,
    /// What it is, in words.
    pub description: String,
}

/// Whether a media type is one that is shown as an image.
pub(super) fn is_image(media_type: &str) -> bool {
    matches!(
        media_type,
        "image/png" | "image/jpeg" | "image/gif" | "image/webp"
    )
}

/// Decodes an image and gives it back, smaller where it has to be. Of an animation the first frame only.
pub(super) fn prepare(bytes: &[u8]) -> Result<Picture, String> {
    let broken = |error: &dyn std::fmt::Display| {
        format!("the image cannot be decoded: {error}. It is damaged or cut off; it was not sent.")
    };
    let format = image::guess_format(bytes).map_err(|error| broken(&error))?;
    let mut reader = ImageReader::with_format(Cursor::new(bytes), format);
    let limits = limits();
    reader.limits(limits.clone());
    // A decoder is not to bring the program down, whatever the bytes.
    let decoded = std::panic::catch_unwind(AssertUnwindSafe(|| decode(reader, limits)))
        .map_err(|_| broken(&"the decoder gave up"))?;
    let (decoded, turned) = decoded.map_err(|error| match error {
        ImageError::Limits(_) => format!(
            "the image cannot be decoded: it has more than {MAX_DECODED_EDGE} pixels on an edge, or needs more than {} of memory. It was not sent; make it smaller first.",
            adroit_workspace::human_size(MAX_MEMORY)
        ),
        other => broken(&other),
    })?;
    let (width, height) = decoded.dimensions();
    let name = format
        .extensions_str()
        .first()
        .copied()
        .unwrap_or("image")
        .to_uppercase();
    let mut description = format!("{name} image, {width} × {height} pixels");
    let fits = width.max(height) <= MAX_EDGE && bytes.len() <= MAX_SENT;
    let moves = format == ImageFormat::Gif || is_moving_webp(format, bytes);
    if fits && !moves && !turned {
        return Ok(Picture {
            media_type: format.to_mime_type(),
            data: STANDARD.encode(bytes),
            description,
        });
    }
    if moves {
        description.push_str(", first frame");
    }
    let smaller = if width.max(height) > MAX_EDGE {
        let smaller = decoded.thumbnail(MAX_EDGE, MAX_EDGE);
        description.push_str(&format!(
            ", shown at {} × {}",
            smaller.width(),
            smaller.height()
        ));
        smaller
    } else {
        decoded
    };
    let (media_type, encoded) = encode(&smaller, format).map_err(|error| broken(&error))?;
    Ok(Picture {
        media_type,
        data: STANDARD.encode(encoded),
        description,
    })
}

fn limits() -> Limits {
    let mut limits = Limits::default();
    limits.max_image_width = Some(MAX_DECODED_EDGE);
    limits.max_image_height = Some(MAX_DECODED_EDGE);
    limits.max_alloc = Some(MAX_MEMORY);
    limits
}

/// The image as it is meant to be seen, and whether it had to be turned for that: a camera writes down
/// how it was held, and what is encoded anew no longer says so.
fn decode(
    reader: ImageReader<Cursor<&[u8]>>,
    mut limits: Limits,
) -> image::ImageResult<(DynamicImage, bool)> {
    let mut decoder = reader.into_decoder()?;
    limits.reserve(decoder.total_bytes())?;
    decoder.set_limits(limits)?;
    let orientation = decoder.orientation().unwrap_or(Orientation::NoTransforms);
    let mut decoded = DynamicImage::from_decoder(decoder)?;
    decoded.apply_orientation(orientation);
    Ok((decoded, orientation != Orientation::NoTransforms))
}

/// Models take WebP images, and not all of them take one that moves.
fn is_moving_webp(format: ImageFormat, bytes: &[u8]) -> bool {
    format == ImageFormat::WebP
        && image::codecs::webp::WebPDecoder::new(Cursor::new(bytes))
            .is_ok_and(|decoder| decoder.has_animation())
}

/// Photographs stay JPEG; the rest is PNG, and JPEG where that is too large.
fn encode(
    picture: &DynamicImage,
    format: ImageFormat,
) -> image::ImageResult<(&'static str, Vec<u8>)> {
    let mut bytes = Vec::new();
    if format != ImageFormat::Jpeg {
        picture.write_to(&mut Cursor::new(&mut bytes), ImageFormat::Png)?;
        if bytes.len() <= MAX_SENT {
            return Ok(("image/png", bytes));
        }
        bytes.clear();
    }
    DynamicImage::ImageRgb8(picture.to_rgb8())
        .write_to(&mut Cursor::new(&mut bytes), ImageFormat::Jpeg)?;
    Ok(("image/jpeg", bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_too_large_to_decode_says_so() {
        // The head of a PNG of 60,000 by 60,000 pixels, with the check sum of its header.
        let mut png = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR".to_vec();
        png.extend(b"\0\0\xea\x60\0\0\xea\x60\x08\x06\0\0\0");
        let sum = crc32(&png[12..]);
        png.extend(sum.to_be_bytes());
        let error = prepare(&png).unwrap_err();
        assert!(error.contains("more than 30000 pixels"), "{error}");
    }

    /// As PNG uses it (ISO 15948, annex D).
    fn crc32(bytes: &[u8]) -> u32 {
        let step = |sum: u32| (sum >> 1) ^ if sum & 1 == 1 { 0xedb8_8320 } else { 0 };
        !bytes.iter().fold(!0, |sum, &byte| {
            (0..8).fold(sum ^ u32::from(byte), |sum, _| step(sum))
        })
    }

    /// A JPEG whose camera was held upright: EXIF says to turn it by a quarter.
    #[test]
    fn a_photograph_stands_upright() {
        let mut jpeg = Vec::new();
        DynamicImage::new_rgb8(40, 20)
            .write_to(&mut Cursor::new(&mut jpeg), ImageFormat::Jpeg)
            .unwrap();
        // TIFF header, one entry: tag 0x0112 (orientation), type short, count 1, value 6.
        let mut exif = b"Exif\0\0MM\0\x2a\0\0\0\x08\0\x01".to_vec();
        exif.extend(b"\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0");
        let length = u16::try_from(exif.len() + 2).unwrap().to_be_bytes();
        let turned = [&jpeg[..2], &[0xff, 0xe1], &length, &exif, &jpeg[2..]].concat();
        assert!(prepare(&jpeg).unwrap().description.contains("40 × 20"));
        let picture = prepare(&turned).unwrap();
        assert!(
            picture.description.contains("20 × 40"),
            "{}",
            picture.description
        );
        let sent = STANDARD.decode(&picture.data).unwrap();
        let sent = image::load_from_memory(&sent).unwrap();
        assert_eq!(sent.dimensions(), (20, 40));
    }
}
