//! One conversation on one project folder.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use adroit_engine::{Discovered, Engine};
use adroit_hooks::HookLog;
use adroit_model::{ModelClient, ModelError, OFFLINE_MODEL, ProviderConfig, client};
use adroit_process::{LoginEnvironment, Supervisor};
use adroit_protocol::command::{SessionSummary, Trust};
use adroit_protocol::event::{Event, QueuedMessage, SessionChange, SessionSnapshot, Turn};
use adroit_protocol::message::{Message, Usage};
use adroit_protocol::permission::{Behavior, Mode, RuleEntry};
use adroit_protocol::settings::Provider;
use adroit_protocol::view::Tone;
use adroit_protocol::{CallId, ItemId, SessionId};
use adroit_tool::{CancelReason, Cancellation};
use adroit_tools::BackgroundTasks;

use crate::AppDirectories;
use crate::approvals::Approvals;
use crate::assembly::{build_engine, remember};
use crate::checkpoints::Checkpointing;
use crate::clock::now_ms;
use crate::file::FileError;
use crate::hooks::SessionHooks;
use crate::permissions::SessionPermissions;
use crate::projects::Projects;
use crate::secrets::Secrets;
use crate::settings::SettingsStore;
use crate::state::{Emit, SessionState};
use crate::terminals::TerminalRegistry;
use crate::transcript::{self, EntryBody, KnownCall, Transcript};
use crate::turn::{Observing, TurnOutcome};

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
    pub(crate) conversation: Mutex<Vec<Message>>,
    pub(crate) calls: Mutex<HashMap<CallId, KnownCall>>,
    /// What the model is told with the next request.
    pub(crate) untold: Mutex<Vec<String>>,
    /// Places in the conversation to which one can go back, oldest first.
    pub(crate) marks: Mutex<Vec<transcript::Mark>>,
    /// Deferred tools of which the transcript knows that they are loaded.
    discovered: Mutex<BTreeSet<String>>,
    approvals: Arc<Approvals>,
    permissions: Arc<SessionPermissions>,
    terminals: Arc<TerminalRegistry>,
    tasks: BackgroundTasks,
    interactive: bool,
    operator_delay: Option<std::time::Duration>,
    work: Mutex<Work>,
}

