//! The built-in tools, one folder each.

mod bash;
mod services;

pub use bash::{Bash, BashInput, BashOutput};
pub use services::{NoTerminals, Services, Terminals};
