//! Tasks on real processes: what they print, how they end, what is told.

use adroit_protocol::view::{Block, Tone};
use adroit_tool::CancelReason;
use serde_json::json;

use crate::tests::Project;

async fn output(project: &Project, task: &str) -> String {
    project.text("TaskOutput", json!({ "task_id": task })).await
}

/// Waits in the way that a model would.
async fn wait(project: &Project, task: &str, filter: Option<&str>) -> String {
    let input = json!({ "task_id": task, "block": true, "timeout": 120_000, "filter": filter });
    let mut input = input;
    if filter.is_none() {
        input.as_object_mut().unwrap().remove("filter");
    }
    project.text("TaskOutput", input).await
}

#[tokio::test]
async fn a_background_command_returns_at_once_and_each_line_is_given_once() {
    let project = Project::new();
    let task = project.background("echo one; sleep 600").await;
    let first = wait(&project, &task, Some("one")).await;
    assert!(first.ends_with("\none"), "{first}");
    assert!(
        first.starts_with(&format!("{task} has been running for ")),
        "{first}"
    );
    assert!(output(&project, &task).await.ends_with("(no new output)"));
    project.text("TaskStop", json!({ "task_id": task })).await;
}

#[tokio::test]
async fn the_end_is_waited_for_and_comes_with_the_code_and_the_last_output() {
    let project = Project::new();
    let task = project.background("echo begun; exit 3").await;
    let text = wait(&project, &task, None).await;
    assert!(
        text.starts_with(&format!("{task} ended with exit code 3 after ")),
        "{text}"
    );
    assert!(text.ends_with("\nbegun"), "{text}");
    // Read already: nothing is left to tell.
    assert_eq!(project.tasks().take_notices(), []);
    assert!(output(&project, &task).await.ends_with("(no new output)"));
}

#[tokio::test]
async fn an_end_that_nobody_read_is_told_once() {
    let project = Project::new();
    let task = project.background("echo out; exit 4").await;
    let state = project.tasks().get(&task).unwrap();
    state.running.gone().await;
    let notices = loop {
        let notices = project.tasks().take_notices();
        if !notices.is_empty() {
            break notices;
        }
        tokio::task::yield_now().await;
    };
    assert_eq!(notices.len(), 1);
    let text = notices[0].for_model();
    assert!(
        text.contains(&task) && text.contains("`echo out; exit 4`"),
        "{text}"
    );
    assert!(text.contains("ended with exit code 4 after"), "{text}");
    assert!(notices[0].is_bad);
    assert_eq!(project.tasks().take_notices(), []);
    // Its output is still there.
    assert!(output(&project, &task).await.ends_with("\nout"));
}

#[tokio::test]
async fn a_filter_gives_only_lines_that_match_and_passes_over_the_others() {
    let project = Project::new();
    let task = project
        .background("for i in 1 2 3; do echo info $i; echo error $i; done")
        .await;
    project.tasks().get(&task).unwrap().running.gone().await;
    let input = json!({ "task_id": task, "filter": "^error [12]$" });
    let text = project.text("TaskOutput", input).await;
    assert!(text.ends_with("\nerror 1\nerror 2"), "{text}");
    assert!(output(&project, &task).await.ends_with("(no new output)"));
    let input = json!({ "task_id": task, "filter": "(" });
    assert_eq!(
        project.failure("TaskOutput", input).await.code,
        "invalid_filter"
    );
}

#[tokio::test]
async fn a_wait_that_is_over_says_that_the_task_goes_on() {
    let project = Project::new();
    let task = project.background("sleep 600").await;
    let input = json!({ "task_id": task, "block": true, "timeout": 50 });
    let text = project.text("TaskOutput", input).await;
    assert!(text.contains("The wait is over; it goes on."), "{text}");
    // A person who stops the turn does not wait for the task either.
    project.context.cancellation.cancel(CancelReason::Stopped);
    let input = json!({ "task_id": task, "block": true, "timeout": 600_000 });
    project.text("TaskOutput", input).await;
    project.supervisor().shutdown().await;
}

