//! Opening and listing, without ever waiting on something that is not a file.

use std::fs::{File, Metadata};
use std::io::{ErrorKind, Read};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use rustix::fs::{Mode, OFlags};
use thiserror::Error;

use crate::{display_path, human_size};

/// What stands at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// An ordinary file.
    Regular,
    /// A folder.
    Directory,
    /// A device: reading may never end.
    Device,
    /// A named pipe: opening may wait for ever.
    Fifo,
    /// A socket.
    Socket,
    /// A symbolic link, where links were not followed.
    Link,
}

impl FileKind {
    /// The kind in words, with its article.
    pub fn words(self) -> &'static str {
        match self {
            Self::Regular => "a file",
            Self::Directory => "a directory",
            Self::Device => "a device",
            Self::Fifo => "a named pipe",
            Self::Socket => "a socket",
            Self::Link => "a symbolic link",
        }
    }

    pub(crate) fn of_mode(kind: rustix::fs::FileType) -> Self {
        use rustix::fs::FileType;
        match kind {
            FileType::RegularFile => Self::Regular,
            FileType::Directory => Self::Directory,
            FileType::Symlink => Self::Link,
            FileType::Fifo => Self::Fifo,
            FileType::Socket => Self::Socket,
            _ => Self::Device,
        }
    }

    pub(crate) fn of(metadata: &Metadata) -> Self {
        let kind = metadata.file_type();
        if kind.is_file() {
            Self::Regular
        } else if kind.is_dir() {
            Self::Directory
        } else if kind.is_symlink() {
            Self::Link
        } else if kind.is_fifo() {
            Self::Fifo
        } else if kind.is_socket() {
            Self::Socket
        } else {
            Self::Device
        }
    }
}

/// What the system says of a path without opening it.
#[derive(Clone, Copy, Debug)]
pub struct FileFacts {
    /// What it is.
    pub kind: FileKind,
    /// Size in bytes. Zero for some files that the kernel makes up.
    pub len: u64,
    /// When its content last changed.
    pub modified: Option<SystemTime>,
    /// Permission bits.
    pub mode: u32,
    /// How many names it has.
    pub links: u64,
}

/// Why something could not be read.
#[derive(Debug, Error)]
pub enum ReadError {
    /// Nothing is there.
    #[error("{0} does not exist")]
    NotFound(String),
    /// It may not be read.
    #[error("permission denied: {0} may not be read by this user")]
    Denied(String),
    /// It is not an ordinary file.
    #[error("{path} is {}, not a file", kind.words())]
    NotAFile {
        /// Which.
        path: String,
        /// What it is.
        kind: FileKind,
    },
    /// It is larger than the caller can take.
    #[error("{path} is too large: {} (the limit here is {})", human_size(*size), human_size(*limit))]
    TooLarge {
        /// Which.
        path: String,
        /// Its size in bytes, as far as known.
        size: u64,
        /// The limit in bytes.
        limit: u64,
    },
    /// A link was put in the way between the decision and the opening.
    #[error("{0} changed while it was opened (a symbolic link was put in its place): try again")]
    Moved(String),
    /// Anything else that the system answered.
    #[error("cannot read {path}: {source}")]
    Io {
        /// Which.
        path: String,
        /// The system's answer.
        source: std::io::Error,
    },
}

impl ReadError {
    pub(crate) fn from_io(path: &Path, source: std::io::Error) -> Self {
        let shown = display_path(path);
        match source.kind() {
            ErrorKind::NotFound | ErrorKind::NotADirectory => Self::NotFound(shown),
            ErrorKind::PermissionDenied => Self::Denied(shown),
            _ if source.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error()) => {
                Self::Moved(shown)
            }
            _ => Self::Io {
                path: shown,
                source,
            },
        }
    }
}

/// What stands at `real`; a link is not followed.
///
/// # Errors
/// [`ReadError::NotFound`], [`ReadError::Denied`] or the system's answer.
pub fn inspect(real: &Path) -> Result<FileFacts, ReadError> {
    let metadata = real
        .symlink_metadata()
        .map_err(|error| ReadError::from_io(real, error))?;
    Ok(FileFacts {
        kind: FileKind::of(&metadata),
        len: metadata.len(),
        modified: metadata.modified().ok(),
        mode: metadata.mode() & 0o7777,
        links: metadata.nlink(),
    })
}

/// Opens an ordinary file for reading by a path whose links are resolved ([`crate::Resolved::real`]).
///
/// Two bypasses are closed: a link swapped in after the path was judged (links are forbidden on the
/// whole way), and a pipe or device that would make the opening or the reading wait for ever (refused
/// before it is opened, and again on the opened file).
///
/// # Errors
/// [`ReadError::NotAFile`] for folders, devices, pipes and sockets; [`ReadError::Moved`] for a link.
pub fn open_regular(real: &Path) -> Result<File, ReadError> {
    let not_a_file = |kind| ReadError::NotAFile {
        path: display_path(real),
        kind,
    };
    match inspect(real)?.kind {
        FileKind::Regular => {}
        FileKind::Link => return Err(ReadError::Moved(display_path(real))),
        kind => return Err(not_a_file(kind)),
    }
    let flags =
        OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOCTTY | OFlags::NONBLOCK | OFlags::NOFOLLOW;
    let descriptor = open_without_links(real, flags, Mode::empty())
        .map_err(|error| ReadError::from_io(real, error.into()))?;
    let file = File::from(descriptor);
    let metadata = file
        .metadata()
        .map_err(|error| ReadError::from_io(real, error))?;
    match FileKind::of(&metadata) {
        FileKind::Regular => Ok(file),
        kind => Err(not_a_file(kind)),
    }
}

