//! What a confined command may do.

use std::path::{Path, PathBuf};

use super::network::Door;

/// Whether a confined command reaches the network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SandboxNetwork {
    /// As without a sandbox.
    #[default]
    On,
    /// The hosts of a list, where [`SandboxPolicy::door`] leads to them; else as `Off`.
    Listed,
    /// Nothing but, with bubblewrap, a loopback of its own.
    Off,
}

/// Where a command may write, and whether it reaches the network. All paths are
/// absolute, and free of symbolic links as far as they exist; those that do not
/// exist count for nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SandboxPolicy {
    /// Folders, with all below them, and files that may be written.
    pub writable: Vec<PathBuf>,
    /// Places within them that may not.
    pub read_only: Vec<PathBuf>,
    /// Places that may be written even within those.
    pub granted: Vec<PathBuf>,
    /// Folders within writable ones that must stay where they are: moved away, what is
    /// protected in them would go with them, and another could take their place.
    pub anchored: Vec<PathBuf>,
    /// Files that are empty to it, where the backend can do that: sockets of programs
    /// that run what they are told outside of any sandbox, and keys.
    pub masked: Vec<PathBuf>,
    /// Whether it reaches the network.
    pub network: SandboxNetwork,
    /// Where listed hosts are reached through.
    pub door: Option<Door>,
}

impl SandboxPolicy {
    /// Whether `path` may be written, as far as the policy goes. Must be absolute
    /// and clean.
    #[must_use]
    pub fn may_write(&self, path: &Path) -> bool {
        let lies_in = |places: &[PathBuf]| places.iter().any(|place| path.starts_with(place));
        lies_in(&self.granted)
            || lies_in(&self.writable) && !lies_in(&self.read_only)
            || DEVICES.iter().any(|device| path.starts_with(device))
            || path.starts_with("/proc/self")
    }
}

/// Devices that every program may use. Of the others a user who runs as root could
/// write the disks.
pub(super) const DEVICES: &[&str] = &[
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
    "/dev/tty",
    "/dev/ptmx",
    "/dev/pts",
    "/dev/shm",
    "/dev/stdin",
    "/dev/stdout",
    "/dev/stderr",
    "/dev/fd",
];

/// Devices of a development machine that are there or not: virtual machines, and
/// processors for graphics and for models.
pub(super) const OPTIONAL_DEVICES: &[&str] = &[
    "/dev/kvm",
    "/dev/dri",
    "/dev/kfd",
    "/dev/nvidia0",
    "/dev/nvidiactl",
    "/dev/nvidia-modeset",
    "/dev/nvidia-uvm",
    "/dev/nvidia-uvm-tools",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_granted_counts_before_what_is_protected_before_what_is_writable() {
        let policy = SandboxPolicy {
            writable: vec!["/project".into()],
            read_only: vec!["/project/.git/hooks".into()],
            granted: vec!["/project/.git/hooks/pre-commit".into(), "/etc/hosts".into()],
            ..SandboxPolicy::default()
        };
        for (path, writable) in [
            ("/project/src/a", true),
            ("/project/.git/index", true),
            ("/project/.git/hooks/post-merge", false),
            ("/project/.git/hooks/pre-commit", true),
            ("/projects", false),
            ("/etc/hosts", true),
            ("/etc/passwd", false),
            ("/dev/null", true),
            ("/dev/vda", false),
        ] {
            assert_eq!(policy.may_write(Path::new(path)), writable, "{path}");
        }
    }
}
