//! The headless binary as another program would use it.

// A test stops where something is not as it must be.
#![allow(clippy::unwrap_used)]

mod calls;
mod exec;
mod killed;
mod sandbox;

use std::process::{Command, Output, Stdio};

use adroit_testkit::TempProject;
use serde_json::Value;

pub(crate) fn adroit(project: &TempProject, words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_adroit-cli"));
    command
        .args(words)
        .arg("--data-dir")
        .arg(project.data_dir())
        .arg("--project")
        .arg(project.path())
        .env_remove("ANTHROPIC_API_KEY")
        .env_remove("OPENAI_API_KEY")
        .stdin(Stdio::null());
    command
}

pub(crate) fn run(mut command: Command) -> Output {
    command.output().unwrap()
}

pub(crate) fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

pub(crate) fn lines(output: &Output) -> Vec<Value> {
    stdout(output)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// The words of a call of Bash that no mode keeps from running.
pub(crate) fn bash(input: &str) -> [&str; 7] {
    [
        "tool",
        "call",
        "Bash",
        "--mode",
        "bypassPermissions",
        "--input",
        input,
    ]
}
