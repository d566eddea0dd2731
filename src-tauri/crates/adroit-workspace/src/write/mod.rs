//! Writing a file whole or not at all.

mod attributes;
mod in_place;
mod replace;
#[cfg(test)]
mod tests;

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, FileType, Mode, OFlags};
use rustix::io::Errno;
use thiserror::Error;

use crate::disk::{open_without_links, read_open};
use crate::{ContentHash, FileKind, ReadError, display_path};

/// The bits that make a program run as its owner or group.
const SET_ID: u32 = 0o6000;

/// What has to be at the path for the write to happen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Expected {
    /// Whatever it is.
    #[default]
    Anything,
    /// Nothing.
    Absent,
    /// A file of this content.
    Content(ContentHash),
}

/// How to write.
#[derive(Clone, Copy, Debug, Default)]
pub struct WriteOptions {
    /// Checked at the last moment; a write never replaces something that nobody has seen.
    pub expected: Expected,
    /// Make missing folders on the way.
    pub create_parents: bool,
}

/// What a write did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WriteReport {
    /// The file did not exist before.
    pub created: bool,
    /// Hash of what is there now.
    pub hash: ContentHash,
    /// The file was written over and not replaced, because it has other names (hard links), or its
    /// owner or folder leaves no other way. Its old content was kept aside until the end.
    pub in_place: bool,
}

/// Why nothing was written. The file is as it was, unless the variant says otherwise.
#[derive(Debug, Error)]
pub enum WriteError {
    /// The disk or the quota is full.
    #[error(
        "no space left on the device for {path}: nothing was written, free some space and try again"
    )]
    NoSpace {
        /// Which file.
        path: String,
    },
    /// It may not be written.
    #[error("permission denied: {path} may not be written by this user")]
    Denied {
        /// The file or folder that refuses.
        path: String,
    },
    /// The file system is mounted read-only.
    #[error("{path} lies on a read-only file system")]
    ReadOnly {
        /// Which file.
        path: String,
    },
    /// A component of the path is a file, and files hold no files.
    #[error("{component} is {}, not a directory: {path} cannot be created in it", kind.words())]
    ParentNotDirectory {
        /// Which file.
        path: String,
        /// The component.
        component: String,
        /// What the component is.
        kind: FileKind,
    },
    /// A folder on the way does not exist.
    #[error("the folder of {path} does not exist")]
    NoParent {
        /// Which file.
        path: String,
    },
    /// A folder, device, pipe or socket stands there.
    #[error("{path} is {}, not a file: it is not written", kind.words())]
    NotAFile {
        /// Which.
        path: String,
        /// What stands there.
        kind: FileKind,
    },
    /// The file is not what was expected.
    #[error("{path} was changed by someone else at the last moment: read it again")]
    Changed {
        /// Which file.
        path: String,
    },
    /// A link was put in the way between the decision and the write.
    #[error("the way to {path} changed (a symbolic link was put in its place): try again")]
    Moved {
        /// Which file.
        path: String,
    },
    /// Writing over the file failed, and so did putting its content back.
    #[error(
        "writing {path} failed half way ({source}), and its old content could not be put back: it is kept in {backup}"
    )]
    Damaged {
        /// Which file.
        path: String,
        /// Where the old content is.
        backup: String,
        /// The system's answer.
        source: std::io::Error,
    },
    /// Anything else that the system answered.
    #[error("cannot write {path}: {source}")]
    Io {
        /// Which file.
        path: String,
        /// The system's answer.
        source: std::io::Error,
    },
}

impl WriteError {
    fn from_errno(path: &Path, errno: Errno) -> Self {
        let path = display_path(path);
        match errno {
            Errno::NOSPC | Errno::DQUOT => Self::NoSpace { path },
            Errno::ACCESS | Errno::PERM => Self::Denied { path },
            Errno::ROFS => Self::ReadOnly { path },
            Errno::LOOP => Self::Moved { path },
            Errno::NOENT => Self::NoParent { path },
            _ => Self::Io {
                path,
                source: errno.into(),
            },
        }
    }

    fn from_io(path: &Path, error: std::io::Error) -> Self {
        match Errno::from_io_error(&error) {
            Some(errno) => Self::from_errno(path, errno),
            None => Self::Io {
                path: display_path(path),
                source: error,
            },
        }
    }
}

/// Writes `bytes` to `real`, a path whose links are resolved ([`crate::Resolved::real`]); so a link
/// stays a link and its target is written.
///
/// The content goes to a temporary file in the same folder, to the disk, and then takes the file's
/// place; mode bits, owner and extended attributes are carried over. A file with several names (hard
/// links), or one whose owner or folder does not permit that, is written over instead, with the old
/// content kept aside until the end: replacing it would cut it off from its other names. A new file gets
/// mode `0666 & ~umask`.
///
/// Hold [`crate::lock_path`] around reading, deciding and writing.
///
/// # Errors
/// See [`WriteError`]; no temporary file is left behind.
pub fn write_atomic(
    real: &Path,
    bytes: &[u8],
    options: WriteOptions,
) -> Result<WriteReport, WriteError> {
    write(real, bytes, options, None)
}

