//! Hooks against rules and modes.

use std::sync::{Arc, Mutex};

use adroit_hooks::{
    AfterCall, BeforeCall, ChangedInput, HookCall, Hooks, InsteadOfPerson, PersonSpared,
    RememberedRule,
};
use adroit_permissions::HookOpinion;
use adroit_protocol::event::CallStatus::{self, Denied, Failed, Succeeded};
use adroit_protocol::permission::{Behavior, Mode, RuleScope, RuleSuggestion};
use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::{Value, json};

use super::fixture::*;
use crate::ConsentAnswer;

type Change = dyn Fn(&Value) -> Value + Send + Sync;

/// Says the same of every call.
pub(super) struct Says {
    pub(super) opinion: HookOpinion,
    changes: Option<Box<Change>>,
    /// What it answers in the person's place.
    pub(super) instead: PersonSpared,
    stop: Option<String>,
    seen: Mutex<Vec<Value>>,
    /// The rules that it was offered to remember.
    offered: Mutex<Vec<String>>,
}

impl Says {
    pub(super) fn opinion(opinion: HookOpinion) -> Self {
        Self {
            opinion,
            changes: None,
            instead: PersonSpared::No,
            stop: None,
            seen: Mutex::default(),
            offered: Mutex::default(),
        }
    }

    pub(super) fn change(change: impl Fn(&Value) -> Value + Send + Sync + 'static) -> Self {
        Self {
            opinion: HookOpinion::None,
            changes: Some(Box::new(change)),
            instead: PersonSpared::No,
            stop: None,
            seen: Mutex::default(),
            offered: Mutex::default(),
        }
    }
}

impl Hooks for Says {
    fn before_call<'a>(&'a self, call: HookCall<'a>) -> BoxFuture<'a, BeforeCall> {
        self.seen.lock().unwrap().push(call.input.clone());
        let said = BeforeCall {
            opinion: self.opinion.clone(),
            updated_input: self.changes.as_ref().map(|change| ChangedInput {
                hook: "change.sh".to_owned(),
                input: change(call.input),
            }),
            context: vec!["mind the gap".to_owned()],
            ..BeforeCall::default()
        };
        std::future::ready(said).boxed()
    }

    fn before_question<'a>(
        &'a self,
        _call: HookCall<'a>,
        offered: &'a [RuleSuggestion],
    ) -> BoxFuture<'a, InsteadOfPerson> {
        let rules = offered.iter().map(|one| one.rule.clone());
        self.offered.lock().unwrap().extend(rules);
        std::future::ready(InsteadOfPerson {
            answer: self.instead.clone(),
            ..InsteadOfPerson::default()
        })
        .boxed()
    }

    fn after_call<'a>(
        &'a self,
        _call: HookCall<'a>,
        output: &'a Value,
    ) -> BoxFuture<'a, AfterCall> {
        std::future::ready(AfterCall {
            feedback: vec![format!("it gave {output}")],
            stop: self.stop.clone(),
            ..AfterCall::default()
        })
        .boxed()
    }

    fn after_failure<'a>(
        &'a self,
        _call: HookCall<'a>,
        failure: &'a str,
    ) -> BoxFuture<'a, AfterCall> {
        std::future::ready(AfterCall {
            feedback: vec![format!("it failed: {failure}")],
            ..AfterCall::default()
        })
        .boxed()
    }
}

fn said(word: &str) -> HookOpinion {
    let hook = "guard.sh".to_owned();
    match word {
        "allow" => HookOpinion::Allow { hook },
        "ask" => HookOpinion::Ask {
            hook,
            reason: "look at it".to_owned(),
        },
        "deny" => HookOpinion::Deny {
            hook,
            reason: "not on a Monday".to_owned(),
        },
        _ => HookOpinion::None,
    }
}

