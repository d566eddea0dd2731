//! The hooks of a session: where they come from, and who hears of their runs.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use adroit_engine::{CallUpdate, Observer};
use adroit_hooks::{Heard, HookLog, HookObserver, HookRuntime, Hooks as _, Occasion, Surroundings};
use adroit_protocol::event::{CallStatus, Event, ItemBody};
use adroit_protocol::hook::{HookRun, HookState};
use adroit_protocol::view::Tone;
use adroit_protocol::{CallId, SessionId};

use crate::permissions::SessionPermissions;
use crate::session::Shared;
use crate::settings::Effective;
use crate::state::{Emit, SessionState};
use crate::transcript::{EntryBody, Transcript};

/// The hooks of one session.
pub(crate) struct SessionHooks {
    runtime: Arc<HookRuntime>,
    permissions: Arc<SessionPermissions>,
    /// True once the hooks know that the session began.
    greeted: AtomicBool,
    resumed: bool,
}

impl SessionHooks {
    pub(crate) fn new(
        shared: &Shared,
        project: &Path,
        id: &SessionId,
        permissions: &Arc<SessionPermissions>,
        state: &Arc<SessionState>,
        transcript: &Arc<Transcript>,
        resumed: bool,
    ) -> Arc<Self> {
        let surroundings = Surroundings {
            session: id.clone(),
            transcript: transcript.path().to_path_buf(),
            project: project.to_path_buf(),
            supervisor: shared.supervisor.clone(),
            environment: Arc::clone(&shared.environment),
        };
        let observer = Arc::new(Telling {
            log: Arc::clone(&shared.hook_log),
            emit: Arc::clone(&shared.emit),
            state: Arc::clone(state),
            transcript: Arc::clone(transcript),
        });
        let (settings, folder) = (Arc::clone(&shared.settings), project.to_path_buf());
        let trust = Arc::clone(permissions);
        // Asked at each event: an edit of the settings, and a folder that is not trusted any
        // more, apply to the very next one.
        let in_force = move || {
            let effective = settings.effective(Some(&folder), trust.trusted());
            Arc::clone(&effective.hooks)
        };
        Arc::new(Self {
            runtime: Arc::new(HookRuntime::new(surroundings, observer, Arc::new(in_force))),
            permissions: Arc::clone(permissions),
            greeted: AtomicBool::new(false),
            resumed,
        })
    }

    /// For the engine.
    pub(crate) fn runtime(&self) -> &Arc<HookRuntime> {
        &self.runtime
    }

    /// Tells the hooks of something that is no call.
    pub(crate) async fn tell(&self, occasion: &Occasion, cwd: &Path) -> Heard {
        if self.runtime.is_empty() {
            return Heard::default();
        }
        self.runtime
            .tell(occasion, cwd, self.permissions.mode())
            .await
    }

    /// Tells the hooks that the session begins, the first time that this is asked.
    pub(crate) async fn greet(&self, model: String, cwd: &Path) -> Heard {
        if self.greeted.swap(true, Ordering::AcqRel) {
            return Heard::default();
        }
        let source = if self.resumed { "resume" } else { "startup" };
        self.tell(&Occasion::SessionStarted { source, model }, cwd)
            .await
    }
}

impl SessionHooks {
    /// Tells the hooks that the session ends, where they know that it began. They get a moment, and
    /// nothing waits for them longer: the app is being closed.
    pub(crate) async fn farewell(&self, reason: &'static str, cwd: &Path) {
        const PATIENCE: Duration = Duration::from_secs(2);
        if !self.greeted.swap(false, Ordering::AcqRel) {
            return;
        }
        let occasion = Occasion::SessionEnded { reason };
        let told = self.tell(&occasion, cwd);
        if tokio::time::timeout(PATIENCE, told).await.is_err() {
            tracing::warn!("a SessionEnd hook was too slow and was ended");
        }
    }
}

/// Keeps runs for the panel and shows remarks where the person looks.
struct Telling {
    log: Arc<HookLog>,
    emit: Emit,
    state: Arc<SessionState>,
    transcript: Arc<Transcript>,
}

impl HookObserver for Telling {
    fn ran(&self, run: &HookRun) {
        self.log.add(run.clone());
        (self.emit)(Event::HooksRan);
    }

    fn remark(&self, tone: Tone, text: String, hint: Option<String>) {
        self.state.add_item(ItemBody::Notice {
            tone,
            text: text.clone(),
            hint: hint.clone(),
        });
        if let Err(error) = self
            .transcript
            .append(EntryBody::Notice { tone, text, hint })
        {
            tracing::error!(%error, "a remark of a hook was not stored");
        }
    }
}

/// Tells `Notification` hooks when a call waits for the person; passes everything on.
pub(crate) struct Notifying {
    pub(crate) inner: Arc<dyn Observer>,
    pub(crate) hooks: Arc<SessionHooks>,
    pub(crate) project: Arc<Path>,
}

impl Observer for Notifying {
    fn call_changed(&self, call: &CallId, update: CallUpdate) {
        if update.status == CallStatus::Waiting && !self.hooks.runtime.is_empty() {
            let occasion = Occasion::Notified {
                kind: "permission_prompt",
                message: format!("Adroit needs your permission to use {}", update.tool),
            };
            let (hooks, project) = (Arc::clone(&self.hooks), Arc::clone(&self.project));
            tokio::spawn(async move { hooks.tell(&occasion, &project).await });
        }
        self.inner.call_changed(call, update);
    }
}

/// The hooks of these settings for the panel, those that are held back included.
#[must_use]
pub fn states(effective: &Effective, log: &HookLog) -> Vec<HookState> {
    let in_force = effective.hooks.entries().iter().map(|entry| entry.state());
    let held_back = effective.held_back_hooks.iter().map(|hook| HookState {
        held_back: Some(hook.reason.clone()),
        ..hook.entry.state()
    });
    in_force
        .chain(held_back)
        .map(|state| HookState {
            runs: log.of(&state.id),
            ..state
        })
        .collect()
}
