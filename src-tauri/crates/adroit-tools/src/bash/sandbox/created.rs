//! Protected names that were not there when a command began.
//!
//! What exists is held by a mount; over nothing there can be none. So what a command made
//! at such a name is found when it ends. Settings that grant or run something are moved to
//! where they count for nothing; other names are common results of generators (`.vscode`,
//! `.npmrc`), and are told of.

use std::collections::HashSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use adroit_permissions::{Protection, protection};

use super::grants::Grants;

/// Names at the root of a project from which this program reads permissions, hooks and
/// servers to start.
const SETTINGS: &[&str] = &[".adroit", ".claude", ".mcp.json"];

/// The protected names that were there.
#[derive(Clone, Debug, Default)]
pub(super) struct Watched {
    folders: Vec<Folder>,
    /// Named by the command, and so judged with it.
    named: Vec<PathBuf>,
    /// Nothing but git runs.
    only_git: bool,
}

#[derive(Clone, Debug)]
struct Folder {
    path: PathBuf,
    kind: Kind,
    before: HashSet<OsString>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Project,
    Repository,
}

/// Something that a command made at a protected name.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Created {
    pub(super) path: PathBuf,
    pub(super) now: Now,
}

/// Where it is.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Now {
    /// Where it was made: it may stay.
    There,
    /// Moved here.
    KeptIn(PathBuf),
    /// It could not be moved.
    Stuck(String),
}

impl Created {
    /// For the model and the person.
    pub(super) fn words(&self) -> String {
        let path = self.path.display();
        match &self.now {
            Now::There if is_settings(&self.path) => format!(
                "The command made `{path}`, where this program reads permissions and hooks. It \
                 counts for nothing until the user accepts it in the settings, under Files. Tell \
                 the user."
            ),
            Now::There => format!(
                "The command made `{path}`, a protected name: programs obey what is in it. Tell \
                 the user, who should look at it before using it."
            ),
            Now::KeptIn(place) => format!(
                "The command made `{path}` without naming it. The sandbox keeps settings and \
                 hooks from being made so, because they could grant or run something: it was \
                 moved to `{}`. Tell the user; if it is wanted, write it with the Write tool or a \
                 command that names it.",
                place.display()
            ),
            Now::Stuck(reason) => format!(
                "The command made `{path}` without naming it, which could grant or run something, \
                 and it could not be moved away ({reason}). Tell the user to look at it and to \
                 remove it."
            ),
        }
    }
}

impl Watched {
    /// What is there now in these projects and repositories.
    pub(super) fn begin(projects: &[PathBuf], repositories: &[PathBuf], grants: &Grants) -> Self {
        let projects = projects.iter().map(|path| (path, Kind::Project));
        let repositories = repositories.iter().map(|path| (path, Kind::Repository));
        Self {
            folders: projects
                .chain(repositories)
                .map(|(path, kind)| Folder {
                    path: path.clone(),
                    kind,
                    before: protected_in(path, kind).collect(),
                })
                .collect(),
            named: grants
                .written
                .iter()
                .map(|written| without_links(&written.path))
                .collect(),
            only_git: grants.repository,
        }
    }

    /// What has appeared; what must not count is moved into a new folder below `keep`, where
    /// there is one.
    pub(super) fn end(&self, keep: Option<&Path>) -> Vec<Created> {
        let mut created = Vec::new();
        for folder in &self.folders {
            // A link in place of the folder would have files elsewhere moved.
            if folder.path.canonicalize().ok().as_ref() != Some(&folder.path) {
                continue;
            }
            for name in protected_in(&folder.path, folder.kind) {
                let path = folder.path.join(&name);
                if folder.before.contains(&name)
                    || self.named.iter().any(|named| named.starts_with(&path))
                    || self.only_git && is_of_git(folder.kind, &name)
                {
                    continue;
                }
                // What git checks out belongs to the project: taken away, it would read as deleted.
                let is_checked_out = self.only_git && folder.kind == Kind::Project;
                let now = match keep {
                    Some(keep) if counts(folder.kind, &name) && !is_checked_out => {
                        move_away(&path, keep)
                    }
                    _ => Now::There,
                };
                created.push(Created { path, now });
            }
        }
        created
    }
}

/// The path after the links in what exists of it, as projects are given.
fn without_links(path: &Path) -> PathBuf {
    path.ancestors()
        .find_map(|above| {
            Some(
                above
                    .canonicalize()
                    .ok()?
                    .join(path.strip_prefix(above).ok()?),
            )
        })
        .unwrap_or_else(|| path.to_owned())
}

fn folded(name: &OsString) -> String {
    name.to_string_lossy().to_lowercase()
}

fn is_settings(path: &Path) -> bool {
    path.file_name()
        .is_some_and(|name| SETTINGS.contains(&folded(&name.to_owned()).as_str()))
}

fn counts(kind: Kind, name: &OsString) -> bool {
    kind == Kind::Repository || SETTINGS.contains(&folded(name).as_str())
}

/// What git makes by itself: `git init`, `git config --worktree`, `git submodule add`.
fn is_of_git(kind: Kind, name: &OsString) -> bool {
    match kind {
        Kind::Repository => folded(name) != "commondir",
        Kind::Project => [".git", ".gitmodules"].contains(&folded(name).as_str()),
    }
}

fn protected_in(folder: &Path, kind: Kind) -> impl Iterator<Item = OsString> {
    let parent = folder.file_name().and_then(|name| name.to_str());
    let parent = parent.map(str::to_owned);
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .map(|entry| entry.file_name())
        .filter(move |name| match kind {
            Kind::Project => name
                .to_str()
                .is_some_and(|name| protection(parent.as_deref(), name) != Protection::None),
            Kind::Repository => match protection(None, ".git") {
                Protection::Parts(parts) => parts.contains(&folded(name).as_str()),
                Protection::Whole | Protection::None => true,
            },
        })
}

