//! Streams that break off, stall or are refused.

use adroit_protocol::message::{CallInput, Content, StopReason};
use adroit_testkit::{ScriptedModel, Step, response, turn};
use serde_json::json;

use super::*;
use crate::testing::{collect, request};
use crate::{ProviderKind, StreamEvent};

#[tokio::test]
async fn dv_stream_003_invalid_json_is_not_executed() {
    for broken in [
        r#"{"command": "ls -la",}"#,
        r#"{"command": "ls" "x"}"#,
        r#"{"a":1}{"b":2}"#,
        "[1]",
    ] {
        let (events, error) =
            play(turn().call_start("toolu_1", "Bash").arguments(broken).end()).await;
        assert_eq!(error, None);
        let call = calls(&events).remove(0);
        assert!(
            matches!(&call.input, CallInput::Invalid { raw, .. } if raw == broken),
            "{call:?}"
        );
        // The stored input is a valid object.
        assert!(matches!(call.to_content(), Content::ToolUse { input, .. } if input == json!({})));
    }
}

#[tokio::test]
async fn dv_stream_004_overloaded_in_the_middle() {
    let (events, error) = play(turn().step(Step::Text("Let me".into())).step(Step::Error {
        kind: "overloaded_error".into(),
        message: "Overloaded".into(),
    }))
    .await;
    assert_eq!(texts(&events), "Let me");
    let error = error.unwrap();
    assert!(
        matches!(error, ModelError::Overloaded { .. }) && error.retryable(),
        "{error:?}"
    );
    assert!(
        !events
            .iter()
            .any(|event| matches!(event, StreamEvent::Finish { .. }))
    );
}

#[tokio::test]
async fn dv_stream_005_a_stall_ends_and_stop_is_immediate() {
    let model = ScriptedModel::start([turn().stall(), turn().stall()]).await;
    let mut config = ProviderConfig::new(ProviderKind::Anthropic).with_base_url(model.base_url());
    config.idle_timeout = Duration::from_millis(30);
    let (_, error) = collect(&Anthropic::new(&config).unwrap(), request(vec![])).await;
    assert_eq!(
        error,
        Some(ModelError::Stalled {
            after: Duration::from_millis(30)
        })
    );
    assert!(error.unwrap().retryable());

    let cancel = CancellationToken::new();
    let stream = client(&model).stream(Arc::new(request(vec![])), cancel.clone());
    let waiting = tokio::spawn(futures::StreamExt::collect::<Vec<_>>(stream));
    model.request(1).await;
    cancel.cancel();
    assert_eq!(waiting.await.unwrap(), [Err(ModelError::Cancelled)]);
}

#[tokio::test]
async fn half_an_answer_is_an_error() {
    // The connection is cut within a call.
    let (events, error) = play(
        turn()
            .call_start("t", "Write")
            .arguments("{\"file_path\":")
            .cut(),
    )
    .await;
    assert!(
        matches!(error, Some(ModelError::Dropped { .. })),
        "{error:?}"
    );
    assert!(calls(&events).is_empty());
    // The body ends in good order, but the answer does not.
    let (events, error) = play(turn().call_start("t", "Write").arguments("{}")).await;
    assert!(
        matches!(error, Some(ModelError::Dropped { .. })),
        "{error:?}"
    );
    assert!(calls(&events).is_empty());
    // It ends within an event.
    let (_, error) = play(turn().raw("data: {\"type\":\"content_bl")).await;
    assert!(
        matches!(error, Some(ModelError::Dropped { .. })),
        "{error:?}"
    );
    // Only the end mark is missing.
    let (events, error) = play(
        turn()
            .text("x")
            .step(Step::Stop {
                reason: "end_turn".into(),
                usage: (1, 1),
            })
            .cut(),
    )
    .await;
    assert_eq!((error, stop(&events)), (None, StopReason::EndTurn));
    // Arguments for a block that is not there.
    let (_, error) = play(turn().event(&delta(
        &json!({"type": "input_json_delta", "partial_json": "{"}),
    )))
    .await;
    assert!(
        matches!(error, Some(ModelError::Protocol { .. })),
        "{error:?}"
    );
    // No JSON at all.
    let (_, error) = play(turn().raw("data: hello\n\n")).await;
    assert!(
        matches!(error, Some(ModelError::Protocol { .. })),
        "{error:?}"
    );
}

#[tokio::test]
async fn refusals_say_what_to_do() {
    let refused = |status, kind: &str, message: &str| {
        play(
            response(status)
                .error_body(kind, message)
                .header("retry-after", "3"),
        )
    };
    let (_, error) = refused(
        401,
        "authentication_error",
        "invalid x-api-key: sk-test-key",
    )
    .await;
    let error = error.unwrap();
    assert!(!format!("{error:?} {error}").contains("sk-test-key"));
    insta::assert_snapshot!(error.hint(), @"Enter a valid key for this provider in the settings, or set it in the environment.");
    let (_, error) = refused(529, "overloaded_error", "Overloaded").await;
    let error = error.unwrap();
    assert_eq!(
        (error.retryable(), error.retry_after()),
        (true, Some(Duration::from_secs(3)))
    );
    let (_, error) = refused(404, "not_found_error", "model: model-x").await;
    assert!(matches!(error, Some(ModelError::ModelNotFound { model, .. }) if model == "model-x"));
    let (_, error) = play(
        response(200)
            .header("content-type", "text/html")
            .raw("<html>"),
    )
    .await;
    assert!(
        matches!(error, Some(ModelError::BadAddress { .. })),
        "{error:?}"
    );

    let closed = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let config =
        ProviderConfig::new(ProviderKind::Anthropic).with_base_url(format!("http://{closed}"));
    let (_, error) = collect(&Anthropic::new(&config).unwrap(), request(vec![])).await;
    let error = error.unwrap();
    assert!(matches!(error, ModelError::Unreachable { .. }), "{error:?}");
    assert!(
        error.to_string().contains("Connection refused")
            && error.hint().contains("Start the local model server"),
        "{error}"
    );
}

#[tokio::test]
async fn no_key_is_told_before_anything_is_sent() {
    let client = Anthropic::new(&ProviderConfig::new(ProviderKind::Anthropic)).unwrap();
    let (_, error) = collect(&client, request(vec![])).await;
    assert!(
        matches!(error, Some(ModelError::Unauthorized { .. })),
        "{error:?}"
    );
}
