//! Agents that work for the first one: their own context and tools, the one queue of requests, the
//! turn's undo, hooks, stop.

use adroit_protocol::command::{CallRecord, ChangeList, SettingsState};
use adroit_protocol::event::{CallItem, CallStatus, ItemBody, SessionSnapshot};
use adroit_protocol::view::{Block, SubCall};
use adroit_protocol::{CallId, SessionId};
use adroit_testkit::{Gate, RecordedRequest, ScriptedModel, Turn, turn};
use serde_json::{Value, json};

use crate::desk::{Desk, calls, statuses, texts};

fn agent(kind: &str, prompt: &str) -> Value {
    json!({"description": format!("{prompt} it"), "prompt": prompt, "subagent_type": kind})
}

async fn desk(turns: Vec<Turn>, files: &[(&str, &str)]) -> (ScriptedModel, Desk) {
    let model = ScriptedModel::start(turns).await;
    let desk = Desk::anthropic(&model, files).await;
    (model, desk)
}

fn tools(request: &RecordedRequest) -> Vec<String> {
    let tools = request.body["tools"].as_array().unwrap();
    let name = |tool: &Value| tool["name"].as_str().unwrap().to_owned();
    tools.iter().map(name).collect()
}

/// The conversation that a call of Agent leads to, and the calls that its row lists.
fn sub_session(call: &CallItem) -> (SessionId, Vec<SubCall>) {
    let found = call.view.blocks.iter().find_map(|block| match block {
        Block::SubSession { session, calls, .. } => Some((session.clone(), calls.clone())),
        _ => None,
    });
    found.unwrap_or_else(|| panic!("no conversation of an agent: {call:#?}"))
}

async fn conversation(desk: &Desk, id: &SessionId) -> SessionSnapshot {
    desk.rpc("session.open", json!({"session": id}))
        .await
        .unwrap()
}

