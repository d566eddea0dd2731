//! Plans: presented, edited, approved, and what is told of each.

use std::sync::Arc;

use adroit_protocol::permission::{AfterPlan, DraftChange, DraftKind, Mode};
use adroit_tool::{AnyTool, ContextChange, Draft, DraftError, ParsedInput};
use serde_json::{Value, json};

use crate::tests::Project;

const PLAN: &str = "1. Read `a.txt`.\n2. Replace *foo*.";

fn parse(tool: &dyn AnyTool, input: Value) -> ParsedInput {
    tool.parse(Arc::new(input)).unwrap()
}

async fn draft(project: &Project) -> Arc<dyn Draft> {
    let tool = project.tool("ExitPlanMode");
    let input = parse(tool.as_ref(), json!({ "plan": PLAN }));
    tool.draft(&input, &project.context).await.unwrap().draft
}

fn change(text: Option<&str>, mode: AfterPlan) -> DraftChange {
    DraftChange::Plan {
        text: text.map(str::to_owned),
        mode,
    }
}

#[tokio::test]
async fn an_approved_plan_leaves_plan_mode_for_the_mode_that_was_chosen() {
    let project = Project::new();
    let tool = project.tool("ExitPlanMode");
    for mode in [AfterPlan::Default, AfterPlan::AcceptEdits] {
        let approved = draft(&project).await.change(&change(None, mode)).unwrap();
        assert_eq!(approved.told, None, "nothing was changed");
        let input = parse(tool.as_ref(), approved.input);
        let outcome = tool.call(&input, project.context.clone()).await.unwrap();
        assert_eq!(
            outcome.context_change,
            Some(ContextChange::LeavePlanMode(mode))
        );
    }
    assert!(
        !tool.is_concurrency_safe(
            &parse(tool.as_ref(), json!({ "plan": PLAN })),
            &project.context
        ),
        "a change of the mode is applied for calls that run alone only"
    );
}

#[tokio::test]
async fn the_model_reads_how_it_goes_on() {
    let project = Project::new();
    let text = async |mode: &str| {
        project
            .text("ExitPlanMode", json!({ "plan": PLAN, "mode": mode }))
            .await
    };
    insta::assert_snapshot!(text("default").await, @"The person approved the plan, and plan mode is over. Your changes are asked about one by one. Carry the plan out now.");
    insta::assert_snapshot!(text("acceptEdits").await, @"The person approved the plan, and plan mode is over. Edits of files in the project are accepted; commands may still be asked about. Carry the plan out now.");
}

/// The bypass: a yes that names no mode, or one that nobody could have meant.
#[tokio::test]
async fn no_yes_without_a_mode_and_no_other_mode() {
    let project = Project::new();
    let failure = project
        .failure("ExitPlanMode", json!({ "plan": PLAN }))
        .await;
    assert_eq!(failure.code, "not_approved");
    let tool = project.tool("ExitPlanMode");
    for mode in Mode::ALL {
        let input = json!({ "plan": PLAN, "mode": mode.word() });
        let offered = matches!(mode, Mode::Default | Mode::AcceptEdits);
        assert_eq!(tool.parse(Arc::new(input)).is_ok(), offered, "{mode:?}");
    }
}

#[tokio::test]
async fn an_edited_plan_is_what_is_approved_and_told() {
    let project = Project::new();
    let draft = draft(&project).await;
    let offer = draft.offer();
    assert_eq!(offer.kind, DraftKind::Plan);
    assert!(offer.text && offer.answer && !offer.hunks);
    assert_eq!(draft.text(&[]).unwrap(), PLAN);
    let edited = draft
        .change(&change(Some("1. Only read."), AfterPlan::Default))
        .unwrap();
    assert_eq!(
        edited.input,
        json!({ "plan": "1. Only read.", "mode": "default" })
    );
    insta::assert_snapshot!(edited.told.unwrap(), @"
    The user edited the plan before approving it. Carry it out as it reads now:

    1. Only read.
    ");
    let error = |text: &str| {
        let change = change(Some(text), AfterPlan::Default);
        draft.change(&change).unwrap_err()
    };
    assert_eq!(error("  \n"), DraftError::NothingLeft);
    assert!(matches!(error(&"x".repeat(50_001)), DraftError::Unfit(_)));
    let text = DraftChange::Text {
        text: "x".to_owned(),
    };
    assert_eq!(draft.change(&text).unwrap_err(), DraftError::NoText);
    assert_eq!(draft.text(&[0]).unwrap_err(), DraftError::NoSuchPlace);
}

#[tokio::test]
async fn an_empty_plan_is_none() {
    let project = Project::new();
    let failure = project
        .failure("ExitPlanMode", json!({ "plan": " \n" }))
        .await;
    assert_eq!(failure.code, "no_plan");
}
