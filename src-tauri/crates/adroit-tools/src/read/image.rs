//! Images that a model can take: decoded once to prove them whole, and made smaller where need be.

use std::io::Cursor;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use image::{DynamicImage, GenericImageView, ImageFormat, ImageReader, Limits};
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
    let mut limits = Limits::default();
    limits.max_image_width = Some(MAX_DECODED_EDGE);
    limits.max_image_height = Some(MAX_DECODED_EDGE);
    limits.max_alloc = Some(MAX_MEMORY);
    reader.limits(limits);
    // A decoder is not to bring the program down, whatever the bytes.
    let decoded = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| reader.decode()))
        .map_err(|_| broken(&"the decoder gave up"))?
        .map_err(|error| broken(&error))?;
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
    if fits && !moves {
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
