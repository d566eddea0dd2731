//! The change of one file: planned, shown and written by Edit and Write in the same way.

use std::borrow::Cow;
use std::path::Path;

use adroit_protocol::view::{Block, Diff, DiffLine, FileChange, Hunk, LineChange, Tone, View};
use adroit_tool::{CallContext, MAX_REMEMBERED_TEXT, Seen, ToolFailure};
use adroit_workspace::{
    ContentHash, Endings, Expected, LoadError, LoadedText, ReadError, Resolved, Workspace,
    WriteOptions, diff, inspect, lock_path, write_atomic,
};
use serde::Serialize;

use super::editing::File;
use super::{counted, read_failure, write_failure};

/// Lines of a diff that a view carries; a note says how many there are beyond.
const MAX_DIFF_LINES: usize = 4_000;
/// Lines of the result that the model gets to see.
const MAX_SNIPPET: usize = 40;
/// Changed lines that a message about somebody else's change lists.
const MAX_SINCE: usize = 24;

/// Whether a file comes into being.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ChangeKind {
    Created,
    Updated,
    Unchanged,
}

/// What becomes of a file, worked out and not yet written.
#[derive(Clone, Debug)]
pub(crate) struct Change {
    pub(crate) kind: ChangeKind,
    pub(crate) bytes: Vec<u8>,
    /// What the bytes read as.
    pub(crate) text: String,
    pub(crate) diff: Diff,
    /// What has to stand there for the change to be written.
    pub(crate) expected: Expected,
    /// What of the file the diff compares, where that is not the whole.
    pub(crate) part: Option<Part>,
}

/// A part of a file that a change is about: a cell of a notebook.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    /// Its name in a sentence: `cell abc (index 2, code) of n.ipynb`.
    pub(crate) name: String,
    /// What it reads now; none where it comes into being.
    pub(crate) old: Option<String>,
    /// What it will read.
    pub(crate) new: String,
}

impl Change {
    /// A change from `old` (nothing for a new file) to `bytes`, which read as `new`.
    pub(crate) fn new(
        path: String,
        old: Option<&LoadedText>,
        bytes: Vec<u8>,
        new: &str,
        notes: Vec<String>,
    ) -> Self {
        let file_change = if old.is_some() {
            FileChange::Updated
        } else {
            FileChange::Created
        };
        let before = old.map_or("", |old| old.text.as_str());
        let diff = diff_of(path, file_change, before, new, notes);
        Self::with_diff(old, bytes, new, diff)
    }

    /// As [`Self::new`], for a change that says more when only a part of the file is compared, which is
    /// what `diff` does.
    pub(crate) fn of_part(
        old: &LoadedText,
        bytes: Vec<u8>,
        new: &str,
        diff: Diff,
        part: Part,
    ) -> Self {
        Self {
            part: Some(part),
            ..Self::with_diff(Some(old), bytes, new, diff)
        }
    }

    fn with_diff(old: Option<&LoadedText>, bytes: Vec<u8>, new: &str, diff: Diff) -> Self {
        let kind = match old {
            None => ChangeKind::Created,
            Some(old) if old.bytes == bytes => ChangeKind::Unchanged,
            Some(_) => ChangeKind::Updated,
        };
        Self {
            kind,
            bytes,
            text: new.to_owned(),
            diff,
            expected: old.map_or(Expected::Absent, |old| Expected::Content(old.hash)),
            part: None,
        }
    }

    /// Writes the change while `lock_path` is held, and notes that this agent has seen the result.
    pub(crate) fn write(&self, real: &Path, context: &CallContext) -> Result<bool, ToolFailure> {
        let whole = context.files.seen(real).is_none_or(|seen| seen.whole);
        if self.kind == ChangeKind::Unchanged {
            return Ok(false);
        }
        let options = WriteOptions {
            expected: self.expected,
            create_parents: true,
        };
        let replaced = match self.expected {
            Expected::Content(hash) => Some(hash.bytes()),
            Expected::Absent | Expected::Anything => None,
        };
        context.originals.replacing(real, replaced)?;
        let report = write_atomic(real, &self.bytes, options).map_err(write_failure)?;
        context.originals.replaced(real, &self.bytes);
        // The tool's own change must not make the file stale for its next change.
        context.files.record(
            real,
            Seen {
                hash: report.hash.bytes(),
                whole,
            },
        );
        if self.text.len() <= MAX_REMEMBERED_TEXT {
            context.files.remember_text(real, self.text.as_str().into());
        }
        Ok(report.in_place)
    }
}

/// What of the file at a path matters for changing it.
pub(crate) enum Present {
    Absent,
    Text(Box<LoadedText>),
    /// Something that is not text.
    Other {
        hash: ContentHash,
        /// What it seems to be, or what in it no text has.
        what: String,
    },
}

