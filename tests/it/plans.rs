//! Plan mode: a plan is presented, approved, edited or declined, and nothing else leaves it.

use adroit_protocol::event::{CallStatus, SessionSnapshot};
use adroit_protocol::permission::{DraftKind, Mode};
use adroit_protocol::view::Block;
use adroit_testkit::{ScriptedModel, turn};
use serde_json::{Value, json};

use crate::desk::{Desk, statuses};

const PLAN: &str = "1. Write `b.txt`.";

async fn desk(mode: &str) -> (ScriptedModel, Desk) {
    let write = json!({"file_path": "b.txt", "content": "beta\n"});
    let turns = [
        turn().call("ExitPlanMode", json!({"plan": PLAN})).end(),
        turn().call("Write", write).end(),
        turn().text("done").end(),
    ];
    let model = ScriptedModel::start(turns).await;
    let desk = Desk::anthropic(&model, &[]).await;
    switch(&desk, mode).await;
    (model, desk)
}

async fn switch(desk: &Desk, mode: &str) {
    desk.on_session::<Value>("mode.set", json!({"mode": mode}))
        .await
        .unwrap();
}

fn approve(text: Option<&str>, mode: &str) -> Value {
    let mut change = json!({"type": "plan", "mode": mode});
    if let Some(text) = text {
        change["text"] = json!(text);
    }
    json!({"type": "allow_changed", "change": change})
}

fn result(snapshot: &SessionSnapshot, model_result: &str) -> String {
    format!("{:?}: {model_result}", statuses(snapshot))
}

