//! What differs from the last commit, whoever changed it. The repository is only read.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use adroit_checkpoints::{Attributes, FileStep, History, Image, capture};
use adroit_process::{CommandSpec, ExitReason};

use super::undo::UndoError;
use super::{Checkpointing, Programs};

/// Files beyond which nothing is compared.
const MOST_FILES: usize = 3_000;
/// Bytes of one answer of git that are taken.
const MOST_BYTES: usize = 64 << 20;
/// How long git may take for one answer.
const LONGEST: Duration = Duration::from_secs(30);
/// The modes that git knows beside those of ordinary files.
const SUBMODULE: &str = "160000";
const LINK: &str = "120000";
const EXECUTABLE: &str = "100755";

/// What differs from the last commit.
pub(super) struct AgainstCommit {
    pub(super) files: Vec<FileStep>,
    /// What is not compared, in sentences.
    pub(super) notes: Vec<String>,
}

/// The files that differ from `HEAD`, files that git does not know yet included. Before the first
/// commit everything is new.
pub(super) fn changes(kept: &Checkpointing, history: &History) -> Result<AgainstCommit, UndoError> {
    let git = Git::at(kept);
    let top = git.run(&["rev-parse", "--show-toplevel"], None)?;
    let top = PathBuf::from(OsStr::from_bytes(top.trim_ascii_end()));
    let base = git.base()?;
    let changed = git.run(
        &[
            "diff",
            "--raw",
            "-z",
            "--no-abbrev",
            "--no-ext-diff",
            "--no-renames",
            &base,
            "--",
            ".",
        ],
        None,
    )?;
    let mut known = tracked(&changed);
    let fresh = git.run(
        &[
            "ls-files",
            "--others",
            "--exclude-standard",
            "--full-name",
            "-z",
            "--",
            ".",
        ],
        None,
    )?;
    known.extend(parts(&fresh).map(|name| (name, Tracked::default())));
    if known.len() > MOST_FILES {
        return Err(UndoError::Git {
            reason: format!("more than {MOST_FILES} files differ from the last commit"),
        });
    }
    known.sort();
    let mut found = AgainstCommit {
        files: Vec::new(),
        notes: Vec::new(),
    };
    for (name, Tracked { old, new }) in known {
        let path = top.join(&name);
        if [&old, &new].iter().any(|mode| *mode == SUBMODULE) {
            found.notes.push(format!(
                "{} is a submodule: what changed in it is compared in its own repository.",
                kept.show(&path)
            ));
            continue;
        }
        let (after, bytes) = capture(&path, history.store().limits().file_bytes);
        if let Some(bytes) = bytes {
            history.store().keep_bytes(&bytes)?;
        }
        let before = if old.is_empty() {
            Image::Absent
        } else {
            git.committed(history, &name, &old, &after)?
        };
        if before != after {
            found.files.push(FileStep::new(path, before, after));
        }
    }
    Ok(found)
}

/// The modes that the commit and the folder have for a path; empty where it has none.
#[derive(Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Tracked {
    old: String,
    new: String,
}

/// Names with their modes, from `:old new hash hash status NUL name NUL`.
fn tracked(raw: &[u8]) -> Vec<(PathBuf, Tracked)> {
    let mut tracked = Vec::new();
    let mut parts = parts(raw);
    while let (Some(facts), Some(name)) = (parts.next(), parts.next()) {
        let facts = facts.to_string_lossy().into_owned();
        let mut modes = facts
            .trim_start_matches(':')
            .split(' ')
            .map(|mode| if mode == "000000" { "" } else { mode }.to_owned());
        let (old, new) = (modes.next(), modes.next());
        let modes = Tracked {
            old: old.unwrap_or_default(),
            new: new.unwrap_or_default(),
        };
        tracked.push((name, modes));
    }
    tracked
}

