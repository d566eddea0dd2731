//! Generated schedules against the executor's promises, on paused time.

use std::collections::HashSet;
use std::time::Duration;

use adroit_protocol::event::CallStatus;
use adroit_protocol::message::{CallInput, ToolCall};
use adroit_tool::{CancelReason, Cancellation};
use proptest::prelude::*;
use serde_json::json;

use super::fixture::*;
use super::hooks::Says;
use crate::{Execution, ToolResult, batches};

#[derive(Clone, Debug)]
struct Planned {
    tool: &'static str,
    safe: bool,
    millis: u64,
    end: &'static str,
    deaf: bool,
    /// Classifying it is begun ahead.
    ahead: bool,
    /// A hook makes an unsafe call of it, after the schedule has placed it.
    turns: bool,
    /// Time of the stream before its block is complete.
    arrives_after: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Disturbance {
    None,
    Interrupt,
    Stop,
    Discard,
    Drop,
}

#[derive(Clone, Debug)]
struct Plan {
    calls: Vec<Planned>,
    cap: usize,
    /// Time that the consumer takes for each result; `None` where it reads only in the end.
    consumer: Option<u64>,
    disturbance: Disturbance,
    disturbed_at: u64,
}

fn planned() -> impl Strategy<Value = Planned> {
    (
        prop::sample::select(vec![
            "Probe", "Probe", "Bash", "Yielding", "Nothing", "Broken", "Invalid",
        ]),
        prop::bool::weighted(0.7),
        0u64..40,
        prop::sample::select(vec![
            "succeed", "succeed", "succeed", "fail", "panic", "never",
        ]),
        any::<bool>(),
        any::<bool>(),
        prop::bool::weighted(0.2),
        prop::sample::select(vec![0u64, 0, 0, 5, 25]),
    )
        .prop_map(
            |(tool, safe, millis, end, deaf, ahead, turns, arrives_after)| Planned {
                tool,
                safe,
                millis,
                end,
                deaf,
                ahead,
                turns,
                arrives_after,
            },
        )
}

fn plan() -> impl Strategy<Value = Plan> {
    (
        prop::collection::vec(planned(), 1..14),
        1usize..5,
        prop::option::of(0u64..10),
        prop::sample::select(vec![
            Disturbance::None,
            Disturbance::Interrupt,
            Disturbance::Stop,
            Disturbance::Discard,
            Disturbance::Drop,
        ]),
        0u64..120,
    )
        .prop_map(|(calls, cap, consumer, disturbance, disturbed_at)| Plan {
            calls,
            cap,
            consumer,
            disturbance,
            disturbed_at,
        })
}

fn tool_call(index: usize, planned: &Planned) -> ToolCall {
    let id = format!("c{index}");
    let input = json!({
        "text": "x", "safe": planned.safe, "millis": planned.millis, "end": planned.end, "deaf": planned.deaf,
        "ahead": planned.ahead, "turns": planned.turns,
    });
    match planned.tool {
        "Broken" => ToolCall {
            id: id.as_str().into(),
            name: "Probe".to_owned(),
            input: CallInput::Invalid {
                raw: "{".to_owned(),
                message: "EOF".to_owned(),
            },
        },
        "Invalid" => call(&id, "Probe", json!({"wrong": true})),
        tool => call(&id, tool, input),
    }
}

fn world_for(plan: &Plan) -> World {
    let cap = plan.cap;
    let turn = |input: &serde_json::Value| {
        let mut turned = input.clone();
        if input["turns"] == json!(true) {
            turned["safe"] = json!(false);
            turned["turns"] = json!(false);
        }
        turned
    };
    world().with_hooks(Says::change(turn)).with(|engine| {
        engine.execution = Execution {
            max_concurrency: cap,
            ..engine.execution
        }
    })
}

/// What holds of the log, whatever happened.
fn check_log(plan: &Plan, world: &World) -> Result<(), TestCaseError> {
    let mut running: Vec<(String, bool)> = Vec::new();
    let mut started = Vec::new();
    for event in world.log.events() {
        match event {
            Event::Started(call, safe) => {
                let index: usize = call.as_str()[1..].parse().unwrap();
                prop_assert!(!started.contains(&index), "no call starts twice");
                // Of two that may run beside each other either may be the first to run: hooks and
                // analyses take their time. One that turned waits for those it was placed beside.
                let free = |index: usize| plan.calls[index].safe;
                let overtaken = started
                    .iter()
                    .any(|later: &usize| *later > index && !(free(index) && free(*later)));
                prop_assert!(!overtaken, "no call overtakes an earlier unsafe one");
                started.push(index);
                running.push((call.to_string(), safe));
                prop_assert!(running.len() <= plan.cap, "the cap holds");
                prop_assert!(
                    running.len() == 1 || running.iter().all(|(_, safe)| *safe),
                    "unsafe runs alone: {running:?}"
                );
            }
            Event::Ended(call) => running.retain(|(running, _)| running != call.as_str()),
        }
    }
    prop_assert!(running.is_empty(), "nothing is left running: {running:?}");
    Ok(())
}

fn check_results(plan: &Plan, world: &World, results: &[ToolResult]) -> Result<(), TestCaseError> {
    let expected: Vec<String> = (0..plan.calls.len())
        .map(|index| format!("c{index}"))
        .collect();
    prop_assert_eq!(ids(results), expected, "exactly one result each, in order");
    let started: HashSet<String> = world.log.started_calls().into_iter().collect();
    for (result, planned) in results.iter().zip(&plan.calls) {
        let ran = started.contains(result.call.as_str());
        prop_assert!(!result.content.is_empty());
        prop_assert_eq!(result.is_error, result.status != CallStatus::Succeeded);
        if result.status == CallStatus::Succeeded {
            prop_assert!(ran, "no success without running");
        }
        if matches!(planned.tool, "Nothing" | "Broken" | "Invalid") {
            prop_assert!(
                !ran && matches!(result.status, CallStatus::Failed | CallStatus::Cancelled)
            );
        }
        let last = world.updates.statuses(result.call.as_str()).last().copied();
        prop_assert_eq!(
            last,
            Some(result.status),
            "the last that is told is the end"
        );
    }
    Ok(())
}

/// Who disturbs nothing has to stop calls that never end.
async fn run_streaming(plan: &Plan, world: &World) -> Result<(), TestCaseError> {
    let cancellation = Cancellation::new();
    let mut executor = world.engine.executor(cancellation.clone());
    let disturbed = tokio::time::Instant::now() + Duration::from_millis(plan.disturbed_at);
    let mut results = Vec::new();
    for (index, planned) in plan.calls.iter().enumerate() {
        tokio::time::sleep(Duration::from_millis(planned.arrives_after)).await;
        executor.add(tool_call(index, planned));
        if plan.consumer.is_some() {
            results.extend(executor.poll_completed());
        }
    }
    let rest = async {
        while let Some(result) = executor.next().await {
            results.push(result);
            tokio::time::sleep(Duration::from_millis(plan.consumer.unwrap_or_default())).await;
        }
    };
    let ended = tokio::time::timeout_at(disturbed, rest).await.is_ok();
    if !ended {
        match plan.disturbance {
            Disturbance::Stop => cancellation.cancel(CancelReason::Stopped),
            Disturbance::Interrupt => executor.interrupt(),
            Disturbance::Discard | Disturbance::Drop => {
                let before = world.log.started_calls();
                if plan.disturbance == Disturbance::Discard {
                    let report = executor.discard().await;
                    let ran: Vec<String> = report
                        .ran
                        .iter()
                        .map(|call| call.call.to_string())
                        .collect();
                    let mut started = world.log.started_calls();
                    started.sort_by_key(|call| call[1..].parse::<usize>().unwrap());
                    prop_assert_eq!(ran, started, "what ran is reported, in call order");
                } else {
                    drop(executor);
                }
                tokio::time::sleep(Duration::from_secs(10)).await;
                prop_assert_eq!(before, world.log.started_calls(), "nothing starts after it");
                return check_log(plan, world);
            }
            Disturbance::None => {}
        }
        // Everything ends, but what never ends by itself: the person stops that.
        let rest = async {
            while let Some(result) = executor.next().await {
                results.push(result);
            }
        };
        if tokio::time::timeout(Duration::from_secs(60), rest)
            .await
            .is_err()
        {
            prop_assert!(
                plan.calls.iter().any(|planned| planned.end == "never"),
                "a lost wake-up"
            );
            executor.stop(CancelReason::Stopped);
            results.extend(
                tokio::time::timeout(Duration::from_secs(60), drain(&mut executor))
                    .await
                    .expect("it ends"),
            );
        }
    }
    check_results(plan, world, &results)?;
    check_log(plan, world)
}

async fn run_batches(plan: &Plan, world: &World) -> Result<(), TestCaseError> {
    let calls = plan
        .calls
        .iter()
        .enumerate()
        .map(|(index, planned)| tool_call(index, planned))
        .collect();
    let cancellation = Cancellation::new();
    let mut batches = batches(&world.engine, calls, cancellation.clone());
    let mut results = Vec::new();
    let rest = async {
        while let Some(result) = batches.next().await {
            results.push(result);
        }
    };
    if tokio::time::timeout(Duration::from_secs(60), rest)
        .await
        .is_err()
    {
        cancellation.cancel(CancelReason::Stopped);
        while let Some(result) = tokio::time::timeout(Duration::from_secs(60), batches.next())
            .await
            .expect("it ends")
        {
            results.push(result);
        }
    }
    check_results(plan, world, &results)?;
    check_log(plan, world)
}

fn on_paused_time<F: Future>(future: F) -> F::Output {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .unwrap();
    runtime.block_on(future)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, max_shrink_iters: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn the_streaming_executor_keeps_its_promises(plan in plan()) {
        silence_panics();
        let world = world_for(&plan);
        on_paused_time(run_streaming(&plan, &world))?;
    }

    #[test]
    fn the_batch_fallback_keeps_its_promises(plan in plan()) {
        silence_panics();
        let world = world_for(&plan);
        on_paused_time(run_batches(&plan, &world))?;
    }
}

/// Panics on purpose are many here; their traces would hide a real one.
fn silence_panics() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            let on_purpose = info
                .payload()
                .downcast_ref::<&str>()
                .is_some_and(|words| *words == "on purpose");
            if !on_purpose {
                usual(info);
            }
        }));
    });
}

/// Real threads, no timing: whatever the interleaving, everything ends and nothing doubles.
#[test]
fn on_real_threads_nothing_is_lost_or_doubled() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(4)
        .enable_time()
        .build()
        .unwrap();
    for round in 0..100 {
        let world = world();
        runtime.block_on(async {
            let mut executor = world.engine.executor(Cancellation::new());
            for index in 0..40_usize {
                executor.add(timed(&format!("c{index}"), (index + round) % 3 != 0, 0));
                if index == round % 60 {
                    executor.interrupt();
                }
            }
            let results = drain(&mut executor).await;
            assert_eq!(results.len(), 40);
            assert!(
                results
                    .iter()
                    .enumerate()
                    .all(|(index, result)| result.call.as_str() == format!("c{index}"))
            );
        });
        let mut running: Vec<bool> = Vec::new();
        for event in world.log.events() {
            match event {
                Event::Started(_, safe) => {
                    running.push(safe);
                    assert!(running.len() == 1 || running.iter().all(|safe| *safe));
                }
                Event::Ended(_) => {
                    running.pop();
                }
            }
        }
    }
}
