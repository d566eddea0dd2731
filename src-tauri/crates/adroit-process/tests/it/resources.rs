//! Nothing is left after many calls.

use std::fs;

use adroit_process::Supervisor;

use crate::support::{ended, sh, spawn, until};

fn descriptors() -> usize {
    fs::read_dir("/proc/self/fd").expect("descriptors").count()
}

fn threads() -> usize {
    fs::read_dir("/proc/self/task").expect("threads").count()
}

fn zombies() -> Vec<String> {
    fs::read_dir("/proc/self/task")
        .expect("threads")
        .flatten()
        .filter_map(|task| fs::read_to_string(task.path().join("children")).ok())
        .flat_map(|children| {
            children
                .split_ascii_whitespace()
                .map(str::to_owned)
                .collect::<Vec<_>>()
        })
        .filter(|pid| {
            fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| stat.contains(") Z "))
        })
        .collect()
}

/// Other tests of this program open descriptors too, so the counting runs in a
/// process of its own.
#[test]
fn two_hundred_calls_leave_no_descriptor_thread_or_zombie() {
    let program = std::env::current_exe().expect("this program");
    let status = std::process::Command::new(program)
        .args(["resources::counted", "--exact", "--ignored"])
        .status()
        .expect("the counting run");
    assert!(status.success());
}

#[tokio::test]
#[ignore = "run by two_hundred_calls_leave_no_descriptor_thread_or_zombie, alone"]
async fn counted() {
    let supervisor = Supervisor::default();
    let call = "head -c 20000 /dev/zero | tr '\\0' x; (true &); sleep 0 & echo end";
    for _ in 0..10 {
        ended(&spawn(&supervisor, sh(call))).await;
    }
    until("the first calls' end", || {
        supervisor.living().is_empty().then_some(())
    })
    .await;
    let (descriptors_before, threads_before) = (descriptors(), threads());
    for _ in 0..200 {
        let exit = ended(&spawn(&supervisor, sh(call))).await;
        assert!(exit.output.text(usize::MAX).ends_with("end\n"));
    }
    until("as many descriptors and threads as before", || {
        (descriptors() <= descriptors_before && threads() <= threads_before).then_some(())
    })
    .await;
    until("no zombies", || zombies().is_empty().then_some(())).await;
    assert!(supervisor.living().is_empty());
}
