//! What the file tools share: where a path leads, failures in words, changes as a person sees them.

pub(crate) mod change;
pub(crate) mod count;
pub(crate) mod draft;
pub(crate) mod editing;
mod failure;
pub(crate) mod notebook;
pub(crate) mod replacing;
mod view;

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use adroit_permissions::Subject;
use adroit_tool::CallContext;
use adroit_workspace::search::Hidden;
use adroit_workspace::{PathError, Resolved, Workspace};
use serde_json::Value;

pub(crate) use change::{Change, ChangeKind};
pub(crate) use failure::{
    ignored_note, links_note, not_found, read_failure, search_failure, write_failure,
};
pub(crate) use view::{cancelled, chip, diff_text, failed, number, rejected, written};

/// Characters of a line of program text in a view.
const MAX_SHOWN_LINE: usize = 2_000;

/// Where `path` leads. Relative paths of file tools always begin at the workspace root.
pub(crate) fn resolve(workspace: &Workspace, path: &str) -> Result<Resolved, PathError> {
    workspace.resolve(workspace.root(), path)
}

/// The path that rules are about: as named, and after links where it can be followed.
pub(crate) fn named_and_real(workspace: &Workspace, path: &str) -> (PathBuf, Option<PathBuf>) {
    match resolve(workspace, path) {
        Ok(resolved) => (resolved.path, Some(resolved.real)),
        // Rules then judge the name alone; the call itself fails on the same error.
        Err(_) => (workspace.root().join(path), None),
    }
}

/// What a search must not show. Blocks reading a denied file through a search above it.
pub(crate) fn hidden(context: &CallContext) -> Hidden {
    let withheld = context.withheld.clone();
    Hidden::new(move |path| withheld.contains(path))
}

/// The subject of a call that searches below `path`.
pub(crate) fn search_subject(workspace: &Workspace, path: &str) -> Subject {
    let (path, real) = named_and_real(workspace, path);
    Subject::Search { path, real }
}

/// A path as the model named it, shortened for a title: relative to the project where it begins there.
/// Looks at no disk, so that it may be asked for on every keystroke.
pub(crate) fn shown(workspace: &Workspace, path: &str) -> String {
    let relative = Path::new(path).strip_prefix(workspace.root()).ok();
    match relative {
        Some(inside) if inside.as_os_str().is_empty() => ".".to_owned(),
        Some(inside) => adroit_workspace::display_path(inside),
        None => adroit_workspace::display_path(Path::new(path)),
    }
}

/// `1 line`, `2 lines`.
pub(crate) fn counted(count: u64, singular: &str, plural: &str) -> String {
    format!("{count} {}", if count == 1 { singular } else { plural })
}

/// Puts the absolute path in place of the one that the model wrote: what hooks and the classifier see is
/// the file itself, however it was named.
pub(crate) fn make_absolute(workspace: &Workspace, copy: &mut Value, field: &str) {
    let Some(path) = copy
        .get(field)
        .and_then(Value::as_str)
        .filter(|path| !path.is_empty())
    else {
        return;
    };
    let absolute = named_and_real(workspace, path).0;
    if let (Some(object), Some(text)) = (copy.as_object_mut(), absolute.to_str()) {
        object.insert(field.to_owned(), Value::from(text));
    }
}

/// A line as far as a view carries it.
pub(crate) fn shortened(line: &str) -> Cow<'_, str> {
    match line.char_indices().nth(MAX_SHOWN_LINE) {
        Some((at, _)) => Cow::Owned(format!(
            "{} … ({} bytes more)",
            &line[..at],
            line.len() - at
        )),
        None => Cow::Borrowed(line),
    }
}
