//! The vocabulary of hooks: what they are told of a call, and what they may say.
//!
//! **Owns** the trait that the pipeline consults before and after a call.
//!
//! **Called by** `adroit-engine`, at stages 5 and 11.
//!
//! **Invariants**
//! - A hook can stop a call and can spare the *question*; it never lifts a rule or a
//!   safety check. That is `adroit-permissions`' to hold: this crate only carries the
//!   opinion.
//! - A changed input is a proposal: the pipeline takes it back to stage 3.
//!
//! It must never know how a tool works, nor what a rule says.

use std::path::Path;
use std::sync::Arc;

use adroit_permissions::HookOpinion;
use adroit_protocol::CallId;
use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::Value;

/// A call as hooks see it.
#[derive(Clone, Copy, Debug)]
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
}

/// What the hooks before a call say together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BeforeCall {
    /// May it run?
    pub opinion: HookOpinion,
    /// The input that should be used instead.
    pub updated_input: Option<Value>,
    /// Words that the model reads with the result.
    pub context: Vec<String>,
}

/// What the hooks after a call say together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AfterCall {
    /// Words that the model reads with the result.
    pub feedback: Vec<String>,
}

/// The hooks of one agent.
pub trait Hooks: Send + Sync {
    /// True where no hook would ever run: the stages are skipped.
    fn is_empty(&self) -> bool {
        false
    }

    /// Asked before a call is judged.
    fn before_call<'a>(&'a self, call: HookCall<'a>) -> BoxFuture<'a, BeforeCall>;

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
