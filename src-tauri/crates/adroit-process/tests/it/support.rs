//! Starting shell commands, and looking at `/proc` for what is left of them.

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use adroit_process::{CommandSpec, Environment, Exit, Running, Supervisor};

/// Generous: a test that reaches it has failed.
pub(crate) const DEADLINE: Duration = Duration::from_secs(180);

pub(crate) fn environment() -> Vec<(OsString, OsString)> {
    Environment::new(std::env::vars_os(), None).for_commands()
}

/// `sh -c command` in the root folder.
pub(crate) fn sh(command: &str) -> CommandSpec {
    let mut spec = CommandSpec::new("/bin/sh", "/", environment());
    spec.args = vec!["-c".into(), command.into()];
    spec
}

pub(crate) fn spawn(supervisor: &Supervisor, spec: CommandSpec) -> Running {
    supervisor.spawn(spec).expect("a running command")
}

pub(crate) async fn ended(running: &Running) -> Exit {
    tokio::time::timeout(DEADLINE, running.wait())
        .await
        .expect("the command ends")
}

pub(crate) async fn run(spec: CommandSpec) -> Exit {
    let supervisor = Supervisor::default();
    let running = spawn(&supervisor, spec);
    ended(&running).await
}

pub(crate) fn text(exit: &Exit) -> String {
    exit.output.text(usize::MAX)
}

/// Polls until `condition` gives something.
pub(crate) async fn until<T>(what: &str, mut condition: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + DEADLINE;
    loop {
        if let Some(value) = condition() {
            return value;
        }
        assert!(Instant::now() < deadline, "never happened: {what}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// The process whose number a command wrote into a file.
pub(crate) async fn pid_in(file: &Path) -> i32 {
    until("a process number in a file", || {
        fs::read_to_string(file).ok()?.trim().parse().ok()
    })
    .await
}

/// Whether a process runs (a zombie does not).
pub(crate) fn runs(pid: i32) -> bool {
    state(pid).is_some_and(|state| state != 'Z' && state != 'X')
}

pub(crate) fn state(pid: i32) -> Option<char> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat.rsplit_once(") ")?.1.chars().next()
}

pub(crate) async fn until_gone(pid: i32) {
    until("the end of a process", || (!runs(pid)).then_some(())).await;
}
