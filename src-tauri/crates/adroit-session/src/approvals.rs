//! The queue of permission requests of one session.
//!
//! A request lives here, not in the UI: it survives a reload of the UI, carries a nonce,
//! and ends as exactly one of allowed, denied, cancelled, expired.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use adroit_engine::{Ask, Consent, ConsentAnswer};
use adroit_permissions::{PermissionSnapshot, QuestionDetails, Subject};
use adroit_protocol::RequestId;
use adroit_protocol::event::SessionChange;
use adroit_protocol::permission::{
    Answer, Behavior, DraftChange, PermissionRequest, RequestEnd, RequestReason, RuleScope,
};
use adroit_protocol::record::ConsentRecord;
use adroit_protocol::view::View;
use adroit_tool::{Cancellation, Draft, DraftError};
use futures::FutureExt as _;
use futures::future::BoxFuture;
use tokio::sync::oneshot;

use crate::clock::now_ms;
use crate::comments;
use crate::state::SessionState;

/// Stores an allow rule that the person wants remembered, with the moment at which it ceases
/// to hold where it does (milliseconds since 1970).
pub type Remember = Arc<dyn Fn(&str, RuleScope, Option<u64>) -> Result<(), String> + Send + Sync>;

/// What of a call could not be taken back afterwards, in sentences. Looks at the disk.
pub type Foresee = Arc<dyn Fn(&Subject) -> Vec<String> + Send + Sync>;

/// The open requests of one session.
pub struct Approvals {
    state: Arc<SessionState>,
    remember: Remember,
    foresee: Foresee,
    open: Mutex<Vec<Open>>,
}

struct Open {
    request: PermissionRequest,
    details: Arc<QuestionDetails>,
    draft: Option<Arc<dyn Draft>>,
    asked: Instant,
    answer: oneshot::Sender<ConsentAnswer>,
}

/// An answer was not taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AnswerError {
    /// The request has ended, or never was.
    #[error("this request is no longer open")]
    Gone,
    /// The nonce is another request's, or was guessed.
    #[error("this answer does not belong to the request that is open")]
    WrongNonce,
    /// The rule does not cover the call, so remembering it would not answer the question.
    #[error("the rule was not stored: {0}")]
    RuleDoesNotCover(String),
    /// The call asks something, and a yes answers nothing.
    #[error("this is a question; it needs an answer, or can be declined")]
    IsQuestion,
    /// The change cannot be applied exactly as it was shown.
    #[error("the change was not applied: {0}")]
    NotApplicable(#[from] DraftError),
    /// The rule could not be written.
    #[error("the rule was not stored: {0}")]
    NotStored(String),
}

impl Approvals {
    /// An empty queue.
    #[must_use]
    pub fn new(state: Arc<SessionState>, remember: Remember, foresee: Foresee) -> Self {
        Self {
            state,
            remember,
            foresee,
            open: Mutex::default(),
        }
    }

