//! Changes as a person looks at them: the list of a scope, and one file old against new.

use std::path::Path;
use std::sync::Arc;

use adroit_checkpoints::{FileStep, History, Image, Target, capture};
use adroit_protocol::changes::{ChangeList, ChangeScope, ChangedKind, FileComparison, ImageData};
use adroit_protocol::view::{Diff, FileChange, Hunk};
use adroit_workspace::LoadedText;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::describe::{Sides, file_change, in_all, picture, worth_naming};
use super::undo::{UndoError, find};
use super::{Checkpointing, off_thread, scope};
use crate::Session;

/// Lines of one file that are sent; what is left out is counted.
const MOST_LINES: usize = 20_000;
/// Bytes of a picture that is sent.
const PICTURE_BYTES: usize = 8 << 20;

/// What is left of a scope's changes, one entry a file: undone ones are gone from it.
pub(super) fn files_of(
    kept: &Checkpointing,
    history: &History,
    scope: &ChangeScope,
) -> Result<Vec<FileStep>, UndoError> {
    if *scope == ChangeScope::Git {
        return Ok(super::git::changes(kept, history)?.files);
    }
    Ok(in_all(&scope::with_undos(history, scope)))
}

impl Checkpointing {
    fn list(&self, scope: &ChangeScope) -> Result<ChangeList, UndoError> {
        let history = self.history()?;
        let (files, notes) = if *scope == ChangeScope::Git {
            let found = super::git::changes(self, history)?;
            (found.files, found.notes)
        } else {
            let steps = scope::with_undos(history, scope);
            let mut notes: Vec<String> = steps.iter().flat_map(|step| step.notes.clone()).collect();
            notes.dedup();
            (in_all(&steps), notes)
        };
        let shown: Vec<_> = worth_naming(&files)
            .map(|file| {
                let mut shown = file_change(history.store(), file, self.show(&file.path), true);
                shown.reviewed = history.is_reviewed(&file.path, &self.now(history, &file.path));
                shown
            })
            .collect();
        Ok(ChangeList {
            undoable: !files.is_empty(),
            files: shown,
            notes,
            turn: self.turn(),
        })
    }

    pub(super) fn now(&self, history: &History, path: &Path) -> Image {
        capture(path, history.store().limits().file_bytes).0
    }

    fn compare(
        &self,
        scope: &ChangeScope,
        path: &str,
        ignore_space: bool,
    ) -> Result<FileComparison, UndoError> {
        let history = self.history()?;
        let files = files_of(self, history, scope)?;
        let file = find(self, &files, path)?;
        let now = self.now(history, &file.path);
        let mut shown = file_change(history.store(), file, path.to_owned(), true);
        shown.reviewed = history.is_reviewed(&file.path, &now);
        let sides = Sides::load(history.store(), file);
        shown.kind = sides.kind;
        let mut diff = empty_diff(path, shown.change);
        let mut invisible = facts(file);
        let (mut by_hunk, mut only_invisible) = (false, false);
        if sides.kind == ChangedKind::Text {
            diff = text_diff(path, shown.change, &sides, ignore_space);
            invisible.extend(super::invisible::between(&sides));
            // A place that leaves white space out is more in the file than what it shows.
            by_hunk = shown.change == FileChange::Updated && !ignore_space;
            only_invisible =
                shown.change == FileChange::Updated && super::invisible::is_all(&sides);
            shown.added = Some(diff.added);
            shown.removed = Some(diff.removed);
        }
        let accepted = self.accepted(history, file, &shown, &diff);
        if now != file.after {
            invisible.push(
                "It was changed since by someone else. What shows here is how the agent left it."
                    .to_owned(),
            );
        }
        Ok(FileComparison {
            old_image: sides.old.as_deref().and_then(image_data),
            new_image: sides.new.as_deref().and_then(image_data),
            file: shown,
            diff,
            invisible,
            only_invisible,
            by_hunk,
            accepted,
        })
    }
}

fn image_data(bytes: &[u8]) -> Option<ImageData> {
    let media_type = picture(bytes)?;
    (bytes.len() <= PICTURE_BYTES).then(|| ImageData {
        media_type: media_type.to_owned(),
        data: STANDARD.encode(bytes),
    })
}