#[tokio::test(flavor = "multi_thread")]
async fn an_approved_plan_goes_on_in_the_mode_that_the_person_chose() {
    let (model, mut desk) = desk("plan").await;
    desk.say("go").await;
    let request = desk.request().await;
    assert_eq!(request.draft.unwrap().kind, DraftKind::Plan);
    assert!(matches!(&request.view.blocks[..], [Block::Markdown { text }] if text == PLAN));
    assert!(request.suggestions.is_empty(), "no rule approves a plan");
    let system = model.request(0).await.body["system"].to_string();
    assert!(system.contains("Plan mode is on"), "{system}");

    desk.answer(&request, approve(None, "acceptEdits"))
        .await
        .unwrap();
    let end = desk.idle().await;
    assert_eq!(statuses(&end), [CallStatus::Succeeded; 2]);
    assert_eq!(end.mode, Mode::AcceptEdits);
    assert_eq!(desk.project.read("b.txt"), "beta\n");
    let (_, told, _) = &model.request(1).await.tool_results()[0];
    assert!(told.contains("plan mode is over"), "{told}");
    let system = model.request(1).await.body["system"].to_string();
    assert!(!system.contains("Plan mode is on"), "{system}");
    // The mode is kept as if the person had switched it.
    let desk = desk.reopen().await;
    assert_eq!(desk.snapshot().await.mode, Mode::AcceptEdits);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edited_plan_is_told_and_its_changes_are_asked_about() {
    let (model, mut desk) = desk("plan").await;
    desk.say("go").await;
    let request = desk.request().await;
    desk.answer(&request, approve(Some("1. Write `c.txt`."), "default"))
        .await
        .unwrap();
    let write = desk
        .until("the edit is asked about", |snapshot| {
            snapshot.requests.iter().any(|open| open.id != request.id)
        })
        .await;
    assert_eq!(write.mode, Mode::Default);
    assert_eq!(write.requests[0].tool, "Write");
    let (_, told, _) = &model.request(1).await.tool_results()[0];
    assert!(
        told.contains("Carry it out as it reads now:\n\n1. Write `c.txt`."),
        "{told}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn who_declines_keeps_planning() {
    let (model, mut desk) = desk("plan").await;
    desk.say("go").await;
    let request = desk.request().await;
    for refused in [
        json!({"type": "allow_once"}),
        json!({"type": "allow_and_remember", "rule": "ExitPlanMode", "scope": "session"}),
        approve(Some("  "), "default"),
        json!({"type": "allow_changed", "change": {"type": "text", "text": "x"}}),
    ] {
        desk.answer(&request, refused.clone()).await.unwrap_err();
    }
    desk.answer(&request, json!({"type": "deny", "words": "mind the tests"}))
        .await
        .unwrap();
    // The model goes on, and what it changes is asked about: the mode is plan still.
    let next = desk
        .until("the edit is asked about", |snapshot| {
            snapshot.requests.iter().any(|open| open.id != request.id)
        })
        .await;
    assert_eq!(next.mode, Mode::Plan);
    let (_, told, is_error) = &model.request(1).await.tool_results()[0];
    assert!(*is_error && told.contains("mind the tests"), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn outside_of_plan_mode_there_is_nothing_to_approve() {
    for mode in ["default", "acceptEdits", "auto"] {
        let (model, mut desk) = desk(mode).await;
        desk.say("go").await;
        let (_, told, is_error) = &model.request(1).await.tool_results()[0];
        assert!(
            *is_error && told.contains("in the mode plan only"),
            "{told}"
        );
        let snapshot = desk
            .until("the call has ended", |snapshot| {
                !statuses(snapshot).is_empty()
            })
            .await;
        assert_eq!(
            statuses(&snapshot)[0],
            CallStatus::Failed,
            "{}",
            result(&snapshot, told)
        );
    }
}

/// The person switches the mode while the plan waits: the plan does not switch it again.
#[tokio::test(flavor = "multi_thread")]
async fn a_plan_that_is_approved_too_late_switches_nothing() {
    let (model, mut desk) = desk("plan").await;
    desk.say("go").await;
    let request = desk.request().await;
    switch(&desk, "default").await;
    desk.answer(&request, approve(None, "acceptEdits"))
        .await
        .unwrap();
    let (_, told, is_error) = &model.request(1).await.tool_results()[0];
    assert!(*is_error && told.contains("the mode is default"), "{told}");
    assert_eq!(desk.snapshot().await.mode, Mode::Default);
}

/// The bypass: hooks and rules that would approve a plan in the person's place.
#[tokio::test(flavor = "multi_thread")]
async fn no_hook_and_no_rule_leaves_plan_mode() {
    let input = json!({"plan": PLAN, "mode": "acceptEdits"});
    let allow = |updated: Option<&Value>| {
        let mut before = json!({"permissionDecision": "allow"});
        let mut decision = json!({"behavior": "allow"});
        if let Some(updated) = updated {
            before["updatedInput"] = updated.clone();
            decision["updatedInput"] = updated.clone();
        }
        [
            ("PreToolUse", json!({"hookSpecificOutput": before})),
            (
                "PermissionRequest",
                json!({"hookSpecificOutput": {"decision": decision}}),
            ),
        ]
    };
    for (event, answer) in allow(None).into_iter().chain(allow(Some(&input))) {
        let (model, mut desk) = desk("plan").await;
        let command = format!("cat > /dev/null; printf '%s' '{answer}'");
        let hook = json!([{"matcher": "ExitPlanMode", "hooks": [
            {"type": "command", "command": command},
        ]}]);
        let settings = json!({
            "permissions": {"allow": ["ExitPlanMode"]},
            "hooks": {event: hook},
        });
        desk.project
            .write(".claude/settings.json", settings.to_string());
        desk.say("go").await;
        // Either the person is asked all the same, or the call is refused; never does it go through.
        let snapshot = desk
            .until("somebody is asked", |snapshot| {
                !snapshot.requests.is_empty()
            })
            .await;
        assert_eq!(snapshot.mode, Mode::Plan, "{event} {answer}");
        if snapshot.requests[0].tool != "ExitPlanMode" {
            let (_, told, is_error) = &model.request(1).await.tool_results()[0];
            assert!(*is_error, "{event} {answer}: {told}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_offline_operator_plans_and_carries_out_what_was_approved() {
    let mut desk = Desk::offline(&[]).await;
    switch(&desk, "plan").await;
    desk.say("plan create a.txt with one then create b.txt with two")
        .await;
    let request = desk.request().await;
    let plan = "1. create a.txt with one";
    desk.answer(&request, approve(Some(plan), "acceptEdits"))
        .await
        .unwrap();
    let end = desk.idle().await;
    assert_eq!(end.mode, Mode::AcceptEdits);
    assert_eq!(desk.project.read("a.txt"), "one");
    assert!(
        !desk.project.exists("b.txt"),
        "what was taken out is not done"
    );
}