    /// Answers a request.
    ///
    /// # Errors
    /// The request stays open where the answer was not taken, except where it is gone.
    pub fn answer(&self, id: &RequestId, nonce: &str, answer: Answer) -> Result<(), AnswerError> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let index = open
            .iter()
            .position(|open| open.request.id == *id)
            .ok_or(AnswerError::Gone)?;
        // An answer must have seen the request: an id alone can be guessed or replayed from
        // elsewhere in the page, the nonce comes only with the request itself.
        if open[index].request.nonce != nonce {
            return Err(AnswerError::WrongNonce);
        }
        let decided = self.decide(&open[index], answer)?;
        let end = match &decided {
            ConsentAnswer::Allow(_)
            | ConsentAnswer::AllowChanged { .. }
            | ConsentAnswer::Answered { .. } => RequestEnd::Allowed,
            ConsentAnswer::Deny(_) => RequestEnd::Denied,
            ConsentAnswer::Reconsider | ConsentAnswer::Cancelled => RequestEnd::Cancelled,
        };
        let entry = open.remove(index);
        drop(open);
        self.state.change(SessionChange::RequestClosed {
            request: entry.request.id,
            end,
        });
        entry.answer.send(decided).map_err(|_| AnswerError::Gone)
    }

    /// What the answer comes to. Nothing is stored and nothing ends where it cannot be taken.
    fn decide(&self, open: &Open, answer: Answer) -> Result<ConsentAnswer, AnswerError> {
        let mut record = ConsentRecord {
            by: "person".to_owned(),
            behavior: Behavior::Allow,
            words: None,
            remembered: None,
            changed: false,
            answered: false,
            at: now_ms(),
            waited_ms: u64::try_from(open.asked.elapsed().as_millis()).unwrap_or(u64::MAX),
        };
        // Blocks a yes to a question, which would run the call with no answer.
        let is_question = open
            .draft
            .as_ref()
            .is_some_and(|draft| draft.offer().answer);
        match answer {
            Answer::AllowOnce { .. } | Answer::AllowAndRemember { .. } if is_question => {
                return Err(AnswerError::IsQuestion);
            }
            Answer::AllowOnce { comments } => {
                record.words = comments::in_words(&open.request.view, &comments);
            }
            Answer::AllowChanged { change, comments } => {
                let draft = open.draft.as_ref().ok_or(DraftError::NoText)?;
                let redrafted = draft.change(&change)?;
                record.words = comments::in_words(&open.request.view, &comments);
                let input = redrafted.input;
                return Ok(match redrafted.told {
                    None => {
                        record.answered = true;
                        ConsentAnswer::Answered { input, record }
                    }
                    told => {
                        record.changed = true;
                        record.answered = is_question;
                        ConsentAnswer::AllowChanged {
                            input,
                            told,
                            record,
                        }
                    }
                });
            }
            Answer::AllowAndRemember {
                rule,
                scope,
                expires_at,
            } => {
                if expires_at.is_some_and(|at| at <= now_ms()) {
                    return Err(AnswerError::NotStored(
                        "it would have ceased to hold already".to_owned(),
                    ));
                }
                let check = open.details.check_rule(&rule);
                if !check.covers {
                    return Err(AnswerError::RuleDoesNotCover(check.text));
                }
                (self.remember)(&rule, scope, expires_at).map_err(AnswerError::NotStored)?;
                record.remembered = Some(rule);
            }
            Answer::Deny { words, comments } => {
                record.behavior = Behavior::Deny;
                let words = words
                    .map(|words| words.trim().to_owned())
                    .filter(|words| !words.is_empty());
                let said = comments::in_words(&open.request.view, &comments);
                let all: Vec<String> = words.into_iter().chain(said).collect();
                record.words = (!all.is_empty()).then(|| all.join("\n"));
                return Ok(ConsentAnswer::Deny(record));
            }
        }
        Ok(ConsentAnswer::Allow(record))
    }

    /// The text of a waiting call, without the places of its diff that are named.
    ///
    /// # Errors
    /// The request has ended, or nothing of it may be edited.
    pub fn draft_text(&self, id: &RequestId, rejected: &[u32]) -> Result<String, AnswerError> {
        Ok(self.draft(id)?.text(rejected)?)
    }

    /// What a change would do, as it would be shown and applied.
    ///
    /// # Errors
    /// The request has ended.
    pub fn preview_change(
        &self,
        id: &RequestId,
        change: &DraftChange,
    ) -> Result<Result<View, DraftError>, AnswerError> {
        Ok(self
            .draft(id)?
            .change(change)
            .map(|redrafted| redrafted.view))
    }

    fn draft(&self, id: &RequestId) -> Result<Arc<dyn Draft>, AnswerError> {
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = open
            .iter()
            .find(|open| open.request.id == *id)
            .ok_or(AnswerError::Gone)?;
        Ok(entry.draft.clone().ok_or(DraftError::NoText)?)
    }

    /// What a rule would cover, for the request that is open.
    ///
    /// # Errors
    /// The request has ended.
    pub fn check_rule(
        &self,
        id: &RequestId,
        rule: &str,
    ) -> Result<adroit_permissions::RuleCheck, AnswerError> {
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = open
            .iter()
            .find(|open| open.request.id == *id)
            .ok_or(AnswerError::Gone)?;
        Ok(entry.details.check_rule(rule))
    }

    /// Rules or mode changed: requests that need no answer any more are judged again. Each by
    /// itself and by the engine, never by the answer to another one.
    pub fn reconsider(&self, snapshot: &PermissionSnapshot) {
        let mut settled = Vec::new();
        {
            let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
            for entry in std::mem::take(&mut *open) {
                match entry.details.behavior_under(snapshot) {
                    Behavior::Ask => open.push(entry),
                    behavior => settled.push((entry, behavior)),
                }
            }
        }
        for (entry, behavior) in settled {
            let end = match behavior {
                Behavior::Allow => RequestEnd::Allowed,
                Behavior::Ask | Behavior::Deny => RequestEnd::Denied,
            };
            self.state.change(SessionChange::RequestClosed {
                request: entry.request.id,
                end,
            });
            // Nobody listens where the call was cancelled meanwhile.
            let _ = entry.answer.send(ConsentAnswer::Reconsider);
        }
    }

    /// Ends every request: the session closes.
    pub fn expire_all(&self) {
        let entries =
            std::mem::take(&mut *self.open.lock().unwrap_or_else(PoisonError::into_inner));
        for entry in entries {
            self.state.change(SessionChange::RequestClosed {
                request: entry.request.id,
                end: RequestEnd::Expired,
            });
        }
    }

    fn open(
        &self,
        ask: Ask,
        unrestorable: Vec<String>,
    ) -> (RequestId, oneshot::Receiver<ConsentAnswer>) {
        let (sender, receiver) = oneshot::channel();
        let reasons = reasons(&ask);
        let request = PermissionRequest {
            id: RequestId::generate(),
            nonce: uuid::Uuid::new_v4().simple().to_string(),
            session: self.state.session(),
            call: ask.call,
            tool: ask.tool,
            tool_label: ask.label,
            description: ask.description,
            open_world: ask.open_world,
            agent: ask.agent,
            view: ask.view,
            input: ask.input.as_ref().clone(),
            reasons,
            destructive: ask.destructive,
            unrestorable,
            suggestions: ask.details.suggestions.clone(),
            draft: ask.draft.as_ref().map(|draft| draft.offer()),
            revised: ask.revised,
            asked_at: now_ms(),
        };
        let id = request.id.clone();
        self.open
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(Open {
                request: request.clone(),
                details: ask.details,
                draft: ask.draft,
                asked: Instant::now(),
                answer: sender,
            });
        self.state.change(SessionChange::RequestOpened { request });
        (id, receiver)
    }

    fn withdraw(&self, id: &RequestId) {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let before = open.len();
        open.retain(|open| open.request.id != *id);
        let removed = open.len() < before;
        drop(open);
        if removed {
            self.state.change(SessionChange::RequestClosed {
                request: id.clone(),
                end: RequestEnd::Cancelled,
            });
        }
    }
}

