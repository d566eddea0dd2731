//! The modes in which our own executable is started for something else than the app.

use std::process::ExitCode;

use crate::{sandbox, watchdog};

/// To be called first thing in `main`. Where this start of the program is one of its
/// helpers it does the helper's work, and the program is to end with what is returned.
/// A program that never calls it (a test) has no helpers: its commands run without a
/// watchdog, and landlock cannot be had.
pub fn helper_mode() -> Option<ExitCode> {
    let mut arguments = std::env::args_os().skip(1);
    let mode = arguments.next();
    let is = |name: &str| mode.as_ref().is_some_and(|mode| mode == name);
    if is(sandbox::MODE) {
        return Some(sandbox::run_confined(arguments));
    }
    if is(sandbox::NETWORK_MODE) {
        return Some(sandbox::run_with_network(arguments));
    }
    keep_private();
    if is(watchdog::MODE) {
        watchdog::run(arguments);
        return Some(ExitCode::SUCCESS);
    }
    watchdog::offer();
    None
}

/// Keeps what this process holds from others of the same person: the keys of models in its
/// environment and memory. A command that no sandbox holds could read them in
/// `/proc/PPID/environ`, though its own environment has none.
///
/// What is started from here is as open as any program (execve(2) sets it back). Not held by it:
/// a root user's commands, which may look into every process.
fn keep_private() {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{DumpableBehavior, set_dumpable_behavior};
        if let Err(error) = set_dumpable_behavior(DumpableBehavior::NotDumpable) {
            eprintln!("adroit: other programs may read the environment of this one: {error}");
        }
    }
}
