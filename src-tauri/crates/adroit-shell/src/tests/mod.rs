//! Tests over whole commands.

mod bash;
mod corpus;
mod edits;
mod effects;
mod everyday;
mod handed;
mod laws;
mod manuals;
mod outputs;
mod reasons;
mod rules;
#[cfg(target_os = "linux")]
mod sandbox;
mod substitutions;
mod wrapped;

use std::path::Path;

use crate::{Analysis, ShellContext, analyze};

/// Analyses `command` in `/w/project` with home `/home/dev`.
pub(crate) fn look(command: &str) -> Analysis {
    look_in(command, "/w/project")
}

/// Analyses `command` in `cwd`.
pub(crate) fn look_in(command: &str, cwd: &str) -> Analysis {
    analyze(
        command,
        &ShellContext {
            cwd: Path::new(cwd),
            workspace: Path::new("/w/project"),
            additional_directories: &[],
            home: Path::new("/home/dev"),
        },
    )
}

/// Prints the analysis of `ADROIT_SHELL_COMMAND`, for looking at one by hand.
#[test]
#[ignore = "prints what it is asked about"]
fn explain() {
    let command = std::env::var("ADROIT_SHELL_COMMAND").unwrap_or_default();
    let analysis = look(&command);
    println!("{}", serde_json::to_string_pretty(&analysis).unwrap());
    for part in analysis.parts.iter().chain(&analysis.suspected_parts) {
        println!(
            "allow {:?}\ndeny  {:?}",
            part.allow_forms(),
            part.deny_forms()
        );
    }
}

/// Prints a line for each line of the file that `ADROIT_SHELL_COMMANDS` names; `␤` stands for
/// a line break within a command.
#[test]
#[ignore = "prints what it is asked about"]
fn explain_many() {
    let Ok(path) = std::env::var("ADROIT_SHELL_COMMANDS") else {
        return;
    };
    for command in std::fs::read_to_string(path).unwrap().lines() {
        let analysis = look(&command.replace('␤', "\n"));
        let mark = match (analysis.read_only, analysis.outside_workspace) {
            (true, false) => "read",
            (true, true) => "outside",
            (false, false) => "acts",
            (false, true) => "reaches",
        };
        let destroys = if analysis.destructive.is_some() {
            "!"
        } else {
            ""
        };
        println!("{mark}{destroys} {command}");
    }
}
