//! Every failure's words to the model.

use adroit_protocol::event::CallStatus;
use adroit_protocol::message::{CallInput, ToolCall};
use adroit_protocol::record::StageOutcome;
use adroit_tool::Cancellation;
use serde_json::{Value, json};

use super::fixture::*;

async fn fails(tool: &str, input: Value) -> String {
    let result = world().run(tool, input).await;
    assert_eq!(result.status, CallStatus::Failed);
    assert!(result.is_error);
    text(&result)
}

#[tokio::test]
async fn unknown_tool() {
    insta::assert_snapshot!(fails("prob", json!({})).await, @"There is no tool named \"prob\", and nothing was run. Did you mean Probe?");
    insta::assert_snapshot!(fails("LaunchRocket", json!({})).await, @"There is no tool named \"LaunchRocket\", and nothing was run. The tools are Bash, Deferred, Probe, Unbounded, Write, Yielding.");
}

#[tokio::test]
async fn deferred_tool() {
    insta::assert_snapshot!(fails("Deferred", json!({})).await, @"Deferred is not loaded yet, so its parameters are unknown to you, and nothing was run. Load it first with ToolSearch(query: \"select:Deferred\"), then call it again.");
    let world = world();
    world.engine.pool.discovered().insert("Deferred");
    assert_eq!(
        world.run("Deferred", json!({})).await.status,
        CallStatus::Succeeded
    );
}

/// dv-stream-003: never repaired, never run, and it says where.
#[tokio::test]
async fn input_that_is_no_json() {
    let world = world();
    for (raw, message) in [
        (
            r#"{"command": "ls -la",}"#,
            "trailing comma at line 1 column 22",
        ),
        (
            r#"{"command": "ls" "x"}"#,
            "expected `,` or `}` at line 1 column 18",
        ),
        (
            r#"{"a":1}{"b":2}"#,
            "trailing characters at line 1 column 8",
        ),
        ("[1]", "expected an object, found an array"),
    ] {
        let input = CallInput::Invalid {
            raw: raw.to_owned(),
            message: message.to_owned(),
        };
        let call = ToolCall {
            id: "c".into(),
            name: "Probe".to_owned(),
            input,
        };
        let result = world.engine.run_one(call, Cancellation::new()).await;
        assert_eq!(result.status, CallStatus::Failed);
        assert!(text(&result).contains(message), "{}", text(&result));
    }
    assert!(world.log.events().is_empty());
    let input = CallInput::Invalid {
        raw: r#"{"a": "hal"#.to_owned(),
        message: "EOF at line 1 column 10".to_owned(),
    };
    let call = ToolCall {
        id: "c".into(),
        name: "Probe".to_owned(),
        input,
    };
    let result = world.engine.run_one(call, Cancellation::new()).await;
    insta::assert_snapshot!(text(&result), @"InputValidationError: Probe was not called. Its input is not a valid JSON object: EOF at line 1 column 10. It was not repaired; send the call again with one complete JSON object. It ends in the middle: if your answer was cut off at the output limit, send less in one call.");
}

#[tokio::test]
async fn input_that_does_not_fit() {
    insta::assert_snapshot!(
        fails("Probe", json!({"safe": "False", "millis": -1, "end": "Succeed", "txt": "x", "gate": 7})).await,
        @r#"
    InputValidationError: Probe was not called. Its input has 5 problems:
    - `safe`: expected true or false; got the string "False"
    - `millis`: expected a number of at least 0; got the number -1
    - `end`: expected one of "succeed", "fail", "panic", "never", "block"; got the string "Succeed"
    - `gate`: expected a string; got the number 7
    - `txt`: is not a field of this tool; did you mean `text`?
    "#
    );
}

/// dv-edit-021: a missing field is not an empty one.
#[tokio::test]
async fn input_that_was_cut_off() {
    insta::assert_snapshot!(fails("Write", json!({"file_path": "keep.pas"})).await, @r"
    InputValidationError: Write was not called. Its input has a problem:
    - `content`: is required, and missing
    A missing field is not an empty one, and nothing was done. If your answer was cut off at the output limit, send the call again with less in it, in several calls where needed.
    ");
}

#[tokio::test]
async fn input_that_makes_no_sense() {
    insta::assert_snapshot!(fails("Probe", json!({"text": "nonsense"})).await, @"The text must make sense.");
}

#[tokio::test]
async fn a_tool_that_fails() {
    insta::assert_snapshot!(fails("Probe", json!({"end": "fail"})).await, @"it did not work");
}

#[tokio::test]
async fn a_tool_that_panics_anywhere() {
    insta::assert_snapshot!(fails("Probe", json!({"end": "panic"})).await, @"Probe failed with an internal error (on purpose). This is a fault of the tool and not of your input. It may have done a part of its work: look before you try again.");
    for place in [
        "panic in validation",
        "panic in classification",
        "panic in mapping",
    ] {
        let words = fails("Probe", json!({"text": place, "safe": true})).await;
        assert!(words.contains("internal error"), "{place}: {words}");
    }
    let shown = world()
        .run("Probe", json!({"text": "panic in presentation"}))
        .await;
    assert_eq!(
        shown.status,
        CallStatus::Succeeded,
        "how a call looks does not decide how it ends"
    );
}

#[tokio::test]
async fn the_record_tells_every_stage() {
    let world = world();
    let result = world.run("OldProbe", json!({"text": "x"})).await;
    assert_eq!(result.record.tool, "Probe");
    let numbers: Vec<u8> = result
        .record
        .stages
        .iter()
        .map(|stage| stage.number)
        .collect();
    assert_eq!(numbers, (1..=14).collect::<Vec<u8>>());
    assert_eq!(
        result.record.stages[1].note.as_deref(),
        Some("`OldProbe` is another name of Probe")
    );
    assert!(result.record.decision.is_some());

    let failed = world.run("Probe", json!({"end": "panic"})).await;
    assert_eq!(
        failed.record.stages.len(),
        14,
        "a panic inside of the tool is a failure like others"
    );
    let ended = world
        .run("Probe", json!({"text": "panic in validation"}))
        .await;
    let last = ended.record.stages.last().unwrap();
    assert_eq!(
        (last.number, last.outcome, last.note.as_deref()),
        (4, StageOutcome::Ended, Some("panicked"))
    );
}
