//! The files of transcripts.

use std::fs::{File, OpenOptions};
use std::io::{BufRead as _, BufReader, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::UNIX_EPOCH;

use adroit_protocol::SessionId;
use adroit_protocol::command::SessionSummary;

use super::entry::{Entry, EntryBody, VERSION};
use crate::AppDirectories;
use crate::clock::now_ms;
use crate::file::FileError;

/// A transcript could not be written.
#[derive(Debug, thiserror::Error)]
#[error("the conversation could not be written to {}: {source}", path.display())]
pub struct TranscriptError {
    /// The file.
    pub path: PathBuf,
    /// The system's reason.
    pub source: std::io::Error,
}

impl TranscriptError {
    /// What the person can do about it.
    #[must_use]
    pub fn hint(&self) -> String {
        use std::io::ErrorKind;
        match self.source.kind() {
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
                "Free space on that disk, or start with another data folder.".to_owned()
            }
            ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => format!(
                "Give yourself the right to write to {}, or start with another data folder.",
                self.folder().display()
            ),
            ErrorKind::NotADirectory | ErrorKind::AlreadyExists | ErrorKind::IsADirectory => {
                format!(
                    "Move away what stands in the place of {}.",
                    self.folder().display()
                )
            }
            _ => format!("Look at {} and its disk.", self.folder().display()),
        }
    }

    fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(&self.path)
    }
}

/// The open file of one session. Lines are only ever added.
#[derive(Debug)]
pub struct Transcript {
    path: PathBuf,
    file: Mutex<Option<File>>,
    project: PathBuf,
    session: SessionId,
}

impl Transcript {
    /// The transcript of a session; its file is made with its first line, so that a session
    /// in which nothing was said leaves nothing behind.
    #[must_use]
    pub fn new(directories: &AppDirectories, project: &Path, session: &SessionId) -> Self {
        Self {
            path: path_of(directories, project, session),
            file: Mutex::new(None),
            project: project.to_path_buf(),
            session: session.clone(),
        }
    }

