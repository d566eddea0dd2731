//! Extended attributes of files and folders.

use std::collections::BTreeMap;
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

fn value(path: &Path, name: &str) -> Option<Vec<u8>> {
    let mut value = vec![0_u8; LARGEST];
    let length = rustix::fs::lgetxattr(path, name, value.as_mut_slice()).ok()?;
    value.truncate(length);
    Some(value)
}
