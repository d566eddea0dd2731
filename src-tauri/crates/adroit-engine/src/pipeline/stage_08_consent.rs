//! Stage 8: the mode, and the person. From here on there is an [`Authorized`] or the
//! call is over.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use adroit_hooks::PersonSpared;
use adroit_permissions::{Authorized, Question, QuestionDetails, Subject, Verdict};
use adroit_protocol::event::CallStatus;
use adroit_protocol::permission::{Behavior, RuleEntry};
use adroit_protocol::record::{ClassifierRecord, ClassifierVerdict, ConsentRecord};
use adroit_protocol::view::View;
use adroit_tool::{CancelReason, Draft, ParsedInput};
use serde_json::Value;

use super::call::{Call, Ending};
use super::stage_02_resolve::Resolved;
use super::stage_07_rules::Ruled;
use super::told::Told;
use crate::pool::PoolTool;
use crate::ports::{Ask, ConsentAnswer, ToClassify};
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
    /// Back to stage 3, with what the person approved, or with what a hook made of it.
    Back(Resolved, Option<GivenConsent>),
}

/// Consent that was given together with a changed input, for that input only, and only for
/// what the person was told when they gave it.
pub(super) struct GivenConsent {
    input: Value,
    record: ConsentRecord,
    /// Why it was asked and what would be lost, as it was shown.
    shown: Vec<String>,
    /// What the model is told of the change; the input as it ran where this is absent.
    told: Option<String>,
}

impl GivenConsent {
    /// `before` is the consent that was given to an earlier version.
    fn new(
        input: &Value,
        mut record: ConsentRecord,
        question: &QuestionDetails,
        told: Option<String>,
        before: Option<&Self>,
    ) -> Self {
        record.changed = true;
        Self {
            input: input.clone(),
            record,
            shown: shown(question).collect(),
            // An input that is changed twice differs from the proposal by both changes.
            told: match before.and_then(|before| before.told.as_ref()) {
                Some(before) => told.map(|now| wording::changed_again(before, &now)),
                None => told,
            },
        }
    }

    /// What the model is told.
    fn words(&self, input: &ParsedInput) -> String {
        self.told
            .clone()
            .unwrap_or_else(|| wording::changed_by_person(&input.value().to_string()))
    }

    /// True where the consent answers this question too: the very input that the person left,
    /// and no reason and no loss that was not shown to them. A command is always another
    /// command: what it would do is known only once it was analysed, so it is shown again.
    /// Blocks a command that is edited into a worse one and would run on the consent to the better.
    fn answers(&self, input: &Value, question: &QuestionDetails, subject: &Subject) -> bool {
        self.input == *input
            && !matches!(subject, Subject::Shell { .. })
            && shown(question).all(|reason| self.shown.contains(&reason))
    }
}

/// Everything that a question tells the person.
fn shown(question: &QuestionDetails) -> impl Iterator<Item = String> {
    question
        .reasons
        .iter()
        .map(|reason| reason.text.clone())
        .chain(question.destructive.clone())
        .collect::<Vec<_>>()
        .into_iter()
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
    let mut verdict = review.mode();
    let mut classified = None;
    // Where the person is at it already nobody answers in their place.
    let mut hooks_were_asked = given.is_some();
    loop {
        call.trace.decided(verdict.summary(), matched(&verdict));
        let question = match verdict {
            Verdict::Denied(denial) => {
                stage.note(denial.reason.clone());
                return Err(call.denied(denial));
            }
            Verdict::Allowed(authorized) => {
                if let Some(given) = given {
                    call.trace.consented(given.record.clone());
                    words.push(given.words(&input));
                }
                stage.passed_with(authorized.decision().reason.clone());
                return Ok(approved(tool, words, input, authorized));
            }
            Verdict::Ask(question) => question,
        };
        // The person has seen and approved exactly this input: it was they who wrote it. An
        // input that a hook changed since, or that asks for another reason, is asked about
        // anew; so is every command.
        let subject = || tool.tool().subject(&input, &call.context);
        if let Some(given) =
            given.filter(|given| given.answers(input.value(), &question.details(), &subject()))
        {
            words.push(given.words(&input));
            let authorized = allow(call, question, given.record.clone(), &mut words);
            stage.passed_with("the person changed the input and approved it");
            return Ok(approved(tool, words, input, authorized));
        }
        if classified.is_none() && question.may_be_classified() {
            let record = classify(call, &tool, &input, &question).await?;
            call.trace.classified(record.clone());
            verdict = question.classified(&record);
            classified = Some(record);
            continue;
        }
        let spared = if hooks_were_asked {
            PersonSpared::No
        } else {
            hooks_were_asked = true;
            spared(call, &tool, &input).await?
        };
        match spared {
            PersonSpared::No => {}
            PersonSpared::Deny { hook, reason } => {
                let denial = question.deny_by_hook(&hook, &reason);
                stage.note(denial.reason.clone());
                return Err(call.denied(denial));
            }
            // Blocks a hook that answers for the person what an ask rule, a safety check or the
            // mode wants the person to see: they are asked all the same.
            PersonSpared::Allow { .. } if question.details().is_forced() => {}
            PersonSpared::Allow {
                updated_input: Some(updated),
                ..
            } => {
                stage.passed_with("a hook changed the input");
                return Ok(Onward::Back(Resolved::with_input(tool, updated), None));
            }
            PersonSpared::Allow { hook, .. } => {
                let record = ConsentRecord {
                    by: format!("the hook `{hook}`"),
                    behavior: Behavior::Allow,
                    words: None,
                    remembered: None,
                    waited_ms: 0,
                    changed: false,
                    at: now_ms(),
                };
                let authorized = allow(call, question, record, &mut words);
                stage.passed_with(authorized.decision().reason.clone());
                return Ok(approved(tool, words, input, authorized));
            }
        }
        let shown = Shown {
            revised: given.is_some(),
            classified: classified.clone(),
        };
        match ask(call, &tool, &input, &question, shown).await? {
            ConsentAnswer::Reconsider => {
                let snapshot = call.engine.permissions.snapshot();
                call.trace.judged(snapshot.mode);
                verdict = question.reconsider(&snapshot);
            }
            ConsentAnswer::Allow(mut record) => {
                if let Some(given) = given {
                    words.push(given.words(&input));
                    record.changed = true;
                }
                let authorized = allow(call, question, record, &mut words);
                stage.passed_with(authorized.decision().reason.clone());
                return Ok(approved(tool, words, input, authorized));
            }
            ConsentAnswer::AllowChanged {
                input: changed,
                told,
                record,
            } => {
                stage.passed_with("the person changed the input");
                let given = GivenConsent::new(&changed, record, &question.details(), told, given);
                let changed = Resolved::with_input(tool, changed);
                return Ok(Onward::Back(changed, Some(given)));
            }
            ConsentAnswer::Deny(record) => {
                call.trace.consented(record.clone());
                let denial = question.deny(record);
                stage.note(denial.reason.clone());
                return Err(call.denied(denial));
            }
            ConsentAnswer::Cancelled => {
                stage.note("the question was withdrawn");
                return Err(Ending::Cancelled(
                    call.context
                        .cancellation
                        .reason()
                        .unwrap_or(CancelReason::Stopped),
                ));
            }
        }
    }
}