/// Why it asks. Where the classifier was asked first, what it said is the news.
fn reasons(ask: &Ask) -> Vec<RequestReason> {
    let classified = ask.classified.iter().map(|record| RequestReason {
        text: format!(
            "The classifier ({}) leaves it to you: {}.",
            record.by,
            record.reason.trim_end_matches('.')
        ),
        span: None,
    });
    classified
        .chain(ask.details.reasons.iter().cloned())
        .collect()
}

/// Takes the request back when the call that asks goes away, however it goes.
struct Withdraw<'a> {
    approvals: &'a Approvals,
    id: RequestId,
}

impl Drop for Withdraw<'_> {
    fn drop(&mut self) {
        self.approvals.withdraw(&self.id);
    }
}

impl Consent for Approvals {
    fn remember(&self, rule: &str, scope: RuleScope) -> Result<(), String> {
        (self.remember)(rule, scope, None)
    }

    fn ask<'a>(&'a self, ask: Ask, cancellation: &'a Cancellation) -> BoxFuture<'a, ConsentAnswer> {
        async move {
            // Not on another thread: requests are in the order of asking. What is looked at is bounded.
            let unrestorable = (self.foresee)(ask.details.subject());
            let (id, receiver) = self.open(ask, unrestorable);
            let _withdraw = Withdraw {
                approvals: self,
                id,
            };
            tokio::select! {
                biased;
                () = cancellation.cancelled() => ConsentAnswer::Cancelled,
                // Where nothing is sent the session closes: nobody said yes.
                answer = receiver => answer.unwrap_or(ConsentAnswer::Cancelled),
            }
        }
        .boxed()
    }
}

/// The policy of a run without a person: whatever asks is denied.
#[derive(Debug, Default)]
pub struct NobodyToAsk;

impl Consent for NobodyToAsk {
    fn ask<'a>(
        &'a self,
        _ask: Ask,
        _cancellation: &'a Cancellation,
    ) -> BoxFuture<'a, ConsentAnswer> {
        std::future::ready(ConsentAnswer::Deny(ConsentRecord {
            by: "non-interactive run".to_owned(),
            behavior: Behavior::Deny,
            words: None,
            remembered: None,
            changed: false,
            answered: false,
            at: now_ms(),
            waited_ms: 0,
        }))
        .boxed()
    }
}
