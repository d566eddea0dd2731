//! Several answers become one. Nothing here knows which hook ended first.

use std::sync::Arc;

use adroit_permissions::HookOpinion;
use adroit_protocol::hook::{HookFailurePolicy, HookOutcome, HookRun};

use crate::answer::Said;
use crate::call::{AfterCall, BeforeCall, ChangedInput, InsteadOfPerson, PersonSpared};
use crate::entry::HookEntry;
use crate::occasion::Heard;

/// A hook with its answer, in the order of the settings.
pub(crate) struct Answered {
    pub(crate) entry: Arc<HookEntry>,
    pub(crate) said: Said,
    pub(crate) run: HookRun,
}

/// Deny before ask before allow; among equals the order of the settings. A failed hook
/// denies where its settings say so. Of several changed inputs the first counts whose hook
/// has not had its turn; the next one's turn comes with the next round.
pub(crate) fn before_call(answers: Vec<Answered>, settled: &[String]) -> BeforeCall {
    let opinion = opinion(&answers);
    let updated_input = answers
        .iter()
        .filter(|answer| answer.entry.may_widen && !settled.contains(&answer.entry.id))
        .find_map(|answer| {
            Some(ChangedInput {
                hook: answer.entry.id.clone(),
                input: answer.said.updated_input.clone()?,
            })
        });
    BeforeCall {
        opinion,
        updated_input,
        context: context(&answers),
        stop: stop(&answers),
        runs: runs(answers),
    }
}

fn opinion(answers: &[Answered]) -> HookOpinion {
    let first = |outcome: HookOutcome| {
        answers
            .iter()
            .find(move |answer| answer.said.outcome == outcome)
    };
    let reason = |answer: &Answered| {
        answer
            .said
            .message
            .clone()
            .unwrap_or_else(|| "it gave no reason".to_owned())
    };
    let denied = answers.iter().find_map(|answer| {
        let hook = answer.entry.label();
        match answer.said.outcome {
            HookOutcome::Blocked => Some((hook, reason(answer))),
            outcome
                if outcome.is_failure() && answer.entry.on_failure == HookFailurePolicy::Block =>
            {
                let reason = format!(
                    "it failed ({}), and its settings say that the call must not run then",
                    reason(answer)
                );
                Some((hook, reason))
            }
            _ => None,
        }
    });
    // A hook that ends the turn does not mean that its call should still run.
    let stopped = || {
        let answer = answers.iter().find(|answer| answer.said.stop.is_some())?;
        Some((answer.entry.label(), answer.said.stop.clone()?))
    };
    if let Some((hook, reason)) = denied.or_else(stopped) {
        return HookOpinion::Deny { hook, reason };
    }
    if let Some(answer) = first(HookOutcome::Asked) {
        return HookOpinion::Ask {
            hook: answer.entry.label(),
            reason: reason(answer),
        };
    }
    answers
        .iter()
        .find(|answer| answer.said.outcome == HookOutcome::Allowed && answer.entry.may_widen)
        .map_or(HookOpinion::None, |answer| HookOpinion::Allow {
            hook: answer.entry.label(),
        })
}

/// Deny before allow. A hook that failed spares nobody the question.
pub(crate) fn before_question(answers: Vec<Answered>) -> InsteadOfPerson {
    let denied = answers
        .iter()
        .find(|answer| answer.said.outcome == HookOutcome::Blocked)
        .map(|answer| PersonSpared::Deny {
            hook: answer.entry.label(),
            reason: answer
                .said
                .message
                .clone()
                .unwrap_or_else(|| "it gave no reason".to_owned()),
        });
    let allowed = || {
        answers
            .iter()
            .find(|answer| answer.said.outcome == HookOutcome::Allowed && answer.entry.may_widen)
            .map(|answer| PersonSpared::Allow {
                hook: answer.entry.label(),
                updated_input: answer.said.updated_input.clone(),
                remember: answer.said.remember.clone(),
            })
    };
    let answer = denied.or_else(allowed).unwrap_or_default();
    InsteadOfPerson {
        answer,
        stop: stop(&answers),
        runs: runs(answers),
    }
}

/// Reasons and context, for the model.
pub(crate) fn after_call(answers: Vec<Answered>) -> AfterCall {
    let mut feedback: Vec<String> = answers
        .iter()
        .filter(|answer| answer.said.outcome == HookOutcome::Blocked)
        .filter_map(|answer| {
            let reason = answer.said.message.as_ref()?;
            Some(format!("`{}` objects: {reason}", answer.entry.label()))
        })
        .collect();
    feedback.extend(context(&answers));
    AfterCall {
        feedback,
        stop: stop(&answers),
        runs: runs(answers),
    }
}

pub(crate) fn heard(answers: Vec<Answered>) -> Heard {
    let blocked = answers
        .iter()
        .find(|answer| answer.said.outcome == HookOutcome::Blocked)
        .map(|answer| {
            let reason = answer
                .said
                .message
                .clone()
                .unwrap_or_else(|| "it gave no reason".to_owned());
            (answer.entry.label(), reason)
        });
    Heard {
        blocked,
        context: context(&answers),
        stop: stop(&answers),
        runs: runs(answers),
    }
}

fn context(answers: &[Answered]) -> Vec<String> {
    answers
        .iter()
        .filter_map(|answer| answer.said.context.clone())
        .filter(|words| !words.trim().is_empty())
        .collect()
}

fn stop(answers: &[Answered]) -> Option<String> {
    answers.iter().find_map(|answer| {
        let reason = answer.said.stop.as_ref()?;
        Some(format!("`{}`: {reason}", answer.entry.label()))
    })
}

fn runs(answers: Vec<Answered>) -> Vec<HookRun> {
    answers.into_iter().map(|answer| answer.run).collect()
}
