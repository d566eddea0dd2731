//! A session's hooks over a temporary project.

use std::path::Path;
use std::sync::{Arc, Mutex};

use adroit_permissions::Condition;
use adroit_process::{EnvironmentSource, LoginEnvironment, Supervisor};
use adroit_protocol::hook::{HookEvent, HookRun};
use adroit_protocol::permission::{Mode, Position, RuleSource};
use adroit_protocol::view::Tone;
use adroit_protocol::{CallId, SessionId};
use serde_json::{Value, json};

use crate::{
    BeforeCall, HookCall, HookEntry, HookObserver, HookRuntime, HookSet, Hooks, Place, Surroundings,
};

#[derive(Default)]
pub(super) struct Seen {
    pub(super) runs: Mutex<Vec<HookRun>>,
    pub(super) remarks: Mutex<Vec<String>>,
}

impl HookObserver for Seen {
    fn ran(&self, run: &HookRun) {
        self.runs.lock().unwrap().push(run.clone());
    }

    fn remark(&self, _tone: Tone, text: String, _hint: Option<String>) {
        self.remarks.lock().unwrap().push(text);
    }
}

pub(super) struct World {
    pub(super) folder: tempfile::TempDir,
    pub(super) seen: Arc<Seen>,
    pub(super) supervisor: Supervisor,
    pub(super) hooks: HookRuntime,
}

/// A `PreToolUse` hook of the person's own settings.
pub(super) fn command(text: &str) -> Value {
    json!({"type": "command", "command": text})
}

pub(super) fn entry(event: HookEvent, hook: &Value, line: u32) -> HookEntry {
    let place = Place {
        source: RuleSource::User,
        file: "settings.json".to_owned(),
        position: Position { line, column: 1 },
    };
    HookEntry::read(event, None, hook, place)
}

impl World {
    pub(super) fn before(hooks: &[Value]) -> Self {
        let entries = hooks
            .iter()
            .zip(1..)
            .map(|(hook, line)| entry(HookEvent::PreToolUse, hook, line))
            .collect();
        Self::with(entries)
    }

    pub(super) fn with(entries: Vec<HookEntry>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let supervisor = Supervisor::default();
        let seen = Arc::new(Seen::default());
        let set = Arc::new(HookSet::new(entries.into_iter().map(Arc::new).collect()));
        let surroundings = Surroundings {
            session: SessionId::from("ses_1"),
            transcript: folder.path().join("transcript.jsonl"),
            project: folder.path().to_path_buf(),
            environment: Arc::new(LoginEnvironment::new(
                supervisor.clone(),
                EnvironmentSource::Process,
            )),
            supervisor: supervisor.clone(),
        };
        let hooks = HookRuntime::new(
            surroundings,
            Arc::clone(&seen) as _,
            Arc::new(move || Arc::clone(&set)),
        );
        Self {
            folder,
            seen,
            supervisor,
            hooks,
        }
    }

    pub(super) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(super) async fn before_call(&self, input: &Value) -> BeforeCall {
        let id = CallId::from("call_1");
        self.hooks.before_call(self.call(&id, input)).await
    }

    pub(super) fn call<'a>(&'a self, id: &'a CallId, input: &'a Value) -> HookCall<'a> {
        HookCall {
            call: id,
            tool: "Bash",
            aliases: &["Shell"],
            input,
            cwd: self.path(),
            mode: Mode::Plan,
            agent: None,
            concerns: &|condition: &Condition| condition.text() == "Bash(rm *)",
            settled: &[],
        }
    }

    pub(super) fn remarks(&self) -> Vec<String> {
        self.seen.remarks.lock().unwrap().clone()
    }
}
