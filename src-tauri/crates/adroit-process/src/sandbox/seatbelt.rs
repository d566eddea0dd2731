//! The profile for `sandbox-exec` of macOS, in its own language (SBPL).
//!
//! Later rules count before earlier ones, so the order is that of the policy:
//! nothing may be written, but what is writable, but not what is protected, but
//! what is granted.

use std::ffi::OsString;
use std::path::Path;

use super::policy::{SandboxNetwork, SandboxPolicy};

/// Where macOS has it.
pub(super) const PROGRAM: &str = "/usr/bin/sandbox-exec";

/// Everything that stands before the command's own program.
pub(super) fn arguments(policy: &SandboxPolicy) -> Vec<OsString> {
    vec!["-p".into(), profile(policy).into()]
}

/// Devices that programs write without harm.
const DEVICES: &[&str] = &[
    "/dev/null",
    "/dev/zero",
    "/dev/tty",
    "/dev/ptmx",
    "/dev/dtracehelper",
];

/// The whole profile.
pub(super) fn profile(policy: &SandboxPolicy) -> String {
    let mut lines = vec![
        "(version 1)".to_owned(),
        "(allow default)".to_owned(),
        "(deny file-write*)".to_owned(),
    ];
    for device in DEVICES {
        lines.push(format!(
            "(allow file-write* {})",
            filter("literal", Path::new(device))
        ));
    }
    lines.push("(allow file-write* (regex #\"^/dev/ttys[0-9]+$\"))".to_owned());
    lines.push("(allow file-write* (regex #\"^/dev/fd/\"))".to_owned());
    let places = [
        ("allow file-write*", &policy.writable),
        ("deny file-write*", &policy.read_only),
        ("allow file-write*", &policy.granted),
        // A socket is connected to by `network-outbound`.
        ("deny network-outbound", &policy.masked),
    ];
    for (rule, places) in places {
        for place in places {
            lines.push(format!("({rule} {})", filter("subpath", place)));
        }
    }
    for place in &policy.anchored {
        // Moving or removing it, not what is in it.
        lines.push(format!(
            "(deny file-write-unlink {})",
            filter("literal", place)
        ));
    }
    if policy.network != SandboxNetwork::On {
        lines.push("(deny network*)".to_owned());
        // Sockets of the file system are no network.
        lines.push("(allow network* (remote unix-socket))".to_owned());
    }
    let mut text = lines.join("\n");
    text.push('\n');
    text
}

/// A path as a filter; quotes and backslashes in it would end the string.
fn filter(kind: &str, place: &Path) -> String {
    let text = place.to_string_lossy();
    let quoted = text.replace('\\', "\\\\").replace('"', "\\\"");
    format!("({kind} \"{quoted}\")")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_profile_denies_writing_and_then_allows_place_by_place() {
        let policy = SandboxPolicy {
            writable: vec!["/Users/a/project".into(), "/private/tmp".into()],
            read_only: vec!["/Users/a/project/.git/hooks".into()],
            granted: vec!["/etc/hosts".into()],
            anchored: vec!["/Users/a/project/.git".into()],
            masked: vec!["/var/run/docker.sock".into()],
            network: SandboxNetwork::Off,
            door: None,
        };
        insta::assert_snapshot!(profile(&policy), @r#"
        (version 1)
        (allow default)
        (deny file-write*)
        (allow file-write* (literal "/dev/null"))
        (allow file-write* (literal "/dev/zero"))
        (allow file-write* (literal "/dev/tty"))
        (allow file-write* (literal "/dev/ptmx"))
        (allow file-write* (literal "/dev/dtracehelper"))
        (allow file-write* (regex #"^/dev/ttys[0-9]+$"))
        (allow file-write* (regex #"^/dev/fd/"))
        (allow file-write* (subpath "/Users/a/project"))
        (allow file-write* (subpath "/private/tmp"))
        (deny file-write* (subpath "/Users/a/project/.git/hooks"))
        (allow file-write* (subpath "/etc/hosts"))
        (deny network-outbound (subpath "/var/run/docker.sock"))
        (deny file-write-unlink (literal "/Users/a/project/.git"))
        (deny network*)
        (allow network* (remote unix-socket))
        "#);
    }

    #[test]
    fn a_name_cannot_end_the_string_and_add_rules() {
        let policy = SandboxPolicy {
            writable: vec!["/p\") (allow file-write*) (\"".into()],
            ..SandboxPolicy::default()
        };
        let text = profile(&policy);
        assert!(
            text.contains(r#"(subpath "/p\") (allow file-write*) (\"")"#),
            "{text}"
        );
    }
}
