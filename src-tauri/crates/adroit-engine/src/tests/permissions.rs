//! The pipeline with real rules.

use adroit_protocol::event::CallStatus::{self, Cancelled, Denied, Succeeded};
use adroit_protocol::permission::{Behavior, Mode};
use adroit_tool::{CancelReason, Cancellation};
use serde_json::json;

use super::fixture::*;
use crate::ConsentAnswer;

fn allow() -> ConsentAnswer {
    ConsentAnswer::Allow(consent(Behavior::Allow, None))
}

#[tokio::test]
async fn a_deny_rule_ends_it_at_stage_six_in_every_mode() {
    for mode in Mode::ALL {
        let world = World::new(
            snapshot(
                mode,
                &[(Behavior::Deny, "Probe"), (Behavior::Allow, "Probe")],
            ),
            None,
        );
        let result = world.run("Probe", json!({})).await;
        assert_eq!(result.status, Denied);
        assert_eq!(result.record.stages.last().unwrap().number, 6);
        assert_eq!(result.record.rules[0].rule, "Probe");
        assert!(
            text(&result).contains("Probe") && text(&result).contains("settings.json"),
            "{}",
            text(&result)
        );
        assert!(world.log.events().is_empty());
    }
}

#[tokio::test]
async fn the_tools_own_no_ends_it_at_stage_seven() {
    let result = world().run("Probe", json!({"text": "forbidden"})).await;
    assert_eq!(
        (result.status, result.record.stages.last().unwrap().number),
        (Denied, 7)
    );
    insta::assert_snapshot!(text(&result), @"Permission denied: the tool never does that. Mind the reason before you try again.");
}

#[tokio::test]
async fn a_yes_lets_it_run_and_is_recorded() {
    let world = World::new(snapshot(Mode::Default, &[]), Some(Box::new(|_| allow())));
    let result = world.run("Probe", json!({"text": "hello"})).await;
    assert_eq!(
        (result.status, text(&result).as_str()),
        (Succeeded, "hello")
    );
    assert_eq!(result.record.consent.as_ref().unwrap().by, "person");
    assert_eq!(
        result.record.decision.as_ref().unwrap().behavior,
        Behavior::Allow
    );
    let asked = world.person.asked.lock().unwrap();
    assert_eq!(
        (asked.len(), asked[0].tool.as_str(), &*asked[0].input),
        (1, "Probe", &json!({"text": "hello"}))
    );
    assert!(world.updates.statuses("c1").contains(&CallStatus::Waiting));
}

