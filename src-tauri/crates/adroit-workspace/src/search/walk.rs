//! Walking the tree.

use std::collections::{HashSet, VecDeque};
use std::ffi::{OsStr, OsString};
use std::hash::{BuildHasher, BuildHasherDefault, Hasher, RandomState};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ignore::types::Types;
use ignore::{WalkBuilder, WalkState};

use super::control::Control;
use super::links::Links;
use super::{Scope, SearchError};
use crate::{FileKind, display_path};

/// Folders of version control systems: never of interest, and large.
const VERSION_CONTROL: [&str; 5] = [".git", ".hg", ".svn", ".jj", ".sl"];

/// How to walk.
#[derive(Clone, Debug)]
pub(super) struct Walk {
    pub(super) scope: Scope,
    pub(super) types: Option<Types>,
    /// At the scope, or at the root of a project without a repository, whose ignore files between root
    /// and scope would otherwise be missed.
    start: PathBuf,
    /// Whether the scope lies in a git repository whose ignore files count.
    in_repository: bool,
    /// Links to files are passed on by their own names.
    links_to_files: bool,
}

/// What is done with a file that the ignore files let pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pass {
    /// Some thread visits it.
    Visit,
    /// It is done with: no thread has to be given it.
    Done,
}

impl Walk {
    /// A walk that respects ignore files. Those above the scope do not count where they hide the scope
    /// itself: who names an ignored folder, or works in one, means it.
    pub(super) fn new(scope: Scope, types: Option<Types>) -> Self {
        let respect_parents = !is_ignored(&scope);
        let in_repository = respect_parents && repository_of(&scope.path).is_some();
        let Scope { path, root, .. } = &scope;
        let own_rules_above =
            respect_parents && !in_repository && path != root && path.starts_with(root);
        let start = if own_rules_above { root } else { path }.clone();
        Self {
            scope,
            types,
            start,
            in_repository,
            links_to_files: false,
        }
    }

    /// With links to files passed on by their own names.
    pub(super) fn with_links_to_files(self) -> Self {
        Self {
            links_to_files: true,
            ..self
        }
    }

    fn builder(&self) -> WalkBuilder {
        let mut builder = WalkBuilder::new(&self.start);
        builder
            .hidden(false)
            .follow_links(false)
            // Without a repository a `.gitignore` still means what it says; within one, git's own
            // boundaries hold (nested repositories have rules of their own).
            .require_git(self.in_repository)
            // Above a project without a repository an ignore file is a stranger's: a `*` in the home
            // folder would hide everything. Within one repository it is the project's own.
            .parents(self.in_repository)
            .git_global(self.in_repository)
            .threads(std::thread::available_parallelism().map_or(2, |count| count.get().min(12)));
        if let Some(types) = &self.types {
            builder.types(types.clone());
        }
        builder
    }

    /// Whether a path is one of the scope, or on the way to it.
    fn leads_to(&self) -> impl Fn(&Path) -> bool + Send + Sync + 'static {
        let target = self.scope.path.clone();
        let from_above = self.start != target;
        move |path| !from_above || path.starts_with(&target) || target.starts_with(path)
    }

    /// Calls `visit` for ordinary files, on several threads; each thread has its own visitor. Before,
    /// and for every one of them, `pass` is asked where the folder is read: what it is done with costs no
    /// more than that. All that is met is noted in `seen`; entries that cannot be read are counted by
    /// `unreadable`.
    pub(super) fn files<'s, V>(
        &self,
        control: &'s Control,
        seen: &Arc<Seen>,
        pass: impl Fn(&Path) -> Pass + Clone + Send + Sync + 'static,
        unreadable: &'s (dyn Fn() + Sync),
        visitor: impl Fn() -> V,
    ) where
        V: FnMut(&Path) + Send + 's,
    {
        let mut builder = self.builder();
        let (at_start, ended, met) = (pass.clone(), control.clone(), Arc::clone(seen));
        let (leads_to, hidden) = (self.leads_to(), self.scope.hidden.clone());
        let (scope, links_to_files) = (self.scope.path.clone(), self.links_to_files);
        builder.filter_entry(move |entry| {
            if ended.stop() || is_version_control(entry.file_name()) || !leads_to(entry.path()) {
                return false;
            }
            met.add(entry.path());
            match entry.file_type() {
                Some(kind) if kind.is_dir() => true,
                Some(kind) if kind.is_file() => {
                    !hidden.contains(entry.path()) && pass(entry.path()) == Pass::Visit
                }
                Some(kind) if kind.is_symlink() => {
                    let leads = met.links.leads_to(entry.path(), &scope);
                    if links_to_files
                        && leads.is_some_and(|real| !hidden.contains(&real))
                        && !hidden.contains(entry.path())
                    {
                        pass(entry.path());
                    }
                    false
                }
                // The rest is no file.
                _ => false,
            }
        });
        builder.build_parallel().run(|| {
            let (mut visit, at_start) = (visitor(), at_start.clone());
            Box::new(move |entry| {
                if control.stop() {
                    return WalkState::Quit;
                }
                match entry {
                    Ok(entry) if entry.file_type().is_some_and(|kind| kind.is_file()) => {
                        // The start itself is shown to no filter.
                        let is_asked = entry.depth() > 0
                            || (!self.scope.hidden.contains(entry.path())
                                && at_start(entry.path()) == Pass::Visit);
                        if is_asked {
                            visit(entry.path());
                        }
                    }
                    Ok(_) => {}
                    Err(_) => unreadable(),
                }
                WalkState::Continue
            })
        });
    }

    /// The files in the scope that the walk passed over because of ignore files, up to `limit` of them,
    /// those in ignored folders last; and whether these are all. Costs a look at each folder that was
    /// walked, and is the more than a walk the less was ignored.
    pub(super) fn passed_over(
        &self,
        seen: &Seen,
        control: &Control,
        limit: usize,
    ) -> (Vec<PathBuf>, bool) {
        let mut found = PassedOver {
            walk: self,
            control,
            limit,
            files: Vec::new(),
            whole: true,
        };
        if !self.scope.path.is_file() {
            let ignored = found.in_walked(seen);
            found.in_ignored(ignored);
        }
        (found.files, found.whole)
    }
}

