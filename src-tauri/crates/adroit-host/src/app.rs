//! The running app.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use adroit_process::{EnvironmentSource, LoginEnvironment, Sandbox, Supervisor};
use adroit_protocol::{ErrorCode, SessionId, WireError};
use adroit_session::projects::Projects;
use adroit_session::secrets::Secrets;
use adroit_session::settings::{CommandLine, SettingsStore};
use adroit_session::{AppDirectories, Session, SessionOptions, Shared, keeps_definition};
use futures::future::BoxFuture;
use serde_json::Value;

use crate::fanout::{Fanout, Subscription};
use crate::rpc::dispatch;
use crate::watch::SettingsWatch;

/// What `SessionEnd` hooks are told when the app is closed: the word that is documented for Claude Code.
pub(crate) const CLOSED: &str = "prompt_input_exit";

/// What the surroundings of the app can do for it.
///
/// Deliberately absent: reading files, running programs, answering requests. What decides
/// about the person's machine is in the backend, not in a window system.
pub trait Host: Send + Sync {
    /// True in the desktop app.
    fn is_desktop(&self) -> bool;

    /// Lets the person choose a folder. `Err` where there is no such dialog.
    fn pick_folder(&self) -> BoxFuture<'_, Result<Option<PathBuf>, WireError>>;
}

/// No surroundings: a plain browser, a test.
#[derive(Debug, Default)]
pub struct NoHost;

impl Host for NoHost {
    fn is_desktop(&self) -> bool {
        false
    }

    fn pick_folder(&self) -> BoxFuture<'_, Result<Option<PathBuf>, WireError>> {
        Box::pin(std::future::ready(Err(WireError::new(
            ErrorCode::Unsupported,
            "there is no folder dialog here",
        )
        .with_hint("Type the folder's path."))))
    }
}

/// How the app is started.
#[derive(Clone, Debug)]
pub struct AppOptions {
    /// The folder to open.
    pub folder: Option<PathBuf>,
    /// Where the app keeps its files.
    pub directories: AppDirectories,
    /// What the command line says.
    pub command_line: CommandLine,
    /// Pause of the offline operator between pieces, where it is not the usual one.
    pub operator_delay: Option<Duration>,
}

/// The running app. Cheap to clone.
#[derive(Clone)]
pub struct App {
    pub(crate) inner: Arc<Inner>,
}

pub(crate) struct Inner {
    pub(crate) shared: Shared,
    pub(crate) host: Arc<dyn Host>,
    pub(crate) start_folder: Option<PathBuf>,
    pub(crate) watch: SettingsWatch,
    operator_delay: Option<Duration>,
    sessions: Mutex<HashMap<SessionId, Arc<Session>>>,
    fanout: Fanout,
}

impl App {
    /// Starts the app on the present runtime.
    #[must_use]
    pub fn start(options: AppOptions, host: Arc<dyn Host>) -> Self {
        let (fanout, emit) = Fanout::start();
        let shared = shared(options.directories, options.command_line, emit);
        clean_up_after_crash(&shared.supervisor);
        let watch = SettingsWatch::new(Arc::clone(&shared.emit));
        watch.add(
            shared
                .settings
                .files(None)
                .into_iter()
                .map(|(_, path)| path),
        );
        Self {
            inner: Arc::new(Inner {
                shared,
                host,
                start_folder: options.folder,
                watch,
                operator_delay: options.operator_delay,
                sessions: Mutex::default(),
                fanout,
            }),
        }
    }

    /// Runs a command.
    ///
    /// # Errors
    /// What the UI shows.
    pub async fn rpc(&self, name: &str, input: Value) -> Result<Value, WireError> {
        dispatch(self, name, input).await
    }

    /// Hears events from now on.
    #[must_use]
    pub fn subscribe(&self) -> Subscription {
        self.inner.fanout.subscribe()
    }

    /// Tells the UI of something that belongs to no session.
    pub fn notify(&self, event: adroit_protocol::event::Event) {
        (self.inner.shared.emit)(event);
    }

    /// Ends everything that runs. What was not answered expires; no process stays.
    pub async fn shutdown(&self) {
        let sessions: Vec<_> = self
            .sessions()
            .drain()
            .map(|(_, session)| session)
            .collect();
        for session in &sessions {
            session.close();
        }
        // Calls get their result into the transcript before their processes are gone for good.
        let settled = async {
            while sessions.iter().any(|session| session.is_working()) {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        const PATIENCE: Duration = Duration::from_secs(3);
        let _ = tokio::time::timeout(PATIENCE, settled).await;
        let farewells = sessions.iter().map(|session| session.farewell(CLOSED));
        futures::future::join_all(farewells).await;
        self.inner.shared.supervisor.shutdown().await;
    }

    pub(crate) fn sessions(&self) -> std::sync::MutexGuard<'_, HashMap<SessionId, Arc<Session>>> {
        self.inner
            .sessions
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Rules, mode or trust changed: what waits and needs no answer any more is judged again.
    pub(crate) fn reconsider_requests(&self) {
        let sessions: Vec<_> = self.sessions().values().cloned().collect();
        for session in sessions {
            session.reconsider_requests();
        }
    }

    /// An open session.
    pub(crate) fn session(&self, id: &SessionId) -> Result<Arc<Session>, WireError> {
        self.sessions().get(id).cloned().ok_or_else(|| {
            WireError::new(ErrorCode::NotFound, format!("the session {id} is not open"))
                .with_hint("Open it from the list of sessions.")
        })
    }

    /// Opens a session and keeps it.
    pub(crate) fn open_session(
        &self,
        project: &Path,
        resume: Option<SessionId>,
    ) -> Result<Arc<Session>, WireError> {
        let mut sessions = self.sessions();
        // Two windows on one session share it; a second copy would write the same file.
        if let Some(session) = resume.as_ref().and_then(|id| sessions.get(id)) {
            return Ok(Arc::clone(session));
        }
        let options = SessionOptions {
            project: project.to_path_buf(),
            resume,
            interactive: true,
            trusted: None,
            operator_delay: self.inner.operator_delay,
        };
        let session = Session::open(self.inner.shared.clone(), options).map_err(|error| {
            WireError::new(
                ErrorCode::Failed,
                format!("the session could not be opened: {error}"),
            )
            .with_hint("Check that the project folder still exists and may be read.")
        })?;
        sessions.insert(session.id(), Arc::clone(&session));
        Ok(session)
    }
}

/// What sessions share, from the app's folders.
pub(crate) fn shared(
    directories: AppDirectories,
    command_line: CommandLine,
    emit: adroit_session::state::Emit,
) -> Shared {
    let supervisor = Supervisor::new(Some(directories.processes()));
    Shared {
        settings: Arc::new(SettingsStore::new(directories.clone(), command_line)),
        secrets: Arc::new(Secrets::new(&directories)),
        projects: Arc::new(Projects::new(&directories)),
        environment: Arc::new(
            LoginEnvironment::new(supervisor.clone(), EnvironmentSource::default())
                .with_definitions(keeps_definition),
        ),
        sandbox: Sandbox::new(supervisor.clone(), std::env::var_os("PATH")),
        supervisor,
        directories,
        hook_log: Arc::default(),
        emit,
    }
}

/// Ends what an instance left that was killed. Beside the start, not before it.
fn clean_up_after_crash(supervisor: &Supervisor) {
    let supervisor = supervisor.clone();
    tokio::task::spawn_blocking(move || {
        let ended = supervisor.clean_leftovers();
        if ended > 0 {
            tracing::warn!(ended, "processes of a crashed instance were ended");
        }
    });
}
