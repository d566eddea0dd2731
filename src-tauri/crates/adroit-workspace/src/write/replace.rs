//! A temporary file that takes the target's place.

use std::ffi::OsString;
use std::fs::File;
use std::io::Write;

use rustix::fs::{AtFlags, Mode, OFlags, RenameFlags};
use rustix::io::Errno;

use super::attributes::carry_over;
use super::{Existing, Expected, Target, WriteError};
use crate::display_path;

/// Removes the temporary file unless it became the target.
struct Temporary<'t> {
    target: &'t Target<'t>,
    name: OsString,
    armed: bool,
}

impl Drop for Temporary<'_> {
    fn drop(&mut self) {
        if self.armed {
            let _ = rustix::fs::unlinkat(&self.target.folder, &self.name, AtFlags::empty());
        }
    }
}

/// Replaces the target. `false` when that is not possible without changing who owns the file, or when
/// the folder takes no new file: then it has to be written over.
pub(super) fn replace(
    target: &Target<'_>,
    existing: Option<&Existing>,
    bytes: &[u8],
    expected: Expected,
    mode: Option<u32>,
) -> Result<bool, WriteError> {
    let failed = |errno| WriteError::from_errno(target.path, errno);
    // Before it has its bits, a file that shall be private is open to nobody else.
    let first = mode.map_or(0o666, |mode| mode & 0o600 | 0o200);
    let (mut file, mut temporary) = match create_beside(target, first) {
        Ok(created) => created,
        Err(Errno::ACCESS | Errno::PERM) if existing.is_some() => return Ok(false),
        Err(errno @ (Errno::ACCESS | Errno::PERM)) => {
            let folder = target.path.parent().unwrap_or(target.path);
            return Err(WriteError::from_errno(folder, errno));
        }
        Err(errno) => return Err(failed(errno)),
    };
    file.write_all(bytes)
        .map_err(|error| WriteError::from_io(target.path, error))?;
    if let Some(existing) = existing
        && !carry_over(target, existing, &file)
    {
        return Ok(false);
    }
    if let Some(mode) = mode {
        rustix::fs::fchmod(&file, Mode::from_raw_mode(mode & 0o7777)).map_err(failed)?;
    }
    file.sync_all()
        .map_err(|error| WriteError::from_io(target.path, error))?;
    target.verify(expected)?;
    #[cfg(test)]
    super::tests::at_the_last_moment();
    match (existing, expected) {
        (None, _) => rename_to_new(target, &temporary.name)?,
        (Some(_), Expected::Content(_)) => {
            // What stood there has the temporary name now, and goes with it.
            if exchange(target, &temporary.name, &file, expected)? {
                target.sync_folder();
                return Ok(true);
            }
            take_place(target, &temporary.name)?;
        }
        (Some(_), Expected::Anything | Expected::Absent) => take_place(target, &temporary.name)?,
    }
    temporary.armed = false;
    target.sync_folder();
    Ok(true)
}

fn take_place(target: &Target<'_>, temporary: &OsString) -> Result<(), WriteError> {
    rustix::fs::renameat(&target.folder, temporary, &target.folder, target.name)
        .map_err(|errno| WriteError::from_errno(target.path, errno))
}

/// Exchanges the two files, so that what was replaced can be looked at: whatever another program put there
/// after the last look is not overwritten, but put back. `false` where the file system cannot exchange.
fn exchange(
    target: &Target<'_>,
    temporary: &OsString,
    new: &File,
    expected: Expected,
) -> Result<bool, WriteError> {
    let failed = |errno| WriteError::from_errno(target.path, errno);
    let swap = || {
        rustix::fs::renameat_with(
            &target.folder,
            temporary,
            &target.folder,
            target.name,
            RenameFlags::EXCHANGE,
        )
    };
    match swap() {
        Ok(()) => {}
        Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => return Ok(false),
        // Another program took the file away since the last look.
        Err(Errno::NOENT) => {
            return Err(WriteError::Changed {
                path: display_path(target.path),
            });
        }
        Err(errno) => return Err(failed(errno)),
    }
    let replaced = Target {
        path: target.path,
        folder: target
            .folder
            .try_clone()
            .map_err(|error| WriteError::from_io(target.path, error))?,
        name: temporary,
    };
    let Err(refused) = replaced.verify(expected) else {
        return Ok(true);
    };
    swap().map_err(failed)?;
    // Another program was quicker once more, and its file came back to the temporary name: it is the newest.
    if !is_same(target, temporary, new) {
        swap().map_err(failed)?;
    }
    Err(refused)
}

/// Whether the file at a name is the one that is held open.
fn is_same(target: &Target<'_>, name: &OsString, open: &File) -> bool {
    let at = rustix::fs::statat(&target.folder, name, AtFlags::SYMLINK_NOFOLLOW);
    let held = rustix::fs::fstat(open);
    matches!((at, held), (Ok(at), Ok(held)) if (at.st_dev, at.st_ino) == (held.st_dev, held.st_ino))
}

fn create_beside<'t>(target: &'t Target<'t>, mode: u32) -> Result<(File, Temporary<'t>), Errno> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    let mode = Mode::from_raw_mode(mode);
    let mut attempt = 0;
    loop {
        let name = target.temporary_name(attempt);
        match rustix::fs::openat(&target.folder, &name, flags, mode) {
            Ok(descriptor) => {
                return Ok((
                    File::from(descriptor),
                    Temporary {
                        target,
                        name,
                        armed: true,
                    },
                ));
            }
            Err(Errno::EXIST) if attempt < 8 => attempt += 1,
            Err(errno) => return Err(errno),
        }
    }
}

/// A new file never takes the place of one that came into being meanwhile.
fn rename_to_new(target: &Target<'_>, temporary: &OsString) -> Result<(), WriteError> {
    let changed = || WriteError::Changed {
        path: display_path(target.path),
    };
    let exclusive = rustix::fs::renameat_with(
        &target.folder,
        temporary,
        &target.folder,
        target.name,
        RenameFlags::NOREPLACE,
    );
    match exclusive {
        Ok(()) => Ok(()),
        Err(Errno::EXIST) => Err(changed()),
        // Not every file system knows the flag; a hard link is as exclusive.
        Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => {
            match rustix::fs::linkat(
                &target.folder,
                temporary,
                &target.folder,
                target.name,
                AtFlags::empty(),
            ) {
                Ok(()) => {
                    let _ = rustix::fs::unlinkat(&target.folder, temporary, AtFlags::empty());
                    Ok(())
                }
                Err(Errno::EXIST) => Err(changed()),
                Err(_) => {
                    rustix::fs::renameat(&target.folder, temporary, &target.folder, target.name)
                        .map_err(|errno| WriteError::from_errno(target.path, errno))
                }
            }
        }
        Err(errno) => Err(WriteError::from_errno(target.path, errno)),
    }
}
