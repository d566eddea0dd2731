//! `adroit-cli`: the app without a window. Links no webview.
//!
//! **Owns** arguments and printing; everything else is `adroit_host::headless`.

mod arguments;
mod exec;
mod permissions;
mod print;
mod tool;

use std::process::ExitCode;

use adroit_host::telemetry::{self, Telemetry};
use clap::Parser as _;

use arguments::{Arguments, Command, PermissionsCommand, ToolCommand};

fn main() -> ExitCode {
    if let Some(code) = adroit_host::helper_mode() {
        return code;
    }
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            let _ = error.print();
            return ExitCode::from(if error.use_stderr() { USAGE } else { 0 });
        }
    };
    let _telemetry = start_log(&arguments.command);
    let outcome = match arguments.command {
        Command::Exec(exec) => on_runtime(exec::run(exec)),
        Command::Tool(ToolCommand::List(list)) => on_runtime(tool::list(list)),
        Command::Tool(ToolCommand::Call(call)) => on_runtime(tool::call(call)),
        Command::Permissions(PermissionsCommand::Check(check)) => permissions::check(&check),
    };
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(FAILED),
        Err(error) => {
            print::remark(&format!("adroit-cli: {error:#}"));
            ExitCode::from(USAGE)
        }
    }
}

/// The turn, the call or the check ended badly.
const FAILED: u8 = 1;
/// Nothing was tried: the arguments or the surroundings are wrong.
const USAGE: u8 = 2;

fn on_runtime(run: impl Future<Output = anyhow::Result<bool>>) -> anyhow::Result<bool> {
    // Few threads: the work waits for servers and processes, and each thread costs memory.
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    let outcome = runtime.block_on(run);
    // A blocked thread (a read of a dead network disk) must not keep a finished run alive.
    runtime.shutdown_background();
    outcome
}

/// Errors go to the error output (`ADROIT_LOG` asks for more), and what happens into the same log
/// as the window's. A check of permissions touches nothing but its own input, so it has none.
fn start_log(command: &Command) -> Option<Telemetry> {
    let project = match command {
        Command::Exec(exec) => &exec.project,
        Command::Tool(ToolCommand::List(list)) => &list.project,
        Command::Tool(ToolCommand::Call(call)) => &call.project,
        Command::Permissions(_) => return None,
    };
    Some(telemetry::start(&project.directories(), "error"))
}