/// What comes of a call: who decided.
async fn outcome(word: &str, mode: Mode, rules: &[(Behavior, &str)], input: Value) -> &'static str {
    let answer = |_: &crate::Ask| ConsentAnswer::Deny(consent(Behavior::Deny, None));
    let world = World::new(snapshot(mode, rules), Some(Box::new(answer)))
        .with_hooks(Says::opinion(said(word)));
    let result = world.run("Probe", input).await;
    let asked = !world.person.asked.lock().unwrap().is_empty();
    match (result.status, asked) {
        (Succeeded, false) => "runs",
        (Denied, true) => "asks",
        (Denied, false) => "denied",
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn hooks_rules_and_modes_together() {
    let none: &[(Behavior, &str)] = &[];
    let allow: &[(Behavior, &str)] = &[(Behavior::Allow, "Probe")];
    let ask: &[(Behavior, &str)] = &[(Behavior::Ask, "Probe"), (Behavior::Allow, "Probe")];
    let deny: &[(Behavior, &str)] = &[(Behavior::Deny, "Probe"), (Behavior::Allow, "Probe")];
    let mut table = String::new();
    for mode in [Mode::Default, Mode::BypassPermissions, Mode::DontAsk] {
        for (rules, name) in [
            (none, "none"),
            (allow, "allow"),
            (ask, "ask"),
            (deny, "deny"),
        ] {
            let mut row = format!("{:<17} rule {name:<5} |", mode.word());
            for word in ["none", "allow", "ask", "deny"] {
                row += &format!(
                    " {word}: {:<6}",
                    outcome(word, mode, rules, json!({"text": "x"})).await
                );
            }
            table += row.trim_end();
            table += "\n";
        }
    }
    insta::assert_snapshot!(table, @r"
    default           rule none  | none: asks   allow: runs   ask: asks   deny: denied
    default           rule allow | none: runs   allow: runs   ask: asks   deny: denied
    default           rule ask   | none: asks   allow: asks   ask: asks   deny: denied
    default           rule deny  | none: denied allow: denied ask: denied deny: denied
    bypassPermissions rule none  | none: runs   allow: runs   ask: asks   deny: denied
    bypassPermissions rule allow | none: runs   allow: runs   ask: asks   deny: denied
    bypassPermissions rule ask   | none: asks   allow: asks   ask: asks   deny: denied
    bypassPermissions rule deny  | none: denied allow: denied ask: denied deny: denied
    dontAsk           rule none  | none: denied allow: runs   ask: denied deny: denied
    dontAsk           rule allow | none: runs   allow: runs   ask: denied deny: denied
    dontAsk           rule ask   | none: denied allow: denied ask: denied deny: denied
    dontAsk           rule deny  | none: denied allow: denied ask: denied deny: denied
    ");
}

/// A safety check (a protected path, a critical removal) is asked about whatever a hook, an
/// allow rule or the mode says.
#[tokio::test]
async fn no_hook_lifts_a_safety_check() {
    let none: &[(Behavior, &str)] = &[];
    let allow: &[(Behavior, &str)] = &[(Behavior::Allow, "Probe")];
    let deny: &[(Behavior, &str)] = &[(Behavior::Deny, "Probe")];
    for mode in Mode::ALL {
        for rules in [none, allow, deny] {
            for word in ["none", "allow", "ask", "deny"] {
                let input = json!({"text": "dangerous"});
                let got = outcome(word, mode, rules, input).await;
                let denied = word == "deny"
                    || mode == Mode::DontAsk
                    || rules.iter().any(|rule| rule.0 == Behavior::Deny);
                let expected = if denied { "denied" } else { "asks" };
                assert_eq!(got, expected, "{mode:?} {rules:?} {word}");
            }
        }
    }
}

#[tokio::test]
async fn a_denial_names_the_hook_and_its_reason() {
    let world = world().with_hooks(Says::opinion(said("deny")));
    let result = world.run("Probe", json!({})).await;
    assert_eq!(
        (result.status, result.record.stages.last().unwrap().number),
        (Denied, 5)
    );
    insta::assert_snapshot!(text(&result), @"Permission denied: the hook `guard.sh` denies it: not on a Monday. Mind the reason before you try again.");
}

#[tokio::test]
async fn a_changed_input_goes_back_to_stage_three_and_runs() {
    let world = world().with_hooks(Says::change(|_| json!({"text": "changed"})));
    let result = world.run("Probe", json!({"text": "sent"})).await;
    insta::assert_snapshot!(text(&result), @r#"
    changed
    ---
    A hook says: mind the gap
    ---
    A hook says: it gave "changed"
    "#);
    let numbers: Vec<u8> = result
        .record
        .stages
        .iter()
        .map(|stage| stage.number)
        .take(8)
        .collect();
    assert_eq!(numbers, [1, 2, 3, 4, 5, 3, 4, 5]);
}

#[tokio::test]
async fn a_changed_input_is_checked_and_judged_like_any_other() {
    let invalid = world().with_hooks(Says::change(|_| json!({"text": 3})));
    assert_eq!(
        invalid.run("Probe", json!({"text": "sent"})).await.status,
        Failed
    );
    let forbidden = world().with_hooks(Says::change(|_| json!({"text": "forbidden"})));
    assert_eq!(
        forbidden.run("Probe", json!({"text": "sent"})).await.status,
        Denied
    );
    assert!(invalid.log.events().is_empty() && forbidden.log.events().is_empty());
}

#[tokio::test]
async fn a_hook_that_changes_for_ever_is_stopped() {
    let grow = |input: &Value| json!({"text": format!("{}!", input["text"].as_str().unwrap())});
    let world = world().with_hooks(Says::change(grow));
    let result = world.run("Probe", json!({"text": "x"})).await;
    assert_eq!(result.status, Failed);
    insta::assert_snapshot!(text(&result), @"Probe was not called: its input was changed 5 times by hooks and did not settle. Tell the user.");
    assert!(world.log.events().is_empty());
}

#[tokio::test]
async fn consent_to_one_input_is_no_consent_to_what_a_hook_makes_of_it() {
    // The person writes "by person"; the hook turns exactly that into something else.
    let hook = |input: &Value| match input["text"].as_str() {
        Some("by person") => json!({"text": "by hook"}),
        _ => input.clone(),
    };
    let answer = |ask: &crate::Ask| match ask.input["text"].as_str() {
        Some("sent") => ConsentAnswer::AllowChanged {
            input: json!({"text": "by person"}),
            told: None,
            record: consent(Behavior::Allow, None),
        },
        _ => ConsentAnswer::Deny(consent(Behavior::Deny, None)),
    };
    let world = World::new(snapshot(Mode::Default, &[]), Some(Box::new(answer)))
        .with_hooks(Says::change(hook));
    let result = world.run("Probe", json!({"text": "sent"})).await;
    assert_eq!(result.status, Denied);
    let asked: Vec<Value> = world
        .person
        .asked
        .lock()
        .unwrap()
        .iter()
        .map(|ask| ask.input["text"].clone())
        .collect();
    assert_eq!(asked, ["sent", "by hook"]);
    assert!(world.log.events().is_empty());
}

#[tokio::test]
async fn hooks_hear_of_failures() {
    let world = world().with_hooks(Says::opinion(HookOpinion::None));
    let result = world.run("Probe", json!({"end": "fail"})).await;
    assert_eq!(result.status, CallStatus::Failed);
    assert!(
        text(&result).contains("it failed: it did not work"),
        "{}",
        text(&result)
    );
}

/// Every combination of a `PermissionRequest` hook's answer with what makes the call ask.
#[tokio::test]
async fn a_hook_in_the_persons_place_answers_what_no_rule_insists_on() {
    let hook = || "proxy.sh".to_owned();
    let answers = [
        ("silent", PersonSpared::No),
        (
            "allow",
            PersonSpared::Allow {
                hook: hook(),
                updated_input: None,
                remember: Vec::new(),
            },
        ),
        (
            "deny",
            PersonSpared::Deny {
                hook: hook(),
                reason: "no".to_owned(),
            },
        ),
    ];
    let none: &[(Behavior, &str)] = &[];
    let mut table = String::new();
    for (why, mode, rules, input) in [
        ("nothing allows it", Mode::Default, none, json!({})),
        (
            "an ask rule",
            Mode::Default,
            &[(Behavior::Ask, "Probe")] as &[_],
            json!({}),
        ),
        (
            "a safety check",
            Mode::BypassPermissions,
            none,
            json!({"text": "dangerous"}),
        ),
        ("dontAsk", Mode::DontAsk, none, json!({})),
        (
            "a deny rule",
            Mode::Default,
            &[(Behavior::Deny, "Probe")],
            json!({}),
        ),
    ] {
        let mut row = format!("{why:<18}|");
        for (word, instead) in answers.clone() {
            let mut says = Says::opinion(HookOpinion::None);
            says.instead = instead;
            let answer = |_: &crate::Ask| ConsentAnswer::Deny(consent(Behavior::Deny, None));
            let world = World::new(snapshot(mode, rules), Some(Box::new(answer))).with_hooks(says);
            let result = world.run("Probe", input.clone()).await;
            let asked = !world.person.asked.lock().unwrap().is_empty();
            let outcome = match (result.status, asked) {
                (Succeeded, false) => "runs",
                (Denied, true) => "asks",
                (Denied, false) => "denied",
                other => panic!("{other:?}"),
            };
            row += &format!(" {word}: {outcome:<6}");
        }
        table += row.trim_end();
        table += "\n";
    }
    insta::assert_snapshot!(table, @r"
    nothing allows it | silent: asks   allow: runs   deny: denied
    an ask rule       | silent: asks   allow: asks   deny: denied
    a safety check    | silent: asks   allow: asks   deny: denied
    dontAsk           | silent: denied allow: denied deny: denied
    a deny rule       | silent: denied allow: denied deny: denied
    ");
}

#[tokio::test]
async fn an_input_changed_in_the_persons_place_is_judged_again_and_runs() {
    let mut says = Says::opinion(HookOpinion::None);
    says.instead = PersonSpared::Allow {
        hook: "proxy.sh".to_owned(),
        updated_input: Some(json!({"text": "other"})),
        remember: Vec::new(),
    };
    let answer = |_: &crate::Ask| ConsentAnswer::Deny(consent(Behavior::Deny, None));
    let world = World::new(snapshot(Mode::Default, &[]), Some(Box::new(answer))).with_hooks(says);
    let result = world.run("Probe", json!({"text": "sent"})).await;
    assert_eq!(result.status, Succeeded);
    assert!(text(&result).starts_with("other"), "{}", text(&result));
    let consent = result.record.consent.unwrap();
    assert_eq!(consent.by, "the hook `proxy.sh`");
    assert!(world.person.asked.lock().unwrap().is_empty());
}

#[tokio::test]
async fn a_hook_may_end_the_turn_after_the_call() {
    let mut says = Says::opinion(HookOpinion::None);
    says.stop = Some("enough".to_owned());
    let world = world().with_hooks(says);
    let result = world.run("Probe", json!({})).await;
    assert_eq!(
        (result.status, result.stop_turn.as_deref()),
        (Succeeded, Some("enough"))
    );
}

/// What the tool said of an input is asked again only where it would say something else.
#[tokio::test]
async fn an_equivalent_input_is_not_classified_again() {
    let count = async |change: Value| {
        let world = world().with_hooks(Says::change(move |_| change.clone()));
        let result = world.run("Probe", json!({"text": "a"})).await;
        assert_eq!(result.status, Succeeded);
        world.log.classified()
    };
    let unchanged = count(json!({"text": "a"})).await;
    assert_eq!(count(json!({"text": "a", "millis": 1})).await, unchanged);
    assert_eq!(count(json!({"text": "b"})).await, unchanged + 1);
}

/// What a person approved is what runs: an answer to one input is none to another, whoever
/// changed it and when.
#[tokio::test]
async fn a_stale_approval_runs_nothing() {
    // The hook changes exactly what the person approved.
    let hook = |input: &Value| match input["text"].as_str() {
        Some("mine") => json!({"text": "stale"}),
        _ => input.clone(),
    };
    let answer = |ask: &crate::Ask| match ask.input["text"].as_str() {
        Some("sent") => ConsentAnswer::AllowChanged {
            input: json!({"text": "mine"}),
            told: None,
            record: consent(Behavior::Allow, None),
        },
        _ => ConsentAnswer::Deny(consent(Behavior::Deny, None)),
    };
    let world = World::new(snapshot(Mode::Default, &[]), Some(Box::new(answer)))
        .with_hooks(Says::change(hook));
    let result = world.run("Probe", json!({"text": "sent"})).await;
    assert_eq!(result.status, Denied);
    assert!(world.log.events().is_empty(), "nothing ran");
    let shown: Vec<Value> = world
        .person
        .asked
        .lock()
        .unwrap()
        .iter()
        .map(|ask| ask.input["text"].clone())
        .collect();
    assert_eq!(
        shown,
        ["sent", "stale"],
        "the changed input is a question of its own"
    );
}

/// A hook that answers in the person's place may have a rule remembered, where the rule covers the call.
#[tokio::test]
async fn a_rule_of_a_hook_is_stored_where_it_covers_the_call() {
    let run = async |rule: &str| {
        let mut says = Says::opinion(HookOpinion::None);
        says.instead = PersonSpared::Allow {
            hook: "proxy.sh".to_owned(),
            updated_input: None,
            remember: vec![RememberedRule {
                rule: rule.to_owned(),
                scope: RuleScope::ProjectLocal,
            }],
        };
        let world = World::new(snapshot(Mode::Default, &[]), None).with_hooks(says);
        let result = world.run("Probe", json!({"text": "x"})).await;
        assert_eq!(result.status, Succeeded, "the call itself is allowed");
        let stored = world.person.remembered.lock().unwrap().clone();
        (
            stored,
            text(&result),
            result.record.consent.unwrap().remembered,
        )
    };
    let (stored, _, told) = run("Probe").await;
    assert_eq!(stored, [("Probe".to_owned(), RuleScope::ProjectLocal)]);
    assert_eq!(told.as_deref(), Some("Probe"));
    let (stored, words, told) = run("Bash(rm:*)").await;
    assert!(stored.is_empty() && told.is_none());
    assert!(words.contains("was not stored"), "{words}");
}

/// A hook in the person's place is offered the rules that they would be, and none where no rule
/// may answer the question.
#[tokio::test]
async fn a_hook_is_offered_the_rules_that_the_person_would_be() {
    let offered = async |rules: &[(Behavior, &str)]| {
        let says = Arc::new(Says::opinion(HookOpinion::None));
        let hooks = Arc::clone(&says);
        let answer = |_: &crate::Ask| ConsentAnswer::Deny(consent(Behavior::Deny, None));
        let world = World::new(snapshot(Mode::Default, rules), Some(Box::new(answer)))
            .with(|engine| engine.hooks = hooks);
        world.run("Probe", json!({"text": "x"})).await;
        let asked = world.person.asked.lock().unwrap();
        let shown = asked[0].details.suggestions.iter();
        let shown: Vec<String> = shown.map(|one| one.rule.clone()).collect();
        let offered = says.offered.lock().unwrap().clone();
        assert_eq!(offered, shown);
        offered
    };
    assert_eq!(offered(&[]).await, ["Probe"]);
    assert!(offered(&[(Behavior::Ask, "Probe")]).await.is_empty());
}
