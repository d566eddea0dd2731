//! Taking changes back: shown first, then done, then told to the model.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use adroit_checkpoints::{
    Applied, Choice, FileStep, History, HunkRange, Image, Outcome, Plan, PlannedFile, Selection,
    StoreError, Target, Undoing, Verdict,
};
use adroit_protocol::CallId;
use adroit_protocol::changes::{
    CallChanges, ChangeScope, FileChoice, UndoChoice, UndoEffect, UndoFile, UndoLeft, UndoPreview,
    UndoPreviewFile, UndoResult, UndoTarget,
};
use adroit_protocol::view::Diff;
use adroit_workspace::{PathGuard, lock_path};

use super::telling::Told;
use super::{Checkpointing, compare, off_thread, scope};
use crate::Session;
use crate::clock::now_ms;

/// Changes could not be shown or taken back.
#[derive(Debug, thiserror::Error)]
pub enum UndoError {
    /// The store failed. Nothing was changed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A file changed between the preview and the answer.
    #[error("a file changed since the preview was made; nothing was changed")]
    Stale,
    /// There is nothing that could be taken back.
    #[error("there is nothing to take back")]
    Nothing,
    /// The named file is not among the changes.
    #[error("{path} is not among these changes")]
    NoSuchFile {
        /// Which.
        path: String,
    },
    /// The repository could not be asked.
    #[error("the repository cannot be compared with: {reason}")]
    Git {
        /// Why.
        reason: String,
    },
    /// The folder is not trusted, so nothing of its repository may run.
    #[error("the folder is not trusted, so its repository is not asked")]
    Untrusted,
    /// The agent works, and what was asked for needs it to rest.
    #[error("the agent is working")]
    Working,
    /// There is no such turn.
    #[error("there is no turn {turn} in this conversation")]
    NoSuchTurn {
        /// Its number.
        turn: u32,
    },
    /// The transcript could not be written.
    #[error("the conversation could not be written: {reason}")]
    Transcript {
        /// Why.
        reason: String,
    },
    /// A program fault.
    #[error("the work ended unexpectedly: {reason}")]
    Fault {
        /// What is known of it.
        reason: String,
    },
}

impl UndoError {
    /// What the person can do next.
    #[must_use]
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Store(error) => error.hint(),
            Self::Stale => "Look at the new preview.",
            Self::Nothing => "It was taken back already, or nothing was changed.",
            Self::NoSuchFile { .. } => "Reload the list of changes.",
            Self::Git { .. } => "Compare with the session instead.",
            Self::Untrusted => "Trust the folder, or compare with the session instead.",
            Self::Working => "Stop it, or wait until it is done.",
            Self::NoSuchTurn { .. } => "Reload the conversation.",
            Self::Transcript { .. } => "Free space on the disk and try again.",
            Self::Fault { .. } => "Try again; if it stays, restart Adroit.",
        }
    }
}

impl From<tokio::task::JoinError> for UndoError {
    fn from(fault: tokio::task::JoinError) -> Self {
        Self::Fault {
            reason: fault.to_string(),
        }
    }
}

/// What an undo did, for the session to tell.
pub(super) struct Undone {
    pub(super) result: UndoResult,
    pub(super) restored: Vec<String>,
    /// What that changed in each file.
    pub(super) diffs: Vec<Diff>,
    pub(super) changed: Vec<(CallId, CallChanges)>,
}

impl Checkpointing {
    fn plan(&self, target: &UndoTarget) -> Result<(Arc<History>, Plan), UndoError> {
        let history = self.history()?;
        let steps = scope::to_take_back(history, target);
        self.plan_steps(target, &steps)
    }

    /// As [`Self::plan`], with the steps that the target meant when it was chosen.
    pub(super) fn plan_steps(
        &self,
        target: &UndoTarget,
        steps: &[u64],
    ) -> Result<(Arc<History>, Plan), UndoError> {
        let history = Arc::clone(self.history()?);
        if target.scope == ChangeScope::Git {
            let files = compare::files_of(self, &history, &target.scope)?;
            let selection = self.selection(target, &files)?;
            let plan = history.plan_files(files, &selection);
            return Ok((history, plan));
        }
        if steps.is_empty() {
            return Err(UndoError::Nothing);
        }
        let files: Vec<FileStep> = history
            .steps()
            .into_iter()
            .filter(|step| steps.contains(&step.id))
            .flat_map(|step| step.files)
            .collect();
        let selection = self.selection(target, &files)?;
        let plan = history.plan(steps, &selection);
        Ok((history, plan))
    }

    /// The named files by their paths on the disk.
    fn selection(&self, target: &UndoTarget, files: &[FileStep]) -> Result<Selection, UndoError> {
        let Some(wanted) = &target.files else {
            return Ok(Selection::everything());
        };
        let mut selected = BTreeMap::new();
        for UndoFile { path, hunks } in wanted {
            let file = files
                .iter()
                .find(|file| self.show(&file.path) == *path)
                .ok_or_else(|| UndoError::NoSuchFile { path: path.clone() })?;
            let hunks = hunks
                .iter()
                .map(|place| HunkRange {
                    old_start: place.old_start,
                    old_lines: place.old_lines,
                    new_start: place.new_start,
                    new_lines: place.new_lines,
                })
                .collect();
            selected.insert(file.path.clone(), hunks);
        }
        Ok(Selection {
            files: Some(selected),
        })
    }

