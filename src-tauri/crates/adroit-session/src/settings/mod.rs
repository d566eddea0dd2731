//! Settings: several files, one schema, one effective value.
//!
//! Sources, strongest first: managed, command line, project local, project, user,
//! session. Rules of all sources are in force together (deny always first); of a single
//! value the strongest source that has it wins.
//!
//! Files are looked at again (by time, size and inode) each time that the settings are
//! asked for, which is before every decision: an edit outside applies to the very next
//! call, with no watcher in between that could be late. The watcher only tells the UI.

mod document;
mod edit;
mod effective;
mod held;
mod hooks;
mod store;

pub use document::{Document, Problem};
pub use edit::{EditError, Edited, allow_rule, edit_model, edit_rule, edit_value};
pub use effective::{CommandLine, Effective, FileState};
pub use hooks::{HeldBackHook, HookSettings};
pub use jsonc_parser::cst::CstInputValue as Value;
pub use store::{HeldCommand, SettingsStore};
