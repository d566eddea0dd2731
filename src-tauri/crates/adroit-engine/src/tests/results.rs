//! Results that are long, empty or odd.

use adroit_protocol::event::CallStatus::Succeeded;
use serde_json::json;

use super::fixture::*;
use crate::ResultStore;

#[tokio::test]
async fn a_long_result_goes_to_a_file_and_its_ends_to_the_model() {
    let world = world();
    let long = format!("first line\n{}\nlast line", "x".repeat(20_000));
    let result = world.run("Probe", json!({"text": long})).await;
    assert_eq!(result.status, Succeeded);
    let shown = text(&result);
    assert!(shown.len() < 5_000);
    assert!(
        shown.contains("20021 characters")
            && shown.contains("first line")
            && shown.contains("last line"),
        "{shown}"
    );
    let files: Vec<_> = std::fs::read_dir(world.folder().join("results"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    assert_eq!(files.len(), 1);
    assert!(shown.contains(files[0].to_str().unwrap()), "{shown}");
    assert_eq!(std::fs::read_to_string(&files[0]).unwrap(), long);
}

#[tokio::test]
async fn the_limit_counts_characters_and_not_bytes() {
    let world = world();
    let text_at_limit = "ä".repeat(5_000);
    let result = world.run("Probe", json!({"text": text_at_limit})).await;
    assert_eq!(text(&result), text_at_limit);
    assert!(!world.folder().join("results").exists());
}

#[tokio::test]
async fn a_tool_that_bounds_itself_is_never_stored() {
    let world = world();
    let long = "x".repeat(50_000);
    let result = world.run("Unbounded", json!({"text": long})).await;
    assert_eq!(text(&result), long);
}

#[tokio::test]
async fn where_nothing_can_be_stored_both_ends_stay_in_the_message() {
    let world = world();
    let blocked = world.folder().join("file");
    std::fs::write(&blocked, "").unwrap();
    let world = world.with(|engine| engine.results = ResultStore::new(blocked.join("results")));
    let result = world
        .run(
            "Probe",
            json!({"text": format!("start{}end", "x".repeat(20_000))}),
        )
        .await;
    assert_eq!(result.status, Succeeded, "a full disk does not undo a call");
    let shown = text(&result);
    assert!(
        shown.starts_with("start")
            && shown.ends_with("end")
            && shown.contains("could not be written"),
        "{shown}"
    );
    assert!(shown.chars().count() < 5_500);
}

#[tokio::test]
async fn an_empty_result_has_words_and_no_nul_passes() {
    let world = world();
    assert_eq!(
        text(&world.run("Probe", json!({"text": ""})).await),
        "(no output)"
    );
    assert_eq!(
        text(&world.run("Probe", json!({"text": "a\0b"})).await),
        "a\u{FFFD}b"
    );
}
