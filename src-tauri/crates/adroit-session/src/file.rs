//! The app's own small files: read whole, written whole, changed under a lock.

use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};

use fs_err as fs;

/// A file of the app's own could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The system said no.
    #[error("{operation} {}: {source}", path.display())]
    Io {
        /// What was tried.
        operation: &'static str,
        /// On which file.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
}

impl FileError {
    pub(crate) fn io(operation: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_path_buf();
        move |source| Self::Io {
            operation,
            path,
            source,
        }
    }
}

/// Longest file that is read, bytes: none of the app's own comes near it.
const MAX_BYTES: u64 = 16 << 20;

/// The text of a file, `None` where there is none.
///
/// # Errors
/// It cannot be read, is no regular file, or is longer than any file of this kind. A project
/// brings such files along: a FIFO would hold every call for ever, and one without an end would
/// take all memory.
pub(crate) fn read_optional(path: &Path) -> Result<Option<String>, FileError> {
    match read_bounded(path) {
        // A broken encoding must be reported where the text is parsed, not hidden here.
        Ok(bytes) => Ok(Some(String::from_utf8_lossy(&bytes).into_owned())),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) if error.kind() == std::io::ErrorKind::NotADirectory => Ok(None),
        Err(source) => Err(FileError::Io {
            operation: "cannot read",
            path: path.to_path_buf(),
            source,
        }),
    }
}

fn read_bounded(path: &Path) -> std::io::Result<Vec<u8>> {
    let unfit = |why| std::io::Error::new(std::io::ErrorKind::InvalidData, why);
    let about = fs::metadata(path)?;
    if about.is_dir() {
        return Err(std::io::ErrorKind::IsADirectory.into());
    }
    if !about.is_file() {
        return Err(unfit("it is a pipe or a device, not a file"));
    }
    let mut bytes = Vec::new();
    fs::File::open(path)?
        .take(MAX_BYTES + 1)
        .read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(unfit("it is longer than 16 MB"));
    }
    Ok(bytes)
}

/// Who may read a file that is written here.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Privacy {
    /// As the person's umask says.
    Ordinary,
    /// Only the person: mode 0600.
    Private,
}

/// Replaces a file in one step: a reader sees the old text or the new, never a part.
pub(crate) fn write_whole(path: &Path, text: &str, privacy: Privacy) -> Result<(), FileError> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(FileError::io("cannot create", folder))?;
    // A settings file that is a link into a dotfiles folder stays one.
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let folder = target.parent().unwrap_or(folder).to_path_buf();
    let mut temporary = tempfile::Builder::new()
        .prefix(".adroit-")
        .tempfile_in(&folder)
        .map_err(FileError::io("cannot write in", &folder))?;
    temporary
        .write_all(text.as_bytes())
        .map_err(FileError::io("cannot write", &target))?;
    temporary
        .as_file()
        .sync_all()
        .map_err(FileError::io("cannot write", &target))?;
    if privacy == Privacy::Ordinary {
        keep_mode(temporary.as_file(), &target)?;
    }
    temporary.persist(&target).map_err(|error| FileError::Io {
        operation: "cannot write",
        path: target.clone(),
        source: error.error,
    })?;
    Ok(())
}

/// A temporary file is made for its owner only; an ordinary file has the mode that it had, or 0644.
fn keep_mode(file: &std::fs::File, target: &Path) -> Result<(), FileError> {
    use std::os::unix::fs::PermissionsExt as _;
    let permissions = fs::metadata(target).map_or_else(
        |_| std::fs::Permissions::from_mode(0o644),
        |metadata| metadata.permissions(),
    );
    file.set_permissions(permissions)
        .map_err(FileError::io("cannot set the mode of", target))
}

/// Runs `change` while no other instance of the app runs one on the same file. The lock
/// is the kernel's, so that of a killed process is free at once.
pub(crate) fn with_lock<T>(path: &Path, change: impl FnOnce() -> T) -> Result<T, FileError> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(FileError::io("cannot create", folder))?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let lock_path = folder.join(format!(".{name}.lock"));
    let lock = std::fs::OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .open(&lock_path)
        .map_err(FileError::io("cannot lock", &lock_path))?;
    lock.lock()
        .map_err(FileError::io("cannot lock", &lock_path))?;
    let result = change();
    // The file stays: removing it would let a third instance lock a file nobody sees.
    drop(lock);
    Ok(result)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_file_or_has_no_end_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        assert_eq!(read_optional(&at("none")).unwrap(), None);
        std::fs::write(at("small"), "text").unwrap();
        assert_eq!(read_optional(&at("small")).unwrap().unwrap(), "text");
        std::os::unix::fs::symlink("/dev/zero", at("endless")).unwrap();
        let refused = read_optional(&at("endless")).unwrap_err().to_string();
        assert!(refused.contains("a pipe or a device"), "{refused}");
        let made = std::process::Command::new("mkfifo")
            .arg(at("fifo"))
            .status()
            .unwrap();
        assert!(made.success());
        let refused = read_optional(&at("fifo")).unwrap_err().to_string();
        assert!(refused.contains("a pipe or a device"), "{refused}");
        let huge = std::fs::File::create(at("huge")).unwrap();
        huge.set_len(4 << 30).unwrap();
        let refused = read_optional(&at("huge")).unwrap_err().to_string();
        assert!(refused.contains("longer than 16 MB"), "{refused}");
    }
}