#[tokio::test]
async fn a_progress_bar_is_one_line_and_changed_lines_come_anew() {
    let project = Project::new();
    let task = project
        .background("printf '10%%'; read -r x; printf '\\r60%%'; read -r x; printf '\\r100%%\\n'")
        .await;
    let state = project.tasks().get(&task).unwrap();
    assert!(wait(&project, &task, Some("10%")).await.ends_with("10%"));
    state.running.write(b"\n").await.unwrap();
    let text = wait(&project, &task, Some("60%")).await;
    assert!(text.contains("60%"), "{text}");
    state.running.write(b"\n").await.unwrap();
    let text = wait(&project, &task, None).await;
    assert!(text.contains("100%") && !text.contains("10%\n"), "{text}");
}

#[tokio::test]
async fn an_unknown_task_is_named_with_those_there_are() {
    let project = Project::new();
    let failure = project
        .failure("TaskOutput", json!({ "task_id": "task_x" }))
        .await;
    assert_eq!(failure.code, "no_such_task");
    assert!(failure.message.contains("There is none now"));
    let task = project.background("true").await;
    let failure = project
        .failure("TaskStop", json!({ "task_id": "task_x" }))
        .await;
    assert!(failure.message.contains(&task), "{}", failure.message);
}

#[tokio::test]
async fn what_outlives_its_command_is_a_task_whose_later_output_is_read() {
    let project = Project::new();
    let command = "mkfifo gate; (read -r x <gate; echo late) & echo early";
    let text = project.text("Bash", json!({ "command": command })).await;
    assert!(
        text.starts_with("early\nStill running in the background: "),
        "{text}"
    );
    let task = project.tasks().list()[0].id.to_string();
    assert!(text.contains(&task), "{text}");
    std::fs::write(project.root.join("gate"), "go\n").unwrap();
    let text = wait(&project, &task, None).await;
    assert!(text.ends_with("\nlate"), "{text}");
    assert!(!text.contains("early"), "{text}");
}

#[tokio::test]
async fn a_running_command_is_moved_and_its_call_returns_with_what_it_printed() {
    let project = Project::new();
    let command = "echo before; read -r x; echo after";
    let input = json!({ "command": command, "timeout": 600_000 });
    let moving = async {
        while !project
            .supervisor()
            .living()
            .iter()
            .any(|running| !running.scrollback().is_empty())
        {
            tokio::task::yield_now().await;
        }
        assert!(project.tasks().move_to_background(&project.context.call));
    };
    let (done, ()) = tokio::join!(project.call("Bash", input), moving);
    let done = done.unwrap();
    assert!(
        done.text
            .starts_with("before\nThe user moved this command to the background"),
        "{}",
        done.text
    );
    assert_eq!(done.view.tag.as_deref(), Some("background"));
    // The call is over: there is nothing to move any more.
    assert!(!project.tasks().move_to_background(&project.context.call));
    let task = project.tasks().list().remove(0);
    task.running.write(b"\n").await.unwrap();
    let text = wait(&project, task.id.as_str(), None).await;
    assert!(
        text.ends_with("after") && !text.contains("before"),
        "{text}"
    );
}

#[tokio::test]
async fn dv_bash_005_a_task_that_floods_fills_no_disk_and_says_so() {
    let project = Project::new();
    let task = project
        .background("yes 'crash restart' | head -c 80000000")
        .await;
    let text = wait(&project, &task, None).await;
    assert!(text.len() < 31_000, "{}", text.len());
    assert!(
        text.contains("bytes left out; the beginning is in "),
        "{text}"
    );
    let overflow = &project.context.overflow_directory;
    let size: u64 = std::fs::read_dir(overflow)
        .unwrap()
        .map(|entry| entry.unwrap().metadata().unwrap().len())
        .sum();
    assert!(size <= 64 << 20, "{size}");
}

#[tokio::test]
async fn a_task_shows_its_command_and_its_output() {
    let project = Project::new();
    let task = project.background("echo shown; sleep 600").await;
    let input = json!({ "task_id": task, "block": true, "filter": "shown" });
    let done = project.call("TaskOutput", input).await.unwrap();
    assert_eq!(done.view.title, "Output of echo shown; sleep 600");
    assert_eq!(done.view.tone, Tone::Info);
    assert!(matches!(
        done.view.blocks.as_slice(),
        [Block::Terminal { output, exit_code: None, .. }] if output == "shown\n"
    ));
    project.supervisor().shutdown().await;
}
