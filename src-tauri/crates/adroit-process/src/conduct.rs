//! The life of one command, from its start to the end of its last process.

use std::io::Read;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use rustix::process::{Pid, WaitId, WaitIdOptions, WaitIdStatus, waitid};
use tokio::sync::watch;

use crate::exit::{Exit, ExitReason, ExitStatus, KillReason, Survivor};
use crate::feed::Feed;
use crate::procfs::ProcessRecord;
use crate::running::{GRACE, Shared, Stage, lock};
use crate::spec::SurvivorPolicy;
use crate::supervisor::{Changes, Registry};
use crate::usage;

/// Longest time that output is waited for while survivors hold the terminal.
const DRAIN: Duration = Duration::from_millis(100);
/// Time between two looks at the memory of a tree that has a limit.
const MEMORY_LOOK: Duration = Duration::from_millis(200);
/// Silence that ends this wait earlier.
const QUIET: Duration = Duration::from_millis(50);
/// Longest time that the terminal's end is waited for once nobody is left. It
/// is certain to come and takes microseconds, but on a busy machine the thread
/// that reads may not run for a long while, and no output may be lost by that.
const LAST_OUTPUT: Duration = Duration::from_secs(2);
/// Time a killed process gets to be gone; one in uninterruptible sleep stays.
const UNKILLABLE: Duration = Duration::from_secs(5);

/// Closes the feed however the reading thread ends.
struct CloseFeed(Arc<Feed>);

impl Drop for CloseFeed {
    fn drop(&mut self) {
        self.0.close();
    }
}

/// Reads the terminal until nobody holds it any more. Blocks: has a thread of
/// its own, because a terminal cannot be polled portably.
pub(crate) fn read_terminal(shared: &Shared, mut reader: Box<dyn Read + Send>) {
    let _close = CloseFeed(Arc::clone(&shared.feed));
    let mut buffer = vec![0; 64 * 1024];
    loop {
        match reader.read(&mut buffer) {
            Ok(0) => return,
            Ok(length) => {
                let bytes = &buffer[..length];
                lock(&shared.recorder).feed(bytes);
                shared.feed.push(bytes);
            }
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(_) => return,
        }
    }
}

/// What a command may use.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    pub(crate) timeout: Option<Duration>,
    pub(crate) memory: Option<u64>,
}

/// Waits for the end, enforces the timeout, ends the tree when asked.
pub(crate) async fn conduct(
    shared: Arc<Shared>,
    registry: Arc<Registry>,
    limits: Limits,
    policy: SurvivorPolicy,
) {
    let mut kill = shared.kill.subscribe();
    let leader = leader_exit(shared.tree.leader, registry.child_changes());
    tokio::pin!(leader);
    let (status, reason) = tokio::select! {
        status = &mut leader => (status, ExitReason::Exited),
        () = out_of_memory(limits.memory, &shared) => {
            (end(&shared, &mut leader).await, ExitReason::OutOfMemory)
        }
        () = out_of_time(limits.timeout, shared.unlimited.subscribe()) => {
            (end(&shared, &mut leader).await, ExitReason::TimedOut)
        }
        reason = killed(&mut kill) => {
            (end(&shared, &mut leader).await, ExitReason::Killed(reason))
        }
    };
    shared.leader_reaped.store(true, Ordering::Release);
    let (survivors, alive) = survivors(&shared, policy, reason).await;
    let output = lock(&shared.recorder).finish();
    let exit = Arc::new(Exit {
        status,
        reason,
        output,
        survivors,
        elapsed: shared.started.elapsed(),
    });
    if alive {
        shared.stage.send_replace(Stage::Exited(Arc::clone(&exit)));
        attend_survivors(&shared, &registry, &mut kill).await;
    }
    shared.tree.reap_dead();
    registry.remove(shared.tree.id);
    shared.release();
    shared.stage.send_replace(Stage::Gone(exit));
}

/// Waits until the time is over; for ever once the limit is lifted.
async fn out_of_time(timeout: Option<Duration>, mut unlimited: watch::Receiver<bool>) {
    if let Some(timeout) = timeout {
        tokio::select! {
            () = tokio::time::sleep(timeout) => return,
            // An error means that nobody can lift it: the sender went with the command.
            _ = unlimited.wait_for(|unlimited| *unlimited) => {}
        }
    }
    std::future::pending().await
}

/// Waits until the tree holds too much memory; for ever where it may.
async fn out_of_memory(limit: Option<u64>, shared: &Arc<Shared>) {
    let Some(limit) = limit else {
        return std::future::pending().await;
    };
    loop {
        tokio::time::sleep(MEMORY_LOOK).await;
        let looked_at = Arc::clone(shared);
        let held =
            tokio::task::spawn_blocking(move || usage::own_memory(&looked_at.tree.members()));
        if held.await.is_ok_and(|held| held > limit) {
            return;
        }
    }
}

