//! What stood at a path at one moment.

use std::fmt;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use adroit_workspace::{ReadError, open_regular};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::attributes::Attributes;
use crate::objects::{Durability, ObjectError, Objects};

/// BLAKE3 of a content.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Hash([u8; 32]);

impl Hash {
    /// The hash of these bytes.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self(*blake3::hash(bytes).as_bytes())
    }

    /// The hash that these bytes are.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    pub(crate) const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Display for Hash {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0
            .iter()
            .try_for_each(|byte| write!(formatter, "{byte:02x}"))
    }
}

impl fmt::Debug for Hash {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{self}")
    }
}

impl FromStr for Hash {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        blake3::Hash::from_hex(text)
            .map(|hash| Self(*hash.as_bytes()))
            .map_err(|error| error.to_string())
    }
}

impl Serialize for Hash {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Hash {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?
            .parse()
            .map_err(serde::de::Error::custom)
    }
}

/// What stood at a path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Image {
    /// Nothing.
    Absent,
    /// An ordinary file.
    File {
        /// Its bytes.
        content: Content,
        /// Its permission bits.
        mode: u32,
        /// Its size in bytes.
        size: u64,
        /// Its extended attributes.
        #[serde(default, skip_serializing_if = "Attributes::is_empty")]
        attributes: Attributes,
    },
    /// A symbolic link.
    Link {
        /// Where it points, as it is written in the link.
        #[serde(with = "crate::path_text")]
        target: PathBuf,
    },
    /// A folder. What is in it has images of its own.
    Directory {
        /// Its permission bits.
        mode: u32,
        /// Its extended attributes.
        #[serde(default, skip_serializing_if = "Attributes::is_empty")]
        attributes: Attributes,
    },
    /// A device, pipe or socket. Never opened and never restored.
    Special,
}

/// The bytes of a file, as far as they were kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Content {
    /// They are in the store.
    Kept(Hash),
    /// They are not.
    NotKept {
        /// Why.
        why: NotKept,
        /// Tells this state of the file from another: size, times and number.
        stamp: String,
    },
}

/// Why the bytes of a file were not kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NotKept {
    /// It is larger than one file may be.
    TooLarge,
    /// This user may not read it.
    Unreadable,
    /// The look at the workspace had read all that it may read in one call.
    OverBudget,
}

impl NotKept {
    /// In words, after "because".
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::TooLarge => "it is too large to be kept",
            Self::Unreadable => "it may not be read",
            Self::OverBudget => "the folder holds more than one call may keep",
        }
    }
}

impl Image {
    /// The hash of its bytes, where they were kept.
    #[must_use]
    pub fn hash(&self) -> Option<Hash> {
        match self {
            Self::File {
                content: Content::Kept(hash),
                ..
            } => Some(*hash),
            _ => None,
        }
    }

    /// Why it cannot be put back, where it cannot.
    #[must_use]
    pub fn not_kept(&self) -> Option<&'static str> {
        match self {
            Self::File {
                content: Content::NotKept { why, .. },
                ..
            } => Some(why.words()),
            Self::Special => Some("it is no file, folder or link"),
            _ => None,
        }
    }

    /// The permission bits, where it has some.
    #[must_use]
    pub fn mode(&self) -> Option<u32> {
        match self {
            Self::File { mode, .. } | Self::Directory { mode, .. } => Some(*mode),
            _ => None,
        }
    }

    /// The extended attributes, where it can have some.
    #[must_use]
    pub fn attributes(&self) -> Option<&Attributes> {
        match self {
            Self::File { attributes, .. } | Self::Directory { attributes, .. } => Some(attributes),
            _ => None,
        }
    }

    /// Whether nothing stood there.
    #[must_use]
    pub fn is_absent(&self) -> bool {
        matches!(self, Self::Absent)
    }

    /// Whether a folder stood there.
    #[must_use]
    pub fn is_directory(&self) -> bool {
        matches!(self, Self::Directory { .. })
    }
}

