//! Stage 8: the mode, and the person. From here on there is an [`Authorized`] or the
//! call is over.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use adroit_hooks::{PersonSpared, RememberedRule};
use adroit_permissions::{Authorized, Denial, Question, Verdict};
use adroit_protocol::event::CallStatus;
use adroit_protocol::permission::{Behavior, RuleEntry};
use adroit_protocol::record::{ClassifierRecord, ClassifierVerdict, ConsentRecord};
use adroit_protocol::view::View;
use adroit_tool::{Answerers, CancelReason, Draft, ParsedInput};
use serde_json::Value;

use super::call::{Call, Ending};
use super::given_consent::{GivenConsent, Telling};
use super::stage_02_resolve::{InputSource, Resolved};
use super::stage_07_rules::Ruled;
use super::told::Told;
use super::trace::Stage;
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

/// What a step of the question leads to.
enum Step {
    /// The verdict is another one by now.
    Judge(Verdict),
    /// The call runs, and why.
    Run(Authorized, String),
    /// The call goes back to stage 3 with another input, and why.
    Back(Changed, &'static str),
}

/// An input that is not the one that was sent.
struct Changed {
    input: Value,
    source: InputSource,
    given: Option<GivenConsent>,
}

/// A call on its way through the stage.
struct Asking<'a> {
    call: &'a Call,
    stage: Stage<'a>,
    tool: Arc<PoolTool>,
    input: ParsedInput,
    words: Vec<String>,
    given: Option<&'a GivenConsent>,
    classified: Option<ClassifierRecord>,
    hooks_were_asked: bool,
}

pub(super) async fn consent(
    call: &Call,
    ruled: Ruled,
    given: Option<&GivenConsent>,
) -> Result<Onward, Ending> {
    let mut asking = Asking {
        call,
        stage: call.trace.enter(8),
        tool: ruled.tool,
        input: ruled.input,
        words: ruled.words,
        given,
        classified: None,
        // Where the person is at it already nobody answers in their place.
        hooks_were_asked: given.is_some(),
    };
    let mut verdict = ruled.review.mode();
    loop {
        call.trace.decided(verdict.summary(), matched(&verdict));
        let step = match verdict {
            Verdict::Denied(denial) => return Err(asking.denied(denial)),
            Verdict::Allowed(authorized) => asking.allowed(authorized),
            Verdict::Ask(question) => asking.question(question).await?,
        };
        match step {
            Step::Judge(again) => verdict = again,
            Step::Run(authorized, why) => {
                asking.stage.passed_with(why);
                return Ok(Onward::Approved(Approved {
                    tool: asking.tool,
                    words: asking.words,
                    input: asking.input,
                    authorized,
                }));
            }
            Step::Back(changed, why) => {
                asking.stage.passed_with(why);
                let resolved = Resolved::with_input(asking.tool, changed.input, changed.source);
                return Ok(Onward::Back(resolved, changed.given));
            }
        }
    }
}

