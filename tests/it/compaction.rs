//! Conversations that outgrow their model: by command, by themselves, after a refusal; what fails
//! changes nothing, and nothing is lost.

use adroit_protocol::command::FoundText;
use adroit_protocol::event::{CompactionItem, CompactionTrigger, ItemBody, SessionSnapshot};
use adroit_testkit::{Gate, RecordedRequest, ScriptedModel, TempProject, Turn, response, turn};
use serde_json::{Value, json};

use crate::desk::{Desk, statuses, texts};

const SUMMARY: &str = "## What was asked\n- the colour of the sky";

fn compactions(snapshot: &SessionSnapshot) -> Vec<&CompactionItem> {
    snapshot
        .items
        .iter()
        .filter_map(|item| match &item.body {
            ItemBody::Compacted { compaction } => Some(compaction),
            _ => None,
        })
        .collect()
}

fn said(request: &RecordedRequest) -> String {
    json!(request.messages()).to_string()
}

/// A desk whose model takes 100,000 tokens, with hooks as settings of the project.
async fn desk(turns: Vec<Turn>, hooks: &Value) -> (ScriptedModel, Desk) {
    let model = ScriptedModel::start(turns).await;
    let settings = json!({"model": {
        "provider": "anthropic", "name": "test-model", "baseUrl": model.base_url(), "contextTokens": 100_000
    }});
    let project = TempProject::new(&[("a.txt", "alpha\n")]);
    let desk = Desk::start(project, settings).await;
    if !hooks.is_null() {
        let settings = json!({"hooks": hooks}).to_string();
        desk.project.write(".claude/settings.json", &settings);
    }
    (model, desk)
}

fn hook(command: &str) -> Value {
    json!([{"matcher": "", "hooks": [{"type": "command", "command": command}]}])
}

