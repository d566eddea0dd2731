//! Every member of the contract has somebody who asks for it.

use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::Arc;

use adroit_permissions::RuleSet;
use adroit_protocol::event::CallStatus;
use adroit_protocol::message::{Message, ResultContent};
use adroit_protocol::permission::{Behavior, Mode};
use adroit_protocol::view::{Chip, ChipKind, Group, GroupKind, View};
use adroit_tool::{
    CallContext, DescribeOptions, Features, Outcome, Stage, Tool, ToolFailure, erase,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::fixture::*;
use crate::{ConsentAnswer, Pool, definition};

/// A tool that says something of everything.
struct Showy;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ShowyInput {
    /// The file.
    file: String,
    /// Whether it loses something.
    #[serde(default)]
    loses: bool,
    /// Whether it searches.
    #[serde(default)]
    searches: bool,
}

impl Tool for Showy {
    type Input = ShowyInput;
    type Output = String;

    fn name(&self) -> &'static str {
        "Showy"
    }

    fn strict(&self) -> bool {
        true
    }

    fn user_facing_name(&self) -> Cow<'static, str> {
        Cow::Borrowed("Show things")
    }

    async fn call(
        &self,
        input: Arc<ShowyInput>,
        _context: CallContext,
    ) -> Result<Outcome<String>, ToolFailure> {
        let mut outcome = Outcome::new(input.file.clone());
        outcome.mcp_meta = Some(json!({"from": "a server"}));
        outcome.new_messages = vec![Message::user("Mind this.")];
        Ok(outcome)
    }

    fn description(&self, input: Option<&ShowyInput>, options: &DescribeOptions) -> String {
        match input {
            Some(input) => format!(
                "Shows {} beside {} tools.",
                input.file,
                options.tools.len() - 1
            ),
            None => "Shows things.".to_owned(),
        }
    }

    fn prompt(&self, _options: &DescribeOptions) -> Cow<'static, str> {
        Cow::Borrowed("Shows things.")
    }

    fn is_destructive(&self, input: &ShowyInput, _context: &CallContext) -> bool {
        input.loses
    }

    fn is_open_world(&self, input: &ShowyInput) -> bool {
        input.loses
    }

    fn search_or_read(&self, input: &ShowyInput) -> Option<GroupKind> {
        input.searches.then_some(GroupKind::Search)
    }

    fn present(&self, _stage: Stage<'_, Self>) -> View {
        View {
            group: Some(Group {
                kind: GroupKind::Search,
                chips: vec![Chip {
                    kind: ChipKind::Path,
                    text: "a".to_owned(),
                }],
            }),
            ..View::titled("Show")
        }
    }

    fn is_result_truncated(&self, output: &String) -> bool {
        output == "long"
    }

    fn is_transparent_wrapper(&self) -> bool {
        true
    }

    fn map_result(&self, output: &String) -> Vec<ResultContent> {
        vec![ResultContent::text(output.clone())]
    }

    fn path(&self, input: &ShowyInput, _context: &CallContext) -> Option<PathBuf> {
        Some(PathBuf::from("/project").join(&input.file))
    }

    fn search_text(&self, output: &String) -> String {
        match output.as_str() {
            "plain" => output.clone(),
            _ => format!("all of {output}"),
        }
    }
}

/// As [`Showy`], but nobody may answer in the person's place.
struct Interactive;

impl Tool for Interactive {
    type Input = ShowyInput;
    type Output = String;

    fn name(&self) -> &'static str {
        "Interactive"
    }

    async fn call(
        &self,
        input: Arc<ShowyInput>,
        _context: CallContext,
    ) -> Result<Outcome<String>, ToolFailure> {
        Ok(Outcome::new(input.file.clone()))
    }

    fn description(&self, _input: Option<&ShowyInput>, _options: &DescribeOptions) -> String {
        "Asks.".to_owned()
    }

    fn prompt(&self, _options: &DescribeOptions) -> Cow<'static, str> {
        Cow::Borrowed("Asks.")
    }

    fn requires_user_interaction(&self) -> bool {
        true
    }

    fn present(&self, _stage: Stage<'_, Self>) -> View {
        View::titled("Ask")
    }

    fn map_result(&self, output: &String) -> Vec<ResultContent> {
        vec![ResultContent::text(output.clone())]
    }
}

