//! Which steps a person means.

use std::collections::BTreeSet;

use adroit_checkpoints::{History, Origin, Step, StepState};
use adroit_protocol::changes::{ChangeScope, UndoTarget};

/// Whether a call's step is in the scope.
fn is_in(step: &Step, scope: &ChangeScope) -> bool {
    match (&step.origin, scope) {
        (Origin::Call { call }, ChangeScope::Call { call: wanted }) => call == wanted,
        (Origin::Call { .. }, ChangeScope::Turn { turn }) => step.turn == *turn,
        (Origin::Call { .. }, ChangeScope::Since { turn }) => step.turn >= *turn,
        (Origin::Call { .. }, ChangeScope::Session) => true,
        _ => false,
    }
}

/// The calls of a scope, oldest first.
fn calls(steps: &[Step], scope: &ChangeScope) -> BTreeSet<u64> {
    steps
        .iter()
        .filter(|step| is_in(step, scope))
        .map(|step| step.id)
        .collect()
}

/// The calls of a scope with every undo and redo of them: together they are what is left of it.
pub(super) fn with_undos(history: &History, scope: &ChangeScope) -> Vec<Step> {
    let steps = history.steps();
    let mut wanted = calls(&steps, scope);
    for step in &steps {
        if let Origin::Undo { steps, .. } | Origin::Redo { steps, .. } = &step.origin
            && steps.iter().any(|taken| wanted.contains(taken))
        {
            wanted.insert(step.id);
        }
    }
    steps
        .into_iter()
        .filter(|step| wanted.contains(&step.id) && step.state == StepState::Done)
        .collect()
}

/// The steps that have to be taken back for a target.
pub(super) fn to_take_back(history: &History, target: &UndoTarget) -> Vec<u64> {
    let steps = history.steps();
    let undone = history.undone();
    let calls = calls(&steps, &target.scope);
    if !target.redo {
        return calls
            .into_iter()
            .filter(|step| !undone.contains(step))
            .collect();
    }
    // The newest undo that is still in force; the ones before it were undone with it or are older.
    steps
        .iter()
        .rev()
        .find(|step| {
            matches!(&step.origin, Origin::Undo { steps, .. } if steps.iter().any(|taken| calls.contains(taken)))
                && !undone.contains(&step.id)
                && step.state == StepState::Done
        })
        .map(|step| vec![step.id])
        .unwrap_or_default()
}
