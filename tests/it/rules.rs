//! The rule that is remembered: what it would do, where, until when, and what it settles.

use adroit_protocol::ErrorCode;
use adroit_protocol::command::{RuleCheck, RuleOddity, SettingsState};
use adroit_protocol::event::CallStatus;
use adroit_protocol::permission::PermissionRequest;
use adroit_testkit::{ScriptedModel, TempProject, turn};
use serde_json::{Value, json};

use crate::desk::{Desk, calls, statuses};

fn bash(command: &str) -> Value {
    json!({"command": command})
}

async fn check(desk: &Desk, request: &PermissionRequest, rule: &str) -> RuleCheck {
    desk.on_session(
        "request.check_rule",
        json!({"request": request.id, "rule": rule}),
    )
    .await
    .unwrap()
}

/// Reads outside of the project ask, and run side by side: several requests wait at once.
fn reads(paths: &[&str]) -> adroit_testkit::Turn {
    let mut answer = turn();
    for path in paths {
        answer = answer.call("Read", json!({"file_path": path}));
    }
    answer.end()
}

/// dv-gui-003: "always" for one request settles others only where the rule covers them.
#[tokio::test(flavor = "multi_thread")]
async fn a_grant_settles_what_waits_and_is_covered_and_nothing_else() {
    let model = ScriptedModel::start([
        reads(&["/etc/hostname", "/etc/hosts", "/usr/lib/os-release"]),
        turn().text("done").end(),
    ])
    .await;
    let mut desk = Desk::anthropic(&model, &[("a.txt", "")]).await;
    desk.say("go").await;
    let open = desk
        .until("three requests are open", |state| state.requests.len() == 3)
        .await
        .requests;
    let about = |path: &str| {
        open.iter()
            .find(|request| request.input["file_path"] == path)
            .unwrap()
    };
    desk.answer(
        about("/etc/hostname"),
        json!({"type": "allow_and_remember", "rule": "Read(//etc/**)", "scope": "session"}),
    )
    .await
    .unwrap();
    let left = desk
        .until("what is covered is settled", |state| {
            state.requests.len() == 1
        })
        .await
        .requests;
    assert_eq!(
        left[0].id,
        about("/usr/lib/os-release").id,
        "the third is not covered by the rule"
    );
    desk.answer(&left[0], json!({"type": "deny"}))
        .await
        .unwrap();
    let end = desk.idle().await;
    assert_eq!(
        statuses(&end),
        [
            CallStatus::Succeeded,
            CallStatus::Succeeded,
            CallStatus::Denied
        ]
    );
    let second = calls(&end)[1].call.clone();
    let known: Value = desk
        .on_session("call.record", json!({"call": second}))
        .await
        .unwrap();
    assert_eq!(
        known["record"]["decision"]["rule"]["rule"],
        "Read(//etc/**)"
    );
    assert!(known["record"]["consent"].is_null(), "nobody answered it");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_grant_for_the_project_settles_another_session() {
    let model = ScriptedModel::start([
        turn().call("Bash", bash("touch one.txt")).end(),
        turn().call("Bash", bash("touch two.txt")).end(),
        turn().text("done").end(),
        turn().text("done").end(),
    ])
    .await;
    let mut desk = Desk::anthropic(&model, &[("a.txt", "")]).await;
    desk.say("first").await;
    let first = desk.request().await;
    let path = desk.project.path().display().to_string();
    let other: Value = desk
        .rpc("session.create", json!({"path": path}))
        .await
        .unwrap();
    let other = other["session"].clone();
    desk.rpc::<Value>("turn.submit", json!({"session": other, "text": "second"}))
        .await
        .unwrap();
    let waits = loop {
        let state: Value = desk
            .rpc("session.open", json!({"session": other}))
            .await
            .unwrap();
        if state["requests"]
            .as_array()
            .is_some_and(|open| !open.is_empty())
        {
            break state;
        }
        desk.next_event().await;
    };
    assert_eq!(waits["requests"].as_array().unwrap().len(), 1);
    desk.answer(
        &first,
        json!({"type": "allow_and_remember", "rule": "Bash(touch:*)", "scope": "project_local"}),
    )
    .await
    .unwrap();
    desk.idle().await;
    loop {
        let state: Value = desk
            .rpc("session.open", json!({"session": other}))
            .await
            .unwrap();
        if state["turn"]["type"] == "idle" {
            break;
        }
        desk.next_event().await;
    }
    assert!(desk.project.exists("one.txt") && desk.project.exists("two.txt"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rule_is_shown_with_what_it_would_have_let_through_before() {
    let model = ScriptedModel::start([
        turn()
            .call("Bash", bash("touch one.txt"))
            .call("Bash", bash("touch two.txt"))
            .call("Bash", bash("mkdir sub"))
            .call("Bash", bash("ls"))
            .end(),
        turn().call("Bash", bash("touch three.txt")).end(),
        turn().text("done").end(),
    ])
    .await;
    let mut desk = Desk::anthropic(&model, &[("a.txt", "")]).await;
    desk.say("go").await;
    for _ in 0..3 {
        desk.allow_next().await;
        desk.until("it is answered", |state| {
            state.requests.is_empty() || state.requests.len() == 1
        })
        .await;
    }
    let request = desk
        .until("the last one is asked", |state| {
            state
                .requests
                .first()
                .is_some_and(|request| request.input == bash("touch three.txt"))
        })
        .await
        .requests
        .remove(0);
    let narrow = check(&desk, &request, "Bash(touch three.txt)").await;
    assert!(narrow.covers && narrow.past.is_empty());
    assert_eq!(narrow.broadest.unwrap(), "this very text and nothing else");
    let prefix = check(&desk, &request, "Bash(touch:*)").await;
    let subjects: Vec<&str> = prefix
        .past
        .iter()
        .map(|call| call.subject.as_str())
        .collect();
    assert_eq!(subjects, ["touch two.txt", "touch one.txt"]);
    assert!(prefix.broadest.unwrap().contains("every option"));
    let tool = check(&desk, &request, "Bash").await;
    assert_eq!(tool.past.len(), 3, "reading needs no rule: {:?}", tool.past);
    assert!(tool.broadest.unwrap().contains("any command"));
    assert!(tool.looked_at >= 4);
    let other = check(&desk, &request, "Bash(mkdir:*)").await;
    assert!(!other.covers && other.past.is_empty());
    desk.answer(&request, json!({"type": "deny"}))
        .await
        .unwrap();
    desk.idle().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rule_ends_at_its_moment() {
    let write = |name: &str| {
        turn()
            .call("Write", json!({"file_path": name, "content": "x"}))
            .end()
    };
    let model = ScriptedModel::start([write("1.txt"), turn().text("done").end()]).await;
    let mut desk = Desk::anthropic(&model, &[("a.txt", "")]).await;
    desk.say("go").await;
    let request = desk.request().await;
    let grant = |at: u64| json!({"type": "allow_and_remember", "rule": "Edit", "scope": "project_local", "expiresAt": at});
    let past = desk.answer(&request, grant(1_000)).await.unwrap_err();
    assert_eq!(past.code, ErrorCode::Failed);
    let far = 4_102_444_800_000_u64;
    desk.answer(&request, grant(far)).await.unwrap();
    desk.idle().await;
    let stored: Value =
        serde_json::from_str(&desk.project.read(".adroit/settings.local.json")).unwrap();
    assert_eq!(
        stored["permissions"]["until"],
        json!({"Edit": "2100-01-01T00:00Z"})
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_ended_rule_allows_nothing_and_is_reported() {
    let model = ScriptedModel::start([
        turn()
            .call("Write", json!({"file_path": "1.txt", "content": "x"}))
            .end(),
        turn().text("done").end(),
    ])
    .await;
    let rules = r#"{"permissions": {"allow": ["Edit", "Bash(make:*)", "Bash(make all)"],
        "ask": ["Bash(make:*)"], "deny": ["Bash(a && b *)"], "until": {"Edit": "2020-01-01T00:00Z"}}}"#;
    let mut desk = Desk::anthropic(&model, &[(".adroit/settings.json", rules)]).await;
    let path = desk.project.path().display().to_string();
    let settings: SettingsState = desk
        .rpc("settings.get", json!({"project": path, "session": null}))
        .await
        .unwrap();
    let mut odd: Vec<(String, RuleOddity)> = settings
        .reports
        .iter()
        .map(|report| (report.rule.rule.clone(), report.kind))
        .collect();
    odd.sort_by(|one, other| one.0.cmp(&other.0));
    assert_eq!(
        odd,
        [
            ("Bash(a && b *)".to_owned(), RuleOddity::MatchesNothing),
            ("Bash(make all)".to_owned(), RuleOddity::Unreachable),
            ("Bash(make:*)".to_owned(), RuleOddity::Unreachable),
            ("Edit".to_owned(), RuleOddity::Expired),
        ]
    );
    desk.say("go").await;
    let request = desk.request().await;
    assert!(!desk.project.exists("1.txt"), "it asks");
    desk.answer(&request, json!({"type": "deny"}))
        .await
        .unwrap();
    desk.idle().await;
}

/// A session's rule ends with the clock, not with the next change of a file.
#[tokio::test(flavor = "multi_thread")]
async fn a_rule_for_the_session_ends_too() {
    let read = || reads(&["/etc/hostname"]);
    let model = ScriptedModel::start([
        read(),
        turn().text("one").end(),
        read(),
        turn().text("two").end(),
    ])
    .await;
    let mut desk = Desk::start(
        TempProject::new(&[("a.txt", "")]),
        json!({"model": {"provider": "anthropic", "name": "test-model", "baseUrl": model.base_url()}}),
    )
    .await;
    desk.say("go").await;
    let request = desk.request().await;
    let soon = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap()
        .as_millis() as u64
        + 400;
    let answer = json!({"type": "allow_and_remember", "rule": "Read(//etc/**)", "scope": "session", "expiresAt": soon});
    desk.answer(&request, answer).await.unwrap();
    desk.idle().await;
    // Wait for the clock, and for nothing else.
    while (std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap()
        .as_millis() as u64)
        <= soon
    {
        tokio::task::yield_now().await;
    }
    desk.say("again").await;
    let again = desk.request().await;
    assert_ne!(again.id, request.id);
    desk.answer(&again, json!({"type": "deny"})).await.unwrap();
    desk.idle().await;
}
