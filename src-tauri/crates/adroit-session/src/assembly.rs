//! Puts the parts of one agent together.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use adroit_engine::{
    Classifier, Consent, CurrentDirectory, Discovered, Engine, Execution, NoClassifier, Observer,
    Pool, ResultStore,
};
use adroit_permissions::{HostList, RuleSet};
use adroit_process::{SandboxNetwork, SurvivorPolicy};
use adroit_protocol::SessionId;
use adroit_protocol::permission::RuleScope;
use adroit_protocol::settings::{self, Survivors};
use adroit_tool::{AnyTool, FileState, Limits, RememberedFiles};
use adroit_tools::{
    Agents, BackgroundTasks, CommandLimits, CommandSettings, SandboxMode, SandboxSettings, Services,
};
use adroit_workspace::Workspace;

use crate::announcing::Announcing;
use crate::approvals::{Approvals, NobodyToAsk};
use crate::auto::AutoMode;
use crate::checkpoints::{Checkpointing, KeptBy};
use crate::hooks::{Notifying, SessionHooks};
use crate::modes::ModeSwitch;
use crate::permissions::SessionPermissions;
use crate::session::{OpenError, Shared};
use crate::settings::{Effective, allow_rule};
use crate::state::SessionState;
use crate::terminals::{ArcRegistry, TerminalRegistry};
use crate::transcript::Transcript;
use crate::turn::Observing;
use crate::watched::WatchedFiles;

/// The tool that loads deferred ones.
const TOOL_SEARCH: &str = "ToolSearch";

/// Stores rules where the person wants them.
pub(crate) fn remember(
    shared: &Shared,
    project: &Path,
    permissions: &Arc<SessionPermissions>,
) -> crate::approvals::Remember {
    let settings = Arc::clone(&shared.settings);
    let project = project.to_path_buf();
    let permissions = Arc::clone(permissions);
    let emit = Arc::clone(&shared.emit);
    Arc::new(move |rule, scope, expires_at| {
        match settings.file_of(scope, Some(&project)) {
            None => permissions.allow_until(rule, expires_at),
            Some(_) if !permissions.trusted() && scope != RuleScope::User => {
                return Err("the folder is not trusted, so its settings take no effect".to_owned());
            }
            Some(path) => {
                let until = expires_at.map(crate::moment::to_text);
                let edited =
                    allow_rule(&path, rule, until.as_deref()).map_err(|error| error.to_string())?;
                settings.edited(Some(&project), &edited);
            }
        }
        emit(adroit_protocol::event::Event::SettingsChanged);
        Ok(())
    })
}

/// Switches of tools that are set for this start of the app only: `ADROIT_FEATURES`, a list such as
/// `notebooks=off,toolSearch=on`. They go before those of settings.
const FEATURES_VARIABLE: &str = "ADROIT_FEATURES";

fn environment_features() -> BTreeMap<String, bool> {
    let text = std::env::var(FEATURES_VARIABLE).unwrap_or_default();
    let mut features = BTreeMap::new();
    for word in text
        .split(',')
        .map(str::trim)
        .filter(|word| !word.is_empty())
    {
        match adroit_tools::parse_feature(word) {
            Some((name, on)) => {
                features.insert(name, on);
            }
            None => tracing::warn!(
                "{FEATURES_VARIABLE}: {word:?} is not used; write NAME=on or NAME=off, where NAME is one of {}",
                adroit_tools::feature_names()
            ),
        }
    }
    features
}

/// The settings' word for what the sandbox calls so.
#[must_use]
pub fn sandbox_network(network: settings::SandboxNetwork) -> SandboxNetwork {
    match network {
        settings::SandboxNetwork::On => SandboxNetwork::On,
        settings::SandboxNetwork::AllowListed => SandboxNetwork::Listed,
        settings::SandboxNetwork::Off => SandboxNetwork::Off,
    }
}

/// How commands are run, by the settings of the moment.
fn command_settings(
    shared: &Shared,
    project: &Path,
    permissions: &Arc<SessionPermissions>,
) -> Arc<dyn Fn() -> CommandSettings + Send + Sync> {
    let settings = Arc::clone(&shared.settings);
    let directories = shared.directories.clone();
    let project = project.to_path_buf();
    let permissions = Arc::clone(permissions);
    Arc::new(move || {
        let effective = settings.effective(Some(&project), permissions.trusted());
        let limits = effective.execution.limits.clone().unwrap_or_default();
        let sandbox = effective.execution.sandbox.clone().unwrap_or_default();
        CommandSettings {
            limits: CommandLimits {
                timeout: limits
                    .timeout_seconds
                    .map(u64::from)
                    .map(Duration::from_secs),
                memory: limits.memory_megabytes.map(|size| u64::from(size) << 20),
                output: limits.output_megabytes.map(|size| u64::from(size) << 20),
            },
            sandbox: SandboxSettings {
                mode: match sandbox.mode.unwrap_or_default() {
                    settings::SandboxMode::Off => SandboxMode::Off,
                    settings::SandboxMode::Auto => SandboxMode::Auto,
                    settings::SandboxMode::Required => SandboxMode::Required,
                },
                network: sandbox_network(sandbox.network.unwrap_or_default()),
                hosts: HostList::new(&sandbox.allowed_domains),
                writable: sandbox
                    .writable_paths
                    .iter()
                    .map(|path| match path.strip_prefix("~/") {
                        Some(rest) => directories.home().join(rest),
                        None => PathBuf::from(path),
                    })
                    .filter(|path| path.is_absolute())
                    .collect(),
                app: directories.own(),
                secrets: vec![directories.keys()],
            },
            survivors: match effective.execution.survivors.unwrap_or_default() {
                Survivors::Keep => SurvivorPolicy::Keep,
                Survivors::Kill => SurvivorPolicy::Kill,
            },
        }
    })
}

