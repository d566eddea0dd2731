//! Contents by their hash: written once, never changed, compressed.

use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use fs_err as fs;
use ruzstd::decoding::StreamingDecoder;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

use crate::fault::{Faults, Point};
use crate::image::Hash;

/// The first byte of a kept content that stands there as it is.
const PLAIN: u8 = 0;
/// The first byte of one that is a zstd frame.
const PACKED: u8 = 1;
/// Contents shorter than this gain nothing by packing: a file takes whole blocks of the disk. Bytes.
const WORTH_PACKING: usize = 4_096;
/// A temporary file of this age belongs to nobody any more.
const ABANDONED: Duration = Duration::from_secs(3_600);

/// The store of contents failed.
#[derive(Debug, thiserror::Error)]
pub enum ObjectError {
    /// The disk said no.
    #[error("{operation} {}: {source}", path.display())]
    Io {
        /// What was tried.
        operation: &'static str,
        /// On which file.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
    /// The store may take no more, and nothing in it may be let go.
    #[error("the store of earlier contents is full ({limit} bytes)")]
    Full {
        /// Its size.
        limit: u64,
    },
    /// It is not there: it was let go.
    #[error("the content {hash} is no longer kept")]
    Gone {
        /// Which.
        hash: Hash,
    },
    /// It is there and not what it should be.
    #[error("the kept content {hash} is damaged")]
    Damaged {
        /// Which.
        hash: Hash,
    },
}

/// Whether a content has to outlive a loss of power, or only the app.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Durability {
    /// On the disk before the call goes on: the file is about to be replaced.
    Disk,
    /// Handed to the system. For a look at the whole workspace, where thousands of files are kept
    /// of which a few change; each is checked by its hash when it is used.
    System,
}

/// The contents of one project.
#[derive(Debug)]
pub(crate) struct Objects {
    folder: PathBuf,
    bytes: AtomicU64,
    limit: u64,
    faults: Faults,
}