/// The state of a file without looking into it: a write changes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stamp {
    size: u64,
    inode: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl Stamp {
    pub(crate) fn of(metadata: &std::fs::Metadata) -> Self {
        Self {
            size: metadata.size(),
            inode: metadata.ino(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        }
    }

    /// Whether the file system's clock seems to have few ticks in a second. Both times of a file are whole
    /// hundredths by chance once in many billions.
    pub(crate) fn is_coarse(&self) -> bool {
        const HUNDREDTH: i64 = 10_000_000;
        self.modified.1 % HUNDREDTH == 0 && self.changed.1 % HUNDREDTH == 0
    }

    /// The later of the two times, nanoseconds since 1970.
    pub(crate) fn latest(&self) -> i128 {
        let whole =
            |(seconds, nanos): (i64, i64)| i128::from(seconds) * 1_000_000_000 + i128::from(nanos);
        whole(self.modified).max(whole(self.changed))
    }

    /// The numbers of it, in a fixed order.
    pub(crate) fn numbers(&self) -> [i64; 6] {
        [
            self.size.cast_signed(),
            self.inode.cast_signed(),
            self.modified.0,
            self.modified.1,
            self.changed.0,
            self.changed.1,
        ]
    }

    /// The other way round.
    pub(crate) fn from_numbers(numbers: [i64; 6]) -> Self {
        let [size, inode, seconds, nanos, changed_seconds, changed_nanos] = numbers;
        Self {
            size: size.cast_unsigned(),
            inode: inode.cast_unsigned(),
            modified: (seconds, nanos),
            changed: (changed_seconds, changed_nanos),
        }
    }

    fn words(&self) -> String {
        format!(
            "{}:{}:{}.{}:{}.{}",
            self.size, self.inode, self.modified.0, self.modified.1, self.changed.0, self.changed.1
        )
    }
}

pub(crate) fn not_kept(metadata: &std::fs::Metadata, why: NotKept) -> Image {
    Image::File {
        content: Content::NotKept {
            why,
            stamp: Stamp::of(metadata).words(),
        },
        mode: metadata.mode() & 0o7777,
        size: metadata.size(),
        // It is not put back, and its stamp tells of their change.
        attributes: Attributes::default(),
    }
}

/// What stands at `real` now, its content put into the store. A link is not followed.
///
/// # Errors
/// The store cannot take the content. A file that cannot be read is an image that says so.
pub(crate) fn keep(
    real: &Path,
    objects: &Objects,
    file_bytes: u64,
    durability: Durability,
) -> Result<Image, ObjectError> {
    let (image, bytes) = look(real, file_bytes);
    if let Some(bytes) = bytes {
        objects.put(&bytes, durability)?;
    }
    Ok(image)
}

/// What stands at `real` now, with its bytes where it is a file of at most `file_bytes`.
#[must_use]
pub fn capture(real: &Path, file_bytes: u64) -> (Image, Option<Vec<u8>>) {
    look(real, file_bytes)
}

fn look(real: &Path, file_bytes: u64) -> (Image, Option<Vec<u8>>) {
    let Ok(metadata) = real.symlink_metadata() else {
        return (Image::Absent, None);
    };
    let mode = metadata.mode() & 0o7777;
    let kind = metadata.file_type();
    if kind.is_symlink() {
        let image = match std::fs::read_link(real) {
            Ok(target) => Image::Link { target },
            Err(_) => Image::Absent,
        };
        return (image, None);
    }
    if kind.is_dir() {
        let attributes = Attributes::of(real);
        return (Image::Directory { mode, attributes }, None);
    }
    if !kind.is_file() {
        return (Image::Special, None);
    }
    if metadata.len() > file_bytes {
        return (not_kept(&metadata, NotKept::TooLarge), None);
    }
    match read(real, file_bytes) {
        Ok(Some(bytes)) => {
            let image = Image::File {
                content: Content::Kept(Hash::of(&bytes)),
                mode,
                size: bytes.len() as u64,
                attributes: Attributes::of(real),
            };
            (image, Some(bytes))
        }
        Ok(None) => (not_kept(&metadata, NotKept::TooLarge), None),
        Err(ReadError::NotFound(_)) => (Image::Absent, None),
        Err(_) => (not_kept(&metadata, NotKept::Unreadable), None),
    }
}

/// The bytes, or nothing where there are more than `limit`.
fn read(real: &Path, limit: u64) -> Result<Option<Vec<u8>>, ReadError> {
    use std::io::Read as _;
    let mut bytes = Vec::new();
    let read = open_regular(real)?
        .take(limit.saturating_add(1))
        .read_to_end(&mut bytes);
    match read {
        Ok(length) if length as u64 > limit => Ok(None),
        Ok(_) => Ok(Some(bytes)),
        Err(source) => Err(ReadError::Io {
            path: real.display().to_string(),
            source,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Another content of the same size within two seconds looks the same there.
    #[test]
    fn a_clock_of_whole_seconds_is_known_by_its_times() {
        let stamp = |modified, changed| {
            Stamp::from_numbers([3, 7, 1_700_000_000, modified, 1_700_000_002, changed])
        };
        assert!(stamp(0, 0).is_coarse());
        assert!(stamp(990_000_000, 0).is_coarse());
        assert!(
            !stamp(0, 123_456_789).is_coarse(),
            "unpacked from an archive on an exact file system"
        );
        assert!(!stamp(4_000_000, 8_000_000).is_coarse());
    }
}
