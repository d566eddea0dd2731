//! What a hook is told, as JSON: the field names are those that are publicly documented for
//! Claude Code, so that scripts written for it understand them.

use std::path::Path;

use adroit_protocol::SessionId;
use adroit_protocol::hook::HookEvent;
use adroit_protocol::permission::Mode;
use serde_json::{Map, Value, json};

use crate::call::HookCall;
use crate::occasion::Occasion;

/// What every hook of a session is told.
pub(crate) struct Common<'a> {
    pub(crate) session: &'a SessionId,
    pub(crate) transcript: &'a Path,
}

impl Common<'_> {
    fn object(&self, event: HookEvent, cwd: &Path, mode: Mode) -> Map<String, Value> {
        let mut object = Map::new();
        object.insert("session_id".to_owned(), json!(self.session.as_str()));
        object.insert(
            "transcript_path".to_owned(),
            json!(self.transcript.display().to_string()),
        );
        object.insert("cwd".to_owned(), json!(cwd.display().to_string()));
        object.insert("permission_mode".to_owned(), json!(mode.word()));
        object.insert("hook_event_name".to_owned(), json!(event.name()));
        object
    }

    /// About a call; `more` are the fields of the event.
    pub(crate) fn of_call(
        &self,
        event: HookEvent,
        call: &HookCall<'_>,
        more: impl IntoIterator<Item = (&'static str, Value)>,
    ) -> Value {
        let mut object = self.object(event, call.cwd, call.mode);
        object.insert("tool_name".to_owned(), json!(call.tool));
        object.insert("tool_input".to_owned(), call.input.clone());
        object.insert("tool_use_id".to_owned(), json!(call.call.as_str()));
        if let Some(agent) = call.agent {
            object.insert("agent_type".to_owned(), json!(agent));
        }
        for (name, value) in more {
            object.insert(name.to_owned(), value);
        }
        Value::Object(object)
    }

    /// About something that is no call.
    pub(crate) fn of_occasion(&self, occasion: &Occasion, cwd: &Path, mode: Mode) -> Value {
        let mut object = self.object(occasion.event(), cwd, mode);
        for (name, value) in occasion.fields() {
            object.insert(name.to_owned(), value);
        }
        Value::Object(object)
    }
}