/// Moves it out of the project; where that is another disk, to a name beside it that nobody
/// reads.
fn move_away(path: &Path, keep: &Path) -> Now {
    const TRIES: u32 = 1_000;
    let Some(name) = path.file_name() else {
        return Now::Stuck("it has no name".to_owned());
    };
    let outside = (0..TRIES).map(|number| keep.join(format!("kept-back-{number}")));
    if std::fs::create_dir_all(keep).is_ok()
        && let Some(folder) = outside
            .into_iter()
            .find(|folder| std::fs::create_dir(folder).is_ok())
    {
        let place = folder.join(name);
        if std::fs::rename(path, &place).is_ok() {
            return Now::KeptIn(place);
        }
        // It is empty.
        let _ = std::fs::remove_dir(&folder);
    }
    let beside = (0..TRIES).map(|number| {
        let mut name = name.to_owned();
        name.push(format!(".kept-back-{number}"));
        path.with_file_name(name)
    });
    let Some(place) = beside
        .into_iter()
        .find(|place| place.symlink_metadata().is_err())
    else {
        return Now::Stuck("every name beside it is taken".to_owned());
    };
    match std::fs::rename(path, &place) {
        Ok(()) => Now::KeptIn(place),
        Err(error) => Now::Stuck(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bash::sandbox::grants::Written;

    fn project() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder
            .path()
            .canonicalize()
            .expect("a path")
            .join("project");
        std::fs::create_dir_all(root.join(".git")).expect("a folder");
        std::fs::write(root.join(".npmrc"), "").expect("a file");
        (folder, root)
    }

    fn watched(root: &Path, grants: &Grants) -> Watched {
        Watched::begin(&[root.to_owned()], &[root.join(".git")], grants)
    }

    #[test]
    fn settings_and_hooks_are_moved_away_and_other_names_are_told() {
        let (folder, root) = project();
        let watched = watched(&root, &Grants::default());
        std::fs::create_dir(root.join(".Adroit")).expect("a folder");
        std::fs::write(root.join(".Adroit/settings.json"), "evil").expect("a file");
        std::fs::write(root.join(".git/commondir"), "../evil").expect("a file");
        std::fs::write(root.join(".envrc"), "").expect("a file");
        std::fs::write(root.join("src"), "").expect("a file");
        let keep = folder.path().join("keep");
        let mut created = watched.end(Some(&keep));
        created.sort_by_key(|created| created.path.clone());
        let kept: Vec<_> = created
            .iter()
            .map(|created| (&created.path, matches!(created.now, Now::KeptIn(_))))
            .collect();
        assert_eq!(
            kept,
            [
                (&root.join(".Adroit"), true),
                (&root.join(".envrc"), false),
                (&root.join(".git/commondir"), true),
            ]
        );
        assert!(!root.join(".Adroit").exists() && !root.join(".git/commondir").exists());
        let Now::KeptIn(place) = &created[0].now else {
            panic!("it is kept");
        };
        assert!(place.starts_with(folder.path().join("keep")));
        assert_eq!(
            std::fs::read_to_string(place.join("settings.json")).expect("the file"),
            "evil"
        );
        assert!(root.join(".npmrc").exists() && root.join(".envrc").exists());
    }

    #[test]
    fn what_git_checks_out_stays_and_is_told() {
        let (folder, root) = project();
        let grants = Grants {
            repository: true,
            ..Grants::default()
        };
        let watched = watched(&root, &grants);
        std::fs::write(root.join(".mcp.json"), "{}").expect("a file");
        let created = watched.end(Some(&folder.path().join("keep")));
        assert_eq!(
            created,
            [Created {
                path: root.join(".mcp.json"),
                now: Now::There
            }]
        );
        assert!(root.join(".mcp.json").exists());
    }

    #[test]
    fn what_is_named_stays_and_no_link_leads_elsewhere() {
        let (folder, root) = project();
        let grants = Grants {
            written: vec![Written {
                path: root.join(".claude/settings.json"),
                removed: false,
            }],
            ..Grants::default()
        };
        let watched = watched(&root, &grants);
        std::fs::create_dir(root.join(".claude")).expect("a folder");
        let elsewhere = folder.path().join("elsewhere");
        std::fs::create_dir(&elsewhere).expect("a folder");
        std::fs::write(elsewhere.join("config"), "theirs").expect("a file");
        std::fs::remove_dir(root.join(".git")).expect("gone");
        std::os::unix::fs::symlink(&elsewhere, root.join(".git")).expect("a link");
        // A link at the name itself is moved, not what it leads to.
        std::os::unix::fs::symlink(elsewhere.join("config"), root.join(".mcp.json"))
            .expect("a link");
        let created = watched.end(Some(&folder.path().join("keep")));
        assert_eq!(created.len(), 1, "{created:?}");
        assert_eq!(created[0].path, root.join(".mcp.json"));
        assert!(elsewhere.join("config").exists());
        assert!(root.join(".claude").exists());
    }

    #[test]
    fn where_nothing_outside_takes_it_a_name_beside_it_does() {
        let (folder, root) = project();
        let watched = watched(&root, &Grants::default());
        std::fs::write(root.join(".mcp.json"), "{}").expect("a file");
        let file = folder.path().join("file");
        std::fs::write(&file, "").expect("a file");
        let created = watched.end(Some(&file));
        assert_eq!(
            created[0].now,
            Now::KeptIn(root.join(".mcp.json.kept-back-0"))
        );
        assert!(!root.join(".mcp.json").exists());
    }
}
