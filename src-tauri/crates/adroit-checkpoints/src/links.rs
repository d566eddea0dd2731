//! Several names of one file (hard links).

use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use crate::image::capture;
use crate::journal::Names;
use crate::plan::Target;

/// The names that the changes gave a file and that it did not have: they keep what they have when
/// this one is put back.
pub(crate) fn foreign<'n>(names: &'n Names, to: &'n Target) -> impl Iterator<Item = &'n PathBuf> {
    names.0.iter().filter(|name| !to.names.0.contains(name))
}

/// Whether `path` and one of these are names of one file.
pub(crate) fn shares<'n>(path: &Path, others: impl IntoIterator<Item = &'n PathBuf>) -> bool {
    let own = number(path);
    own.is_some() && others.into_iter().any(|other| number(other) == own)
}

/// The device and the number of a file.
fn number(path: &Path) -> Option<(u64, u64)> {
    let found = path.symlink_metadata().ok()?;
    found.is_file().then(|| (found.dev(), found.ino()))
}

/// Another name that has what the file shall have.
fn with_its_content(to: &Target) -> Option<&PathBuf> {
    let size = to.bytes.as_ref().map_or(0, |bytes| bytes.len() as u64);
    let is_it = |other: &&PathBuf| capture(other, size).0 == to.image;
    to.names.0.iter().find(is_it)
}

/// Whether a file whose content is right is a name of others than it was.
pub(crate) fn names_differ(path: &Path, names: &Names, to: &Target) -> bool {
    with_its_content(to).is_some_and(|other| !shares(path, [other]))
        || shares(path, foreign(names, to))
}

/// Makes `path` a name of the file that it was a name of, where that has what it had.
pub(crate) fn become_name_of(path: &Path, to: &Target) -> Result<bool, String> {
    let Some(other) = with_its_content(to) else {
        return Ok(false);
    };
    // Renaming one name of a file to another of the same does nothing, and leaves both.
    if shares(path, [other]) {
        return Ok(true);
    }
    let failed = |error: std::io::Error| adroit_protocol::error::sentence(&error.to_string());
    let parent = path.parent().unwrap_or(path);
    std::fs::create_dir_all(parent).map_err(failed)?;
    let made = tempfile::Builder::new()
        .prefix(".adroit-")
        .make_in(parent, |place| std::fs::hard_link(other, place));
    match made {
        Ok(made) => made
            .persist(path)
            .map(|()| true)
            .map_err(|error| failed(error.error)),
        // Another file system by now, or one without hard links: a file of its own has the content.
        Err(_) => Ok(false),
    }
}
