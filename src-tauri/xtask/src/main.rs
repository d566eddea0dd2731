//! The project's own commands.
//!
//! **Owns** everything between a clone and a running or tested app: what the
//! machine must have, the order of builds, every check.
//!
//! **Called by** people and by continuous integration, as `cargo xtask COMMAND`.
//!
//! **Invariants**: it works on a fresh machine that has Rust and Node alone; it
//! installs nothing that is there already; every failure says what to do next.

mod bench;
mod codegen;
mod counts;
mod fuzz;
mod interface;
mod launch;
mod new_tool;
mod outcome;
mod process;
mod setup;
mod test;
mod tidy;

use outcome::Outcome;
use std::path::PathBuf;
use std::process::ExitCode;

const HELP: &str = "\
Usage: cargo xtask COMMAND

  run [--release] [FOLDER]   Set up, build, and open the app on FOLDER (default: here)
  web [FOLDER]               The same app in a browser, on 127.0.0.1
  test [--fast] [FILTER...]  Set up, then every check and test
                             --fast: no browser, no window; FILTER: tests by name, no checks
  bench                      Benchmarks, beside their budgets
  fuzz TARGET [-FLAG...]     A parser under libFuzzer, from the cases; flags are libFuzzer's
  codegen [--check]          Write the UI's types from the protocol crate, or check them
  new-tool NAME              Begin a tool: its folder, its line in the table, its tests
  tidy                       Check what no compiler checks: sizes, boundaries, ledger
  setup                      Install what `test` needs, and nothing more";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (command, rest) = match arguments.split_first() {
        Some((command, rest)) => (command.as_str(), rest),
        None => ("help", [].as_slice()),
    };
    let outcome = match command {
        "run" => launch::run(rest),
        "web" => launch::web(rest),
        "test" => test::run(rest),
        "bench" => bench::run(rest),
        "fuzz" => fuzz::run(rest),
        "codegen" => codegen::run(rest),
        "new-tool" => new_tool::run(rest),
        "tidy" => tidy::run(),
        "setup" => setup::for_tests(),
        "help" | "-h" | "--help" => {
            println!("{HELP}");
            Ok(())
        }
        other => Err(format!("there is no command `{other}`\n\n{HELP}").into()),
    };
    report(outcome)
}

fn report(outcome: Outcome) -> ExitCode {
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("\nxtask: {error}");
            ExitCode::FAILURE
        }
    }
}

/// The root of the repository.
fn root() -> PathBuf {
    let here = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).map(PathBuf::from).unwrap_or(here)
}

/// Where Cargo builds to.
fn target_dir() -> PathBuf {
    match std::env::var_os("CARGO_TARGET_DIR") {
        Some(directory) => root().join(directory),
        None => root().join("target"),
    }
}
