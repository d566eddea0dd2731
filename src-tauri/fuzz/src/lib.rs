//! What must hold for any input of the parsers: the bodies of the fuzz targets.
//!
//! **Owns** one `check` for each parser that reads what somebody else wrote, and the seeds that
//! it begins from: the cases of the repository.
//!
//! **Called by** the targets in `fuzz_targets/` (`cargo xtask fuzz TARGET`) and by ordinary
//! tests, which run every check on every seed, on cut seeds and on seeds with flipped bytes.
//!
//! **Invariants**
//! - A check panics exactly where something that must hold does not.
//! - A check looks at no clock: that an input takes no longer than a second is libFuzzer's to
//!   say (`-timeout`).
//!
//! **Never knows** how the app is put together: it calls parsers, and no session, process or
//! folder of anybody.

pub mod edit;
pub mod input;
pub mod rules;
pub mod seeds;
pub mod settings;
pub mod shell;

/// A target: its name, its body, and what it begins from.
pub struct Target {
    /// The name of its binary.
    pub name: &'static str,
    /// Its body.
    pub check: fn(&[u8]),
    /// What it begins from.
    pub seeds: fn() -> Vec<Vec<u8>>,
}

/// All targets.
pub const TARGETS: &[Target] = &[
    Target {
        name: "shell",
        check: shell::check,
        seeds: seeds::commands,
    },
    Target {
        name: "rules",
        check: rules::check,
        seeds: seeds::rules,
    },
    Target {
        name: "settings",
        check: settings::check,
        seeds: seeds::settings,
    },
    Target {
        name: "input",
        check: input::check,
        seeds: seeds::inputs,
    },
    Target {
        name: "edit",
        check: edit::check,
        seeds: seeds::edits,
    },
];

/// The parts of an input that needs several, which stand one behind another with a byte
/// between that no text holds.
fn parts<const N: usize>(data: &[u8]) -> [&[u8]; N] {
    let mut pieces = data.splitn(N, |byte| *byte == SEPARATOR);
    std::array::from_fn(|_| pieces.next().unwrap_or_default())
}

/// Between the parts of an input.
pub const SEPARATOR: u8 = 0xff;
