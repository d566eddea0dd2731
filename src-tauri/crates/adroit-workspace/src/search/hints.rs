//! Why a search found nothing. *Nothing found* is only true of what was looked into.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use ignore::gitignore::Gitignore;
use tokio_util::sync::CancellationToken;

use super::control::Control;
use super::filter::Names;
use super::grep::{GrepRequest, Search};
use super::pattern;
use super::walk::{Seen, Walk, relative_to, repository_of};

/// How long the second look may take.
const SECOND_LOOK: Duration = Duration::from_millis(500);
/// How many ignored files it searches: those beside the others, rather than a whole build folder.
const MAX_SEARCHED: usize = 1_000;
/// How many names of ignored files it looks at.
const MAX_NAMES: usize = 20_000;
/// How many files it searches for the pattern as a literal text.
const MAX_PROBED: usize = 5_000;
/// How many ignored files are named.
const MAX_NAMED: usize = 5;

/// What a search that found nothing did not look into.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EmptyReason {
    /// How many files it did look into.
    pub searched: u64,
    /// Files that match and are ignored: the first few.
    pub ignored: Vec<PathBuf>,
    /// How many ignored files match in all, as far as the second look came.
    pub ignored_total: u64,
    /// The ignore file that hides the first of them.
    pub ignored_by: Option<PathBuf>,
    /// There are more ignored files than the second look went through.
    pub ignored_in_part: bool,
    /// The pattern occurs as a literal text.
    pub literal: bool,
}

/// Whether ignore files may have kept something out: said also where something was found.
pub(super) fn ignores_apply(walk: &Walk) -> bool {
    let scope = &walk.scope;
    let top = repository_of(&scope.path).unwrap_or_else(|| scope.root.clone());
    let names = [".gitignore", ".ignore"];
    !scope.path.is_file()
        && scope
            .path
            .ancestors()
            .take_while(|folder| folder.starts_with(&top))
            .chain([scope.path.as_path()])
            .any(|folder| names.iter().any(|name| folder.join(name).is_file()))
}

/// Looks into what the search passed over, and whether the pattern was meant as it is written.
pub(super) async fn why_empty(
    request: &GrepRequest,
    search: Search,
    seen: Arc<Seen>,
    searched: u64,
    cancel: &CancellationToken,
) -> EmptyReason {
    let literal = pattern::likely_literal(&request.pattern)
        .and_then(|literal| pattern::compile(&literal, request.case_insensitive, false).ok());
    let look = move |control: &Control| {
        let (files, whole) = search.walk.passed_over(&seen, control, MAX_SEARCHED);
        let matching = search.matching(files, control);
        let is_literal =
            literal.is_some_and(|literal| search.occurs(&literal.matcher, control, MAX_PROBED));
        EmptyReason {
            searched,
            literal: is_literal,
            ..EmptyReason::of_ignored(matching, whole)
        }
    };
    let without = EmptyReason {
        searched,
        ignored_in_part: true,
        ..EmptyReason::default()
    };
    second_look(look, cancel).await.unwrap_or(without)
}

pub(super) async fn why_no_names(
    walk: Walk,
    seen: Arc<Seen>,
    matcher: Names,
    cancel: &CancellationToken,
) -> EmptyReason {
    let look = move |control: &Control| {
        let (files, whole) = walk.passed_over(&seen, control, MAX_NAMES);
        let matching = files
            .into_iter()
            .filter(|path| matcher.is_match(relative_to(&walk.scope.path, path)))
            .collect();
        EmptyReason::of_ignored(matching, whole)
    };
    let without = EmptyReason {
        ignored_in_part: true,
        ..EmptyReason::default()
    };
    second_look(look, cancel).await.unwrap_or(without)
}

/// Off the async threads; nothing where it was cancelled or came to no end.
async fn second_look(
    look: impl FnOnce(&Control) -> EmptyReason + Send + 'static,
    cancel: &CancellationToken,
) -> Option<EmptyReason> {
    let control = Control::new(SECOND_LOOK);
    let (sender, reason) = std::sync::mpsc::channel();
    let looking = control.clone();
    control
        .run(cancel, move || {
            // The receiver waits until the work has ended, or has given it up.
            let _ = sender.send(look(&looking));
        })
        .await;
    reason.try_recv().ok()
}

impl EmptyReason {
    fn of_ignored(mut matching: Vec<PathBuf>, whole: bool) -> Self {
        let total = matching.len() as u64;
        matching.sort();
        matching.truncate(MAX_NAMED);
        Self {
            ignored_by: matching.first().and_then(|path| hiding(path)),
            ignored: matching,
            ignored_total: total,
            ignored_in_part: !whole,
            ..Self::default()
        }
    }
}

/// The ignore file whose rule hides `path`.
fn hiding(path: &Path) -> Option<PathBuf> {
    let mut top_seen = false;
    for folder in path.ancestors().skip(1) {
        let candidates = [
            folder.join(".ignore"),
            folder.join(".gitignore"),
            folder.join(".git/info/exclude"),
        ];
        for (index, candidate) in candidates.into_iter().enumerate() {
            // Git's own files end at the top of the repository.
            if (top_seen && index > 0) || !candidate.is_file() {
                continue;
            }
            let rules = match index {
                2 => {
                    let mut builder = ignore::gitignore::GitignoreBuilder::new(folder);
                    builder.add(&candidate);
                    builder.build().unwrap_or_else(|_| Gitignore::empty())
                }
                _ => Gitignore::new(&candidate).0,
            };
            if rules.matched_path_or_any_parents(path, false).is_ignore() {
                return Some(candidate);
            }
        }
        top_seen |= folder.join(".git").exists();
    }
    None
}