#[tokio::test]
async fn words_with_a_yes_reach_the_model() {
    let answer =
        |_: &crate::Ask| ConsentAnswer::Allow(consent(Behavior::Allow, Some("only this once")));
    let world = World::new(snapshot(Mode::Default, &[]), Some(Box::new(answer)));
    insta::assert_snapshot!(text(&world.run("Probe", json!({"text": "hello"})).await), @r"
    hello
    ---
    The user approved this and says: only this once
    ");
}

/// dv-stream-008: the other call's result is real, the words reach the model, the order stays.
#[tokio::test]
async fn a_no_with_words_to_one_of_two_parallel_calls() {
    let answer = |_: &crate::Ask| ConsentAnswer::Deny(consent(Behavior::Deny, Some("use make")));
    let world = World::new(
        snapshot(Mode::Default, &[(Behavior::Allow, "Probe")]),
        Some(Box::new(answer)),
    );
    let mut executor = world.executor();
    executor.add(call(
        "read",
        "Probe",
        json!({"safe": true, "text": "content"}),
    ));
    executor.add(call("bash", "Bash", json!({"text": "cmake --build ."})));
    let results = drain(&mut executor).await;
    assert_eq!(ids(&results), ["read", "bash"]);
    assert_eq!(statuses(&results), [Succeeded, Denied]);
    assert!(
        text(&results[1]).contains("use make"),
        "{}",
        text(&results[1])
    );
    assert_eq!(
        results[1].record.consent.as_ref().unwrap().behavior,
        Behavior::Deny
    );
}

#[tokio::test]
async fn dont_ask_denies_without_asking() {
    let world = World::new(snapshot(Mode::DontAsk, &[]), Some(Box::new(|_| allow())));
    let result = world.run("Probe", json!({})).await;
    assert_eq!(result.status, Denied);
    assert!(world.person.asked.lock().unwrap().is_empty());
}

#[tokio::test]
async fn a_switch_of_the_mode_applies_to_the_very_next_call() {
    let world = World::new(snapshot(Mode::DontAsk, &[]), None);
    assert_eq!(world.run("Probe", json!({})).await.status, Denied);
    *world.rules.0.lock().unwrap() = snapshot(Mode::BypassPermissions, &[]);
    let result = world.run("Probe", json!({})).await;
    assert_eq!(
        (result.status, result.record.mode),
        (Succeeded, Mode::BypassPermissions)
    );
}

#[tokio::test]
async fn a_question_is_withdrawn_when_the_call_is_cancelled() {
    let world = World::new(snapshot(Mode::Default, &[]), None);
    let cancellation = Cancellation::new();
    let mut executor = world.engine.executor(cancellation.clone());
    executor.add(call("asks", "Probe", json!({})));
    world.person.was_asked.notified().await;
    cancellation.cancel(CancelReason::Stopped);
    let result = executor.next().await.unwrap();
    assert_eq!(result.status, Cancelled);
    assert!(world.log.events().is_empty());
}

#[tokio::test]
async fn what_the_person_changed_is_checked_judged_and_run() {
    let answer = |ask: &crate::Ask| {
        assert_eq!(ask.input["text"], "rm everything");
        let input = json!({"text": "ls", "safe": "true"});
        ConsentAnswer::AllowChanged {
            input,
            told: None,
            record: consent(Behavior::Allow, None),
        }
    };
    let world = World::new(snapshot(Mode::Default, &[]), Some(Box::new(answer)));
    let result = world.run("Probe", json!({"text": "rm everything"})).await;
    assert_eq!(result.status, Succeeded);
    assert_eq!(
        world.person.asked.lock().unwrap().len(),
        1,
        "it is not asked twice about the person's own words"
    );
    insta::assert_snapshot!(text(&result), @r#"
    ls
    ---
    The user changed the input before approving it; what ran is: {"text":"ls","safe":true}
    "#);
    let numbers: Vec<u8> = result
        .record
        .stages
        .iter()
        .map(|stage| stage.number)
        .collect();
    assert_eq!(
        numbers,
        [
            1, 2, 3, 4, 5, 6, 7, 8, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14
        ]
    );
}

/// A command that is edited into a worse one does not run on the consent to the better one.
#[tokio::test]
async fn what_the_person_changed_is_asked_again_where_there_is_another_reason() {
    let answer = |ask: &crate::Ask| match ask.input["text"].as_str() {
        Some("touch one") => ConsentAnswer::AllowChanged {
            input: json!({"text": "touch two"}),
            told: Some("told of the change".to_owned()),
            record: consent(Behavior::Allow, None),
        },
        _ => ConsentAnswer::Allow(consent(Behavior::Allow, None)),
    };
    let world = World::new(snapshot(Mode::Default, &[]), Some(Box::new(answer)));
    let result = world.run("Bash", json!({"text": "touch one"})).await;
    assert_eq!(result.status, Succeeded);
    let asked = world.person.asked.lock().unwrap();
    let asked: Vec<_> = asked
        .iter()
        .map(|ask| (ask.input["text"].as_str().unwrap().to_owned(), ask.revised))
        .collect();
    assert_eq!(
        asked,
        [
            ("touch one".to_owned(), false),
            ("touch two".to_owned(), true)
        ]
    );
    assert!(
        text(&result).contains("told of the change"),
        "{}",
        text(&result)
    );
    assert!(result.record.consent.unwrap().changed);
}

#[tokio::test]
async fn what_the_person_changed_can_still_be_denied_or_invalid() {
    for (changed, status) in [
        (json!({"text": "forbidden"}), Denied),
        (json!({"text": 3}), CallStatus::Failed),
    ] {
        let answer = move |_: &crate::Ask| ConsentAnswer::AllowChanged {
            input: changed.clone(),
            told: None,
            record: consent(Behavior::Allow, None),
        };
        let world = World::new(snapshot(Mode::Default, &[]), Some(Box::new(answer)));
        assert_eq!(
            world.run("Probe", json!({"text": "x"})).await.status,
            status
        );
        assert!(world.log.events().is_empty());
    }
}

#[tokio::test]
async fn a_command_is_judged_by_its_rules() {
    let rules = [
        (Behavior::Allow, "Bash(cargo test:*)"),
        (Behavior::Deny, "Bash(rm:*)"),
    ];
    let world = World::new(snapshot(Mode::DontAsk, &rules), None);
    assert_eq!(
        world
            .run("Bash", json!({"text": "cargo test --all"}))
            .await
            .status,
        Succeeded
    );
    assert_eq!(
        world
            .run("Bash", json!({"text": "cargo test && rm -rf x"}))
            .await
            .status,
        Denied
    );
}