async fn killed(kill: &mut watch::Receiver<Option<KillReason>>) -> KillReason {
    match kill.wait_for(Option::is_some).await.map(|reason| *reason) {
        Ok(Some(reason)) => reason,
        // The sender lives as long as the handle that this task holds.
        _ => std::future::pending().await,
    }
}

/// Kills the tree and waits for the direct process.
async fn end(shared: &Arc<Shared>, leader: impl Future<Output = ExitStatus>) -> ExitStatus {
    let killing = kill_tree(shared, GRACE);
    let ended = async {
        let status = tokio::time::timeout(GRACE + UNKILLABLE, leader).await;
        status.unwrap_or(ExitStatus::Signal(rustix::process::Signal::KILL.as_raw()))
    };
    let ((), status) = tokio::join!(killing, ended);
    status
}

async fn kill_tree(shared: &Arc<Shared>, grace: Duration) {
    let tree = Arc::clone(shared);
    let left = tokio::task::spawn_blocking(move || tree.tree.kill(grace)).await;
    for process in left.unwrap_or_default() {
        tracing::warn!(pid = process.pid, "a process could not be killed");
    }
}

/// The direct process's end, collected by number at the news of a child's end.
async fn leader_exit(pid: i32, mut changes: Changes) -> ExitStatus {
    loop {
        changes.wait().await;
        if let Some(status) = collect(pid) {
            return status;
        }
    }
}

/// `None`: it has not ended yet.
fn collect(pid: i32) -> Option<ExitStatus> {
    let raw = Pid::from_raw(pid)?;
    loop {
        match waitid(
            WaitId::Pid(raw),
            WaitIdOptions::EXITED | WaitIdOptions::NOHANG,
        ) {
            Ok(None) => return None,
            Ok(Some(status)) => return Some(status_of(&status)),
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => {
                tracing::error!(pid, %error, "the exit status of a command was lost");
                return Some(ExitStatus::Code(-1));
            }
        }
    }
}

fn status_of(status: &WaitIdStatus) -> ExitStatus {
    match (status.exit_status(), status.terminating_signal()) {
        (Some(code), _) => ExitStatus::Code(code),
        (None, signal) => ExitStatus::Signal(signal.unwrap_or_default()),
    }
}

/// Waits until nobody writes or the time is over: a grandchild may hold the
/// terminal, or write to it, for ever.
async fn drain(feed: &Arc<Feed>) {
    let mut closed = feed.closed();
    let quiet = async {
        loop {
            let before = feed.total();
            tokio::time::sleep(QUIET).await;
            if feed.total() == before {
                return;
            }
        }
    };
    tokio::select! {
        () = closed.wait() => {}
        () = quiet => {}
        () = tokio::time::sleep(DRAIN) => {}
    }
}

/// Takes in the last output. Tells who is left, and whether they are to go on.
async fn survivors(
    shared: &Arc<Shared>,
    policy: SurvivorPolicy,
    reason: ExitReason,
) -> (Vec<Survivor>, bool) {
    let mut left = shared.tree.survivors();
    if !left.is_empty() {
        // Most are just ending, like the rest of a pipeline.
        drain(&shared.feed).await;
        left = shared.tree.survivors();
    }
    let kill = policy == SurvivorPolicy::Kill || reason != ExitReason::Exited;
    let described: Vec<Survivor> = left.iter().map(|record| describe(record, kill)).collect();
    // One that ended while the others were looked at has no command line any more, and would
    // be told of as still running.
    left.retain(|record| record.still_lives());
    let list = described
        .into_iter()
        .filter(|survivor| left.iter().any(|record| record.pid == survivor.pid))
        .collect();
    if !left.is_empty() && kill {
        kill_tree(shared, GRACE).await;
    }
    if left.is_empty() || kill {
        // A stranger that was handed the terminal may hold it for ever.
        let _ = tokio::time::timeout(LAST_OUTPUT, shared.feed.closed().wait()).await;
        return (list, false);
    }
    (list, true)
}

fn describe(record: &ProcessRecord, killed: bool) -> Survivor {
    Survivor {
        killed,
        ..Survivor::living(record.pid)
    }
}

/// Keeps the terminal open for survivors until they end or are to be ended.
async fn attend_survivors(
    shared: &Arc<Shared>,
    registry: &Registry,
    kill: &mut watch::Receiver<Option<KillReason>>,
) {
    let mut changes = registry.child_changes();
    loop {
        tokio::select! {
            _ = killed(kill) => {
                kill_tree(shared, GRACE).await;
                return;
            }
            () = changes.wait() => {
                if shared.tree.survivors().is_empty() {
                    return;
                }
            }
        }
    }
}
