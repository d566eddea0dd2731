//! Where programs listen that do what they are told with all of the person's rights: a
//! command in the sandbox would have them work outside of it.
//!
//! X11 is not among them: tests of windows need it (see [`adroit_process::Sandbox`]).

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::grants::Grants;

/// Of the system.
const SYSTEM: &[&str] = &[
    "/run/docker.sock",
    "/run/podman/podman.sock",
    "/run/containerd/containerd.sock",
    "/run/crio/crio.sock",
    "/run/libvirt/libvirt-sock",
    "/run/snapd.socket",
    "/run/screen",
];
/// How the names begin of sockets, and of folders of sockets, that terminals, editors and
/// their servers keep in temporary folders.
const IN_TEMPORARY: &[&str] = &[
    "tmux-", "screens", "zellij-", "vscode-", "emacs", "nvim", "kitty", "mykitty",
];
/// The same of the agent that logs in with the person's keys.
const AGENT_IN_TEMPORARY: &[&str] = &["ssh-", "gcr-"];
/// What a command needs of the person's own runtime folder: windows and sound.
const SHARED: &[&str] = &["wayland-", "pulse", "pipewire-"];
/// In it, what keeps keys and passwords; keyrings are asked over the desktop's bus, by which
/// services are started too.
const KEEPERS: &[&str] = &["keyring", "gnupg", "gcr", "ssh-agent", "openssh_agent"];
const BUS: &str = "bus";
/// Folders of the runtime folder that other programs answer for, however slowly.
const FOREIGN: &[&str] = &["doc", "gvfs"];
/// Variables that name a socket, some with more after a comma.
const NAMED: &[&str] = &[
    "TMUX",
    "VSCODE_IPC_HOOK_CLI",
    "VSCODE_GIT_IPC_HANDLE",
    "NVIM",
];
const AGENT: &str = "SSH_AUTH_SOCK";

/// Folders below one of sockets that are looked into.
const DEPTH: usize = 2;

/// The sockets that a command with these grants must not reach.
pub(super) fn of<'a>(
    grants: &Grants,
    temporary: &[PathBuf],
    variable: impl Fn(&str) -> Option<&'a OsStr>,
) -> Vec<PathBuf> {
    let begins = |name: &str, beginnings: &[&str]| {
        beginnings
            .iter()
            .any(|beginning| name.starts_with(beginning))
    };
    let mut found = Vec::new();
    for place in SYSTEM {
        sockets(Path::new(place), DEPTH, &mut found);
    }
    for folder in temporary {
        for (name, path) in entries(folder) {
            if begins(&name, IN_TEMPORARY) || !grants.login && begins(&name, AGENT_IN_TEMPORARY) {
                sockets(&path, DEPTH, &mut found);
            }
        }
    }
    let absolute = |name: &str| {
        let text = variable(name)?.to_str()?.split(',').next()?;
        Some(PathBuf::from(text)).filter(|path| path.is_absolute())
    };
    if let Some(runtime) = absolute("XDG_RUNTIME_DIR") {
        for (name, path) in entries(&runtime) {
            let open = begins(&name, SHARED)
                || begins(&name, KEEPERS) && grants.login
                || name == BUS && grants.repository
                || FOREIGN.contains(&name.as_str());
            if !open {
                sockets(&path, DEPTH, &mut found);
            }
        }
    }
    let named = NAMED
        .iter()
        .copied()
        .chain((!grants.login).then_some(AGENT));
    for path in named.filter_map(absolute) {
        sockets(&path, 0, &mut found);
    }
    found
}

fn entries(folder: &Path) -> impl Iterator<Item = (String, PathBuf)> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| Some((entry.file_name().into_string().ok()?, entry.path())))
}

/// Adds `path`, or what lies below it, where it is a socket.
fn sockets(path: &Path, depth: usize, found: &mut Vec<PathBuf>) {
    use std::os::unix::fs::FileTypeExt as _;
    // Following a link at the end: `docker.sock` is one on some systems.
    let Ok(kind) = path.metadata().map(|metadata| metadata.file_type()) else {
        return;
    };
    if kind.is_socket() {
        found.push(path.to_owned());
    } else if kind.is_dir() && depth > 0 {
        for (_, path) in entries(path) {
            sockets(&path, depth - 1, found);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::net::UnixListener;

    #[test]
    fn terminals_editors_and_agents_are_found_and_windows_and_files_are_not() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path();
        let _sockets: Vec<UnixListener> = [
            "tmp/tmux-1000/default",
            "tmp/vscode-ipc-1.sock",
            "tmp/ssh-a/agent.1",
            "tmp/other.sock",
            "run/wayland-0",
            "run/bus",
            "run/systemd/private",
            "run/keyring/ssh",
            "agent",
        ]
        .iter()
        .map(|name| {
            let path = root.join(name);
            std::fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
            UnixListener::bind(path).expect("a socket")
        })
        .collect();
        std::fs::write(root.join("tmp/tmux-1000/file"), "").expect("a file");
        let (runtime, agent) = (root.join("run"), root.join("agent"));
        let found = |grants: &Grants| {
            let mut found: Vec<String> = of(grants, &[root.join("tmp")], |name| match name {
                "XDG_RUNTIME_DIR" => Some(runtime.as_os_str()),
                "SSH_AUTH_SOCK" => Some(agent.as_os_str()),
                _ => None,
            })
            .iter()
            .filter_map(|path| path.strip_prefix(root).ok())
            .map(|path| path.display().to_string())
            .collect();
            found.sort();
            found
        };
        assert_eq!(
            found(&Grants::default()),
            [
                "agent",
                "run/bus",
                "run/keyring/ssh",
                "run/systemd/private",
                "tmp/ssh-a/agent.1",
                "tmp/tmux-1000/default",
                "tmp/vscode-ipc-1.sock",
            ]
        );
        let git = Grants {
            repository: true,
            login: true,
            ..Grants::default()
        };
        assert_eq!(
            found(&git),
            [
                "run/systemd/private",
                "tmp/tmux-1000/default",
                "tmp/vscode-ipc-1.sock",
            ]
        );
    }
}
