//! Paths as text. Nothing here looks at a disk.

use std::path::{Component, Path, PathBuf};

/// `path` without `.`, `..` and doubled separators. `..` at the root stays at the root.
pub(crate) fn clean(path: &Path) -> PathBuf {
    let mut result = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                result.pop();
            }
            other => result.push(other),
        }
    }
    result
}

/// `text` as an absolute clean path: `~` is home, relative is below `cwd`.
pub(crate) fn absolute(text: &str, cwd: &Path, home: &Path) -> PathBuf {
    if text == "~" {
        return clean(home);
    }
    match text.strip_prefix("~/") {
        Some(rest) => clean(&home.join(rest)),
        None => clean(&cwd.join(text)),
    }
}

/// The normal components as text, in order. Bytes that are not UTF-8 are replaced.
pub(crate) fn segments(path: &Path) -> Vec<std::borrow::Cow<'_, str>> {
    path.components()
        .filter_map(|component| match component {
            Component::Normal(name) => Some(name.to_string_lossy()),
            _ => None,
        })
        .collect()
}