/// Looking for what was passed over.
struct PassedOver<'w> {
    walk: &'w Walk,
    control: &'w Control,
    limit: usize,
    files: Vec<PathBuf>,
    whole: bool,
}

impl PassedOver<'_> {
    /// Through the folders that were walked. Gives the ignored folders in them.
    fn in_walked(&mut self, seen: &Seen) -> VecDeque<PathBuf> {
        let mut ignored = VecDeque::new();
        let mut folders = VecDeque::from([self.walk.scope.path.clone()]);
        while let Some(folder) = folders.pop_front() {
            let mut path = folder;
            for (name, is_folder) in entries(&path) {
                path.push(&name);
                match (seen.contains(&path), is_folder) {
                    (true, true) => folders.push_back(path.clone()),
                    (true, false) => {}
                    (false, true) => ignored.push_back(path.clone()),
                    (false, false) => self.add(&path),
                }
                path.pop();
            }
            if self.ends() {
                break;
            }
        }
        ignored
    }

    /// Through ignored folders, the outer ones first.
    fn in_ignored(&mut self, mut folders: VecDeque<PathBuf>) {
        while let Some(folder) = folders.pop_front() {
            if self.ends() {
                return;
            }
            let mut path = folder;
            for (name, is_folder) in entries(&path) {
                path.push(&name);
                if is_folder {
                    folders.push_back(path.clone());
                } else {
                    self.add(&path);
                }
                path.pop();
            }
        }
    }

    fn ends(&mut self) -> bool {
        let ends = self.files.len() >= self.limit || self.control.stop();
        self.whole &= !ends;
        ends
    }

    fn add(&mut self, path: &Path) {
        let Walk { scope, types, .. } = self.walk;
        // What is of another type was passed over for that reason.
        let is_of_type = types
            .as_ref()
            .is_none_or(|types| !types.matched(path, false).is_ignore());
        if is_of_type && !scope.hidden.contains(path) {
            self.files.push(path.to_owned());
        }
    }
}

/// The ordinary files and the folders in a folder, by name, without version control; whether each is a
/// folder. A folder that cannot be read has none.
fn entries(folder: &Path) -> Vec<(OsString, bool)> {
    let mut entries: Vec<(OsString, bool)> = std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| {
            let kind = entry.file_type().ok()?;
            let name = entry.file_name();
            ((kind.is_dir() || kind.is_file()) && !is_version_control(&name))
                .then(|| (name, kind.is_dir()))
        })
        .collect();
    entries.sort();
    entries
}

/// What a walk has met: files and folders that no ignore file hides, by a hash of their paths. Of use
/// only where nothing is found.
pub(super) struct Seen {
    pub(super) links: Links,
    found: AtomicBool,
    // Divided, so that the threads do not wait for each other.
    parts: [Mutex<HashSet<u64, Plain>>; 16],
    hasher: RandomState,
}

impl Default for Seen {
    fn default() -> Self {
        Self {
            links: Links::default(),
            found: AtomicBool::new(false),
            parts: std::array::from_fn(|_| Mutex::default()),
            hasher: RandomState::new(),
        }
    }
}

