//! Commands on pipes: what they read, say, and leave behind.

use std::time::Duration;

use adroit_process::{ExitReason, ExitStatus, PipedEnd, Supervisor};

use crate::support::{DEADLINE, pid_in, sh, until_gone};

const KEEP: usize = 64 * 1024;

async fn run(command: &str, input: &[u8]) -> PipedEnd {
    let supervisor = Supervisor::default();
    let piped = supervisor
        .spawn_piped(sh(command), input.to_vec(), KEEP)
        .expect("a running command");
    tokio::time::timeout(DEADLINE, piped.end())
        .await
        .expect("the command ends")
}

#[tokio::test]
async fn output_and_errors_are_kept_apart() {
    let end = run("cat; echo oops >&2; exit 2", b"in").await;
    assert_eq!(end.exit.status, ExitStatus::Code(2));
    assert_eq!(
        (end.output.text(), end.errors.text()),
        ("in".into(), "oops\n".into())
    );
}

#[tokio::test]
async fn a_large_input_that_nobody_reads_holds_nobody_up() {
    let input = vec![b'x'; 2 << 20];
    for command in [
        "exit 0",
        "exec <&-; exit 0",
        "cat >/dev/null",
        "head -c 1 >/dev/null",
    ] {
        let end = run(command, &input).await;
        assert_eq!(end.exit.status, ExitStatus::Code(0), "{command}");
    }
}

#[tokio::test]
async fn much_output_before_the_input_is_read_is_no_deadlock() {
    let input = vec![b'x'; 2 << 20];
    let end = run("head -c 1048576 /dev/zero; wc -c", &input).await;
    assert_eq!(end.exit.status, ExitStatus::Code(0));
    assert!(end.output.total > 1 << 20 && end.output.is_cut());
    assert_eq!(end.output.bytes.len(), KEEP);
}

#[tokio::test]
async fn a_timeout_ends_the_whole_tree() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("pid");
    let mut spec = sh(&format!(
        "setsid sh -c 'echo $$ >{}; exec sleep 600' & wait",
        file.display()
    ));
    spec.timeout = Some(Duration::from_millis(300));
    let supervisor = Supervisor::default();
    let piped = supervisor
        .spawn_piped(spec, Vec::new(), KEEP)
        .expect("a running command");
    let pid = pid_in(&file).await;
    let end = tokio::time::timeout(DEADLINE, piped.end())
        .await
        .expect("it ends");
    assert_eq!(end.exit.reason, ExitReason::TimedOut);
    until_gone(pid).await;
}

#[tokio::test]
async fn what_outlives_it_is_killed_and_does_not_hold_its_output() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("pid");
    let command = format!(
        "env -i F={0} sh -c 'echo $$ >$F; exec sleep 600' & while ! [ -s {0} ]; do sleep 0.01; done; echo done",
        file.display()
    );
    let end = run(&command, b"").await;
    assert_eq!(end.output.text(), "done\n");
    until_gone(pid_in(&file).await).await;
}

#[tokio::test]
async fn dropping_it_kills_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("pid");
    let supervisor = Supervisor::default();
    let command = format!("echo $$ >{}; exec sleep 600", file.display());
    let piped = supervisor
        .spawn_piped(sh(&command), Vec::new(), KEEP)
        .expect("a running command");
    let pid = pid_in(&file).await;
    drop(piped);
    until_gone(pid).await;
}
