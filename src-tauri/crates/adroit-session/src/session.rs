//! One conversation on one project folder.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use adroit_engine::{Discovered, Engine};
use adroit_hooks::HookLog;
use adroit_model::{ModelClient, ModelError, OFFLINE_MODEL};
use adroit_permissions::PermissionSnapshot;
use adroit_process::{LoginEnvironment, Sandbox, Supervisor};
use adroit_protocol::command::{SessionSummary, Trust};
use adroit_protocol::event::{Event, SessionChange, SessionSnapshot, Turn};
use adroit_protocol::message::Usage;
use adroit_protocol::permission::{Behavior, Mode, RuleEntry};
use adroit_protocol::settings::Provider;
use adroit_protocol::{CallId, SessionId};
use adroit_tool::CancelReason;
use adroit_tools::{BackgroundTasks, Services};

use crate::AppDirectories;
use crate::agents::{FromAgents, Identity, SubAgents};
use crate::approvals::{Approvals, Foresee};
use crate::assembly::{build_engine, remember};
use crate::auto::AutoMode;
use crate::checkpoints::{Checkpointing, Follower, Programs};
use crate::context::Context;
use crate::file::FileError;
use crate::hooks::SessionHooks;
use crate::model_choice::ModelChoice;
use crate::modes::ModeSwitch;
use crate::past::Gathered;
use crate::permissions::{BypassRefused, SessionPermissions};
use crate::projects::Projects;
use crate::queue::Work;
use crate::secrets::Secrets;
use crate::settings::{Effective, SettingsStore};
use crate::state::{Emit, SessionState};
use crate::terminals::TerminalRegistry;
use crate::transcript::{self, EntryBody, KnownCall, Transcript};
use crate::turn::Observing;

/// What all sessions of one run of the app share.
#[derive(Clone)]
pub struct Shared {
    /// The app's folders.
    pub directories: AppDirectories,
    /// The settings.
    pub settings: Arc<SettingsStore>,
    /// The keys.
    pub secrets: Arc<Secrets>,
    /// Trust of folders.
    pub projects: Arc<Projects>,
    /// Starts and ends processes.
    pub supervisor: Supervisor,
    /// What holds commands to their places.
    pub sandbox: Sandbox,
    /// The environment of the person's login shell.
    pub environment: Arc<LoginEnvironment>,
    /// The last runs of hooks.
    pub hook_log: Arc<HookLog>,
    /// Where events go.
    pub emit: Emit,
}

/// How a session is opened.
#[derive(Clone, Debug)]
pub struct SessionOptions {
    /// The project's folder, resolved.
    pub project: PathBuf,
    /// A stored session to open again; none begins a new one.
    pub resume: Option<SessionId>,
    /// False where nobody can be asked.
    pub interactive: bool,
    /// Overrides the stored trust: a headless run is started by a person on a folder of their choice.
    pub trusted: Option<bool>,
    /// Pause of the offline operator between pieces, where it is not the usual one.
    pub operator_delay: Option<std::time::Duration>,
}

/// A session could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Its transcript cannot be read.
    #[error(transparent)]
    Transcript(#[from] FileError),
    /// The folder cannot be used.
    #[error("the project folder cannot be used: {0}")]
    Workspace(String),
}

/// One conversation. Everything about it is asked of it; it outlives any window.
pub struct Session {
    pub(crate) shared: Shared,
    pub(crate) project: PathBuf,
    pub(crate) state: Arc<SessionState>,
    pub(crate) transcript: Arc<Transcript>,
    pub(crate) engine: Arc<Engine>,
    pub(crate) observing: Arc<Observing>,
    pub(crate) hooks: Arc<SessionHooks>,
    pub(crate) checkpointing: Arc<Checkpointing>,
    pub(crate) context: Mutex<Context>,
    pub(crate) calls: Mutex<HashMap<CallId, KnownCall>>,
    /// What the model is told with the next request.
    pub(crate) untold: Mutex<Vec<String>>,
    /// Rung when a message is to steer the turn.
    pub(crate) steering: tokio::sync::Notify,
    /// Places in the conversation to which one can go back, oldest first.
    pub(crate) marks: Mutex<Vec<transcript::Mark>>,
    /// Deferred tools of which the transcript knows that they are loaded.
    pub(crate) discovered: Mutex<BTreeSet<String>>,
    pub(crate) gathered: Gathered,
    pub(crate) approvals: Arc<Approvals>,
    pub(crate) permissions: Arc<SessionPermissions>,
    pub(crate) modes: Arc<ModeSwitch>,
    pub(crate) terminals: Arc<TerminalRegistry>,
    pub(crate) tasks: BackgroundTasks,
    pub(crate) interactive: bool,
    /// What the tools of its agents are made with.
    pub(crate) services: Services,
    /// Who it is, where it works for another one.
    pub(crate) identity: Option<Identity>,
    /// The agents that it has started, for whoever looks at them.
    pub(crate) agents: Mutex<HashMap<SessionId, Arc<Session>>>,
    /// What of agents is not in a turn's outcome yet.
    pub(crate) from_agents: Mutex<FromAgents>,
    pub(crate) models: Arc<ModelChoice>,
    pub(crate) work: Mutex<Work>,
}

