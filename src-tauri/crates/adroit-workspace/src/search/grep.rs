//! Lines by content.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use grep_matcher::Matcher;
use grep_regex::RegexMatcher;
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink, SinkContext, SinkMatch};
use rustix::fs::{Mode, OFlags};
use tokio_util::sync::CancellationToken;

use super::control::{Control, Ended, Stoppable};
use super::filter::{NameFilter, file_type};
use super::hints::{self, EmptyReason};
use super::lines::present;
use super::walk::Walk;
use super::{Scope, SearchError, SearchLimits, pattern};
use crate::disk::open_without_links;

/// Lines that a search keeps in all, whatever it was asked for.
const MAX_KEPT: usize = 100_000;
/// The longest line that is searched, in bytes: a line is held in memory as a whole, by each thread.
const MAX_LINE: usize = 32 << 20;
/// A file that has to be searched as a whole (multiline) is held in memory up to this, in bytes.
const MAX_WHOLE: usize = 64 << 20;
/// Files that were too long to be searched of which the name is kept.
const MAX_TOO_LONG: usize = 5;

/// What to look for, where, and what to return.
#[derive(Clone, Debug)]
pub struct GrepRequest {
    /// A regular expression.
    pub pattern: String,
    /// Where.
    pub scope: Scope,
    /// Globs of file names, see the tool's description.
    pub glob: Option<String>,
    /// One of ripgrep's file types.
    pub file_type: Option<String>,
    /// Upper and lower case are the same.
    pub case_insensitive: bool,
    /// `.` matches line ends, and a match may span lines.
    pub multiline: bool,
    /// Lines shown before a match.
    pub before: usize,
    /// Lines shown after a match.
    pub after: usize,
    /// Whether lines are returned, or only files and counts.
    pub lines: bool,
    /// Whether all matches of a file are counted. Without, a file is left at its first match.
    pub count: bool,
    /// How much it may take and give.
    pub limits: SearchLimits,
}

/// One line of a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HitLine {
    /// From 1.
    pub number: u64,
    /// As shown.
    pub text: String,
    /// Where it matched, as UTF-16 offsets into `text`.
    pub ranges: Vec<[u32; 2]>,
    /// Shown only because it is near a match.
    pub context: bool,
    /// Lines are left out between the one before and this one.
    pub gap_before: bool,
}

/// The matches in one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileHits {
    /// Which.
    pub path: PathBuf,
    /// Its lines, when asked for.
    pub lines: Vec<HitLine>,
    /// How many lines matched.
    pub matching_lines: u64,
    /// How often it matched.
    pub occurrences: u64,
    /// A NUL was met, and the rest was not searched.
    pub stopped_at_binary: bool,
}

/// Sums over everything that was found, shown or not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Files that match.
    pub files: u64,
    /// Lines that match.
    pub lines: u64,
    /// Matches.
    pub occurrences: u64,
}

/// What a search found.
#[derive(Clone, Debug, Default)]
pub struct GrepOutcome {
    /// Files in the order of their paths, up to the limit.
    pub files: Vec<FileHits>,
    /// Everything that was found.
    pub totals: Totals,
    /// Files that were looked into.
    pub searched: u64,
    /// Files and folders that could not be read.
    pub unreadable: u64,
    /// Files that were not searched to their end, because a line of them (or, where a match may span
    /// lines, the whole) is longer than is held in memory: the first few.
    pub too_long: Vec<PathBuf>,
    /// How many of them there are.
    pub too_long_total: u64,
    /// The time ran out before everything was seen.
    pub partial: bool,
    /// Braces in the pattern were taken literally.
    pub literal_braces: bool,
    /// Ignore files kept files out of the search.
    pub ignores_apply: bool,
    /// Where nothing was found: what was not looked into, or how the pattern may have been meant.
    pub empty: Option<EmptyReason>,
}

#[derive(Default)]
struct Collected {
    files: BTreeMap<PathBuf, FileHits>,
    entries: usize,
    totals: Totals,
    searched: u64,
    unreadable: u64,
    too_long: BTreeSet<PathBuf>,
    too_long_total: u64,
}

impl Collected {
    /// Keeps the first by path, so that the same search names the same files.
    fn add_too_long(&mut self, path: &Path) {
        self.too_long_total += 1;
        self.too_long.insert(path.to_owned());
        if self.too_long.len() > MAX_TOO_LONG {
            self.too_long.pop_last();
        }
    }

    /// Keeps the first files by path up to the limit; of the others only their sums.
    fn add(&mut self, hits: FileHits, limit: usize) {
        self.totals.files += 1;
        self.totals.lines += hits.matching_lines;
        self.totals.occurrences += hits.occurrences;
        self.entries += weight(&hits);
        self.files.insert(hits.path.clone(), hits);
        while let Some(last) = self.files.last_entry()
            && self.entries - weight(last.get()) >= limit
        {
            self.entries -= weight(last.get());
            last.remove();
        }
    }
}

