//! Sessions: the query loop and everything that outlives a call.
//!
//! **Owns** the loop from a message of the person to the end of the turn, the queue of
//! permission requests, the transcript store, settings with their sources, secrets,
//! trust of folders, and the terminals that a person sees.
//!
//! **Called by** `adroit-host`, which turns its values into commands and events.
//!
//! **Invariants**
//! - The transcript is written before effects: a call is on disk before it starts.
//! - Every `tool_use` has its `tool_result` before anything is sent to a model,
//!   whatever crashed.
//! - A broken settings file never widens permissions.
//! - Nothing of an untrusted folder takes effect: no settings, no rules, no
//!   hooks, no instructions.
//! - Keys never reach a settings file, a transcript or a log.

pub mod approvals;
pub mod directories;
pub mod hooks;
pub mod past;
pub mod projects;
pub mod secrets;
pub mod session;
pub mod settings;
mod sitting;
pub mod state;
pub mod terminals;
pub mod transcript;

mod agents;
mod announcing;
mod assembly;
mod auto;
mod checkpoints;
mod clock;
mod comments;
mod compaction;
mod context;
mod editor;
mod file;
mod find;
mod instructions;
mod model_choice;
mod modes;
mod moment;
mod permissions;
mod places;
mod queue;
mod turn;
mod watched;

pub use adroit_tools::keeps_definition;
pub use agents::agent_states;
pub use assembly::sandbox_network;
pub use checkpoints::{UndoError, forget_changes};
pub use directories::AppDirectories;
pub use editor::EditorError;
pub use model_choice::configured;
pub use permissions::{BypassRefused, rule_holds_now};
pub use places::PlaceError;
pub use session::{OpenError, Session, SessionOptions, Shared};
pub use sitting::Sitting;
pub use turn::{TurnEnd, TurnOutcome};
