//! Names that patterns stand for, and links below folders, as they are on the disk now.

use std::path::{Path, PathBuf};

use adroit_shell::Below;

/// Entries that are looked at for one command. A listing of so many takes some tenths of a
/// second, once for a call; a project with more below one folder is asked about.
const MOST_ENTRIES: usize = 400_000;

/// What may still be looked at.
pub(super) struct Budget(usize);

impl Default for Budget {
    fn default() -> Self {
        Self(MOST_ENTRIES)
    }
}

/// A name in a folder.
pub(super) struct Entry {
    pub(super) path: PathBuf,
    pub(super) name: String,
    pub(super) link: bool,
    pub(super) folder: bool,
}

impl Budget {
    /// What is in `folder`; nothing where it is no folder, `None` where nobody can say.
    fn list(&mut self, folder: &Path) -> Option<Vec<Entry>> {
        use std::io::ErrorKind::{NotADirectory, NotFound};
        let entries = match std::fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) if matches!(error.kind(), NotFound | NotADirectory) => {
                return Some(Vec::new());
            }
            Err(_) => return None,
        };
        let mut listed = Vec::new();
        for entry in entries {
            self.0 = self.0.checked_sub(1)?;
            let entry = entry.ok()?;
            let kind = entry.file_type().ok()?;
            listed.push(Entry {
                path: entry.path(),
                name: entry.file_name().to_string_lossy().into_owned(),
                link: kind.is_symlink(),
                folder: kind.is_dir(),
            });
        }
        Some(listed)
    }
}

/// The paths that a shell's `pattern` may stand for in the folder `base`, `..` as written;
/// `None` where there are too many to look at.
pub(super) fn matches(base: &Path, pattern: &str, budget: &mut Budget) -> Option<Vec<PathBuf>> {
    let mut found = vec![base.to_path_buf()];
    for part in pattern.split('/').filter(|part| !part.is_empty()) {
        let mut next = Vec::new();
        for folder in found {
            if !part.contains(['*', '?', '[', '\\', '(']) {
                let path = folder.join(part);
                if path.symlink_metadata().is_ok() {
                    next.push(path);
                }
                continue;
            }
            let listed = budget.list(&folder)?;
            if part.contains("**") {
                // With `globstar`, which an earlier command may have set.
                next.push(folder.clone());
                walk(&folder, true, false, budget, &mut |entry| {
                    next.push(entry.path.clone());
                })?;
            }
            next.extend(
                listed
                    .into_iter()
                    .filter(|entry| fits(part, &entry.name))
                    .map(|entry| entry.path),
            );
        }
        found = next;
    }
    Some(found)
}

/// The links that `below` means, below `folder`.
pub(super) fn links_below(
    folder: &Path,
    below: &Below,
    budget: &mut Budget,
) -> Option<Vec<PathBuf>> {
    let mut links = Vec::new();
    walk(folder, below.hidden, below.shallow, budget, &mut |entry| {
        let wanted = below.names.is_empty() || below.names.iter().any(|one| fits(one, &entry.name));
        if entry.link && wanted {
            links.push(entry.path.clone());
        }
    })?;
    Some(links)
}

/// Shows `visit` what lies below `folder`, folders of it as well unless `shallow`; links are
/// not entered. `None` where not all can be looked at.
pub(super) fn walk(
    folder: &Path,
    hidden: bool,
    shallow: bool,
    budget: &mut Budget,
    visit: &mut dyn FnMut(&Entry),
) -> Option<()> {
    let mut pending = vec![folder.to_path_buf()];
    while let Some(folder) = pending.pop() {
        for entry in budget.list(&folder)? {
            if !hidden && entry.name.starts_with('.') {
                continue;
            }
            visit(&entry);
            if entry.folder && !shallow {
                pending.push(entry.path);
            }
        }
    }
    Some(())
}

/// Whether a shell's pattern may stand for `name`. Rather yes than no: options of the shell
/// say whether hidden names and case count, and what stands in brackets is any character.
pub(super) fn fits(pattern: &str, name: &str) -> bool {
    let pattern: Vec<char> = pattern.to_lowercase().chars().collect();
    let name: Vec<char> = name.to_lowercase().chars().collect();
    // Positions in `pattern` that the name so far may have led to.
    let mut at = vec![false; pattern.len() + 1];
    let open = |at: &mut [bool]| {
        for (index, character) in pattern.iter().enumerate() {
            if at[index] && *character == '*' {
                at[index + 1] = true;
            }
        }
    };
    let anything = |at: &[bool]| {
        pattern
            .iter()
            .enumerate()
            .any(|(index, character)| at[index] && matches!(character, '\\' | '('))
    };
    at[0] = true;
    open(&mut at);
    for character in name {
        if anything(&at) {
            return true;
        }
        let mut next = vec![false; pattern.len() + 1];
        for (index, wanted) in pattern.iter().enumerate() {
            if !at[index] {
                continue;
            }
            match wanted {
                '*' => next[index] = true,
                '?' => next[index + 1] = true,
                '[' => {
                    // Quoted, it is a character like any other.
                    next[index + 1] |= character == '[';
                    for (end, closing) in pattern.iter().enumerate().skip(index + 1) {
                        next[end + 1] |= *closing == ']';
                    }
                }
                wanted => next[index + 1] |= *wanted == character,
            }
        }
        at = next;
        open(&mut at);
    }
    anything(&at) || at[pattern.len()]
}
