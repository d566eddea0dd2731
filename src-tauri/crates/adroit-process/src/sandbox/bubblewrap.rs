//! The command line of bubblewrap.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use super::policy::{OPTIONAL_DEVICES, SandboxNetwork, SandboxPolicy};

/// The name of its program.
pub(super) const PROGRAM: &str = "bwrap";

/// Everything that stands before the command's own program.
///
/// No process namespace: its numbers would not be those that a person and other
/// commands see, and `pkill` of an earlier command's server would find nothing.
/// The processes outside are safe all the same: from another user namespace their
/// memory and environment cannot be read (ptrace(2)).
pub(super) fn arguments(policy: &SandboxPolicy) -> Vec<OsString> {
    let mut words = Words::default();
    words.say(["--unshare-user"]);
    // A root user would keep the right to undo the mounts.
    words.say(["--cap-drop", "ALL"]);
    if policy.network != SandboxNetwork::On {
        words.say(["--unshare-net"]);
    }
    words.say(["--ro-bind", "/", "/"]);
    // One of its own, without disks.
    words.say(["--dev", "/dev"]);
    for device in OPTIONAL_DEVICES {
        words.over("--dev-bind-try", Path::new(device));
    }
    if !rustix::process::getuid().is_root() {
        // Browsers with a sandbox of their own write below `/proc/self`. Root would
        // also write `/proc/sys`, and keeps it read-only.
        words.over("--bind", Path::new("/proc"));
    }
    // What is a mount cannot be moved.
    let anchored = policy
        .anchored
        .iter()
        .filter(|place| policy.may_write(place));
    let writable: Vec<PathBuf> = policy.writable.iter().chain(anchored).cloned().collect();
    for place in outer_first(&writable) {
        words.over("--bind-try", &place);
    }
    for place in outer_first(&policy.read_only) {
        words.over("--ro-bind-try", &place);
    }
    for place in outer_first(&policy.granted) {
        words.over("--bind-try", &place);
    }
    for socket in policy.masked.iter().filter(|socket| socket.exists()) {
        words.say([
            OsStr::new("--ro-bind"),
            OsStr::new("/dev/null"),
            socket.as_os_str(),
        ]);
    }
    words.say(["--"]);
    words.0
}

/// A mount hides what was mounted below its place before.
fn outer_first(places: &[PathBuf]) -> Vec<PathBuf> {
    let mut places = places.to_vec();
    places.sort_by_key(|place| (place.components().count(), place.clone()));
    places.dedup();
    places
}

#[derive(Default)]
struct Words(Vec<OsString>);

impl Words {
    fn say(&mut self, words: impl IntoIterator<Item = impl AsRef<OsStr>>) {
        self.0
            .extend(words.into_iter().map(|word| word.as_ref().to_owned()));
    }

    /// Mounts a place over itself.
    fn over(&mut self, option: &str, place: &Path) {
        self.say([OsStr::new(option), place.as_os_str(), place.as_os_str()]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn protected_places_are_mounted_after_writable_ones_and_outer_before_inner() {
        let policy = SandboxPolicy {
            writable: vec!["/p/inner/deep".into(), "/p".into()],
            read_only: vec!["/p/.git/hooks".into()],
            granted: vec!["/p/.git/hooks/a".into()],
            anchored: vec!["/p/.git".into(), "/etc".into()],
            network: SandboxNetwork::Off,
            ..SandboxPolicy::default()
        };
        let words: Vec<String> = arguments(&policy)
            .iter()
            .map(|word| word.to_string_lossy().into_owned())
            .collect();
        let line = words.join(" ");
        let at = |text: &str| {
            line.find(text)
                .unwrap_or_else(|| panic!("{text} in {line}"))
        };
        assert!(at("--ro-bind / /") < at("--bind-try /p /p"));
        assert!(at("--bind-try /p /p") < at("--bind-try /p/inner/deep"));
        assert!(at("--bind-try /p /p") < at("--bind-try /p/.git /p/.git"));
        assert!(!line.contains("/etc"));
        assert!(at("--bind-try /p/.git /p/.git") < at("--ro-bind-try /p/.git/hooks"));
        assert!(at("--bind-try /p/inner/deep") < at("--ro-bind-try /p/.git/hooks"));
        assert!(at("--ro-bind-try /p/.git/hooks") < at("--bind-try /p/.git/hooks/a"));
        assert!(words.contains(&"--unshare-net".to_owned()));
        assert_eq!(words.last().map(String::as_str), Some("--"));
    }
}
