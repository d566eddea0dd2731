//! Calls that are questions: who may answer, and who may not.

use std::borrow::Cow;
use std::sync::{Arc, Mutex};

use adroit_hooks::PersonSpared;
use adroit_permissions::{HookOpinion, RuleSet};
use adroit_protocol::event::CallStatus::{self, Denied, Failed, Succeeded};
use adroit_protocol::message::ResultContent;
use adroit_protocol::permission::{Behavior, Mode};
use adroit_protocol::view::View;
use adroit_tool::{
    AnswerFields, Answerers, CallContext, DescribeOptions, Features, Outcome, Stage, Tool,
    ToolFailure, erase,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::fixture::*;
use super::hooks::Says;
use crate::{ConsentAnswer, Pool, ToolResult};

/// Asks something; its result is the answer.
struct Quiz {
    name: &'static str,
    by: Answerers,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct QuizInput {
    /// The question.
    question: String,
    #[serde(default)]
    #[schemars(skip)]
    answer: Option<String>,
}

impl Tool for Quiz {
    type Input = QuizInput;
    type Output = String;

    fn name(&self) -> &'static str {
        self.name
    }

    async fn call(
        &self,
        input: Arc<QuizInput>,
        _context: CallContext,
    ) -> Result<Outcome<String>, ToolFailure> {
        let QuizInput { question, answer } = input.as_ref();
        let answer = answer.as_ref();
        let answer = answer.ok_or_else(|| ToolFailure::new("not_answered", "nobody answered"))?;
        Ok(Outcome::new(format!("{question} {answer}")))
    }

    fn description(&self, _input: Option<&QuizInput>, _options: &DescribeOptions) -> String {
        "Asks.".to_owned()
    }

    fn prompt(&self, _options: &DescribeOptions) -> Cow<'static, str> {
        Cow::Borrowed("Asks.")
    }

    fn is_read_only(&self, _input: &QuizInput, _context: &CallContext) -> bool {
        true
    }

    fn requires_user_interaction(&self) -> bool {
        true
    }

    fn answer_fields(&self) -> AnswerFields {
        AnswerFields {
            names: &["answer"],
            by: self.by,
        }
    }

    fn present(&self, _stage: Stage<'_, Self>) -> View {
        View::titled("Quiz")
    }

    fn map_result(&self, output: &String) -> Vec<ResultContent> {
        vec![ResultContent::text(output.clone())]
    }
}

/// A world in which the person answers "mine".
fn quiz(mode: Mode, rules: &[(Behavior, &str)], hooks: Option<Says>) -> World {
    let answer = |ask: &crate::Ask| {
        let mut input = Value::clone(&ask.input);
        input["answer"] = json!("mine");
        let record = consent(Behavior::Allow, None);
        ConsentAnswer::Answered { input, record }
    };
    let world = World::new(snapshot(mode, rules), Some(Box::new(answer))).with(|engine| {
        let tools = [
            ("Quiz", Answerers::PersonOrHook),
            ("Private", Answerers::Person),
        ];
        let tools = tools.map(|(name, by)| erase(Quiz { name, by }));
        let none = RuleSet::compile(Vec::new());
        engine.pool = Arc::new(Pool::assemble(tools, [], &none, &Features::default()));
    });
    match hooks {
        Some(hooks) => world.with_hooks(hooks),
        None => world,
    }
}

fn question() -> Value {
    json!({"question": "Why?"})
}

/// The status, how often the person was asked, what the model reads.
async fn run(world: &World, tool: &str, input: Value) -> (ToolResult, usize) {
    let result = world.run(tool, input).await;
    let asked = world.person.asked.lock().unwrap().len();
    (result, asked)
}

fn allow(answer: Option<&str>) -> Says {
    let hook = "proxy.sh".to_owned();
    let mut says = match answer.map(str::to_owned) {
        None => Says::opinion(HookOpinion::None),
        Some(answer) => Says::change(move |input| {
            let mut input = input.clone();
            // A hook's change is taken once a call.
            if input.get("answer").is_none() {
                input["answer"] = json!(answer);
            }
            input
        }),
    };
    says.opinion = HookOpinion::Allow { hook };
    says
}

fn instead(updated_input: Option<Value>) -> Says {
    let mut says = Says::opinion(HookOpinion::None);
    says.instead = PersonSpared::Allow {
        hook: "proxy.sh".to_owned(),
        updated_input,
        remember: Vec::new(),
    };
    says
}

#[tokio::test]
async fn the_person_answers_in_every_mode_and_whatever_allows() {
    for mode in Mode::ALL.into_iter().filter(|mode| *mode != Mode::DontAsk) {
        let rules = [(Behavior::Allow, "Quiz"), (Behavior::Allow, "Private")];
        for tool in ["Quiz", "Private"] {
            let world = quiz(mode, &rules, Some(allow(None)));
            let (result, asked) = run(&world, tool, question()).await;
            assert_eq!((result.status, asked), (Succeeded, 1), "{tool} {mode:?}");
            assert!(text(&result).starts_with("Why? mine"), "{}", text(&result));
            let record = result.record;
            assert_eq!(record.decision.unwrap().reason, "answered by person");
            let consent = record.consent.unwrap();
            assert!(consent.answered && !consent.changed);
        }
    }
}

