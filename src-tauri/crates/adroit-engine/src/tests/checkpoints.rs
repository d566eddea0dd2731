//! What a call changes is kept before it runs, and looked at after it ended.

use std::sync::{Arc, Mutex};

use adroit_protocol::CallId;
use adroit_protocol::event::CallStatus::{Failed, Succeeded};
use adroit_tool::{NothingKept, Originals, ToolFailure};
use futures::FutureExt as _;
use futures::future::BoxFuture;
use serde_json::json;

use super::fixture::*;
use crate::{Checkpoints, Starting};

/// Notes who came, beside what the tool did.
struct Keeper {
    log: Arc<Log>,
    seen: Mutex<Vec<String>>,
    refuses: bool,
}

impl Keeper {
    fn note(&self, what: &str) {
        let line = format!("{what} after {} events", self.log.events().len());
        self.seen.lock().unwrap().push(line);
    }
}

impl Checkpoints for Keeper {
    fn before(&self, _starting: Starting) -> BoxFuture<'_, Result<(), ToolFailure>> {
        self.note("before");
        let answer = if self.refuses {
            Err(ToolFailure::new("not_kept", "The disk is full."))
        } else {
            Ok(())
        };
        std::future::ready(answer).boxed()
    }

    fn originals(&self, _call: &CallId) -> Arc<dyn Originals> {
        Arc::new(NothingKept)
    }

    fn after<'a>(&'a self, _call: &'a CallId) -> BoxFuture<'a, ()> {
        self.note("after");
        std::future::ready(()).boxed()
    }
}

fn watched(refuses: bool) -> (World, Arc<Keeper>) {
    let world = world();
    let keeper = Arc::new(Keeper {
        log: Arc::clone(&world.log),
        seen: Mutex::default(),
        refuses,
    });
    let kept = Arc::clone(&keeper);
    (world.with(|engine| engine.checkpoints = kept), keeper)
}

#[tokio::test]
async fn it_is_kept_before_the_tool_starts_and_looked_at_after_it_ended() {
    let (world, keeper) = watched(false);
    let result = world.run("Probe", json!({})).await;
    assert_eq!(result.status, Succeeded);
    let seen = keeper.seen.lock().unwrap().clone();
    assert_eq!(seen, ["before after 0 events", "after after 2 events"]);
}

#[tokio::test]
async fn a_call_that_fails_or_panics_is_looked_at_too() {
    for end in ["fail", "panic"] {
        let (world, keeper) = watched(false);
        let result = world.run("Probe", json!({"end": end})).await;
        assert_eq!(result.status, Failed);
        assert_eq!(keeper.seen.lock().unwrap().len(), 2, "{end}");
    }
}

#[tokio::test]
async fn what_cannot_be_kept_is_not_changed() {
    let (world, keeper) = watched(true);
    let result = world.run("Probe", json!({})).await;
    assert_eq!(result.status, Failed);
    assert!(text(&result).contains("The disk is full."));
    assert_eq!(keeper.seen.lock().unwrap().len(), 1);
    assert!(world.log.events().is_empty(), "the tool was not called");
}

#[tokio::test]
async fn nothing_is_kept_for_a_call_that_only_reads() {
    let (world, keeper) = watched(false);
    let result = world.run("Probe", json!({"safe": true})).await;
    assert_eq!(result.status, Succeeded);
    assert!(keeper.seen.lock().unwrap().is_empty());
}
