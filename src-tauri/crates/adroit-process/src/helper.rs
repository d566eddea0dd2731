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
    if is(watchdog::MODE) {
        watchdog::run(arguments);
        return Some(ExitCode::SUCCESS);
    }
    if is(sandbox::MODE) {
        return Some(sandbox::run_confined(arguments));
    }
    watchdog::offer();
    None
}