    fn preview(&self, target: &UndoTarget) -> Result<UndoPreview, UndoError> {
        let (_, plan) = self.plan(target)?;
        let files = plan
            .files
            .iter()
            .filter(|file| !only_holds_others(file, &plan.files))
            .map(|file| preview_of(file, self.show(&file.path)))
            .collect();
        Ok(UndoPreview {
            fingerprint: plan.fingerprint,
            files,
            notes: plan.notes,
        })
    }

    fn apply(
        &self,
        target: &UndoTarget,
        fingerprint: &str,
        choices: &[FileChoice],
    ) -> Result<Undone, UndoError> {
        let (history, plan) = self.plan(target)?;
        if plan.fingerprint != fingerprint {
            return Err(UndoError::Stale);
        }
        self.carry_out(target, &history, &plan, choices)
    }

    pub(super) fn carry_out(
        &self,
        target: &UndoTarget,
        history: &History,
        plan: &Plan,
        choices: &[FileChoice],
    ) -> Result<Undone, UndoError> {
        let chosen: BTreeMap<PathBuf, Choice> = plan
            .files
            .iter()
            .filter_map(|file| {
                let shown = self.show(&file.path);
                let choice = choices.iter().find(|choice| choice.path == shown)?;
                Some((file.path.clone(), choice_of(choice.choice)))
            })
            .collect();
        let how = Undoing {
            at: now_ms(),
            turn: self.turn(),
            title: if target.redo { "Redo" } else { "Undo" }.to_owned(),
            redo: target.redo,
        };
        let applied = history.apply(plan, &chosen, how)?;
        Ok(self.outcome(history, plan, &chosen, applied))
    }

    fn outcome(
        &self,
        history: &History,
        plan: &Plan,
        chosen: &BTreeMap<PathBuf, Choice>,
        applied: Applied,
    ) -> Undone {
        let mut restored = Vec::new();
        let mut left = Vec::new();
        let mut diffs = Vec::new();
        for file in applied.files {
            let path = self.show(&file.path);
            let Some(planned) = plan.files.iter().find(|planned| planned.path == file.path) else {
                continue;
            };
            let done = match file.outcome {
                Outcome::Restored => true,
                Outcome::RestoredBut(reason) => {
                    left.push(UndoLeft {
                        path: path.clone(),
                        reason,
                    });
                    true
                }
                Outcome::Left(reason) => {
                    left.push(UndoLeft {
                        path: path.clone(),
                        reason,
                    });
                    false
                }
                Outcome::Unchanged => false,
            };
            if done && !only_holds_others(planned, &plan.files) {
                let choice = chosen.get(&file.path).copied().unwrap_or_default();
                let to = target_of(planned, choice);
                diffs.extend(
                    to.and_then(|to| compare::bytes_diff(&path, planned.now_bytes.as_deref(), to)),
                );
                restored.push(path);
            }
        }
        Undone {
            result: UndoResult {
                restored: u32::try_from(restored.len()).unwrap_or(u32::MAX),
                left,
            },
            restored,
            diffs,
            changed: self.refresh(history),
        }
    }
}

/// A folder that is there for the files in it is not worth a line of its own.
fn only_holds_others(file: &PlannedFile, all: &[PlannedFile]) -> bool {
    let folder = match &file.verdict {
        Verdict::Restore { to } => to.image.is_directory() || file.now.is_directory(),
        Verdict::Nothing => file.now.is_directory() || file.now.is_absent(),
        _ => false,
    };
    folder
        && all
            .iter()
            .any(|other| other.path != file.path && other.path.starts_with(&file.path))
}

/// What a file became, where it became something.
fn target_of(file: &PlannedFile, choice: Choice) -> Option<&Target> {
    match (&file.verdict, choice) {
        (Verdict::Restore { to } | Verdict::Merge { to }, _)
        | (Verdict::Conflict { to, .. }, Choice::Overwrite) => Some(to),
        (Verdict::Conflict { marked, .. }, Choice::Mark) => marked.as_ref(),
        _ => None,
    }
}

fn choice_of(choice: UndoChoice) -> Choice {
    match choice {
        UndoChoice::Keep => Choice::Keep,
        UndoChoice::Overwrite => Choice::Overwrite,
        UndoChoice::Mark => Choice::Mark,
    }
}

fn preview_of(file: &PlannedFile, path: String) -> UndoPreviewFile {
    let mut preview = effect_on(file, path);
    if let Some(caveat) = &file.caveat {
        preview.reason = Some(match preview.reason {
            Some(reason) => format!("{reason} {caveat}"),
            None => caveat.clone(),
        });
    }
    preview
}

