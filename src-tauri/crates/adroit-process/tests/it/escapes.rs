//! Descendants that try to get away.

use std::process::{Command, Stdio};
use std::time::Duration;

use adroit_process::{ExitReason, ExitStatus, KillReason, SpawnError, Supervisor, SurvivorPolicy};

use crate::support::{
    DEADLINE, ended, environment, pid_in, run, runs, sh, spawn, until, until_gone,
};

/// Ways to outlive a command. Each writes the number of the survivor to the
/// file `$F`. `exec` so that this is the number of the sleeper itself.
const ESCAPES: &[(&str, &str)] = &[
    ("background", "sh -c 'echo $$ >$F; exec sleep 600' &"),
    (
        "nohup",
        "nohup sh -c 'echo $$ >$F; exec sleep 600' >/dev/null 2>&1 </dev/null &",
    ),
    ("setsid", "setsid sh -c 'echo $$ >$F; exec sleep 600' &"),
    (
        "double fork",
        "(setsid sh -c '(sh -c \"echo \\$\\$ >$F; exec sleep 600\" &) ' &)",
    ),
    (
        "daemon without terminal",
        "(setsid sh -c 'cd /; (setsid sh -c \"echo \\$\\$ >$F; exec sleep 600\" &) ' >/dev/null 2>&1 </dev/null &)",
    ),
    (
        "emptied environment, on the terminal",
        "(env -i F=$F setsid sh -c 'echo $$ >$F; exec sleep 600' &)",
    ),
    (
        "ignores the polite signals",
        "setsid sh -c 'trap \"\" TERM HUP INT; echo $$ >$F; while :; do sleep 1; done' &",
    ),
    (
        "stopped",
        "setsid sh -c 'echo $$ >$F; kill -STOP $$; exec sleep 600' &",
    ),
];

/// The escape, and then a leader that stays or ends once the number is there.
fn command(escape: &str, file: &std::path::Path, then: &str) -> String {
    format!(
        "F={}; export F; {escape}\n while ! [ -s $F ]; do sleep 0.01; done; {then}",
        file.display()
    )
}

#[tokio::test]
async fn a_call_ends_when_its_process_ends_though_the_terminal_is_held() {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, escape) in ESCAPES {
        let supervisor = Supervisor::default();
        let file = folder.path().join("pid");
        let running = spawn(&supervisor, sh(&command(escape, &file, "exit 3")));
        let exit = ended(&running).await;
        assert_eq!(exit.status, ExitStatus::Code(3), "{name}");
        assert_eq!(exit.reason, ExitReason::Exited, "{name}");
        let pid = pid_in(&file).await;
        // Without job control the kernel hangs up the leader's own group.
        if *name != "background" {
            assert!(
                exit.survivors
                    .iter()
                    .any(|survivor| survivor.pid == pid && !survivor.killed),
                "{name}: {:?}",
                exit.survivors
            );
            assert!(runs(pid), "{name}");
        }
        tokio::time::timeout(DEADLINE, supervisor.shutdown())
            .await
            .expect("shutdown ends");
        assert!(!runs(pid), "{name}");
        std::fs::remove_file(&file).expect("the file");
    }
}

#[tokio::test]
async fn a_kill_reaches_every_descendant() {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, escape) in ESCAPES {
        let supervisor = Supervisor::default();
        let file = folder.path().join("pid");
        let running = spawn(&supervisor, sh(&command(escape, &file, "sleep 600; :")));
        let pid = pid_in(&file).await;
        running.kill(KillReason::Person);
        let exit = ended(&running).await;
        assert_eq!(
            exit.reason,
            ExitReason::Killed(KillReason::Person),
            "{name}"
        );
        assert!(matches!(exit.status, ExitStatus::Signal(_)), "{name}");
        assert!(!runs(pid), "{name}");
        assert!(!runs(running.pid()), "{name}");
        std::fs::remove_file(&file).expect("the file");
    }
}

/// Clears its environment, leaves session and terminal, and changes its parent and number.
const DAEMON: &str = r#"setsid env -i F="$F" sh -c '(setsid sh -c "echo \$\$ >$F; exec sleep 600" &)' </dev/null >/dev/null 2>&1 &"#;

