//! The text files of the repository.

use crate::outcome::Outcome;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

/// Files by their path from the root, with slashes.
pub(super) struct Files(BTreeMap<String, String>);

impl Files {
    /// Reads everything that git tracks or would track.
    pub(super) fn read(root: &Path) -> Outcome<Self> {
        let mut command = Command::new("git");
        command.current_dir(root);
        command.args([
            "ls-files",
            "-z",
            "--cached",
            "--others",
            "--exclude-standard",
        ]);
        let listing = crate::process::output(&mut command)
            .ok_or("`git ls-files` failed: tidy needs git and a clone")?;
        let mut files = BTreeMap::new();
        for path in listing.split('\0').filter(|path| !path.is_empty()) {
            // Binary files are nobody's business here, and a removed file is not there.
            if let Ok(text) = std::fs::read_to_string(root.join(path)) {
                files.insert(path.to_owned(), text);
            }
        }
        Ok(Self(files))
    }

    /// Files made up for a test.
    #[cfg(test)]
    pub(super) fn of(files: &[(&str, &str)]) -> Self {
        Self(
            files
                .iter()
                .map(|&(path, text)| (path.to_owned(), text.to_owned()))
                .collect(),
        )
    }

    /// All files in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0
            .iter()
            .map(|(path, text)| (path.as_str(), text.as_str()))
    }

    /// Files whose names end so.
    pub(super) fn ending<'a>(
        &'a self,
        endings: &'a [&'a str],
    ) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.iter()
            .filter(|(path, _)| endings.iter().any(|ending| path.ends_with(ending)))
    }

    /// One file.
    pub(super) fn text(&self, path: &str) -> Option<&str> {
        self.0.get(path).map(String::as_str)
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }
}

/// Whether a file is made of tests.
pub(super) fn is_test(path: &str) -> bool {
    path.starts_with("tests/")
        || path.contains("/tests/")
        || path.starts_with("ui/test/")
        || path.contains("/benches/")
        || path.contains("adroit-testkit/")
        || path.ends_with("/tests.rs")
        || path.ends_with("_tests.rs")
        || path.contains(".test.")
}

/// Whether a file was written by a program.
pub(super) fn is_generated(path: &str) -> bool {
    path.contains("/generated/") || path.ends_with("package-lock.json") || path == "Cargo.lock"
}

/// The part of a Rust file before its tests, by lines.
pub(super) fn before_tests(text: &str) -> impl Iterator<Item = &str> {
    text.lines()
        .take_while(|line| !line.starts_with("#[cfg(test)]"))
}
