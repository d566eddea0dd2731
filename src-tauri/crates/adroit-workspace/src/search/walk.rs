//! Walking the tree.

use std::path::{Path, PathBuf};

use ignore::types::Types;
use ignore::{WalkBuilder, WalkParallel, WalkState};

use super::control::Control;
use super::{Scope, SearchError};
use crate::{FileKind, display_path};

/// Folders of version control systems: never of interest, and large.
const VERSION_CONTROL: [&str; 5] = [".git", ".hg", ".svn", ".jj", ".sl"];

/// How to walk.
#[derive(Clone, Debug)]
pub(super) struct Walk {
    pub(super) scope: Scope,
    pub(super) types: Option<Types>,
    /// Whether ignore files count.
    pub(super) respect_ignores: bool,
    /// Whether those above the scope do.
    respect_parents: bool,
}

impl Walk {
    /// A walk that respects ignore files. Those above the scope do not count where they hide the scope
    /// itself: who names an ignored folder, or works in one, means it.
    pub(super) fn new(scope: Scope, types: Option<Types>) -> Self {
        let respect_parents = !is_ignored(&scope);
        Self {
            scope,
            types,
            respect_ignores: true,
            respect_parents,
        }
    }

    fn builder(&self) -> WalkBuilder {
        let repository = repository_of(&self.scope.path).filter(|_| self.respect_parents);
        let mut builder = WalkBuilder::new(self.start(repository.as_deref()));
        builder
            .hidden(false)
            .follow_links(false)
            // Without a repository a `.gitignore` still means what it says; within one, git's own
            // boundaries hold (nested repositories have rules of their own).
            .require_git(repository.is_some())
            // Above a project without a repository an ignore file is a stranger's: a `*` in the home
            // folder would hide everything. Within one repository it is the project's own.
            .parents(repository.is_some())
            .git_global(repository.is_some())
            .threads(std::thread::available_parallelism().map_or(2, |count| count.get().min(12)));
        if let Some(types) = &self.types {
            builder.types(types.clone());
        }
        if !self.respect_ignores {
            builder
                .ignore(false)
                .git_ignore(false)
                .git_exclude(false)
                .git_global(false)
                .parents(false);
        }
        let target = self.scope.path.clone();
        builder.filter_entry(move |entry| {
            if VERSION_CONTROL
                .iter()
                .any(|name| entry.file_name() == *name)
                && entry.depth() > 0
            {
                return false;
            }
            // On the way down to the target only; a no-op where the walk starts at it.
            entry.path().starts_with(&target) || target.starts_with(entry.path())
        });
        builder
    }

    /// Where to start: at the scope, or at the root of a project without a repository, whose ignore
    /// files between root and scope would otherwise be missed.
    fn start(&self, repository: Option<&Path>) -> PathBuf {
        let Scope { path, root, .. } = &self.scope;
        let own_rules_above = repository.is_none() && self.respect_ignores && self.respect_parents;
        if own_rules_above && path != root && path.starts_with(root) {
            root.clone()
        } else {
            path.clone()
        }
    }

    fn parallel(&self) -> WalkParallel {
        self.builder().build_parallel()
    }

    /// Calls `visit` for every ordinary file, on several threads; each thread has its own visitor.
    /// Entries that cannot be read are counted by `unreadable`.
    pub(super) fn files<'s, V>(
        &self,
        control: &'s Control,
        unreadable: &'s (dyn Fn() + Sync),
        visitor: impl Fn() -> V,
    ) where
        V: FnMut(&ignore::DirEntry) + Send + 's,
    {
        self.parallel().run(|| {
            let mut visit = visitor();
            Box::new(move |entry| {
                if control.stop() {
                    return WalkState::Quit;
                }
                match entry {
                    Ok(entry) if entry.file_type().is_some_and(|kind| kind.is_file()) => {
                        if !self.scope.hidden.contains(entry.path()) {
                            visit(&entry);
                        }
                    }
                    Ok(_) => {}
                    Err(_) => unreadable(),
                }
                WalkState::Continue
            })
        });
    }
}

/// Refuses what is neither file nor folder before anything is opened.
pub(super) fn must_be_searchable(path: &Path) -> Result<(), SearchError> {
    match crate::inspect(path) {
        Ok(facts) if matches!(facts.kind, FileKind::Regular | FileKind::Directory) => Ok(()),
        Ok(facts) => Err(SearchError::NotSearchable {
            path: display_path(path),
            kind: facts.kind,
        }),
        Err(_) => Err(SearchError::NotFound {
            path: display_path(path),
        }),
    }
}

/// The top of the git repository that holds `path`, if any.
pub(super) fn repository_of(path: &Path) -> Option<PathBuf> {
    path.ancestors()
        .find(|folder| folder.join(".git").exists())
        .map(Path::to_owned)
}

/// Whether an ignore file of the project hides `scope.path` or a folder on the way to it.
fn is_ignored(scope: &Scope) -> bool {
    let repository = repository_of(&scope.path);
    let in_repository = repository.is_some();
    let top = match repository {
        Some(repository) => repository,
        None if scope.path.starts_with(&scope.root) => scope.root.clone(),
        None => return false,
    };
    let Ok(relative) = scope.path.strip_prefix(&top) else {
        return false;
    };
    if relative.as_os_str().is_empty() {
        return false;
    }
    let mut builder = WalkBuilder::new(&top);
    builder
        .hidden(false)
        .require_git(in_repository)
        .parents(false);
    let mut matchers = builder.build_matchers();
    let Some(matcher) = matchers.first_mut() else {
        return false;
    };
    let mut part = PathBuf::new();
    relative.components().any(|component| {
        part.push(component);
        matcher.matched(&part, top.join(&part).is_dir()).is_ignore()
    })
}
