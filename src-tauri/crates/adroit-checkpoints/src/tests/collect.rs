//! What is let go when the store is full, and what never is.

use std::fs;

use adroit_protocol::SessionId;

use super::desk::{Desk, begin, limits};
use crate::{History, Limits, ObjectError, StepState, Store, StoreError};

/// Bytes that do not pack.
pub(super) fn noise(seed: u8, length: usize) -> Vec<u8> {
    let mut bytes = vec![0; length];
    let mut reader = blake3::Hasher::new().update(&[seed]).finalize_xof();
    reader.fill(&mut bytes);
    bytes
}

fn small(store_bytes: u64, newest_kept: usize) -> Limits {
    Limits {
        store_bytes,
        newest_kept,
        ..limits()
    }
}

#[test]
fn the_oldest_steps_go_and_the_newest_stay() {
    let desk = Desk::with(small(100_000, 3));
    for number in 0..30 {
        desk.edit(&format!("c{number}"), "a.bin", noise(number, 10_000));
    }
    let steps = desk.history.steps();
    assert!(desk.history.store().bytes() <= 100_000);
    assert_eq!(steps[0].state, StepState::Forgotten);
    assert_eq!(steps[29].state, StepState::Done);
    desk.undo(&[30]);
    assert_eq!(fs::read(desk.path("a.bin")).unwrap(), noise(28, 10_000));
    let plan = desk.plan(&[1]);
    assert!(plan.files.is_empty() && plan.notes[0].contains("too far back"));
}

#[test]
fn sessions_that_are_not_open_go_first() {
    let desk = Desk::with(small(100_000, 3));
    let store = desk.history.store().clone();
    {
        let old = History::open(store.clone(), SessionId::from("ses_0"), &desk.root).unwrap();
        for number in 0..4 {
            let open = old
                .begin(begin("old", vec![desk.path("b.bin")], Vec::new()))
                .unwrap();
            desk.write("b.bin", noise(100 + number, 10_000));
            old.end(open).unwrap();
        }
    }
    for number in 0..6 {
        desk.edit(&format!("c{number}"), "a.bin", noise(number, 10_000));
    }
    assert!(
        desk.history
            .steps()
            .iter()
            .all(|step| step.state == StepState::Done)
    );
    let old = History::open(store, SessionId::from("ses_0"), &desk.root).unwrap();
    assert!(
        old.steps()
            .iter()
            .all(|step| step.state == StepState::Forgotten)
    );
}

#[test]
fn a_full_store_refuses_and_leaves_everything_as_it_was() {
    let desk = Desk::with(small(30_000, 100));
    desk.write("a.bin", noise(0, 10_000));
    desk.edit("c1", "a.bin", noise(1, 10_000));
    let before = desk.snapshot();
    let open = desk
        .history
        .begin(begin("c2", vec![desk.path("a.bin")], Vec::new()))
        .unwrap();
    desk.history.end(open).unwrap();
    desk.write("b.bin", noise(2, 20_000));
    let refused = desk
        .history
        .begin(begin("c3", vec![desk.path("b.bin")], Vec::new()));
    assert!(matches!(
        refused.err(),
        Some(StoreError::Object(ObjectError::Full { .. }))
    ));
    fs::remove_file(desk.path("b.bin")).unwrap();
    assert_eq!(desk.snapshot(), before);
    desk.undo(&[1]);
    assert_eq!(fs::read(desk.path("a.bin")).unwrap(), noise(0, 10_000));
}

#[test]
fn a_deleted_session_leaves_nothing() {
    let desk = Desk::new();
    desk.edit("c1", "a.bin", noise(1, 10_000));
    let store = desk.history.store().clone();
    assert!(store.bytes() > 0);
    store.delete(&SessionId::from("ses_1"));
    assert_eq!(store.bytes(), 0);
}

#[test]
fn a_damaged_content_is_never_put_back() {
    let desk = Desk::new();
    desk.write("a.bin", noise(0, 1_000));
    let step = desk.edit("c1", "a.bin", noise(1, 1_000));
    let objects = desk.data.join("objects");
    for folder in fs::read_dir(objects).unwrap().flatten() {
        for file in fs::read_dir(folder.path()).unwrap().flatten() {
            fs::write(file.path(), b"\0rotten").unwrap();
        }
    }
    assert!(Store::open(&desk.data, limits()).is_ok());
    let undone = desk.undo(&[step.id]);
    assert_eq!(undone.step.files.len(), 0);
    assert_eq!(fs::read(desk.path("a.bin")).unwrap(), noise(1, 1_000));
}