/// Loads what is there now.
pub(crate) fn present(workspace: &Workspace, resolved: &Resolved) -> Result<Present, ToolFailure> {
    match LoadedText::load(&resolved.real) {
        Ok(text) => Ok(Present::Text(Box::new(text))),
        Err(LoadError::Read(ReadError::NotFound(_))) => Ok(Present::Absent),
        Err(error @ (LoadError::Binary { .. } | LoadError::Undecodable { .. })) => {
            let bytes = adroit_workspace::read_bytes_capped(&resolved.real, 64 << 20)
                .map_err(|error| read_failure(workspace, resolved, error.into()))?;
            Ok(Present::Other {
                hash: ContentHash::of(&bytes),
                what: match error {
                    LoadError::Binary { kind, .. } => kind,
                    other => other.to_string(),
                },
            })
        }
        Err(error) => Err(read_failure(workspace, resolved, error)),
    }
}

/// Refuses to change what this agent has not read, or has read in another form.
pub(crate) fn must_be_seen(file: &File<'_>, present: &LoadedText) -> Result<(), ToolFailure> {
    must_be_known(file, present.hash, Some(&present.text))
}

/// As [`must_be_seen`], for a file that need not be text.
pub(crate) fn must_be_known(
    file: &File<'_>,
    hash: ContentHash,
    text: Option<&str>,
) -> Result<(), ToolFailure> {
    let (files, real) = (&file.context.files, &file.resolved.real);
    match files.seen(real) {
        None => Err(not_read(&file.path())),
        Some(seen) if seen.hash == hash.bytes() => Ok(()),
        Some(_) => Err(stale(&file.path(), files.text(real).as_deref(), text)),
    }
}

/// The file is not what the agent read. Where its text is still known, the difference is shown.
fn stale(path: &str, seen: Option<&str>, present: Option<&str>) -> ToolFailure {
    let compared = seen.zip(present).map(|(seen, present)| {
        diff_of(
            path.to_owned(),
            FileChange::Updated,
            seen,
            present,
            Vec::new(),
        )
    });
    let what = compared.as_ref().map_or_else(
        || " (its content is another one)".to_owned(),
        |diff| {
            format!(
                ". What changed since:\n{}\n",
                what_changed(diff, seen, present)
            )
        },
    );
    let stop = if compared.is_some() { "" } else { ". " };
    let message = format!(
        "{path} was changed by someone else since you read it{what}{stop}Read it again, then make the change on what is there now."
    );
    let mut blocks = vec![Block::Notice {
        tone: Tone::Danger,
        text: format!("{path} was changed by someone else since it was read."),
    }];
    blocks.extend(compared.map(Block::Diff));
    ToolFailure::new("stale", message)
        .with_summary("changed since it was read")
        .with_blocks(blocks)
}

/// The changed lines as a patch, cut when long; or what differs where no line does.
fn what_changed(diff: &Diff, seen: Option<&str>, present: Option<&str>) -> String {
    let changed = || {
        let lines = diff.hunks.iter().flat_map(|hunk| &hunk.lines);
        lines.filter(|line| line.kind != LineChange::Context)
    };
    let side = |kind| {
        changed()
            .filter(move |line| line.kind == kind)
            .map(|line| &line.text)
    };
    if side(LineChange::Removed).eq(side(LineChange::Added)) {
        let endings = |text: Option<&str>| Endings::of(text.unwrap_or_default()).to_string();
        return format!(
            "no line, only line endings or the end of the file ({} then, {} now)",
            endings(seen),
            endings(present)
        );
    }
    let total = changed().count();
    let mut text = String::new();
    for line in changed().take(MAX_SINCE) {
        let (sign, number) = match line.kind {
            LineChange::Removed => ('-', line.old_line),
            _ => ('+', line.new_line),
        };
        text.push_str(&format!(
            "{:>6} {sign} {}\n",
            number.unwrap_or(0),
            adroit_workspace::escape_control(&super::shortened(&line.text))
        ));
    }
    if total > MAX_SINCE || diff.hidden_hunks > 0 {
        text.push_str(&format!("     … {} in all\n", totals(diff)));
    }
    text.trim_end_matches('\n').to_owned()
}

pub(crate) fn not_read(path: &str) -> ToolFailure {
    ToolFailure::new("not_read", format!("{path} exists and has not been read yet. Read it first, so that nothing in it is lost unseen."))
        .with_summary("not read yet")
}

/// Whether a file stands there that this agent has not read. Looks at no content: permission has not
/// been asked yet.
pub(crate) fn is_unread(resolved: &Resolved, context: &CallContext) -> bool {
    resolved.exists
        && context.files.seen(&resolved.real).is_none()
        && inspect(&resolved.real)
            .is_ok_and(|facts| facts.kind == adroit_workspace::FileKind::Regular)
}

