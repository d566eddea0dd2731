//! Where a command of this project may write.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};

use adroit_permissions::{Protection, protection};
use adroit_process::SandboxPolicy;
use adroit_workspace::Workspace;

use super::grants::{Grants, Written};
use super::repository;
use crate::services::SandboxSettings;

/// Folders below a project's own that are looked into for protected names.
const DEPTH: usize = 3;
/// Entries of folders looked at in all: a call waits for it.
const ENTRIES: usize = 2_000;
/// Folders full of files that nobody wrote here.
const PASSED_OVER: &[&str] = &[
    "node_modules",
    "target",
    "venv",
    ".venv",
    "vendor",
    "dist",
    "build",
    "__pycache__",
    ".tox",
    ".next",
    "coverage",
];

/// Where programs listen that do what they are told with all of the person's rights.
const SOCKETS: &[&str] = &[
    "/run/docker.sock",
    "/run/podman/podman.sock",
    "/run/containerd/containerd.sock",
    "/run/crio/crio.sock",
    "/run/libvirt/libvirt-sock",
    "/run/snapd.socket",
];
/// The same below the person's own runtime folder.
const OWN_SOCKETS: &[&str] = &["docker.sock", "podman/podman.sock", "systemd/private"];
/// The desktop's bus, by which services are started. Keyrings are asked over it.
const BUS: &str = "bus";

/// What a policy is made from.
pub(super) struct Places<'a> {
    pub(super) workspace: &'a Workspace,
    pub(super) home: &'a Path,
    pub(super) caches: &'a [PathBuf],
    pub(super) settings: &'a SandboxSettings,
    /// The folder of the person's functions, which each command reads.
    pub(super) definitions: Option<&'a Path>,
}

impl Places<'_> {
    /// The policy of a command with these grants.
    pub(super) fn policy(&self, grants: &Grants) -> SandboxPolicy {
        let roots: Vec<PathBuf> = std::iter::once(self.workspace.root())
            .chain(
                self.workspace
                    .additional_directories()
                    .iter()
                    .map(PathBuf::as_path),
            )
            .filter_map(|root| root.canonicalize().ok())
            .collect();
        let repositories: Vec<PathBuf> = roots
            .iter()
            .flat_map(|root| repository::outside(root))
            .collect();
        let mut read_only: Vec<PathBuf> = roots.iter().flat_map(|root| protected(root)).collect();
        for repository in &repositories {
            read_only.extend(parts_of_git(repository));
        }
        if grants.repository {
            read_only.retain(|place| !is_setting_of_git(place));
        }
        let mut writable = roots;
        writable.extend(repositories);
        writable.extend(temporary());
        writable.extend(self.caches.iter().chain(&self.settings.writable).cloned());
        let writable = real(writable);
        let own = real(
            self.settings
                .app
                .iter()
                .map(PathBuf::as_path)
                .chain(self.definitions)
                .map(Path::to_owned),
        );
        let inside = |place: &PathBuf| writable.iter().any(|open| place.starts_with(open));
        read_only = real(read_only);
        read_only.extend(own.iter().filter(|place| inside(place)).cloned());
        let mut policy = SandboxPolicy {
            writable,
            read_only,
            granted: Vec::new(),
            masked: self.masked(grants),
            network: self.settings.network,
        };
        for written in &grants.written {
            self.grant(written, &own, &mut policy);
        }
        policy
    }

    /// Opens a place that the command names. Not home, the root or what holds them, and
    /// nothing of the app's own.
    fn grant(&self, written: &Written, own: &[PathBuf], policy: &mut SandboxPolicy) {
        let Some(place) = place_of(written) else {
            return;
        };
        let home = self
            .home
            .canonicalize()
            .unwrap_or_else(|_| self.home.to_owned());
        let too_much = place.parent().is_none()
            || home.starts_with(&place)
            || own
                .iter()
                .any(|own| own.starts_with(&place) || place.starts_with(own));
        if too_much || policy.may_write(&place) {
            return;
        }
        // A protected place that is named itself is as open as its folder, so that the
        // file can be replaced.
        let before = policy.read_only.len();
        policy.read_only.retain(|protected| *protected != place);
        if policy.read_only.len() == before || !policy.may_write(&place) {
            policy.granted.push(place);
        }
    }

    fn masked(&self, grants: &Grants) -> Vec<PathBuf> {
        let runtime = std::env::var_os("XDG_RUNTIME_DIR")
            .map(PathBuf::from)
            .filter(|runtime| runtime.is_absolute());
        let own = runtime.iter().flat_map(|runtime| {
            OWN_SOCKETS
                .iter()
                .chain((!grants.repository).then_some(&BUS))
                .map(|name| runtime.join(name))
        });
        let sockets = SOCKETS.iter().map(PathBuf::from).chain(own);
        real(sockets.chain(self.settings.secrets.iter().cloned()))
    }
}

