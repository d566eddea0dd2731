//! Tests over whole commands.

mod bash;
mod effects;
mod everyday;
mod handed;
mod laws;
mod rules;

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
