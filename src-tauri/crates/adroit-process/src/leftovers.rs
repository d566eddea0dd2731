//! What a crash leaves behind is ended at the next start.
//!
//! Each living tree has one small file in the state folder, named by its tag.
//! It says which instance of this program owned it. At the next start the files
//! of instances that are gone are worked through. A process is only ended when
//! it carries the tag, or is the leader with the very start time noted.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use uuid::Uuid;

use crate::cgroup::Group;
use crate::procfs;
use crate::tree::{Tree, TreeId};

/// The note about one tree; removed when dropped.
#[derive(Debug)]
pub(crate) struct Note {
    path: PathBuf,
}

/// A process number that no process has: the tree is known by its tag alone.
const NOBODY: i32 = i32::MAX;

impl Note {
    /// Notes a tree that is about to start.
    pub(crate) fn write(folder: &Path, tree: TreeId) -> io::Result<Self> {
        fs::create_dir_all(folder)?;
        let note = Self {
            path: folder.join(tree.to_string()),
        };
        note.say((NOBODY, 0), &[], None)?;
        Ok(note)
    }

    /// Notes who leads it, once it runs.
    pub(crate) fn name(self, tree: &Tree) -> io::Result<Self> {
        self.update(tree, &[])?;
        Ok(self)
    }

    /// Notes members that neither session nor tag would tell.
    pub(crate) fn update(&self, tree: &Tree, members: &[(i32, u64)]) -> io::Result<()> {
        let group = tree.group().map(Group::folder);
        self.say(
            (tree.leader, tree.leader_start.unwrap_or(0)),
            members,
            group,
        )
    }

    /// Replaces the text at once: a reader sees the old one or the new one.
    fn say(
        &self,
        leader: (i32, u64),
        members: &[(i32, u64)],
        group: Option<&Path>,
    ) -> io::Result<()> {
        let own = std::process::id() as i32;
        let own_start = procfs::record(own).map_or(0, |record| record.start_time);
        let mut text = format!(
            "boot {}\nowner {own} {own_start}\nleader {} {}\n",
            boot(),
            leader.0,
            leader.1,
        );
        for (pid, start) in members {
            text.push_str(&format!("member {pid} {start}\n"));
        }
        if let Some(group) = group {
            text.push_str(&format!("group {}\n", group.display()));
        }
        let fresh = self.path.with_extension("new");
        fs::write(&fresh, text)?;
        fs::rename(&fresh, &self.path)
    }
}

impl Drop for Note {
    fn drop(&mut self) {
        // A note that stays is found useless at the next start.
        let _ = fs::remove_file(&self.path);
    }
}

fn boot() -> String {
    fs::read_to_string("/proc/sys/kernel/random/boot_id")
        .unwrap_or_default()
        .trim()
        .to_owned()
}

#[derive(Debug, PartialEq, Eq)]
struct Parsed<'a> {
    boot: &'a str,
    owner: (i32, u64),
    leader: (i32, u64),
    members: Vec<(i32, u64)>,
    group: Option<&'a str>,
}

fn parse(text: &str) -> Option<Parsed<'_>> {
    let field = |name: &str| {
        text.lines()
            .find_map(|line| line.strip_prefix(name)?.strip_prefix(' '))
    };
    let pair = |name: &str| {
        let (pid, start) = field(name)?.split_once(' ')?;
        Some((pid.parse().ok()?, start.parse().ok()?))
    };
    Some(Parsed {
        boot: field("boot")?,
        owner: pair("owner")?,
        leader: pair("leader")?,
        group: field("group"),
        members: text
            .lines()
            .filter_map(|line| {
                let (pid, start) = line.strip_prefix("member ")?.split_once(' ')?;
                Some((pid.parse().ok()?, start.parse().ok()?))
            })
            .collect(),
    })
}

fn lives((pid, start): (i32, u64)) -> bool {
    procfs::record(pid).is_some_and(|record| record.start_time == start && !record.is_dead())
}

/// Ends what instances that are gone left behind. Blocks; returns the number
/// of processes that were ended.
pub(crate) fn clean(folder: &Path, grace: Duration) -> usize {
    let Ok(entries) = fs::read_dir(folder) else {
        return 0;
    };
    let boot = boot();
    let mut ended = 0;
    for path in entries.flatten().map(|entry| entry.path()) {
        let tag = path.file_name().and_then(|name| name.to_str());
        let Some(id) = tag.and_then(|name| Uuid::try_parse(name).ok()) else {
            continue;
        };
        let text = fs::read_to_string(&path).unwrap_or_default();
        let note = parse(&text);
        if note
            .as_ref()
            .is_some_and(|note| lives(note.owner) && note.boot == boot)
        {
            continue;
        }
        // A torn note or one of another boot names no process that still lives.
        if let Some(note) = note.filter(|note| note.boot == boot) {
            let (pid, start) = note.leader;
            let tree = Tree::with_start(TreeId(id), pid, Some(start), None);
            tree.remember(&note.members);
            if let Some(group) = note.group.and_then(|group| Group::left_in(group.into())) {
                tree.set_group(group);
            }
            let members = tree.members().len();
            ended += members - tree.kill(grace).len().min(members);
        }
        let _ = fs::remove_file(&path);
    }
    ended
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_of_a_living_owner_and_strange_files_stay() {
        let folder = tempfile::tempdir().expect("a folder");
        let tree = Tree::with_start(TreeId(Uuid::new_v4()), i32::MAX, Some(1), None);
        let note = Note::write(folder.path(), tree.id)
            .and_then(|note| note.name(&tree))
            .expect("a note");
        fs::write(folder.path().join("README"), "x").expect("a file");
        assert_eq!(clean(folder.path(), Duration::ZERO), 0);
        assert!(note.path.exists() && folder.path().join("README").exists());
        let path = note.path.clone();
        drop(note);
        assert!(!path.exists());
    }

    #[test]
    fn a_noted_member_is_ended_though_nothing_else_tells_whose_it_is() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut member = std::process::Command::new("sleep")
            .arg("600")
            .env_clear()
            .spawn()
            .expect("a process");
        let start = procfs::record(member.id() as i32)
            .expect("a record")
            .start_time;
        let text = format!(
            "boot {}\nowner 1 1\nleader {NOBODY} 0\nmember {} {start}\n",
            boot(),
            member.id()
        );
        let path = folder.path().join(Uuid::new_v4().simple().to_string());
        fs::write(&path, text).expect("a note");
        assert_eq!(clean(folder.path(), Duration::ZERO), 1);
        assert!(!member.wait().expect("its end").success());
    }

    #[test]
    fn a_reused_process_number_is_never_ended() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut stranger = std::process::Command::new("sleep")
            .arg("60")
            .spawn()
            .expect("a process");
        let text = format!(
            "boot {}\nowner {} 1\nleader {} 1\n",
            boot(),
            std::process::id(),
            stranger.id()
        );
        let path = folder.path().join(Uuid::new_v4().simple().to_string());
        fs::write(&path, text).expect("a note");
        assert_eq!(clean(folder.path(), Duration::ZERO), 0);
        assert!(stranger.try_wait().expect("a state").is_none());
        assert!(!path.exists());
        stranger.kill().expect("the end");
        stranger.wait().expect("the end");
    }
}
