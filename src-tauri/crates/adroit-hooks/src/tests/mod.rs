//! Hooks as real processes and real servers.

mod commands;
mod fixture;
mod merging;
mod requests;
