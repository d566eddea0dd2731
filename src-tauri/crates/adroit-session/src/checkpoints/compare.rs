//! Changes as a person looks at them: the list of a scope, and one file old against new.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use adroit_checkpoints::{FileStep, History, Image, Target, capture};
use adroit_protocol::changes::{ChangeList, ChangeScope, ChangedKind, FileComparison, ImageData};
use adroit_protocol::view::{Diff, FileChange, Hunk, LineChange};
use adroit_workspace::LoadedText;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::describe::{Sides, file_change, picture, worth_naming};
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
        return super::git::changes(kept, history);
    }
    let mut files: BTreeMap<PathBuf, (Image, Image)> = BTreeMap::new();
    for step in scope::with_undos(history, scope) {
        for FileStep {
            path,
            before,
            after,
        } in step.files
        {
            files
                .entry(path)
                .and_modify(|(_, last)| *last = after.clone())
                .or_insert((before, after));
        }
    }
    Ok(files
        .into_iter()
        .filter(|(_, (before, after))| before != after)
        .map(|(path, (before, after))| FileStep {
            path,
            before,
            after,
        })
        .collect())
}

impl Checkpointing {
    fn list(&self, scope: &ChangeScope) -> Result<ChangeList, UndoError> {
        let history = self.history()?;
        let files = files_of(self, history, scope)?;
        let mut notes: Vec<String> = scope::with_undos(history, scope)
            .into_iter()
            .flat_map(|step| step.notes)
            .collect();
        notes.dedup();
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

    fn now(&self, history: &History, path: &Path) -> Image {
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
        let mut by_hunk = false;
        if sides.kind == ChangedKind::Text {
            diff = text_diff(path, shown.change, &sides, ignore_space);
            invisible.extend(super::invisible::between(&sides));
            by_hunk = shown.change == FileChange::Updated;
            shown.added = Some(diff.added);
            shown.removed = Some(diff.removed);
        }
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
            by_hunk,
        })
    }

    fn mark(&self, scope: &ChangeScope, path: &str, reviewed: bool) -> Result<(), UndoError> {
        let history = self.history()?;
        let files = files_of(self, history, scope)?;
        let file = find(self, &files, path)?;
        let image = reviewed.then(|| self.now(history, &file.path));
        Ok(history.mark_reviewed(&file.path, image)?)
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

fn text_diff(path: &str, change: FileChange, sides: &Sides, ignore_space: bool) -> Diff {
    let (old, new) = sides.texts();
    let compared = adroit_workspace::diff(&old, &new);
    let mut diff = Diff {
        added: compared.added,
        removed: compared.removed,
        ..empty_diff(path, change)
    };
    let mut room = MOST_LINES;
    let mut only_space = 0;
    for hunk in compared.hunks {
        if ignore_space && differs_in_space_only(&hunk) {
            only_space += 1;
        } else if hunk.lines.len() <= room {
            room -= hunk.lines.len();
            diff.hunks.push(hunk);
        } else {
            diff.hidden_hunks += 1;
        }
    }
    if only_space > 0 {
        diff.notes.push(match only_space {
            1 => "1 place differs in white space only and is not shown.".to_owned(),
            count => format!("{count} places differ in white space only and are not shown."),
        });
    }
    diff
}

/// Whether what goes and what comes read the same without their white space.
fn differs_in_space_only(hunk: &Hunk) -> bool {
    let side = |kind| -> String {
        hunk.lines
            .iter()
            .filter(|line| line.kind == kind)
            .flat_map(|line| line.text.chars())
            .filter(|character| !character.is_whitespace())
            .collect()
    };
    side(LineChange::Removed) == side(LineChange::Added)
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
    let mut room = MOST_LINES / 10;
    for hunk in compared.hunks {
        if hunk.lines.len() <= room {
            room -= hunk.lines.len();
            diff.hunks.push(hunk);
        } else {
            diff.hidden_hunks += 1;
        }
    }
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

    /// Says that a person found a file good as it is now, or takes that back.
    ///
    /// # Errors
    /// As [`Session::compare_file`].
    pub async fn mark_reviewed(
        &self,
        scope: ChangeScope,
        path: String,
        reviewed: bool,
    ) -> Result<(), UndoError> {
        self.may_ask(&scope)?;
        let kept = Arc::clone(&self.checkpointing);
        off_thread(move || kept.mark(&scope, &path, reviewed)).await?
    }
}
