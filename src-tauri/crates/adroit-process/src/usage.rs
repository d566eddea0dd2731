//! What the processes of a tree use: time, memory, ports.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::time::Duration;

use crate::procfs::{self, ProcessRecord};

/// One process of a tree and what it uses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProcessUsage {
    /// Process number.
    pub pid: i32,
    /// Number of the process that started it, or that it was orphaned to.
    pub parent: i32,
    /// Command line, words joined by spaces.
    pub command: String,
    /// Processor time so far, of itself and of children that it waited for.
    pub cpu: Duration,
    /// Resident memory in bytes.
    pub memory_bytes: u64,
    /// TCP ports that it listens on, in order.
    pub ports: Vec<u16>,
}

pub(crate) fn of(mut members: Vec<ProcessRecord>) -> Vec<ProcessUsage> {
    members.sort_by_key(|record| (record.start_time, record.pid));
    let listening = listening();
    members
        .iter()
        .map(|record| {
            let (cpu, memory_bytes) = time_and_memory(record.pid).unwrap_or_default();
            ProcessUsage {
                pid: record.pid,
                parent: record.parent,
                command: procfs::command_line(record.pid),
                cpu,
                memory_bytes,
                ports: ports(record.pid, &listening),
            }
        })
        .collect()
}

/// Memory in bytes that the processes hold for themselves, what they share left out:
/// fields 2 and 3 of `statm` (proc_pid_statm(5)).
pub(crate) fn own_memory(members: &[ProcessRecord]) -> u64 {
    let page = rustix::param::page_size() as u64;
    members
        .iter()
        .filter_map(|record| {
            let text = fs::read_to_string(format!("/proc/{}/statm", record.pid)).ok()?;
            let mut fields = text.split_ascii_whitespace().skip(1);
            let resident: u64 = fields.next()?.parse().ok()?;
            let shared: u64 = fields.next()?.parse().ok()?;
            Some(resident.saturating_sub(shared).saturating_mul(page))
        })
        .sum()
}

/// Fields 14 to 17 (times in ticks) and 24 (pages) of proc_pid_stat(5).
fn time_and_memory(pid: i32) -> Option<(Duration, u64)> {
    let text = fs::read(format!("/proc/{pid}/stat")).ok()?;
    let close = text.iter().rposition(|&byte| byte == b')')?;
    let rest = std::str::from_utf8(text.get(close + 2..)?).ok()?;
    let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
    let number = |index: usize| fields.get(index)?.parse::<u64>().ok();
    let ticks: u64 = (11..=14).filter_map(number).sum();
    let per_second = rustix::param::clock_ticks_per_second().max(1);
    let pages = number(21)?;
    Some((
        Duration::from_millis(ticks.saturating_mul(1000) / per_second),
        pages.saturating_mul(rustix::param::page_size() as u64),
    ))
}

/// The port of each listening TCP socket, by the socket's inode. The tables are
/// those of this program's network: a command in another shows no ports.
fn listening() -> HashMap<u64, u16> {
    ["/proc/net/tcp", "/proc/net/tcp6"]
        .iter()
        .filter_map(|table| fs::read_to_string(table).ok())
        .flat_map(|table| {
            table
                .lines()
                .skip(1)
                .filter_map(parse_socket)
                .collect::<Vec<_>>()
        })
        .collect()
}

/// Inode and local port of a listening socket (proc_pid_net(5)).
fn parse_socket(line: &str) -> Option<(u64, u16)> {
    const LISTEN: &str = "0A";
    let fields: Vec<&str> = line.split_ascii_whitespace().collect();
    if *fields.get(3)? != LISTEN {
        return None;
    }
    let (_, port) = fields.get(1)?.rsplit_once(':')?;
    let inode = fields.get(9)?.parse().ok()?;
    Some((inode, u16::from_str_radix(port, 16).ok()?))
}

fn ports(pid: i32, listening: &HashMap<u64, u16>) -> Vec<u16> {
    let Ok(descriptors) = fs::read_dir(format!("/proc/{pid}/fd")) else {
        return Vec::new();
    };
    let found: HashSet<u16> = descriptors
        .flatten()
        .filter_map(|entry| {
            let link = fs::read_link(entry.path()).ok()?;
            let inode = link
                .to_str()?
                .strip_prefix("socket:[")?
                .strip_suffix(']')?
                .parse()
                .ok()?;
            listening.get(&inode).copied()
        })
        .collect();
    let mut found: Vec<u16> = found.into_iter().collect();
    found.sort_unstable();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_uses_memory_and_listens_where_it_does() {
        let socket = std::net::TcpListener::bind("127.0.0.1:0").expect("a socket");
        let port = socket.local_addr().expect("its address").port();
        let own = procfs::record(std::process::id() as i32).expect("a record");
        let usage = of(vec![own]);
        assert_eq!(usage.len(), 1);
        assert!(usage[0].ports.contains(&port), "{usage:?}");
        assert!(usage[0].memory_bytes > 100_000, "{usage:?}");
        assert!(usage[0].command.contains("adroit_process"));
    }

    #[test]
    fn only_listening_sockets_count() {
        let listening = "  0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 4242 1";
        assert_eq!(parse_socket(listening), Some((4242, 8080)));
        assert_eq!(parse_socket(&listening.replace(" 0A ", " 01 ")), None);
    }
}
