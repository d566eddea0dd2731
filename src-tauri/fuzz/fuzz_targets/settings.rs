//! `cargo xtask fuzz settings`: see `adroit_fuzz::settings`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| adroit_fuzz::settings::check(data));
