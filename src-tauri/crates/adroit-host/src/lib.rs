//! The app without its window: command bodies over a narrow [`Host`] trait, and the
//! fan-out of events.
//!
//! **Owns** the running app ([`App`]): which sessions are open, which command does what,
//! and who hears events. [`headless`] is the same for runs without a window.
//!
//! **Called by** the desktop host (`src-tauri/src`), `adroit-devserver` and `adroit-cli`.
//!
//! **Invariants**
//! - Every command of `adroit_protocol::command` has its body here; a missing one does
//!   not compile.
//! - A body never decides about a permission: it passes answers on.
//! - Nothing here names Tauri or a terminal; HTTP only where a person had spans of calls sent
//!   to a collector ([`telemetry`], with the feature `otlp`).

mod app;
mod commands;
mod fanout;
pub mod headless;
mod rpc;
pub mod telemetry;
mod watch;

pub use adroit_process::helper_mode;
pub use adroit_session::AppDirectories;
pub use adroit_session::settings::CommandLine;
pub use app::{App, AppOptions, Host, NoHost};
pub use fanout::Subscription;
