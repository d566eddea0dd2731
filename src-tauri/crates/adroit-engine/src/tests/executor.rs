use adroit_protocol::event::CallStatus;
use adroit_protocol::event::CallStatus::{Cancelled, Denied, Failed, Succeeded};
use adroit_protocol::message::ToolCall;
use adroit_protocol::settings::BashErrorCascade;
use adroit_tool::{CancelReason, Cancellation};
use serde_json::json;

use super::fixture::*;
use crate::{Execution, batches};

fn gated(id: &str, safe: bool) -> ToolCall {
    call(id, "Probe", json!({"text": id, "safe": safe, "gate": id}))
}

fn shell(id: &str, text: &str, safe: bool, millis: u64, end: &str) -> ToolCall {
    call(
        id,
        "Bash",
        json!({"text": text, "safe": safe, "millis": millis, "end": end}),
    )
}

#[tokio::test]
async fn a_call_starts_when_it_is_added_and_not_when_it_is_waited_for() {
    let world = world();
    let mut executor = world.executor();
    executor.add(gated("a", false));
    // The stream goes on here: nobody has asked for a result.
    world.log.wait_for_starts(1).await;
    assert!(executor.poll_completed().is_empty());
    world.log.open("a");
    assert_eq!(ids(&drain(&mut executor).await), ["a"]);
}

#[tokio::test]
async fn safe_calls_overlap_and_results_keep_the_order_of_the_calls() {
    let world = world();
    let mut executor = world.executor();
    for id in ["a", "b", "c"] {
        executor.add(gated(id, true));
    }
    world.log.wait_for_starts(3).await;
    world.log.open("c");
    world.log.open("b");
    tokio::task::yield_now().await;
    assert!(
        executor.poll_completed().is_empty(),
        "a is not done, so nothing leaves"
    );
    world.log.open("a");
    assert_eq!(ids(&drain(&mut executor).await), ["a", "b", "c"]);
}

#[tokio::test]
async fn an_unsafe_call_waits_for_earlier_ones_and_later_ones_wait_for_it() {
    let world = world();
    let mut executor = world.executor();
    executor.add(gated("read", true));
    executor.add(gated("edit", false));
    executor.add(gated("later", true));
    world.log.wait_for_starts(1).await;
    tokio::task::yield_now().await;
    assert_eq!(world.log.started_calls(), ["read"]);
    world.log.open("read");
    world.log.wait_for_starts(2).await;
    tokio::task::yield_now().await;
    assert_eq!(world.log.started_calls(), ["read", "edit"]);
    world.log.open("edit");
    world.log.wait_for_starts(3).await;
    world.log.open("later");
    assert_eq!(statuses(&drain(&mut executor).await), [Succeeded; 3]);
}

#[tokio::test(start_paused = true)]
async fn the_cap_holds() {
    let world = world().with(|engine| {
        engine.execution = Execution {
            max_concurrency: 2,
            ..engine.execution
        }
    });
    let mut executor = world.executor();
    for id in ["a", "b", "c"] {
        executor.add(gated(id, true));
    }
    world.log.wait_for_starts(2).await;
    tokio::time::sleep(std::time::Duration::from_secs(1)).await;
    assert_eq!(world.log.started_calls(), ["a", "b"]);
    world.log.open("b");
    world.log.wait_for_starts(3).await;
    world.log.open("a");
    world.log.open("c");
    assert_eq!(ids(&drain(&mut executor).await), ["a", "b", "c"]);
}

#[tokio::test(start_paused = true)]
async fn a_failing_command_cancels_later_commands_and_nothing_else() {
    let world = world();
    let mut executor = world.executor();
    executor.add(shell(
        "mkdir",
        "mkdir /tmp/a/very/long/path/that/does/not/exist/at/all",
        false,
        5,
        "fail",
    ));
    executor.add(shell("cd", "cd /tmp/a && npm init", false, 50, "succeed"));
    executor.add(timed("read", true, 50));
    executor.add(shell("after", "ls", true, 0, "succeed"));
    let results = drain(&mut executor).await;
    assert_eq!(
        statuses(&results),
        [Failed, Cancelled, Succeeded, Cancelled]
    );
    insta::assert_snapshot!(text(&results[1]), @"Cancelled: the parallel call Bash(mkdir /tmp/a/very/long/path/that/does/no…) failed, and this one may depend on it.");
    executor.add(shell("late", "ls", true, 0, "succeed"));
    assert_eq!(
        executor.next().await.unwrap().status,
        Cancelled,
        "a call that the stream brings later, too"
    );
    assert_eq!(world.log.started_calls(), ["mkdir", "read"]);
}