/// What of a change is not in the content.
fn facts(file: &FileStep) -> Vec<String> {
    let mut facts = Vec::new();
    match (&file.before, &file.after) {
        (Image::Link { target: old }, Image::Link { target: new }) => facts.push(format!(
            "The link pointed to {} and points to {}.",
            adroit_workspace::display_path(old),
            adroit_workspace::display_path(new)
        )),
        (_, Image::Link { target }) => facts.push(format!(
            "It is a link to {}.",
            adroit_workspace::display_path(target)
        )),
        (Image::Link { target }, _) => facts.push(format!(
            "It was a link to {}.",
            adroit_workspace::display_path(target)
        )),
        _ => {}
    }
    if file.before.attributes() != file.after.attributes()
        && file.before.attributes().is_some()
        && file.after.attributes().is_some()
    {
        facts.push("Its extended attributes changed.".to_owned());
    }
    if file.before == file.after {
        facts.push(names_fact(file));
    }
    if let (Some(old), Some(new)) = (file.before.mode(), file.after.mode())
        && old != new
    {
        facts.push(format!("Permission bits: {old:o} became {new:o}."));
    }
    for (image, when) in [(&file.before, "before"), (&file.after, "after")] {
        if let Some(why) = image.not_kept() {
            facts.push(format!("What it was {when} is not shown: {why}."));
        }
    }
    facts
}

/// What became of the other names of a file whose content is as it was.
fn names_fact(file: &FileStep) -> String {
    let words = |names: &[std::path::PathBuf]| {
        let names = names.iter().filter_map(|name| name.file_name());
        let names: Vec<String> = names
            .map(|name| name.to_string_lossy().into_owned())
            .collect();
        if names.is_empty() {
            "a file of its own".to_owned()
        } else {
            format!("one file with {}", names.join(", "))
        }
    };
    format!(
        "Hard links: it was {} and is {}.",
        words(&file.names_before.0),
        words(&file.names_after.0)
    )
}

fn empty_diff(path: &str, change: FileChange) -> Diff {
    Diff {
        path: path.to_owned(),
        change,
        hunks: Vec::new(),
        added: 0,
        removed: 0,
        hidden_hunks: 0,
        notes: Vec::new(),
    }
}

pub(super) fn text_diff(path: &str, change: FileChange, sides: &Sides, ignore_space: bool) -> Diff {
    let (old, new) = sides.texts();
    let compared = if ignore_space {
        adroit_workspace::diff_ignoring_space(&old, &new)
    } else {
        adroit_workspace::diff(&old, &new)
    };
    let mut diff = Diff {
        added: compared.added,
        removed: compared.removed,
        ..empty_diff(path, change)
    };
    if ignore_space && compared.hunks.is_empty() && old != new {
        diff.notes
            .push("All that differs is white space.".to_owned());
    }
    fill(&mut diff, compared.hunks, MOST_LINES);
    diff
}

/// Puts places into a diff as far as there is room, and counts the rest.
fn fill(diff: &mut Diff, hunks: Vec<Hunk>, mut room: usize) {
    for hunk in hunks {
        if hunk.lines.len() <= room {
            room -= hunk.lines.len();
            diff.hunks.push(hunk);
        } else {
            diff.hidden_hunks += 1;
        }
    }
}

/// What putting back would change in the content, from what stands there now.
pub(super) fn bytes_diff(path: &str, now: Option<&[u8]>, to: &Target) -> Option<Diff> {
    let text = |bytes: Option<&[u8]>| match bytes {
        None => Some(String::new()),
        Some(bytes) => LoadedText::from_bytes(bytes.to_vec(), Path::new(""))
            .ok()
            .map(|loaded| loaded.text),
    };
    let (old, new) = (text(now)?, text(to.bytes.as_deref())?);
    let change = match (now, &to.bytes) {
        (None, Some(_)) => FileChange::Created,
        (Some(_), None) => FileChange::Deleted,
        _ => FileChange::Updated,
    };
    let compared = adroit_workspace::diff(&old, &new);
    if compared.hunks.is_empty() {
        return None;
    }
    let mut diff = Diff {
        added: compared.added,
        removed: compared.removed,
        ..empty_diff(path, change)
    };
    fill(&mut diff, compared.hunks, MOST_LINES / 10);
    Some(diff)
}

impl Session {
    /// The changes of a scope.
    ///
    /// # Errors
    /// They are not known any more, or the repository cannot be asked.
    pub async fn changes(&self, scope: ChangeScope) -> Result<ChangeList, UndoError> {
        self.may_ask(&scope)?;
        let kept = Arc::clone(&self.checkpointing);
        off_thread(move || kept.list(&scope)).await?
    }

    /// One file of a scope, old against new.
    ///
    /// # Errors
    /// As [`Session::changes`]; or the file is not among them.
    pub async fn compare_file(
        &self,
        scope: ChangeScope,
        path: String,
        ignore_space: bool,
    ) -> Result<FileComparison, UndoError> {
        self.may_ask(&scope)?;
        let kept = Arc::clone(&self.checkpointing);
        off_thread(move || kept.compare(&scope, &path, ignore_space)).await?
    }
}
