//! Undos that a person chose while the agent works: they wait for the end of the turn.
//!
//! A file that goes back under the agent's hands would be read, or edited, half old and half new.
//! What is to be taken back is fixed when it is chosen; what the agent changes in the same file
//! until then is merged, or is a conflict and stays.

use std::collections::BTreeSet;
use std::sync::Arc;

use adroit_checkpoints::Plan;
use adroit_protocol::ItemId;
use adroit_protocol::changes::{ChangeScope, FileChoice, UndoTarget, WaitingUndo};
use adroit_protocol::view::Tone;

use super::telling::Told;
use super::undo::{UndoError, Undone, lock_all, paths_of};
use super::{Checkpointing, compare, off_thread, scope};
use crate::Session;
use crate::transcript::StoredUndo;

/// Files that are named before the rest is counted.
const NAMED: usize = 20;

impl Checkpointing {
    /// What an undo would take back, fixed for later.
    fn fix(
        &self,
        target: UndoTarget,
        title: String,
        choices: Vec<FileChoice>,
    ) -> Result<StoredUndo, UndoError> {
        let history = self.history()?;
        let steps = scope::to_take_back(history, &target);
        let (history, plan) = self.plan_steps(&target, &steps)?;
        let seen = if target.scope == ChangeScope::Git {
            self.as_seen(&history, &plan)?
        } else {
            Vec::new()
        };
        let files: Vec<String> = plan
            .files
            .iter()
            .map(|file| self.show(&file.path))
            .collect();
        let more = u32::try_from(files.len().saturating_sub(NAMED)).unwrap_or(u32::MAX);
        Ok(StoredUndo {
            shown: WaitingUndo {
                id: ItemId::generate(),
                title,
                target,
                files: files.into_iter().take(NAMED).collect(),
                more,
            },
            steps,
            choices,
            seen,
        })
    }

    /// The files of a plan with what they differ by from the last commit.
    fn as_seen(
        &self,
        history: &adroit_checkpoints::History,
        plan: &Plan,
    ) -> Result<Vec<(String, String)>, UndoError> {
        let files = compare::files_of(self, history, &ChangeScope::Git)?;
        Ok(files
            .iter()
            .filter(|file| plan.files.iter().any(|planned| planned.path == file.path))
            .map(|file| {
                let state = format!("{:?} {:?}", file.before, file.after);
                (self.show(&file.path), state)
            })
            .collect())
    }

    fn plan_fixed(
        &self,
        undo: &StoredUndo,
    ) -> Result<(Arc<adroit_checkpoints::History>, Plan), UndoError> {
        let history = self.history()?;
        let undone: BTreeSet<u64> = history.undone();
        let steps: Vec<u64> = undo
            .steps
            .iter()
            .copied()
            .filter(|step| !undone.contains(step))
            .collect();
        let target = &undo.shown.target;
        let by_place = target
            .files
            .iter()
            .flatten()
            .any(|file| !file.hunks.is_empty());
        // The numbers of lines are those of the changes that were seen, and of no others.
        if by_place && steps != undo.steps {
            return Err(UndoError::Nothing);
        }
        let (history, plan) = self.plan_steps(target, &steps)?;
        if by_place
            && target.scope == ChangeScope::Git
            && self.as_seen(&history, &plan)? != undo.seen
        {
            return Err(UndoError::Stale);
        }
        Ok((history, plan))
    }

    fn carry_out_fixed(&self, undo: &StoredUndo) -> Result<Undone, UndoError> {
        let (history, plan) = self.plan_fixed(undo)?;
        self.carry_out(&undo.shown.target, &history, &plan, &undo.choices)
    }
}

impl Session {
    /// Takes something back when the turn ends; at once where none runs.
    ///
    /// # Errors
    /// There is nothing to take back.
    pub async fn undo_later(
        self: &Arc<Self>,
        target: UndoTarget,
        title: String,
        choices: Vec<FileChoice>,
    ) -> Result<(), UndoError> {
        self.may_ask(&target.scope)?;
        let kept = Arc::clone(&self.checkpointing);
        let undo = off_thread(move || kept.fix(target, title, choices)).await??;
        if let Some(undo) = self.wait_with_undo(undo) {
            // A task of its own, as every undo: whoever asked may go away.
            let session = Arc::clone(self);
            tokio::spawn(async move { session.undo_fixed(&undo).await }).await?;
        }
        Ok(())
    }

    /// Takes back what waited for this. What cannot be taken back is said.
    pub(crate) async fn undo_fixed(&self, undo: &StoredUndo) {
        match self.try_fixed(undo).await {
            Ok(undone) => {
                let told = if undo.shown.target.redo {
                    Told::Redone
                } else {
                    Told::Rejected
                };
                self.tell_undone(&undone, told);
            }
            // It was taken back otherwise meanwhile.
            Err(UndoError::Nothing) => {}
            Err(error) => self.remark(
                Tone::Warning,
                format!(
                    "Not taken back: {}. {} {}",
                    undo.shown.title,
                    adroit_protocol::error::sentence(&error.to_string()),
                    error.hint()
                ),
            ),
        }
    }

    async fn try_fixed(&self, undo: &StoredUndo) -> Result<Undone, UndoError> {
        self.may_ask(&undo.shown.target.scope)?;
        let (kept, planned) = (Arc::clone(&self.checkpointing), undo.clone());
        let paths = off_thread(move || kept.plan_fixed(&planned).map(|(_, plan)| paths_of(&plan)));
        let guards = lock_all(paths.await??).await;
        let (kept, undo) = (Arc::clone(&self.checkpointing), undo.clone());
        off_thread(move || {
            let _guards = guards;
            kept.carry_out_fixed(&undo)
        })
        .await?
    }
}
