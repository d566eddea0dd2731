//! Where the app keeps its own files. Nothing here is inside a project.

use std::path::{Path, PathBuf};

use adroit_protocol::SessionId;

/// The folders of the app.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AppDirectories {
    config: PathBuf,
    data: PathBuf,
    home: PathBuf,
}

impl AppDirectories {
    /// The folders that the XDG base directory specification names.
    #[must_use]
    pub fn from_environment() -> Self {
        let home = home();
        let folder = |variable: &str, fallback: &str| {
            std::env::var_os(variable)
                .map(PathBuf::from)
                // The specification: a relative path is to be ignored.
                .filter(|path| path.is_absolute())
                .unwrap_or_else(|| home.join(fallback))
                .join("adroit")
        };
        Self {
            config: folder("XDG_CONFIG_HOME", ".config"),
            data: folder("XDG_DATA_HOME", ".local/share"),
            home: home.clone(),
        }
    }

    /// Everything under one folder: for tests, and for `--data-dir`.
    #[must_use]
    pub fn under(folder: &Path) -> Self {
        let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_path_buf());
        Self {
            config: folder.join("config"),
            data: folder.join("data"),
            home: home(),
        }
    }

    /// The person's settings file.
    #[must_use]
    pub fn user_settings(&self) -> PathBuf {
        self.config.join("settings.json")
    }

    /// The person's own kinds of agents.
    #[must_use]
    pub fn agents(&self) -> PathBuf {
        self.config.join("agents")
    }

    /// Recent folders and trust.
    #[must_use]
    pub fn state(&self) -> PathBuf {
        self.data.join("state.json")
    }

    /// Keys, where there is no keyring.
    #[must_use]
    pub fn keys(&self) -> PathBuf {
        self.data.join("keys.json")
    }

    /// Where processes are noted, so that a crash is cleaned up at the next start.
    #[must_use]
    pub fn processes(&self) -> PathBuf {
        self.data.join("processes")
    }

    /// The app's log files.
    #[must_use]
    pub fn logs(&self) -> PathBuf {
        self.data.join("logs")
    }

    /// The folders that are the app's own, settings included.
    #[must_use]
    pub fn own(&self) -> Vec<PathBuf> {
        vec![self.config.clone(), self.data.clone()]
    }

    /// The person's home.
    #[must_use]
    pub fn home(&self) -> &Path {
        &self.home
    }

    /// What is kept of all projects.
    #[must_use]
    pub fn projects(&self) -> PathBuf {
        self.data.join("projects")
    }

    /// What is kept of a project.
    #[must_use]
    pub fn project_data(&self, project: &Path) -> PathBuf {
        self.projects().join(project_key(project))
    }

    /// The stored sessions of a project.
    #[must_use]
    pub fn sessions(&self, project: &Path) -> PathBuf {
        self.project_data(project).join("sessions")
    }

    /// What calls in a project changed, kept so that it can be taken back.
    #[must_use]
    pub fn checkpoints(&self, project: &Path) -> PathBuf {
        self.project_data(project).join("checkpoints")
    }

    /// Results and output of one session that were too long for the model.
    #[must_use]
    pub fn results(&self, project: &Path, session: &SessionId) -> PathBuf {
        self.project_data(project)
            .join("results")
            .join(session.as_str())
    }
}

fn home() -> PathBuf {
    std::env::home_dir()
        .filter(|path| path.is_absolute())
        .unwrap_or_else(|| PathBuf::from("/"))
}

/// A folder name for a project: readable, bounded, and never the same for two projects
/// (`/w/a-b` and `/w/a/b` must not share a store, nor what was allowed in it).
fn project_key(project: &Path) -> String {
    use std::os::unix::ffi::OsStrExt as _;
    let hash = blake3::hash(project.as_os_str().as_bytes()).to_hex();
    let name: String = project
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .chars()
        .map(|character| {
            if character.is_ascii_alphanumeric() {
                character
            } else {
                '-'
            }
        })
        .take(40)
        .collect();
    format!("{name}-{}", &hash[..24])
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn no_two_projects_share_a_store() {
        let long = format!("/w/{}", "x".repeat(300));
        let projects = [
            "/w/a-b", "/w/a/b", "/w/a b", "/W/a-b", "/w/a:b", "/w/🦀", "/", &long,
        ];
        let keys: HashSet<String> = projects
            .iter()
            .map(|path| project_key(Path::new(path)))
            .collect();
        assert_eq!(keys.len(), projects.len());
        assert!(
            keys.iter()
                .all(|key| key.len() <= 255 && !key.contains('/'))
        );
    }
}
