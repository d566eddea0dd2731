//! What a command was kept from, in words.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use adroit_process::{Denial, Exit, ExitReason, SandboxPolicy};

use super::network::Network;
use super::{Confined, Hold, list};
use crate::services::SandboxMode;

/// Commands remembered with what they were kept from, to be named in a request.
const REMEMBERED: usize = 32;

/// What the last commands were kept from.
#[derive(Default)]
pub(in crate::bash) struct Denied(Mutex<VecDeque<(String, Vec<Denial>)>>);

/// What a command was kept from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Explanation {
    /// Sentences about it.
    pub(crate) what: String,
    /// What to do, for the model.
    pub(crate) next: &'static str,
}

/// Explains a command that goes on, by its end where it has come.
pub(crate) type Explain = Arc<dyn Fn(Option<&Exit>) -> Option<Explanation> + Send + Sync>;

/// What is known of one command. Unlike [`Confined`] it keeps nothing in force.
#[derive(Clone, Debug)]
struct Held {
    policy: SandboxPolicy,
    network: Network,
    mode: SandboxMode,
    command: String,
    cwd: PathBuf,
}

impl Denied {
    fn remember(&self, command: &str, denials: &[Denial]) {
        let mut denied = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        denied.retain(|(other, _)| other != command);
        denied.truncate(REMEMBERED - 1);
        denied.push_front((command.to_owned(), denials.to_vec()));
    }

    pub(super) fn of(&self, command: &str) -> Vec<Denial> {
        let denied = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        denied
            .iter()
            .find(|(other, _)| other == command)
            .map(|(_, denials)| denials.clone())
            .unwrap_or_default()
    }

    /// Explains a command that is held so; `None` where nothing holds it. What it tells of is
    /// remembered, so that a request to run the command outside names it.
    pub(in crate::bash) fn explainer(
        self: &Arc<Self>,
        hold: &Hold,
        command: &str,
        cwd: &Path,
    ) -> Option<Explain> {
        let Hold::Confined(confined) = hold else {
            return None;
        };
        let held = Held::new(confined, command, cwd);
        let denied = Arc::clone(self);
        Some(Arc::new(move |exit| {
            let printed = exit
                .filter(|exit| has_failed(&held.command, exit))
                .map(|exit| exit.output.text(usize::MAX));
            let (explanation, denials) = held.explain(printed.as_deref())?;
            denied.remember(&held.command, &denials);
            Some(explanation)
        }))
    }
}

fn has_failed(command: &str, exit: &Exit) -> bool {
    let code = exit.status.shell_code();
    let benign = || adroit_shell::exit_meaning(command, code).is_some_and(|meaning| meaning.benign);
    exit.reason != ExitReason::Exited || code != 0 && !benign()
}

impl Held {
    fn new(confined: &Confined, command: &str, cwd: &Path) -> Self {
        Self {
            policy: confined.policy.clone(),
            network: confined.network.clone(),
            mode: confined.mode,
            command: command.to_owned(),
            cwd: cwd.to_owned(),
        }
    }

    /// `failed` is what a command printed that did not succeed.
    fn explain(&self, failed: Option<&str>) -> Option<(Explanation, Vec<Denial>)> {
        let told = failed.map(|output| self.policy.denials(output, &self.cwd));
        let (told, hosts) = self.network.sort(told.unwrap_or_default());
        let denials: Vec<Denial> = hosts.iter().chain(&told).cloned().collect();
        if denials.is_empty() {
            return None;
        }
        let mut sentences = self.network.explain(&hosts, &told);
        if !told.is_empty() {
            sentences.push(format!(
                "The output of the command tells of a failure at {}, which the sandbox does not \
                 allow.",
                list(&told)
            ));
        }
        let next = match self.mode {
            SandboxMode::Required => {
                "The settings require the sandbox, so the command cannot be run outside of it; \
                 tell the user if it has to be."
            }
            SandboxMode::Auto | SandboxMode::Off => {
                "If it is truly needed, call Bash again with the same command and \
                 dangerouslyDisableSandbox: true; the user is asked and sees this."
            }
        };
        let what = sentences.join(" ");
        Some((Explanation { what, next }, denials))
    }
}
