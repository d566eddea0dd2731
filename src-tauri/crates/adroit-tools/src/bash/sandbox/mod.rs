//! Which sandbox a command runs in, and what is said when it was kept from something.
//!
//! A sandbox is not a permission: what a command is asked about is the same with it
//! and without. It holds what the analysis of the command's text cannot see, such as
//! the scripts of a package that is installed.

mod caches;
mod created;
mod explain;
mod grants;
mod network;
mod policy;
mod repository;
mod sockets;

#[cfg(test)]
mod tests;

use std::path::Path;
use std::sync::Arc;

use adroit_permissions::ToolCheck;
use adroit_process::{Backend, Denial, Environment, Gate, Running, SandboxPolicy, ShellKind};
use adroit_tool::{CallContext, ToolFailure};

use self::created::{Created, Watched};
pub(super) use self::explain::Denied;
pub(crate) use self::explain::{Explain, Explanation};
use self::network::Network;
use super::{Bash, BashInput};
use crate::services::{SandboxMode, SandboxSettings, WhileSandboxed};

/// How one command is held.
#[derive(Clone, Debug)]
pub(super) enum Hold {
    /// Not at all: by the settings, because nothing works here, because the command is known
    /// to do nothing but read, or because it asks programs that no sandbox can hold.
    Free,
    /// Not at all: a person was asked.
    Released,
    /// To this policy.
    Confined(Box<Confined>),
}

/// A policy and who enforces it.
#[derive(Clone, Debug)]
pub(super) struct Confined {
    pub(super) backend: Backend,
    pub(super) policy: SandboxPolicy,
    pub(super) mode: SandboxMode,
    /// Protected names that it could make.
    watched: Watched,
    network: Network,
    /// Settings that appear count for nothing as long as this is kept.
    kept: WhileSandboxed,
}

impl Confined {
    /// Has settings that appear count for nothing until nothing of the command is left, even
    /// where its call is dropped before.
    pub(super) fn keep_for(&self, running: &Running) {
        let (kept, running) = (Arc::clone(&self.kept), running.clone());
        tokio::spawn(async move {
            running.gone().await;
            drop(kept);
        });
    }

    /// What it made at protected names until now, in words. Settings and hooks are moved into
    /// `keep`.
    pub(super) fn made(&self, keep: Option<&Path>) -> Vec<String> {
        let created = self.watched.end(keep);
        created.iter().map(Created::words).collect()
    }
}

impl Bash {
    fn sandbox_settings(&self) -> SandboxSettings {
        (self.services.commands)().sandbox
    }

    /// Finds out what holds commands here while the model still writes its first one: the
    /// trial takes longer than most commands.
    pub(super) fn warm_up(&self) {
        self.warmed.call_once(|| self.try_out());
    }