/// As [`write_atomic`], and the file has these permission bits from the moment that it is seen: for
/// putting back a file that others must not read.
///
/// # Errors
/// As there.
pub fn write_atomic_with_mode(
    real: &Path,
    bytes: &[u8],
    options: WriteOptions,
    mode: u32,
) -> Result<WriteReport, WriteError> {
    write(real, bytes, options, Some(mode))
}

fn write(
    real: &Path,
    bytes: &[u8],
    options: WriteOptions,
    mode: Option<u32>,
) -> Result<WriteReport, WriteError> {
    let target = Target::open(real, options.create_parents)?;
    let existing = target.existing()?;
    if existing.is_none() && matches!(options.expected, Expected::Content(_)) {
        return Err(WriteError::Changed {
            path: display_path(real),
        });
    }
    let in_place = match &existing {
        Some(file) => {
            file.must_be_writable(&target)?;
            let has_other_names = file.stat.st_nlink > 1;
            let in_place = has_other_names
                || !replace::replace(&target, Some(file), bytes, options.expected, mode)?;
            if in_place {
                in_place::write_over(&target, bytes, options.expected)?;
                match mode {
                    Some(mode) => target.set_mode(mode)?,
                    // Writing takes these bits away (`write(2)`); the content was approved with them.
                    None if file.stat.st_mode & SET_ID != 0 => {
                        target.set_mode(file.stat.st_mode)?
                    }
                    None => {}
                }
            }
            in_place
        }
        None => !replace::replace(&target, None, bytes, options.expected, mode)?,
    };
    Ok(WriteReport {
        created: existing.is_none(),
        hash: ContentHash::of(bytes),
        in_place,
    })
}

/// Removes what writes of processes that were killed left beside `real`: their temporary files, of which each
/// holds a content that did not become the file's, or no longer is. Only where the old content is known to be
/// kept elsewhere: a copy that was kept aside for a write in place may be among them.
pub fn remove_abandoned_beside(real: &Path) {
    let Some(Ok(folder)) = real.parent().map(open_folder) else {
        return;
    };
    let Ok(entries) = rustix::fs::Dir::read_from(&folder) else {
        return;
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        if name
            .to_str()
            .ok()
            .and_then(writer_of)
            .is_some_and(|writer| !runs(writer))
        {
            let _ = rustix::fs::unlinkat(&folder, name, AtFlags::empty());
        }
    }
}

/// Whether a file of this name is a write that is under way, or was when its process was killed.
pub fn is_temporary(name: &OsStr) -> bool {
    name.to_str().is_some_and(|name| writer_of(name).is_some())
}

/// The process that made a temporary file of this name ([`Target::temporary_name`]).
fn writer_of(name: &str) -> Option<i32> {
    let rest = name.strip_prefix(".adroit-")?.strip_suffix(".tmp")?;
    let parts: Vec<&str> = rest.split('-').collect();
    let [writer, random, attempt] = parts.as_slice() else {
        return None;
    };
    let is_random = random.len() == 16 && random.bytes().all(|byte| byte.is_ascii_hexdigit());
    (is_random && attempt.parse::<u32>().is_ok()).then(|| writer.parse().ok())?
}

fn runs(process: i32) -> bool {
    rustix::process::Pid::from_raw(process)
        .is_some_and(|process| rustix::process::test_kill_process(process) != Err(Errno::SRCH))
}

/// The folder a file is written in, held open so that nobody can exchange it, and the file's name.
struct Target<'p> {
    path: &'p Path,
    folder: File,
    name: &'p OsStr,
}

