//! `cargo xtask fuzz input`: see `adroit_fuzz::input`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| adroit_fuzz::input::check(data));
