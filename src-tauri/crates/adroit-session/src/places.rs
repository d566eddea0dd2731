//! Places in files that a person opens: what a command printed, what a call named.
//!
//! Only files of the workspace are found and shown. What a terminal prints is not to be trusted, and the
//! page that shows it must not be a way to read the rest of the disk.

use std::path::Path;
use std::sync::Arc;

use adroit_protocol::permission::Position;
use adroit_protocol::place::{FileLines, FindFiles, FoundFiles, ViewFile};
use adroit_workspace::{
    FileKind, LoadError, PageRequest, PathError, Resolved, Workspace, inspect, read_page,
};

use crate::editor::{EditorCommand, EditorError};
use crate::permissions::folders;
use crate::session::Session;

/// Characters after which a line is cut: more than any screen is wide.
const LINE_LIMIT: usize = 2_000;
/// Characters after which an answer ends, at a whole line.
const PAGE_LIMIT: usize = 1 << 20;

/// A place could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum PlaceError {
    /// The path leads nowhere.
    #[error(transparent)]
    Path(#[from] PathError),
    /// It is not in the workspace.
    #[error("the file `{0}` is outside of the project and its additional folders")]
    Outside(String),
    /// There is no such file.
    #[error("there is no file `{0}`, or it is not an ordinary one")]
    Missing(String),
    /// It cannot be read as text.
    #[error(transparent)]
    Read(#[from] LoadError),
    /// The editor did not start.
    #[error(transparent)]
    Editor(#[from] EditorError),
}

impl PlaceError {
    /// What the person can do.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            Self::Path(_) | Self::Missing(_) => "It may have been moved or deleted since.".into(),
            Self::Outside(_) => {
                "Add its folder to `permissions.additionalDirectories`, or open it elsewhere."
                    .into()
            }
            Self::Read(_) => "Open it in a program for files of this kind.".into(),
            Self::Editor(error) => error.hint(),
        }
    }
}

impl Session {
    /// Which of some words name a file of the workspace. Reads no file.
    #[must_use]
    pub fn find_files(&self, query: &FindFiles) -> FoundFiles {
        let Ok(workspace) = self.workspace_of_places() else {
            return FoundFiles {
                paths: vec![None; query.names.len()],
            };
        };
        let folder = workspace.root().join(&query.folder);
        let paths = query
            .names
            .iter()
            .enumerate()
            .map(|(index, name)| {
                let bases = [folder.as_path(), workspace.root()];
                (index < FindFiles::MOST)
                    .then(|| {
                        bases
                            .iter()
                            .find_map(|base| file_in(&workspace, base, name).ok())
                    })
                    .flatten()
                    .map(|found| found.path.display().to_string())
            })
            .collect();
        FoundFiles { paths }
    }

    /// Some lines of a file of the workspace.
    ///
    /// # Errors
    /// It is outside, missing, or not text.
    pub fn view_file(&self, query: &ViewFile) -> Result<FileLines, PlaceError> {
        let workspace = self.workspace_of_places()?;
        let found = file_in(&workspace, workspace.root(), &query.path)?;
        let request = PageRequest {
            first: u64::from(query.first.max(1)),
            count: u64::from(query.count.min(ViewFile::MOST)),
            line_limit: LINE_LIMIT,
            page_limit: PAGE_LIMIT,
        };
        let page = read_page(&found.real, request, &|| false)?;
        Ok(FileLines {
            shown: workspace.display(&found.path),
            path: found.path.display().to_string(),
            first: short(page.first),
            lines: page.lines.into_iter().map(|line| line.text).collect(),
            total: short(page.total_lines),
            editor: self.editor().is_some(),
        })
    }

    /// Opens a place in the person's own editor.
    ///
    /// # Errors
    /// The file is outside or missing, no editor is named, or it does not start.
    pub async fn edit_place(
        &self,
        path: &str,
        position: Option<Position>,
    ) -> Result<(), PlaceError> {
        let workspace = self.workspace_of_places()?;
        let found = file_in(&workspace, workspace.root(), path)?;
        let command = self.editor().ok_or(EditorError::Unnamed)?;
        let command = EditorCommand::parse(&command)?;
        let environment = Arc::clone(&self.shared.environment);
        let environment = environment.get().await.for_person();
        // The path without links: what was checked is what opens.
        command.start(&found.real, position, workspace.root(), environment)?;
        Ok(())
    }

    fn editor(&self) -> Option<String> {
        let effective = self
            .shared
            .settings
            .effective(Some(&self.project), self.trusted());
        effective.appearance.editor.clone()
    }

    /// The folders as the settings name them now.
    fn workspace_of_places(&self) -> Result<Workspace, PathError> {
        let effective = self
            .shared
            .settings
            .effective(Some(&self.project), self.trusted());
        let home = self.shared.directories.home().to_path_buf();
        let additional = folders(&effective, &self.project, &home);
        Workspace::new(&self.project, additional, Some(home))
    }
}

/// A number of lines. No file that is looked at has more than the wire can say.
fn short(lines: u64) -> u32 {
    u32::try_from(lines).unwrap_or(u32::MAX)
}

/// The regular file that a path names in a folder.
fn file_in(workspace: &Workspace, base: &Path, path: &str) -> Result<Resolved, PlaceError> {
    let found = workspace.resolve(base, path)?;
    if !found.inside {
        return Err(PlaceError::Outside(path.to_owned()));
    }
    if found.exists && inspect(&found.real).is_ok_and(|facts| facts.kind == FileKind::Regular) {
        Ok(found)
    } else {
        Err(PlaceError::Missing(path.to_owned()))
    }
}
