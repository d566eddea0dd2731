//! Stage 8: the mode, and the person. From here on there is an [`Authorized`] or the
//! call is over.

use std::sync::Arc;

use adroit_permissions::{Authorized, Question, Verdict};
use adroit_protocol::event::CallStatus;
use adroit_protocol::permission::RuleEntry;
use adroit_protocol::record::ConsentRecord;
use adroit_tool::{CancelReason, ParsedInput};
use serde_json::Value;

use super::call::{Call, Ending};
use super::stage_02_resolve::Resolved;
use super::stage_07_rules::Ruled;
use crate::pool::PoolTool;
use crate::ports::{Ask, ConsentAnswer};
use crate::wording;

/// A call that may run.
pub(super) struct Approved {
    pub(super) tool: Arc<PoolTool>,
    pub(super) words: Vec<String>,
    pub(super) input: ParsedInput,
    pub(super) authorized: Authorized,
}

/// Where a call goes from here.
pub(super) enum Onward {
    /// To stage 9.
    Approved(Approved),
    /// Back to stage 3, with what the person approved.
    Back(Resolved, GivenConsent),
}

/// Consent that was given together with a changed input, for that input only.
pub(super) struct GivenConsent {
    input: Value,
    record: ConsentRecord,
}

pub(super) async fn consent(
    call: &Call,
    ruled: Ruled,
    given: Option<&GivenConsent>,
) -> Result<Onward, Ending> {
    let mut stage = call.trace.enter(8);
    let Ruled {
        tool,
        input,
        mut words,
        review,
    } = ruled;
    let verdict = review.mode();
    call.trace.decided(verdict.summary(), matched(&verdict));
    let question = match verdict {
        Verdict::Denied(denial) => {
            stage.note(denial.reason.clone());
            return Err(call.denied(denial));
        }
        Verdict::Allowed(authorized) => {
            if let Some(given) = given {
                call.trace.consented(given.record.clone());
                words.extend(words_of_change(Some(given), &input));
            }
            stage.passed_with(authorized.decision().reason.clone());
            return Ok(Onward::Approved(Approved {
                tool,
                words,
                input,
                authorized,
            }));
        }
        Verdict::Ask(question) => question,
    };
    // The person has seen and approved exactly this input: it was they who wrote it. An
    // input that a hook changed since is another one, and is asked about anew.
    if let Some(given) = given.filter(|given| given.input == **input.value()) {
        words.extend(words_of_change(Some(given), &input));
        let authorized = allow(call, question, given.record.clone(), &mut words);
        stage.passed_with("the person changed the input and approved it");
        return Ok(Onward::Approved(Approved {
            tool,
            words,
            input,
            authorized,
        }));
    }
    match ask(call, &tool, &input, &question).await? {
        ConsentAnswer::Allow(record) => {
            let authorized = allow(call, question, record, &mut words);
            stage.passed_with(authorized.decision().reason.clone());
            Ok(Onward::Approved(Approved {
                tool,
                words,
                input,
                authorized,
            }))
        }
        ConsentAnswer::AllowChanged {
            input: changed,
            record,
        } => {
            stage.passed_with("the person changed the input");
            let given = GivenConsent {
                input: changed.clone(),
                record,
            };
            Ok(Onward::Back(Resolved::with_input(tool, changed), given))
        }
        ConsentAnswer::Deny(record) => {
            call.trace.consented(record.clone());
            let denial = question.deny(record);
            stage.note(denial.reason.clone());
            Err(call.denied(denial))
        }
        ConsentAnswer::Cancelled => {
            stage.note("the question was withdrawn");
            Err(Ending::Cancelled(
                call.context
                    .cancellation
                    .reason()
                    .unwrap_or(CancelReason::Stopped),
            ))
        }
    }
}

fn matched(verdict: &Verdict) -> Vec<RuleEntry> {
    match verdict {
        Verdict::Allowed(authorized) => authorized.matched().to_vec(),
        Verdict::Ask(question) => question.details().matched.clone(),
        Verdict::Denied(denial) => denial.matched.clone(),
    }
}

fn allow(
    call: &Call,
    question: Question,
    record: ConsentRecord,
    words: &mut Vec<String>,
) -> Authorized {
    if let Some(said) = record
        .words
        .as_deref()
        .filter(|said| !said.trim().is_empty())
    {
        words.push(wording::approved_with_words(said.trim()));
    }
    call.trace.consented(record.clone());
    let authorized = question.allow(record);
    call.trace
        .decided(authorized.decision().clone(), authorized.matched().to_vec());
    authorized
}

fn words_of_change(given: Option<&GivenConsent>, input: &ParsedInput) -> Option<String> {
    given.map(|_| wording::changed_by_person(&input.value().to_string()))
}

async fn ask(
    call: &Call,
    tool: &PoolTool,
    input: &ParsedInput,
    question: &Question,
) -> Result<ConsentAnswer, Ending> {
    let view = call
        .unless_cancelled(tool.tool().preview(input, &call.context))
        .await?;
    call.tell(CallStatus::Waiting, view.clone());
    let ask = Ask {
        call: call.id.clone(),
        tool: tool.tool().name().to_owned(),
        agent: call.engine.agent.clone(),
        input: Arc::clone(input.value()),
        view,
        details: question.details(),
    };
    let answer = call
        .unless_cancelled(call.engine.consent.ask(ask, &call.context.cancellation))
        .await?;
    call.check_cancelled()?;
    Ok(answer)
}