/// dv-stream-009: a search that finds nothing is an answer.
#[tokio::test(start_paused = true)]
async fn a_failing_read_only_command_cancels_nothing() {
    let world = world();
    let mut executor = world.executor();
    executor.add(shell("grep", "grep -q zzz f", true, 1, "fail"));
    executor.add(shell("cat", "cat f", true, 20, "succeed"));
    executor.add(shell("wc", "wc -l f", true, 20, "succeed"));
    assert_eq!(
        statuses(&drain(&mut executor).await),
        [Failed, Succeeded, Succeeded]
    );
}

#[tokio::test(start_paused = true)]
async fn the_cascade_follows_its_policy() {
    let cases = [
        (BashErrorCascade::Mutating, true, Succeeded),
        (BashErrorCascade::Mutating, false, Cancelled),
        (BashErrorCascade::Siblings, true, Cancelled),
        (BashErrorCascade::Siblings, false, Cancelled),
        (BashErrorCascade::Off, true, Succeeded),
        (BashErrorCascade::Off, false, Succeeded),
    ];
    for (cascade, read_only, expected) in cases {
        let world = world().with(|engine| {
            engine.execution = Execution {
                cascade,
                ..engine.execution
            }
        });
        let mut executor = world.executor();
        executor.add(shell("first", "make", read_only, 1, "fail"));
        executor.add(shell("second", "make test", read_only, 50, "succeed"));
        let results = drain(&mut executor).await;
        assert_eq!(
            statuses(&results),
            [Failed, expected],
            "{cascade:?}, read only: {read_only}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn earlier_commands_are_not_cancelled_by_later_ones() {
    let world = world().with(|engine| {
        engine.execution = Execution {
            cascade: BashErrorCascade::Siblings,
            ..engine.execution
        };
    });
    let mut executor = world.executor();
    executor.add(shell("slow", "sleep 1", true, 50, "succeed"));
    executor.add(shell("fails", "false", true, 1, "fail"));
    assert_eq!(statuses(&drain(&mut executor).await), [Succeeded, Failed]);
}

#[tokio::test(start_paused = true)]
async fn a_new_message_cancels_only_what_gives_way() {
    let world = world();
    let mut executor = world.executor();
    executor.add(timed("blocks", true, 30));
    executor.add(call(
        "yields",
        "Yielding",
        json!({"safe": true, "millis": 30}),
    ));
    world.log.wait_for_starts(2).await;
    executor.interrupt();
    executor.add(call("comes later", "Yielding", json!({"safe": true})));
    let results = drain(&mut executor).await;
    assert_eq!(statuses(&results), [Succeeded, Cancelled, Cancelled]);
    insta::assert_snapshot!(text(&results[1]), @"Cancelled: the user sent a new message, and this call gives way to it.");
    assert_eq!(results[1].view.summary.as_deref(), Some("interrupted"));
}

#[tokio::test]
async fn what_waits_is_cancelled_at_once_and_not_when_its_turn_comes() {
    let world = world();
    let mut executor = world.executor();
    executor.add(gated("runs", false));
    executor.add(call("yields", "Yielding", json!({"safe": true})));
    world.log.wait_for_starts(1).await;
    executor.interrupt();
    assert_eq!(
        world.updates.statuses("yields"),
        [CallStatus::Queued, Cancelled]
    );
    world.log.open("runs");
    assert_eq!(
        statuses(&drain(&mut executor).await),
        [Succeeded, Cancelled]
    );
}

#[tokio::test(start_paused = true)]
async fn stop_ends_all_at_once_and_each_has_its_result() {
    let world = world();
    let cancellation = Cancellation::new();
    let mut executor = world.engine.executor(cancellation.clone());
    executor.add(call(
        "runs",
        "Probe",
        json!({"end": "never", "text": "half of it"}),
    ));
    executor.add(timed("waits", false, 1));
    world.log.wait_for_starts(1).await;
    cancellation.cancel(CancelReason::Stopped);
    executor.add(timed("comes too late", true, 1));
    let results = drain(&mut executor).await;
    assert_eq!(statuses(&results), [Cancelled; 3]);
    insta::assert_snapshot!(text(&results[0]), @r"
    Cancelled: the user stopped the turn before this call finished.
    What it had given until then:
    half of it
    ");
    assert_eq!(world.log.started_calls(), ["runs"]);
}

#[tokio::test(start_paused = true)]
async fn a_call_that_does_not_listen_is_dropped_after_its_grace() {
    let world = world();
    let mut executor = world.executor();
    executor.add(call("deaf", "Probe", json!({"end": "never", "deaf": true})));
    world.log.wait_for_starts(1).await;
    let stopped = tokio::time::Instant::now();
    executor.stop(CancelReason::Stopped);
    assert_eq!(executor.next().await.unwrap().status, Cancelled);
    assert_eq!(stopped.elapsed(), world.engine.execution.grace);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_that_blocks_its_thread_is_given_up() {
    let world = world();
    let mut executor = world.executor();
    executor.add(call("stuck", "Probe", json!({"end": "block"})));
    executor.add(timed("waits", true, 0));
    world.log.wait_for_starts(1).await;
    executor.stop(CancelReason::Stopped);
    // It still blocks, and yet there are results.
    assert_eq!(statuses(&drain(&mut executor).await), [Cancelled; 2]);
    world.log.open("block");
    while world.log.events().len() < 2 {
        tokio::task::yield_now().await;
    }
    assert_eq!(world.updates.statuses("stuck").last(), Some(&Cancelled));
}

#[tokio::test(start_paused = true)]
async fn a_call_that_finishes_within_its_grace_was_done_and_says_so() {
    let world = world();
    let mut executor = world.executor();
    executor.add(call(
        "write",
        "Probe",
        json!({"deaf": true, "millis": 5, "text": "written"}),
    ));
    world.log.wait_for_starts(1).await;
    executor.stop(CancelReason::Stopped);
    let result = executor.next().await.unwrap();
    assert_eq!(
        (result.status, text(&result).as_str()),
        (Succeeded, "written")
    );
}

#[tokio::test(start_paused = true)]
async fn discard_starts_nothing_more_and_reports_what_ran() {
    let world = world();
    let mut executor = world.executor();
    executor.add(timed("done", true, 0));
    assert_eq!(executor.next().await.unwrap().status, Succeeded);
    executor.add(call("runs", "Probe", json!({"end": "never"})));
    executor.add(timed("waits", true, 0));
    executor.add(call("unknown", "Nothing", json!({})));
    world.log.wait_for_starts(2).await;
    let report = executor.discard().await;
    let ran: Vec<_> = report
        .ran
        .iter()
        .map(|call| (call.call.as_str(), call.status, call.mutating))
        .collect();
    assert_eq!(ran, [("done", Succeeded, false), ("runs", Cancelled, true)]);
    assert_eq!(world.log.started_calls(), ["done", "runs"]);
    assert_eq!(world.updates.statuses("waits").last(), Some(&Cancelled));
}

#[tokio::test(start_paused = true)]
async fn a_dropped_executor_leaves_nothing_running() {
    let world = world();
    let mut executor = world.executor();
    executor.add(call("runs", "Probe", json!({"end": "never", "deaf": true})));
    executor.add(timed("waits", false, 0));
    world.log.wait_for_starts(1).await;
    drop(executor);
    tokio::time::sleep(world.engine.execution.grace * 2).await;
    assert!(matches!(world.log.events().last(), Some(Event::Ended(_))));
    assert_eq!(world.log.started_calls(), ["runs"]);
}

#[tokio::test(start_paused = true)]
async fn a_command_that_was_safe_elsewhere_is_classified_again_where_it_runs() {
    let world = world();
    let mut executor = world.executor();
    executor.add(call(
        "cd",
        "Probe",
        json!({"goes_to": "/unsafe/place", "millis": 5}),
    ));
    executor.add(call(
        "one",
        "Probe",
        json!({"safe": true, "relative": true, "millis": 5}),
    ));
    executor.add(call(
        "two",
        "Probe",
        json!({"safe": true, "relative": true, "millis": 5}),
    ));
    let results = drain(&mut executor).await;
    assert_eq!(statuses(&results), [Succeeded; 3]);
    let mut running = 0;
    for event in world.log.events() {
        running += if matches!(event, Event::Started(..)) {
            1
        } else {
            -1
        };
        assert!(running <= 1, "they may not overlap there");
    }
}

#[tokio::test(start_paused = true)]
async fn the_context_changes_for_calls_that_ran_alone_only() {
    let world = world();
    let mut executor = world.executor();
    executor.add(call(
        "parallel",
        "Probe",
        json!({"safe": true, "goes_to": "/elsewhere"}),
    ));
    drain(&mut executor).await;
    assert_eq!(&*world.engine.cwd.get(), std::path::Path::new("/project"));
    executor.add(call("alone", "Probe", json!({"goes_to": "/elsewhere"})));
    drain(&mut executor).await;
    assert_eq!(&*world.engine.cwd.get(), std::path::Path::new("/elsewhere"));
}

#[tokio::test(start_paused = true)]
async fn batches_give_the_same_results() {
    let world = world();
    let calls = vec![
        timed("a", true, 9),
        timed("b", true, 3),
        timed("edit", false, 3),
        call("unknown", "Nothing", json!({})),
        timed("c", true, 3),
        timed("d", true, 1),
    ];
    let mut batches = batches(&world.engine, calls, Cancellation::new());
    let mut results = Vec::new();
    while let Some(result) = batches.next().await {
        results.push(result);
    }
    assert_eq!(ids(&results), ["a", "b", "edit", "unknown", "c", "d"]);
    assert_eq!(
        statuses(&results),
        [
            Succeeded, Succeeded, Succeeded, Failed, Succeeded, Succeeded
        ]
    );
    let order: Vec<String> = world
        .log
        .events()
        .into_iter()
        .map(|event| match event {
            Event::Started(call, _) => format!("+{call}"),
            Event::Ended(call) => format!("-{call}"),
        })
        .collect();
    assert_eq!(
        order,
        [
            "+a", "+b", "-b", "-a", "+edit", "-edit", "+c", "+d", "-d", "-c"
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn batches_cascade_and_stop_over_the_bounds_of_a_batch() {
    let world = world();
    let calls = vec![
        shell("fails", "make", false, 1, "fail"),
        shell("next", "make test", false, 1, "succeed"),
        timed("other", true, 1),
    ];
    let mut batches = batches(&world.engine, calls, Cancellation::new());
    let mut found = Vec::new();
    while let Some(result) = batches.next().await {
        found.push(result.status);
    }
    assert_eq!(found, [Failed, Cancelled, Succeeded]);
}

#[tokio::test]
async fn progress_is_told_while_the_call_and_earlier_ones_still_run() {
    let world = world();
    let mut executor = world.executor();
    executor.add(gated("earlier", true));
    executor.add(gated("later", true));
    let told = |call: &str| {
        let updates = world.updates.0.lock().unwrap();
        updates
            .iter()
            .any(|(id, update)| id.as_str() == call && update.terminal.is_some())
    };
    while !(told("earlier") && told("later")) {
        tokio::task::yield_now().await;
    }
    assert!(executor.poll_completed().is_empty());
    world.log.open("earlier");
    world.log.open("later");
    drain(&mut executor).await;
}

#[tokio::test]
async fn every_moment_of_a_call_is_told() {
    let world = world();
    let mut executor = world.executor();
    executor.add(timed("a", true, 0));
    drain(&mut executor).await;
    let statuses = world.updates.statuses("a");
    assert_eq!(statuses.first(), Some(&CallStatus::Queued));
    assert_eq!(statuses.last(), Some(&Succeeded));
    assert!(statuses.contains(&CallStatus::Running));
    let updates = world.updates.0.lock().unwrap();
    let (_, last) = updates.last().unwrap();
    assert!(last.elapsed.is_some() && !last.mutating);
    assert!(!statuses.contains(&Denied));
}
