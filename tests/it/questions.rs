//! Questions of the model: answered, declined, kept over a reload, answered by hooks, and where
//! nobody answers.

use adroit_host::headless::{Headless, HeadlessOptions, unheard};
use adroit_host::{AppDirectories, CommandLine};
use adroit_protocol::ErrorCode;
use adroit_protocol::command::CallRecord;
use adroit_protocol::event::CallStatus;
use adroit_protocol::permission::DraftKind;
use adroit_protocol::view::{Block, Question, QuestionAnswer};
use adroit_testkit::{ScriptedModel, TempProject, turn};
use serde_json::{Value, json};

use crate::desk::{Desk, calls, statuses};

fn question() -> Value {
    json!({"questions": [{
        "question": "Which database?",
        "header": "Database",
        "options": [
            {"label": "Postgres", "description": "Runs already."},
            {"label": "SQLite", "description": "A file."},
        ],
    }]})
}

async fn desk(input: Value) -> (ScriptedModel, Desk) {
    let turns = [
        turn().call("AskUserQuestion", input).end(),
        turn().text("thank you").end(),
    ];
    let model = ScriptedModel::start(turns).await;
    let desk = Desk::anthropic(&model, &[]).await;
    (model, desk)
}

fn answers(answer: &Value) -> Value {
    json!({"type": "allow_changed", "change": {"type": "answers", "answers": [answer]}})
}

