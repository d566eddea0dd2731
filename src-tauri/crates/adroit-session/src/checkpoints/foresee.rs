//! What of a call could not be taken back afterwards, said before it runs.

use adroit_permissions::Subject;
use adroit_shell::Access;

use super::Checkpointing;

impl Checkpointing {
    /// In sentences; what a scan would find out only afterwards is not in it.
    pub(crate) fn unrestorable(&self, subject: &Subject) -> Vec<String> {
        let Some(reach) = self.reach(subject) else {
            return Vec::new();
        };
        let largest = self.largest();
        let mut named = reach.files;
        if let Subject::Shell { analysis, .. } = subject {
            let folders = analysis
                .paths
                .iter()
                .filter(|path| path.access == Access::Remove)
                .filter_map(|path| path.resolved.clone())
                .filter(|path| path.is_dir());
            named.extend(folders.flat_map(|folder| large_files(&folder, largest)));
        }
        named.sort();
        named.dedup();
        let too_large = named.iter().filter(|path| {
            path.symlink_metadata()
                .is_ok_and(|found| found.is_file() && found.len() > largest)
        });
        let mut said = reach.notes;
        said.extend(too_large.take(MOST_NAMED).map(|path| {
            format!(
                "{} is too large to be kept: what it is now cannot be restored.",
                self.show(path)
            )
        }));
        said
    }
}

/// Files that are named before the rest is left out.
const MOST_NAMED: usize = 5;
/// Entries of a folder that are looked at: a question must not wait for a walk through a disk.
const MOST_LOOKED_AT: usize = 2_000;

/// The files in a folder that are too large to be kept.
fn large_files(folder: &std::path::Path, largest: u64) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    let mut looked = 0;
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else {
            continue;
        };
        for entry in entries.flatten() {
            looked += 1;
            if looked > MOST_LOOKED_AT || found.len() > MOST_NAMED {
                return found;
            }
            match entry.metadata() {
                Ok(data) if data.is_dir() => folders.push(entry.path()),
                Ok(data) if data.is_file() && data.len() > largest => found.push(entry.path()),
                _ => {}
            }
        }
    }
    found
}