fn parts(bytes: &[u8]) -> impl Iterator<Item = PathBuf> + '_ {
    bytes
        .split(|byte| *byte == 0)
        .filter(|part| !part.is_empty())
        .map(|part| PathBuf::from(OsStr::from_bytes(part)))
}

/// The person's git, run so that it writes nothing. Filters of the repository's configuration run,
/// so this is for trusted folders only.
struct Git<'k> {
    folder: &'k Path,
    programs: &'k Programs,
}

impl<'k> Git<'k> {
    fn at(kept: &'k Checkpointing) -> Self {
        Self {
            folder: &kept.project,
            programs: &kept.programs,
        }
    }

    /// The last commit, or the empty tree where there is none yet.
    fn base(&self) -> Result<String, UndoError> {
        if self
            .run(&["rev-parse", "--verify", "--quiet", "HEAD^{commit}"], None)
            .is_ok()
        {
            return Ok("HEAD".to_owned());
        }
        // Its name depends on the kind of hash that the repository uses.
        let empty = self.run(&["hash-object", "-t", "tree", "--stdin"], None)?;
        Ok(String::from_utf8_lossy(empty.trim_ascii_end()).into_owned())
    }

    /// What the last commit holds of a file, as a checkout would write it.
    fn committed(
        &self,
        history: &History,
        name: &Path,
        mode: &str,
        now: &Image,
    ) -> Result<Image, UndoError> {
        let place = [b"HEAD:", name.as_os_str().as_bytes()].concat();
        let place = OsStr::from_bytes(&place);
        let bytes = self.run(&["cat-file", "--filters"], Some(place))?;
        if mode == LINK {
            return Ok(Image::Link {
                target: PathBuf::from(OsStr::from_bytes(&bytes)),
            });
        }
        let executable = mode == EXECUTABLE;
        // Git knows one bit and no attributes; the others are those of the file where it is.
        let bits = match now {
            Image::File { mode, .. } if (mode & 0o100 != 0) == executable => *mode,
            _ if executable => 0o755,
            _ => 0o644,
        };
        let attributes = match now {
            Image::File { attributes, .. } => attributes.clone(),
            _ => Attributes::default(),
        };
        Ok(history.store().keep_file(&bytes, bits, attributes)?)
    }

    /// Its answer. Must not be called on one of the runtime's own threads: it waits.
    fn run(&self, arguments: &[&str], last: Option<&OsStr>) -> Result<Vec<u8>, UndoError> {
        let failed = |reason: String| UndoError::Git { reason };
        let runtime = tokio::runtime::Handle::try_current()
            .map_err(|_| failed("git cannot be run now".to_owned()))?;
        runtime.block_on(async {
            let mut env = self.programs.environment.get().await.for_commands();
            // Looking must not write: no lock of the index, no watcher that stays.
            env.push(("GIT_OPTIONAL_LOCKS".into(), "0".into()));
            env.push(("LC_ALL".into(), "C".into()));
            let mut spec = CommandSpec::new("git", self.folder, env);
            let quiet = ["-c", "core.fsmonitor=", "-c", "core.hooksPath=/dev/null"];
            spec.args = quiet.iter().chain(arguments).map(OsString::from).collect();
            spec.args.extend(last.map(OsStr::to_os_string));
            spec.timeout = Some(LONGEST);
            let end = self
                .programs
                .supervisor
                .spawn_piped(spec, Vec::new(), MOST_BYTES)
                .map_err(|error| failed(format!("git cannot be run: {error}")))?
                .end()
                .await;
            if end.exit.reason == ExitReason::TimedOut {
                return Err(failed(format!(
                    "git did not answer within {} s",
                    LONGEST.as_secs()
                )));
            }
            if !end.exit.status.success() {
                let said = end.errors.text();
                let line = said.lines().next().unwrap_or_default();
                return Err(failed(line.trim_start_matches("fatal: ").to_owned()));
            }
            if end.output.is_cut() {
                return Err(failed("git answered more than can be looked at".to_owned()));
            }
            Ok(end.output.bytes)
        })
    }
}
