//! Where a path leads.

use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::io::ErrorKind;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};

use thiserror::Error;
use unicode_normalization::UnicodeNormalization as _;

use crate::stored_name::stored_name;

/// As many links as Linux follows before it gives up (`path_resolution(7)`).
const MAX_LINKS: usize = 40;

/// Why a path leads nowhere.
#[derive(Debug, Error)]
pub enum PathError {
    /// Nothing was named.
    #[error("the path is empty: name a file or folder")]
    Empty,
    /// A NUL character, at which the system would cut the path.
    #[error("the path {0:?} contains a NUL character: remove it")]
    Nul(String),
    /// `~` without a known home folder.
    #[error("{0} begins with ~, but the home folder is not known: write the absolute path")]
    NoHome(String),
    /// Links that lead in a circle.
    #[error(
        "{path} leads through more than {MAX_LINKS} symbolic links, probably in a circle: {at}"
    )]
    LinkLoop {
        /// As it was asked for.
        path: String,
        /// The link at which resolving stopped.
        at: String,
    },
    /// A folder on the way may not be searched.
    #[error("permission denied: {at} (on the way to {path}) may not be searched by this user")]
    Denied {
        /// As it was asked for.
        path: String,
        /// The component that refused.
        at: String,
    },
    /// Anything else that the system answered.
    #[error("cannot resolve {path}: {source}")]
    Io {
        /// As it was asked for.
        path: String,
        /// The system's answer.
        source: std::io::Error,
    },
}

/// The folders that work takes place in.
#[derive(Clone, Debug)]
pub struct Workspace {
    root: PathBuf,
    additional_directories: Vec<PathBuf>,
    home: Option<PathBuf>,
}

/// A path with everything about where it leads, decided at the moment of the call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resolved {
    /// Absolute, without `.` and `..`, links as they were named. For showing.
    pub path: PathBuf,
    /// Absolute, every link resolved (in the longest part that exists). For opening, locking, deciding.
    pub real: PathBuf,
    /// Whether `real` lies in the workspace root or an additional folder. A link that leaves the
    /// workspace is outside, and one from outside that leads in is inside.
    pub inside: bool,
    /// Whether something is there.
    pub exists: bool,
}

impl Workspace {
    /// A workspace whose folders are stored with their links resolved.
    ///
    /// # Errors
    /// When `root` or an additional folder cannot be resolved.
    pub fn new(
        root: impl AsRef<Path>,
        additional_directories: impl IntoIterator<Item = PathBuf>,
        home: Option<PathBuf>,
    ) -> Result<Self, PathError> {
        let canonical = |path: &Path| -> Result<PathBuf, PathError> {
            let absolute = std::path::absolute(path).map_err(|source| PathError::Io {
                path: display_path(path),
                source,
            })?;
            Ok(follow(&absolute, &display_path(path), Path::new(""))?.0)
        };
        Ok(Self {
            root: canonical(root.as_ref())?,
            additional_directories: additional_directories
                .into_iter()
                .map(|directory| canonical(&directory))
                .collect::<Result<_, _>>()?,
            home: home.as_deref().map(canonical).transpose()?,
        })
    }

    /// The project folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The folders that count as inside beside the root.
    pub fn additional_directories(&self) -> &[PathBuf] {
        &self.additional_directories
    }

    /// The person's home folder.
    pub fn home(&self) -> Option<&Path> {
        self.home.as_deref()
    }

