//! The Tool contract.
//!
//! **Owns** what it means to be a tool: the typed trait [`Tool`], its object-safe
//! twin [`AnyTool`], and the facets of the context that a call runs in.
//!
//! **Called by** `adroit-tools` (which implements it), `adroit-engine` (which runs
//! it) and `adroit-session` (which implements the session-bound facets).
//!
//! **Invariants**
//! - A tool is data: one value in one table. Everything about it is asked of it.
//! - Provided methods are the fail-closed defaults: forgetting one makes a tool
//!   slower or more asked about, never unsafe. A test holds each default.
//! - Presentation lives with execution: a tool emits [`adroit_protocol::view::View`]s.
//! - This crate knows no tool, no model and no disk. What a built-in tool needs of
//!   the disk and of processes it is **constructed** with (`adroit_tools::Services`),
//!   so that the context stays small and a sub-agent in another folder simply gets
//!   tools that were constructed for that folder.

mod cancellation;
mod catalog;
mod context;
mod contract;
mod draft;
mod erased;
mod failure;
mod stage;

pub use cancellation::{CancelReason, Cancellation};
pub use catalog::{DeferredTool, NothingDeferred, ToolCatalog};
pub use context::{
    CallContext, FileState, Limits, MAX_REMEMBERED_TEXT, NothingKept, Originals, Progress,
    ProgressSender, RememberedFiles, RestrictedReading, Seen, TerminalQuestion, Withheld,
};
pub use contract::{
    AnswerFields, Answerers, Cascade, ContextChange, DescribeOptions, Features, InterruptBehavior,
    Outcome, ResultLimit, Speculation, Tool,
};
pub use draft::{Draft, DraftError, Drafted, Redrafted};
pub use erased::{AnyTool, ErasedOutcome, ErasedOutput, ErasedStage, Origin, ParsedInput, erase};
pub use failure::{InvalidInput, ToolFailure};
pub use stage::Stage;

/// The most characters of a result that go to the model where a tool does not say otherwise.
pub const DEFAULT_RESULT_CHARS: usize = 100_000;