impl Session {
    /// Opens a session: a new one, or a stored one again.
    ///
    /// # Errors
    /// The folder or the transcript cannot be used.
    pub fn open(shared: Shared, options: SessionOptions) -> Result<Arc<Self>, OpenError> {
        let project = options.project.clone();
        let resumed = options.resume.is_some();
        let id = options.resume.clone().unwrap_or_else(SessionId::generate);
        let transcript = Arc::new(Transcript::new(&shared.directories, &project, &id));
        let mut replayed = if resumed {
            let read = transcript::read(transcript.path())?;
            if read.damaged > 0 {
                tracing::warn!(damaged = read.damaged, path = %transcript.path().display(), "damaged lines were passed over");
            }
            transcript::replay(read.entries)
        } else {
            transcript::Replayed::default()
        };
        let permissions =
            SessionPermissions::new(&shared, &project, options.trusted, replayed.mode);
        let additional = crate::permissions::folders(
            &shared
                .settings
                .effective(Some(&project), permissions.trusted()),
            &project,
            shared.directories.home(),
        );
        let follower = Arc::new(Follower::default());
        let (emit, following) = (Arc::clone(&shared.emit), Arc::clone(&follower));
        let tasks = BackgroundTasks::new(move || {
            emit(Event::TerminalsChanged);
            following.tasks_changed();
        });
        let programs = Programs {
            supervisor: shared.supervisor.clone(),
            environment: Arc::clone(&shared.environment),
        };
        let checkpointing = Checkpointing::new(
            &shared.directories,
            &project,
            &id,
            additional,
            tasks.clone(),
            programs,
        );
        if resumed {
            checkpointing.resume(replayed.turns, &mut replayed.items);
        }
        let snapshot = SessionSnapshot {
            session: id.clone(),
            project: project.display().to_string(),
            title: replayed.title.clone(),
            sequence: 0,
            mode: permissions.mode(),
            model: String::new(),
            items: replayed.items,
            requests: Vec::new(),
            queue: replayed.queue.clone(),
            undos: replayed
                .undos
                .iter()
                .map(|undo| undo.shown.clone())
                .collect(),
            turn: Turn::Idle,
            usage: replayed.usage,
            changed_files: Vec::new(),
            turn_usage: Usage::default(),
        };
        let state = Arc::new(SessionState::new(snapshot, Arc::clone(&shared.emit)));
        let kept = Arc::clone(&checkpointing);
        let foresee: Foresee = Arc::new(move |subject| kept.unrestorable(subject));
        let approvals = Arc::new(Approvals::new(
            Arc::clone(&state),
            remember(&shared, &project, &permissions),
            foresee,
        ));
        let modes = ModeSwitch::new(&permissions, &approvals, &state, &transcript);
        let modes = Arc::new(modes);
        follower.begin(&checkpointing, &state);
        let terminals = TerminalRegistry::new(
            shared.supervisor.clone(),
            Arc::clone(&shared.environment),
            Arc::clone(&shared.emit),
            tasks.clone(),
        );
        let observing = Arc::new(Observing::new(
            Arc::clone(&state),
            Arc::clone(&checkpointing),
        ));
        let hooks = SessionHooks::new(
            &shared,
            &project,
            &id,
            &permissions,
            &state,
            &transcript,
            resumed,
        );
        let models = ModelChoice::new(
            &shared,
            &permissions,
            project.clone(),
            options.operator_delay,
        );
        let auto = AutoMode::new(
            Arc::clone(&state),
            Arc::clone(&permissions),
            Arc::clone(&models),
        );
        let agents = Arc::new(SubAgents::default());
        let (engine, services) = build_engine(
            &shared,
            &project,
            &id,
            &permissions,
            &modes,
            &approvals,
            &auto,
            &terminals,
            &tasks,
            &observing,
            &hooks,
            &state,
            &checkpointing,
            &transcript,
            Arc::clone(&agents) as _,
            Discovered::with(&replayed.discovered),
            options.interactive,
        )?;
        let known_tools = engine.pool.discovered().names().into_iter().collect();
        let session = Arc::new(Self {
            shared,
            project,
            state,
            transcript,
            engine,
            observing,
            hooks,
            checkpointing,
            context: Mutex::new(Context::of(replayed.messages, replayed.compactions)),
            calls: Mutex::new(replayed.calls),
            untold: Mutex::default(),
            steering: tokio::sync::Notify::new(),
            marks: Mutex::new(replayed.marks),
            discovered: Mutex::new(known_tools),
            gathered: Gathered::default(),
            approvals,
            permissions,
            modes,
            terminals,
            tasks,
            interactive: options.interactive,
            models,
            work: Mutex::new(Work::with(replayed.queue, replayed.undos)),
            services,
            identity: None,
            agents: Mutex::default(),
            from_agents: Mutex::default(),
        });
        agents.belong_to(&session);
        session.refresh_model_label();
        if session.interactive {
            session.ask_login_shell_ahead();
        }
        Ok(session)
    }

