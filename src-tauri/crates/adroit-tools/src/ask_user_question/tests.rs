//! Questions, their answers, and how both look.

use std::sync::Arc;

use adroit_protocol::permission::{Answer, DraftChange, DraftKind};
use adroit_protocol::view::QuestionAnswer;
use adroit_tool::{AnyTool, DescribeOptions, DraftError, ParsedInput};
use serde_json::{Value, json};

use crate::tests::Project;

fn questions() -> Value {
    json!({ "questions": [
        {
            "question": "Which database shall it use?",
            "header": "Database",
            "options": [
                { "label": "Postgres (recommended)", "description": "Runs already." },
                { "label": "SQLite, in a file", "description": "Nothing to set up." },
            ],
            "multiSelect": false,
        },
        {
            "question": "Which formats?",
            "header": "Formats",
            "options": [
                { "label": "JSON", "description": "" },
                { "label": "CSV", "description": "" },
                { "label": "XML", "description": "" },
            ],
            "multiSelect": true,
        },
    ] })
}

fn with_answers(answers: Value) -> Value {
    let mut input = questions();
    input["answers"] = answers;
    input
}

fn answer(chosen: &[u32], other: Option<&str>) -> QuestionAnswer {
    QuestionAnswer {
        chosen: chosen.to_vec(),
        other: other.map(str::to_owned),
    }
}

fn parse(tool: &dyn AnyTool, input: Value) -> ParsedInput {
    tool.parse(Arc::new(input)).unwrap()
}

/// What the person's answers make of the input.
async fn answered(answers: Vec<QuestionAnswer>) -> Result<Value, DraftError> {
    let project = Project::new();
    let tool = project.tool("AskUserQuestion");
    let input = parse(tool.as_ref(), questions());
    let drafted = tool.draft(&input, &project.context).await.unwrap();
    let change = drafted.draft.change(&DraftChange::Answers { answers })?;
    assert_eq!(change.told, None, "the result tells it");
    Ok(change.input)
}

#[tokio::test]
async fn the_answers_of_the_person_reach_the_model_as_text() {
    let project = Project::new();
    let input = answered(vec![
        answer(&[1], None),
        answer(&[0, 2], Some("  and YAML, if that is little work ")),
    ]);
    let text = project.text("AskUserQuestion", input.await.unwrap()).await;
    insta::assert_snapshot!(text, @"
    The questions were answered:

    Which database shall it use?
    - SQLite, in a file

    Which formats?
    - JSON
    - XML
    - In their own words: and YAML, if that is little work
    ");
}

/// Answers of a hook are texts, as they are publicly documented.
#[tokio::test]
async fn answers_by_text_are_labels_or_other_words() {
    let project = Project::new();
    let text = async |first: Value, second: Value| {
        let answers = json!({ "Which database shall it use?": first, "Which formats?": second });
        project.text("AskUserQuestion", with_answers(answers)).await
    };
    let labels = text(json!("SQLite, in a file"), json!("JSON, CSV")).await;
    assert!(
        labels.contains("- SQLite, in a file\n") && labels.contains("- JSON\n- CSV"),
        "{labels}"
    );
    let words = text(json!("MySQL"), json!(["CSV", "YAML"])).await;
    assert!(words.contains("- In their own words: MySQL"), "{words}");
    assert!(
        words.contains("- CSV\n- In their own words: YAML"),
        "{words}"
    );
}

#[tokio::test]
async fn every_question_needs_an_answer_that_is_one() {
    let good = || answer(&[0], None);
    for (answers, words) in [
        (vec![good()], "2 questions and 1 answers"),
        (
            vec![good(), answer(&[], None)],
            "`Which formats?` has no answer",
        ),
        (
            vec![good(), answer(&[], Some("  "))],
            "`Which formats?` has no answer",
        ),
        (vec![good(), answer(&[3], None)], "no such choice"),
        (vec![good(), answer(&[1, 1], None)], "no such choice"),
        (vec![answer(&[0, 1], None), good()], "takes one answer"),
        (
            vec![answer(&[0], Some("or so")), good()],
            "takes one answer",
        ),
    ] {
        let error = answered(answers).await.unwrap_err();
        assert!(error.to_string().contains(words), "{error}");
    }
    let project = Project::new();
    let tool = project.tool("AskUserQuestion");
    let input = parse(tool.as_ref(), questions());
    let draft = tool.draft(&input, &project.context).await.unwrap().draft;
    assert!(draft.offer().answer);
    assert_eq!(draft.offer().kind, DraftKind::Questions);
    let text = DraftChange::Text {
        text: "x".to_owned(),
    };
    assert_eq!(draft.change(&text).unwrap_err(), DraftError::NoText);
    assert_eq!(draft.text(&[]).unwrap_err(), DraftError::NoText);
}

#[tokio::test]
async fn without_answers_it_fails_and_says_so() {
    let project = Project::new();
    let failure = project.failure("AskUserQuestion", questions()).await;
    assert_eq!(failure.code, "not_answered");
    assert!(
        failure.message.contains("go on with what you know"),
        "{}",
        failure.message
    );
}

#[tokio::test]
async fn what_cannot_be_told_apart_is_refused() {
    let project = Project::new();
    let change = |place: &str, value: Value| {
        let mut input = questions();
        *input.pointer_mut(place).unwrap() = value;
        input
    };
    for (input, words) in [
        (
            change(
                "/questions/1/question",
                json!("Which database shall it use?"),
            ),
            "asked twice",
        ),
        (
            change(
                "/questions/0/options/1/label",
                json!("Postgres (recommended) "),
            ),
            "twice",
        ),
        (
            change("/questions/0/options/1/label", json!(" ")),
            "no label",
        ),
        (change("/questions/0/question", json!(" ")), "is empty"),
        (
            with_answers(json!({ "Which colour?": "red" })),
            "none of the questions",
        ),
        (
            with_answers(json!({ "Which formats?": "JSON" })),
            "has no answer",
        ),
    ] {
        let failure = project.failure("AskUserQuestion", input).await;
        assert_eq!(failure.code, "invalid_question");
        assert!(failure.message.contains(words), "{}", failure.message);
    }
}

#[test]
fn where_nobody_answers_the_model_is_told_beforehand() {
    let project = Project::new();
    let tool = project.tool("AskUserQuestion");
    let prompt = |interactive| {
        let options = DescribeOptions {
            interactive,
            ..DescribeOptions::default()
        };
        tool.prompt(&options).into_owned()
    };
    assert!(prompt(false).contains("Nobody can answer in this run"));
    assert!(!prompt(true).contains("Nobody can answer"));
}

#[test]
fn the_schema_has_bounds_and_no_answers() {
    let project = Project::new();
    insta::assert_json_snapshot!(project.tool("AskUserQuestion").input_schema().as_ref());
}

/// The form in which the page sends answers.
#[test]
fn an_answer_of_the_page_is_understood() {
    let sent = json!({ "type": "allow_changed", "change": {
        "type": "answers", "answers": [{ "chosen": [0] }, { "chosen": [], "other": "x" }],
    } });
    let understood: Answer = serde_json::from_value(sent).unwrap();
    let expected = Answer::AllowChanged {
        change: DraftChange::Answers {
            answers: vec![answer(&[0], None), answer(&[], Some("x"))],
        },
        comments: Vec::new(),
    };
    assert_eq!(understood, expected);
}
