//! What a run leaves behind, however it ended.

use std::process::{Command, Stdio};

use adroit_testkit::TempProject;
use serde_json::json;

use crate::{adroit, bash, run};

/// The ways out of a tree that a look at the parent alone would not find.
const ESCAPES: &[&str] = &[
    "sleep SECONDS",
    "setsid sleep SECONDS",
    "nohup sleep SECONDS >/dev/null 2>&1 </dev/null & wait",
    "(setsid sh -c '(setsid sleep SECONDS &)' >/dev/null 2>&1 </dev/null &); sleep 600",
];

#[test]
fn nothing_outlives_a_run_that_is_killed() {
    for escape in ESCAPES {
        let project = TempProject::empty();
        let seconds = unusual_number();
        let command = escape.replace("SECONDS", &seconds);
        let input = json!({ "command": command, "timeout": 600_000 }).to_string();
        let words = bash(&input);
        let mut child = adroit(&project, &words)
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        until(|| sleeps(&seconds));
        // The watchdog is there a moment after the first command.
        until(|| has_watchdog(child.id()));
        child.kill().unwrap();
        child.wait().unwrap();
        until(|| !sleeps(&seconds));
    }
}

#[test]
fn a_daemon_that_leaves_no_trace_ends_with_a_killed_run() {
    let project = TempProject::empty();
    let seconds = unusual_number();
    let command = format!(
        "for i in $(seq 200); do grep -q adroit- /proc/self/cgroup && touch grouped && break; \
         sleep 0.02; done; touch looked; setsid env -i sh -c '(setsid sleep {seconds} &)' \
         </dev/null >/dev/null 2>&1; sleep 600"
    );
    let input = json!({ "command": command, "timeout": 600_000 }).to_string();
    let words = bash(&input);
    let mut child = adroit(&project, &words)
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    until(|| project.exists("looked"));
    until(|| sleeps(&seconds));
    until(|| has_watchdog(child.id()));
    child.kill().unwrap();
    child.wait().unwrap();
    if project.exists("grouped") {
        until(|| !sleeps(&seconds));
    } else {
        eprintln!("not tested, no control group can be made here");
        for (pid, _) in command_lines()
            .iter()
            .filter(|(_, line)| *line == format!("sleep\0{seconds}\0").into_bytes())
        {
            run({
                let mut kill = Command::new("kill");
                kill.arg(pid.to_string());
                kill
            });
        }
    }
}

#[test]
fn a_run_that_ends_by_itself_leaves_neither_its_tasks_nor_its_watchdog() {
    let project = TempProject::empty();
    let seconds = unusual_number();
    let input = json!({ "command": format!("setsid sleep {seconds}"), "run_in_background": true });
    let output = run(adroit(&project, &bash(&input.to_string())));
    assert!(output.status.success(), "{output:?}");
    assert!(!sleeps(&seconds));
}

/// A number of seconds that no other program sleeps.
fn unusual_number() -> String {
    let now = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap();
    (1_000_000_000 + now.subsec_nanos()).to_string()
}

fn until(condition: impl Fn() -> bool) {
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(60);
    while !condition() {
        assert!(std::time::Instant::now() < deadline, "it never happened");
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
}

fn command_lines() -> Vec<(u32, Vec<u8>)> {
    std::fs::read_dir("/proc")
        .unwrap()
        .filter_map(|entry| {
            let pid = entry.ok()?.file_name().to_str()?.parse().ok()?;
            let line = std::fs::read(format!("/proc/{pid}/cmdline")).ok()?;
            Some((pid, line))
        })
        .collect()
}

fn sleeps(seconds: &str) -> bool {
    let wanted = format!("sleep\0{seconds}\0");
    command_lines()
        .iter()
        .any(|(_, line)| line == wanted.as_bytes())
}

fn has_watchdog(parent: u32) -> bool {
    command_lines().iter().any(|(pid, line)| {
        line.split(|&byte| byte == 0)
            .any(|word| word == b"--adroit-watchdog")
            && std::fs::read_to_string(format!("/proc/{pid}/stat"))
                .is_ok_and(|stat| stat.split(' ').nth(3) == Some(&parent.to_string()))
    })
}
