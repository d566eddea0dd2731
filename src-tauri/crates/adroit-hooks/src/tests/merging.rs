//! Several answers become one: properties.

use std::sync::Arc;

use adroit_permissions::HookOpinion;
use adroit_protocol::hook::{HookEvent, HookFailurePolicy, HookOutcome, HookRun};
use adroit_protocol::permission::RuleSource;
use proptest::prelude::*;
use serde_json::json;

use super::fixture::{command, entry};
use crate::answer::Said;
use crate::merge::{Answered, before_call};

#[derive(Clone, Copy, Debug)]
struct Case {
    outcome: HookOutcome,
    required: bool,
    may_widen: bool,
    changes: bool,
}

fn case() -> impl Strategy<Value = Case> {
    let outcome = prop::sample::select(vec![
        HookOutcome::Passed,
        HookOutcome::Allowed,
        HookOutcome::Asked,
        HookOutcome::Blocked,
        HookOutcome::Failed,
        HookOutcome::TimedOut,
        HookOutcome::NotStarted,
        HookOutcome::Cancelled,
    ]);
    (outcome, any::<bool>(), any::<bool>(), any::<bool>()).prop_map(
        |(outcome, required, may_widen, changes)| Case {
            outcome,
            required,
            may_widen,
            changes,
        },
    )
}

fn answered(cases: &[Case]) -> Vec<Answered> {
    cases
        .iter()
        .zip(1..)
        .map(|(case, line)| {
            let mut entry = entry(
                HookEvent::PreToolUse,
                &command(&format!("hook{line}")),
                line,
            );
            entry.may_widen = case.may_widen;
            if case.required {
                entry.on_failure = HookFailurePolicy::Block;
            }
            let mut said = Said::plainly(case.outcome, Some(format!("reason {line}")));
            said.updated_input = case.changes.then(|| json!({ "line": line }));
            let run = HookRun {
                hook: entry.id.clone(),
                label: entry.label(),
                event: entry.event,
                source: RuleSource::User,
                call: None,
                outcome: case.outcome,
                message: None,
                changed_input: case.changes,
                code: None,
                output: String::new(),
                errors: String::new(),
                at: 0,
                duration_ms: 0,
            };
            Answered {
                entry: Arc::new(entry),
                said,
                run,
            }
        })
        .collect()
}

fn strength(opinion: &HookOpinion) -> u8 {
    match opinion {
        HookOpinion::None => 0,
        HookOpinion::Allow { .. } => 1,
        HookOpinion::Ask { .. } => 2,
        HookOpinion::Deny { .. } => 3,
    }
}

fn denies(case: &Case) -> bool {
    case.outcome == HookOutcome::Blocked || (case.outcome.is_failure() && case.required)
}

proptest! {
    #[test]
    fn the_strictest_wins_and_a_further_hook_never_weakens(cases in prop::collection::vec(case(), 0..8)) {
        let all = before_call(answered(&cases), &[]);
        prop_assert_eq!(all.runs.len(), cases.len());
        let expected = if cases.iter().any(denies) {
            3
        } else if cases.iter().any(|case| case.outcome == HookOutcome::Asked) {
            2
        } else {
            u8::from(cases.iter().any(|case| case.outcome == HookOutcome::Allowed && case.may_widen))
        };
        prop_assert_eq!(strength(&all.opinion), expected);
        for length in 0..cases.len() {
            let fewer = before_call(answered(&cases[..length]), &[]);
            let (fewer, all) = (strength(&fewer.opinion), strength(&all.opinion));
            // More hooks may turn silence into an allow, but never weaken an objection.
            prop_assert!(fewer <= all, "{} {}", fewer, all);
        }
    }

    #[test]
    fn each_hook_changes_the_input_once_and_only_where_it_may(cases in prop::collection::vec(case(), 0..8)) {
        let mut settled = Vec::new();
        let mut changed = 0;
        while let Some(change) = before_call(answered(&cases), &settled).updated_input {
            prop_assert!(!settled.contains(&change.hook));
            settled.push(change.hook);
            changed += 1;
        }
        let may = cases.iter().filter(|case| case.changes && case.may_widen).count();
        prop_assert_eq!(changed, may);
    }
}