impl Seen {
    fn part(&self, path: &Path) -> (u64, MutexGuard<'_, HashSet<u64, Plain>>) {
        let hash = self.hasher.hash_one(path.as_os_str().as_bytes());
        let part = &self.parts[usize::from(hash as u8) % self.parts.len()];
        (hash, part.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Something was found: what else is met need not be noted.
    pub(super) fn found(&self) {
        // Read by all threads for every entry, so written no more than once.
        if !self.found.load(Ordering::Relaxed) {
            self.found.store(true, Ordering::Relaxed);
        }
    }

    fn add(&self, path: &Path) {
        if !self.found.load(Ordering::Relaxed) {
            let (hash, mut part) = self.part(path);
            part.insert(hash);
        }
    }

    fn contains(&self, path: &Path) -> bool {
        let (hash, part) = self.part(path);
        part.contains(&hash)
    }
}

/// For keys that are hashes already.
type Plain = BuildHasherDefault<Same>;

#[derive(Default)]
struct Same(u64);

impl Hasher for Same {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(byte);
        }
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

fn is_version_control(name: &OsStr) -> bool {
    // Nearly all names begin otherwise.
    name.as_bytes().first() == Some(&b'.') && VERSION_CONTROL.iter().any(|known| name == *known)
}

/// `path` without `base`, which it begins with; the file's name where they are the same. Compares bytes:
/// this is asked for every file.
pub(super) fn relative_to<'p>(base: &Path, path: &'p Path) -> &'p Path {
    let below = path
        .as_os_str()
        .as_bytes()
        .strip_prefix(base.as_os_str().as_bytes())
        .and_then(|rest| match rest {
            [b'/', rest @ ..] => Some(rest),
            rest if base.as_os_str() == "/" => Some(rest),
            _ => None,
        });
    match below {
        Some(rest) if !rest.is_empty() => Path::new(OsStr::from_bytes(rest)),
        _ => path.file_name().map_or(path, Path::new),
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

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;
    use std::time::Duration;

    use super::*;
    use crate::search::Hidden;

    fn tree(files: usize) -> (tempfile::TempDir, Walk) {
        let temporary = tempfile::tempdir().unwrap();
        let root = temporary.path().canonicalize().unwrap();
        for number in 0..files {
            let folder = root.join(format!("folder{}", number / 20));
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(folder.join(format!("{number}.txt")), "x").unwrap();
        }
        let scope = Scope {
            path: root.clone(),
            root,
            hidden: Hidden::default(),
        };
        (temporary, Walk::new(scope, None))
    }

    /// Each thread asks whether to stop before each entry: after the end no more than the one that it was
    /// just at.
    #[test]
    fn a_cancelled_walk_ends_at_the_next_entry() {
        let (_temporary, walk) = tree(2_000);
        for inline in [true, false] {
            let control = Control::new(Duration::from_secs(60));
            let met = Arc::new(AtomicUsize::new(0));
            let count = {
                let (met, control) = (Arc::clone(&met), control.clone());
                move || {
                    if met.fetch_add(1, Ordering::Relaxed) == 10 {
                        control.cancel();
                    }
                }
            };
            let here = count.clone();
            let pass = move |_: &Path| {
                if inline {
                    here();
                    Pass::Done
                } else {
                    Pass::Visit
                }
            };
            walk.files(&control, &Arc::default(), pass, &|| {}, || {
                |_: &Path| count()
            });
            let threads = std::thread::available_parallelism().map_or(2, usize::from);
            let met = met.load(Ordering::Relaxed);
            assert!((11..=11 + threads).contains(&met), "{met}");
        }
    }

    #[test]
    fn what_is_passed_over_is_what_ignore_files_hide() {
        let (_temporary, walk) = tree(40);
        let root = walk.scope.path.clone();
        for (path, content) in [
            (".gitignore", "build/\n*.log\n"),
            ("a.log", "x"),
            ("folder0/b.log", "x"),
            ("build/deep/c.txt", "x"),
            (".git/config", "x"),
        ] {
            std::fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
            std::fs::write(root.join(path), content).unwrap();
        }
        let walk = Walk::new(walk.scope, None);
        let (control, seen) = (Control::new(Duration::from_secs(60)), Arc::default());
        let visited = Mutex::new(0);
        walk.files(
            &control,
            &seen,
            |_| Pass::Visit,
            &|| {},
            || |_: &Path| *visited.lock().unwrap() += 1,
        );
        assert_eq!(visited.into_inner().unwrap(), 41);
        let passed = |limit| walk.passed_over(&seen, &control, limit);
        let names = |names: &[&str]| names.iter().map(|name| root.join(name)).collect::<Vec<_>>();
        assert_eq!(
            passed(100),
            (names(&["a.log", "folder0/b.log", "build/deep/c.txt"]), true)
        );
        assert_eq!(passed(1), (names(&["a.log"]), false));
    }

    #[test]
    fn paths_are_told_relative_to_the_scope() {
        let relative = |base, path| relative_to(Path::new(base), Path::new(path)).to_owned();
        assert_eq!(relative("/a/b", "/a/b/c/d"), Path::new("c/d"));
        assert_eq!(relative("/", "/c/d"), Path::new("c/d"));
        assert_eq!(relative("/a/b.rs", "/a/b.rs"), Path::new("b.rs"));
        assert_eq!(relative("/a/b", "/a/bc/d"), Path::new("d"));
    }
}