    /// Where `path` leads when it is named in the folder `base` (absolute).
    ///
    /// A leading `~` is the home folder. `\xNN` stands for a byte that is not UTF-8, as
    /// [`display_path`] shows it, where no file is so named literally. A name that is missing and that
    /// exists composed otherwise (`é` as one character or as two, which look the same) is that file: some
    /// systems store names in another form than models write. The file need not exist.
    ///
    /// # Errors
    /// When the path is empty, holds NUL, needs an unknown home, runs in a circle of links, or passes
    /// a folder that may not be searched.
    pub fn resolve(&self, base: &Path, path: &str) -> Result<Resolved, PathError> {
        if path.is_empty() {
            return Err(PathError::Empty);
        }
        if path.contains('\0') {
            return Err(PathError::Nul(path.to_owned()));
        }
        let named = match path.strip_prefix('~') {
            Some(rest) if rest.is_empty() || rest.starts_with('/') => {
                let home = self
                    .home
                    .as_ref()
                    .ok_or_else(|| PathError::NoHome(path.to_owned()))?;
                home.join(rest.trim_start_matches('/'))
            }
            _ => base.join(path),
        };
        let resolved = self.resolve_absolute(&named, path)?;
        if !resolved.exists && path.contains("\\x") {
            let escaped = self.resolve_absolute(&unescape(&named), path)?;
            if escaped.exists {
                return Ok(escaped);
            }
        }
        if !resolved.exists
            && let Some(composed) = composed_otherwise(&named)
        {
            return self.resolve_absolute(&composed, path);
        }
        Ok(resolved)
    }

    /// Whether a path **with its links resolved** lies in the workspace.
    pub fn contains(&self, real: &Path) -> bool {
        real.starts_with(&self.root)
            || self
                .additional_directories
                .iter()
                .any(|directory| real.starts_with(directory))
    }

    /// A path as shown to people and models: relative to the root where it is inside, with bytes that
    /// are not UTF-8 and control characters escaped.
    pub fn display(&self, path: &Path) -> String {
        match path.strip_prefix(&self.root) {
            Ok(relative) if relative.as_os_str().is_empty() => ".".to_owned(),
            Ok(relative) => display_path(relative),
            Err(_) => display_path(path),
        }
    }

    fn resolve_absolute(&self, named: &Path, asked: &str) -> Result<Resolved, PathError> {
        let (real, exists) = follow(named, asked, &self.root)?;
        let inside = self.contains(&real);
        Ok(Resolved {
            path: lexical(named),
            real,
            inside,
            exists,
        })
    }
}

/// Where the system would go for an absolute `path`: link by link, `..` from where a link leads, names taken
/// as they are (a shell knows no `\\xNN` and no other composition of a name). What is missing stays as named.
///
/// # Errors
/// When the path runs in a circle of links or passes a folder that may not be searched.
pub fn leads_to(path: &Path) -> Result<PathBuf, PathError> {
    Ok(follow(path, &display_path(path), Path::new(""))?.0)
}

/// A path as text: bytes that are not UTF-8 and control characters as `\xNN`.
/// [`Workspace::resolve`] reads this form back.
pub fn display_path(path: &Path) -> String {
    let mut shown = String::new();
    for chunk in path.as_os_str().as_bytes().utf8_chunks() {
        for character in chunk.valid().chars() {
            if character.is_control() {
                let mut buffer = [0; 4];
                for byte in character.encode_utf8(&mut buffer).bytes() {
                    shown.push_str(&format!("\\x{byte:02x}"));
                }
            } else {
                shown.push(character);
            }
        }
        for byte in chunk.invalid() {
            shown.push_str(&format!("\\x{byte:02x}"));
        }
    }
    shown
}

fn unescape(path: &Path) -> PathBuf {
    let bytes = path.as_os_str().as_bytes();
    let mut raw = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some((&first, tail)) = rest.split_first() {
        let escaped = match rest {
            [b'\\', b'x', high, low, ..] => {
                let digit = |byte: u8| char::from(byte).to_digit(16);
                // NUL cannot be part of a name, and a slash would make two components out of one.
                match (digit(*high), digit(*low)) {
                    (Some(high), Some(low)) => u8::try_from(high * 16 + low)
                        .ok()
                        .filter(|byte| !matches!(byte, 0 | b'/')),
                    _ => None,
                }
            }
            _ => None,
        };
        match escaped {
            Some(byte) => {
                raw.push(byte);
                rest = &rest[4..];
            }
            None => {
                raw.push(first);
                rest = tail;
            }
        }
    }
    PathBuf::from(OsString::from_vec(raw))
}

