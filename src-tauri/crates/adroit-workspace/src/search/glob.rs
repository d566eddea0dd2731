//! Files by name.

use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tokio_util::sync::CancellationToken;

use super::control::{Control, Ended};
use super::filter::{FilterError, Names};
use super::folder::OpenFolder;
use super::hints::{self, EmptyReason};
use super::links::LinksElsewhere;
use super::walk::{Pass, Seen, Walk, relative_to};
use super::{Scope, SearchError, SearchLimits};

/// Which names to look for, and where.
#[derive(Clone, Debug)]
pub struct GlobRequest {
    /// A glob relative to the scope, as [`split_pattern`] leaves it.
    pub pattern: String,
    /// The pattern as it was written, for messages.
    pub written: String,
    /// Where.
    pub scope: Scope,
    /// How much it may take and give.
    pub limits: SearchLimits,
}

/// What was found.
#[derive(Clone, Debug, Default)]
pub struct GlobOutcome {
    /// The files, the one that changed last first, up to the limit.
    pub files: Vec<PathBuf>,
    /// How many there are in all.
    pub total: u64,
    /// Folders that could not be read.
    pub unreadable: u64,
    /// The time ran out before everything was seen.
    pub partial: bool,
    /// Ignore files kept files out of the search.
    pub ignores_apply: bool,
    /// Where nothing was found: what was not looked into.
    pub empty: Option<EmptyReason>,
    /// Links that were met and lead out of the folder that was searched; folders among them were not
    /// looked into.
    pub links: LinksElsewhere,
}

/// Splits a pattern into the folder that it begins with and the rest: `../src/*.c` is `*.c` in `../src`.
/// The folder (empty for none, absolute or beginning with `~` where the pattern is) goes through
/// [`crate::Workspace::resolve`] like any other path. A pattern without `/` matches at any depth.
pub fn split_pattern(pattern: &str) -> (String, String) {
    let is_plain = |part: &str| !part.contains(['*', '?', '[', '{', '\\']);
    if !pattern.contains('/') {
        return if pattern.is_empty() {
            (String::new(), "**".to_owned())
        } else {
            (String::new(), format!("**/{pattern}"))
        };
    }
    let parts: Vec<&str> = pattern.split('/').collect();
    let last = parts.len() - 1;
    let plain = parts[..last]
        .iter()
        .take_while(|part| is_plain(part))
        .count();
    let folder = match parts[..plain].join("/") {
        folder if folder.is_empty() && pattern.starts_with('/') => "/".to_owned(),
        folder => folder,
    };
    let rest: Vec<&str> = parts[plain..]
        .iter()
        .copied()
        .filter(|part| *part != ".")
        .collect();
    let rest = match rest.join("/") {
        // `src/` means what is in it.
        rest if rest.is_empty() => "**".to_owned(),
        rest if rest.ends_with('/') => format!("{rest}**"),
        rest => rest,
    };
    (folder, rest)
}

/// The files that changed last, as many as are wanted, and how many there are in all.
pub(super) struct Newest {
    wanted: usize,
    total: AtomicU64,
    unreadable: AtomicU64,
    /// When the list is full: what changed before that need not be looked at.
    full_since: AtomicI64,
    kept: Mutex<BinaryHeap<Found>>,
}

/// Ordered by when a file changed, the last first, and then by its path: so the greatest is the first to
/// be left out.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Found {
    changed: Reverse<i64>,
    path: PathBuf,
}

impl Newest {
    fn new(wanted: usize) -> Self {
        Self {
            wanted,
            total: AtomicU64::new(0),
            unreadable: AtomicU64::new(0),
            full_since: AtomicI64::new(i64::MIN),
            kept: Mutex::default(),
        }
    }

    fn add(&self, path: &Path) {
        self.total.fetch_add(1, Ordering::Relaxed);
        if self.wanted == 0 {
            return;
        }
        let changed = FOLDER.with_borrow_mut(|folder| folder.changed_at(path));
        if changed < self.full_since.load(Ordering::Relaxed) {
            return;
        }
        let found = Found {
            changed: Reverse(changed),
            path: path.to_owned(),
        };
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() < self.wanted {
            kept.push(found);
        } else if let Some(mut last) = kept.peek_mut()
            && found < *last
        {
            *last = found;
        }
        if kept.len() == self.wanted
            && let Some(last) = kept.peek()
        {
            self.full_since.store(last.changed.0, Ordering::Relaxed);
        }
    }

