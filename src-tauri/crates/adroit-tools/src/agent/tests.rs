//! The tool over agents that were rehearsed: what is started, told and shown.

use std::future::Future;
use std::pin::Pin;

use adroit_permissions::Subject;
use adroit_protocol::event::CallStatus;
use adroit_protocol::view::SubCall;
use adroit_protocol::{CallId, SessionId};
use adroit_tool::{CallContext, ToolFailure};
use serde_json::json;

use crate::agents::{AgentKind, AgentReport, AgentTask, Agents};
use crate::tests::Project;

/// Agents whose every answer is known.
pub(crate) struct Rehearsed;

impl Rehearsed {
    /// An agent in the middle of its work.
    pub(crate) fn report(text: &str) -> AgentReport {
        let call = |id: &str, title: &str, status| SubCall {
            call: CallId::from(id),
            title: title.to_owned(),
            status,
            activity: Some(format!("{title}…")),
            summary: None,
        };
        AgentReport {
            session: SessionId::from("session_1"),
            text: text.to_owned(),
            calls: vec![
                call("a", "Grep parser", CallStatus::Succeeded),
                call("b", "Read src/parse.rs", CallStatus::Running),
            ],
            more: 3,
            tokens: 1_200,
        }
    }
}

impl Agents for Rehearsed {
    fn kinds(&self) -> Vec<AgentKind> {
        let kind = |name: &str, read_only| AgentKind {
            name: name.to_owned(),
            description: "Works.".to_owned(),
            read_only,
        };
        vec![kind("explore", true), kind("general-purpose", false)]
    }

    fn run(
        &self,
        task: AgentTask,
        _context: CallContext,
    ) -> Pin<Box<dyn Future<Output = Result<AgentReport, ToolFailure>> + Send + '_>> {
        Box::pin(async move {
            match task.prompt.as_str() {
                "fail" => Err(ToolFailure::new("agent_ended", "The agent failed.")),
                prompt => Ok(Self::report(&format!("{}: {prompt}", task.kind))),
            }
        })
    }
}

#[tokio::test]
async fn the_result_is_what_the_agent_said_last() {
    let project = Project::new();
    let input = json!({ "description": "Find it", "prompt": "Where?", "subagent_type": "explore" });
    assert_eq!(project.text("Agent", input).await, "explore: Where?");
    let usual = json!({ "description": "Do it", "prompt": "Do!" });
    assert_eq!(project.text("Agent", usual).await, "general-purpose: Do!");
    let failing = json!({ "description": "Do it", "prompt": "fail" });
    let failure = project.call("Agent", failing).await.err().unwrap();
    assert_eq!(failure.code, "agent_ended");
}

#[tokio::test]
async fn only_what_reads_runs_beside_others_and_rules_know_the_kind() {
    let project = Project::new();
    let tool = project.tool("Agent");
    for (kind, reads) in [
        (Some("explore"), true),
        (Some("general-purpose"), false),
        (None, false),
    ] {
        let mut input = json!({ "description": "d", "prompt": "p" });
        if let Some(kind) = kind {
            input["subagent_type"] = json!(kind);
        }
        let input = tool.parse(input.into()).unwrap();
        assert_eq!(tool.is_read_only(&input, &project.context), reads);
        assert_eq!(tool.is_concurrency_safe(&input, &project.context), reads);
        let Subject::Agent { name } = tool.subject(&input, &project.context) else {
            panic!("an agent is the subject");
        };
        assert_eq!(name, kind.unwrap_or("general-purpose"));
    }
}

#[tokio::test]
async fn what_cannot_be_started_is_said_before_anything_is_asked() {
    let project = Project::new();
    let unknown = json!({ "description": "d", "prompt": "p", "subagent_type": "Explore" });
    let failure = project.call("Agent", unknown).await.err().unwrap();
    assert_eq!(
        failure.message,
        "There is no agent `Explore`. There are `explore`, `general-purpose`."
    );
    let empty = json!({ "description": "d", "prompt": " " });
    assert_eq!(
        project.call("Agent", empty).await.err().unwrap().code,
        "empty_prompt"
    );
}
