//! `cargo xtask fuzz rules`: see `adroit_fuzz::rules`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| adroit_fuzz::rules::check(data));
