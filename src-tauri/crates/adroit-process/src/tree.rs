//! One process tree: who belongs to it, and how it is ended.
//!
//! A process belongs to a tree when any of these holds; each catches an escape
//! that the others miss:
//! - it is in the session of the tree's leader (`&`, `nohup`),
//! - it was seen as a member before (pid and start time),
//! - it was started with the tree's tag in its environment (`setsid`, double
//!   fork, daemons),
//! - it was orphaned to this program (a subreaper) and uses the tree's terminal
//!   (`env -i setsid`),
//! - it descends from a member (`env -i` with its own terminal),
//! - it is in the tree's control group, where there can be one (a daemon that did all
//!   of this at once).

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal};
use uuid::Uuid;

use crate::cgroup::Group;
use crate::procfs::{self, ProcessRecord};

/// Name of the variable that marks every process of a tree.
pub(crate) const TAG: &str = "ADROIT_TREE";

/// Longest time that SIGKILL is repeated for.
const KILL_DEADLINE: Duration = Duration::from_secs(3);
/// Pause between two looks at dying processes.
const POLL: Duration = Duration::from_millis(5);

/// Identity of a tree for as long as this program runs and in its state folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize)]
#[serde(transparent)]
pub struct TreeId(pub(crate) Uuid);

impl std::fmt::Display for TreeId {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.simple().fmt(formatter)
    }
}

#[derive(Debug)]
pub(crate) struct Tree {
    pub(crate) id: TreeId,
    pub(crate) leader: i32,
    /// `None` when the leader ended before it could be looked at.
    pub(crate) leader_start: Option<u64>,
    pub(crate) terminal: Option<PathBuf>,
    /// See [`crate::CommandSpec::only_waits`].
    pub(crate) leader_only_waits: bool,
    /// See [`crate::CommandSpec::leader_is_wrapper`].
    pub(crate) leader_is_wrapper: bool,
    known: Mutex<HashMap<i32, u64>>,
    /// Set once where there can be one.
    group: OnceLock<Group>,
}

impl Tree {
    pub(crate) fn new(id: TreeId, leader: i32, terminal: Option<PathBuf>) -> Self {
        let leader_start = procfs::record(leader).map(|record| record.start_time);
        Self::with_start(id, leader, leader_start, terminal)
    }

    pub(crate) fn with_start(
        id: TreeId,
        leader: i32,
        leader_start: Option<u64>,
        terminal: Option<PathBuf>,
    ) -> Self {
        Self {
            id,
            leader,
            leader_start,
            terminal,
            leader_only_waits: false,
            leader_is_wrapper: false,
            known: Mutex::new(HashMap::new()),
            group: OnceLock::new(),
        }
    }

    /// Puts the tree in this group.
    pub(crate) fn set_group(&self, group: Group) {
        // A tree has one at most, given when it starts.
        let _ = self.group.set(group);
    }

    pub(crate) fn group(&self) -> Option<&Group> {
        self.group.get()
    }

    fn grouped(&self) -> HashSet<i32> {
        self.group().map(Group::members).unwrap_or_default()
    }

    fn tag(&self) -> String {
        format!("{TAG}={}", self.id)
    }

    /// Whether a process, even a dead one, was ever counted as a member or is
    /// in the leader's session.
    pub(crate) fn remembers(&self, record: &ProcessRecord) -> bool {
        record.session == self.leader
            || self
                .known
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .get(&record.pid)
                == Some(&record.start_time)
    }

    /// Takes processes for members that were seen as such before.
    pub(crate) fn remember(&self, members: &[(i32, u64)]) {
        self.known
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .extend(members.iter().copied());
    }

