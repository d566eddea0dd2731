//! Calls on a real temporary project.

use serde_json::json;

use crate::tests::Project;

#[tokio::test]
async fn it_does_what_it_says() {
    let project = Project::new();
    let text = project
        .text("Scaffold", json!({ "subject": "the thing" }))
        .await;
    assert!(text.starts_with("the thing in "), "{text}");
}

#[tokio::test]
async fn nothing_to_do_is_a_failure_that_says_so() {
    let project = Project::new();
    let failure = project.failure("Scaffold", json!({ "subject": " " })).await;
    assert_eq!(failure.code, "nothing_to_do");
}
