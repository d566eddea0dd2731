//! The `adroit` binary: reads the command line, checks that there is a screen,
//! and hands over to the library.

// A console window beside the app's own is of no use on Windows.
#![cfg_attr(not(debug_assertions), windows_subsystem = "windows")]

use adroit_desktop::{Invocation, display_problem, parse_arguments, run};
use std::io::Write as _;
use std::process::ExitCode;

fn main() -> ExitCode {
    if let Some(code) = adroit_host::helper_mode() {
        return code;
    }
    let directory = match std::env::current_dir() {
        Ok(directory) => directory,
        Err(error) => {
            eprintln!("adroit: the current folder cannot be read: {error}");
            return ExitCode::FAILURE;
        }
    };
    let options = match parse_arguments(std::env::args_os().skip(1), &directory) {
        Ok(Invocation::Open(options)) => options,
        Ok(Invocation::Print(text)) => {
            // A reader that went away (`adroit --help | head -1`) is no failure.
            let _ = writeln!(std::io::stdout(), "{text}");
            return ExitCode::SUCCESS;
        }
        Err(error) => {
            eprintln!("adroit: {error}\nTry `adroit --help`.");
            return ExitCode::from(2);
        }
    };
    if let Some(problem) = display_problem() {
        eprintln!("adroit: {problem}");
        return ExitCode::FAILURE;
    }
    match run(options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("adroit: {error:#}");
            ExitCode::FAILURE
        }
    }
}