#[tokio::test]
async fn a_daemon_that_leaves_no_trace_is_found_by_its_control_group() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("pid");
    for ended_by in ["kill", "end", "shutdown"] {
        let supervisor = Supervisor::default();
        let then = if ended_by == "end" {
            "exit 0"
        } else {
            "sleep 600; :"
        };
        // The group takes the command in a moment after its start.
        let waiting = format!("until grep -q adroit- /proc/self/cgroup; do :; done; {DAEMON}");
        let mut spec = sh(&command(&waiting, &file, then));
        spec.survivors = SurvivorPolicy::Kill;
        let running = spawn(&supervisor, spec);
        let grouped = tokio::time::timeout(
            Duration::from_secs(20),
            until("the group", || {
                let text = std::fs::read_to_string(format!("/proc/{}/cgroup", running.pid()));
                text.ok()?.contains("adroit-").then_some(())
            }),
        );
        if grouped.await.is_err() {
            eprintln!("not tested, no control group can be made here");
            supervisor.shutdown().await;
            return;
        }
        let pid = pid_in(&file).await;
        match ended_by {
            "kill" => running.kill(KillReason::Person),
            "shutdown" => supervisor.shutdown().await,
            _ => {}
        }
        ended(&running).await;
        assert!(!runs(pid), "{ended_by}");
        tokio::time::timeout(DEADLINE, running.gone())
            .await
            .expect("nothing is left");
        std::fs::remove_file(&file).expect("the file");
    }
}

#[tokio::test]
async fn a_tree_that_takes_too_much_memory_is_ended() {
    let supervisor = Supervisor::default();
    // `tail` holds a line whole.
    let mut spec = sh("head -c 400000000 /dev/zero | tail -n 1 | sleep 600");
    spec.memory = Some(100 << 20);
    let exit = ended(&spawn(&supervisor, spec)).await;
    assert_eq!(exit.reason, ExitReason::OutOfMemory);
    let mut spec = sh("echo little");
    spec.memory = Some(100 << 20);
    assert_eq!(run(spec).await.reason, ExitReason::Exited);
}

#[tokio::test]
async fn a_timeout_ends_the_whole_tree() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("pid");
    let mut spec = sh(&command(ESCAPES[2].1, &file, "sleep 600; :"));
    spec.timeout = Some(Duration::from_secs(1));
    let exit = run(spec).await;
    assert_eq!(exit.reason, ExitReason::TimedOut);
    assert!(!runs(pid_in(&file).await));
}

#[tokio::test]
async fn survivors_are_killed_where_that_is_the_policy() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("pid");
    let supervisor = Supervisor::default();
    let mut spec = sh(&command(ESCAPES[3].1, &file, "exit 0"));
    spec.survivors = SurvivorPolicy::Kill;
    let running = spawn(&supervisor, spec);
    let exit = ended(&running).await;
    let pid = pid_in(&file).await;
    assert!(!runs(pid));
    assert!(
        exit.survivors
            .iter()
            .any(|survivor| survivor.pid == pid && survivor.killed)
    );
    assert!(supervisor.living().is_empty());
}

#[tokio::test]
async fn an_endless_writer_on_the_terminal_does_not_delay_the_end() {
    let supervisor = Supervisor::default();
    let running = spawn(
        &supervisor,
        sh("setsid sh -c 'while :; do echo x; done' & sleep 0.2; echo done"),
    );
    let exit = ended(&running).await;
    assert_eq!(exit.reason, ExitReason::Exited);
    assert_eq!(exit.survivors.len(), 1);
    supervisor.shutdown().await;
    assert!(!runs(exit.survivors[0].pid));
}

#[tokio::test]
async fn a_kept_survivor_is_gone_from_the_list_when_it_ends_by_itself() {
    let folder = tempfile::tempdir().expect("a folder");
    let fifo = folder.path().join("gate");
    let file = folder.path().join("pid");
    let supervisor = Supervisor::default();
    let escape = format!(
        "mkfifo {gate}; setsid sh -c 'echo $$ >$F; read line <{gate}' &",
        gate = fifo.display()
    );
    let running = spawn(&supervisor, sh(&command(&escape, &file, ":")));
    let exit = ended(&running).await;
    assert_eq!(exit.survivors.len(), 1);
    assert_eq!(supervisor.living().len(), 1);
    assert_eq!(
        supervisor.get(running.id()).map(|found| found.pid()),
        Some(running.pid())
    );
    std::fs::write(&fifo, "go\n").expect("an open gate");
    tokio::time::timeout(DEADLINE, running.gone())
        .await
        .expect("gone");
    assert!(supervisor.living().is_empty());
}

