//! The last runs of each hook, for the settings panel.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, PoisonError};

use adroit_protocol::hook::HookRun;

/// Runs kept of each hook.
const KEPT: usize = 10;
/// Hooks whose runs are kept. Settings that are edited again and again make new hooks.
const MOST_HOOKS: usize = 500;

/// The last runs of every hook of this run of the app. In memory only: the runs for calls
/// are in the transcript.
#[derive(Debug, Default)]
pub struct HookLog {
    runs: Mutex<HashMap<String, VecDeque<HookRun>>>,
}

impl HookLog {
    /// Keeps a run.
    pub fn add(&self, run: HookRun) {
        let mut runs = self.runs.lock().unwrap_or_else(PoisonError::into_inner);
        if runs.len() >= MOST_HOOKS && !runs.contains_key(&run.hook) {
            let oldest = runs
                .iter()
                .min_by_key(|(_, runs)| runs.front().map_or(0, |run| run.at))
                .map(|(hook, _)| hook.clone());
            oldest.map(|hook| runs.remove(&hook));
        }
        let of_hook = runs.entry(run.hook.clone()).or_default();
        of_hook.truncate(KEPT - 1);
        of_hook.push_front(run);
    }

    /// The last runs of a hook, newest first.
    #[must_use]
    pub fn of(&self, hook: &str) -> Vec<HookRun> {
        self.runs
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get(hook)
            .map(|runs| runs.iter().cloned().collect())
            .unwrap_or_default()
    }
}
