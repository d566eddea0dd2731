//! Hooks: programs of the person, or of their organisation, that are told what an agent does
//! and may object.
//!
//! **Owns** the vocabulary between the pipeline and hooks ([`Hooks`]), how a hook is read from
//! settings ([`HookEntry`]), which hooks an event concerns, what they are told and how their
//! answers are understood (as publicly documented for Claude Code), and how several answers
//! become one ([`HookRuntime`]).
//!
//! **Called by** `adroit-engine` at stages 5, 8 and 11, and by `adroit-session` for what
//! concerns no call: a message, a session's start, the end of a turn.
//!
//! **Invariants**
//! - A hook can stop a call and can spare the *question*; it never lifts a rule or a
//!   safety check. That is `adroit-permissions`' to hold: this crate only carries the
//!   opinion.
//! - What several hooks say together does not depend on which ended first: deny before ask
//!   before allow, and among equals the order of the settings.
//! - A hook that failed is never counted as one that passed. It is shown, and before a call
//!   its `onFailure` says whether the call goes on.
//! - A changed input is a proposal: the pipeline takes it back to stage 3.
//! - No process of a hook outlives its run.
//!
//! It must never know how a tool works, nor what a rule says, nor where settings live.

mod answer;
mod call;
mod command;
mod entry;
mod http;
mod log;
mod matcher;
mod merge;
mod occasion;
mod payload;
mod run;
mod runtime;

pub use call::{
    AfterCall, BeforeCall, ChangedInput, HookAgent, HookCall, Hooks, InsteadOfPerson, NoHooks,
    PersonSpared, RememberedRule,
};
pub use entry::{Handler, HookEntry, HookSet, Place};
pub use log::HookLog;
pub use matcher::Matcher;
pub use occasion::{Heard, Occasion};
pub use runtime::{HookObserver, HookRuntime, InForce, Surroundings};

#[cfg(test)]
mod tests;
