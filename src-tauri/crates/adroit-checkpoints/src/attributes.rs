//! Extended attributes of files and folders.

use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use rustix::fs::XattrFlags;
use rustix::io::Errno;
use serde::{Deserialize, Serialize};

/// The most bytes of attribute names, and of one value, that Linux stores (`xattr(7)`).
const LARGEST: usize = 64 << 10;
/// The names that belong to the person: notes of programs, access lists, capabilities. What the
/// system writes by a policy of its own (labels) is not the work of a call.
const KEPT: [&str; 3] = ["user.", "system.posix_acl_", "security.capability"];

/// Extended attributes by their name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Attributes(BTreeMap<String, Vec<u8>>);

impl Attributes {
    /// Those of what stands at `path`; a link is not followed. None where the file system has none.
    pub(crate) fn of(path: &Path) -> Self {
        // Nearly no file has any: asking for the length alone costs one call of the system.
        match rustix::fs::llistxattr_query(path) {
            Ok(length) if length > 0 => {}
            _ => return Self::default(),
        }
        let mut names = vec![0_u8; LARGEST];
        let Ok(length) = rustix::fs::llistxattr(path, names.as_mut_slice()) else {
            return Self::default();
        };
        names.truncate(length);
        let kept = names
            .split(|byte| *byte == 0)
            .filter_map(|name| std::str::from_utf8(name).ok())
            .filter(|name| KEPT.iter().any(|kept| name.starts_with(kept)))
            .filter_map(|name| Some((name.to_owned(), value(path, name)?)));
        Self(kept.collect())
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What of them could not be put on what stands at `path`, or shall stand there, as far as that can be
    /// known before: names.
    pub(crate) fn hindered(&self, path: &Path) -> Vec<String> {
        let present = Self::of(path);
        let different = self
            .0
            .iter()
            .filter(|(name, value)| present.0.get(*name) != Some(value));
        let gone = present.0.keys().filter(|name| !self.0.contains_key(*name));
        let mut names: Vec<&String> = different.map(|(name, _)| name).chain(gone).collect();
        if names.is_empty() {
            return Vec::new();
        }
        names.sort();
        let rights = Rights::on(path);
        names
            .into_iter()
            .filter(|name| !rights.may_set(name))
            .cloned()
            .collect()
    }

    /// Makes them those of what stands at `path`; names each that could not be set or taken off.
    pub(crate) fn set(&self, path: &Path) -> Vec<String> {
        let present = Self::of(path);
        let mut failed = Vec::new();
        for name in present.0.keys().filter(|name| !self.0.contains_key(*name)) {
            match rustix::fs::lremovexattr(path, name.as_str()) {
                Ok(()) | Err(Errno::NODATA) => {}
                Err(_) => failed.push(name.clone()),
            }
        }
        for (name, value) in &self.0 {
            if present.0.get(name) != Some(value)
                && rustix::fs::lsetxattr(path, name.as_str(), value, XattrFlags::empty()).is_err()
            {
                failed.push(name.clone());
            }
        }
        failed
    }
}

/// What this process may do with the attributes of a file.
struct Rights {
    /// The file is one's own, or will be: it does not exist yet.
    own: bool,
    /// The process may do with files of others what their owner may.
    as_owner: bool,
    /// It may give programs rights of their own.
    give_rights: bool,
    /// It may write to the file.
    write: bool,
    /// The namespaces that the file system has no place for.
    without: Vec<&'static str>,
}

impl Rights {
    fn on(path: &Path) -> Self {
        use rustix::thread::CapabilitySet;
        let held = rustix::thread::capabilities(None)
            .map_or(CapabilitySet::empty(), |sets| sets.effective);
        let stands = path.symlink_metadata().ok();
        let own = stands
            .as_ref()
            .is_none_or(|found| found.uid() == rustix::process::geteuid().as_raw());
        // What does not exist yet will be on the file system of its folder.
        let place = path
            .ancestors()
            .find(|place| place.symlink_metadata().is_ok())
            .unwrap_or(path);
        let has_none = |name: &str| {
            rustix::fs::lgetxattr(place, name, &mut [0_u8; 0]) == Err(Errno::OPNOTSUPP)
        };
        Self {
            own,
            as_owner: held.contains(CapabilitySet::FOWNER),
            give_rights: held.contains(CapabilitySet::SETFCAP),
            write: stands.is_none()
                || own
                || rustix::fs::access(path, rustix::fs::Access::WRITE_OK).is_ok(),
            without: [
                ("user.", "user.adroit"),
                ("system.posix_acl_", "system.posix_acl_access"),
                ("security.", "security.capability"),
            ]
            .into_iter()
            .filter(|(_, name)| has_none(name))
            .map(|(namespace, _)| namespace)
            .collect(),
        }
    }

    /// As `xattr(7)` has it: notes go with the right to write, access lists with being the owner, and
    /// capabilities with a capability.
    fn may_set(&self, name: &str) -> bool {
        if self
            .without
            .iter()
            .any(|namespace| name.starts_with(namespace))
        {
            return false;
        }
        match name {
            "security.capability" => self.give_rights,
            _ if name.starts_with("system.posix_acl_") => self.own || self.as_owner,
            _ => self.write,
        }
    }
}

fn value(path: &Path, name: &str) -> Option<Vec<u8>> {
    let mut value = vec![0_u8; LARGEST];
    let length = rustix::fs::lgetxattr(path, name, value.as_mut_slice()).ok()?;
    value.truncate(length);
    Some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_be_set_goes_by_owner_rights_and_file_system() {
        let ordinary = || Rights {
            own: true,
            as_owner: false,
            give_rights: false,
            write: true,
            without: Vec::new(),
        };
        let names = [
            "user.note",
            "system.posix_acl_access",
            "security.capability",
        ];
        let may = |rights: Rights| names.map(|name| rights.may_set(name));
        assert_eq!(may(ordinary()), [true, true, false]);
        let foreign = Rights {
            own: false,
            write: false,
            ..ordinary()
        };
        assert_eq!(may(foreign), [false, false, false]);
        let administrator = Rights {
            own: false,
            as_owner: true,
            give_rights: true,
            ..ordinary()
        };
        assert_eq!(may(administrator), [true, true, true]);
        let simple = Rights {
            without: vec!["user."],
            ..ordinary()
        };
        assert_eq!(may(simple), [false, true, false]);
    }

    #[test]
    fn what_is_as_it_shall_be_hinders_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("f");
        std::fs::write(&file, "x").unwrap();
        assert!(Attributes::of(&file).hindered(&file).is_empty());
        // Where nobody keeps attributes of files: what the kernel makes up.
        let wanted = Attributes(BTreeMap::from([("user.note".to_owned(), b"x".to_vec())]));
        assert_eq!(
            wanted.hindered(Path::new("/proc/self/status")),
            ["user.note"]
        );
    }
}
