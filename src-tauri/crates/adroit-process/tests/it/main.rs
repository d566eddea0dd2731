//! Real commands in real terminals.

mod escapes;
mod interaction;
mod output;
mod resources;
mod shells;
mod support;
