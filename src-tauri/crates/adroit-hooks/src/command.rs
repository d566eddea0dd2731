//! Runs a hook that is a command.

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use adroit_process::{CommandSpec, ExitReason, ExitStatus, LoginEnvironment, Supervisor};
use adroit_protocol::hook::{HookEvent, HookOutcome};

use crate::answer::{self, Ended, Said};
use crate::run::Ran;

/// Bytes kept of each output of a hook.
const KEEP: usize = 1 << 20;
/// The shell that command lines are written for.
const SHELL: &str = "/bin/sh";

/// Where commands run.
pub(crate) struct Surroundings<'a> {
    pub(crate) supervisor: &'a Supervisor,
    pub(crate) environment: &'a LoginEnvironment,
    /// The project's folder: also where a hook runs whose folder is gone.
    pub(crate) project: &'a Path,
    pub(crate) cwd: &'a Path,
}

/// Runs it to its end. Dropping the future kills everything that it started.
pub(crate) async fn run(
    event: HookEvent,
    command: &str,
    arguments: Option<&[String]>,
    timeout: Duration,
    surroundings: &Surroundings<'_>,
    input: Vec<u8>,
) -> Ran {
    let spec = spec(event, command, arguments, timeout, surroundings).await;
    let piped = match surroundings.supervisor.spawn_piped(spec, input, KEEP) {
        Ok(piped) => piped,
        Err(error) => {
            return Ran::without_output(Said::plainly(
                HookOutcome::NotStarted,
                Some(error.to_string()),
            ));
        }
    };
    let end = piped.end().await;
    let (output, errors) = (end.output.text(), end.errors.text());
    let ended = match end.exit.status {
        ExitStatus::Code(code) => Ended::Code(code),
        ExitStatus::Signal(signal) => Ended::Signal(signal),
    };
    let said = match end.exit.reason {
        ExitReason::TimedOut => Said::plainly(
            HookOutcome::TimedOut,
            Some(format!(
                "it took longer than {} s and was ended",
                timeout.as_secs_f64()
            )),
        ),
        ExitReason::Killed(_) | ExitReason::OutOfMemory => {
            Said::plainly(HookOutcome::Cancelled, None)
        }
        // Half an answer is none.
        ExitReason::Exited if end.output.is_cut() => {
            Said::failed(format!("it printed more than {KEEP} bytes"))
        }
        ExitReason::Exited => answer::of_command(event, ended, &output, &errors),
    };
    Ran {
        said,
        code: match ended {
            Ended::Code(code) => Some(code),
            Ended::Signal(_) => None,
        },
        output,
        errors,
    }
}

async fn spec(
    event: HookEvent,
    command: &str,
    arguments: Option<&[String]>,
    timeout: Duration,
    surroundings: &Surroundings<'_>,
) -> CommandSpec {
    let project = surroundings.project.as_os_str().to_owned();
    let mut environment = surroundings.environment.get().await.for_commands();
    environment.extend([
        (OsString::from("CLAUDE_PROJECT_DIR"), project.clone()),
        (OsString::from("ADROIT_PROJECT_DIR"), project),
        (OsString::from("ADROIT_HOOK_EVENT"), event.name().into()),
    ]);
    let cwd = if surroundings.cwd.is_dir() {
        surroundings.cwd
    } else {
        surroundings.project
    };
    let (program, arguments): (&str, Vec<OsString>) = match arguments {
        Some(arguments) => (command, arguments.iter().map(OsString::from).collect()),
        None => (SHELL, vec!["-c".into(), command.into()]),
    };
    let mut spec = CommandSpec::new(program, cwd, environment);
    spec.args = arguments;
    spec.timeout = Some(timeout);
    spec
}