#[tokio::test]
async fn dropping_the_supervisor_kills_everything() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("pid");
    let supervisor = Supervisor::default();
    let running = spawn(
        &supervisor,
        sh(&command(ESCAPES[4].1, &file, "sleep 600; :")),
    );
    let pid = pid_in(&file).await;
    drop(supervisor);
    assert!(!runs(pid));
    assert!(!runs(running.pid()));
}

#[tokio::test]
async fn a_dropped_guard_kills_and_nothing_starts_after_shutdown() {
    let supervisor = Supervisor::default();
    let running = spawn(&supervisor, sh("sleep 600"));
    drop(running.kill_on_drop());
    let exit = ended(&running).await;
    assert_eq!(exit.reason, ExitReason::Killed(KillReason::Cancelled));
    supervisor.shutdown().await;
    let error = supervisor.spawn(sh("true")).expect_err("no start");
    assert!(matches!(error, SpawnError::ShuttingDown { .. }));
}

/// Another instance of this program, simulated by what it would have left: a
/// tagged process and a note whose owner is gone.
#[tokio::test]
async fn what_a_crash_left_is_ended_at_the_next_start() {
    let state = tempfile::tempdir().expect("a folder");
    let tag = "0123456789abcdef0123456789abcdef";
    let mut orphan = Command::new("setsid")
        .args(["sleep", "600"])
        .env("ADROIT_TREE", tag)
        .stdin(Stdio::null())
        .spawn()
        .expect("a process");
    let pid = orphan.id() as i32;
    until("the program's start", || {
        let name = std::fs::read_to_string(format!("/proc/{pid}/comm")).ok()?;
        (name.trim() == "sleep").then_some(())
    })
    .await;
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").expect("a boot id");
    std::fs::write(
        state.path().join(tag),
        format!("boot {}\nowner 1 1\nleader 1 1\n", boot.trim()),
    )
    .expect("a note");
    let supervisor = Supervisor::new(Some(state.path().to_owned()));
    let ended = tokio::task::spawn_blocking(move || supervisor.clean_leftovers())
        .await
        .expect("the clean-up");
    assert_eq!(ended, 1);
    until_gone(pid).await;
    orphan.wait().expect("its end");
    assert_eq!(std::fs::read_dir(state.path()).expect("files").count(), 0);
}

#[tokio::test]
async fn notes_of_living_trees_are_removed_when_they_end() {
    let state = tempfile::tempdir().expect("a folder");
    let supervisor = Supervisor::new(Some(state.path().to_owned()));
    let running = spawn(&supervisor, sh("sleep 600"));
    let notes = || std::fs::read_dir(state.path()).expect("files").count();
    assert_eq!(notes(), 1);
    assert_eq!(supervisor.clean_leftovers(), 0);
    assert!(runs(running.pid()));
    supervisor.shutdown().await;
    assert_eq!(notes(), 0);
}

#[tokio::test]
async fn what_cannot_start_says_why() {
    let supervisor = Supervisor::default();
    let mut spec = sh("true");
    spec.cwd = "/does/not/exist".into();
    let error = supervisor.spawn(spec).expect_err("no folder").to_string();
    assert!(error.contains("/does/not/exist"), "{error}");

    let spec = adroit_process::CommandSpec::new("/bin/no-such-program", "/", environment());
    let error = supervisor.spawn(spec).expect_err("no program").to_string();
    assert!(error.contains("/bin/no-such-program"), "{error}");

    let error = supervisor
        .spawn(sh(&"a".repeat(200_000)))
        .expect_err("too long")
        .to_string();
    assert!(error.contains("131071"), "{error}");
    assert!(supervisor.living().is_empty());
}

#[tokio::test]
async fn one_process_is_ended_and_the_others_go_on() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("pid");
    let supervisor = Supervisor::default();
    let running = spawn(
        &supervisor,
        sh(&command(ESCAPES[6].1, &file, "sleep 600; :")),
    );
    let pid = pid_in(&file).await;
    let leader = running.clone();
    let (ended, stranger) =
        tokio::task::spawn_blocking(move || (leader.end_member(pid), leader.end_member(1)))
            .await
            .expect("two answers");
    assert!(ended && !stranger);
    until_gone(pid).await;
    assert!(runs(running.pid()));
    supervisor.shutdown().await;
}
