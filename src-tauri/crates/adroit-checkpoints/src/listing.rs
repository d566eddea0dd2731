//! What stood in the folders, as bytes: kept for the case that the app stops while a call runs.
//!
//! Written at nearly every call, of trees of many thousand files, so paths are cut by what they
//! share with the one before, and contents are their plain hashes.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use crate::attributes::Attributes;
use crate::image::{Content, Hash, Image, Stamp};
use crate::known::Images;

/// The first byte, for a form that changes one day.
const FORM: u8 = 1;
/// The same for listings with what the system says of each file.
const STAMPED: u8 = 2;
/// A file whose content is kept, without attributes.
const PLAIN: u8 = 0;
/// Anything else, as JSON.
const OTHER: u8 = 1;

/// Lists these things, in the order of their paths.
pub(crate) fn encode<'a>(entries: impl IntoIterator<Item = (&'a Path, &'a Image)>) -> Vec<u8> {
    let mut bytes = vec![FORM];
    let mut last: &[u8] = &[];
    for (path, image) in entries {
        put_path(&mut bytes, path, &mut last);
        put_image(&mut bytes, image);
    }
    bytes
}

/// As [`encode`], each with what the system says of it.
pub(crate) fn encode_stamped<'a>(
    entries: impl IntoIterator<Item = (&'a PathBuf, &'a (Stamp, Image))>,
) -> Vec<u8> {
    let mut bytes = vec![STAMPED];
    let mut last: &[u8] = &[];
    for (path, (stamp, image)) in entries {
        put_path(&mut bytes, path, &mut last);
        for number in stamp.numbers() {
            put_number(&mut bytes, number.cast_unsigned());
        }
        put_image(&mut bytes, image);
    }
    bytes
}

fn put_path<'a>(bytes: &mut Vec<u8>, path: &'a Path, last: &mut &'a [u8]) {
    let path = path.as_os_str().as_bytes();
    let shared = path.iter().zip(*last).take_while(|(a, b)| a == b).count();
    put_number(bytes, shared as u64);
    put_bytes(bytes, &path[shared..]);
    *last = path;
}

fn put_image(bytes: &mut Vec<u8>, image: &Image) {
    match image {
        Image::File {
            content: Content::Kept(hash),
            mode,
            size,
            attributes,
        } if attributes.is_empty() => {
            bytes.push(PLAIN);
            put_number(bytes, u64::from(*mode));
            put_number(bytes, *size);
            bytes.extend_from_slice(hash.as_bytes());
        }
        other => {
            bytes.push(OTHER);
            // A value of plain data: there is nothing in it that JSON could refuse.
            put_bytes(bytes, &serde_json::to_vec(other).unwrap_or_default());
        }
    }
}

/// Seven bits a byte, the lowest first.
fn put_number(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

fn put_bytes(bytes: &mut Vec<u8>, part: &[u8]) {
    put_number(bytes, part.len() as u64);
    bytes.extend_from_slice(part);
}

/// What was listed; `None` where the bytes are no listing.
pub(crate) fn decode(bytes: &[u8]) -> Option<BTreeMap<PathBuf, Image>> {
    let mut reader = Reader(bytes);
    if reader.byte()? != FORM {
        return None;
    }
    let mut entries = BTreeMap::new();
    let mut path: Vec<u8> = Vec::new();
    while !reader.0.is_empty() {
        reader.path(&mut path)?;
        let image = reader.image()?;
        entries.insert(PathBuf::from(OsStr::from_bytes(&path)), image);
    }
    Some(entries)
}

/// What [`encode_stamped`] listed.
pub(crate) fn decode_stamped(bytes: &[u8]) -> Option<Images> {
    let mut reader = Reader(bytes);
    if reader.byte()? != STAMPED {
        return None;
    }
    let mut images = Images::new();
    let mut path: Vec<u8> = Vec::new();
    while !reader.0.is_empty() {
        reader.path(&mut path)?;
        let mut numbers = [0; 6];
        for number in &mut numbers {
            *number = reader.number()?.cast_signed();
        }
        let entry = (Stamp::from_numbers(numbers), reader.image()?);
        images.insert(PathBuf::from(OsStr::from_bytes(&path)), entry);
    }
    Some(images)
}

struct Reader<'b>(&'b [u8]);

impl<'b> Reader<'b> {
    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    fn number(&mut self) -> Option<u64> {
        let mut number = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    /// The next path, from what it shares with the one before.
    fn path(&mut self, path: &mut Vec<u8>) -> Option<()> {
        let shared = usize::try_from(self.number()?).ok()?;
        if shared > path.len() {
            return None;
        }
        path.truncate(shared);
        path.extend_from_slice(self.bytes()?);
        Some(())
    }

    fn take(&mut self, length: usize) -> Option<&'b [u8]> {
        let (part, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(part)
    }

    fn bytes(&mut self) -> Option<&'b [u8]> {
        let length = usize::try_from(self.number()?).ok()?;
        self.take(length)
    }

    fn image(&mut self) -> Option<Image> {
        match self.byte()? {
            PLAIN => Some(Image::File {
                mode: u32::try_from(self.number()?).ok()?,
                size: self.number()?,
                content: Content::Kept(Hash::from_bytes(self.take(32)?.try_into().ok()?)),
                attributes: Attributes::default(),
            }),
            OTHER => serde_json::from_slice(self.bytes()?).ok(),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn image() -> impl Strategy<Value = Image> {
        prop_oneof![
            (any::<u16>(), any::<u64>(), any::<[u8; 32]>()).prop_map(|(mode, size, hash)| {
                Image::File {
                    content: Content::Kept(Hash::from_bytes(hash)),
                    mode: u32::from(mode),
                    size,
                    attributes: Attributes::default(),
                }
            }),
            Just(Image::Absent),
            Just(Image::Special),
            proptest::collection::vec(1_u8..=255, 1..9).prop_map(|target| Image::Link {
                target: PathBuf::from(OsStr::from_bytes(&target)),
            }),
        ]
    }

    proptest! {
        #[test]
        fn what_is_listed_is_read_back(
            entries in proptest::collection::btree_map(
                proptest::collection::vec(prop_oneof![Just(b'a'), Just(b'/'), 1_u8..=255], 0..12)
                    .prop_map(|path| PathBuf::from(OsStr::from_bytes(&path))),
                image(),
                0..20,
            ),
        ) {
            let bytes = encode(entries.iter().map(|(path, image)| (path.as_path(), image)));
            // Paths that are equal to `Path` are one and the same entry of a map.
            prop_assert_eq!(decode(&bytes), Some(entries));
        }

        #[test]
        fn what_is_listed_with_stamps_is_read_back(
            entries in proptest::collection::hash_map(
                proptest::collection::vec(prop_oneof![Just(b'a'), 1_u8..=255], 1..12)
                    .prop_filter("one name", |path| !path.contains(&b'/'))
                    .prop_map(|path| PathBuf::from(OsStr::from_bytes(&path))),
                (any::<[i64; 6]>().prop_map(Stamp::from_numbers), image()),
                0..20,
            ),
        ) {
            prop_assert_eq!(decode_stamped(&encode_stamped(&entries)), Some(entries));
        }

        #[test]
        fn bytes_that_are_no_listing_are_refused_and_never_panic(
            bytes in proptest::collection::vec(any::<u8>(), 0..200),
        ) {
            let _ = decode(&bytes);
            let _ = decode_stamped(&bytes);
        }
    }
}
