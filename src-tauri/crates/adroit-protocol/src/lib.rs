//! The wire and view vocabulary of Adroit.
//!
//! **Owns** the words that more than one crate, or the backend and the UI, must
//! agree on: identifiers, messages of a conversation, views of a call, permission
//! words, events to the UI, the settings schema and the command table.
//!
//! **Called by** every other crate. The UI's `ui/src/generated/protocol.ts` is
//! written from here by `cargo xtask codegen`.
//!
//! **Invariants**: plain data only. No IO, no async, no clock, no knowledge of any
//! tool by name. Every type that crosses to the UI derives `TS`, so that a change
//! here that the UI does not follow is a compile error there.

pub mod changes;
pub mod command;
mod consent;
pub mod error;
pub mod event;
pub mod hook;
pub mod id;
pub mod message;
pub mod permission;
pub mod place;
pub mod record;
pub mod settings;
pub mod settings_change;
mod strict_json;
pub mod typescript;
pub mod view;
mod wire;

pub use error::{ErrorCode, WireError};
pub use id::{CallId, ItemId, RequestId, SessionId, TerminalId};
pub use strict_json::strict_json;