fn weight(hits: &FileHits) -> usize {
    hits.lines.len().max(1)
}

/// Searches. Files in the order of their paths, so that the same search gives the same answer.
///
/// # Errors
/// When the pattern or a filter is invalid, the scope does not exist, or it was cancelled. Running out
/// of time is no error: the outcome says that it is partial.
pub async fn grep(
    request: GrepRequest,
    cancel: CancellationToken,
) -> Result<GrepOutcome, SearchError> {
    let compiled = pattern::compile(
        &request.pattern,
        request.case_insensitive,
        request.multiline,
    )?;
    let search = Search::new(&request, compiled.matcher)?;
    let ignores_apply = hints::ignores_apply(&search.walk);
    let mut outcome = run(search.clone(), request.limits.time, &cancel).await?;
    outcome.literal_braces = compiled.literal_braces;
    outcome.ignores_apply = ignores_apply;
    if outcome.totals.files == 0 && !outcome.partial {
        outcome.empty = Some(hints::why_empty(&request, &search, outcome.searched, &cancel).await);
    }
    Ok(outcome)
}

/// A search made ready.
#[derive(Clone)]
pub(super) struct Search {
    pub(super) walk: Walk,
    pub(super) matcher: RegexMatcher,
    names: NameFilter,
    multiline: bool,
    before: usize,
    after: usize,
    lines: bool,
    count: bool,
    limit: usize,
}

impl Search {
    fn new(request: &GrepRequest, matcher: RegexMatcher) -> Result<Self, SearchError> {
        super::walk::must_be_searchable(&request.scope.path)?;
        let types = request.file_type.as_deref().map(file_type).transpose()?;
        let names = request
            .glob
            .as_deref()
            .map(NameFilter::new)
            .transpose()?
            .unwrap_or_default();
        Ok(Self {
            walk: Walk::new(request.scope.clone(), types),
            matcher,
            names,
            multiline: request.multiline,
            before: if request.lines { request.before } else { 0 },
            after: if request.lines { request.after } else { 0 },
            lines: request.lines,
            count: request.count || request.lines,
            limit: request.limits.entries.min(MAX_KEPT),
        })
    }

    /// The same search for another pattern, or without ignore files, that only tells which files match.
    pub(super) fn probe(
        &self,
        matcher: Option<RegexMatcher>,
        respect_ignores: bool,
        limit: usize,
    ) -> Self {
        let mut probe = self.clone();
        if let Some(matcher) = matcher {
            probe.matcher = matcher;
        }
        probe.walk.respect_ignores = respect_ignores;
        (
            probe.before,
            probe.after,
            probe.lines,
            probe.count,
            probe.limit,
        ) = (0, 0, false, false, limit);
        probe
    }

    fn searcher(&self) -> Searcher {
        let explicit = self.walk.scope.path.is_file();
        let mut builder = SearcherBuilder::new();
        builder
            .line_terminator(grep_matcher::LineTerminator::crlf())
            .multi_line(self.multiline)
            .line_number(self.lines)
            .before_context(self.before)
            .after_context(self.after)
            .heap_limit(Some(if self.multiline { MAX_WHOLE } else { MAX_LINE }))
            // Who names a file means all of it, a stray NUL in a log included.
            .binary_detection(if explicit {
                BinaryDetection::none()
            } else {
                BinaryDetection::quit(0)
            });
        builder.build()
    }

    fn execute(&self, control: &Control, shared: &Mutex<Collected>) {
        let lock = || shared.lock().unwrap_or_else(PoisonError::into_inner);
        let base = self.walk.scope.path.as_path();
        self.walk.files(control, &|| lock().unreadable += 1, || {
            let (mut searcher, matcher) = (self.searcher(), self.matcher.clone());
            move |entry| {
                let path = entry.path();
                let relative = match path.strip_prefix(base) {
                    Ok(relative) if !relative.as_os_str().is_empty() => relative,
                    _ => path.file_name().map_or(path, Path::new),
                };
                if !self.names.admits(relative) {
                    return;
                }
                let Ok((hits, ended)) = self.search_file(path, &mut searcher, &matcher, control)
                else {
                    lock().unreadable += 1;
                    return;
                };
                let mut collected = lock();
                collected.searched += 1;
                if let Some(hits) = hits {
                    collected.add(hits, self.limit);
                }
                match ended {
                    Ok(()) => {}
                    Err(_) if control.stop() => {}
                    // The searcher's own error, not the system's: its memory is used up.
                    Err(error) if error.raw_os_error().is_none() => collected.add_too_long(path),
                    Err(_) => collected.unreadable += 1,
                }
            }
        });
    }