    /// Looks for new members by session and descent, in a process table that was
    /// read anyway. Gives all that are known to live, where there is a new one.
    pub(crate) fn learn(&self, everyone: &[ProcessRecord]) -> Option<Vec<(i32, u64)>> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let before = known.len();
        known.retain(|pid, start| {
            everyone
                .iter()
                .any(|record| record.pid == *pid && record.start_time == *start)
        });
        let kept = known.len();
        let own = std::process::id() as i32;
        loop {
            let found = known.len();
            for record in everyone.iter().filter(|record| record.pid != own) {
                if record.session == self.leader || known.contains_key(&record.parent) {
                    known.entry(record.pid).or_insert(record.start_time);
                }
            }
            if known.len() == found {
                break;
            }
        }
        (known.len() != kept || kept != before)
            .then(|| known.iter().map(|(pid, start)| (*pid, *start)).collect())
    }

    /// Every living member, by a scan of the whole process table.
    pub(crate) fn members(&self) -> Vec<ProcessRecord> {
        let everyone = procfs::all();
        let own = std::process::id() as i32;
        // A reused number of the leader would make strangers look like members.
        let leader_reused = everyone.iter().any(|record| {
            record.pid == self.leader && Some(record.start_time) != self.leader_start
        });
        let tag = self.tag();
        let grouped = self.grouped();
        let mut members: HashSet<i32> = everyone
            .iter()
            .filter(|record| record.pid != own && !record.is_dead())
            .filter(|record| {
                grouped.contains(&record.pid) || self.is_seed(record, own, leader_reused, &tag)
            })
            .map(|record| record.pid)
            .collect();
        loop {
            let before = members.len();
            for record in &everyone {
                if record.pid != own && members.contains(&record.parent) {
                    members.insert(record.pid);
                }
            }
            if members.len() == before {
                break;
            }
        }
        let living: Vec<ProcessRecord> = everyone
            .into_iter()
            .filter(|record| members.contains(&record.pid) && !record.is_dead())
            .collect();
        self.known
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .extend(living.iter().map(|record| (record.pid, record.start_time)));
        living
    }

    fn is_seed(&self, record: &ProcessRecord, own: i32, leader_reused: bool, tag: &str) -> bool {
        if self.remembers(record) && !(leader_reused && record.session == self.leader) {
            return true;
        }
        // Another user's process is never ours to end, whatever it claims.
        procfs::is_own(record.pid)
            && (procfs::environment_holds(record.pid, tag)
                || record.parent == own
                    && self
                        .terminal
                        .as_deref()
                        .is_some_and(|path| procfs::uses_terminal(record.pid, path)))
    }

    /// The living members after the leader ended. As orphans come to this
    /// program, a look at its children tells in microseconds that there are
    /// none; only otherwise the table is scanned.
    pub(crate) fn survivors(&self) -> Vec<ProcessRecord> {
        let own = std::process::id() as i32;
        let tag = self.tag();
        let grouped = self.grouped();
        match procfs::own_children() {
            Some(children)
                if !children
                    .iter()
                    .filter(|&&pid| pid != self.leader)
                    .filter_map(|&pid| procfs::record(pid))
                    .any(|record| {
                        !record.is_dead()
                            && (grouped.contains(&record.pid)
                                || self.is_seed(&record, own, false, &tag))
                    }) =>
            {
                Vec::new()
            }
            _ => self.members(),
        }
    }

    /// Asks every member to end (SIGTERM), waits up to `grace`, then ends the
    /// rest (SIGKILL). Blocks; returns the members that could not be ended.
    pub(crate) fn kill(&self, grace: Duration) -> Vec<ProcessRecord> {
        if !grace.is_zero() {
            self.terminate(grace);
        }
        let deadline = Instant::now() + KILL_DEADLINE;
        loop {
            let members = self.members();
            if members.is_empty() || Instant::now() > deadline {
                return members;
            }
            if let Some(group) = self.group() {
                group.kill();
            }
            for member in &members {
                signal(member, Signal::KILL);
            }
            thread::sleep(POLL);
        }
    }

    /// Asks one member to end, and ends it after `grace`. A number that is none of
    /// the tree's is left alone: whoever names it may be out of date.
    pub(crate) fn end(&self, pid: i32, grace: Duration) -> bool {
        let Some(member) = self.members().into_iter().find(|member| member.pid == pid) else {
            return false;
        };
        signal(&member, Signal::TERM);
        signal(&member, Signal::CONT);
        let deadline = Instant::now() + grace;
        while is_alive(&member) && Instant::now() < deadline {
            thread::sleep(POLL);
        }
        // Nothing happens where it has ended.
        signal(&member, Signal::KILL);
        true
    }

    /// Collects the members that ended as children of this program, the leader
    /// included.
    pub(crate) fn reap_dead(&self) {
        for record in procfs::own_children()
            .unwrap_or_default()
            .into_iter()
            .filter_map(procfs::record)
            .filter(|record| record.is_dead() && self.remembers(record))
        {
            reap(record.pid);
        }
    }

    /// The program that was meant to be started, or what is wrapped around it.
    fn leads(&self, member: &ProcessRecord) -> bool {
        member.pid == self.leader || self.leader_is_wrapper && member.parent == self.leader
    }

    fn only_waits(&self, member: &ProcessRecord) -> bool {
        self.leader_only_waits && self.leads(member)
    }

    fn terminate(&self, grace: Duration) {
        let deadline = Instant::now() + grace;
        let mut asked = HashSet::new();
        loop {
            let members = self.members();
            if members.is_empty() {
                return;
            }
            let others = members.iter().any(|member| !self.only_waits(member));
            if others {
                // Halted, so that it neither goes on nor prints that a job was ended.
                for waiting in members.iter().filter(|member| self.only_waits(member)) {
                    signal(waiting, Signal::STOP);
                }
            }
            for member in members
                .iter()
                .filter(|member| !(others && self.only_waits(member)))
                .filter(|member| asked.insert((member.pid, member.start_time)))
            {
                signal(member, Signal::TERM);
                // Interactive shells ignore SIGTERM; losing their terminal ends them.
                if self.leads(member) {
                    signal(member, Signal::HUP);
                }
                // A stopped process acts on nothing else until it continues.
                signal(member, Signal::CONT);
            }
            while members
                .iter()
                .filter(|member| asked.contains(&(member.pid, member.start_time)))
                .any(is_alive)
            {
                if Instant::now() > deadline {
                    return;
                }
                thread::sleep(POLL);
            }
        }
    }
}

