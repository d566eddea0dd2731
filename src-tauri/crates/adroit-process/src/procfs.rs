//! Reading `/proc`: the only place that knows its formats.
//!
//! Everything here is a snapshot of something that changes while it is read,
//! so a missing file always means "gone", never an error.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;

/// One process as `/proc/<pid>/stat` describes it (proc(5)).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ProcessRecord {
    pub(crate) pid: i32,
    pub(crate) state: u8,
    pub(crate) parent: i32,
    pub(crate) group: i32,
    pub(crate) session: i32,
    /// Clock ticks since boot: with the pid, the identity of a process.
    pub(crate) start_time: u64,
}

impl ProcessRecord {
    /// A zombie or a process just being removed: it runs no code any more.
    pub(crate) fn is_dead(&self) -> bool {
        matches!(self.state, b'Z' | b'X' | b'x')
    }

    /// Whether the very process of this record runs now.
    pub(crate) fn still_lives(&self) -> bool {
        record(self.pid).is_some_and(|now| now.start_time == self.start_time && !now.is_dead())
    }
}

/// The record of one process, or `None` when it is gone.
pub(crate) fn record(pid: i32) -> Option<ProcessRecord> {
    let text = fs::read(format!("/proc/{pid}/stat")).ok()?;
    parse_stat(pid, &text)
}

fn parse_stat(pid: i32, text: &[u8]) -> Option<ProcessRecord> {
    // The command name in parentheses may itself hold spaces and parentheses.
    let close = text.iter().rposition(|&byte| byte == b')')?;
    let rest = std::str::from_utf8(text.get(close + 2..)?).ok()?;
    let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
    let number = |index: usize| fields.get(index)?.parse::<i32>().ok();
    Some(ProcessRecord {
        pid,
        state: *fields.first()?.as_bytes().first()?,
        parent: number(1)?,
        group: number(2)?,
        session: number(3)?,
        start_time: fields.get(19)?.parse().ok()?,
    })
}

/// Every process of the machine. Threads are not listed.
pub(crate) fn all() -> Vec<ProcessRecord> {
    let Ok(directory) = fs::read_dir("/proc") else {
        return Vec::new();
    };
    directory
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<i32>().ok())
        .filter_map(record)
        .collect()
}

/// The direct children of this process. `None` where the kernel does not offer
/// the list (CONFIG_PROC_CHILDREN), so that callers scan instead.
pub(crate) fn own_children() -> Option<Vec<i32>> {
    let mut children = Vec::new();
    let mut readable = false;
    for task in fs::read_dir("/proc/self/task").ok()?.flatten() {
        if let Ok(text) = fs::read_to_string(task.path().join("children")) {
            readable = true;
            children.extend(
                text.split_ascii_whitespace()
                    .filter_map(|pid| pid.parse::<i32>().ok()),
            );
        }
    }
    readable.then_some(children)
}

/// Whether the process belongs to the user that runs this program.
pub(crate) fn is_own(pid: i32) -> bool {
    fs::metadata(format!("/proc/{pid}"))
        .is_ok_and(|metadata| metadata.uid() == rustix::process::getuid().as_raw())
}

/// Whether the environment the process was started with holds `NAME=value`
/// (given as one entry).
pub(crate) fn environment_holds(pid: i32, entry: &str) -> bool {
    fs::read(format!("/proc/{pid}/environ")).is_ok_and(|environment| {
        environment
            .split(|&byte| byte == 0)
            .any(|candidate| candidate == entry.as_bytes())
    })
}

/// Whether one of the standard streams of the process is `terminal`.
pub(crate) fn uses_terminal(pid: i32, terminal: &Path) -> bool {
    (0..3).any(|descriptor| descriptor_is(pid, descriptor, terminal))
}

fn descriptor_is(pid: i32, descriptor: u64, target: &Path) -> bool {
    let place = format!("/proc/{pid}/fd/{descriptor}");
    let Ok(link) = fs::read_link(&place) else {
        return false;
    };
    if link.as_os_str().as_bytes() == target.as_os_str().as_bytes() {
        return true;
    }
    // In a sandbox the device lies at another place, or at none that can be named.
    let device = |path: &Path| {
        let found = fs::metadata(path).ok()?;
        found.file_type().is_char_device().then(|| found.rdev())
    };
    link.is_absolute() && device(Path::new(&place)).is_some_and(|own| device(target) == Some(own))
}

/// The command line, words joined by spaces; the name in brackets when the
/// process has none (a zombie, or one that cleared it).
pub(crate) fn command_line(pid: i32) -> String {
    let words = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let line = words
        .split(|&byte| byte == 0)
        .filter(|word| !word.is_empty())
        .map(|word| String::from_utf8_lossy(word))
        .collect::<Vec<_>>()
        .join(" ");
    if !line.is_empty() {
        return line;
    }
    let name = fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
    format!("[{}]", name.trim())
}

/// What a process is blocked in, as far as a terminal is concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Blocked {
    /// In a read of the terminal.
    Reading,
    /// Waiting for one of several descriptors (select, poll and their kin).
    Selecting,
    /// Running, or blocked in something else.
    No,
}

/// Looks at the system call a process sleeps in (proc(5): `syscall`), falling
/// back to the kernel function's name (`wchan`).
pub(crate) fn blocked_on(pid: i32, terminal: &Path) -> Blocked {
    if let Ok(text) = fs::read_to_string(format!("/proc/{pid}/syscall")) {
        let mut fields = text.split_ascii_whitespace();
        let number = fields.next().and_then(|field| field.parse::<u64>().ok());
        let first = fields
            .next()
            .and_then(|field| u64::from_str_radix(field.trim_start_matches("0x"), 16).ok());
        return match (number, first) {
            (Some(call), Some(descriptor)) if call == READ => {
                if descriptor_is(pid, descriptor, terminal)
                    || descriptor_is(pid, descriptor, Path::new("/dev/tty"))
                {
                    Blocked::Reading
                } else {
                    Blocked::No
                }
            }
            (Some(call), _) if SELECTS.contains(&call) => Blocked::Selecting,
            _ => Blocked::No,
        };
    }
    match fs::read_to_string(format!("/proc/{pid}/wchan"))
        .unwrap_or_default()
        .as_str()
    {
        "n_tty_read" | "wait_woken" => Blocked::Reading,
        "do_sys_poll" | "do_select" | "ep_poll" | "poll_schedule_timeout" => Blocked::Selecting,
        _ => Blocked::No,
    }
}

// Numbers of read(2) and of select, poll, pselect6, ppoll, epoll_wait and
// epoll_pwait, from the kernel's syscall tables.
#[cfg(target_arch = "x86_64")]
const READ: u64 = 0;
#[cfg(target_arch = "x86_64")]
const SELECTS: &[u64] = &[23, 7, 270, 271, 232, 281];
#[cfg(not(target_arch = "x86_64"))]
const READ: u64 = 63;
#[cfg(not(target_arch = "x86_64"))]
const SELECTS: &[u64] = &[72, 73, 22];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_name_with_parentheses_does_not_shift_the_fields() {
        let line = b"42 (a) b) S 7 8 9 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 12345 0 0";
        let record = parse_stat(42, line).expect("a record");
        assert_eq!(record.state, b'S');
        assert_eq!((record.parent, record.group, record.session), (7, 8, 9));
        assert_eq!(record.start_time, 12345);
    }

    #[test]
    fn this_process_is_found_among_all() {
        let own = std::process::id() as i32;
        assert!(all().iter().any(|record| record.pid == own));
        assert!(is_own(own));
        assert!(command_line(own).contains("adroit_process"));
    }
}
