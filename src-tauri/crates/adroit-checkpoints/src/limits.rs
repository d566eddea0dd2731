//! How much is kept, and how long a look at the workspace may take.

use std::time::Duration;

/// Bounds of a project's store.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Bytes of one file beyond which its content is not kept.
    pub file_bytes: u64,
    /// Bytes on the disk that the contents of one project may take together.
    pub store_bytes: u64,
    /// Steps of an open session that are never let go, whatever the size.
    pub newest_kept: usize,
    /// Bounds of a look at the whole workspace.
    pub scan: ScanLimits,
}

/// Bounds of one look at the whole workspace.
#[derive(Clone, Copy, Debug)]
pub struct ScanLimits {
    /// Files beyond which nothing is compared: without all names, "created" would be a guess.
    pub files: usize,
    /// Bytes of content that one look reads; what is not reached is named when it changes.
    pub bytes: u64,
    /// How long contents are read.
    pub time: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            file_bytes: 32 << 20,
            store_bytes: 1 << 30,
            newest_kept: 20,
            scan: ScanLimits {
                files: 200_000,
                bytes: 512 << 20,
                time: Duration::from_secs(4),
            },
        }
    }
}
