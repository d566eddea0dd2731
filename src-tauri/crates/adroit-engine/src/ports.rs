//! What the engine asks of whoever runs it: the rules of the moment, a person's answer,
//! and somebody to tell.

use std::sync::Arc;
use std::time::Duration;

use adroit_permissions::{PermissionSnapshot, QuestionDetails, Subject};
use adroit_protocol::event::CallStatus;
use adroit_protocol::permission::{AfterPlan, RuleScope};
use adroit_protocol::record::{ClassifierRecord, ClassifierVerdict, ConsentRecord};
use adroit_protocol::view::View;
use adroit_protocol::{CallId, TerminalId};
use adroit_tool::{Cancellation, Draft, NothingKept, Originals, ToolFailure};
use futures::FutureExt as _;
use futures::future::BoxFuture;
use serde_json::Value;

/// Gives the rules and the mode of the moment.
pub trait Permissions: Send + Sync {
    /// Asked at stage 6 of every call: a switch of the mode applies to the very next decision.
    fn snapshot(&self) -> PermissionSnapshot;

    /// The person has approved a plan: the mode is switched as they would have switched it. Does
    /// nothing and is false where the mode is not plan any more.
    fn leave_plan_mode(&self, after: AfterPlan) -> bool;
}

/// Asks a person, or answers by policy where there is none.
pub trait Consent: Send + Sync {
    /// Asks about one call. The future may be dropped when the call is cancelled: a
    /// request that is shown must be withdrawn then.
    fn ask<'a>(&'a self, ask: Ask, cancellation: &'a Cancellation) -> BoxFuture<'a, ConsentAnswer>;

    /// Stores an allow rule that was proven to cover a call which was just allowed.
    ///
    /// # Errors
    /// Why it was not stored, in words; the call is allowed all the same.
    fn remember(&self, _rule: &str, _scope: RuleScope) -> Result<(), String> {
        Err("nothing is remembered in this run".to_owned())
    }
}

/// A question about one call.
#[derive(Clone, Debug)]
pub struct Ask {
    /// Which call.
    pub call: CallId,
    /// The tool's name.
    pub tool: String,
    /// Its name as a person reads it.
    pub label: String,
    /// What the call does, in a sentence of the tool about this input.
    pub description: String,
    /// What would be lost, where something would.
    pub destructive: Option<String>,
    /// It reaches beyond the machine.
    pub open_world: bool,
    /// The agent that asks, where it is not the main one.
    pub agent: Option<String>,
    /// The whole input.
    pub input: Arc<Value>,
    /// The call as the tool presents it for a decision.
    pub view: View,
    /// What of it may be changed before it is approved.
    pub draft: Option<Arc<dyn Draft>>,
    /// The person changed the call, and what came of that is asked about now.
    pub revised: bool,
    /// What the classifier of auto mode said, where it was asked before the person is.
    pub classified: Option<ClassifierRecord>,
    /// Why it asks and what may be remembered.
    pub details: Arc<QuestionDetails>,
}

/// What came of a question.
#[derive(Clone, Debug, PartialEq)]
pub enum ConsentAnswer {
    /// It may run as it is.
    Allow(ConsentRecord),
    /// It may run with this input instead. The changed input goes back to stage 3 and
    /// through hooks and rules; it is asked about again only where it is changed once more, or
    /// where there is a reason to ask that the person was not told.
    AllowChanged {
        /// The input as the person left it.
        input: Value,
        /// What the model is told of the change; the whole input where this is absent.
        told: Option<String>,
        /// The answer.
        record: ConsentRecord,
    },
    /// The call was a question, and this input has the answer. It goes the same way; the model hears
    /// of the answer by the result.
    Answered {
        /// The input with the answer.
        input: Value,
        /// Who gave it.
        record: ConsentRecord,
    },
    /// It must not run.
    Deny(ConsentRecord),
    /// Rules or mode changed meanwhile: the call is judged again, and asked about again where
    /// it still has to be.
    Reconsider,
    /// The question was withdrawn.
    Cancelled,
}

/// Keeps what calls change, so that it can be taken back.
pub trait Checkpoints: Send + Sync {
    /// A call that may change something is about to run. It runs when this is done.
    ///
    /// `Err` where what it names could not be kept: it does not run then.
    fn before(&self, starting: Starting) -> BoxFuture<'_, Result<(), ToolFailure>>;

    /// Who keeps, at the very moment of a write, what that call replaces.
    fn originals(&self, call: &CallId) -> Arc<dyn Originals>;

    /// That call has ended, however it did.
    fn after<'a>(&'a self, call: &'a CallId) -> BoxFuture<'a, ()>;
}

/// A call that is about to run.
#[derive(Clone, Debug)]
pub struct Starting {
    /// Which.
    pub call: CallId,
    /// In a few words, as its tool presents it.
    pub title: String,
    /// What it is about: a file, a command. Tells where it may change something.
    pub subject: Subject,
}

/// Nothing is kept.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoCheckpoints;

impl Checkpoints for NoCheckpoints {
    fn before(&self, _starting: Starting) -> BoxFuture<'_, Result<(), ToolFailure>> {
        std::future::ready(Ok(())).boxed()
    }

    fn originals(&self, _call: &CallId) -> Arc<dyn Originals> {
        Arc::new(NothingKept)
    }

    fn after<'a>(&'a self, _call: &'a CallId) -> BoxFuture<'a, ()> {
        std::future::ready(()).boxed()
    }
}

/// The classifier of auto mode: decides, or hands over to the person, where the mode is auto
/// and no rule has an opinion.
pub trait Classifier: Send + Sync {
    /// Says what becomes of one call. Never fails: an error, a delay and too many blocks are
    /// [`ClassifierVerdict::Ask`] with that as the reason. The future may be dropped.
    fn classify(&self, call: ToClassify) -> BoxFuture<'_, ClassifierRecord>;
}

/// What a classifier gets to see of a call. Never a result of any call: what a file or a page
/// says must not argue with who decides about it.
#[derive(Clone, Debug)]
pub struct ToClassify {
    /// Which call.
    pub call: CallId,
    /// The tool's name.
    pub tool: String,
    /// What the tool tells of the input.
    pub input: String,
    /// The question that would be asked: for a table of rules that decides in a model's place.
    pub question: Arc<QuestionDetails>,
}

/// No classifier: everything is handed over to the person.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoClassifier;

impl Classifier for NoClassifier {
    fn classify(&self, _call: ToClassify) -> BoxFuture<'_, ClassifierRecord> {
        Box::pin(std::future::ready(ClassifierRecord {
            by: "auto mode".to_owned(),
            verdict: ClassifierVerdict::Ask,
            reason: "there is no classifier in this run".to_owned(),
            took_ms: 0,
        }))
    }
}

/// Is told how calls go. Called from the calls' own tasks: must be quick and must not block.
pub trait Observer: Send + Sync {
    /// A call changed. The last update of a call has the status of its end.
    fn call_changed(&self, call: &CallId, update: CallUpdate);
}

/// How a call is now.
#[derive(Clone, Debug, PartialEq)]
pub struct CallUpdate {
    /// The tool's name, resolved where it was.
    pub tool: String,
    /// How far it is.
    pub status: CallStatus,
    /// How it looks.
    pub view: View,
    /// It may change something.
    pub mutating: bool,
    /// The terminal that it runs in, once there is one.
    pub terminal: Option<TerminalId>,
    /// How long it has run; `None` before it ran.
    pub elapsed: Option<Duration>,
}

/// An observer that looks away.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unobserved;

impl Observer for Unobserved {
    fn call_changed(&self, _call: &CallId, _update: CallUpdate) {}
}