    /// The files in order, and how many there are.
    fn take(&self) -> (Vec<PathBuf>, u64) {
        let kept = std::mem::take(&mut *self.kept.lock().unwrap_or_else(PoisonError::into_inner));
        let files = kept.into_sorted_vec().into_iter();
        (
            files.map(|found| found.path).collect(),
            self.total.load(Ordering::Relaxed),
        )
    }
}

thread_local! {
    /// Names are matched on the threads of the walk, which end with it.
    static FOLDER: RefCell<OpenFolder> = RefCell::default();
}

/// Looks for names.
///
/// # Errors
/// When the pattern is invalid, the scope does not exist, or it was cancelled.
pub async fn glob(
    request: GlobRequest,
    cancel: CancellationToken,
) -> Result<GlobOutcome, SearchError> {
    super::walk::must_be_searchable(&request.scope.path)?;
    if request.pattern.split('/').any(|part| part == "..") {
        let reason = "`..` may only stand at the beginning".to_owned();
        return Err(FilterError::Glob {
            glob: request.written,
            reason,
        }
        .into());
    }
    let matcher = Names::new(&request.pattern, &request.written)?;
    let walk = Walk::new(request.scope.clone(), None).with_links_to_files();
    let ignores_apply = hints::ignores_apply(&walk);
    let seen = Arc::new(Seen::default());
    let mut outcome = run(&walk, &seen, &matcher, request.limits, &cancel).await?;
    outcome.ignores_apply = ignores_apply;
    outcome.links = seen.links.elsewhere();
    if outcome.total == 0 && !outcome.partial {
        outcome.empty = Some(hints::why_no_names(walk, seen, matcher, &cancel).await);
    }
    Ok(outcome)
}

async fn run(
    walk: &Walk,
    seen: &Arc<Seen>,
    matcher: &Names,
    limits: SearchLimits,
    cancel: &CancellationToken,
) -> Result<GlobOutcome, SearchError> {
    let control = Control::new(limits.time);
    let newest = Arc::new(Newest::new(limits.entries));
    let work = {
        let (walk, matcher, seen) = (walk.clone(), matcher.clone(), Arc::clone(seen));
        let (control, newest) = (control.clone(), Arc::clone(&newest));
        move || execute(&walk, &seen, matcher, &control, &newest)
    };
    let ended = control.run(cancel, work).await;
    if ended == Ended::Cancelled {
        return Err(SearchError::Cancelled);
    }
    let (files, total) = newest.take();
    Ok(GlobOutcome {
        files,
        total,
        unreadable: newest.unreadable.load(Ordering::Relaxed),
        partial: ended == Ended::Late,
        ..GlobOutcome::default()
    })
}

/// Names are matched where a folder is read: no file is passed on to another thread.
fn execute(walk: &Walk, seen: &Arc<Seen>, matcher: Names, control: &Control, newest: &Arc<Newest>) {
    let (base, found, met) = (
        walk.scope.path.clone(),
        Arc::clone(newest),
        Arc::clone(seen),
    );
    let pass = move |path: &Path| {
        if matcher.is_match(relative_to(&base, path)) {
            met.found();
            found.add(path);
        }
        Pass::Done
    };
    let unreadable = || {
        newest.unreadable.fetch_add(1, Ordering::Relaxed);
    };
    walk.files(control, seen, pass, &unreadable, || |_: &Path| {});
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_begin_with_a_folder() {
        let split = |pattern| {
            let (folder, rest) = split_pattern(pattern);
            format!("{folder} | {rest}")
        };
        assert_eq!(split("*.rs"), " | **/*.rs");
        assert_eq!(split("**/*.rs"), " | **/*.rs");
        assert_eq!(split("./*.rs"), ". | *.rs");
        assert_eq!(split("../src/*.c"), "../src | *.c");
        assert_eq!(split("/tmp/w/src/*.c"), "/tmp/w/src | *.c");
        assert_eq!(split("/*.c"), "/ | *.c");
        assert_eq!(split("~/x/*"), "~/x | *");
        assert_eq!(split("src/{a,b}/c.rs"), "src | {a,b}/c.rs");
        assert_eq!(split("src/"), "src | **");
        assert_eq!(split("src/main.rs"), "src | main.rs");
    }
}