fn asked(blocks: &[Block]) -> &Question {
    match blocks {
        [Block::Question(question)] => question,
        other => panic!("{other:?}"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_persons_answer_reaches_the_model_and_stays_to_be_read() {
    let (model, mut desk) = desk(question()).await;
    desk.say("go").await;
    let request = desk.request().await;
    let offer = request.draft.unwrap();
    assert_eq!((offer.kind, offer.answer), (DraftKind::Questions, true));
    assert!(request.suggestions.is_empty(), "no rule answers a question");
    assert_eq!(asked(&request.view.blocks).answer, None);
    // It waits in the backend: who reloads the page finds it again.
    assert_eq!(desk.snapshot().await.requests[0].id, request.id);

    desk.answer(&request, answers(&json!({"chosen": [1]})))
        .await
        .unwrap();
    let end = desk.idle().await;
    assert_eq!(statuses(&end), [CallStatus::Succeeded]);
    let (_, result, is_error) = &model.request(1).await.tool_results()[0];
    assert!(
        !is_error && result.contains("Which database?\n- SQLite"),
        "{result}"
    );
    let call = calls(&end)[0];
    let chosen = QuestionAnswer {
        chosen: vec![1],
        other: None,
    };
    assert_eq!(asked(&call.view.blocks).answer, Some(chosen.clone()));

    // Who answered and when is kept, and so is what was chosen.
    let id = call.call.clone();
    let desk = desk.reopen().await;
    let record: CallRecord = desk
        .on_session("call.record", json!({"call": id}))
        .await
        .unwrap();
    let consent = record.record.unwrap().consent.unwrap();
    assert!(consent.answered && consent.at > 0);
    assert_eq!(consent.by, "person");
    let again = desk.snapshot().await;
    assert_eq!(asked(&calls(&again)[0].view.blocks).answer, Some(chosen));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_yes_answers_nothing_and_a_question_can_be_declined_with_words() {
    let (model, mut desk) = desk(question()).await;
    desk.say("go").await;
    let request = desk.request().await;
    for answer in [
        json!({"type": "allow_once"}),
        json!({"type": "allow_and_remember", "rule": "AskUserQuestion", "scope": "session"}),
        answers(&json!({"chosen": []})),
        answers(&json!({"chosen": [7]})),
        json!({"type": "allow_changed", "change": {"type": "text", "text": "Postgres"}}),
    ] {
        let refused = desk.answer(&request, answer.clone()).await.unwrap_err();
        assert_eq!(refused.code, ErrorCode::InvalidInput, "{answer}");
    }
    desk.answer(&request, json!({"type": "deny", "words": "ask the team"}))
        .await
        .unwrap();
    let end = desk.idle().await;
    assert_eq!(statuses(&end), [CallStatus::Denied]);
    let (_, result, is_error) = &model.request(1).await.tool_results()[0];
    assert!(*is_error);
    assert_eq!(
        result,
        "Not answered: the person declined.\nThe person says: ask the team\nMind what they say, and do \
         not ask the same again; without words of theirs, go on as you think best."
    );
}

/// The bypass: a model that answers its own question.
#[tokio::test(flavor = "multi_thread")]
async fn answers_that_the_model_writes_are_refused() {
    let mut input = question();
    input["answers"] = json!({"Which database?": "Postgres"});
    let (model, mut desk) = desk(input).await;
    let end = desk.ask("go").await;
    assert_eq!(statuses(&end), [CallStatus::Failed]);
    let (_, result, is_error) = &model.request(1).await.tool_results()[0];
    assert!(*is_error && result.contains("answers"), "{result}");
    let tools = model.request(0).await.body["tools"].to_string();
    assert!(
        !tools.contains("\"answers\""),
        "the model knows of no such field"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hook_answers_in_the_documented_form() {
    let echo = |decision: Value| {
        let output = json!({"hookSpecificOutput": decision}).to_string();
        format!("cat > /dev/null; printf '%s' '{output}'")
    };
    let mut updated = question();
    updated["answers"] = json!({"Which database?": "SQLite"});
    let before = json!({
        "hookEventName": "PreToolUse", "permissionDecision": "allow", "updatedInput": updated,
    });
    let instead = json!({
        "hookEventName": "PermissionRequest",
        "decision": {"behavior": "allow", "updatedInput": updated},
    });
    for (event, decision) in [("PreToolUse", before), ("PermissionRequest", instead)] {
        let (model, mut desk) = desk(question()).await;
        let hook = json!([{"matcher": "AskUserQuestion", "hooks": [
            {"type": "command", "command": echo(decision)},
        ]}]);
        let settings = json!({"hooks": {event: hook}}).to_string();
        desk.project.write(".claude/settings.json", &settings);
        let end = desk.ask("go").await;
        assert_eq!(statuses(&end), [CallStatus::Succeeded], "{event}");
        let (_, result, _) = &model.request(1).await.tool_results()[0];
        assert!(result.contains("- SQLite"), "{event}: {result}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_offline_operator_asks_and_tells_what_was_answered() {
    let mut desk = Desk::offline(&[]).await;
    desk.say("ask me which colour? red, green or blue").await;
    let request = desk.request().await;
    assert_eq!(asked(&request.view.blocks).question, "Which colour?");
    let answer = json!({"chosen": [], "other": "ultraviolet"});
    desk.answer(&request, answers(&answer)).await.unwrap();
    let end = desk.idle().await;
    let said = crate::desk::texts(&end).concat();
    assert!(said.contains("You answered:"), "{said}");
    assert!(said.contains("ultraviolet"), "{said}");
}

/// The pipeline does not wait for somebody who is not there.
#[tokio::test(flavor = "multi_thread")]
async fn in_a_run_without_a_person_the_model_hears_that_nobody_answers() {
    let project = TempProject::new(&[]);
    let headless = Headless::open(HeadlessOptions {
        project: project.path().display().to_string(),
        directories: AppDirectories::under(&project.data_dir()),
        command_line: CommandLine::default(),
        operator_delay: Some(std::time::Duration::ZERO),
        emit: unheard(),
    })
    .unwrap();
    let report = headless
        .call("AskUserQuestion", &question().to_string())
        .await;
    assert_eq!(report.status, CallStatus::Denied);
    let said = format!("{:?}", report.content);
    assert!(
        said.contains("Not answered: it is a question, and nobody can be asked in this run."),
        "{said}"
    );
    assert!(
        said.contains("say in your answer what you assumed"),
        "{said}"
    );
    headless.close().await;
}