/// The path with each missing name replaced by the only one in its folder that is the same text composed
/// otherwise (Unicode's canonical equivalence); `None` where there is none.
fn composed_otherwise(path: &Path) -> Option<PathBuf> {
    let form = |name: &OsStr| name.to_str().map(|name| name.nfc().collect::<String>());
    let mut found = PathBuf::new();
    let mut replaced = false;
    let mut components = path.components();
    for component in components.by_ref() {
        let name = match component {
            Component::Normal(name) if name.to_str().is_some_and(|name| !name.is_ascii()) => name,
            other => {
                found.push(other);
                continue;
            }
        };
        if found.join(name).symlink_metadata().is_ok() {
            found.push(name);
            continue;
        }
        let wanted = form(name);
        let mut same = std::fs::read_dir(&found)
            .into_iter()
            .flatten()
            .flatten()
            .map(|entry| entry.file_name())
            .filter(|entry| form(entry) == wanted);
        match (same.next(), same.next()) {
            (Some(only), None) => {
                found.push(only);
                replaced = true;
            }
            _ => {
                found.push(name);
                break;
            }
        }
    }
    found.extend(components);
    replaced.then_some(found)
}

fn lexical(path: &Path) -> PathBuf {
    let mut clean = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                clean.pop();
            }
            other => clean.push(other),
        }
    }
    clean
}

/// Resolves as the kernel does: link by link, so that `link/..` is the parent of the link's target and
/// not of the link (the lexical reading would let `link/../x` pass for a path inside). Names are those
/// that their folders have for them; those on the way to `known` are known to be.
fn follow(path: &Path, asked: &str, known: &Path) -> Result<(PathBuf, bool), PathError> {
    let mut pending: VecDeque<OsString> = parts(path);
    let mut real = PathBuf::from("/");
    let mut exists = true;
    let mut links = 0;
    while let Some(part) = pending.pop_front() {
        if part == ".." {
            real.pop();
            exists = real.symlink_metadata().is_ok();
            continue;
        }
        real.push(&part);
        if !exists {
            continue;
        }
        match real.symlink_metadata() {
            Ok(metadata) if metadata.is_symlink() => {
                links += 1;
                if links > MAX_LINKS {
                    return Err(PathError::LinkLoop {
                        path: asked.to_owned(),
                        at: display_path(&real),
                    });
                }
                let target = std::fs::read_link(&real).map_err(|source| PathError::Io {
                    path: asked.to_owned(),
                    source,
                })?;
                if target.is_absolute() {
                    real = PathBuf::from("/");
                } else {
                    real.pop();
                }
                for part in parts(&target).into_iter().rev() {
                    pending.push_front(part);
                }
            }
            Ok(metadata) => {
                if !known.starts_with(&real)
                    && let Some(folder) = real.parent()
                    && let Some(stored) = stored_name(folder, &part, metadata.ino())
                {
                    real.set_file_name(stored);
                }
            }
            Err(error) => match error.kind() {
                ErrorKind::NotFound | ErrorKind::NotADirectory => exists = false,
                ErrorKind::PermissionDenied => {
                    real.pop();
                    return Err(PathError::Denied {
                        path: asked.to_owned(),
                        at: display_path(&real),
                    });
                }
                _ => {
                    return Err(PathError::Io {
                        path: asked.to_owned(),
                        source: error,
                    });
                }
            },
        }
    }
    Ok((real, exists))
}