fn io(operation: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> ObjectError {
    let path = path.to_path_buf();
    move |source| ObjectError::Io {
        operation,
        path,
        source,
    }
}

impl Objects {
    pub(crate) fn open(folder: PathBuf, limit: u64, faults: Faults) -> Result<Self, ObjectError> {
        fs::create_dir_all(folder.join("new")).map_err(io("cannot create", &folder))?;
        let objects = Self {
            folder,
            bytes: AtomicU64::new(0),
            limit,
            faults,
        };
        objects.remove_abandoned();
        let bytes = objects.list().iter().map(|(_, size)| size).sum();
        objects.bytes.store(bytes, Ordering::Relaxed);
        Ok(objects)
    }

    fn path(&self, hash: Hash) -> PathBuf {
        let name = hash.to_string();
        self.folder.join(&name[..2]).join(&name[2..])
    }

    /// Bytes that the contents take on the disk.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    pub(crate) fn limit(&self) -> u64 {
        self.limit
    }

    /// Keeps a content. It has its name only when it is whole.
    pub(crate) fn put(&self, bytes: &[u8], durability: Durability) -> Result<Hash, ObjectError> {
        let hash = Hash::of(bytes);
        let path = self.path(hash);
        if path.exists() {
            return Ok(hash);
        }
        let packed = pack(bytes);
        let size = packed.len() as u64;
        if self.bytes().saturating_add(size) > self.limit {
            return Err(ObjectError::Full { limit: self.limit });
        }
        let place = path.parent().unwrap_or(&self.folder);
        fs::create_dir_all(place).map_err(io("cannot create", place))?;
        let new = self.folder.join("new");
        let mut file = tempfile::Builder::new()
            .tempfile_in(&new)
            .map_err(io("cannot write in", &new))?;
        file.write_all(&packed).map_err(io("cannot write", &path))?;
        self.faults.pass(Point::ContentWritten);
        if durability == Durability::Disk {
            file.as_file()
                .sync_data()
                .map_err(io("cannot write", &path))?;
        }
        file.persist(&path)
            .map_err(|error| io("cannot write", &path)(error.error))?;
        if durability == Durability::Disk {
            sync_folder(place);
        }
        self.bytes.fetch_add(size, Ordering::Relaxed);
        Ok(hash)
    }

    /// Whether a content is there.
    pub(crate) fn contains(&self, hash: Hash) -> bool {
        self.path(hash).exists()
    }

    /// A content, checked: a damaged one is never put back in place of a file.
    pub(crate) fn get(&self, hash: Hash) -> Result<Vec<u8>, ObjectError> {
        let path = self.path(hash);
        let packed = match fs::read(&path) {
            Ok(packed) => packed,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Err(ObjectError::Gone { hash });
            }
            Err(source) => return Err(io("cannot read", &path)(source)),
        };
        let bytes = unpack(packed).ok_or(ObjectError::Damaged { hash })?;
        if Hash::of(&bytes) == hash {
            Ok(bytes)
        } else {
            Err(ObjectError::Damaged { hash })
        }
    }

    pub(crate) fn remove(&self, hash: Hash) {
        let path = self.path(hash);
        let size = path.metadata().map_or(0, |metadata| metadata.len());
        if fs::remove_file(&path).is_ok() {
            let _ = self
                .bytes
                .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |bytes| {
                    Some(bytes.saturating_sub(size))
                });
        }
    }

    /// Every content with its size on the disk.
    pub(crate) fn list(&self) -> Vec<(Hash, u64)> {
        let Ok(folders) = fs::read_dir(&self.folder) else {
            return Vec::new();
        };
        let mut found = Vec::new();
        for folder in folders.flatten() {
            let Some(start) = folder.file_name().to_str().map(str::to_owned) else {
                continue;
            };
            let Ok(files) = fs::read_dir(folder.path()) else {
                continue;
            };
            for file in files.flatten() {
                let rest = file.file_name();
                let hash = rest
                    .to_str()
                    .and_then(|rest| format!("{start}{rest}").parse().ok());
                if let (Some(hash), Ok(metadata)) = (hash, file.metadata()) {
                    found.push((hash, metadata.len()));
                }
            }
        }
        found
    }

    /// Temporary files of a process that was killed. Young ones may be another process's.
    fn remove_abandoned(&self) {
        let Ok(files) = fs::read_dir(self.folder.join("new")) else {
            return;
        };
        for file in files.flatten() {
            let old = file
                .metadata()
                .and_then(|metadata| metadata.modified())
                .is_ok_and(|at| at.elapsed().is_ok_and(|age| age > ABANDONED));
            if old {
                let _ = fs::remove_file(file.path());
            }
        }
    }
}

fn pack(bytes: &[u8]) -> Vec<u8> {
    if bytes.len() >= WORTH_PACKING {
        let frame = compress_to_vec(bytes, CompressionLevel::Fastest);
        // What is kept is all there is once the file was replaced: it is unpacked before it is trusted.
        if frame.len() < bytes.len() && decompress(&frame).as_deref() == Some(bytes) {
            return std::iter::once(PACKED).chain(frame).collect();
        }
    }
    std::iter::once(PLAIN)
        .chain(bytes.iter().copied())
        .collect()
}

fn unpack(mut packed: Vec<u8>) -> Option<Vec<u8>> {
    match packed.first().copied()? {
        PLAIN => {
            packed.remove(0);
            Some(packed)
        }
        PACKED => decompress(&packed[1..]),
        _ => None,
    }
}

fn decompress(frame: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    StreamingDecoder::new(frame)
        .ok()?
        .read_to_end(&mut bytes)
        .ok()?;
    Some(bytes)
}

/// Best effort: not every file system can.
pub(crate) fn sync_folder(folder: &Path) {
    if let Ok(folder) = fs::File::open(folder) {
        let _ = folder.sync_all();
    }
}