#[tokio::test(flavor = "multi_thread")]
async fn by_command_a_summary_takes_the_place_of_what_is_older() {
    let hooks = json!({
        "PreCompact": hook("cat > told.json"),
        "SessionStart": [{"matcher": "compact", "hooks": [
            {"type": "command", "command": "cat > started.json; echo 'the branch is main'"}]}],
    });
    let (model, mut desk) = desk(
        vec![
            turn().text("blue").end(),
            turn().call("Read", json!({"file_path": "a.txt"})).end(),
            turn().text("alpha").usage(5_000, 10).end(),
            turn().text(SUMMARY).usage(700, 30).end(),
            turn()
                .call(
                    "Edit",
                    json!({"file_path": "a.txt", "old_string": "alpha", "new_string": "beta"}),
                )
                .end(),
            turn().text("done").end(),
            turn().text("resumed").end(),
            turn().text("back").end(),
        ],
        &hooks,
    )
    .await;
    desk.ask("what colour is the sky? ".repeat(60).trim()).await;
    let before = desk.ask("read it").await;
    let end = desk.ask("/compact keep the colours").await;

    // The person sees everything, and a marker.
    assert_eq!(end.items[..before.items.len()], before.items);
    let [marker] = compactions(&end)[..] else {
        panic!("one marker: {end:#?}")
    };
    assert_eq!(marker.trigger, CompactionTrigger::Manual);
    assert_eq!(marker.why, "You asked for it: keep the colours");
    assert_eq!(marker.summary, SUMMARY);
    assert!(marker.tokens_after < marker.tokens_before, "{marker:?}");
    assert_eq!(
        end.usage.input_tokens,
        5_200 + 700,
        "the summary is counted"
    );
    let found: FoundText = desk
        .on_session("session.find", json!({"text": "colour is the sky"}))
        .await
        .unwrap();
    assert_eq!(found.entries.len(), 1, "what is older is found");

    // The model was asked without tools, with what is older and what the person wants.
    let asked = model.request(3).await;
    assert_eq!(asked.body.get("tools"), None);
    let text = said(&asked);
    assert!(
        text.contains("what colour is the sky?") && text.contains("keep the colours"),
        "{text}"
    );
    assert!(
        !text.contains("read it"),
        "what stays is not summarised: {text}"
    );

    // Hooks heard of it, as documented.
    let told: Value = serde_json::from_str(&desk.project.read("told.json")).unwrap();
    assert_eq!(told["hook_event_name"], "PreCompact");
    assert_eq!(told["trigger"], "manual");
    assert_eq!(told["custom_instructions"], "keep the colours");
    let started: Value = serde_json::from_str(&desk.project.read("started.json")).unwrap();
    assert_eq!(started["source"], "compact");

    // The next request: summary, the last turn whole, the hook's words, the new message. What was
    // read before still counts as read.
    desk.say("make it beta").await;
    desk.allow_next().await;
    desk.idle().await;
    assert_eq!(desk.project.read("a.txt"), "beta\n");
    let next = model.request(4).await;
    let text = said(&next);
    for part in [
        "the colour of the sky",
        "read it",
        "alpha",
        "the branch is main",
        "make it beta",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!text.contains("what colour is the sky?"), "{text}");
    assert_eq!(next.messages()[0]["role"], "user");

    // After a restart the model gets the same.
    let mut desk = desk.reopen().await;
    assert_eq!(compactions(&desk.snapshot().await).len(), 1);
    desk.ask("and now").await;
    let resumed = model.request(6).await;
    let same = next.messages().len() - 1;
    assert_eq!(resumed.messages()[..same], next.messages()[..same]);

    // Going back to before it brings the whole back.
    desk.on_session::<Value>("session.rewind", json!({"turn": 2}))
        .await
        .unwrap();
    assert_eq!(compactions(&desk.snapshot().await).len(), 0);
    desk.ask("again").await;
    let whole = said(&model.request(7).await);
    assert!(
        whole.contains("what colour is the sky?") && !whole.contains("system-summary"),
        "{whole}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn before_a_request_that_would_fill_the_model() {
    let (model, mut desk) = desk(
        vec![
            turn().text("blue ".repeat(2_000)).end(),
            turn()
                .call("Read", json!({"file_path": "a.txt"}))
                .usage(90_000, 10)
                .end(),
            turn().text(SUMMARY).end(),
            turn().text("alpha").end(),
        ],
        &json!({"PreCompact": hook("cat > told.json")}),
    )
    .await;
    desk.ask("what colour is the sky?").await;
    let end = desk.ask("read it").await;
    assert_eq!(texts(&end).last().map(String::as_str), Some("alpha"));
    let [marker] = compactions(&end)[..] else {
        panic!("one marker: {end:#?}")
    };
    assert_eq!(marker.trigger, CompactionTrigger::Auto);
    assert!(
        marker.tokens_before > 90_010,
        "the server's count, and what came since: {marker:?}"
    );
    assert!(
        marker.why.contains("of the 100,000 tokens"),
        "{}",
        marker.why
    );
    let told: Value = serde_json::from_str(&desk.project.read("told.json")).unwrap();
    assert_eq!(
        (&told["trigger"], &told["custom_instructions"]),
        (&json!("auto"), &json!(""))
    );
    // In the middle of the turn: its message and its call with the result are whole.
    let next = model.request(3).await;
    assert_eq!(next.tool_results().len(), 1);
    let text = said(&next);
    assert!(
        text.contains("read it") && !text.contains("what colour is the sky?"),
        "{text}"
    );
    assert!(next.body["tools"].is_array());
}

#[tokio::test(flavor = "multi_thread")]
async fn once_after_the_model_says_that_it_is_too_long() {
    let too_long =
        || response(400).error_body("invalid_request_error", "prompt is too long: 9 > 8 tokens");
    let (model, mut desk) = desk(
        vec![
            turn().text("blue ".repeat(2_000)).end(),
            too_long(),
            turn().text(SUMMARY).end(),
            turn().text("yes").end(),
            too_long(),
            turn().text("nothing").end(),
            too_long(),
        ],
        &Value::Null,
    )
    .await;
    desk.ask("what colour is the sky?").await;
    let end = desk.ask("is it?").await;
    assert_eq!(texts(&end).last().map(String::as_str), Some("yes"));
    assert_eq!(compactions(&end).len(), 1);
    // Once, then it gives up: the conversation is as it was before that turn, and a marker more.
    let end = desk.ask("sure?").await;
    assert_eq!(compactions(&end).len(), 2);
    assert_eq!(model.requests().len(), 7);
    let last = texts(&end).last().cloned().unwrap();
    assert!(last.contains("prompt is too long"), "{last}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_fails_changes_nothing_and_is_told() {
    let blocked = json!({"PreCompact": hook("echo 'not on a Friday' >&2; exit 2")});
    let error = || response(401).error_body("authentication_error", "bad key");
    for (turns, hooks, words) in [
        (Vec::new(), blocked, "not on a Friday"),
        (
            vec![error()],
            Value::Null,
            "could not be asked for a summary",
        ),
        (
            vec![turn().text("  ").end()],
            Value::Null,
            "gave no summary",
        ),
        (
            vec![turn().text("half").stop("max_tokens")],
            Value::Null,
            "cut at the token limit",
        ),
        (
            vec![turn().text("long ".repeat(9_000)).end()],
            Value::Null,
            "no shorter",
        ),
    ] {
        let mut all = vec![turn().text("blue").end(), turn().text("yes").end()];
        let asked = turns.len();
        all.extend(turns);
        all.push(turn().text("on").end());
        let (model, mut desk) = desk(all, &hooks).await;
        desk.ask("what colour is the sky?").await;
        desk.ask("is it?").await;
        let end = desk.ask("/compact").await;
        assert_eq!(compactions(&end).len(), 0, "{words}");
        let told = texts(&end).last().cloned().unwrap();
        assert!(
            told.starts_with("The conversation was not compacted") && told.contains(words),
            "{told}"
        );
        desk.ask("go on").await;
        let next = said(&model.request(2 + asked).await);
        assert!(next.contains("what colour is the sky?"), "{words}: {next}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hook_that_objects_is_asked_once_a_turn_and_the_request_goes_out() {
    let (model, mut desk) = desk(
        vec![
            turn().text("blue").end(),
            turn()
                .call("Read", json!({"file_path": "a.txt"}))
                .usage(90_000, 10)
                .end(),
            turn()
                .call("Read", json!({"file_path": "a.txt"}))
                .usage(91_000, 10)
                .end(),
            turn().text("alpha").end(),
        ],
        &json!({"PreCompact": hook("echo asked >> asked.txt; exit 2")}),
    )
    .await;
    desk.ask("what colour is the sky?").await;
    let end = desk.ask("read it").await;
    assert_eq!(texts(&end).last().map(String::as_str), Some("alpha"));
    assert_eq!(desk.project.read("asked.txt"), "asked\n");
    assert_eq!(model.requests().len(), 4);
}

#[tokio::test(flavor = "multi_thread")]
async fn stop_ends_it_and_a_message_sent_meanwhile_waits() {
    let gate = Gate::new();
    let (model, mut desk) = desk(
        vec![
            turn().text("blue").end(),
            turn().text("yes").end(),
            turn().gate(&gate).text(SUMMARY).end(),
            turn().text("on").end(),
        ],
        &Value::Null,
    )
    .await;
    desk.ask("what colour is the sky?").await;
    desk.ask("is it?").await;
    desk.say("/compact").await;
    model.request(2).await;
    desk.say("go on").await;
    desk.until("it waits", |state| state.queue.len() == 1).await;
    desk.on_session::<Value>("turn.stop", json!({}))
        .await
        .unwrap();
    let end = desk.idle().await;
    gate.open();
    assert_eq!(compactions(&end).len(), 0);
    assert_eq!(end.queue.len(), 1);
    let waiting = end.queue[0].id.clone();
    desk.on_session::<Value>("queue.steer", json!({"message": waiting, "steer": true}))
        .await
        .unwrap();
    desk.until("it is said", |state| {
        texts(state).last().is_some_and(|text| text == "on")
    })
    .await;
    assert!(said(&model.request(3).await).contains("what colour is the sky?"));
}

/// A queued command is carried out after the turn, and is never said to the model.
#[tokio::test(flavor = "multi_thread")]
async fn said_while_the_model_works_it_waits_for_the_end_of_the_turn() {
    let gate = Gate::new();
    let (model, mut desk) = desk(
        vec![
            turn().text("blue ".repeat(100)).end(),
            turn()
                .call("Read", json!({"file_path": "a.txt"}))
                .gate(&gate)
                .end(),
            turn().text("alpha").end(),
            turn().text(SUMMARY).end(),
        ],
        &Value::Null,
    )
    .await;
    desk.ask("what colour is the sky? ".repeat(20).trim()).await;
    desk.say("read it").await;
    desk.on_session::<Value>("turn.submit", json!({"text": "/compact", "steer": true}))
        .await
        .unwrap();
    gate.open();
    let end = desk
        .until("it is compacted", |state| {
            compactions(state).len() == 1 && state.turn == adroit_protocol::event::Turn::Idle
        })
        .await;
    assert_eq!(end.queue, []);
    for at in 0..3 {
        assert!(!said(&model.request(at).await).contains("/compact"));
    }
    // Nor is it in the queue after a restart.
    let desk = desk.reopen().await;
    assert_eq!(desk.snapshot().await.queue, []);
}

const LOCAL: &str = "\
## What was asked

- read a.txt and b.txt
- replace alpha with gamma in a.txt
- run touch c.txt

## What was looked at

- Read a.txt (1 line)
- Read b.txt (1 line)

## What was changed

- Edit a.txt (+1 −1)

## What failed or was not allowed

- touch c.txt (not run)";

/// On a fresh machine: no model, and still a summary of what was asked and done.
#[tokio::test(flavor = "multi_thread")]
async fn the_offline_operator_sums_up_by_itself() {
    let mut desk = Desk::offline(&[("a.txt", "alpha\n"), ("b.txt", "beta\n")]).await;
    desk.ask("/compact").await;
    desk.ask("read a.txt and b.txt").await;
    desk.say("replace alpha with gamma in a.txt").await;
    desk.allow_next().await;
    desk.idle().await;
    desk.say("run touch c.txt").await;
    let request = desk.request().await;
    desk.answer(&request, json!({"type": "deny", "words": "no"}))
        .await
        .unwrap();
    desk.idle().await;
    desk.ask("list").await;
    let end = desk.ask("/compact").await;
    let [marker] = compactions(&end)[..] else {
        panic!("one marker: {end:#?}")
    };
    assert_eq!(marker.summary, LOCAL);
    assert!(marker.tokens_after < marker.tokens_before);
    // It goes on as before, and only with the last request.
    let end = desk.ask("read a.txt").await;
    assert_eq!(statuses(&end).len(), 7);
    // A second one builds on the first.
    let end = desk.ask("/compact").await;
    assert_eq!(compactions(&end).len(), 2);
    let second = &compactions(&end)[1].summary;
    assert!(second.starts_with("## Before that"), "{second}");
    let again = desk.ask("/compact").await;
    let told = texts(&again).last().cloned().unwrap();
    assert!(told.contains("nothing to leave out"), "{told}");
}
