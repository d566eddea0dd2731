//! What is begun ahead of its need, and calls that turn out to be other than they were placed as.

use std::sync::Arc;

use adroit_protocol::event::CallStatus::{self, Cancelled, Succeeded};
use adroit_tool::{CancelReason, Cancellation};
use serde_json::json;

use super::fixture::*;
use super::hooks::Says;
use crate::batches;

/// The hook is asked while the analysis is still under way: it runs beside stages 3 to 5.
#[tokio::test]
async fn hooks_do_not_wait_for_what_was_begun_ahead() {
    let heard = Arc::new(tokio::sync::Notify::new());
    let hears = Arc::clone(&heard);
    let world = world().with_hooks(Says::change(move |input| {
        hears.notify_one();
        input.clone()
    }));
    let mut executor = world.executor();
    executor.add(call(
        "a",
        "Probe",
        json!({"text": "a", "ahead_gate": "done"}),
    ));
    heard.notified().await;
    assert_eq!(world.log.classified(), 0, "nothing is known of it yet");
    assert!(world.log.started_calls().is_empty(), "so nothing runs");
    world.log.open("done");
    assert_eq!(statuses(&drain(&mut executor).await), [Succeeded]);
    assert_eq!(
        world.log.classified(),
        2,
        "in stage 5 for the hooks, and for the schedule"
    );
}

/// Until it is known that a call may run beside others it counts as one that may not.
#[tokio::test]
async fn a_call_is_unsafe_until_it_is_known_to_be_safe() {
    let world = world();
    let mut executor = world.executor();
    let input = json!({"text": "a", "safe": true, "ahead_gate": "known", "gate": "end"});
    executor.add(call("a", "Probe", input));
    executor.add(call("b", "Probe", json!({"safe": true, "gate": "end"})));
    for _ in 0..50 {
        tokio::task::yield_now().await;
    }
    assert!(world.log.started_calls().is_empty(), "b waits for a");
    world.log.open("known");
    world.log.wait_for_starts(2).await;
    world.log.open("end");
    assert_eq!(statuses(&drain(&mut executor).await), [Succeeded; 2]);
}

/// An input that a hook changes is another one: its own analysis is begun, the old one is not
/// waited for. An equivalent input keeps what is known.
#[tokio::test]
async fn a_changed_input_is_begun_anew_unless_it_means_the_same() {
    let world = world().with_hooks(Says::change(|input| match input["text"].as_str() {
        Some("first") => json!({"text": "second", "ahead": true}),
        _ => input.clone(),
    }));
    // The gate of the first never opens before the call is over.
    let input = json!({"text": "first", "ahead_gate": "never"});
    let result = world.run("Probe", input).await;
    assert_eq!(result.status, Succeeded);
    assert!(text(&result).starts_with("second"));
    assert_eq!(*world.log.begun_ahead.lock().unwrap(), ["first", "second"]);
    world.log.open("never");
}

#[tokio::test]
async fn what_is_cancelled_meanwhile_does_not_run() {
    let world = world();
    let cancellation = Cancellation::new();
    let mut executor = world.engine.executor(cancellation.clone());
    for id in ["a", "b"] {
        executor.add(call(
            id,
            "Probe",
            json!({"text": id, "ahead_gate": "known"}),
        ));
    }
    cancellation.cancel(CancelReason::Stopped);
    let results = drain(&mut executor).await;
    assert_eq!(statuses(&results), [Cancelled; 2]);
    world.log.open("known");
    assert!(world.log.started_calls().is_empty());
    let last = world.updates.statuses("b").last().copied();
    assert_eq!(last, Some(CallStatus::Cancelled));
}

#[tokio::test]
async fn the_batch_fallback_waits_until_it_is_known() {
    let world = world();
    world.log.open("known");
    let calls = ["a", "b"]
        .map(|id| {
            let input = json!({"text": id, "safe": true, "ahead_gate": "known", "gate": "end"});
            call(id, "Probe", input)
        })
        .to_vec();
    let mut batches = batches(&world.engine, calls, Cancellation::new());
    let log = Arc::clone(&world.log);
    let both = async {
        log.wait_for_starts(2).await;
        log.open("end");
    };
    let results = async { [batches.next().await, batches.next().await] };
    let ((), results) = tokio::join!(both, results);
    assert!(
        results
            .iter()
            .flatten()
            .all(|result| result.status == Succeeded)
    );
}

/// The person, or a hook, may make an unsafe call of one that runs beside others: it waits then.
#[tokio::test]
async fn a_call_that_turned_unsafe_overlaps_with_nothing() {
    let world = world().with_hooks(Says::change(|input| match input["text"].as_str() {
        Some("turns") => json!({"text": "turned", "safe": false}),
        _ => input.clone(),
    }));
    let mut executor = world.executor();
    executor.add(call(
        "beside",
        "Probe",
        json!({"safe": true, "gate": "end"}),
    ));
    executor.add(call(
        "turned",
        "Probe",
        json!({"text": "turns", "safe": true}),
    ));
    world.log.wait_for_starts(1).await;
    for _ in 0..50 {
        tokio::task::yield_now().await;
    }
    assert_eq!(world.log.started_calls(), ["beside"]);
    world.log.open("end");
    assert_eq!(statuses(&drain(&mut executor).await), [Succeeded; 2]);
}
