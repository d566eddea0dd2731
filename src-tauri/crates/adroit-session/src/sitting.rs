//! What calls that a person makes by hand, one process each, have read so far.
//!
//! An edit needs a file that was read and is still as it was read. For `adroit-cli tool call` the calls on
//! one folder are one sitting: what an earlier call has read, a later one may change, unless somebody else
//! has changed it since. One file for each file that was read, so that calls at the same time do not undo
//! one another's notes.

use std::path::{Path, PathBuf};

use adroit_tool::{FileState, MAX_REMEMBERED_TEXT, Seen};
use adroit_workspace::ContentHash;
use fs_err as fs;
use serde::{Deserialize, Serialize};

use crate::directories::AppDirectories;
use crate::file::{FileError, Privacy, write_whole};

/// Files of which is kept what was read; those read longest ago are forgotten.
const MAX_KEPT: usize = 200;

/// The sitting on one folder.
#[derive(Clone, Debug)]
pub struct Sitting {
    folder: PathBuf,
}

#[derive(Serialize, Deserialize)]
struct Kept {
    path: PathBuf,
    hash: [u8; 32],
    whole: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    text: Option<String>,
}

impl Sitting {
    /// The sitting on this project.
    #[must_use]
    pub fn of(directories: &AppDirectories, project: &Path) -> Self {
        Self {
            folder: directories.project_data(project).join("sitting"),
        }
    }

    /// Tells `files` what earlier calls have read. What cannot be read counts as not read.
    pub fn restore(&self, files: &dyn FileState) {
        for (_, note) in self.notes().into_iter().take(MAX_KEPT) {
            let Some(kept) = read_note(&note) else {
                continue;
            };
            let seen = Seen {
                hash: kept.hash,
                whole: kept.whole,
            };
            files.record(&kept.path, seen);
            if let Some(text) = kept.text {
                files.remember_text(&kept.path, text.into());
            }
        }
    }

    /// Keeps what has been read for later calls.
    ///
    /// # Errors
    /// The notes cannot be written.
    pub fn keep(&self, files: &dyn FileState) -> Result<(), FileError> {
        let all = files.all();
        for (path, seen) in &all {
            let note = self.note_of(path);
            let known = read_note(&note)
                .is_some_and(|kept| kept.hash == seen.hash && kept.whole == seen.whole);
            if known {
                continue;
            }
            let kept = Kept {
                path: path.clone(),
                hash: seen.hash,
                whole: seen.whole,
                text: files
                    .text(path)
                    .filter(|text| text.len() <= MAX_REMEMBERED_TEXT)
                    .map(|text| text.to_string()),
            };
            // A name that is not UTF-8 has no place in JSON: the file counts as not read.
            if let Ok(text) = serde_json::to_string(&kept) {
                // It holds what the files hold.
                write_whole(&note, &text, Privacy::Private)?;
            }
        }
        for (index, (_, note)) in self.notes().into_iter().enumerate() {
            let forgotten =
                read_note(&note).is_none_or(|kept| !all.iter().any(|(path, _)| *path == kept.path));
            if index >= MAX_KEPT || forgotten {
                fs::remove_file(&note).map_err(FileError::io("cannot remove", &note))?;
            }
        }
        Ok(())
    }

    fn note_of(&self, path: &Path) -> PathBuf {
        use std::os::unix::ffi::OsStrExt as _;
        let name = ContentHash::of(path.as_os_str().as_bytes());
        self.folder.join(format!("{name}.json"))
    }

    /// The notes, the newest first.
    fn notes(&self) -> Vec<(std::time::SystemTime, PathBuf)> {
        let Ok(entries) = fs::read_dir(&self.folder) else {
            return Vec::new();
        };
        let mut notes: Vec<_> = entries
            .flatten()
            .filter(|entry| entry.path().extension().is_some_and(|end| end == "json"))
            .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())))
            .collect();
        notes.sort_by(|one, other| other.cmp(one));
        notes
    }
}

fn read_note(path: &Path) -> Option<Kept> {
    serde_json::from_slice(&fs::read(path).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use adroit_tool::RememberedFiles;

    use super::*;

    #[test]
    fn what_one_call_has_read_the_next_one_knows() {
        let folder = tempfile::tempdir().unwrap();
        let sitting = Sitting::of(&AppDirectories::under(folder.path()), Path::new("/w/p"));
        let seen = |byte| Seen {
            hash: [byte; 32],
            whole: true,
        };
        let first = RememberedFiles::default();
        first.record(Path::new("/w/p/a"), seen(1));
        first.remember_text(Path::new("/w/p/a"), "text".into());
        first.record(Path::new("/w/p/b"), seen(2));
        sitting.keep(&first).unwrap();
        let second = RememberedFiles::default();
        sitting.restore(&second);
        assert_eq!(second.seen(Path::new("/w/p/a")), Some(seen(1)));
        assert_eq!(second.text(Path::new("/w/p/a")).as_deref(), Some("text"));
        // What changed or was forgotten is so for the next one.
        second.record(Path::new("/w/p/a"), seen(3));
        second.forget(Path::new("/w/p/b"));
        sitting.keep(&second).unwrap();
        let third = RememberedFiles::default();
        sitting.restore(&third);
        assert_eq!(third.seen(Path::new("/w/p/a")), Some(seen(3)));
        assert_eq!(third.seen(Path::new("/w/p/b")), None);
        // Another folder is another sitting.
        let other = RememberedFiles::default();
        Sitting::of(&AppDirectories::under(folder.path()), Path::new("/w/q")).restore(&other);
        assert_eq!(other.seen(Path::new("/w/p/a")), None);
    }

    #[test]
    fn broken_notes_count_as_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let sitting = Sitting::of(&AppDirectories::under(folder.path()), Path::new("/w/p"));
        fs::create_dir_all(&sitting.folder).unwrap();
        fs::write(sitting.folder.join("x.json"), "{").unwrap();
        let files = RememberedFiles::default();
        sitting.restore(&files);
        assert!(files.all().is_empty());
        sitting.keep(&files).unwrap();
        assert!(sitting.notes().is_empty());
    }
}
