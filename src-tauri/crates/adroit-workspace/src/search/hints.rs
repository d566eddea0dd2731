//! Why a search found nothing. *Nothing found* is only true of what was looked into.

use std::path::{Path, PathBuf};
use std::time::Duration;

use globset::GlobMatcher;
use ignore::gitignore::Gitignore;
use tokio_util::sync::CancellationToken;

use super::control::SearchLimits;
use super::grep::{GrepRequest, Search};
use super::walk::{Walk, repository_of};
use super::{glob, grep, pattern};

/// How long the second look may take.
const SECOND_LOOK: Duration = Duration::from_millis(1_500);
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
    /// Files in which the pattern occurs as a literal text.
    pub literal_files: u64,
}

/// Whether ignore files may have kept something out: said also where something was found.
pub(super) fn ignores_apply(walk: &Walk) -> bool {
    let Walk {
        scope,
        respect_ignores,
        ..
    } = walk;
    let top = repository_of(&scope.path).unwrap_or_else(|| scope.root.clone());
    let names = [".gitignore", ".ignore"];
    *respect_ignores
        && !scope.path.is_file()
        && scope
            .path
            .ancestors()
            .take_while(|folder| folder.starts_with(&top))
            .chain([scope.path.as_path()])
            .any(|folder| names.iter().any(|name| folder.join(name).is_file()))
}

pub(super) async fn why_empty(
    request: &GrepRequest,
    search: &Search,
    searched: u64,
    cancel: &CancellationToken,
) -> EmptyReason {
    let mut reason = EmptyReason {
        searched,
        ..EmptyReason::default()
    };
    if search.walk.respect_ignores
        && let Ok(found) =
            grep::run(search.probe(None, false, MAX_NAMED), SECOND_LOOK, cancel).await
    {
        reason.ignored_total = found.totals.files;
        reason.ignored = found.files.into_iter().map(|hits| hits.path).collect();
        reason.ignored_by = reason.ignored.first().and_then(|path| hiding(path));
    }
    if let Some(literal) = pattern::as_literal(&request.pattern)
        && let Ok(compiled) = pattern::compile(&literal, request.case_insensitive, false)
        && let Ok(found) = grep::run(
            search.probe(Some(compiled.matcher), search.walk.respect_ignores, 1),
            SECOND_LOOK,
            cancel,
        )
        .await
    {
        reason.literal_files = found.totals.files;
    }
    reason
}

pub(super) async fn why_no_names(
    walk: &Walk,
    matcher: &GlobMatcher,
    cancel: &CancellationToken,
) -> EmptyReason {
    let mut reason = EmptyReason::default();
    if walk.respect_ignores {
        let mut all = walk.clone();
        all.respect_ignores = false;
        let limits = SearchLimits {
            time: SECOND_LOOK,
            entries: MAX_NAMED,
        };
        if let Ok(found) = glob::run(&all, matcher, limits, cancel).await {
            reason.ignored_total = found.total;
            reason.ignored = found.files;
            reason.ignored.sort();
            reason.ignored_by = reason.ignored.first().and_then(|path| hiding(path));
        }
    }
    reason
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
