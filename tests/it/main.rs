//! The whole backend, driven as the UI drives it: commands in, events out, against a
//! scripted model server whose bytes wait at gates.

// A test stops where something is not as it must be.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod agents;
mod aliases;
mod approvals;
mod auto;
mod bad_input;
mod cases;
mod changes;
mod compaction;
mod deferred;
mod desk;
mod editing;
mod failures;
mod hooks;
mod models;
mod places;
mod plans;
mod questions;
mod queue;
mod review;
mod reviewing;
mod rules;
mod sessions;
mod settings;
mod streaming;
mod surface;
mod terminals;
mod what_if;
