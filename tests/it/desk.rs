//! A person at the app: opens a folder, says things, answers requests, waits to see.

use std::sync::Arc;
use std::time::Duration;

use adroit_host::{App, AppDirectories, AppOptions, CommandLine, NoHost, Subscription};
use adroit_protocol::command::SettingsState;
use adroit_protocol::event::{
    CallItem, CallStatus, Item, ItemBody, SessionSnapshot, Turn as TurnState,
};
use adroit_protocol::permission::PermissionRequest;
use adroit_protocol::{SessionId, WireError};
use adroit_testkit::{ScriptedModel, TempProject};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// How long a test waits before it says what it waited for. Never an assertion about speed.
const PATIENCE: Duration = Duration::from_secs(60);

/// The app with one open session on a trusted temporary project.
pub(crate) struct Desk {
    pub(crate) project: TempProject,
    pub(crate) app: App,
    pub(crate) session: SessionId,
    events: Subscription,
}

impl Desk {
    /// With the offline operator.
    pub(crate) async fn offline(files: &[(&str, &str)]) -> Self {
        Self::start(TempProject::new(files), json!({})).await
    }

    /// With a scripted Anthropic server.
    pub(crate) async fn anthropic(model: &ScriptedModel, files: &[(&str, &str)]) -> Self {
        Self::with_provider("anthropic", model, files).await
    }

    /// With a scripted server of the given provider.
    pub(crate) async fn with_provider(
        provider: &str,
        model: &ScriptedModel,
        files: &[(&str, &str)],
    ) -> Self {
        let settings = json!({"model": {"provider": provider, "name": "test-model", "baseUrl": model.base_url()}});
        Self::start(TempProject::new(files), settings).await
    }

    /// With these settings of the person.
    pub(crate) async fn start(project: TempProject, settings: Value) -> Self {
        let directories = AppDirectories::under(&project.data_dir());
        write(&directories.user_settings(), &settings.to_string());
        write(
            &directories.keys(),
            &json!({"anthropic": "test-key", "openai-chat": "test-key"}).to_string(),
        );
        Self::open(project, None).await
    }

    /// Opens the app anew on the same folders, with a session of before.
    pub(crate) async fn reopen(self) -> Self {
        self.app.shutdown().await;
        Self::open(self.project, Some(self.session)).await
    }

    async fn open(project: TempProject, session: Option<SessionId>) -> Self {
        let app = App::start(
            AppOptions {
                folder: Some(project.path()),
                directories: AppDirectories::under(&project.data_dir()),
                command_line: CommandLine::default(),
                operator_delay: Some(Duration::ZERO),
            },
            Arc::new(NoHost),
        );
        let path = project.path().display().to_string();
        call::<Value>(&app, "project.open", json!({"path": path}))
            .await
            .unwrap();
        call::<Value>(
            &app,
            "project.trust",
            json!({"path": path, "trusted": true}),
        )
        .await
        .unwrap();
        let events = app.subscribe();
        let snapshot: SessionSnapshot = match session {
            None => call(&app, "session.create", json!({"path": path}))
                .await
                .unwrap(),
            Some(session) => call(&app, "session.open", json!({"session": session}))
                .await
                .unwrap(),
        };
        Self {
            project,
            app,
            session: snapshot.session,
            events,
        }
    }

    /// Runs a command of the UI.
    pub(crate) async fn rpc<T: DeserializeOwned>(
        &self,
        name: &str,
        input: Value,
    ) -> Result<T, WireError> {
        call(&self.app, name, input).await
    }

    /// Runs a command on this session.
    pub(crate) async fn on_session<T: DeserializeOwned>(
        &self,
        name: &str,
        mut input: Value,
    ) -> Result<T, WireError> {
        input["session"] = json!(self.session);
        self.rpc(name, input).await
    }

    /// The state as the UI would show it.
    pub(crate) async fn snapshot(&self) -> SessionSnapshot {
        self.on_session("session.open", json!({})).await.unwrap()
    }

    /// Says something.
    pub(crate) async fn say(&self, text: &str) {
        self.on_session::<Value>("turn.submit", json!({"text": text}))
            .await
            .unwrap();
    }

    /// Says something and waits for the turn's end.
    pub(crate) async fn ask(&mut self, text: &str) -> SessionSnapshot {
        self.say(text).await;
        self.idle().await
    }

