//! `cargo xtask fuzz edit`: see `adroit_fuzz::edit`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| adroit_fuzz::edit::check(data));
