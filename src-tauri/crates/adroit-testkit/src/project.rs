//! A project folder that goes away with the test.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

/// A folder with a project, a home and a data folder beside each other, all real paths
/// (symbolic links resolved), removed on drop.
#[derive(Debug)]
pub struct TempProject {
    root: PathBuf,
    _folder: TempDir,
}

impl TempProject {
    /// A project with these files (relative path, content). Folders are made as needed.
    ///
    /// # Panics
    /// When the disk refuses.
    #[must_use]
    pub fn new(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::Builder::new()
            .prefix("adroit-test-")
            .tempdir()
            .expect("a temporary folder can be made");
        let root = fs::canonicalize(folder.path()).expect("the temporary folder exists");
        for name in ["project", "home", "data"] {
            fs::create_dir(root.join(name)).expect("a folder can be made");
        }
        let project = Self {
            root,
            _folder: folder,
        };
        for (path, content) in files {
            project.write(path, content);
        }
        project
    }

    /// An empty project.
    #[must_use]
    pub fn empty() -> Self {
        Self::new(&[])
    }

    /// The project folder.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        self.root.join("project")
    }

    /// A home folder for the person, outside the project.
    #[must_use]
    pub fn home(&self) -> PathBuf {
        self.root.join("home")
    }

    /// A folder for the app's own data, outside the project.
    #[must_use]
    pub fn data_dir(&self) -> PathBuf {
        self.root.join("data")
    }

    /// A folder beside the project, outside of it, which is made now.
    ///
    /// # Panics
    /// When the disk refuses.
    #[must_use]
    pub fn outside(&self, name: &str) -> PathBuf {
        let path = self.root.join(name);
        fs::create_dir_all(&path).expect("a folder can be made");
        path
    }

    /// The path of a file of the project.
    #[must_use]
    pub fn file(&self, path: impl AsRef<Path>) -> PathBuf {
        self.path().join(path)
    }

    /// Writes a file of the project.
    ///
    /// # Panics
    /// When the disk refuses.
    pub fn write(&self, path: impl AsRef<Path>, content: impl AsRef<[u8]>) {
        let path = self.file(path);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).expect("a folder can be made");
        }
        fs::write(path, content).expect("a file can be written");
    }

    /// The text of a file of the project.
    ///
    /// # Panics
    /// When there is no such file, or it is not UTF-8.
    #[must_use]
    pub fn read(&self, path: impl AsRef<Path>) -> String {
        let path = self.file(path);
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    /// Whether a file of the project exists.
    #[must_use]
    pub fn exists(&self, path: impl AsRef<Path>) -> bool {
        self.file(path).exists()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_come_and_go() {
        let project = TempProject::new(&[("a.txt", "one"), ("deep/er/b.txt", "two")]);
        assert_eq!(project.read("deep/er/b.txt"), "two");
        assert!(project.exists("a.txt") && !project.exists("c.txt"));
        assert!(!project.home().starts_with(project.path()));
        let path = project.path();
        drop(project);
        assert!(!path.exists());
    }
}