fn is_alive(record: &ProcessRecord) -> bool {
    procfs::record(record.pid)
        .is_some_and(|now| now.start_time == record.start_time && !now.is_dead())
}

/// Sends a signal to exactly this process: the descriptor pins it, then the
/// start time proves that the number was not reused in between.
#[cfg(target_os = "linux")]
fn signal(record: &ProcessRecord, signal: Signal) {
    use rustix::process::{PidfdFlags, pidfd_open, pidfd_send_signal};
    let Some(pid) = Pid::from_raw(record.pid) else {
        return;
    };
    let Ok(descriptor) = pidfd_open(pid, PidfdFlags::empty()) else {
        return;
    };
    if is_alive(record) {
        // It may end at any moment; then there is nothing left to do.
        let _ = pidfd_send_signal(&descriptor, signal);
    }
}

#[cfg(not(target_os = "linux"))]
fn signal(record: &ProcessRecord, signal: Signal) {
    if let Some(pid) = Pid::from_raw(record.pid) {
        let _ = rustix::process::kill_process(pid, signal);
    }
}

/// Collects the exit of an orphan that came to this program, so that it does
/// not stay a zombie. Only for processes known to belong to a tree: any other
/// child has an owner that waits for it.
pub(crate) fn reap(pid: i32) {
    use rustix::process::{WaitId, WaitIdOptions, waitid};
    if let Some(pid) = Pid::from_raw(pid) {
        let _ = waitid(
            WaitId::Pid(pid),
            WaitIdOptions::EXITED | WaitIdOptions::NOHANG,
        );
    }
}
