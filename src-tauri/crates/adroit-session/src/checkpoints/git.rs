//! What differs from the last commit, whoever changed it. The repository is only read.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use adroit_checkpoints::{FileStep, History, Image, capture};

use super::Checkpointing;
use super::undo::UndoError;

/// Files beyond which nothing is compared.
const MOST_FILES: usize = 3_000;

/// The files that differ from `HEAD`, files that git does not know yet included.
pub(super) fn changes(kept: &Checkpointing, history: &History) -> Result<Vec<FileStep>, UndoError> {
    let top = git(&kept.project, &["rev-parse", "--show-toplevel"], None)?;
    let top = PathBuf::from(OsStr::from_bytes(top.trim_ascii_end()));
    let changed = git(
        &kept.project,
        &[
            "diff",
            "--raw",
            "-z",
            "--no-abbrev",
            "--no-ext-diff",
            "--no-renames",
            "HEAD",
            "--",
            ".",
        ],
        None,
    )?;
    let mut known = tracked(&changed);
    let fresh = git(
        &kept.project,
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
    known.extend(parts(&fresh).map(|name| (name, None)));
    if known.len() > MOST_FILES {
        return Err(UndoError::Git {
            reason: format!("more than {MOST_FILES} files differ from the last commit"),
        });
    }
    known.sort();
    let mut files = Vec::new();
    for (name, mode) in known {
        let path = top.join(&name);
        let (after, bytes) = capture(&path, history.store().limits().file_bytes);
        if let Some(bytes) = bytes {
            history.store().keep_bytes(&bytes)?;
        }
        let before = match mode {
            Some(mode) => committed(kept, history, &name, &mode, &after)?,
            None => Image::Absent,
        };
        if before != after {
            files.push(FileStep {
                path,
                before,
                after,
            });
        }
    }
    Ok(files)
}

/// Names with the mode that the commit has for them, from `:old new hash hash status NUL name NUL`.
fn tracked(raw: &[u8]) -> Vec<(PathBuf, Option<String>)> {
    let mut tracked = Vec::new();
    let mut parts = parts(raw);
    while let (Some(facts), Some(name)) = (parts.next(), parts.next()) {
        let facts = facts.to_string_lossy().into_owned();
        let mode = facts.trim_start_matches(':').split(' ').next();
        let mode = mode.filter(|mode| *mode != "000000").map(str::to_owned);
        tracked.push((name, mode));
    }
    tracked
}

fn parts(bytes: &[u8]) -> impl Iterator<Item = PathBuf> + '_ {
    bytes
        .split(|byte| *byte == 0)
        .filter(|part| !part.is_empty())
        .map(|part| PathBuf::from(OsStr::from_bytes(part)))
}

/// What the last commit holds of a file, as a checkout would write it.
fn committed(
    kept: &Checkpointing,
    history: &History,
    name: &Path,
    mode: &str,
    now: &Image,
) -> Result<Image, UndoError> {
    if mode == "160000" {
        // A submodule: a repository of its own.
        return Ok(Image::Special);
    }
    let place = [b"HEAD:", name.as_os_str().as_bytes()].concat();
    let place = OsStr::from_bytes(&place);
    let bytes = git(&kept.project, &["cat-file", "--filters"], Some(place))?;
    if mode == "120000" {
        return Ok(Image::Link {
            target: PathBuf::from(OsStr::from_bytes(&bytes)),
        });
    }
    let executable = mode == "100755";
    // Git knows one bit; the others are those of the file where it is.
    let bits = match now {
        Image::File { mode, .. } if (mode & 0o100 != 0) == executable => *mode,
        _ if executable => 0o755,
        _ => 0o644,
    };
    Ok(history.store().keep_file(&bytes, bits)?)
}

/// Runs git so that it writes nothing. Filters of the repository's configuration run, so this is for
/// trusted folders only.
fn git(folder: &Path, arguments: &[&str], last: Option<&OsStr>) -> Result<Vec<u8>, UndoError> {
    let output = Command::new("git")
        .current_dir(folder)
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("LC_ALL", "C")
        .args(["-c", "core.fsmonitor=", "-c", "core.hooksPath=/dev/null"])
        .args(arguments)
        .args(last)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| UndoError::Git {
            reason: format!("git cannot be run: {error}"),
        })?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let line = said.lines().next().unwrap_or_default();
    Err(UndoError::Git {
        reason: line.trim_start_matches("fatal: ").to_owned(),
    })
}
