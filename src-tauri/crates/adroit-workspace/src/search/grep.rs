//! Lines by content.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use grep_matcher::Matcher;
use grep_regex::RegexMatcher;
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink, SinkContext, SinkMatch};
use tokio_util::sync::CancellationToken;

use super::control::{Control, Ended, Stoppable};
use super::decoded;
use super::filter::{NameFilter, file_type};
use super::folder::OpenFolder;
use super::found::{Found, weight};
use super::hints::{self, EmptyReason};
use super::lines::present;
use super::links::LinksElsewhere;
use super::walk::{Pass, Seen, Walk, relative_to};
use super::{Scope, SearchError, SearchLimits, pattern};

/// Lines that a search keeps in all, whatever it was asked for.
const MAX_KEPT: usize = 100_000;
/// The longest line that is searched, in bytes: a line is held in memory as a whole, by each thread.
const MAX_LINE: usize = 32 << 20;
/// A file that has to be searched as a whole (multiline) is held in memory up to this, in bytes.
const MAX_WHOLE: usize = 64 << 20;

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
    /// What is returned.
    pub wanted: Wanted,
    /// How much it may take and give.
    pub limits: SearchLimits,
}

/// What a search returns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Wanted {
    /// Which files match. A file is left at its first match.
    #[default]
    Files,
    /// How many lines of each file match, and how often.
    Counts,
    /// The lines. How often they match is not counted.
    Lines,
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
    /// How often it matched, where that is counted ([`Wanted::Counts`]).
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
    /// Matches, where they are counted.
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
    /// Links that were met and lead out of the folder that was searched: they were not followed.
    pub links: LinksElsewhere,
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
    let compiled = compiled(&request, &cancel).await?;
    let search = Search::new(&request, compiled.matcher)?;
    let ignores_apply = hints::ignores_apply(&search.walk);
    let seen = Arc::new(Seen::default());
    let mut outcome = run(search.clone(), &seen, request.limits.time, &cancel).await?;
    outcome.literal_braces = compiled.literal_braces;
    outcome.ignores_apply = ignores_apply;
    outcome.links = seen.links.elsewhere();
    if outcome.totals.files == 0 && !outcome.partial {
        let searched = outcome.searched;
        outcome.empty = Some(hints::why_empty(&request, search, seen, searched, &cancel).await);
    }
    Ok(outcome)
}

/// The pattern, compiled off the async threads: one that repeats large classes takes its time.
async fn compiled(
    request: &GrepRequest,
    cancel: &CancellationToken,
) -> Result<pattern::Pattern, SearchError> {
    let GrepRequest {
        case_insensitive,
        multiline,
        ..
    } = *request;
    let text = request.pattern.clone();
    let work = move || pattern::compile(&text, case_insensitive, multiline);
    tokio::select! {
        biased;
        () = cancel.cancelled() => Err(SearchError::Cancelled),
        compiled = tokio::task::spawn_blocking(work) => compiled.unwrap_or_else(|fault| {
            let message = fault.to_string();
            Err(SearchError::Pattern { message })
        }),
    }
}

/// A search made ready.
#[derive(Clone)]
pub(super) struct Search {
    pub(super) walk: Walk,
    pub(super) matcher: RegexMatcher,
    names: Arc<NameFilter>,
    /// The pattern names characters beyond ASCII.
    beyond_ascii: bool,
    multiline: bool,
    before: usize,
    after: usize,
    wanted: Wanted,
    limit: usize,
}

