//! Hooks that are requests.

use adroit_permissions::HookOpinion;
use adroit_protocol::hook::HookOutcome;
use axum::Router;
use axum::http::HeaderMap;
use axum::response::{IntoResponse as _, Redirect};
use axum::routing::post;
use serde_json::{Value, json};

use super::fixture::World;

/// A server on a port of the system's choice; gives its address.
async fn server() -> String {
    let routes = Router::new()
        .route(
            "/deny",
            post(|body: String| async move {
                let told: Value = serde_json::from_str(&body).unwrap();
                json!({"hookSpecificOutput": {
                    "permissionDecision": "deny",
                    "permissionDecisionReason": format!("no {}", told["tool_input"]["command"].as_str().unwrap())
                }})
                .to_string()
            }),
        )
        .route("/empty", post(|| async {}))
        .route("/text", post(|| async { "all is well" }))
        .route("/broken", post(|| async { axum::http::StatusCode::INTERNAL_SERVER_ERROR }))
        .route("/elsewhere", post(|| async { Redirect::temporary("/deny").into_response() }))
        .route("/slow", post(|| async { std::future::pending::<()>().await }))
        .route("/endless", post(|| async { "x".repeat(2 << 20) }))
        .route(
            "/headers",
            post(|headers: HeaderMap| async move {
                let value = headers["x-token"].to_str().unwrap().to_owned();
                json!({"systemMessage": value}).to_string()
            }),
        );
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, routes).await });
    format!("http://{address}")
}

async fn outcome(hook: Value) -> (HookOutcome, Option<i32>, String, World) {
    let world = World::before(&[hook]);
    let said = world.before_call(&json!({"command": "rm"})).await;
    let run = &said.runs[0];
    let message = run.message.clone().unwrap_or_default();
    (run.outcome, run.code, message, world)
}

fn hook(url: &str) -> Value {
    json!({"type": "http", "url": url})
}

#[tokio::test]
async fn answers_are_understood_like_those_of_commands() {
    let server = server().await;
    let world = World::before(&[hook(&format!("{server}/deny"))]);
    let said = world.before_call(&json!({"command": "rm"})).await;
    assert!(matches!(said.opinion, HookOpinion::Deny { reason, .. } if reason == "no rm"));
    for path in ["empty", "text"] {
        let (outcome, code, ..) = outcome(hook(&format!("{server}/{path}"))).await;
        assert_eq!((outcome, code), (HookOutcome::Passed, Some(200)), "{path}");
    }
}

#[tokio::test]
async fn failures_are_failures() {
    let server = server().await;
    let (broken, code, ..) = outcome(hook(&format!("{server}/broken"))).await;
    assert_eq!((broken, code), (HookOutcome::Failed, Some(500)));
    let (endless, ..) = outcome(hook(&format!("{server}/endless"))).await;
    assert_eq!(endless, HookOutcome::Failed);
    let mut slow = hook(&format!("{server}/slow"));
    slow["timeout"] = json!(0.3);
    assert_eq!(outcome(slow).await.0, HookOutcome::TimedOut);
    let (gone, _, message, world) = outcome(hook("http://127.0.0.1:1/?key=s3cret")).await;
    assert_eq!(gone, HookOutcome::NotStarted);
    assert!(!message.contains("s3cret"), "{message}");
    assert!(world.remarks()[0].contains("could not be started"));
}

#[tokio::test]
async fn what_a_call_is_about_is_not_carried_to_where_a_server_points() {
    let server = server().await;
    let (outcome, code, message, _) = outcome(hook(&format!("{server}/elsewhere"))).await;
    assert_eq!((outcome, code), (HookOutcome::Failed, Some(307)));
    assert!(message.contains("redirects are not followed"), "{message}");
}

#[tokio::test]
async fn headers_get_the_variables_that_they_may_have() {
    let server = server().await;
    let mut hook = hook(&format!("{server}/headers"));
    hook["headers"] = json!({"X-Token": "a${LANG_OF_TEST}b$PATH"});
    hook["allowedEnvVars"] = json!(["LANG_OF_TEST"]);
    let (_, _, _, world) = outcome(hook).await;
    // Neither is set or allowed: nothing of the environment leaves.
    assert!(
        world.remarks()[0].starts_with("ab (hook"),
        "{:?}",
        world.remarks()
    );
}
