//! What a command was kept from, told from what it printed.
//!
//! Programs report a refused write in their own words, but with the system's
//! phrase for it and mostly with the path. A path counts only where both hold:
//! the policy forbids it, and without the sandbox the system would not.

use std::net::IpAddr;
use std::path::{Component, Path, PathBuf};

use super::policy::{SandboxNetwork, SandboxPolicy};

/// Something that a sandbox kept a command from.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Denial {
    /// Writing this path.
    Write(PathBuf),
    /// Writing a place that the command did not name.
    WriteSomewhere,
    /// Talking to the program that listens on this socket.
    Socket(PathBuf),
    /// This host, which is not in the list of those that commands may reach.
    Host(String),
    /// This host of the list, which leads to an address of the machine or its network.
    InnerHost(String, IpAddr),
    /// The network, in some other way than through the proxy where there is one.
    Network,
}

impl std::fmt::Display for Denial {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Write(path) => write!(formatter, "writing `{}`", path.display()),
            Self::WriteSomewhere => formatter.write_str("writing a place outside of the project"),
            Self::Socket(path) => write!(formatter, "connecting to `{}`", path.display()),
            Self::Host(host) => write!(formatter, "reaching `{host}`"),
            Self::InnerHost(host, address) => write!(formatter, "reaching `{host}` ({address})"),
            Self::Network => formatter.write_str("reaching the network"),
        }
    }
}

/// Says that the file system is read-only, as hardly anything but a sandbox makes it.
const READ_ONLY: &[&str] = &["read-only file system", "erofs", "os error 30", "errno 30"];

/// Says that something was refused, for any reason.
const REFUSED: &[&str] = &[
    "permission denied",
    "operation not permitted",
    // Replacing a file that is mounted.
    "device or resource busy",
    "cross-device link",
    "eacces",
    "eperm",
    "ebusy",
    "os error 13",
    "os error 1)",
    "errno 13",
    "errno 1]",
    "readonly database",
];

/// Says that nobody answers at a socket.
const UNANSWERED: &[&str] = &["connection refused", "econnrefused", "cannot connect"];

/// Says that there is no network.
const UNREACHABLE: &[&str] = &[
    "network is unreachable",
    "enetunreach",
    "could not resolve host",
    "couldn't resolve host",
    "temporary failure in name resolution",
    "temporary failure resolving",
    "name or service not known",
    "nodename nor servname provided",
    "getaddrinfo",
    "eai_again",
    "failed to lookup address",
    "no such host",
    "dns error",
    "socket: operation not permitted",
];

/// Lines looked at, from the end: what went wrong is said last.
const LINES: usize = 400;
/// Lines around one with a phrase in which its path may stand.
const AROUND: usize = 3;
/// Most denials told.
const MOST: usize = 5;

impl SandboxPolicy {
    /// What a command that ran in `cwd`, failed and printed `output` was kept from.
    #[must_use]
    pub fn denials(&self, output: &str, cwd: &Path) -> Vec<Denial> {
        let from = output.lines().count().saturating_sub(LINES);
        let lines: Vec<&str> = output.lines().skip(from).collect();
        let lower: Vec<String> = lines.iter().map(|line| line.to_lowercase()).collect();
        let says = |index: usize, phrases: &[&str]| {
            lower
                .get(index)
                .is_some_and(|line| phrases.iter().any(|phrase| line.contains(phrase)))
        };
        let mut denials = Vec::new();
        let mut somewhere = false;
        for (index, line) in lines.iter().enumerate() {
            let read_only = says(index, READ_ONLY);
            if read_only || says(index, REFUSED) {
                let around = index.saturating_sub(AROUND)..(index + AROUND + 1).min(lines.len());
                // Its own line first: another may be about something else.
                let named = self.forbidden(line, cwd).or_else(|| {
                    around
                        .clone()
                        .find_map(|near| self.forbidden(lines[near], cwd))
                });
                match named {
                    Some(path) => push(&mut denials, Denial::Write(path)),
                    None => somewhere |= read_only,
                }
            }
            if says(index, UNANSWERED)
                && let Some(socket) = self.masked.iter().find(|socket| {
                    socket
                        .to_str()
                        .is_some_and(|socket| line.contains(socket.trim_start_matches("/run")))
                })
            {
                push(&mut denials, Denial::Socket(socket.clone()));
            }
            if self.network != SandboxNetwork::On && says(index, UNREACHABLE) {
                push(&mut denials, Denial::Network);
            }
        }
        if somewhere && denials.is_empty() {
            denials.push(Denial::WriteSomewhere);
        }
        denials.truncate(MOST);
        denials
    }

    /// The path in a line that the policy alone keeps from being written: a quoted one, else
    /// the last one, since programs name themselves first.
    fn forbidden(&self, line: &str, cwd: &Path) -> Option<PathBuf> {
        let last = |words: &mut dyn Iterator<Item = &str>| {
            words
                .filter(|word| !word.is_empty() && word.len() < 4096)
                .map(|word| real(&clean(&cwd.join(word))))
                // Other processes are kept from being looked into, which is not about writing.
                .filter(|path| !path.starts_with("/proc"))
                .filter(|path| !self.may_write(path) && is_writable_outside(path))
                .last()
        };
        last(&mut quoted(line)).or_else(|| last(&mut plain(line)))
    }
}

fn push(denials: &mut Vec<Denial>, denial: Denial) {
    if !denials.contains(&denial) {
        denials.push(denial);
    }
}

const QUOTES: &[char] = &['\'', '"', '`', '‘', '’', '“', '”'];

fn quoted(line: &str) -> impl Iterator<Item = &str> {
    line.split(QUOTES).skip(1).step_by(2)
}