fn parts(path: &Path) -> VecDeque<OsString> {
    path.components()
        .filter_map(|component| match component {
            Component::Normal(part) => Some(part.to_owned()),
            Component::ParentDir => Some(OsString::from("..")),
            _ => None,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn project() -> (tempfile::TempDir, Workspace) {
        let temporary = tempfile::tempdir().unwrap();
        let root = temporary.path().join("project");
        std::fs::create_dir_all(root.join("src")).unwrap();
        std::fs::create_dir_all(temporary.path().join("outside")).unwrap();
        std::fs::create_dir_all(temporary.path().join("home")).unwrap();
        let workspace = Workspace::new(&root, [], Some(temporary.path().join("home"))).unwrap();
        (temporary, workspace)
    }

    #[test]
    fn relative_absolute_and_home_paths() {
        let (temporary, workspace) = project();
        let base = workspace.root().join("src");
        let here = workspace.resolve(&base, "a.rs").unwrap();
        assert_eq!(here.real, workspace.root().join("src/a.rs"));
        assert!(here.inside && !here.exists);
        assert!(
            workspace
                .resolve(&base, "../../outside")
                .is_ok_and(|r| !r.inside && r.exists)
        );
        let home = workspace.resolve(&base, "~/x").unwrap();
        assert_eq!(
            home.real,
            temporary.path().canonicalize().unwrap().join("home/x")
        );
        assert!(
            workspace.resolve(&base, "~x").unwrap().inside,
            "only ~ itself is the home folder"
        );
        assert!(matches!(
            workspace.resolve(&base, ""),
            Err(PathError::Empty)
        ));
        assert!(matches!(
            workspace.resolve(&base, "a\0b"),
            Err(PathError::Nul(_))
        ));
    }

    #[test]
    fn a_link_that_leaves_the_workspace_is_outside() {
        let (temporary, workspace) = project();
        let root = workspace.root().to_owned();
        symlink(temporary.path().join("outside"), root.join("out")).unwrap();
        let through = workspace.resolve(&root, "out/new.txt").unwrap();
        assert!(!through.inside && !through.exists);
        // The lexical reading would be project/x.
        assert!(!workspace.resolve(&root, "out/../x").unwrap().inside);
        // A dangling link would create its target outside.
        symlink(
            temporary.path().join("outside/later"),
            root.join("dangling"),
        )
        .unwrap();
        let dangling = workspace.resolve(&root, "dangling").unwrap();
        assert!(!dangling.inside && !dangling.exists);
        assert!(dangling.real.ends_with("outside/later"));
    }

    #[test]
    fn circles_end() {
        let (_temporary, workspace) = project();
        let root = workspace.root().to_owned();
        symlink("self", root.join("self")).unwrap();
        assert!(matches!(
            workspace.resolve(&root, "self/x"),
            Err(PathError::LinkLoop { .. })
        ));
    }

    #[test]
    fn names_that_are_not_utf8_can_be_addressed_as_shown() {
        let (_temporary, workspace) = project();
        let root = workspace.root().to_owned();
        let name = OsString::from_vec(b"b\xff.txt".to_vec());
        std::fs::write(root.join(&name), "x").unwrap();
        let shown = workspace.display(&root.join(&name));
        assert_eq!(shown, "b\\xff.txt");
        assert!(workspace.resolve(&root, &shown).unwrap().exists);
    }

    #[test]
    fn a_name_that_is_composed_otherwise_is_the_same_name() {
        let (_temporary, workspace) = project();
        let root = workspace.root().to_owned();
        let (one, two) = ("caf\u{e9}", "cafe\u{301}");
        std::fs::create_dir(root.join(two)).unwrap();
        std::fs::write(root.join(two).join(two), "x").unwrap();
        let resolve = |path: &str| workspace.resolve(&root, path).unwrap();
        let found = resolve(&format!("{one}/{one}"));
        assert!(found.exists && found.real == root.join(two).join(two));
        assert_eq!(found.path, found.real, "rules see the name that there is");
        // A new file goes into the folder that there is.
        let new = resolve(&format!("{one}/new \u{fc}/x"));
        assert_eq!(new.real, root.join(two).join("new \u{fc}/x"));
        // Both forms exist: each is itself.
        std::fs::create_dir(root.join(one)).unwrap();
        assert_eq!(resolve(one).real, root.join(one));
        assert_eq!(resolve(two).real, root.join(two));
    }

    #[test]
    fn additional_folders_count_as_inside_by_whole_components() {
        let (temporary, _) = project();
        let more = temporary.path().join("more");
        std::fs::create_dir_all(&more).unwrap();
        std::fs::create_dir_all(temporary.path().join("more-not")).unwrap();
        let root = temporary.path().join("project");
        let workspace = Workspace::new(&root, [more.clone()], None).unwrap();
        let resolve = |path: &Path| {
            workspace
                .resolve(&root, path.to_str().unwrap())
                .unwrap()
                .inside
        };
        assert!(resolve(&more.join("x")));
        assert!(!resolve(&temporary.path().join("more-not/x")));
        assert!(matches!(
            workspace.resolve(&root, "~/x"),
            Err(PathError::NoHome(_))
        ));
    }
}
