//! What a person looked at and found good: files as they are, and single places of them.

use std::sync::Arc;

use adroit_checkpoints::{FileStep, Hash, History};
use adroit_protocol::changes::{ChangeScope, ChangedFile, ChangedKind, HunkPlace};
use adroit_protocol::view::{Diff, FileChange, Hunk, LineChange};

use super::compare::{files_of, text_diff};
use super::describe::Sides;
use super::undo::{UndoError, find};
use super::{Checkpointing, off_thread};
use crate::Session;

impl Checkpointing {
    /// The places of a diff that are accepted, by their position.
    pub(super) fn accepted(
        &self,
        history: &History,
        file: &FileStep,
        shown: &ChangedFile,
        diff: &Diff,
    ) -> Vec<u32> {
        let marks = history.reviewed_places(&file.path);
        diff.hunks
            .iter()
            .zip(0..)
            .filter(|(hunk, _)| shown.reviewed || marks.contains(&mark_of(hunk)))
            .map(|(_, place)| place)
            .collect()
    }

    fn mark(
        &self,
        scope: &ChangeScope,
        path: Option<&str>,
        hunks: &[HunkPlace],
        reviewed: bool,
    ) -> Result<(), UndoError> {
        let history = self.history()?;
        let files = files_of(self, history, scope)?;
        let Some(path) = path else {
            return files
                .iter()
                .try_for_each(|file| self.mark_file(history, file, reviewed));
        };
        let file = find(self, &files, path)?;
        if hunks.is_empty() {
            return self.mark_file(history, file, reviewed);
        }
        self.mark_places(history, file, hunks, reviewed)
    }

    fn mark_file(
        &self,
        history: &History,
        file: &FileStep,
        reviewed: bool,
    ) -> Result<(), UndoError> {
        let image = reviewed.then(|| self.now(history, &file.path));
        if !reviewed {
            history.mark_places(&file.path, Vec::new())?;
        }
        Ok(history.mark_reviewed(&file.path, image)?)
    }

    /// A file all of whose places are accepted is accepted; one of which a place is not is not.
    fn mark_places(
        &self,
        history: &History,
        file: &FileStep,
        places: &[HunkPlace],
        reviewed: bool,
    ) -> Result<(), UndoError> {
        let now = self.now(history, &file.path);
        let sides = Sides::load(history.store(), file);
        let shown = self.show(&file.path);
        if sides.kind != ChangedKind::Text {
            return Err(UndoError::NoSuchFile { path: shown });
        }
        let diff = text_diff(&shown, FileChange::Updated, &sides, false);
        let chosen: Vec<Hash> = diff
            .hunks
            .iter()
            .filter(|hunk| places.iter().any(|place| is_at(hunk, place)))
            .map(mark_of)
            .collect();
        if chosen.len() != places.len() {
            return Err(UndoError::Stale);
        }
        let was_whole = history.is_reviewed(&file.path, &now);
        let before = history.reviewed_places(&file.path);
        let marks: Vec<Hash> = diff
            .hunks
            .iter()
            .map(mark_of)
            .filter(|mark| {
                if chosen.contains(mark) {
                    reviewed
                } else {
                    was_whole || before.contains(mark)
                }
            })
            .collect();
        let whole = diff.hidden_hunks == 0 && marks.len() == diff.hunks.len();
        history.mark_places(&file.path, marks)?;
        if whole || was_whole {
            history.mark_reviewed(&file.path, whole.then_some(now))?;
        }
        Ok(())
    }
}

fn is_at(hunk: &Hunk, place: &HunkPlace) -> bool {
    (
        hunk.old_start,
        hunk.old_lines,
        hunk.new_start,
        hunk.new_lines,
    ) == (
        place.old_start,
        place.old_lines,
        place.new_start,
        place.new_lines,
    )
}

/// What a place says, wherever in the file it stands: the mark falls when that changes.
fn mark_of(hunk: &Hunk) -> Hash {
    let mut said = Vec::new();
    for line in &hunk.lines {
        said.push(match line.kind {
            LineChange::Context => b' ',
            LineChange::Added => b'+',
            LineChange::Removed => b'-',
        });
        said.extend_from_slice(line.text.as_bytes());
        said.extend_from_slice(match line.ending {
            None => b"\n",
            Some(adroit_protocol::view::LineEnding::Crlf) => b"\r\n",
            Some(adroit_protocol::view::LineEnding::Cr) => b"\r",
        });
    }
    Hash::of(&said)
}

impl Session {
    /// Says that a person found changes good as they are now, or takes that back: places of a
    /// file, a file, or every file of the scope.
    ///
    /// # Errors
    /// As [`Session::compare_file`]; or a place is not there any more.
    pub async fn mark_reviewed(
        &self,
        scope: ChangeScope,
        path: Option<String>,
        hunks: Vec<HunkPlace>,
        reviewed: bool,
    ) -> Result<(), UndoError> {
        self.may_ask(&scope)?;
        let kept = Arc::clone(&self.checkpointing);
        off_thread(move || kept.mark(&scope, path.as_deref(), &hunks, reviewed)).await?
    }
}
