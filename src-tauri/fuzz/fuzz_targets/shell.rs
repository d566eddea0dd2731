//! `cargo xtask fuzz shell`: see `adroit_fuzz::shell`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| adroit_fuzz::shell::check(data));