fn showy_world(mode: Mode) -> World {
    let answer = |_: &crate::Ask| ConsentAnswer::Allow(consent(Behavior::Allow, None));
    World::new(snapshot(mode, &[]), Some(Box::new(answer))).with(|engine| {
        let tools = [erase(Showy), erase(Interactive), erase(FakeEdit)];
        let rules = RuleSet::compile(Vec::new());
        engine.pool = Arc::new(Pool::assemble(tools, [], &rules, &Features::default()));
    })
}

/// What was asked of the person about one input.
async fn asked(input: Value) -> crate::Ask {
    let world = showy_world(Mode::Default);
    world.run("Showy", input).await;
    let mut asked = world.person.asked.lock().unwrap();
    asked.pop().unwrap()
}

#[tokio::test]
async fn a_request_says_what_the_tool_says_of_this_very_input() {
    let ask = asked(json!({"file": "a.txt"})).await;
    assert_eq!(ask.label, "Show things");
    assert_eq!(ask.description, "Shows a.txt beside 2 tools.");
    assert_eq!((ask.destructive, ask.open_world), (None, false));
    let ask = asked(json!({"file": "a.txt", "loses": true})).await;
    assert_eq!(
        ask.destructive.as_deref(),
        Some("It may lose something that cannot be brought back.")
    );
    assert!(ask.open_world);
}

#[tokio::test]
async fn the_record_keeps_the_traits_of_the_input() {
    let world = showy_world(Mode::BypassPermissions);
    let result = world
        .run("Showy", json!({"file": "a", "loses": true}))
        .await;
    let traits = result.record.traits.unwrap();
    assert!(traits.destructive && traits.open_world);
    assert!(!traits.read_only && !traits.concurrency_safe);
    assert_eq!(traits.path.as_deref(), Some("/project/a"));
}

#[tokio::test]
async fn a_view_says_that_it_is_cut_and_what_it_wraps() {
    let world = showy_world(Mode::BypassPermissions);
    let view = async |input: Value| world.run("Showy", input).await.view;
    let cut = view(json!({"file": "long", "searches": true})).await;
    assert!(cut.truncated && cut.transparent && cut.group.is_some());
    let whole = view(json!({"file": "short"})).await;
    assert!(!whole.truncated);
    assert_eq!(whole.group, None, "what does not search never folds");
}

#[tokio::test]
async fn what_comes_beside_a_result_is_passed_on() {
    let world = showy_world(Mode::BypassPermissions);
    let result = world.run("Showy", json!({"file": "a"})).await;
    assert_eq!(result.mcp_meta, Some(json!({"from": "a server"})));
    assert_eq!(result.new_messages, [Message::user("Mind this.")]);
    assert_eq!(result.search_text.as_deref(), Some("all of a"));
    assert!(!text(&result).contains("server"), "the model is not told");
    let plain = world.run("Showy", json!({"file": "plain"})).await;
    assert_eq!(plain.search_text, None, "kept once only");
}

/// No mode and no hook answers a question to the person.
#[tokio::test]
async fn what_needs_a_person_asks_in_every_mode() {
    for mode in Mode::ALL {
        let world = showy_world(mode);
        let result = world.run("Interactive", json!({"file": "a"})).await;
        let asked = world.person.asked.lock().unwrap().len();
        let expected = match mode {
            Mode::DontAsk => (CallStatus::Denied, 0),
            _ => (CallStatus::Succeeded, 1),
        };
        assert_eq!((result.status, asked), expected, "{mode:?}");
    }
}

#[test]
fn the_provider_hears_which_tools_are_strict() {
    let options = DescribeOptions::default();
    assert!(definition(erase(Showy).as_ref(), &options).strict);
    assert!(!definition(erase(Interactive).as_ref(), &options).strict);
}