/// Opens `real` with links forbidden in every component.
pub(crate) fn open_without_links(
    real: &Path,
    flags: OFlags,
    mode: Mode,
) -> rustix::io::Result<rustix::fd::OwnedFd> {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::ResolveFlags;
        let resolve = ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
        match rustix::fs::openat2(rustix::fs::CWD, real, flags, mode, resolve) {
            // An old kernel, or a container that does not let the call through.
            Err(rustix::io::Errno::NOSYS | rustix::io::Errno::PERM) => {}
            answer => return answer,
        }
    }
    // Without openat2 the way is judged again right before; the last component is held by NOFOLLOW.
    match real.parent().map(Path::canonicalize) {
        Some(Ok(parent)) if Some(parent.as_path()) == real.parent() => {
            rustix::fs::openat(rustix::fs::CWD, real, flags | OFlags::NOFOLLOW, mode)
        }
        Some(Err(error)) => {
            Err(rustix::io::Errno::from_io_error(&error).unwrap_or(rustix::io::Errno::IO))
        }
        Some(Ok(_)) => Err(rustix::io::Errno::LOOP),
        None => rustix::fs::openat(rustix::fs::CWD, real, flags | OFlags::NOFOLLOW, mode),
    }
}

/// The bytes of an ordinary file, links followed, at most `limit` of them.
///
/// # Errors
/// [`ReadError::TooLarge`] when there are more, so that nobody mistakes a part for the whole.
pub fn read_bytes_capped(path: &Path, limit: u64) -> Result<Vec<u8>, ReadError> {
    let real = path
        .canonicalize()
        .map_err(|error| ReadError::from_io(path, error))?;
    read_open(&real, open_regular(&real)?, limit)
}

pub(crate) fn read_open(real: &Path, file: File, limit: u64) -> Result<Vec<u8>, ReadError> {
    let len = file.metadata().map(|metadata| metadata.len()).unwrap_or(0);
    let too_large = |size| ReadError::TooLarge {
        path: display_path(real),
        size,
        limit,
    };
    if len > limit {
        return Err(too_large(len));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(len).unwrap_or(0));
    // The size is only a hint: a file may grow while it is read, and the kernel's own files say zero.
    file.take(limit + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| ReadError::from_io(real, error))?;
    match bytes.len() as u64 {
        size if size > limit => Err(too_large(size)),
        _ => Ok(bytes),
    }
}

/// One name in a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DirectoryEntry {
    /// Its whole path.
    pub path: PathBuf,
    /// What it is; a link is not followed.
    pub kind: FileKind,
}

/// The entries of a folder, sorted by name. Entries that vanish while it is read are left out.
///
/// # Errors
/// When the folder does not exist or may not be read.
pub fn list_dir(path: &Path) -> Result<Vec<DirectoryEntry>, ReadError> {
    let mut entries: Vec<DirectoryEntry> = std::fs::read_dir(path)
        .map_err(|error| ReadError::from_io(path, error))?
        .flatten()
        .filter_map(|entry| {
            let kind = FileKind::of(&entry.metadata().ok()?);
            Some(DirectoryEntry {
                path: entry.path(),
                kind,
            })
        })
        .collect();
    entries.sort_by(|left, right| left.path.cmp(&right.path));
    Ok(entries)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn things_that_are_no_files_are_refused_without_waiting() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let pipe = root.join("pipe");
        rustix::fs::mknodat(
            rustix::fs::CWD,
            &pipe,
            rustix::fs::FileType::Fifo,
            Mode::RUSR,
            0,
        )
        .unwrap();
        let socket = root.join("socket");
        let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        let kind = |path: &Path| match open_regular(path) {
            Err(ReadError::NotAFile { kind, .. }) => kind,
            other => panic!("{other:?}"),
        };
        assert_eq!(kind(&pipe), FileKind::Fifo);
        assert_eq!(kind(&socket), FileKind::Socket);
        assert_eq!(kind(Path::new("/dev/zero")), FileKind::Device);
        assert_eq!(kind(&root), FileKind::Directory);
    }

    #[test]
    fn a_link_in_any_component_is_refused_when_links_were_resolved_before() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        std::fs::create_dir(root.join("real")).unwrap();
        std::fs::write(root.join("real/file"), "x").unwrap();
        std::os::unix::fs::symlink("real", root.join("link")).unwrap();
        assert!(open_regular(&root.join("real/file")).is_ok());
        assert!(matches!(
            open_regular(&root.join("link/file")),
            Err(ReadError::Moved(_))
        ));
        assert!(matches!(
            open_regular(&root.join("none")),
            Err(ReadError::NotFound(_))
        ));
        assert_eq!(read_bytes_capped(&root.join("link/file"), 1).unwrap(), b"x");
        assert!(matches!(
            read_bytes_capped(&root.join("link/file"), 0),
            Err(ReadError::TooLarge {
                size: 1,
                limit: 0,
                ..
            })
        ));
    }

    #[test]
    fn permission_and_absence_are_told_apart() {
        let denied = ReadError::from_io(Path::new("/p"), ErrorKind::PermissionDenied.into());
        assert_eq!(
            denied.to_string(),
            "permission denied: /p may not be read by this user"
        );
        let missing = ReadError::from_io(Path::new("/p"), ErrorKind::NotFound.into());
        assert_eq!(missing.to_string(), "/p does not exist");
    }
}