impl<'p> Target<'p> {
    fn open(path: &'p Path, create_parents: bool) -> Result<Self, WriteError> {
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
            return Err(WriteError::NotAFile {
                path: display_path(path),
                kind: FileKind::Directory,
            });
        };
        let folder = match open_folder(parent) {
            Ok(folder) => folder,
            Err(Errno::NOENT) if create_parents => make_folders(path, parent)?,
            Err(Errno::NOTDIR) => return Err(not_a_folder(path, parent)),
            Err(errno) => return Err(WriteError::from_errno(path, errno)),
        };
        Ok(Self { path, folder, name })
    }

    /// The file that stands there. Asked of the folder that is held, as everything from here on: the
    /// path could lead elsewhere by now.
    fn existing(&self) -> Result<Option<Existing>, WriteError> {
        let stat = match rustix::fs::statat(&self.folder, self.name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => stat,
            Err(Errno::NOENT) => return Ok(None),
            Err(errno) => return Err(WriteError::from_errno(self.path, errno)),
        };
        match FileKind::of_mode(FileType::from_raw_mode(stat.st_mode)) {
            FileKind::Regular => Ok(Some(Existing { stat })),
            FileKind::Link => Err(WriteError::Moved {
                path: display_path(self.path),
            }),
            kind => Err(WriteError::NotAFile {
                path: display_path(self.path),
                kind,
            }),
        }
    }

    /// Opens the file, never through a link and never waiting.
    fn open_file(&self, access: OFlags) -> rustix::io::Result<File> {
        let flags = access | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::NOCTTY;
        rustix::fs::openat(&self.folder, self.name, flags, Mode::empty()).map(File::from)
    }

    /// Whether what stands there now is still what was expected.
    fn verify(&self, expected: Expected) -> Result<(), WriteError> {
        let Expected::Content(hash) = expected else {
            return Ok(());
        };
        let changed = || WriteError::Changed {
            path: display_path(self.path),
        };
        let file = match self.open_file(OFlags::RDONLY) {
            Ok(file) => file,
            Err(Errno::NOENT | Errno::LOOP | Errno::NXIO) => return Err(changed()),
            Err(errno) => return Err(WriteError::from_errno(self.path, errno)),
        };
        let metadata = file
            .metadata()
            .map_err(|error| WriteError::from_io(self.path, error))?;
        if !metadata.is_file() {
            return Err(changed());
        }
        match read_open(self.path, file, u64::MAX - 1) {
            Ok(bytes) if ContentHash::of(&bytes) == hash => Ok(()),
            Ok(_) => Err(changed()),
            Err(ReadError::Io { path, source }) => Err(WriteError::Io { path, source }),
            Err(_) => Err(changed()),
        }
    }

    /// A name for a file beside the target that nobody uses.
    fn temporary_name(&self, attempt: u32) -> OsString {
        use std::hash::{BuildHasher, Hasher};
        // Randomly keyed by the standard library: good enough for a name that is created exclusively.
        let random = std::collections::hash_map::RandomState::new()
            .build_hasher()
            .finish();
        OsString::from(format!(
            ".adroit-{}-{random:016x}-{attempt}.tmp",
            std::process::id()
        ))
    }

    fn set_mode(&self, mode: u32) -> Result<(), WriteError> {
        let mode = Mode::from_raw_mode(mode & 0o7777);
        rustix::fs::chmodat(&self.folder, self.name, mode, rustix::fs::AtFlags::empty())
            .map_err(|errno| WriteError::from_errno(self.path, errno))
    }

    fn sync_folder(&self) {
        // Not every file system can; the content itself is on the disk already.
        let _ = self.folder.sync_all();
    }
}

struct Existing {
    stat: rustix::fs::Stat,
}

impl Existing {
    /// A file marked read-only is left alone, though its folder would let it be replaced.
    fn must_be_writable(&self, target: &Target<'_>) -> Result<(), WriteError> {
        rustix::fs::accessat(
            &target.folder,
            target.name,
            rustix::fs::Access::WRITE_OK,
            rustix::fs::AtFlags::empty(),
        )
        .map_err(|errno| WriteError::from_errno(target.path, errno))
    }
}

fn open_folder(path: &Path) -> rustix::io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    open_without_links(path, flags, Mode::empty()).map(File::from)
}

/// Makes the folders that are missing on the way to `path`, each in the one above it that is held open:
/// a link put in place of one of them leads nowhere.
fn make_folders(path: &Path, parent: &Path) -> Result<File, WriteError> {
    let mut missing = Vec::new();
    let mut at = parent;
    let mut folder = loop {
        match open_folder(at) {
            Ok(folder) => break folder,
            Err(Errno::NOENT) => {}
            Err(Errno::NOTDIR) => return Err(not_a_folder(path, at)),
            Err(errno) => return Err(WriteError::from_errno(at, errno)),
        }
        let (Some(above), Some(name)) = (at.parent(), at.file_name()) else {
            return Err(WriteError::NoParent {
                path: display_path(path),
            });
        };
        missing.push((at, name));
        at = above;
    };
    for (at, name) in missing.into_iter().rev() {
        match rustix::fs::mkdirat(&folder, name, Mode::from_raw_mode(0o777)) {
            // Made by somebody else meanwhile.
            Ok(()) | Err(Errno::EXIST) => {}
            Err(errno) => return Err(WriteError::from_errno(at, errno)),
        }
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC | OFlags::NOFOLLOW;
        folder = match rustix::fs::openat(&folder, name, flags, Mode::empty()) {
            Ok(made) => File::from(made),
            Err(Errno::NOTDIR) => return Err(not_a_folder(path, at)),
            Err(errno) => return Err(WriteError::from_errno(at, errno)),
        };
    }
    Ok(folder)
}

/// Names the first component on the way that is not a folder.
fn not_a_folder(path: &Path, parent: &Path) -> WriteError {
    let mut way: Vec<PathBuf> = parent.ancestors().map(Path::to_owned).collect();
    way.reverse();
    for component in way {
        if let Ok(metadata) = component.symlink_metadata()
            && !metadata.is_dir()
        {
            let kind = FileKind::of(&metadata);
            return WriteError::ParentNotDirectory {
                path: display_path(path),
                component: display_path(&component),
                kind,
            };
        }
    }
    WriteError::NoParent {
        path: display_path(path),
    }
}
