//! Recent folders and which of them are trusted.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use adroit_protocol::command::{RecentProject, Trust};
use serde::{Deserialize, Serialize};

use crate::AppDirectories;
use crate::clock::now_ms;
use crate::file::{self, FileError, Privacy};

/// How many recent folders are kept.
const RECENT: usize = 20;

/// What is known of folders.
#[derive(Debug)]
pub struct Projects {
    file: PathBuf,
}

#[derive(Debug, Default, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct State {
    recent: Vec<Recent>,
    trust: BTreeMap<String, bool>,
    /// The person has confirmed once that permissions may be bypassed.
    bypass_confirmed: bool,
    /// Keys of a newer version of the app: kept as they are.
    #[serde(flatten)]
    unknown: serde_json::Map<String, serde_json::Value>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Recent {
    path: String,
    opened_at: u64,
}

/// A folder cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum ProjectError {
    /// There is none.
    #[error("there is no folder {path}")]
    Missing {
        /// What was asked for.
        path: String,
    },
    /// It is a file.
    #[error("{path} is not a folder")]
    NotAFolder {
        /// What was asked for.
        path: String,
    },
    /// The system does not let us in.
    #[error("{path} cannot be opened: {reason}")]
    Denied {
        /// What was asked for.
        path: String,
        /// The system's reason.
        reason: String,
    },
}

impl ProjectError {
    /// What to do next.
    #[must_use]
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Missing { .. } => "Check the spelling, or choose another folder.",
            Self::NotAFolder { .. } => "Choose the folder that the file is in.",
            Self::Denied { .. } => "Check that you may read the folder, or choose another.",
        }
    }
}

/// The real path of a folder that can be opened.
///
/// # Errors
/// There is none, it is a file, or it may not be read.
pub fn resolve(path: &str, home: &Path) -> Result<PathBuf, ProjectError> {
    let named = || path.to_owned();
    let expanded = match path.strip_prefix("~") {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => {
            home.join(rest.trim_start_matches('/'))
        }
        _ => PathBuf::from(path),
    };
    let real = fs_err::canonicalize(&expanded).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory => {
            ProjectError::Missing { path: named() }
        }
        _ => ProjectError::Denied {
            path: named(),
            reason: error.to_string(),
        },
    })?;
    if !real.is_dir() {
        return Err(ProjectError::NotAFolder { path: named() });
    }
    fs_err::read_dir(&real).map_err(|error| ProjectError::Denied {
        path: named(),
        reason: error.to_string(),
    })?;
    Ok(real)
}

impl Projects {
    /// What is known.
    #[must_use]
    pub fn new(directories: &AppDirectories) -> Self {
        Self {
            file: directories.state(),
        }
    }

    /// Whether a folder is trusted. A state file that cannot be read trusts nothing.
    #[must_use]
    pub fn trust(&self, project: &Path) -> Trust {
        match self.read().trust.get(&key(project)) {
            Some(true) => Trust::Trusted,
            Some(false) => Trust::Untrusted,
            None => Trust::Unknown,
        }
    }

    /// Says whether a folder is trusted.
    ///
    /// # Errors
    /// The state file cannot be written.
    pub fn set_trust(&self, project: &Path, trusted: bool) -> Result<(), FileError> {
        self.change(|state| {
            state.trust.insert(key(project), trusted);
        })
    }

    /// Whether bypassing permissions was ever confirmed on this machine; `now` confirms it. A
    /// confirmation that cannot be kept still counts for now.
    pub fn confirms_bypass(&self, now: bool) -> bool {
        if now && let Err(error) = self.change(|state| state.bypass_confirmed = true) {
            tracing::warn!(%error, "the confirmation is not remembered");
        }
        now || self.read().bypass_confirmed
    }

    /// Notes that a folder was opened.
    ///
    /// # Errors
    /// The state file cannot be written.
    pub fn opened(&self, project: &Path) -> Result<(), FileError> {
        self.change(|state| {
            let path = key(project);
            state.recent.retain(|recent| recent.path != path);
            state.recent.insert(
                0,
                Recent {
                    path,
                    opened_at: now_ms(),
                },
            );
            state.recent.truncate(RECENT);
        })
    }

