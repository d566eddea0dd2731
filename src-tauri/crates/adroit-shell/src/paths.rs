//! Lexical paths: where a word leads, and whether that is inside the workspace.

use std::path::{Component, Path, PathBuf};

use crate::types::ShellContext;

/// Joins `path` to `base` and resolves `.` and `..` by text alone.
pub(crate) fn resolve(base: &Path, path: &str) -> PathBuf {
    normalize(&base.join(path))
}

/// Resolves `.` and `..` by text alone; `..` at the root stays at the root.
pub(crate) fn normalize(path: &Path) -> PathBuf {
    let mut result = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                result.pop();
            }
            Component::RootDir => result.push("/"),
            Component::Normal(name) => result.push(name),
            Component::Prefix(prefix) => result.push(prefix.as_os_str()),
        }
    }
    result
}

/// Whether `path` lies in the workspace or an additional directory. Compares
/// whole components, so that `/w/project2` is not inside `/w/project`.
pub(crate) fn is_inside(path: &Path, context: &ShellContext<'_>) -> bool {
    path.starts_with(normalize(context.workspace))
        || context
            .additional_directories
            .iter()
            .any(|directory| path.starts_with(normalize(directory)))
}

/// Devices that hold nothing: naming them reaches nowhere.
pub(crate) fn is_harmless_device(path: &str) -> bool {
    matches!(
        path,
        "/dev/null" | "/dev/zero" | "/dev/stdin" | "/dev/stdout" | "/dev/stderr"
    ) || path.strip_prefix("/dev/fd/").is_some_and(|number| {
        !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
    })
}

/// Whether a word that may be anything (a revision, a name, a path) is
/// written as a path that can leave the working directory.
pub(crate) fn looks_like_path(text: &str) -> bool {
    if text.contains("://") {
        return false;
    }
    text.starts_with('/')
        || text == ".."
        || text.starts_with("../")
        || text.contains("/../")
        || text.ends_with("/..")
}

/// The directory part of a pattern before its first glob character.
pub(crate) fn fixed_part(prefix: &str) -> &str {
    prefix.rfind('/').map_or("", |at| &prefix[..=at])
}

/// The reason that does not hold for what goes no further than here.
pub(crate) const WORKING_DIRECTORY: &str = "the working directory";

/// Why removing `path` would be critical.
pub(crate) fn critical(path: &Path, context: &ShellContext<'_>) -> Option<&'static str> {
    if path == Path::new("/") {
        return Some("the root of the file system");
    }
    if path.parent() == Some(Path::new("/")) {
        return Some("a top-level directory");
    }
    if path == normalize(context.home) {
        return Some("the home directory");
    }
    if path == normalize(context.cwd) || path == normalize(context.workspace) {
        return Some(WORKING_DIRECTORY);
    }
    if normalize(context.cwd).starts_with(path)
        || normalize(context.workspace).starts_with(path)
        || normalize(context.home).starts_with(path)
    {
        return Some("a parent of the working or home directory");
    }
    None
}