/// While a sandbox holds a command, settings of the project that change count for nothing.
fn sandboxed(shared: &Shared, project: &Path) -> adroit_tools::Sandboxed {
    let settings = Arc::clone(&shared.settings);
    let project = project.to_path_buf();
    Arc::new(move || Arc::new(settings.command_begins(&project)) as adroit_tools::WhileSandboxed)
}

/// The pool of an agent: of these tools, those that switches and rules leave.
pub(crate) fn pool(
    tools: impl IntoIterator<Item = Arc<dyn AnyTool>>,
    effective: &Effective,
    discovered: Discovered,
) -> Pool {
    let rules = RuleSet::compile(effective.rules.clone());
    let features = adroit_tools::features(&effective.features, &environment_features());
    let pool = Pool::assemble(tools, Vec::new(), &rules, &features).with_discovered(discovered);
    // Where a rule takes away the tool that loads the others, they are all there from the start.
    if pool.find(TOOL_SEARCH).is_none() {
        let names: Vec<String> = pool
            .deferred_names()
            .iter()
            .map(|&name| name.to_owned())
            .collect();
        names
            .into_iter()
            .for_each(|name| pool.discovered().insert(name));
    }
    pool
}

#[allow(clippy::too_many_arguments)] // The one place where the parts of an agent come together.
pub(crate) fn build_engine(
    shared: &Shared,
    project: &Path,
    id: &SessionId,
    permissions: &Arc<SessionPermissions>,
    modes: &Arc<ModeSwitch>,
    approvals: &Arc<Approvals>,
    auto: &Arc<AutoMode>,
    terminals: &Arc<TerminalRegistry>,
    tasks: &BackgroundTasks,
    observing: &Arc<Observing>,
    hooks: &Arc<SessionHooks>,
    state: &Arc<SessionState>,
    checkpointing: &Arc<Checkpointing>,
    transcript: &Arc<Transcript>,
    agents: Arc<dyn Agents>,
    discovered: Discovered,
    interactive: bool,
) -> Result<(Arc<Engine>, Services), OpenError> {
    let effective = shared
        .settings
        .effective(Some(project), permissions.trusted());
    let additional = crate::permissions::folders(&effective, project, shared.directories.home());
    let workspace = Workspace::new(
        project,
        additional,
        Some(shared.directories.home().to_path_buf()),
    )
    .map_err(|error| OpenError::Workspace(error.to_string()))?;
    let results = shared.directories.results(project, id);
    let services = Services {
        workspace: Arc::new(workspace),
        supervisor: shared.supervisor.clone(),
        sandbox: shared.sandbox.clone(),
        environment: Arc::clone(&shared.environment),
        terminals: Arc::new(ArcRegistry(Arc::clone(terminals))),
        tasks: tasks.clone(),
        agents,
        commands: command_settings(shared, project, permissions),
        sandboxed: sandboxed(shared, project),
        home: shared.directories.home().to_path_buf(),
        readable_data: vec![results.clone()],
    };
    let pool = pool(adroit_tools::all(&services), &effective, discovered);
    let consent: Arc<dyn Consent> = if interactive {
        Arc::clone(approvals) as Arc<dyn Consent>
    } else {
        Arc::new(NobodyToAsk)
    };
    // Without a person there is nobody whose place a classifier could take.
    let classifier: Arc<dyn Classifier> = if interactive {
        Arc::clone(auto) as _
    } else {
        Arc::new(NoClassifier)
    };
    let observer: Arc<dyn Observer> = if interactive {
        Arc::new(Notifying {
            inner: Arc::clone(observing) as _,
            hooks: Arc::clone(hooks),
            project: project.into(),
        })
    } else {
        Arc::clone(observing) as _
    };
    // Without anybody who looks, a stale edit is noticed all the same.
    let files: Arc<dyn FileState> = if interactive {
        Arc::new(WatchedFiles::new(project, Arc::clone(state)))
    } else {
        Arc::new(RememberedFiles::default())
    };
    let engine = Arc::new(Engine {
        pool: Arc::new(pool),
        permissions: Arc::clone(modes) as _,
        consent,
        classifier,
        observer,
        checkpoints: Arc::new(Announcing {
            kept: KeptBy(Arc::clone(checkpointing)),
            transcript: Arc::clone(transcript),
        }),
        hooks: Arc::clone(hooks.runtime()) as _,
        results: ResultStore::new(results),
        limits: Limits::default(),
        files,
        cwd: CurrentDirectory::new(project),
        execution: Execution::from_environment(),
        agent: None,
        interactive,
    });
    Ok((engine, services))
}
