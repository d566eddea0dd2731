//! Pool, pipeline, streaming executor and result store: what happens to a call.
//!
//! **Owns** the way of one call from the model's block to its one result (14 stages,
//! `pipeline`), the order and overlap of the calls of one message ([`Executor`], with
//! its rules in [`Schedule`] and the fallback in [`batches`]), the ordered list of tools
//! ([`Pool`]) and the files of results that are too long ([`ResultStore`]).
//!
//! **Called by** `adroit-session` (an engine an agent, an executor a message) and by
//! `adroit-cli tool call` ([`Engine::run_one`]).
//!
//! **Invariants**
//! - Every call has exactly one result, a panic, a stop and the end of the runtime included.
//! - Results leave in the order of the calls; an unsafe call overlaps with nothing; at
//!   most [`Execution::max_concurrency`] run; nothing starts after a discard.
//! - Nothing runs but the input inside of an [`adroit_permissions::Authorized`], and that
//!   can only be made by `adroit-permissions`:
//!
//! ```compile_fail
//! fn forge(call: adroit_protocol::CallId) -> adroit_permissions::Authorized {
//!     adroit_permissions::Authorized { call }
//! }
//! ```
//!
//! - A changed input goes back to stage 3: what is approved is what runs.
//!
//! It must never know a tool, a provider or a rule by name, and never asks a person
//! itself: [`Consent`] does.

mod batch;
mod engine;
mod executor;
mod input;
mod near;
mod pipeline;
mod pool;
mod ports;
mod schedule;
mod store;
mod wording;

#[cfg(test)]
mod tests;

pub use batch::{Batches, batches};
pub use engine::{
    AgentName, CurrentDirectory, Engine, Execution, MAX_CONCURRENCY_VARIABLE, ToolResult,
};
pub use executor::{DiscardReport, DiscardedCall, Executor};
pub use input::fitted_input;
pub use pool::{Discovered, Pool, PoolTool, definition};
pub use ports::{
    Ask, CallUpdate, Checkpoints, Classifier, Consent, ConsentAnswer, NoCheckpoints, NoClassifier,
    Observer, Permissions, Starting, ToClassify, Unobserved,
};
pub use schedule::{CallState, Schedule};
pub use store::{ResultStore, StoreError};
