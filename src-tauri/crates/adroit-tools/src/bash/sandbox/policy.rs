//! Where a command of this project may write.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};

use adroit_permissions::{Protection, protection};
use adroit_process::SandboxPolicy;
use adroit_workspace::Workspace;

use super::created::Watched;
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

/// What a policy is made from.
pub(super) struct Places<'a> {
    pub(super) workspace: &'a Workspace,
    pub(super) home: &'a Path,
    pub(super) caches: &'a [PathBuf],
    pub(super) settings: &'a SandboxSettings,
    /// Programs that listen there are not to be reached.
    pub(super) sockets: &'a [PathBuf],
    /// The folder of the person's functions, which each command reads.
    pub(super) definitions: Option<&'a Path>,
}

impl Places<'_> {
    /// The policy of a command with these grants, and what it may make but not have count.
    pub(super) fn policy(&self, grants: &Grants) -> (SandboxPolicy, Watched) {
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
        let mut read_only = Vec::new();
        let mut anchored = Vec::new();
        for root in &roots {
            protected(root, &mut read_only, &mut anchored);
        }
        let stores: Vec<PathBuf> = roots
            .iter()
            .map(|root| root.join(".git"))
            .filter(|store| store.is_dir() && !store.is_symlink())
            .chain(repositories.iter().cloned())
            .collect();
        let watched = Watched::begin(&roots, &stores, grants);
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
        let writable = outermost(real(writable));
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
            anchored: real(anchored),
            masked: real(self.sockets.iter().chain(&self.settings.secrets).cloned()),
            network: self.settings.network,
            door: None,
        };
        for written in &grants.written {
            self.grant(written, &own, &mut policy);
        }
        (policy, watched)
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
}

/// Where the temporary files of commands go, which the person and sockets share.
pub(super) fn temporary() -> Vec<PathBuf> {
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

/// Without those that lie in another. The other is enough, and a command that may write there
/// could put a link in the inner one's place in the moment before it is mounted.
fn outermost(places: Vec<PathBuf>) -> Vec<PathBuf> {
    let lies_deeper = |place: &PathBuf| {
        places
            .iter()
            .any(|other| other != place && place.starts_with(other))
    };
    places
        .iter()
        .filter(|place| !lies_deeper(place))
        .cloned()
        .collect()
}

/// What must be open so that the path can be written or removed.
fn place_of(written: &Written) -> Option<PathBuf> {
    match written.path.canonicalize() {
        Ok(path) if !written.removed => Some(path),
        _ => written.path.parent()?.canonicalize().ok(),
    }
}

/// Finds the protected places in a project, near its root, and its repositories.
fn protected(root: &Path, found: &mut Vec<PathBuf>, repositories: &mut Vec<PathBuf>) {
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
                return;
            }
            let name = entry.file_name();
            let Some(name) = name.to_str() else { continue };
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            match protection(parent, name) {
                Protection::Whole => found.push(entry.path()),
                Protection::Parts(_) if name == ".git" && is_folder => {
                    found.extend(parts_of_git(&entry.path()));
                    repositories.push(entry.path());
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
    let mut repositories = vec![folder.to_owned()];
    for name in ["modules", "worktrees"] {
        repositories_below(&folder.join(name), DEPTH, &mut repositories);
    }
    repositories
        .iter()
        .flat_map(|folder| existing(folder, parts))
        .collect()
}

/// A submodule may be called `libraries/a`, and lies as deep.
fn repositories_below(folder: &Path, depth: usize, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        if !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            continue;
        }
        let path = entry.path();
        if path.join("HEAD").exists() {
            // Its own submodules lie in it.
            repositories_below(&path.join("modules"), depth, found);
            found.push(path);
        } else if depth > 0 {
            repositories_below(&path, depth - 1, found);
        }
    }
}

/// What git itself writes where a person tells it to: `git remote add`, `git push -u`.
fn is_setting_of_git(place: &Path) -> bool {
    place
        .file_name()
        .is_some_and(|name| name == "config" || name == "config.worktree" || name == ".gitmodules")
}
