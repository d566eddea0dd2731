//! The folder whose files are looked at just now, held open.
//!
//! Files come folder by folder. Asking the system for a file by its name in an open folder takes a third
//! of the time that the whole path takes, and there are as many of these questions as files.

use std::ffi::OsStr;
use std::fs::File;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fd::OwnedFd;
use rustix::fs::{AtFlags, Mode, OFlags};
use rustix::io::Errno;

use crate::disk::open_without_links;

/// One folder at a time; each thread has its own.
#[derive(Default)]
pub(super) struct OpenFolder {
    folder: Option<(PathBuf, OwnedFd)>,
}

impl OpenFolder {
    /// Opens a file for reading, without following a link anywhere on the way to it: a folder swapped for
    /// a link while the tree is walked leads nowhere. Nor does it wait, for a pipe to be written to.
    pub(super) fn open(&mut self, path: &Path) -> rustix::io::Result<File> {
        let (folder, name) = self.of(path)?;
        let flags =
            OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
        rustix::fs::openat(folder, name, flags, Mode::empty()).map(File::from)
    }

    /// When the file's content last changed, in nanoseconds since 1970; the earliest time where that is
    /// not known.
    pub(super) fn changed_at(&mut self, path: &Path) -> i64 {
        let Ok(stat) = self
            .of(path)
            .and_then(|(folder, name)| rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW))
        else {
            return i64::MIN;
        };
        let seconds = stat.st_mtime;
        let rest = i64::try_from(stat.st_mtime_nsec).unwrap_or(0);
        seconds.saturating_mul(1_000_000_000).saturating_add(rest)
    }

    /// The folder of a file, opened where it is not yet, and the file's name in it.
    fn of<'p>(&mut self, path: &'p Path) -> rustix::io::Result<(&OwnedFd, &'p OsStr)> {
        let bytes = path.as_os_str().as_bytes();
        let slash = memchr::memrchr(b'/', bytes).ok_or(Errno::INVAL)?;
        let name = OsStr::from_bytes(&bytes[slash + 1..]);
        // The folder of `/f` is `/`.
        let parent = OsStr::from_bytes(&bytes[..slash.max(1)]);
        let is_open = matches!(&self.folder, Some((open, _)) if open.as_os_str() == parent);
        if !is_open {
            let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
            let opened = open_without_links(Path::new(parent), flags, Mode::empty())?;
            self.folder = Some((PathBuf::from(parent), opened));
        }
        match &self.folder {
            Some((_, folder)) => Ok((folder, name)),
            None => Err(Errno::INVAL),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;
    use std::os::unix::fs::symlink;
    use std::time::{Duration, UNIX_EPOCH};

    use super::*;

    #[test]
    fn files_of_several_folders_are_opened_and_links_are_not() {
        let temporary = tempfile::tempdir().unwrap();
        let root = temporary.path().canonicalize().unwrap();
        let mut folder = OpenFolder::default();
        for place in ["a", "b"] {
            std::fs::create_dir(root.join(place)).unwrap();
            std::fs::write(root.join(place).join("f"), place).unwrap();
        }
        symlink("f", root.join("a/link")).unwrap();
        symlink("a", root.join("c")).unwrap();
        for place in ["a", "b", "a"] {
            let mut text = String::new();
            let path = root.join(place).join("f");
            folder
                .open(&path)
                .unwrap()
                .read_to_string(&mut text)
                .unwrap();
            assert_eq!(text, place);
        }
        for link in ["a/link", "c/f"] {
            assert_eq!(
                folder.open(&root.join(link)).err(),
                Some(Errno::LOOP),
                "{link}"
            );
        }
        assert!(folder.open(&root.join("none/f")).is_err());
    }

    #[test]
    fn the_time_is_that_of_the_file() {
        let temporary = tempfile::tempdir().unwrap();
        let path = temporary.path().canonicalize().unwrap().join("f");
        let file = File::create(&path).unwrap();
        let mut folder = OpenFolder::default();
        for (time, expected) in [
            (UNIX_EPOCH + Duration::new(5, 7), 5_000_000_007),
            (UNIX_EPOCH - Duration::new(2, 0), -2_000_000_000),
        ] {
            file.set_modified(time).unwrap();
            assert_eq!(folder.changed_at(&path), expected);
        }
        assert_eq!(folder.changed_at(&path.with_file_name("none")), i64::MIN);
    }
}
