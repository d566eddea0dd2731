//! What a file has beside its content.

use std::fs::File;

use rustix::fs::{Gid, Mode, Uid, XattrFlags};

use super::{Existing, Target};

/// The most bytes of attribute names, and of one value, that Linux stores (`xattr(7)`).
const MAX_ATTRIBUTE: usize = 64 << 10;

/// Gives `file` the mode, owner and extended attributes of the existing file. `false` when one of them
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
    if !copy_attributes(target, file) {
        return false;
    }
    // After the owner, whose change clears the set-id bits, and after access lists, which change the mode.
    rustix::fs::fchmod(file, Mode::from_raw_mode(old.st_mode)).is_ok()
}

/// Whether `file` has every attribute of the existing file now. What the system gives each file by itself
/// (a security label) may be there already; what this process may not even read, it cannot keep.
fn copy_attributes(target: &Target<'_>, file: &File) -> bool {
    let Ok(source) = target.open_file(rustix::fs::OFlags::RDONLY) else {
        // It may be written and not read: what it has is not known.
        return false;
    };
    let mut names = vec![0_u8; MAX_ATTRIBUTE];
    let Ok(length) = rustix::fs::flistxattr(&source, names.as_mut_slice()) else {
        // A file system without attributes has none to lose.
        return true;
    };
    names.truncate(length);
    let (mut value, mut present) = (vec![0_u8; MAX_ATTRIBUTE], vec![0_u8; MAX_ATTRIBUTE]);
    names
        .split(|&byte| byte == 0)
        .filter(|name| !name.is_empty())
        .all(|name| {
            let Ok(length) = rustix::fs::fgetxattr(&source, name, value.as_mut_slice()) else {
                return false;
            };
            let value = &value[..length];
            rustix::fs::fgetxattr(file, name, present.as_mut_slice())
                .is_ok_and(|length| &present[..length] == value)
                || rustix::fs::fsetxattr(file, name, value, XattrFlags::empty()).is_ok()
        })
}
