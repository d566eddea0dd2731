//! What a file has beside its content.

use std::fs::File;
use std::os::unix::fs::MetadataExt;

use rustix::fs::{Gid, Mode, Uid, XattrFlags};

use super::{Existing, Target};
use crate::disk::open_without_links;

/// The most bytes of attribute names, and of one value, that Linux stores (`xattr(7)`).
const MAX_ATTRIBUTE: usize = 64 << 10;

/// Gives `file` the mode, owner and extended attributes of the existing file. `false` when the owner
/// cannot be kept: the caller then writes over the file, which keeps everything.
pub(super) fn carry_over(target: &Target<'_>, existing: &Existing, file: &File) -> bool {
    let old = &existing.metadata;
    let Ok(new) = file.metadata() else {
        return false;
    };
    if (new.uid(), new.gid()) != (old.uid(), old.gid()) {
        let (owner, group) = (Uid::from_raw(old.uid()), Gid::from_raw(old.gid()));
        if rustix::fs::fchown(file, Some(owner), Some(group)).is_err() {
            return false;
        }
    }
    copy_attributes(target, file);
    // After the owner, whose change clears the set-id bits, and after access lists, which change the mode.
    rustix::fs::fchmod(file, Mode::from_raw_mode(old.mode() & 0o7777)).is_ok()
}

/// Best effort: a file system without attributes, or a namespace that needs privileges, loses nothing
/// that this process could keep.
fn copy_attributes(target: &Target<'_>, file: &File) {
    use rustix::fs::OFlags;
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOFOLLOW;
    let Ok(source) = open_without_links(target.path, flags, Mode::empty()) else {
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