    fn try_out(&self) {
        let settings = self.sandbox_settings();
        let sandbox = &self.services.sandbox;
        if settings.mode == SandboxMode::Off || sandbox.found(settings.network).is_some() {
            return;
        }
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            let sandbox = sandbox.clone();
            runtime.spawn(async move {
                sandbox.find(settings.network).await;
            });
        }
    }

    /// How this command is to be held now, and its way to the network where that is a list.
    ///
    /// # Errors
    /// In the mode `required`, where it cannot be.
    pub(super) async fn hold(
        &self,
        input: &BashInput,
        context: &CallContext,
        environment: &Environment,
        shell: ShellKind,
    ) -> Result<(Hold, Option<Gate>), ToolFailure> {
        let settings = self.sandbox_settings();
        if settings.mode == SandboxMode::Off {
            return Ok((Hold::Free, None));
        }
        if input.dangerously_disable_sandbox && settings.mode != SandboxMode::Required {
            return Ok((Hold::Released, None));
        }
        let analysis = self.analyses.of(&input.command, &context.cwd);
        if let Some(program) = grants::outside(&analysis) {
            if settings.mode == SandboxMode::Required {
                return Err(refused(&format!(
                    "`{program}` does its work outside of any sandbox, and the settings require one."
                )));
            }
            return Ok((Hold::Free, None));
        }
        // A sandbox takes longer to set up than such a command to run, and has nothing to hold.
        // In `required` the person wants no judgement of ours before it.
        if settings.mode == SandboxMode::Auto && grants::only_reads(&analysis) {
            return Ok((Hold::Free, None));
        }
        let backend = match &self.services.sandbox.find(settings.network).await.backend {
            Ok(backend) => backend.clone(),
            Err(unavailable) if settings.mode == SandboxMode::Required => {
                return Err(refused(&format!(
                    "the settings require a sandbox, and none works on this machine ({unavailable})."
                )));
            }
            Err(_) => return Ok((Hold::Free, None)),
        };
        let kept = (self.services.sandboxed)();
        let grants = grants::of(&analysis);
        caches::make(&self.services.home, &grants.programs);
        // Looked for each time: a command may make a cache, and put a link in its place.
        let caches = caches::of(&self.services.home, |name| environment.get(name));
        let sockets = sockets::of(&grants, &policy::temporary(), |name| environment.get(name));
        let places = policy::Places {
            workspace: &self.services.workspace,
            home: &self.services.home,
            caches: &caches,
            sockets: &sockets,
            settings: &settings,
            definitions: environment.definitions(shell).and_then(Path::parent),
        };
        let (mut policy, watched) = places.policy(&grants);
        let (network, gate) = Network::of(&self.services.sandbox, &backend, &settings);
        policy.door = gate.as_ref().map(Gate::door);
        let confined = Confined {
            policy,
            backend,
            mode: settings.mode,
            watched,
            network,
            kept,
        };
        Ok((Hold::Confined(Box::new(confined)), gate))
    }

    /// Leaving the sandbox is for a person to decide, in every mode: where a mode or a
    /// rule lets commands run unasked, it is what still holds them.
    pub(super) fn check_release(&self, input: &BashInput, context: &CallContext) -> ToolCheck {
        let settings = self.sandbox_settings();
        if settings.mode == SandboxMode::Off {
            return ToolCheck::Pass;
        }
        let nothing_holds = self
            .services
            .sandbox
            .found(settings.network)
            .is_some_and(|found| found.backend.is_err());
        let analysis = self.analyses.of(&input.command, &context.cwd);
        // `su -c …` in front of a command would be a way around the question.
        if settings.mode == SandboxMode::Auto
            && !nothing_holds
            && let Some(program) = grants::carrier(&analysis)
        {
            return ToolCheck::Ask {
                reason: format!("`{program}` runs what it is given outside of the sandbox"),
                bypass_immune: true,
            };
        }
        if !input.dangerously_disable_sandbox {
            return ToolCheck::Pass;
        }
        if settings.mode == SandboxMode::Required {
            return ToolCheck::Deny {
                reason: "the settings require the sandbox, so no command may run outside of it"
                    .to_owned(),
            };
        }
        if nothing_holds || grants::outside(&analysis).is_some() {
            return ToolCheck::Pass;
        }
        let denials = self.denied.of(&input.command);
        let reason = if denials.is_empty() {
            "runs outside of the sandbox: it may write wherever you may".to_owned()
        } else {
            format!(
                "runs outside of the sandbox; before, it failed at {}, which the sandbox does not \
                 allow",
                list(&denials)
            )
        };
        ToolCheck::Ask {
            reason,
            bypass_immune: true,
        }
    }

    /// In a request: that the command will not be held.
    pub(super) fn release_notice(
        &self,
        input: &BashInput,
        context: &CallContext,
    ) -> Option<String> {
        let settings = self.sandbox_settings();
        if settings.mode == SandboxMode::Off {
            return None;
        }
        let program = grants::outside(&self.analyses.of(&input.command, &context.cwd))?;
        Some(format!(
            "Runs outside of the sandbox, as `{program}` does its work there anyway."
        ))
    }
}

fn list(denials: &[Denial]) -> String {
    let words: Vec<String> = denials.iter().map(Denial::to_string).collect();
    match words.as_slice() {
        [] => String::new(),
        [one] => one.clone(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}

fn refused(reason: &str) -> ToolFailure {
    ToolFailure::new(
        "sandbox_required",
        format!("The command was not run: {reason}"),
    )
    .with_summary("not run without a sandbox")
}
