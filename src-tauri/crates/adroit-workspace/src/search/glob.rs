//! Files by name.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use globset::GlobMatcher;
use tokio_util::sync::CancellationToken;

use super::control::{Control, Ended};
use super::filter::{FilterError, compile};
use super::hints::{self, EmptyReason};
use super::walk::Walk;
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

#[derive(Default)]
struct Collected {
    files: Vec<(SystemTime, PathBuf)>,
    unreadable: u64,
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
    let matcher = compile(&request.pattern, &request.written)?.compile_matcher();
    let walk = Walk::new(request.scope.clone(), None);
    let ignores_apply = hints::ignores_apply(&walk);
    let mut outcome = run(&walk, &matcher, request.limits, &cancel).await?;
    outcome.ignores_apply = ignores_apply;
    if outcome.total == 0 && !outcome.partial {
        outcome.empty = Some(hints::why_no_names(&walk, &matcher, &cancel).await);
    }
    Ok(outcome)
}

pub(super) async fn run(
    walk: &Walk,
    matcher: &GlobMatcher,
    limits: SearchLimits,
    cancel: &CancellationToken,
) -> Result<GlobOutcome, SearchError> {
    let control = Control::new(limits.time);
    let shared: Arc<Mutex<Collected>> = Arc::default();
    let (theirs, there, walk, matcher) = (
        Arc::clone(&shared),
        control.clone(),
        walk.clone(),
        matcher.clone(),
    );
    let ended = control
        .run(cancel, move || execute(&walk, &matcher, &there, &theirs))
        .await;
    if ended == Ended::Cancelled {
        return Err(SearchError::Cancelled);
    }
    let mut collected = std::mem::take(&mut *shared.lock().unwrap_or_else(PoisonError::into_inner));
    let total = collected.files.len() as u64;
    let newest_first = |left: &(SystemTime, PathBuf), right: &(SystemTime, PathBuf)| {
        right.0.cmp(&left.0).then_with(|| left.1.cmp(&right.1))
    };
    if collected.files.len() > limits.entries && limits.entries > 0 {
        collected
            .files
            .select_nth_unstable_by(limits.entries - 1, newest_first);
        collected.files.truncate(limits.entries);
    }
    collected.files.sort_unstable_by(newest_first);
    Ok(GlobOutcome {
        files: collected.files.into_iter().map(|(_, path)| path).collect(),
        total,
        unreadable: collected.unreadable,
        partial: ended == Ended::Late,
        ..GlobOutcome::default()
    })
}

fn execute(walk: &Walk, matcher: &GlobMatcher, control: &Control, shared: &Mutex<Collected>) {
    let lock = || shared.lock().unwrap_or_else(PoisonError::into_inner);
    let base = walk.scope.path.as_path();
    walk.files(control, &|| lock().unreadable += 1, || {
        move |entry| {
            let path = entry.path();
            let relative = match path.strip_prefix(base) {
                Ok(relative) if !relative.as_os_str().is_empty() => relative,
                _ => path.file_name().map_or(path, Path::new),
            };
            if matcher.is_match(relative) {
                // Only files that match are asked for their time.
                let modified = entry
                    .metadata()
                    .ok()
                    .and_then(|metadata| metadata.modified().ok());
                lock()
                    .files
                    .push((modified.unwrap_or(SystemTime::UNIX_EPOCH), path.to_owned()));
            }
        }
    });
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
