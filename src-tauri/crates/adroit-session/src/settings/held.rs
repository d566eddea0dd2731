//! Settings of a project that changed while a sandbox held a command there.
//!
//! A sandbox cannot keep a name from being made that does not exist, and landlock cannot keep a
//! file in a writable folder as it is: a command, or what it left in the background, could give
//! itself rules and hooks. So before each such command it is written down what the files say,
//! and while it runs that is what counts. What is another text when nothing of it is left stays
//! without effect until the person has accepted that very text, or it is gone again. Changes
//! that the app itself makes for the person count at once.
//!
//! It is kept on disk, since the app may be killed while the command lives on for a moment, and
//! for another instance of the app on the same folder.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use fs_err as fs;

use crate::file;

/// What a file said; none where there was none.
pub(super) type Version = Option<String>;

/// What a file says now.
pub(super) fn version(path: &Path) -> Version {
    match file::read_optional(path) {
        Ok(version) => version,
        // No settings file says so, and where it does, it is broken.
        Err(error) => Some(format!("\0{error}")),
    }
}

/// A short name of a text, by which a person accepts the one that was shown.
pub(super) fn fingerprint(version: &Version) -> String {
    version.as_ref().map_or_else(String::new, |text| {
        blake3::hash(text.as_bytes()).to_hex().to_string()
    })
}

/// What counts of each project in which a command runs, or ran and changed something.
#[derive(Debug, Default)]
pub(super) struct Held(HashMap<PathBuf, Project>);

#[derive(Debug, Default)]
struct Project {
    /// Commands that a sandbox holds there now.
    commands: usize,
    accepted: BTreeMap<PathBuf, Version>,
    /// The file was read, and is this text.
    on_disk: Option<Version>,
}

impl Held {
    /// What counts of a file, where it is not what it says now. `note` is the file of the project.
    pub(super) fn accepted(
        &mut self,
        project: &Path,
        note: &Path,
        path: &Path,
    ) -> Option<&Version> {
        self.project(project, note).accepted.get(path)
    }

    /// A command begins.
    pub(super) fn begin(&mut self, project: &Path, note: &Path, files: &[PathBuf]) {
        let held = self.project(project, note);
        held.settle();
        held.commands += 1;
        for path in files {
            held.accepted
                .entry(path.clone())
                .or_insert_with(|| version(path));
        }
        held.keep(note);
    }

    /// Nothing is left of a command.
    pub(super) fn end(&mut self, project: &Path, note: &Path) {
        let held = self.project(project, note);
        held.commands = held.commands.saturating_sub(1);
        held.settle();
        held.keep(note);
    }

    /// What `path` says counts, where that is `now`. False where it is not.
    pub(super) fn accept(
        &mut self,
        project: &Path,
        note: &Path,
        path: &Path,
        now: impl FnOnce(&Version) -> bool,
    ) -> bool {
        let held = self.project(project, note);
        let current = version(path);
        if !now(&current) {
            return false;
        }
        held.counts(path, current);
        held.keep(note);
        true
    }

    /// The app changed `before`, which counted, into `after`.
    pub(super) fn edited(
        &mut self,
        project: &Path,
        note: &Path,
        path: &Path,
        before: &Version,
        after: &str,
    ) {
        let held = self.project(project, note);
        // Blocks what the command wrote from being accepted with the change beside it.
        if held.accepted.get(path) == Some(before) {
            held.counts(path, Some(after.to_owned()));
            held.keep(note);
        }
    }

    fn project(&mut self, project: &Path, note: &Path) -> &mut Project {
        let held = self.0.entry(project.to_path_buf()).or_default();
        held.read(note);
        held
    }
}

impl Project {
    /// Takes in what another instance, or an earlier one, has written down.
    fn read(&mut self, note: &Path) {
        let text = version(note);
        if self.on_disk.as_ref() == Some(&text) {
            return;
        }
        let written: BTreeMap<PathBuf, Version> = text
            .as_deref()
            .and_then(|text| serde_json::from_str(text).ok())
            .unwrap_or_default();
        if self.commands == 0 {
            self.accepted = written;
        } else {
            // What this one has seen before its own commands goes first.
            for (path, version) in written {
                self.accepted.entry(path).or_insert(version);
            }
        }
        self.on_disk = Some(text);
    }

    /// From now on this version of a file counts.
    fn counts(&mut self, path: &Path, version: Version) {
        if self.commands == 0 {
            self.accepted.remove(path);
        } else if let Some(accepted) = self.accepted.get_mut(path) {
            *accepted = version;
        }
    }

    /// Forgets what needs no mention any more.
    fn settle(&mut self) {
        if self.commands == 0 {
            self.accepted
                .retain(|path, accepted| version(path) != *accepted);
        }
    }

    fn keep(&mut self, note: &Path) {
        let text = (!self.accepted.is_empty())
            .then(|| serde_json::to_string(&self.accepted).ok())
            .flatten();
        if self.on_disk.as_ref() == Some(&text) {
            return;
        }
        let done = match &text {
            Some(text) => write(note, text),
            None => fs::remove_file(note).or_else(|error| match error.kind() {
                std::io::ErrorKind::NotFound => Ok(()),
                _ => Err(error),
            }),
        };
        match done {
            Ok(()) => self.on_disk = Some(text),
            Err(error) => tracing::warn!(
                %error,
                "which settings count is not written down: after a crash those of a command would"
            ),
        }
    }
}

/// Replaces it at once. Not to outlive a power failure, which no command does either, so that a
/// command does not wait for the disk.
fn write(path: &Path, text: &str) -> std::io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let fresh = path.with_extension("new");
    fs::write(&fresh, text)?;
    fs::rename(&fresh, path)
}
