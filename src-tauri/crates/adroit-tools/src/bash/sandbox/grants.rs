//! What a command is given beyond its project by what it says.
//!
//! Rules, modes and the person have judged the command by its words. What these words
//! name is theirs to allow, and where it was allowed the sandbox must not take it back.

use std::path::PathBuf;

use adroit_shell::{Access, Analysis, CommandPart};

/// Programs that do their work outside of any sandbox around them: with more rights, or
/// by telling another program what to do.
const OUTSIDE: &[&str] = &[
    "sudo",
    "doas",
    "pkexec",
    "su",
    "docker",
    "docker-compose",
    "podman",
    "buildah",
    "nerdctl",
    "systemctl",
    "systemd-run",
    "loginctl",
    "service",
    "apt",
    "apt-get",
    "aptitude",
    "dpkg",
    "dnf",
    "yum",
    "rpm",
    "pacman",
    "zypper",
    "apk",
    "brew",
    "snap",
    "flatpak",
];

/// Those of them that run whatever they are given: each would be a way around the question
/// that leaving the sandbox asks. `unshare`, `chroot` and `bwrap` are none of [`OUTSIDE`]
/// for the same reason, and run within the sandbox as far as they can.
const CARRIERS: &[&str] = &["sudo", "doas", "pkexec", "su", "systemd-run"];

/// Programs that log in elsewhere with the person's keys.
const LOGIN: &[&str] = &[
    "ssh", "scp", "sftp", "rsync", "ssh-add", "git", "gh", "glab",
];

/// Programs that keep a repository's settings, and ask the desktop's keyring for passwords.
const REPOSITORY: &[&str] = &["git", "gh", "glab"];

/// See the module.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Grants {
    /// Nothing but git and its like writes: they may change the repository's settings
    /// and reach the keyring.
    pub(super) repository: bool,
    /// Nothing but programs that log in elsewhere: they may reach the agent of the keys.
    pub(super) login: bool,
    /// The programs that it names.
    pub(super) programs: Vec<String>,
    /// What the command names as written or removed.
    pub(super) written: Vec<Written>,
}

/// A path that a command names.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Written {
    pub(super) path: PathBuf,
    pub(super) removed: bool,
}

/// The grants of a command. None where it is not understood.
pub(super) fn of(analysis: &Analysis) -> Grants {
    if !analysis.understood {
        return Grants::default();
    }
    let written = analysis
        .paths
        .iter()
        .filter(|path| matches!(path.access, Access::Write | Access::Remove))
        .filter_map(|path| {
            Some(Written {
                path: path.resolved.clone()?,
                removed: path.access == Access::Remove,
            })
        })
        .collect();
    Grants {
        // `git -c alias.x='!sh …'` runs more than git.
        repository: analysis.suspected_parts.is_empty() && only(analysis, REPOSITORY).is_some(),
        programs: analysis
            .parts
            .iter()
            .filter_map(plain_name)
            .map(str::to_owned)
            .collect(),
        login: analysis.suspected_parts.is_empty() && only(analysis, LOGIN).is_some(),
        written,
    }
}

/// Whether the command is known to do nothing but read, in the project: the verdict by which
/// it runs without a question.
///
/// Not with git in it, which runs what a repository's settings name.
pub(super) fn only_reads(analysis: &Analysis) -> bool {
    analysis.understood
        && analysis.read_only
        && !analysis.outside_workspace
        && !analysis.network
        && analysis.suspected_parts.is_empty()
        && analysis
            .parts
            .iter()
            .all(|part| plain_name(part).is_some_and(|name| !REPOSITORY.contains(&name)))
}

/// The program for whose sake a command is not held at all.
pub(super) fn outside(analysis: &Analysis) -> Option<String> {
    only(analysis, OUTSIDE).map(str::to_owned)
}

/// The same, where that program runs whatever it is given.
pub(super) fn carrier(analysis: &Analysis) -> Option<String> {
    outside(analysis)?;
    let mut names = analysis.parts.iter().filter_map(plain_name);
    names
        .find(|name| CARRIERS.contains(name))
        .map(str::to_owned)
}

/// The first of these programs, where every part of the command is one of them or only reads.
fn only<'a>(analysis: &'a Analysis, programs: &[&str]) -> Option<&'a str> {
    if !analysis.understood {
        return None;
    }
    let mut first = None;
    for part in &analysis.parts {
        match plain_name(part).filter(|name| programs.contains(name)) {
            Some(name) => first = first.or(Some(name)),
            None if part.read_only => {}
            None => return None,
        }
    }
    first
}

/// The program of a part that is named as on a `PATH` that nobody changed: `./docker` and
/// `PATH=. docker` are programs of the project.
fn plain_name(part: &CommandPart) -> Option<&str> {
    let word = part.words.first()?.text.as_deref()?;
    (part.assignments.is_empty() && !word.contains('/')).then_some(word)
}