/// The bypass: a model that writes the person's answer into its own call.
#[tokio::test]
async fn an_answer_that_the_model_writes_is_refused() {
    for tool in ["Quiz", "Private"] {
        let world = quiz(Mode::BypassPermissions, &[], None);
        let input = json!({"question": "May I?", "answer": "yes"});
        let (result, asked) = run(&world, tool, input).await;
        assert_eq!((result.status, asked), (Failed, 0));
        assert!(text(&result).contains("answer"), "{}", text(&result));
        assert!(!text(&result).contains("May I? yes"), "{}", text(&result));
    }
}

#[tokio::test]
async fn where_nobody_is_asked_the_model_hears_what_to_do_instead() {
    let world = quiz(Mode::DontAsk, &[], Some(instead(Some(question()))));
    let (result, asked) = run(&world, "Quiz", question()).await;
    assert_eq!((result.status, asked), (Denied, 0));
    insta::assert_snapshot!(text(&result), @"Not answered: it is a question, and in the mode dontAsk nobody is asked. Do not ask again. Decide what fits the request best and say in your answer what you assumed, or put what you wanted to ask into your answer.");
}

#[tokio::test]
async fn a_hook_before_the_call_answers_with_an_answer_and_a_yes_together() {
    // Both: nobody is asked, even where nobody could be.
    for mode in Mode::ALL {
        let world = quiz(mode, &[], Some(allow(Some("hooked"))));
        let (result, asked) = run(&world, "Quiz", question()).await;
        assert_eq!((result.status, asked), (Succeeded, 0), "{mode:?}");
        assert!(
            text(&result).starts_with("Why? hooked"),
            "{}",
            text(&result)
        );
    }
    // Either alone leaves the question open, and the person's answer counts.
    let mut answer_alone = allow(Some("hooked"));
    answer_alone.opinion = HookOpinion::None;
    for says in [answer_alone, allow(None)] {
        let world = quiz(Mode::Default, &[], Some(says));
        let (result, asked) = run(&world, "Quiz", question()).await;
        assert_eq!((result.status, asked), (Succeeded, 1));
        assert!(text(&result).starts_with("Why? mine"), "{}", text(&result));
    }
}

#[tokio::test]
async fn a_hook_in_the_persons_place_answers_by_an_answer_only() {
    let answer = json!({"question": "Why?", "answer": "hooked"});
    let none: &[(Behavior, &str)] = &[];
    let ask: &[(Behavior, &str)] = &[(Behavior::Ask, "Quiz")];
    for (rules, updated, expected, times) in [
        (none, Some(answer.clone()), "Why? hooked", 0),
        (none, None, "Why? mine", 1),
        (none, Some(json!({"question": "What?"})), "Why? mine", 1),
        // An ask rule wants the person, whoever answers.
        (ask, Some(answer), "Why? mine", 1),
    ] {
        let world = quiz(Mode::Default, rules, Some(instead(updated)));
        let (result, asked) = run(&world, "Quiz", question()).await;
        assert_eq!((result.status, asked), (Succeeded, times), "{expected}");
        assert!(text(&result).starts_with(expected), "{}", text(&result));
        if times == 0 {
            let consent = result.record.consent.unwrap();
            assert!(consent.answered);
            assert_eq!(consent.by, "the hook `proxy.sh`");
        }
    }
}

/// The bypass: a hook that gives an answer which is the person's alone to give.
#[tokio::test]
async fn no_hook_answers_what_only_the_person_may() {
    let answer = json!({"question": "Why?", "answer": "hooked"});
    let world = quiz(Mode::BypassPermissions, &[], Some(allow(Some("hooked"))));
    let (result, asked) = run(&world, "Private", question()).await;
    assert_eq!(
        (result.status, asked),
        (Failed, 0),
        "it cannot be called so"
    );
    let world = quiz(Mode::Default, &[], Some(instead(Some(answer))));
    let (result, asked) = run(&world, "Private", question()).await;
    assert_eq!((result.status, asked), (Succeeded, 1));
    assert!(text(&result).starts_with("Why? mine"), "{}", text(&result));
}

/// The bypass: a hook that puts another answer in the place of the person's.
#[tokio::test]
async fn a_hook_that_changes_what_the_person_answered_is_asked_about() {
    let seen = Arc::new(Mutex::new(0));
    let count = Arc::clone(&seen);
    let mut says = Says::change(move |input| {
        let mut input = input.clone();
        if input.get("answer").is_some() {
            *count.lock().unwrap() += 1;
            input["answer"] = json!("twisted");
        }
        input
    });
    says.opinion = HookOpinion::Allow {
        hook: "proxy.sh".to_owned(),
    };
    let world = quiz(Mode::Default, &[], Some(says));
    let (result, asked) = run(&world, "Quiz", question()).await;
    assert!(*seen.lock().unwrap() > 0);
    assert!(asked > 1, "the changed answer is a question of its own");
    assert_ne!(result.status, CallStatus::Cancelled);
    assert!(!text(&result).contains("twisted"), "{}", text(&result));
}