    /// Waits until the state is as wanted.
    pub(crate) async fn until(
        &mut self,
        what: &str,
        mut wanted: impl FnMut(&SessionSnapshot) -> bool,
    ) -> SessionSnapshot {
        loop {
            let snapshot = self.snapshot().await;
            if wanted(&snapshot) {
                return snapshot;
            }
            match tokio::time::timeout(PATIENCE, self.events.recv()).await {
                Ok(Some(_)) => {}
                Ok(None) => panic!("the app ended before {what}"),
                Err(_) => panic!("waited in vain until {what}; the state is {snapshot:#?}"),
            }
        }
    }

    /// Waits until the settings are as wanted. What a command does to files is no event of the
    /// app, so they are also looked at without one.
    pub(crate) async fn until_settings(
        &mut self,
        what: &str,
        wanted: impl Fn(&SettingsState) -> bool,
    ) -> SettingsState {
        const LOOK: Duration = Duration::from_millis(20);
        let query = json!({"project": self.project.path(), "session": self.session});
        let begun = std::time::Instant::now();
        loop {
            let state: SettingsState = self.rpc("settings.get", query.clone()).await.unwrap();
            if wanted(&state) {
                return state;
            }
            assert!(
                begun.elapsed() < PATIENCE,
                "waited in vain until {what}: {state:#?}"
            );
            let _ = tokio::time::timeout(LOOK, self.events.recv()).await;
        }
    }

    /// Waits for something to happen anywhere in the app.
    pub(crate) async fn next_event(&mut self) {
        match tokio::time::timeout(PATIENCE, self.events.recv()).await {
            Ok(Some(_)) => {}
            Ok(None) => panic!("the app ended"),
            Err(_) => panic!("nothing happened"),
        }
    }

    /// Waits for the turn's end.
    pub(crate) async fn idle(&mut self) -> SessionSnapshot {
        self.until("the turn is over", |snapshot| {
            snapshot.turn == TurnState::Idle && !snapshot.items.is_empty()
        })
        .await
    }

    /// Waits for a request.
    pub(crate) async fn request(&mut self) -> PermissionRequest {
        let snapshot = self
            .until("a request is open", |snapshot| {
                !snapshot.requests.is_empty()
            })
            .await;
        snapshot.requests.into_iter().next().unwrap()
    }

    /// Answers a request.
    pub(crate) async fn answer(
        &self,
        request: &PermissionRequest,
        answer: Value,
    ) -> Result<(), WireError> {
        let input = json!({"request": request.id, "nonce": request.nonce, "answer": answer});
        self.on_session::<Value>("request.answer", input)
            .await
            .map(|_| ())
    }

    /// Allows the next request once.
    pub(crate) async fn allow_next(&mut self) -> PermissionRequest {
        let request = self.request().await;
        self.answer(&request, json!({"type": "allow_once"}))
            .await
            .unwrap();
        request
    }
}

async fn call<T: DeserializeOwned>(app: &App, name: &str, input: Value) -> Result<T, WireError> {
    let output = app.rpc(name, input).await?;
    Ok(serde_json::from_value(output).unwrap())
}

/// Writes a file and its folders.
pub(crate) fn write(path: &std::path::Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

/// The calls of a state, in order.
pub(crate) fn calls(snapshot: &SessionSnapshot) -> Vec<&CallItem> {
    snapshot
        .items
        .iter()
        .filter_map(|item: &Item| match &item.body {
            ItemBody::Call { call } => Some(call),
            _ => None,
        })
        .collect()
}

/// How the calls of a state are.
pub(crate) fn statuses(snapshot: &SessionSnapshot) -> Vec<CallStatus> {
    calls(snapshot)
        .into_iter()
        .map(|call| call.status)
        .collect()
}

/// What the model said, and what the program remarked.
pub(crate) fn texts(snapshot: &SessionSnapshot) -> Vec<String> {
    snapshot
        .items
        .iter()
        .filter_map(|item| match &item.body {
            ItemBody::Assistant { text, .. } => Some(text.clone()),
            ItemBody::Notice { text, hint, .. } => {
                Some(format!("{text} {}", hint.clone().unwrap_or_default()))
            }
            _ => None,
        })
        .collect()
}