impl Asking<'_> {
    fn denied(&mut self, denial: Denial) -> Ending {
        self.stage.note(denial.reason.clone());
        self.call.denied(denial)
    }

    /// Rules or the mode allow the call: nobody is asked.
    fn allowed(&mut self, authorized: Authorized) -> Step {
        if let Some(given) = self.given {
            self.call.trace.consented(given.record.clone());
            self.words.extend(given.words(&self.input));
        }
        let why = authorized.decision().reason.clone();
        Step::Run(authorized, why)
    }

    /// Somebody has to say yes: who changed the input, the classifier, a hook, the person.
    async fn question(&mut self, question: Question) -> Result<Step, Ending> {
        // The person has seen and approved exactly this input: it was they who wrote it. An
        // input that a hook changed since, or that asks for another reason, is asked about
        // anew; so is every command.
        let subject = || self.tool.tool().subject(&self.input, &self.call.context);
        if let Some(given) = self
            .given
            .filter(|given| given.answers(self.input.value(), &question.details(), &subject()))
        {
            self.words.extend(given.words(&self.input));
            let authorized = self.allow(question, given.record.clone());
            let why = if given.record.answered {
                authorized.decision().reason.clone()
            } else {
                "the person changed the input and approved it".to_owned()
            };
            return Ok(Step::Run(authorized, why));
        }
        if self.classified.is_none() && question.may_be_classified() {
            let record = classify(self.call, &self.tool, &self.input, &question).await?;
            self.call.trace.classified(record.clone());
            let verdict = question.classified(&record);
            self.classified = Some(record);
            return Ok(Step::Judge(verdict));
        }
        match self.spared(&question).await? {
            PersonSpared::Deny { hook, reason } => {
                Err(self.denied(question.deny_by_hook(&hook, &reason)))
            }
            PersonSpared::Allow {
                hook,
                updated_input: Some(updated),
                ..
            } if self.is_answer(&question, &updated) => {
                let details = question.details();
                let record = hook_consent(&hook);
                let given =
                    GivenConsent::new(&updated, record, &details, Telling::Nothing, self.given);
                let changed = Changed {
                    input: updated,
                    source: InputSource::Hook,
                    given: Some(given),
                };
                Ok(Step::Back(changed, "a hook answered the question"))
            }
            // Blocks a hook that answers for the person what an ask rule, a safety check or the
            // mode wants the person to see: they are asked all the same.
            PersonSpared::Allow { .. } if question.details().is_forced() => {
                self.person(question).await
            }
            PersonSpared::Allow {
                updated_input: Some(updated),
                ..
            } => {
                let changed = Changed {
                    input: updated,
                    source: InputSource::Hook,
                    given: None,
                };
                Ok(Step::Back(changed, "a hook changed the input"))
            }
            PersonSpared::Allow { hook, remember, .. } => {
                let mut record = hook_consent(&hook);
                record.remembered = self.remember(&question, &remember);
                let authorized = self.allow(question, record);
                let why = authorized.decision().reason.clone();
                Ok(Step::Run(authorized, why))
            }
            PersonSpared::No => self.person(question).await,
        }
    }

    /// Whether a hook's input answers the call's question: one that hooks may answer, and that is
    /// asked for no other reason. Blocks a hook that answers and thereby waves an ask rule through.
    fn is_answer(&self, question: &Question, updated: &Value) -> bool {
        let fields = self.tool.tool().answer_fields();
        fields.by == Answerers::PersonOrHook
            && question.details().is_only_a_question()
            && fields.names.iter().any(|name| updated.get(name).is_some())
    }

    /// Stores the rules of a hook. Each must cover the very call that it was asked about, as a rule
    /// that the person composes must. Gives those that were stored.
    fn remember(&mut self, question: &Question, rules: &[RememberedRule]) -> Option<String> {
        let details = question.details();
        let mut stored = Vec::new();
        for RememberedRule { rule, scope } in rules {
            let check = details.check_rule(rule);
            let done = if check.covers {
                self.call.engine.consent.remember(rule, *scope)
            } else {
                Err(check.text)
            };
            match done {
                Ok(()) => stored.push(rule.clone()),
                Err(problem) => {
                    tracing::warn!("a rule that a hook wants remembered was not stored");
                    self.words.push(wording::rule_not_stored(rule, &problem));
                }
            }
        }
        (!stored.is_empty()).then(|| stored.join(", "))
    }

    /// Hooks are asked once a call.
    async fn spared(&mut self, question: &Question) -> Result<PersonSpared, Ending> {
        if std::mem::replace(&mut self.hooks_were_asked, true) {
            return Ok(PersonSpared::No);
        }
        spared(self.call, &self.tool, &self.input, question).await
    }

    async fn person(&mut self, question: Question) -> Result<Step, Ending> {
        let shown = Shown {
            revised: self.given.is_some(),
            classified: self.classified.clone(),
        };
        match ask(self.call, &self.tool, &self.input, &question, shown).await? {
            ConsentAnswer::Reconsider => {
                let snapshot = self.call.engine.permissions.snapshot();
                self.call.trace.judged(snapshot.mode);
                Ok(Step::Judge(question.reconsider(&snapshot)))
            }
            ConsentAnswer::Allow(mut record) => {
                if let Some(given) = self.given {
                    self.words.extend(given.words(&self.input));
                    record.changed = true;
                }
                let authorized = self.allow(question, record);
                let why = authorized.decision().reason.clone();
                Ok(Step::Run(authorized, why))
            }
            ConsentAnswer::AllowChanged {
                input: changed,
                told,
                record,
            } => {
                let told = told.map_or(Telling::Input, Telling::Words);
                let changed = self.by_person(&question, changed, record, told);
                Ok(Step::Back(changed, "the person changed the input"))
            }
            ConsentAnswer::Answered { input, record } => {
                let changed = self.by_person(&question, input, record, Telling::Nothing);
                Ok(Step::Back(changed, "the person answered"))
            }
            ConsentAnswer::Deny(record) => {
                self.call.trace.consented(record.clone());
                Err(self.denied(question.deny(record)))
            }
            ConsentAnswer::Cancelled => {
                self.stage.note("the question was withdrawn");
                let reason = self.call.context.cancellation.reason();
                Err(Ending::Cancelled(reason.unwrap_or(CancelReason::Stopped)))
            }
        }
    }

    fn by_person(
        &self,
        question: &Question,
        input: Value,
        record: ConsentRecord,
        told: Telling,
    ) -> Changed {
        let given = GivenConsent::new(&input, record, &question.details(), told, self.given);
        Changed {
            input,
            source: InputSource::Person,
            given: Some(given),
        }
    }

    fn allow(&mut self, question: Question, record: ConsentRecord) -> Authorized {
        let said = record.words.as_deref().map(str::trim);
        if let Some(said) = said.filter(|said| !said.is_empty()) {
            self.words.push(wording::approved_with_words(said));
        }
        let trace = &self.call.trace;
        trace.consented(record.clone());
        let authorized = question.allow(record);
        trace.decided(authorized.decision().clone(), authorized.matched().to_vec());
        authorized
    }
}

