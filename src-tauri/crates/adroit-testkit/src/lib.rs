//! Test support: temp projects and a scripted model with gates.
//!
//! **Owns** a model server whose every byte is decided by the test ([`ScriptedModel`],
//! [`Turn`], [`Gate`]) and a project folder that goes away with the test ([`TempProject`]).
//!
//! **Called by** tests and benches only; a development dependency everywhere.
//!
//! **Invariants**: a scripted answer never goes on past a closed [`Gate`], so that an
//! order of events is proven without a clock. Ports are ephemeral and on 127.0.0.1.
//!
//! **Must never know** the code under test: it speaks the public wires and plain JSON.

// A fault in test support has to stop the test, where it is.
#![allow(clippy::expect_used, clippy::panic)]

mod gate;
mod project;
mod request;
mod script;
mod script_file;
mod server;
mod wire;

pub use gate::Gate;
pub use project::TempProject;
pub use request::RecordedRequest;
pub use script::{Step, Turn, response, turn};
pub use script_file::{ScriptError, turns_from_json};
pub use server::ScriptedModel;
pub use wire::Wire;