    /// Takes a folder off the list.
    ///
    /// # Errors
    /// The state file cannot be written.
    pub fn forget(&self, path: &str) -> Result<(), FileError> {
        self.change(|state| state.recent.retain(|recent| recent.path != path))
    }

    /// The folders opened before, newest first.
    #[must_use]
    pub fn recent(&self) -> Vec<RecentProject> {
        self.read()
            .recent
            .into_iter()
            .map(|recent| {
                let path = PathBuf::from(&recent.path);
                RecentProject {
                    name: name(&path),
                    exists: path.is_dir(),
                    path: recent.path,
                    opened_at: recent.opened_at,
                }
            })
            .collect()
    }

    fn read(&self) -> State {
        file::read_optional(&self.file)
            .ok()
            .flatten()
            .and_then(|text| serde_json::from_str(&text).ok())
            .unwrap_or_default()
    }

    fn change(&self, edit: impl FnOnce(&mut State)) -> Result<(), FileError> {
        file::with_lock(&self.file, || {
            // A damaged file is kept aside rather than overwritten: it may hold what the person wants back.
            if let Ok(Some(text)) = file::read_optional(&self.file)
                && !text.trim().is_empty()
                && serde_json::from_str::<State>(&text).is_err()
            {
                file::write_whole(
                    &self.file.with_extension("json.bad"),
                    &text,
                    Privacy::Ordinary,
                )?;
            }
            let mut state = self.read();
            edit(&mut state);
            let text = serde_json::to_string_pretty(&state).unwrap_or_else(|_| "{}".to_owned());
            file::write_whole(&self.file, &text, Privacy::Ordinary)
        })?
    }
}

/// The last part of a folder's path.
#[must_use]
pub fn name(path: &Path) -> String {
    path.file_name().map_or_else(
        || path.display().to_string(),
        |name| name.to_string_lossy().into_owned(),
    )
}

fn key(project: &Path) -> String {
    project.display().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_untrusted_until_somebody_says_otherwise() {
        let folder = tempfile::tempdir().unwrap();
        let projects = Projects::new(&AppDirectories::under(folder.path()));
        let project = Path::new("/w/project");
        assert_eq!(projects.trust(project), Trust::Unknown);
        projects.set_trust(project, true).unwrap();
        assert_eq!(projects.trust(project), Trust::Trusted);
        assert_eq!(
            projects.trust(Path::new("/w/project/inner")),
            Trust::Unknown
        );
        projects.set_trust(project, false).unwrap();
        assert_eq!(projects.trust(project), Trust::Untrusted);
    }

    #[test]
    fn a_damaged_state_file_trusts_nothing_and_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let directories = AppDirectories::under(folder.path());
        let projects = Projects::new(&directories);
        projects.set_trust(Path::new("/w/p"), true).unwrap();
        std::fs::write(directories.state(), "{\"trust\": {").unwrap();
        assert_eq!(projects.trust(Path::new("/w/p")), Trust::Unknown);
        projects.opened(Path::new("/w/q")).unwrap();
        let kept = std::fs::read_to_string(directories.state().with_extension("json.bad")).unwrap();
        assert_eq!(kept, "{\"trust\": {");
    }

    #[test]
    fn the_newest_folder_is_first_and_only_once() {
        let folder = tempfile::tempdir().unwrap();
        let projects = Projects::new(&AppDirectories::under(folder.path()));
        for path in ["/w/a", "/w/b", "/w/a"] {
            projects.opened(Path::new(path)).unwrap();
        }
        let paths: Vec<_> = projects
            .recent()
            .into_iter()
            .map(|recent| recent.path)
            .collect();
        assert_eq!(paths, ["/w/a", "/w/b"]);
    }

    #[test]
    fn bad_folders_are_told_apart() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        std::fs::write(&file, "").unwrap();
        let home = folder.path();
        assert!(matches!(
            resolve("/no/such/folder", home),
            Err(ProjectError::Missing { .. })
        ));
        assert!(matches!(
            resolve(&file.display().to_string(), home),
            Err(ProjectError::NotAFolder { .. })
        ));
        assert_eq!(resolve("~", home).unwrap(), home.canonicalize().unwrap());
    }
}
