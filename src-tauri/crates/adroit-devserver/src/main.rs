//! Placeholder until the host is there.
fn main() {}
