//! Tests of whole decisions.

mod abbreviations;
mod cases;
mod checks;
mod conditions;
mod evasions;
mod explain;
mod files;
mod laws;
mod questions;
mod rule_sets;
mod shell;
mod support;
mod table;
mod timing;