/// What the agent does, and what waits for it.
#[derive(Default)]
struct Work {
    running: Option<Cancellation>,
    queue: VecDeque<QueuedMessage>,
    closed: bool,
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
        let checkpointing = Checkpointing::new(&shared.directories, &project, &id, additional);
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
            queue: Vec::new(),
            turn: Turn::Idle,
            usage: replayed.usage,
            changed_files: Vec::new(),
        };
        let state = Arc::new(SessionState::new(snapshot, Arc::clone(&shared.emit)));
        let approvals = Arc::new(Approvals::new(
            Arc::clone(&state),
            remember(&shared, &project, &permissions),
        ));
        let emit = Arc::clone(&shared.emit);
        let tasks = BackgroundTasks::new(move || emit(Event::TerminalsChanged));
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
        let engine = build_engine(
            &shared,
            &project,
            &id,
            &permissions,
            &approvals,
            &terminals,
            &tasks,
            &observing,
            &hooks,
            &state,
            &checkpointing,
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
            conversation: Mutex::new(replayed.messages),
            calls: Mutex::new(replayed.calls),
            untold: Mutex::default(),
            marks: Mutex::new(replayed.marks),
            discovered: Mutex::new(known_tools),
            approvals,
            permissions,
            terminals,
            tasks,
            interactive: options.interactive,
            operator_delay: options.operator_delay,
            work: Mutex::default(),
        });
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

    /// Switches the mode. The very next decision is made in it.
    pub fn set_mode(&self, mode: Mode) {
        self.permissions.set_mode(mode);
        self.state.change(SessionChange::ModeChanged { mode });
        // Only a session in which something was said is kept; its mode comes with it.
        if self.state.read(|snapshot| !snapshot.items.is_empty()) {
            self.write(EntryBody::Mode { mode });
        }
    }

    /// What is known of a call.
    #[must_use]
    pub fn call(&self, call: &CallId) -> Option<KnownCall> {
        self.calls
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get(call)
            .cloned()
    }

    /// Says something to the agent; while it works the message waits.
    pub fn submit(self: &Arc<Self>, text: String) {
        let cancellation = {
            let mut work = self.work.lock().unwrap_or_else(PoisonError::into_inner);
            if work.closed {
                return;
            }
            if work.running.is_some() {
                work.queue.push_back(QueuedMessage {
                    id: ItemId::generate(),
                    text,
                });
                let queue = work.queue.iter().cloned().collect();
                self.state.change(SessionChange::QueueChanged { queue });
                return;
            }
            let cancellation = Cancellation::new();
            work.running = Some(cancellation.clone());
            // Before this returns: whoever sent the message sees that it is worked on.
            self.state.change(SessionChange::TurnChanged {
                turn: Turn::Running {
                    since: now_ms(),
                    activity: "Thinking".to_owned(),
                },
            });
            cancellation
        };
        let session = Arc::clone(self);
        tokio::spawn(async move { session.work_off(text, cancellation).await });
    }

    /// Runs one turn to its end: for runs without a window.
    pub async fn run(self: &Arc<Self>, text: String) -> TurnOutcome {
        let cancellation = Cancellation::new();
        self.work
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .running = Some(cancellation.clone());
        let outcome = self.turn(text, cancellation).await;
        self.work
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .running = None;
        outcome
    }

    async fn work_off(self: &Arc<Self>, text: String, first: Cancellation) {
        let mut next = Some((text, first));
        while let Some((text, cancellation)) = next.take() {
            self.turn(text, cancellation).await;
            next = self.next_message();
        }
    }

    /// The next queued message, or the end of the work: decided under one lock, so that a
    /// message sent at that moment is never left lying.
    fn next_message(&self) -> Option<(String, Cancellation)> {
        let mut work = self.work.lock().unwrap_or_else(PoisonError::into_inner);
        let message = if work.closed {
            None
        } else {
            work.queue.pop_front()
        };
        let Some(message) = message else {
            work.running = None;
            return None;
        };
        let cancellation = Cancellation::new();
        work.running = Some(cancellation.clone());
        let queue = work.queue.iter().cloned().collect();
        self.state.change(SessionChange::QueueChanged { queue });
        Some((message.text, cancellation))
    }

    /// Takes a message out of the queue.
    pub fn remove_queued(&self, id: &ItemId) -> Option<String> {
        let mut work = self.work.lock().unwrap_or_else(PoisonError::into_inner);
        let index = work.queue.iter().position(|message| message.id == *id)?;
        let message = work.queue.remove(index)?;
        let queue = work.queue.iter().cloned().collect();
        self.state.change(SessionChange::QueueChanged { queue });
        Some(message.text)
    }

    /// Stops the turn. What waits in the queue stays there until the next message.
    pub fn stop(&self, reason: CancelReason) {
        let work = self.work.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(cancellation) = &work.running {
            cancellation.cancel(reason);
        }
    }

    /// Does something while no turn runs and none can begin; `None` where one runs.
    pub(crate) fn at_rest<T>(&self, act: impl FnOnce() -> T) -> Option<T> {
        let work = self.work.lock().unwrap_or_else(PoisonError::into_inner);
        work.running.is_none().then(act)
    }

    /// True while a turn runs.
    #[must_use]
    pub fn is_working(&self) -> bool {
        self.work
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .running
            .is_some()
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
        let model = self
            .shared
            .settings
            .effective(Some(&self.project), self.permissions.trusted())
            .model
            .clone();
        let provider = model.provider.unwrap_or_default();
        let mut config = ProviderConfig::new(provider);
        config.base_url = model.base_url;
        if provider != Provider::Offline {
            config.key = self.shared.secrets.key(provider);
        }
        if let Some(delay) = self.operator_delay {
            config.operator_delay = delay;
        }
        let name = model
            .name
            .unwrap_or_else(|| default_model(provider).to_owned());
        Ok((client(&config)?, name))
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
        self.shared
            .settings
            .effective(Some(&self.project), self.permissions.trusted())
            .model
            .max_output_tokens
            .unwrap_or(USUAL)
    }

    pub(crate) fn execution(&self) -> adroit_protocol::settings::ExecutionSettings {
        self.shared
            .settings
            .effective(Some(&self.project), self.permissions.trusted())
            .execution
            .clone()
    }

    /// The engine with the execution settings of the moment.
    pub(crate) fn engine_now(&self) -> Arc<Engine> {
        let mut engine = Engine::clone(&self.engine);
        engine.execution.cascade = self.execution().bash_error_cascade.unwrap_or_default();
        Arc::new(engine)
    }

    fn refresh_model_label(&self) {
        let model = self
            .shared
            .settings
            .effective(Some(&self.project), self.permissions.trusted())
            .model
            .clone();
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
        if let Err(error) = self.transcript.append(body) {
            tracing::error!(%error, "a line of the transcript was lost");
            self.state.emit(Event::Notice {
                tone: Tone::Danger,
                text: error.to_string(),
                hint: Some(format!(
                    "What is shown here is not stored. {}",
                    error.hint()
                )),
            });
        }
    }

    pub(crate) fn add_usage(&self, usage: Usage) {
        self.state.update(|snapshot| snapshot.usage += usage);
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