/// What one thread searches with.
struct Tools {
    /// For files of which the lines are kept.
    lines: Searcher,
    /// For files of which only the sums matter.
    sums: Searcher,
    matcher: RegexMatcher,
    folder: OpenFolder,
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
            names: Arc::new(names),
            beyond_ascii: decoded::is_beyond_ascii(&request.pattern),
            multiline: request.multiline,
            before: request.before,
            after: request.after,
            wanted: request.wanted,
            limit: request.limits.entries.min(MAX_KEPT),
        })
    }

    fn tools(&self, matcher: &RegexMatcher) -> Tools {
        let explicit = self.walk.scope.path.is_file();
        // Who names a file means all of it, a stray NUL in a log included.
        let detection = if explicit {
            BinaryDetection::none()
        } else {
            BinaryDetection::quit(0)
        };
        let lines = self.wanted == Wanted::Lines;
        Tools {
            lines: self.searcher(lines, detection.clone()),
            sums: self.searcher(false, detection),
            matcher: matcher.clone(),
            folder: OpenFolder::default(),
        }
    }

    fn searcher(&self, shown: bool, detection: BinaryDetection) -> Searcher {
        SearcherBuilder::new()
            .line_terminator(grep_matcher::LineTerminator::crlf())
            .multi_line(self.multiline)
            .line_number(shown)
            .before_context(if shown { self.before } else { 0 })
            .after_context(if shown { self.after } else { 0 })
            .heap_limit(Some(if self.multiline { MAX_WHOLE } else { MAX_LINE }))
            .binary_detection(detection)
            .build()
    }

    fn execute(&self, seen: &Arc<Seen>, control: &Control, found: &Found) {
        let (base, names) = (self.walk.scope.path.clone(), Arc::clone(&self.names));
        let pass = move |path: &Path| {
            if names.admits(relative_to(&base, path)) {
                Pass::Visit
            } else {
                Pass::Done
            }
        };
        let unreadable = || {
            found.unreadable.fetch_add(1, Ordering::Relaxed);
        };
        self.walk.files(control, seen, pass, &unreadable, || {
            let mut tools = self.tools(&self.matcher);
            move |path: &Path| {
                if self.visit(path, &mut tools, control, found) {
                    seen.found();
                }
            }
        });
    }

    /// Searches a file. Whether it matches.
    fn visit(&self, path: &Path, tools: &mut Tools, control: &Control, found: &Found) -> bool {
        let shown = self.wanted == Wanted::Lines && !found.is_beyond(path);
        let Ok((hits, ended)) = self.search_file(path, tools, control, shown) else {
            found.unreadable.fetch_add(1, Ordering::Relaxed);
            return false;
        };
        let matches = hits.is_some();
        found.searched.fetch_add(1, Ordering::Relaxed);
        if let Some(hits) = hits {
            found.add(hits, self.limit);
        }
        match ended {
            Ok(()) => {}
            Err(_) if control.stop() => {}
            // The searcher's own error, not the system's: its memory is used up.
            Err(error) if error.raw_os_error().is_none() => found.collect().add_too_long(path),
            Err(_) => {
                found.unreadable.fetch_add(1, Ordering::Relaxed);
            }
        }
        matches
    }

    /// What a file holds, and whether it was searched to its end.
    fn search_file(
        &self,
        path: &Path,
        tools: &mut Tools,
        control: &Control,
        shown: bool,
    ) -> std::io::Result<(Option<FileHits>, std::io::Result<()>)> {
        let file = tools.folder.open(path)?;
        let searcher = if shown {
            &mut tools.lines
        } else {
            &mut tools.sums
        };
        let matcher = &tools.matcher;
        let collector = || Collector {
            search: self,
            matcher,
            control,
            hits: None,
            path,
            shown,
            gap: false,
            binary: false,
        };
        let mut sink = collector();
        let mut reader = Stoppable::new(file, control).watched(self.beyond_ascii);
        let ended = searcher.search_reader(matcher, &mut reader, &mut sink);
        // A NUL ends the search, and with it what the same block holds before it. What reads as text all
        // the same, a log with a stray NUL or UTF-16 without a mark, is searched as what it is.
        let is_text = sink.binary && decoded::is_text(&tools.folder.open(path)?);
        if ended.is_err() || !(is_text || reader.is_beyond_ascii()) {
            return Ok((sink.hits, ended));
        }
        let decoded = decoded::text_of(tools.folder.open(path)?, control);
        if decoded.is_none() && !is_text {
            return Ok((sink.hits, ended));
        }
        let mut sink = collector();
        let ended = match decoded {
            Some(text) => searcher.search_slice(matcher, text.as_bytes(), &mut sink),
            None => {
                let reader = Stoppable::new(tools.folder.open(path)?, control);
                self.searcher(shown, BinaryDetection::none())
                    .search_reader(matcher, reader, &mut sink)
            }
        };
        Ok((sink.hits, ended))
    }

    /// Those of the files that match. One that cannot be read does not.
    pub(super) fn matching(&self, files: Vec<PathBuf>, control: &Control) -> Vec<PathBuf> {
        let search = self.for_files();
        let mut tools = search.tools(&search.matcher);
        let matches = |path: &PathBuf| {
            search
                .names
                .admits(relative_to(&search.walk.scope.path, path))
                && search.has_match(path, &mut tools, control)
        };
        files.into_iter().filter(matches).collect()
    }

    /// Whether another pattern matches in one of the files, of which up to `limit` are looked at.
    pub(super) fn occurs(&self, matcher: &RegexMatcher, control: &Control, limit: usize) -> bool {
        let search = self.for_files();
        let (base, names) = (search.walk.scope.path.clone(), Arc::clone(&search.names));
        let occurs = Arc::new(AtomicBool::new(false));
        let (known, asked) = (Arc::clone(&occurs), Arc::new(AtomicUsize::new(0)));
        let pass = move |path: &Path| {
            let wanted = names.admits(relative_to(&base, path))
                && !known.load(Ordering::Relaxed)
                && asked.fetch_add(1, Ordering::Relaxed) < limit;
            if wanted { Pass::Visit } else { Pass::Done }
        };
        search
            .walk
            .files(control, &Arc::default(), pass, &|| {}, || {
                let mut tools = search.tools(matcher);
                let (search, occurs) = (&search, &occurs);
                move |path: &Path| {
                    if !occurs.load(Ordering::Relaxed)
                        && search.has_match(path, &mut tools, control)
                    {
                        occurs.store(true, Ordering::Relaxed);
                    }
                }
            });
        occurs.load(Ordering::Relaxed)
    }

    /// The same search, that only tells which files match.
    fn for_files(&self) -> Self {
        Self {
            wanted: Wanted::Files,
            ..self.clone()
        }
    }

    fn has_match(&self, path: &Path, tools: &mut Tools, control: &Control) -> bool {
        self.search_file(path, tools, control, false)
            .is_ok_and(|(hits, _)| hits.is_some())
    }
}