fn approved(
    tool: Arc<PoolTool>,
    words: Vec<String>,
    input: ParsedInput,
    authorized: Authorized,
) -> Onward {
    Onward::Approved(Approved {
        tool,
        words,
        input,
        authorized,
    })
}

/// Asks the classifier of auto mode. A tool that has nothing for it is the person's to judge.
async fn classify(
    call: &Call,
    tool: &PoolTool,
    input: &ParsedInput,
    question: &Question,
) -> Result<ClassifierRecord, Ending> {
    let Some(text) = tool.tool().classifier_input(input) else {
        return Ok(ClassifierRecord {
            by: "auto mode".to_owned(),
            verdict: ClassifierVerdict::Ask,
            reason: "this tool tells the classifier nothing of its input".to_owned(),
            took_ms: 0,
        });
    };
    let asked = ToClassify {
        call: call.id.clone(),
        tool: tool.tool().name().to_owned(),
        input: text,
        question: question.details(),
    };
    call.unless_cancelled(call.engine.classifier.classify(asked))
        .await
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

/// Whether a `PermissionRequest` hook answers in the person's place.
async fn spared(
    call: &Call,
    tool: &Arc<PoolTool>,
    input: &ParsedInput,
) -> Result<PersonSpared, Ending> {
    let hooks = &call.engine.hooks;
    if hooks.is_empty() {
        return Ok(PersonSpared::No);
    }
    let told = Told::new(call, tool, input);
    let concerns = told.concerns();
    let said = call
        .unless_cancelled(hooks.before_question(told.hook_call(&concerns, &[])))
        .await?;
    call.trace.hooked(said.runs);
    call.trace.stop(said.stop);
    Ok(match said.answer {
        PersonSpared::Allow {
            hook,
            updated_input,
        } => PersonSpared::Allow {
            hook,
            updated_input: updated_input.filter(|updated| told.is_changed_by(updated)),
        },
        answer => answer,
    })
}

fn now_ms() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| {
            u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
        })
}

/// What a question shows beside the call.
struct Shown {
    revised: bool,
    classified: Option<ClassifierRecord>,
}

async fn ask(
    call: &Call,
    tool: &PoolTool,
    input: &ParsedInput,
    question: &Question,
    shown: Shown,
) -> Result<ConsentAnswer, Ending> {
    let (view, draft) = call.unless_cancelled(shown_call(call, tool, input)).await?;
    call.tell(CallStatus::Waiting, view.clone());
    let ask = Ask {
        call: call.id.clone(),
        tool: tool.tool().name().to_owned(),
        agent: call.engine.agent.clone(),
        input: Arc::clone(input.value()),
        view,
        draft,
        revised: shown.revised,
        classified: shown.classified,
        details: question.details(),
    };
    let answer = call
        .unless_cancelled(call.engine.consent.ask(ask, &call.context.cancellation))
        .await?;
    call.check_cancelled()?;
    Ok(answer)
}

/// The call as the person sees it, with what they may change of it. Both come from one look at
/// the disk where the tool offers a change, so that a change is of what is shown.
async fn shown_call(
    call: &Call,
    tool: &PoolTool,
    input: &ParsedInput,
) -> (View, Option<Arc<dyn Draft>>) {
    match tool.tool().draft(input, &call.context).await {
        Some(drafted) => (drafted.view, Some(drafted.draft)),
        None => (tool.tool().preview(input, &call.context).await, None),
    }
}