/// Words with a slash, and words before a colon, which is where most programs put a path.
fn plain(line: &str) -> impl Iterator<Item = &str> {
    line.split(|character: char| {
        character.is_whitespace()
            || QUOTES.contains(&character)
            || "()[]{}<>=,;".contains(character)
    })
    .filter(|word| (word.contains('/') || word.ends_with(':')) && !word.contains("://"))
    .map(|word| word.trim_end_matches([':', '.', '!']))
}

fn clean(path: &Path) -> PathBuf {
    let mut result = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                result.pop();
            }
            other => result.push(other),
        }
    }
    result
}

/// The path after the links in what exists of it: the policy knows no others.
fn real(path: &Path) -> PathBuf {
    path.ancestors()
        .find_map(|above| {
            let real = above.canonicalize().ok()?;
            let rest = path.strip_prefix(above).ok()?;
            Some(if rest.as_os_str().is_empty() {
                real
            } else {
                real.join(rest)
            })
        })
        .unwrap_or_else(|| path.to_owned())
}

/// Whether this process, which no sandbox holds, could write it: the path itself, or
/// the folder in which it would be made.
fn is_writable_outside(path: &Path) -> bool {
    use rustix::fs::{Access, access};
    let mut above = path.ancestors();
    // A word that is no path at all lies in no folder that exists.
    let exists = path.symlink_metadata().is_ok();
    let place = if exists {
        Some(path)
    } else {
        above.nth(1).filter(|folder| folder.is_dir())
    };
    place.is_some_and(|place| access(place, Access::WRITE_OK).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Sample {
        _folder: tempfile::TempDir,
        root: PathBuf,
        policy: SandboxPolicy,
    }

    /// A project with a protected file, and a place beside it.
    fn sample(network: SandboxNetwork) -> Sample {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().canonicalize().expect("its path");
        for name in ["project/.git/hooks", "beside"] {
            std::fs::create_dir_all(root.join(name)).expect("a folder");
        }
        std::fs::write(root.join("project/.git/config"), "").expect("a file");
        let policy = SandboxPolicy {
            writable: vec![root.join("project")],
            read_only: vec![
                root.join("project/.git/config"),
                root.join("project/.envrc"),
            ],
            masked: vec!["/run/docker.sock".into()],
            network,
            ..SandboxPolicy::default()
        };
        Sample {
            _folder: folder,
            root,
            policy,
        }
    }

    #[test]
    fn the_words_of_common_programs_are_understood() {
        let sample = sample(SandboxNetwork::On);
        let root = sample.root.display().to_string();
        let cwd = sample.root.join("project");
        for (printed, path) in [
            (
                format!("bash: line 1: {root}/beside/a: Read-only file system"),
                "beside/a",
            ),
            (
                format!("touch: cannot touch '{root}/beside/a b': Read-only file system"),
                "beside/a b",
            ),
            (
                "touch: cannot touch ‘../beside/a’: Permission denied".to_owned(),
                "beside/a",
            ),
            (
                format!("OSError: [Errno 30] Read-only file system: '{root}/beside/a'"),
                "beside/a",
            ),
            (
                format!("Error: EROFS: read-only file system, open '{root}/beside/a'"),
                "beside/a",
            ),
            (
                format!(
                    "npm error code EACCES\nnpm error syscall mkdir\nnpm error path {root}/beside/lib"
                ),
                "beside/lib",
            ),
            (
                format!(
                    "error: failed to open: {root}/beside/x\n\nCaused by:\n  Read-only file system (os error 30)"
                ),
                "beside/x",
            ),
            (
                format!("open {root}/beside/out: read-only file system"),
                "beside/out",
            ),
            (
                "error: could not write config file .git/config: Device or resource busy"
                    .to_owned(),
                "project/.git/config",
            ),
        ] {
            assert_eq!(
                sample.policy.denials(&printed, &cwd),
                [Denial::Write(sample.root.join(path))],
                "{printed}"
            );
        }
    }

    #[test]
    fn failures_of_another_cause_are_not_blamed_on_the_sandbox() {
        let sample = sample(SandboxNetwork::On);
        let root = sample.root.display().to_string();
        let cwd = sample.root.join("project");
        for printed in [
            // It may be written as far as the sandbox goes.
            format!("bash: {root}/project/src: Permission denied"),
            // Nobody could write there.
            "cat: /proc/1/mem: Permission denied".to_owned(),
            "bash: /no/such/folder/file: No such file or directory".to_owned(),
            "curl: (6) Could not resolve host: example.invalid".to_owned(),
            "make: *** [Makefile:3: all] Error 1".to_owned(),
            String::new(),
        ] {
            assert_eq!(sample.policy.denials(&printed, &cwd), [], "{printed}");
        }
    }

    #[test]
    fn a_read_only_place_that_is_not_named_is_told_as_such() {
        let sample = sample(SandboxNetwork::On);
        let printed = "error: cannot save: Read-only file system";
        let cwd = sample.root.join("project");
        assert_eq!(
            sample.policy.denials(printed, &cwd),
            [Denial::WriteSomewhere]
        );
    }

    #[test]
    fn the_network_counts_only_where_it_is_off() {
        let printed = "curl: (6) Could not resolve host: example.com";
        let off = sample(SandboxNetwork::Off);
        assert_eq!(off.policy.denials(printed, &off.root), [Denial::Network]);
        let on = sample(SandboxNetwork::On);
        assert_eq!(on.policy.denials(printed, &on.root), []);
    }

    #[test]
    fn a_masked_socket_is_recognised() {
        let sample = sample(SandboxNetwork::On);
        let printed =
            "Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is it running?";
        assert_eq!(
            sample.policy.denials(printed, &sample.root),
            [Denial::Socket("/run/docker.sock".into())]
        );
    }
}
