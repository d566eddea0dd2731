//! The built-in tools, one folder each.
//!
//! **Owns** the one table of built-in tools ([`all`]), from which registration, prompts,
//! schemas, documentation and the contract test derive.
//!
//! **Called by** `adroit-session`, which makes them with the [`Services`] of one project.
//!
//! **Invariants**: a tool is listed once; nothing here decides about a permission.

mod bash;
mod services;

use std::sync::Arc;

use adroit_tool::{AnyTool, erase};

pub use bash::{Bash, BashInput, BashOutput};
pub use services::{NoTerminals, Services, Terminals};

/// Every built-in tool over these services. The one place where a tool is listed.
#[must_use]
pub fn all(services: &Services) -> Vec<Arc<dyn AnyTool>> {
    vec![erase(Bash::new(services.clone()))]
}