async fn record(desk: &Desk, call: &CallId) -> CallRecord {
    desk.on_session("call.record", json!({"call": call}))
        .await
        .unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_works_in_a_context_of_its_own_and_gives_its_last_words() {
    let (model, mut desk) = desk(
        vec![
            turn()
                .text("I ask.")
                .call("Agent", agent("explore", "look"))
                .end(),
            turn().call("Read", json!({"file_path": "a.txt"})).end(),
            turn().text("It says alpha.").end(),
            turn().text("done").end(),
        ],
        &[("a.txt", "alpha\n")],
    )
    .await;
    let end = desk.ask("what does a.txt say?").await;
    assert_eq!(texts(&end), ["I ask.", "done"]);
    assert_eq!(
        statuses(&end),
        [CallStatus::Succeeded],
        "its calls are not the conversation's"
    );

    // It knows its task and nothing else, and has only tools that read.
    let first = model.request(1).await;
    assert_eq!(first.messages().len(), 1);
    let asked = first.body.to_string();
    assert!(
        asked.contains("look") && !asked.contains("what does a.txt say?"),
        "{asked}"
    );
    assert_eq!(tools(&first), ["Glob", "Grep", "Read"]);
    assert!(
        first.body["system"]
            .to_string()
            .contains("You work for another agent")
    );
    let last = model.request(3).await;
    assert_eq!(last.tool_results()[0].1, "It says alpha.");
    assert_eq!(last.body["tools"], model.request(0).await.body["tools"]);
    assert_eq!(end.usage.input_tokens, 400, "its tokens are counted");
    assert_eq!(end.turn_usage, end.usage);

    // Its row lists its calls, and leads to them, with why each was allowed; after a restart, too.
    let (id, listed) = sub_session(calls(&end)[0]);
    assert_eq!(listed.len(), 1);
    assert_eq!(
        (listed[0].title.as_str(), listed[0].status),
        ("Read a.txt", CallStatus::Succeeded)
    );
    let open = conversation(&desk, &id).await;
    assert_eq!(statuses(&open), [CallStatus::Succeeded]);
    assert_eq!(texts(&open), ["It says alpha."]);
    assert_eq!(open.turn, adroit_protocol::event::Turn::Idle);
    let known = record(&desk, &listed[0].call).await;
    assert_eq!(known.input, json!({"file_path": "a.txt"}));
    assert!(known.record.is_some());
    let desk = desk.reopen().await;
    assert_eq!(sub_session(calls(&desk.snapshot().await)[0]).0, id);
    let again = conversation(&desk, &id).await;
    assert_eq!(again.items.len(), open.items.len());
    assert_eq!(record(&desk, &listed[0].call).await, known);
    // Agents are no sessions of their own.
    let list: Value = desk
        .rpc("session.list", json!({"path": desk.project.path()}))
        .await
        .unwrap();
    assert_eq!(list["sessions"].as_array().unwrap().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn its_requests_are_in_the_one_queue_with_its_name_and_its_changes_are_the_turns() {
    let (model, mut desk) = desk(
        vec![
            turn().call("Agent", agent("general-purpose", "make")).end(),
            turn()
                .call("Write", json!({"file_path": "b.txt", "content": "new\n"}))
                .end(),
            turn().text("made").end(),
            turn().text("done").end(),
        ],
        &[("a.txt", "alpha\n")],
    )
    .await;
    desk.say("go").await;
    let start = desk.allow_next().await;
    assert_eq!((start.tool.as_str(), start.agent), ("Agent", None));
    let write = desk.allow_next().await;
    assert_eq!(write.tool, "Write");
    assert_eq!(write.agent.as_deref(), Some("general-purpose: make it"));
    assert_eq!(write.session, desk.session);
    let end = desk.idle().await;
    assert_eq!(desk.project.read("b.txt"), "new\n");
    let names = tools(&model.request(1).await);
    for never in ["Agent", "TaskOutput", "TaskStop"] {
        assert!(!names.contains(&never.to_owned()), "{names:?}");
    }
    assert!(names.contains(&"Bash".to_owned()), "{names:?}");

    let changes: ChangeList = desk
        .on_session(
            "changes.list",
            json!({"scope": {"type": "turn", "turn": 1}}),
        )
        .await
        .unwrap();
    let paths: Vec<&str> = changes
        .files
        .iter()
        .map(|file| file.path.as_str())
        .collect();
    assert_eq!(paths, ["b.txt"]);
    // Undone with the turn.
    let target = json!({"scope": {"type": "turn", "turn": 1}, "files": null, "redo": false});
    let preview: Value = desk
        .on_session("undo.preview", json!({"target": target}))
        .await
        .unwrap();
    let apply = json!({"target": target, "fingerprint": preview["fingerprint"], "choices": []});
    desk.on_session::<Value>("undo.apply", apply).await.unwrap();
    assert!(!desk.project.exists("b.txt"));
    assert_eq!(statuses(&end), [CallStatus::Succeeded]);
}

#[tokio::test(flavor = "multi_thread")]
async fn agents_that_only_read_work_at_the_same_time() {
    let gate = Gate::new();
    let held = || turn().gate(&gate).text("seen").end();
    let (model, mut desk) = desk(
        vec![
            turn()
                .call("Agent", agent("explore", "one"))
                .call("Agent", agent("explore", "two"))
                .end(),
            held(),
            held(),
            turn().text("done").end(),
        ],
        &[],
    )
    .await;
    desk.say("go").await;
    // Both ask before either has an answer.
    model.request(2).await;
    desk.until("both run", |state| {
        statuses(state) == [CallStatus::Running; 2]
    })
    .await;
    gate.open();
    let end = desk.idle().await;
    assert_eq!(statuses(&end), [CallStatus::Succeeded; 2]);
    assert_eq!(model.request(3).await.tool_results().len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stop_ends_the_agent_and_all_that_it_does() {
    let (_model, mut desk) = desk(
        vec![
            turn().call("Agent", agent("general-purpose", "wait")).end(),
            turn()
                .call("Bash", json!({"command": "touch begun; sleep 600"}))
                .end(),
        ],
        &[],
    )
    .await;
    desk.on_session::<Value>(
        "mode.set",
        json!({"mode": "bypassPermissions", "confirmed": true}),
    )
    .await
    .unwrap();
    desk.say("go").await;
    let running = desk
        .until("its command runs", |state| {
            calls(state).first().is_some_and(|call| {
                let listed = call.view.blocks.iter().any(|block| {
                    matches!(block, Block::SubSession { calls, .. }
                        if calls.iter().any(|call| call.status == CallStatus::Running))
                });
                listed && call.status == CallStatus::Running
            })
        })
        .await;
    let (id, _) = sub_session(calls(&running)[0]);
    let activity = calls(&running)[0].view.activity.clone().unwrap();
    assert!(activity.starts_with("general-purpose: "), "{activity}");
    desk.on_session::<Value>("turn.stop", json!({}))
        .await
        .unwrap();
    let end = desk.idle().await;
    assert_eq!(statuses(&end), [CallStatus::Cancelled]);
    let open = conversation(&desk, &id).await;
    assert_eq!(statuses(&open), [CallStatus::Cancelled]);
    assert_eq!(open.turn, adroit_protocol::event::Turn::Idle);
    assert!(end.requests.is_empty());
    // Every call of it has its result, and its row still leads there.
    assert_eq!(sub_session(calls(&end)[0]).0, id);
}

#[tokio::test(flavor = "multi_thread")]
async fn hooks_hear_of_its_calls_and_may_send_it_on() {
    let model_turns = vec![
        turn().call("Agent", agent("explore", "look")).end(),
        turn().call("Read", json!({"file_path": "a.txt"})).end(),
        turn().text("half").end(),
        turn().text("whole").end(),
        turn().text("done").end(),
    ];
    let hooks = json!({"hooks": {
        "PreToolUse": [{"matcher": "Read", "hooks": [{"type": "command", "command": "cat > call.json"}]}],
        "SubagentStop": [{"matcher": "explore", "hooks": [{"type": "command",
            "command": "cat > stop.json; grep -q '\"stop_hook_active\":true' stop.json && exit 0; echo 'say more' >&2; exit 2"}]}],
        "Stop": [{"hooks": [{"type": "command", "command": "echo x >> stops"}]}],
    }});
    let (model, mut desk) = desk(model_turns, &[("a.txt", "alpha\n")]).await;
    desk.project
        .write(".claude/settings.json", hooks.to_string());
    desk.ask("go").await;
    let told: Value = serde_json::from_str(&desk.project.read("call.json")).unwrap();
    assert_eq!(told["agent_type"], "explore");
    let stop: Value = serde_json::from_str(&desk.project.read("stop.json")).unwrap();
    assert_eq!(stop["hook_event_name"], "SubagentStop");
    assert_eq!(stop["agent_id"], told["agent_id"]);
    assert_eq!(stop["agent_type"], "explore");
    assert_eq!(stop["last_assistant_message"], "whole");
    let transcript = stop["agent_transcript_path"].as_str().unwrap();
    assert!(
        std::fs::read_to_string(transcript)
            .unwrap()
            .contains("whole")
    );
    assert_ne!(stop["transcript_path"], stop["agent_transcript_path"]);
    let sent_on = model.request(3).await.last_message().to_string();
    assert!(sent_on.contains("say more"), "{sent_on}");
    assert_eq!(model.request(4).await.tool_results()[0].1, "whole");
    assert_eq!(
        desk.project.read("stops"),
        "x\n",
        "the turn's own end is another event"
    );
}

const REVIEWER: &str = "---\nname: reviewer\ndescription: Looks at changes.\ntools: Read, Bash\nmodel: small-model\n---\nYou are a strict reviewer.";

#[tokio::test(flavor = "multi_thread")]
async fn files_define_agents_and_rules_decide_about_them() {
    let (model, mut desk) = desk(
        vec![
            turn()
                .call("Agent", agent("reviewer", "look"))
                .call("Task", agent("explore", "look"))
                .call("Agent", agent("nobody", "look"))
                .end(),
            turn().text("fine").end(),
            turn().text("done").end(),
        ],
        &[
            (".claude/agents/reviewer.md", REVIEWER),
            (".claude/agents/broken.md", "You are an agent."),
            (
                ".claude/settings.json",
                r#"{"permissions": {"allow": ["Agent(reviewer)"], "deny": ["Agent(explore)"]}}"#,
            ),
        ],
    )
    .await;
    let end = desk.ask("go").await;
    assert_eq!(
        statuses(&end),
        [
            CallStatus::Succeeded,
            CallStatus::Denied,
            CallStatus::Failed
        ]
    );
    let main = model.request(0).await;
    let system = main.body["system"].to_string();
    assert!(system.contains("`reviewer`: Looks at changes."), "{system}");
    let own = model.request(1).await;
    assert_eq!(own.body["model"], "small-model");
    assert_eq!(tools(&own), ["Bash", "Read"]);
    assert!(
        own.body["system"]
            .to_string()
            .contains("You are a strict reviewer.")
    );
    let results = model.request(2).await.tool_results();
    assert!(results[1].1.contains("Agent(explore)"), "{results:?}");
    assert!(
        results[2].1.contains("There is no agent `nobody`"),
        "{results:?}"
    );
    // What cannot be read is reported.
    let settings: SettingsState = desk
        .rpc(
            "settings.get",
            json!({"project": desk.project.path(), "session": null}),
        )
        .await
        .unwrap();
    let broken: Vec<_> = settings
        .agents
        .iter()
        .filter(|agent| agent.problem.is_some())
        .collect();
    assert_eq!(broken.len(), 1);
    assert!(broken[0].file.as_ref().unwrap().ends_with("broken.md"));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_that_fails_says_how_and_the_turn_goes_on() {
    let refusal = adroit_testkit::response(401).error_body("authentication_error", "bad key");
    let (model, mut desk) = desk(
        vec![
            turn().call("Agent", agent("explore", "look")).end(),
            refusal,
            turn().text("done").end(),
        ],
        &[],
    )
    .await;
    let end = desk.ask("go").await;
    assert_eq!(statuses(&end), [CallStatus::Failed]);
    let (_, result, is_error) = &model.request(2).await.tool_results()[0];
    assert!(*is_error && result.contains("The agent failed"), "{result}");
    assert_eq!(texts(&end).last().map(String::as_str), Some("done"));
}

#[tokio::test(flavor = "multi_thread")]
async fn agents_start_agents_only_where_settings_let_them() {
    let project = adroit_testkit::TempProject::new(&[]);
    let model = ScriptedModel::start([
        turn().call("Agent", agent("general-purpose", "one")).end(),
        turn().call("Agent", agent("general-purpose", "two")).end(),
        turn().text("deepest").end(),
        turn().text("deeper").end(),
        turn().text("done").end(),
    ])
    .await;
    let settings = json!({
        "model": {"provider": "anthropic", "name": "test-model", "baseUrl": model.base_url()},
        "execution": {"agentDepth": 2},
        "permissions": {"allow": ["Agent"]},
    });
    let mut desk = Desk::start(project, settings).await;
    let end = desk.ask("go").await;
    assert!(tools(&model.request(1).await).contains(&"Agent".to_owned()));
    assert!(!tools(&model.request(2).await).contains(&"Agent".to_owned()));
    assert_eq!(model.request(4).await.tool_results()[0].1, "deeper");
    // The deepest can be looked at, too.
    let (id, listed) = sub_session(calls(&end)[0]);
    assert_eq!(listed.len(), 1);
    let (deepest, _) = sub_session(calls(&conversation(&desk, &id).await)[0]);
    assert_eq!(texts(&conversation(&desk, &deepest).await), ["deepest"]);
    assert_eq!(end.usage.input_tokens, 500);
}

/// On a fresh machine: the operator starts agents in plain words.
#[tokio::test(flavor = "multi_thread")]
async fn the_offline_operator_has_agents() {
    let mut desk = Desk::offline(&[("a.txt", "alpha\n"), ("b.txt", "beta\n")]).await;
    let end = desk
        .ask("use explore agents to \"find alpha\" and \"read b.txt\"")
        .await;
    assert_eq!(statuses(&end), [CallStatus::Succeeded; 2]);
    let (one, listed) = sub_session(calls(&end)[0]);
    let (two, others) = sub_session(calls(&end)[1]);
    assert_ne!(one, two);
    assert_ne!(
        listed[0].call, others[0].call,
        "calls of agents have names of their own"
    );
    let last = texts(&end).last().cloned().unwrap();
    assert!(last.contains("a.txt") && last.contains("beta"), "{last}");
    let open = conversation(&desk, &two).await;
    let said =
        matches!(&open.items[0].body, ItemBody::User { text, turn: None } if text == "read b.txt");
    assert!(said, "{:?}", open.items[0]);
}
