//! A control group for each tree, where the kernel lets this program make one.
//!
//! A process cannot leave its group by any of the ways in which it leaves a session,
//! clears its environment or changes its parent, so the group finds daemons that nothing
//! else tells of. It takes in the first process a moment after the start: a descendant
//! that got away before is found as without groups.
//!
//! Groups exist only in version 2 of the interface (cgroups(7)), below the group of this
//! program, which must be this user's: so it is in the sessions of systemd, and for root.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::tree::TreeId;

/// The group of one tree. Removed when dropped, where it is empty.
#[derive(Debug)]
pub(crate) struct Group {
    folder: PathBuf,
}

impl Group {
    /// An empty one; `None` where there cannot be any.
    pub(crate) fn make(id: TreeId) -> Option<Self> {
        static PARENT: OnceLock<Option<PathBuf>> = OnceLock::new();
        let parent = PARENT.get_or_init(parent).as_ref()?;
        let folder = parent.join(format!("adroit-{id}"));
        fs::create_dir(&folder).ok()?;
        Some(Self { folder })
    }

    /// The one in `folder`, which a crashed instance left.
    pub(crate) fn left_in(folder: PathBuf) -> Option<Self> {
        let named = folder.file_name()?.to_str()?.starts_with("adroit-");
        (named && folder.join("cgroup.kill").is_file()).then_some(Self { folder })
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Takes in a process and what it has started until now.
    pub(crate) fn take(&self, leader: i32) {
        // A few rounds: what is started meanwhile is found by the next one.
        const ROUNDS: usize = 4;
        let mut waiting = vec![leader];
        let mut taken = HashSet::new();
        for _ in 0..ROUNDS {
            for pid in std::mem::take(&mut waiting) {
                // It may have ended, and then it has no part in this.
                if fs::write(self.folder.join("cgroup.procs"), pid.to_string()).is_ok() {
                    taken.insert(pid);
                }
            }
            waiting = taken
                .iter()
                .flat_map(|pid| children(*pid))
                .filter(|pid| !taken.contains(pid))
                .collect();
            if waiting.is_empty() {
                return;
            }
        }
    }

    /// The living processes in it and in groups that were made within.
    pub(crate) fn members(&self) -> HashSet<i32> {
        let mut members = HashSet::new();
        let mut folders = vec![self.folder.clone()];
        while let Some(folder) = folders.pop() {
            let text = fs::read_to_string(folder.join("cgroup.procs")).unwrap_or_default();
            members.extend(text.lines().filter_map(|line| line.parse::<i32>().ok()));
            let below = fs::read_dir(&folder).into_iter().flatten().flatten();
            folders.extend(
                below
                    .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
                    .map(|entry| entry.path()),
            );
        }
        members
    }

    /// Kills everything in it at once, also what starts processes faster than they are ended.
    pub(crate) fn kill(&self) {
        if let Err(error) = fs::write(self.folder.join("cgroup.kill"), "1") {
            tracing::debug!(%error, "a control group could not be killed");
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        // One that still holds something is noted, and ended at the next start.
        let _ = fs::remove_dir(&self.folder);
    }
}

fn children(pid: i32) -> Vec<i32> {
    let text = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap_or_default();
    text.split_ascii_whitespace()
        .filter_map(|pid| pid.parse().ok())
        .collect()
}

/// The folder of this program's own group, where groups can be made in it.
fn parent() -> Option<PathBuf> {
    let mounts = fs::read_to_string("/proc/self/mountinfo").ok()?;
    let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
    let folder = own_folder(&mounts, &groups)?;
    let trial = folder.join(format!("adroit-trial-{}", std::process::id()));
    fs::create_dir(&trial).ok()?;
    let works = trial.join("cgroup.kill").is_file();
    let _ = fs::remove_dir(&trial);
    works.then_some(folder)
}

/// Where the version 2 hierarchy has the group of this process: `mountinfo` and `cgroup`
/// of proc(5).
fn own_folder(mounts: &str, groups: &str) -> Option<PathBuf> {
    let group = groups.lines().find_map(|line| line.strip_prefix("0::"))?;
    mounts.lines().find_map(|line| {
        let (place, kind) = line.split_once(" - ")?;
        if kind.split(' ').next()? != "cgroup2" {
            return None;
        }
        let mut fields = place.split(' ').skip(3);
        let (root, point) = (fields.next()?, fields.next()?);
        let below = Path::new(group).strip_prefix(root).ok()?;
        Some(Path::new(point).join(below))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_own_group_is_found_where_it_is_mounted() {
        let hybrid = "31 25 0:27 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n\
                      40 25 0:37 / /sys/fs/cgroup/unified rw,relatime shared:9 - cgroup2 cgroup2 rw\n";
        assert_eq!(
            own_folder(hybrid, "4:memory:/a\n0::/\n"),
            Some("/sys/fs/cgroup/unified".into())
        );
        let desktop = "35 24 0:30 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw,nsdelegate\n";
        let group = "0::/user.slice/user-1000.slice/user@1000.service/app.slice/a.scope\n";
        assert_eq!(
            own_folder(desktop, group),
            Some(
                "/sys/fs/cgroup/user.slice/user-1000.slice/user@1000.service/app.slice/a.scope"
                    .into()
            )
        );
        let container = "35 24 0:30 /docker/abc /sys/fs/cgroup ro - cgroup2 cgroup rw\n";
        assert_eq!(
            own_folder(container, "0::/docker/abc\n"),
            Some("/sys/fs/cgroup".into())
        );
        assert_eq!(own_folder("", "0::/\n"), None);
        assert_eq!(own_folder(desktop, "4:memory:/a\n"), None);
    }
}