    /// The transcript of an agent that the session of another transcript has started.
    #[must_use]
    pub fn of_agent(parent: &Self, agent: &SessionId) -> Self {
        Self {
            path: folder_of_agents(&parent.path).join(format!("{agent}.jsonl")),
            file: Mutex::new(None),
            project: parent.project.clone(),
            session: agent.clone(),
        }
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Adds a line, in one write.
    ///
    /// # Errors
    /// The file cannot be made or written: a full disk, a folder that went away.
    pub fn append(&self, body: EntryBody) -> Result<(), TranscriptError> {
        let mut guard = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        self.write(&mut guard, body)
            .map_err(|source| TranscriptError {
                path: self.path.clone(),
                source,
            })
    }

    /// True once something was written by this process.
    #[must_use]
    pub fn is_begun(&self) -> bool {
        self.file
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .is_some()
    }

    fn write(&self, guard: &mut Option<File>, body: EntryBody) -> std::io::Result<()> {
        let mut lines = Vec::new();
        if guard.is_none() {
            let (file, prefix) = self.open()?;
            *guard = Some(file);
            lines = prefix;
        }
        serde_json::to_writer(&mut lines, &Entry { at: now_ms(), body })?;
        lines.push(b'\n');
        match guard {
            Some(file) => file.write_all(&lines),
            None => Ok(()),
        }
    }

    /// Opens the file and says what must stand before the first line.
    fn open(&self) -> std::io::Result<(File, Vec<u8>)> {
        if let Some(folder) = self.path.parent() {
            fs_err::create_dir_all(folder)?;
        }
        let mut file = OpenOptions::new()
            .create(true)
            .append(true)
            .read(true)
            .open(&self.path)?;
        let length = file.seek(SeekFrom::End(0))?;
        let mut prefix = Vec::new();
        if length == 0 {
            let first = EntryBody::Session {
                version: VERSION,
                session: self.session.clone(),
                project: self.project.display().to_string(),
            };
            serde_json::to_writer(
                &mut prefix,
                &Entry {
                    at: now_ms(),
                    body: first,
                },
            )?;
            prefix.push(b'\n');
        } else {
            // After a torn line the next one begins on a line of its own.
            file.seek(SeekFrom::End(-1))?;
            let mut last = [0];
            file.read_exact(&mut last)?;
            if last != [b'\n'] {
                prefix.push(b'\n');
            }
        }
        Ok((file, prefix))
    }
}

/// Where a session's transcript is.
#[must_use]
pub fn path_of(directories: &AppDirectories, project: &Path, session: &SessionId) -> PathBuf {
    directories
        .sessions(project)
        .join(format!("{session}.jsonl"))
}

/// The agents of a session have their transcripts in one folder, those of agents, too: it goes
/// with the session.
fn folder_of_agents(transcript: &Path) -> PathBuf {
    match transcript.parent() {
        Some(parent) if parent.extension().is_some_and(|end| end == AGENTS) => parent.to_path_buf(),
        _ => transcript.with_extension(AGENTS),
    }
}

/// How the name of that folder ends.
const AGENTS: &str = "agents";

/// The transcript of an agent of the session with this transcript; none where the id, which comes
/// from the UI, would lead anywhere else.
#[must_use]
pub fn path_of_agent(transcript: &Path, agent: &SessionId) -> Option<PathBuf> {
    is_plain(agent).then(|| folder_of_agents(transcript).join(format!("{agent}.jsonl")))
}

/// The transcripts of all agents of a session.
#[must_use]
pub fn agents_of(transcript: &Path) -> Vec<PathBuf> {
    fs_err::read_dir(folder_of_agents(transcript))
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .collect()
}

/// As a path it must not lead anywhere else.
fn is_plain(session: &SessionId) -> bool {
    let letters = session.as_str().chars();
    !session.as_str().is_empty()
        && letters
            .into_iter()
            .all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
}

/// The sessions of a project, newest first. Reads the beginning of each file only.
#[must_use]
pub fn list(directories: &AppDirectories, project: &Path) -> Vec<SessionSummary> {
    let Ok(folder) = fs_err::read_dir(directories.sessions(project)) else {
        return Vec::new();
    };
    let mut sessions: Vec<SessionSummary> = folder
        .flatten()
        .filter_map(|file| {
            let name = file.file_name().into_string().ok()?;
            let session = SessionId::from(name.strip_suffix(".jsonl")?);
            let modified = file.metadata().ok()?.modified().ok()?;
            let updated_at =
                u64::try_from(modified.duration_since(UNIX_EPOCH).ok()?.as_millis()).ok()?;
            let (title, damaged) = beginning(&file.path());
            Some(SessionSummary {
                session,
                title,
                updated_at,
                damaged,
            })
        })
        .collect();
    sessions.sort_by(|one, other| {
        other
            .updated_at
            .cmp(&one.updated_at)
            .then(other.session.cmp(&one.session))
    });
    sessions
}

/// The title, or the first message, from the first lines of a file.
fn beginning(path: &Path) -> (String, bool) {
    const LINES: usize = 20;
    let Ok(file) = File::open(path) else {
        return (String::new(), true);
    };
    let mut title = String::new();
    let mut damaged = false;
    let mut any = false;
    for line in BufReader::new(file.take(256 * 1024))
        .split(b'\n')
        .take(LINES)
    {
        let Ok(line) = line else { return (title, true) };
        if line.is_empty() {
            continue;
        }
        any = true;
        match serde_json::from_slice::<Entry>(&line).map(|entry| entry.body) {
            Ok(EntryBody::Title { title: found }) => title = found,
            Ok(EntryBody::User { text }) if title.is_empty() => {
                title = super::super::session::title_of(&text)
            }
            Ok(_) => {}
            // Unknown kinds are valid JSON; damaged lines are not.
            Err(_) => damaged |= serde_json::from_slice::<serde_json::Value>(&line).is_err(),
        }
    }
    (title, damaged || !any)
}

/// The project of a stored session: in whichever project's store it lies.
#[must_use]
pub fn find(directories: &AppDirectories, session: &SessionId) -> Option<PathBuf> {
    // The id comes from the UI.
    if !is_plain(session) {
        return None;
    }
    let name = format!("{session}.jsonl");
    fs_err::read_dir(directories.projects())
        .ok()?
        .flatten()
        .find_map(|project| {
            let file = File::open(project.path().join("sessions").join(&name)).ok()?;
            let first = BufReader::new(file).split(b'\n').next()?.ok()?;
            match serde_json::from_slice::<Entry>(&first).ok()?.body {
                EntryBody::Session { project, .. } => Some(PathBuf::from(project)),
                _ => None,
            }
        })
}

/// Deletes a session's transcript and its stored results.
///
/// # Errors
/// The file cannot be removed.
pub fn delete(
    directories: &AppDirectories,
    project: &Path,
    session: &SessionId,
) -> Result<(), FileError> {
    let path = path_of(directories, project, session);
    match fs_err::remove_file(&path) {
        Ok(()) => {}
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
        Err(source) => {
            return Err(FileError::Io {
                operation: "cannot delete",
                path,
                source,
            });
        }
    }
    let agents = folder_of_agents(&path_of(directories, project, session));
    for folder in [agents, directories.results(project, session)] {
        match fs_err::remove_dir_all(&folder) {
            Ok(()) => {}
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(source) => {
                return Err(FileError::Io {
                    operation: "cannot delete",
                    path: folder,
                    source,
                });
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn advice_fits_the_reason() {
        let folder = tempfile::tempdir().unwrap();
        let directories = AppDirectories::under(folder.path());
        let session = SessionId::generate();
        let blocked = Transcript::new(&directories, Path::new("/project"), &session);
        let folder = blocked.path().parent().unwrap();
        std::fs::create_dir_all(folder.parent().unwrap()).unwrap();
        std::fs::write(folder, "a file in its place").unwrap();
        let error = blocked
            .append(EntryBody::User {
                text: String::new(),
            })
            .unwrap_err();
        assert_eq!(
            error.hint(),
            format!(
                "Move away what stands in the place of {}.",
                folder.display()
            )
        );
        let of = |kind: std::io::ErrorKind| {
            TranscriptError {
                path: "/data/sessions/a.jsonl".into(),
                source: kind.into(),
            }
            .hint()
        };
        assert!(of(std::io::ErrorKind::StorageFull).starts_with("Free space"));
        assert!(
            of(std::io::ErrorKind::PermissionDenied).contains("right to write to /data/sessions")
        );
    }
}