/// The consent of a hook that answers in the person's place.
fn hook_consent(hook: &str) -> ConsentRecord {
    ConsentRecord {
        by: format!("the hook `{hook}`"),
        behavior: Behavior::Allow,
        words: None,
        remembered: None,
        waited_ms: 0,
        changed: false,
        answered: false,
        at: now_ms(),
    }
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

/// Whether a `PermissionRequest` hook answers in the person's place.
async fn spared(
    call: &Call,
    tool: &Arc<PoolTool>,
    input: &ParsedInput,
    question: &Question,
) -> Result<PersonSpared, Ending> {
    let hooks = &call.engine.hooks;
    if hooks.is_empty() {
        return Ok(PersonSpared::No);
    }
    let told = Told::new(call, tool, input);
    let concerns = told.concerns();
    let details = question.details();
    let about = told.hook_call(&concerns, &[]);
    let said = call
        .unless_cancelled(hooks.before_question(about, &details.suggestions))
        .await?;
    call.trace.hooked(said.runs);
    call.trace.stop(said.stop);
    Ok(match said.answer {
        PersonSpared::Allow {
            hook,
            updated_input,
            remember,
        } => PersonSpared::Allow {
            hook,
            remember,
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
    let details = question.details();
    let (contract, options) = (
        tool.tool(),
        call.engine.pool.describe_options(call.engine.interactive),
    );
    let destructive = details.destructive.clone().or_else(|| {
        let loses = contract.is_destructive(input, &call.context);
        loses.then(|| wording::DESTRUCTIVE.to_owned())
    });
    let ask = Ask {
        call: call.id.clone(),
        tool: contract.name().to_owned(),
        label: contract.user_facing_name().into_owned(),
        description: contract.description(Some(input), &options),
        destructive,
        open_world: contract.is_open_world(input),
        agent: call.engine.agent.as_ref().map(|agent| agent.label.clone()),
        input: Arc::clone(input.value()),
        view,
        draft,
        revised: shown.revised,
        classified: shown.classified,
        details,
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