/// Where the temporary files of commands go, which the person and sockets share.
fn temporary() -> Vec<PathBuf> {
    vec![std::env::temp_dir(), "/tmp".into(), "/var/tmp".into()]
}

/// The existing ones, free of links, each once.
fn real(places: impl IntoIterator<Item = PathBuf>) -> Vec<PathBuf> {
    let mut real: Vec<PathBuf> = places
        .into_iter()
        .filter_map(|place| place.canonicalize().ok())
        .collect();
    real.sort_unstable();
    real.dedup();
    real
}

/// What must be open so that the path can be written or removed.
fn place_of(written: &Written) -> Option<PathBuf> {
    match written.path.canonicalize() {
        Ok(path) if !written.removed => Some(path),
        _ => written.path.parent()?.canonicalize().ok(),
    }
}

/// The protected places in a project, near its root.
fn protected(root: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = VecDeque::from([(root.to_owned(), 0)]);
    let mut looked_at = 0;
    while let Some((folder, depth)) = folders.pop_front() {
        let Ok(entries) = std::fs::read_dir(&folder) else {
            continue;
        };
        let parent = folder.file_name().and_then(|name| name.to_str());
        for entry in entries.flatten() {
            looked_at += 1;
            if looked_at > ENTRIES {
                return found;
            }
            let name = entry.file_name();
            let Some(name) = name.to_str() else { continue };
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            match protection(parent, name) {
                Protection::Whole => found.push(entry.path()),
                Protection::Parts(_) if name == ".git" && is_folder => {
                    found.extend(parts_of_git(&entry.path()));
                }
                Protection::Parts(parts) if is_folder => {
                    found.extend(existing(&entry.path(), parts));
                }
                // The `.git` file of a worktree says where the repository is.
                Protection::Parts(_) => found.push(entry.path()),
                Protection::None if is_folder && depth < DEPTH && !PASSED_OVER.contains(&name) => {
                    folders.push_back((entry.path(), depth + 1));
                }
                Protection::None => {}
            }
        }
    }
    found
}

fn existing(folder: &Path, parts: &[&str]) -> Vec<PathBuf> {
    let parts = parts.iter().map(|part| folder.join(part));
    parts.filter(|part| part.exists()).collect()
}

/// What runs programs in a repository, that of its submodules and worktrees included.
fn parts_of_git(folder: &Path) -> Vec<PathBuf> {
    let Protection::Parts(parts) = protection(None, ".git") else {
        return vec![folder.to_owned()];
    };
    let below = ["modules", "worktrees"].iter().flat_map(|name| {
        let entries = std::fs::read_dir(folder.join(name)).into_iter().flatten();
        entries.flatten().map(|entry| entry.path())
    });
    std::iter::once(folder.to_owned())
        .chain(below)
        .flat_map(|folder| existing(&folder, parts))
        .collect()
}

/// What git itself writes where a person tells it to: `git remote add`, `git push -u`.
fn is_setting_of_git(place: &Path) -> bool {
    place
        .file_name()
        .is_some_and(|name| name == "config" || name == "config.worktree" || name == ".gitmodules")
}
