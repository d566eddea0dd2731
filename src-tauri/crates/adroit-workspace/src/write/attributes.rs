//! What a file has beside its content.

use std::fs::File;

use rustix::fs::{Gid, Mode, Uid, XattrFlags};

use super::{Existing, Target};

/// The most bytes of attribute names, and of one value, that Linux stores (`xattr(7)`).
const MAX_ATTRIBUTE: usize = 64 << 10;

/// Gives `file` the mode, owner and extended attributes of the existing file. `false` when the owner
/// cannot be kept: the caller then writes over the file, which keeps everything.
pub(super) fn carry_over(target: &Target<'_>, existing: &Existing, file: &File) -> bool {
    let old = &existing.stat;
    let Ok(new) = rustix::fs::fstat(file) else {
        return false;
    };
    if (new.st_uid, new.st_gid) != (old.st_uid, old.st_gid) {
        let (owner, group) = (Uid::from_raw(old.st_uid), Gid::from_raw(old.st_gid));
        if rustix::fs::fchown(file, Some(owner), Some(group)).is_err() {
            return false;
        }
    }
    copy_attributes(target, file);
    // After the owner, whose change clears the set-id bits, and after access lists, which change the mode.
    rustix::fs::fchmod(file, Mode::from_raw_mode(old.st_mode)).is_ok()
}

/// Best effort: a file system without attributes, or a namespace that needs privileges, loses nothing
/// that this process could keep.
fn copy_attributes(target: &Target<'_>, file: &File) {
    let Ok(source) = target.open_file(rustix::fs::OFlags::RDONLY) else {
        return;
    };
    let mut names = vec![0_u8; MAX_ATTRIBUTE];
    let Ok(length) = rustix::fs::flistxattr(&source, names.as_mut_slice()) else {
        return;
    };
    names.truncate(length);
    let mut value = vec![0_u8; MAX_ATTRIBUTE];
    for name in names
        .split(|&byte| byte == 0)
        .filter(|name| !name.is_empty())
    {
        if let Ok(length) = rustix::fs::fgetxattr(&source, name, value.as_mut_slice()) {
            let _ = rustix::fs::fsetxattr(file, name, &value[..length], XattrFlags::empty());
        }
    }
}