    /// The login shell may take seconds: it is asked while the person still writes. A run
    /// without a person asks when a command needs it, if one ever does.
    fn ask_login_shell_ahead(&self) {
        let environment = Arc::clone(&self.shared.environment);
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move {
                environment.get().await;
            });
        }
    }

    /// Which.
    #[must_use]
    pub fn id(&self) -> SessionId {
        self.state.session()
    }

    /// The project's folder.
    #[must_use]
    pub fn project(&self) -> &Path {
        &self.project
    }

    /// The present state.
    #[must_use]
    pub fn snapshot(&self) -> SessionSnapshot {
        self.refresh_model_label();
        self.state.snapshot()
    }

    /// The open requests.
    #[must_use]
    pub fn approvals(&self) -> &Arc<Approvals> {
        &self.approvals
    }

    /// The terminals.
    #[must_use]
    pub fn terminals(&self) -> &Arc<TerminalRegistry> {
        &self.terminals
    }

    /// Commands that go on in the background.
    #[must_use]
    pub fn tasks(&self) -> &BackgroundTasks {
        &self.tasks
    }

    /// The engine: for `tool call` and `tool list`, which work beside a conversation.
    #[must_use]
    pub fn engine(&self) -> &Arc<Engine> {
        &self.engine
    }

    /// The rules that were remembered for this session only.
    #[must_use]
    pub fn session_rules(&self) -> Vec<RuleEntry> {
        self.permissions.session_rules()
    }

    /// Adds a rule of this session, or takes it off.
    pub fn change_session_rule(&self, behavior: Behavior, rule: &str, present: bool) {
        self.permissions
            .change_session_rule(behavior, rule, present);
    }

    /// The rules and the mode of this moment.
    pub(crate) fn permission_snapshot(&self) -> PermissionSnapshot {
        self.permissions.snapshot()
    }

    /// Rules, mode or trust changed: requests that need no answer any more are judged again.
    pub fn reconsider_requests(&self) {
        self.approvals.reconsider(&self.permission_snapshot());
    }

    /// Switches the mode, or says why that mode cannot be had. Bypassing needs to be confirmed
    /// once on this machine; `confirmed` does that.
    ///
    /// # Errors
    /// The folder is not trusted, settings forbid it, or it was never confirmed.
    pub fn choose_mode(&self, mode: Mode, confirmed: bool) -> Result<(), BypassRefused> {
        if mode == Mode::BypassPermissions {
            if let Some(refused) = self.permissions.bypass_refused() {
                return Err(refused);
            }
            if !self.shared.projects.confirms_bypass(confirmed) {
                return Err(BypassRefused::Unconfirmed);
            }
        }
        self.set_mode(mode);
        Ok(())
    }

    /// Switches the mode. The very next decision is made in it.
    pub fn set_mode(&self, mode: Mode) {
        self.modes.set(mode);
    }

    /// What is known of a call.
    #[must_use]
    pub fn call(&self, call: &CallId) -> Option<KnownCall> {
        self.calls
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get(call)
            .cloned()
            .or_else(|| self.call_of_agent(call))
    }

    /// Tells `SessionEnd` hooks, where the session had begun: `reason` is what they are told.
    pub async fn farewell(&self, reason: &'static str) {
        let cwd = self.engine.cwd.get();
        self.hooks.farewell(reason, &cwd).await;
    }

    /// Ends the session: requests expire, the turn and every background task stop.
    pub fn close(&self) {
        self.work
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .closed = true;
        self.stop(CancelReason::Shutdown);
        self.tasks.stop_all();
        self.approvals.expire_all();
    }

    /// The client for the model in force, with its name there.
    pub(crate) fn model(&self) -> Result<(Arc<dyn ModelClient>, String), ModelError> {
        let (client, name) = self.models.for_turn()?;
        let own = self.identity.as_ref().and_then(|who| who.model.clone());
        Ok((client, own.unwrap_or(name)))
    }

    /// Deferred tools that the model has loaded since this was asked last.
    pub(crate) fn newly_discovered(&self) -> Vec<String> {
        let names = self.engine.pool.discovered().names();
        let mut stored = self
            .discovered
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        names
            .into_iter()
            .filter(|name| stored.insert(name.clone()))
            .collect()
    }

    pub(crate) fn trusted(&self) -> bool {
        self.permissions.trusted()
    }

    pub(crate) fn interactive(&self) -> bool {
        self.interactive
    }

    pub(crate) fn max_output_tokens(&self) -> u32 {
        const USUAL: u32 = 16_000;
        self.effective().model.max_output_tokens.unwrap_or(USUAL)
    }

    /// What the settings of the moment say.
    pub fn effective(&self) -> Arc<Effective> {
        self.shared
            .settings
            .effective(Some(&self.project), self.permissions.trusted())
    }

    /// The conversation as the model gets it.
    pub(crate) fn context(&self) -> MutexGuard<'_, Context> {
        self.context.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn execution(&self) -> adroit_protocol::settings::ExecutionSettings {
        self.effective().execution.clone()
    }

    /// The engine with the execution settings of the moment.
    pub(crate) fn engine_now(&self) -> Arc<Engine> {
        let mut engine = Engine::clone(&self.engine);
        engine.execution.cascade = self.execution().bash_error_cascade.unwrap_or_default();
        Arc::new(engine)
    }

    fn refresh_model_label(&self) {
        let model = self.effective().model.clone();
        let provider = model.provider.unwrap_or_default();
        let label = match (provider, model.name) {
            (Provider::Offline, _) => "Offline operator".to_owned(),
            (_, Some(name)) => name,
            (_, None) => default_model(provider).to_owned(),
        };
        self.state.update(|snapshot| snapshot.model = label);
    }

    /// Writes a line of the transcript that nothing depends on; a failure is shown.
    pub(crate) fn write(&self, body: EntryBody) {
        self.transcript.note(&self.state, body);
    }

    /// Counts what an answer cost; `turn_usage` is what its turn cost so far.
    pub(crate) fn add_usage(&self, usage: Usage, turn_usage: Usage) {
        let mut total = self.state.read(|snapshot| snapshot.usage);
        total += usage;
        self.state.change(SessionChange::UsageChanged {
            usage: total,
            turn_usage,
        });
        self.write(EntryBody::Usage { usage });
    }
}