/// Takes the file's lock, works out the change (and what else the plan knows), and writes it, off the
/// async threads. Says too whether the file was written over in place.
pub(crate) async fn apply<P, D>(
    real: &Path,
    context: &CallContext,
    plan: P,
) -> Result<(Change, D, bool), ToolFailure>
where
    P: FnOnce(&CallContext) -> Result<(Change, D), ToolFailure> + Send + 'static,
    D: Send + 'static,
{
    let guard = lock_path(real).await;
    let (real, context) = (real.to_owned(), context.clone());
    let work = tokio::task::spawn_blocking(move || {
        let _guard = guard;
        let (change, detail) = plan(&context)?;
        let in_place = change.write(&real, &context)?;
        Ok((change, detail, in_place))
    });
    work.await.unwrap_or_else(|fault| {
        Err(ToolFailure::new(
            "fault",
            format!("the change ended unexpectedly: {fault}"),
        ))
    })
}

/// A diff for a view.
pub(crate) fn diff_of(
    path: String,
    change: FileChange,
    old: &str,
    new: &str,
    mut notes: Vec<String>,
) -> Diff {
    let compared = diff(old, new);
    let mut hunks: Vec<Hunk> = Vec::new();
    let mut room = MAX_DIFF_LINES;
    let mut hidden_hunks = 0;
    for mut hunk in compared.hunks {
        if room == 0 {
            hidden_hunks += 1;
            continue;
        }
        if hunk.lines.len() > room {
            notes.push(format!(
                "{} more lines of the last part are not shown",
                hunk.lines.len() - room
            ));
            hunk.lines.truncate(room);
        }
        room -= hunk.lines.len();
        hunk.lines.iter_mut().for_each(make_presentable);
        hunks.push(hunk);
    }
    Diff {
        path,
        change,
        hunks,
        added: compared.added,
        removed: compared.removed,
        hidden_hunks,
        notes,
    }
}

/// A replacement before anybody looked at the file: where it is, and what follows it, is not
/// known yet.
pub(crate) fn replacement(path: String, old: &str, new: &str) -> Diff {
    if old.is_empty() {
        return diff_of(path, FileChange::Created, old, new, Vec::new());
    }
    let mut diff = diff_of(path, FileChange::Updated, old, new, Vec::new());
    for hunk in &mut diff.hunks {
        hunk.old_start = 0;
        hunk.new_start = 0;
        for line in &mut hunk.lines {
            line.old_line = None;
            line.new_line = None;
            line.missing_newline = false;
        }
    }
    diff
}

/// NUL and undecodable bytes escaped. The marks of such a line would no longer fit.
fn make_presentable(line: &mut DiffLine) {
    if let Cow::Owned(escaped) = adroit_workspace::escape_control(&line.text) {
        line.text = escaped;
        line.emphasis.clear();
    }
}

/// `+3 −1`
pub(crate) fn totals(diff: &Diff) -> String {
    format!("+{} −{}", diff.added, diff.removed)
}

/// The changed places as they are now, with line numbers, for the model.
pub(crate) fn snippet(diff: &Diff) -> String {
    let mut text = String::new();
    let mut shown = 0;
    let lines = |hunk: &Hunk| {
        hunk.lines
            .iter()
            .filter(|line| line.kind != LineChange::Removed)
            .count()
    };
    for (index, hunk) in diff.hunks.iter().enumerate() {
        if shown + lines(hunk) > MAX_SNIPPET && index > 0 {
            text.push_str(&format!(
                "… {} not shown\n",
                counted(
                    (diff.hunks.len() - index) as u64,
                    "more place",
                    "more places"
                )
            ));
            break;
        }
        if index > 0 {
            text.push_str("…\n");
        }
        for DiffLine {
            kind,
            text: line,
            new_line,
            ..
        } in hunk.lines.iter()
        {
            if *kind == LineChange::Removed {
                continue;
            }
            if shown == MAX_SNIPPET {
                text.push_str("…\n");
                break;
            }
            shown += 1;
            text.push_str(&format!(
                "{:>6}\t{}\n",
                new_line.unwrap_or(0),
                adroit_workspace::escape_control(line)
            ));
        }
    }
    text.trim_end_matches('\n').to_owned()
}

/// The view of a change that was planned, or why it cannot be.
pub(crate) fn preview(title: String, planned: Result<Change, ToolFailure>) -> View {
    let mut view = View::titled(title);
    match planned {
        Ok(change) => {
            view.summary = Some(totals(&change.diff));
            view.blocks.push(Block::Diff(change.diff));
        }
        Err(failure) => {
            view.tone = Tone::Warning;
            view.summary = failure.summary.clone();
            view.blocks.push(Block::Notice {
                tone: Tone::Warning,
                text: format!(
                    "This call would fail as the file is now: {}",
                    failure.message
                ),
            });
        }
    }
    view
}

/// What the lines of a diff do not show and the model should know.
pub(crate) fn facts(diff: &Diff, in_place: bool) -> Vec<String> {
    let mut facts = diff.notes.clone();
    if in_place {
        facts.push(
            "written over in place, so that its other names (hard links) or owner stay".to_owned(),
        );
    }
    facts
}