async fn run(
    search: Search,
    seen: &Arc<Seen>,
    time: std::time::Duration,
    cancel: &CancellationToken,
) -> Result<GrepOutcome, SearchError> {
    let control = Control::new(time);
    let found: Arc<Found> = Arc::default();
    let limit = search.limit;
    let work = {
        let (found, control, seen) = (Arc::clone(&found), control.clone(), Arc::clone(seen));
        move || search.execute(&seen, &control, &found)
    };
    let ended = control.run(cancel, work).await;
    if ended == Ended::Cancelled {
        return Err(SearchError::Cancelled);
    }
    let collected = std::mem::take(&mut *found.collect());
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
        searched: found.searched.load(Ordering::Relaxed),
        unreadable: found.unreadable.load(Ordering::Relaxed),
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
    /// Whether lines are kept, and not only counted.
    shown: bool,
    gap: bool,
    /// A NUL was met.
    binary: bool,
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
        self.shown && self.search.limit >= self.hits().lines.len()
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

    fn occurrences_in(&self, bytes: &[u8]) -> std::io::Result<u64> {
        let mut count = 0_u64;
        self.matcher
            .find_iter(bytes, |_| {
                count += 1;
                true
            })
            .map_err(std::io::Error::other)?;
        // Where the line end took part in the match, the line alone may hold none.
        Ok(count.max(1))
    }

    /// Keeps the lines of a match, with where they match.
    fn keep(&mut self, found: &SinkMatch<'_>) -> std::io::Result<()> {
        let ranges = self.ranges_in(found.bytes())?;
        let mut gap = std::mem::take(&mut self.gap);
        let mut start = 0;
        for (index, line) in found.lines().enumerate() {
            let end = start + line.len();
            self.hits().matching_lines += 1;
            if self.has_room() {
                let here: Vec<(usize, usize)> = ranges
                    .iter()
                    .filter(|range| range.0 < end && range.1 > start)
                    .map(|range| (range.0.max(start) - start, range.1.min(end) - start))
                    .collect();
                let number = found.line_number().unwrap_or(0) + index as u64;
                let gap = std::mem::take(&mut gap);
                self.hits()
                    .lines
                    .push(present(number, line, &here, false, gap));
            }
            start = end;
        }
        Ok(())
    }
}

impl Sink for Collector<'_> {
    type Error = std::io::Error;

    fn matched(
        &mut self,
        _searcher: &Searcher,
        found: &SinkMatch<'_>,
    ) -> Result<bool, Self::Error> {
        let lines = |multiline: bool| match multiline {
            true => found.lines().count() as u64,
            false => 1,
        };
        match self.search.wanted {
            Wanted::Files => {
                self.hits().matching_lines = 1;
                return Ok(false);
            }
            Wanted::Counts => {
                let occurrences = self.occurrences_in(found.bytes())?;
                let lines = lines(self.search.multiline);
                let hits = self.hits();
                hits.occurrences += occurrences;
                hits.matching_lines += lines;
            }
            Wanted::Lines => {
                if self.has_room() {
                    self.keep(found)?;
                } else {
                    self.hits().matching_lines += lines(self.search.multiline);
                }
            }
        }
        Ok(!self.control.stop())
    }

    fn context(
        &mut self,
        _searcher: &Searcher,
        context: &SinkContext<'_>,
    ) -> Result<bool, Self::Error> {
        if self.has_room() {
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
        self.binary = true;
        if let Some(hits) = &mut self.hits {
            hits.stopped_at_binary = true;
        }
        Ok(false)
    }
}