fn effect_on(file: &PlannedFile, path: String) -> UndoPreviewFile {
    let difference = |to: &Target| compare::bytes_diff(&path, file.now_bytes.as_deref(), to);
    let plain = |effect, diff| UndoPreviewFile {
        path: path.clone(),
        effect,
        reason: None,
        diff,
        choices: Vec::new(),
    };
    match &file.verdict {
        Verdict::Nothing => plain(UndoEffect::Nothing, None),
        Verdict::Restore { to } => plain(effect_of(&file.now, &to.image), difference(to)),
        Verdict::Merge { to } => UndoPreviewFile {
            reason: Some(
                "It was changed since elsewhere in the file; that change stays.".to_owned(),
            ),
            ..plain(UndoEffect::Merge, difference(to))
        },
        Verdict::Conflict { to, marked } => UndoPreviewFile {
            reason: Some(conflict_words(&file.now)),
            choices: [UndoChoice::Keep, UndoChoice::Overwrite]
                .into_iter()
                .chain(marked.as_ref().map(|_| UndoChoice::Mark))
                .collect(),
            ..plain(UndoEffect::Conflict, difference(to))
        },
        Verdict::Impossible { why } => UndoPreviewFile {
            reason: Some(why.clone()),
            ..plain(UndoEffect::Impossible, None)
        },
    }
}

fn conflict_words(now: &Image) -> String {
    match now {
        Image::Absent => "It was deleted since.".to_owned(),
        _ => {
            "It was changed since at the same place. It stays as it is unless you choose otherwise."
                .to_owned()
        }
    }
}

fn effect_of(now: &Image, to: &Image) -> UndoEffect {
    match (now, to) {
        (Image::Absent, _) => UndoEffect::Recreate,
        (_, Image::Absent) => UndoEffect::Remove,
        _ => UndoEffect::Restore,
    }
}

/// The files of a plan.
pub(super) fn paths_of(plan: &Plan) -> Vec<PathBuf> {
    plan.files.iter().map(|file| file.path.clone()).collect()
}

/// Keeps everybody else off these files. In one order, so that two undos never wait for each other.
pub(super) async fn lock_all(paths: Vec<PathBuf>) -> Vec<PathGuard> {
    let mut guards = Vec::with_capacity(paths.len());
    for path in &paths {
        guards.push(lock_path(path).await);
    }
    guards
}

impl Session {
    /// What taking something back would do. Nothing is changed.
    ///
    /// # Errors
    /// There is nothing, or it is not known any more.
    pub async fn preview_undo(&self, target: UndoTarget) -> Result<UndoPreview, UndoError> {
        self.may_ask(&target.scope)?;
        let kept = Arc::clone(&self.checkpointing);
        off_thread(move || kept.preview(&target)).await?
    }

    /// Takes something back as its preview said, tells it, and has it told to the model.
    ///
    /// # Errors
    /// A file changed since the preview, or what stands there could not be kept: nothing was
    /// changed then.
    pub async fn undo(
        self: &Arc<Self>,
        target: UndoTarget,
        fingerprint: String,
        choices: Vec<FileChoice>,
    ) -> Result<UndoResult, UndoError> {
        // A task of its own: whoever asked may go away (a page that is loaded again), and what was
        // begun is still ended and told.
        let session = Arc::clone(self);
        tokio::spawn(async move { session.undo_now(target, fingerprint, choices).await }).await?
    }

    async fn undo_now(
        &self,
        target: UndoTarget,
        fingerprint: String,
        choices: Vec<FileChoice>,
    ) -> Result<UndoResult, UndoError> {
        self.may_ask(&target.scope)?;
        let redo = target.redo;
        let kept = Arc::clone(&self.checkpointing);
        let planned = target.clone();
        let paths = off_thread(move || kept.plan(&planned).map(|(_, plan)| paths_of(&plan)));
        let guards = lock_all(paths.await??).await;
        let kept = Arc::clone(&self.checkpointing);
        let undone = off_thread(move || {
            let _guards = guards;
            kept.apply(&target, &fingerprint, &choices)
        })
        .await??;
        self.tell_undone(&undone, if redo { Told::Redone } else { Told::Undone });
        Ok(undone.result)
    }

    /// Filters of a repository's configuration are programs: they run in trusted folders only.
    pub(super) fn may_ask(&self, scope: &ChangeScope) -> Result<(), UndoError> {
        if *scope == ChangeScope::Git && !self.trusted() {
            return Err(UndoError::Untrusted);
        }
        Ok(())
    }
}

/// The path of a file as it is shown, for one that a person named.
pub(super) fn find<'f>(
    kept: &Checkpointing,
    files: &'f [FileStep],
    path: &str,
) -> Result<&'f FileStep, UndoError> {
    files
        .iter()
        .find(|file| shown(kept, &file.path) == path)
        .ok_or_else(|| UndoError::NoSuchFile {
            path: path.to_owned(),
        })
}

fn shown(kept: &Checkpointing, path: &Path) -> String {
    kept.show(path)
}
