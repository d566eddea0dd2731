//! `fuzz TARGET`: one target of `src-tauri/fuzz` under libFuzzer, from the repository's cases.

use std::process::{Command, Stdio};

use crate::outcome::Outcome;
use crate::process::{self, cargo};

/// Where the targets are, from the root.
const FOLDER: &str = "src-tauri/fuzz";

/// Runs a target for as long as the person likes. What follows its name goes to libFuzzer:
/// `cargo xtask fuzz shell -max_total_time=60`.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    let Some((target, rest)) = arguments.split_first() else {
        return Err(format!(
            "fuzz takes the name of a target, as in `cargo xtask fuzz shell`; they are in \
             {FOLDER}/fuzz_targets"
        )
        .into());
    };
    let file = crate::root().join(format!("{FOLDER}/fuzz_targets/{target}.rs"));
    if !file.exists() {
        return Err(format!("there is no target `{target}` in {FOLDER}/fuzz_targets").into());
    }
    if let Some(missing) = missing() {
        return Err(missing.into());
    }
    let corpus = crate::root().join(format!("target/fuzz/corpus/{target}"));
    let found = crate::root().join(format!("target/fuzz/found/{target}"));
    for folder in [&corpus, &found] {
        std::fs::create_dir_all(folder)
            .map_err(|error| format!("{} cannot be made: {error}", folder.display()))?;
    }
    let mut seeds = cargo();
    seeds
        .args([
            "run",
            "--quiet",
            "--package",
            "adroit-fuzz",
            "--bin",
            "seeds",
            "--",
        ])
        .arg(target)
        .arg(&corpus);
    process::run(&mut seeds)?;
    let mut fuzz = cargo();
    // The compiler's switches for coverage are not stable; this one lets a stable compiler take
    // them. Safe Rust without a sanitizer: a panic, a stack that overflows or an input that
    // takes too long is what is looked for.
    fuzz.env("RUSTC_BOOTSTRAP", "1");
    fuzz.args(["fuzz", "run", "--fuzz-dir", FOLDER])
        .args([
            "--features",
            "libfuzzer",
            "--sanitizer",
            "none",
            "--target-dir",
        ])
        .arg(crate::root().join("target/fuzz/build"))
        .arg(target)
        .arg(&corpus)
        .arg("--")
        .args(["-timeout=5", "-rss_limit_mb=2048", "-max_len=4096"])
        .arg(format!("-artifact_prefix={}/", found.display()))
        .args(rest);
    process::run(&mut fuzz)
}

/// What is not there, and how it gets there.
fn missing() -> Option<String> {
    let starts = |program: &str, arguments: &[&str]| {
        Command::new(program)
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|status| status.success())
    };
    if !starts("cargo", &["fuzz", "--version"]) {
        return Some(
            "cargo-fuzz is not installed: `cargo install --locked cargo-fuzz`. The same checks \
             run on every seed without it: `cargo test --package adroit-fuzz`"
                .to_owned(),
        );
    }
    if !starts("c++", &["--version"]) {
        return Some(
            "libFuzzer is built with a C++ compiler, and there is no `c++`: install g++ or clang"
                .to_owned(),
        );
    }
    None
}
