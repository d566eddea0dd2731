//! What hooks are told of a call, and what they may say.

use std::path::Path;
use std::sync::Arc;

use adroit_permissions::{Condition, HookOpinion};
use adroit_protocol::CallId;
use adroit_protocol::hook::HookRun;
use adroit_protocol::permission::{Mode, RuleScope, RuleSuggestion};
use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::Value;

/// A call as hooks see it.
#[derive(Clone, Copy)]
pub struct HookCall<'a> {
    /// Which call.
    pub call: &'a CallId,
    /// The tool's name.
    pub tool: &'a str,
    /// Its other names: matchers may use them.
    pub aliases: &'a [&'a str],
    /// The input, with the fields that the tool derives for observers.
    pub input: &'a Value,
    /// The working directory.
    pub cwd: &'a Path,
    /// The mode of this moment.
    pub mode: Mode,
    /// Which agent, where it is not the main one.
    pub agent: Option<HookAgent<'a>>,
    /// Whether a rule speaks of the call. Worked out only where a hook has a condition.
    pub concerns: &'a (dyn Fn(&Condition) -> bool + Sync),
    /// Hooks whose change of this call's input was taken already: each has one, so that two
    /// of them cannot change it back and forth.
    pub settled: &'a [String],
}

/// An agent that works for another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HookAgent<'a> {
    /// Names it.
    pub id: &'a str,
    /// Its kind.
    pub kind: &'a str,
}

/// What the hooks before a call say together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BeforeCall {
    /// May it run?
    pub opinion: HookOpinion,
    /// The input that should be used instead.
    pub updated_input: Option<ChangedInput>,
    /// Words that the model reads with the result.
    pub context: Vec<String>,
    /// Why the turn should end with this call, where it should.
    pub stop: Option<String>,
    /// Every run, in the order of the settings.
    pub runs: Vec<HookRun>,
}

/// An input that a hook wants instead.
#[derive(Clone, Debug, PartialEq)]
pub struct ChangedInput {
    /// Which hook: for [`HookCall::settled`].
    pub hook: String,
    /// The input.
    pub input: Value,
}

/// What the hooks before a question to the person say together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct InsteadOfPerson {
    /// Their answer.
    pub answer: PersonSpared,
    /// Why the turn should end with this call, where it should.
    pub stop: Option<String>,
    /// Every run, in the order of the settings.
    pub runs: Vec<HookRun>,
}

/// An allow rule that a hook wants remembered (`updatedPermissions`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RememberedRule {
    /// The rule, as settings write it.
    pub rule: String,
    /// Where.
    pub scope: RuleScope,
}

/// Whether a hook answers in the person's place.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum PersonSpared {
    /// None does: the person is asked.
    #[default]
    No,
    /// The call may run. Whether a hook may say so is not decided here.
    Allow {
        /// The hook.
        hook: String,
        /// The input that should be used instead.
        updated_input: Option<Value>,
        /// Allow rules that are to be remembered with it.
        remember: Vec<RememberedRule>,
    },
    /// The call must not run.
    Deny {
        /// The hook.
        hook: String,
        /// One sentence.
        reason: String,
    },
}

/// What the hooks after a call say together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AfterCall {
    /// Words that the model reads with the result.
    pub feedback: Vec<String>,
    /// Why the turn should end with this call, where it should.
    pub stop: Option<String>,
    /// Every run, in the order of the settings.
    pub runs: Vec<HookRun>,
}

/// The hooks of one agent.
pub trait Hooks: Send + Sync {
    /// True where no hook would ever run: the stages are skipped.
    fn is_empty(&self) -> bool {
        false
    }

    /// Asked before a call is judged.
    fn before_call<'a>(&'a self, call: HookCall<'a>) -> BoxFuture<'a, BeforeCall>;

    /// Asked before a person is asked. `offered` are the rules that the question would offer to
    /// remember, each proven to cover the call; none where no rule may answer it.
    fn before_question<'a>(
        &'a self,
        _call: HookCall<'a>,
        _offered: &'a [RuleSuggestion],
    ) -> BoxFuture<'a, InsteadOfPerson> {
        std::future::ready(InsteadOfPerson::default()).boxed()
    }

    /// Told of a result.
    fn after_call<'a>(&'a self, call: HookCall<'a>, output: &'a Value) -> BoxFuture<'a, AfterCall>;

    /// Told of a failure.
    fn after_failure<'a>(
        &'a self,
        call: HookCall<'a>,
        failure: &'a str,
    ) -> BoxFuture<'a, AfterCall>;
}

/// No hooks at all.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoHooks;

impl NoHooks {
    /// The empty list, shared.
    #[must_use]
    pub fn shared() -> Arc<dyn Hooks> {
        Arc::new(Self)
    }
}

impl Hooks for NoHooks {
    fn is_empty(&self) -> bool {
        true
    }

    fn before_call<'a>(&'a self, _call: HookCall<'a>) -> BoxFuture<'a, BeforeCall> {
        std::future::ready(BeforeCall::default()).boxed()
    }

    fn after_call<'a>(
        &'a self,
        _call: HookCall<'a>,
        _output: &'a Value,
    ) -> BoxFuture<'a, AfterCall> {
        std::future::ready(AfterCall::default()).boxed()
    }

    fn after_failure<'a>(
        &'a self,
        _call: HookCall<'a>,
        _failure: &'a str,
    ) -> BoxFuture<'a, AfterCall> {
        std::future::ready(AfterCall::default()).boxed()
    }
}