/// The model that is asked where the settings name none.
#[must_use]
pub fn default_model(provider: Provider) -> &'static str {
    match provider {
        Provider::Offline => OFFLINE_MODEL,
        Provider::Anthropic => "claude-sonnet-4-5",
        Provider::OpenaiChat => "gpt-4.1",
    }
}

/// A title from the first message: its first line, cut at a word.
#[must_use]
pub fn title_of(text: &str) -> String {
    const LONGEST: usize = 60;
    let line = text
        .lines()
        .map(str::trim)
        .find(|line| !line.is_empty())
        .unwrap_or_default();
    if line.chars().count() <= LONGEST {
        return line.to_owned();
    }
    let cut: String = line.chars().take(LONGEST).collect();
    let end = cut
        .rfind(' ')
        .filter(|end| *end > LONGEST / 2)
        .unwrap_or(cut.len());
    format!("{}…", cut[..end].trim_end())
}

/// The stored sessions of a project, newest first.
#[must_use]
pub fn stored(directories: &AppDirectories, project: &Path) -> Vec<SessionSummary> {
    transcript::list(directories, project)
}

/// Whether a folder counts as trusted.
#[must_use]
pub fn is_trusted(projects: &Projects, project: &Path) -> bool {
    projects.trust(project) == Trust::Trusted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_is_one_short_line() {
        assert_eq!(title_of("\n  Fix the build \n and more"), "Fix the build");
        let long = title_of(&"word ".repeat(40));
        assert!(
            long.ends_with("word…") && long.chars().count() <= 61,
            "{long}"
        );
        assert_eq!(title_of(&"字".repeat(80)).chars().count(), 61);
    }
}
