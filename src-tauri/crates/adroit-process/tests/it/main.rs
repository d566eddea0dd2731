//! Real commands in real terminals.
#![allow(
    clippy::expect_used,
    reason = "what helpers of tests cannot do fails the test"
)]

mod escapes;
mod interaction;
mod output;
mod piped;
mod resources;
mod sandbox;
mod shells;
mod support;