    /// What a file holds, and whether it was searched to its end.
    fn search_file(
        &self,
        path: &Path,
        searcher: &mut Searcher,
        matcher: &RegexMatcher,
        control: &Control,
    ) -> std::io::Result<(Option<FileHits>, std::io::Result<()>)> {
        let flags =
            OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
        // No link on the whole way: a folder swapped for one while the tree is walked leads nowhere.
        let file = std::fs::File::from(open_without_links(path, flags, Mode::empty())?);
        let mut sink = Collector {
            search: self,
            matcher,
            control,
            hits: None,
            path,
            gap: false,
        };
        let ended = searcher.search_reader(
            matcher,
            Stoppable {
                inner: file,
                control,
            },
            &mut sink,
        );
        Ok((sink.hits, ended))
    }
}

pub(super) async fn run(
    search: Search,
    time: std::time::Duration,
    cancel: &CancellationToken,
) -> Result<GrepOutcome, SearchError> {
    let control = Control::new(time);
    let shared: Arc<Mutex<Collected>> = Arc::default();
    let (theirs, there) = (Arc::clone(&shared), control.clone());
    let limit = search.limit;
    let ended = control
        .run(cancel, move || search.execute(&there, &theirs))
        .await;
    if ended == Ended::Cancelled {
        return Err(SearchError::Cancelled);
    }
    let collected = std::mem::take(&mut *shared.lock().unwrap_or_else(PoisonError::into_inner));
    let mut files: Vec<FileHits> = collected.files.into_values().collect();
    let mut room = limit;
    for hits in &mut files {
        hits.lines.truncate(room);
        room = room.saturating_sub(weight(hits));
    }
    files.truncate(limit);
    Ok(GrepOutcome {
        files,
        totals: collected.totals,
        searched: collected.searched,
        unreadable: collected.unreadable,
        too_long: collected.too_long.into_iter().collect(),
        too_long_total: collected.too_long_total,
        partial: ended == Ended::Late,
        ..GrepOutcome::default()
    })
}

/// Receives what the searcher finds in one file.
struct Collector<'s> {
    search: &'s Search,
    matcher: &'s RegexMatcher,
    control: &'s Control,
    path: &'s Path,
    hits: Option<FileHits>,
    gap: bool,
}

impl Collector<'_> {
    fn hits(&mut self) -> &mut FileHits {
        self.hits.get_or_insert_with(|| FileHits {
            path: self.path.to_owned(),
            lines: Vec::new(),
            matching_lines: 0,
            occurrences: 0,
            stopped_at_binary: false,
        })
    }

    /// One more line than is shown, so that a full page and a cut one can be told apart.
    fn has_room(&mut self) -> bool {
        self.search.limit >= self.hits().lines.len()
    }

    fn ranges_in(&self, bytes: &[u8]) -> std::io::Result<Vec<(usize, usize)>> {
        let mut ranges = Vec::new();
        self.matcher
            .find_iter(bytes, |found| {
                ranges.push((found.start(), found.end()));
                ranges.len() < 100_000
            })
            .map_err(std::io::Error::other)?;
        Ok(ranges)
    }
}

impl Sink for Collector<'_> {
    type Error = std::io::Error;

    fn matched(
        &mut self,
        _searcher: &Searcher,
        found: &SinkMatch<'_>,
    ) -> Result<bool, Self::Error> {
        if !self.search.count {
            self.hits().matching_lines = 1;
            return Ok(false);
        }
        let ranges = self.ranges_in(found.bytes())?;
        let hits = self.hits();
        hits.occurrences += ranges.len().max(1) as u64;
        let mut gap = std::mem::take(&mut self.gap);
        let mut start = 0;
        for (index, line) in found.lines().enumerate() {
            let end = start + line.len();
            self.hits().matching_lines += 1;
            if self.search.lines && self.has_room() {
                let here: Vec<(usize, usize)> = ranges
                    .iter()
                    .filter(|range| range.0 < end && range.1 > start)
                    .map(|range| (range.0.max(start) - start, range.1.min(end) - start))
                    .collect();
                let number = found.line_number().unwrap_or(0) + index as u64;
                self.hits().lines.push(present(
                    number,
                    line,
                    &here,
                    false,
                    std::mem::take(&mut gap),
                ));
            }
            start = end;
        }
        Ok(!self.control.stop())
    }

    fn context(
        &mut self,
        _searcher: &Searcher,
        context: &SinkContext<'_>,
    ) -> Result<bool, Self::Error> {
        if self.search.lines && self.has_room() {
            let gap = std::mem::take(&mut self.gap);
            let line = present(
                context.line_number().unwrap_or(0),
                context.bytes(),
                &[],
                true,
                gap,
            );
            self.hits().lines.push(line);
        }
        Ok(true)
    }

    fn context_break(&mut self, _searcher: &Searcher) -> Result<bool, Self::Error> {
        self.gap = true;
        Ok(true)
    }

    fn binary_data(&mut self, _searcher: &Searcher, _offset: u64) -> Result<bool, Self::Error> {
        if let Some(hits) = &mut self.hits {
            hits.stopped_at_binary = true;
        }
        Ok(false)
    }
}
