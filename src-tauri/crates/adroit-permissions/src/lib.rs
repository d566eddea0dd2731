//! Modes, rules, precedence; the only maker of an authorised call.
//!
//! **Owns** the grammar of permission rules, their matching against calls, the
//! order in which rules, checks, hooks and modes are heard, and the types that
//! carry a decision: [`Authorized`], [`Question`], [`Denial`].
//!
//! **Called by** the engine ([`Review`], stage by stage), the session (a
//! [`Question`] and its answer; [`RuleSet`] when settings change) and the
//! command line ([`check_line`]).
//!
//! **Invariants**
//! - Pure and sync: no file, clock, process or environment. Folders need not exist.
//! - An [`Authorized`] is made here only and holds the very input that was judged.
//! - Deny wins: no source, mode, hook or allow rule weakens a deny rule.
//! - What is not understood is never allowed: a rule that cannot be read denies
//!   its whole tool, a command that cannot be read asks.
//! - A rule that is suggested for a call covers that call.
//!
//! **Never knows** who asks the person or how, where settings live, or what a
//! tool does: it judges the [`Subject`] that the tool states.

mod allowance;
mod case;
mod check;
mod command_pattern;
mod concerns;
mod containment;
mod coverage;
mod facts;
mod host_list;
mod host_pattern;
mod inside;
mod lexical;
mod named;
mod opaque;
mod path_pattern;
mod path_view;
mod reasons;
mod report;
mod review;
mod rule;
mod rules;
mod safety;
mod segment;
mod shell_view;
mod suggestion;
mod verdict;
mod wildcard;

#[cfg(test)]
mod tests;

pub use check::{
    CheckAnalysis, CheckAnswer, CheckContext, CheckFailure, CheckQuery, CheckRules, check_line,
    decide_named,
};
pub use concerns::Condition;
pub use facts::{CallFacts, HookOpinion, PermissionSnapshot, Subject, ToolCheck, WorkspaceFacts};
pub use host_list::HostList;
pub use named::{NamedSubject, SubjectError, named_subject};
pub use review::{AfterDeny, AfterRules, Review, decide};
pub use rules::RuleSet;
pub use safety::{Protection, holds_protected_name, protection};
pub use verdict::{Authorized, Denial, DeniedBy, Question, QuestionDetails, RuleCheck, Verdict};
