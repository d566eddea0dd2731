//! Ending tasks, with everything that they started.

use serde_json::json;

use crate::tests::Project;

#[tokio::test]
async fn a_stopped_task_leaves_no_process_and_needs_no_notice() {
    let project = Project::new();
    let task = project
        .background("setsid sleep 600 & nohup sleep 601 >/dev/null & echo on; sleep 602")
        .await;
    let input = json!({ "task_id": task, "block": true, "filter": "on" });
    project.text("TaskOutput", input).await;
    let text = project.text("TaskStop", json!({ "task_id": task })).await;
    assert!(
        text.starts_with(&format!("{task} was stopped, with every process")),
        "{text}"
    );
    assert!(project.supervisor().living().is_empty());
    assert_eq!(project.tasks().take_notices(), []);
}

#[tokio::test]
async fn a_task_that_ended_before_is_no_failure() {
    let project = Project::new();
    let task = project.background("echo last; exit 2").await;
    project.tasks().get(&task).unwrap().running.gone().await;
    let text = project.text("TaskStop", json!({ "task_id": task })).await;
    assert!(
        text.contains("had ended before: it ended with exit code 2"),
        "{text}"
    );
    assert!(text.ends_with("\nlast"), "{text}");
}
