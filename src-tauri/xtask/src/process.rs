//! Running other programs.

use crate::outcome::Outcome;
use std::io::{self, Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// How much of a program's output is kept for counting. The end matters.
const KEPT_BYTES: usize = 256 * 1024;

/// Cargo itself, the one that runs us.
pub(crate) fn cargo() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(crate::root());
    command
}

/// npm, in the UI's folder.
pub(crate) fn npm() -> Command {
    let mut command = Command::new("npm");
    command.current_dir(crate::root().join("ui"));
    command
}

/// The command line as one would type it.
pub(crate) fn shown(command: &Command) -> String {
    let program = command.get_program().to_string_lossy();
    let program = program.rsplit('/').next().unwrap_or_default().to_owned();
    let arguments = command
        .get_args()
        .map(|argument| argument.to_string_lossy().into_owned());
    std::iter::once(program)
        .chain(arguments)
        .collect::<Vec<_>>()
        .join(" ")
}

/// Runs a program with our own terminal.
pub(crate) fn run(command: &mut Command) -> Outcome {
    println!("$ {}", shown(command));
    let status = command
        .status()
        .map_err(|error| format!("`{}` could not be started: {error}", shown(command)))?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("`{}` failed ({status})", shown(command)).into())
    }
}

/// What a program prints, or nothing where it is not there or fails.
pub(crate) fn output(command: &mut Command) -> Option<String> {
    let output = command
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()?;
    output
        .status
        .success()
        .then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Whether a program is on the path.
pub(crate) fn exists(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|directory| directory.join(program).is_file())
}

/// How a program that was watched ended.
pub(crate) struct Watched {
    /// Whether it ended well.
    pub(crate) success: bool,
    /// The end of what it printed to both streams.
    pub(crate) output: String,
}

/// Runs a program, shows what it prints and keeps it; kills it and what it
/// started when it takes longer than `limit`.
pub(crate) fn watch(command: &mut Command, limit: Duration) -> Outcome<Watched> {
    println!("$ {}", shown(command));
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| format!("`{}` could not be started: {error}", shown(command)))?;
    let kept = Arc::new(Mutex::new(Vec::new()));
    let copies = [
        child
            .stdout
            .take()
            .map(|stream| copy(stream, io::stdout(), Arc::clone(&kept))),
        child
            .stderr
            .take()
            .map(|stream| copy(stream, io::stderr(), Arc::clone(&kept))),
    ];
    let success = wait(&mut child, limit)?;
    // Something that outlives the program may hold its output open; what the
    // program itself printed is here soon.
    let deadline = Instant::now() + Duration::from_secs(5);
    for copy in copies.into_iter().flatten() {
        while !copy.is_finished() && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(20));
        }
    }
    let kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
    Ok(Watched {
        success,
        output: String::from_utf8_lossy(&kept).into_owned(),
    })
}

fn copy(
    mut from: impl Read + Send + 'static,
    mut to: impl Write + Send + 'static,
    kept: Arc<Mutex<Vec<u8>>>,
) -> thread::JoinHandle<()> {
    thread::spawn(move || {
        let mut buffer = [0; 8192];
        while let Ok(count) = from.read(&mut buffer) {
            let Some(bytes) = buffer.get(..count).filter(|bytes| !bytes.is_empty()) else {
                return;
            };
            // A closed terminal is no reason to stop counting.
            let _ = to.write_all(bytes).and_then(|()| to.flush());
            let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
            kept.extend_from_slice(bytes);
            if kept.len() > 2 * KEPT_BYTES {
                let surplus = kept.len() - KEPT_BYTES;
                kept.drain(..surplus);
            }
        }
    })
}

fn wait(child: &mut Child, limit: Duration) -> Outcome<bool> {
    let deadline = Instant::now() + limit;
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Ok(status.success()),
            Ok(None) if Instant::now() < deadline => thread::sleep(Duration::from_millis(50)),
            Ok(None) => {
                eprintln!(
                    "xtask: took longer than {} minutes, killed",
                    limit.as_secs() / 60
                );
                kill_tree(child);
                return Ok(false);
            }
            Err(error) => return Err(format!("a program could not be waited for: {error}").into()),
        }
    }
}

/// Kills a child and all its descendants, found by their parents, so that a
/// hung browser or display does not stay behind.
fn kill_tree(child: &mut Child) {
    let descendants = descendants(child.id());
    let _ = child.kill();
    let _ = child.wait();
    for process in descendants {
        let _ = Command::new("kill")
            .args(["-KILL", &process.to_string()])
            .status();
    }
}

fn descendants(ancestor: u32) -> Vec<u32> {
    let mut pairs = Vec::new();
    for entry in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Some(process) = entry
            .file_name()
            .to_str()
            .and_then(|name| name.parse::<u32>().ok())
        else {
            continue;
        };
        let stat = std::fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
        // The name, in parentheses, may hold anything; state and parent follow it.
        let after_name = stat
            .rsplit_once(')')
            .map(|(_, rest)| rest)
            .unwrap_or_default();
        let parent = after_name
            .split_whitespace()
            .nth(1)
            .and_then(|word| word.parse::<u32>().ok());
        if let Some(parent) = parent {
            pairs.push((parent, process));
        }
    }
    let mut found: Vec<u32> = vec![ancestor];
    let mut next = 0;
    while let Some(&parent) = found.get(next) {
        found.extend(
            pairs
                .iter()
                .filter(|(of, _)| *of == parent)
                .map(|(_, process)| *process),
        );
        next += 1;
    }
    found.split_off(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_of_both_streams_is_kept_and_the_end_is_told() {
        let mut command = Command::new("sh");
        command.args(["-c", "echo one; echo two >&2; exit 3"]);
        let watched = watch(&mut command, Duration::from_secs(60)).unwrap();
        assert!(!watched.success);
        assert!(watched.output.contains("one\n") && watched.output.contains("two\n"));
    }

    #[test]
    fn what_takes_too_long_is_killed_with_its_children() {
        let mut command = Command::new("sh");
        command.args(["-c", "sleep 300 & wait"]);
        let begun = Instant::now();
        let watched = watch(&mut command, Duration::from_millis(300)).unwrap();
        assert!(!watched.success);
        // Its `sleep` held the output open: had it lived, the copies would not have ended.
        assert!(begun.elapsed() < Duration::from_secs(200));
    }

    #[test]
    fn a_program_that_is_not_there_is_named() {
        let error = run(&mut Command::new("/nowhere/no-such-program")).unwrap_err();
        assert!(
            error
                .to_string()
                .starts_with("`no-such-program` could not be started")
        );
        assert!(!exists("no-such-program"));
    }
}
