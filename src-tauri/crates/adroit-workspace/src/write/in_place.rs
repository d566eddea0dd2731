//! Writing over a file that must stay the very same file.

use std::ffi::OsString;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};

use rustix::fs::{AtFlags, FallocateFlags, Mode, OFlags};

use super::{Expected, Target, WriteError};
use crate::ContentHash;
use crate::display_path;

/// Writes over the target with its old content kept aside: in a file beside it where the folder takes
/// one (so that a crash loses nothing), and in memory in any case (so that a full disk loses nothing).
pub(super) fn write_over(
    target: &Target<'_>,
    bytes: &[u8],
    expected: Expected,
) -> Result<(), WriteError> {
    let mut file = target
        .open_file(OFlags::RDWR)
        .map_err(|errno| WriteError::from_errno(target.path, errno))?;
    let failed = |error| WriteError::from_io(target.path, error);
    let mut old = Vec::new();
    file.read_to_end(&mut old).map_err(failed)?;
    if let Expected::Content(hash) = expected
        && ContentHash::of(&old) != hash
    {
        return Err(WriteError::Changed {
            path: display_path(target.path),
        });
    }
    let backup = keep_aside(target, &old)?;
    let written = reserve(&file, old.len(), bytes.len()).and_then(|()| overwrite(&mut file, bytes));
    let result = match written {
        Ok(()) => Ok(()),
        Err(error) => match overwrite(&mut file, &old) {
            Ok(()) => Err(failed(error)),
            Err(_) if backup.is_some() => {
                let place = backup.as_ref().map(|name| target.path.with_file_name(name));
                // The backup stays: it is all there is.
                return Err(WriteError::Damaged {
                    path: display_path(target.path),
                    backup: place.as_deref().map(display_path).unwrap_or_default(),
                    source: error,
                });
            }
            Err(_) => Err(failed(error)),
        },
    };
    if let Some(name) = backup {
        let _ = rustix::fs::unlinkat(&target.folder, &name, AtFlags::empty());
        target.sync_folder();
    }
    result
}

/// Takes the space before the first old byte is lost, so that a full disk is met while all is well.
fn reserve(file: &File, old: usize, new: usize) -> std::io::Result<()> {
    if new <= old {
        return Ok(());
    }
    match rustix::fs::fallocate(file, FallocateFlags::empty(), 0, new as u64) {
        Err(errno @ (rustix::io::Errno::NOSPC | rustix::io::Errno::DQUOT)) => Err(errno.into()),
        // Not every file system can reserve.
        _ => Ok(()),
    }
}

fn overwrite(file: &mut File, bytes: &[u8]) -> std::io::Result<()> {
    file.seek(SeekFrom::Start(0))?;
    file.write_all(bytes)?;
    file.set_len(bytes.len() as u64)?;
    file.sync_all()
}

/// `None` where the folder takes no new file. A full disk is an error: nothing was touched yet.
fn keep_aside(target: &Target<'_>, old: &[u8]) -> Result<Option<OsString>, WriteError> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    let name = target.temporary_name(0);
    let Ok(descriptor) =
        rustix::fs::openat(&target.folder, &name, flags, Mode::from_raw_mode(0o600))
    else {
        return Ok(None);
    };
    let mut backup = File::from(descriptor);
    let kept = backup.write_all(old).and_then(|()| backup.sync_all());
    match kept {
        Ok(()) => Ok(Some(name)),
        Err(error) => {
            let _ = rustix::fs::unlinkat(&target.folder, &name, AtFlags::empty());
            Err(WriteError::from_io(target.path, error))
        }
    }
}
