//! The engine with tools, rules and people that are made for tests.

mod ahead;
mod checkpoints;
mod contract;
mod executor;
mod failures;
mod fixture;
mod hooks;
mod interleavings;
mod permissions;
mod pool;
mod questions;
mod results;
mod schedules;
mod schemas;
mod spans;
