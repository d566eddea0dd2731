//! What a transcript becomes again.

use serde_json::json;

use super::*;

fn entries(bodies: Vec<EntryBody>) -> Vec<Entry> {
    bodies
        .into_iter()
        .map(|body| Entry { at: 0, body })
        .collect()
}

fn call(id: &str) -> EntryBody {
    EntryBody::Call {
        call: CallId::from(id),
        name: "Bash".to_owned(),
        input: json!({"command": "make"}),
        announced: false,
    }
}

fn user(text: &str) -> EntryBody {
    EntryBody::User {
        text: text.to_owned(),
    }
}

fn assistant(ids: &[&str]) -> EntryBody {
    let content = ids
        .iter()
        .map(|id| Content::ToolUse {
            id: CallId::from(*id),
            name: "Bash".to_owned(),
            input: json!({"command": "make"}),
        })
        .collect();
    EntryBody::Assistant {
        message: Message {
            role: Role::Assistant,
            content,
        },
    }
}

#[test]
fn words_of_hooks_come_back_where_they_were() {
    let context = |text: &str| EntryBody::HookContext {
        text: text.to_owned(),
    };
    let said = EntryBody::Assistant {
        message: Message {
            role: Role::Assistant,
            content: vec![Content::Text {
                text: "done".to_owned(),
            }],
        },
    };
    let replayed = replay(entries(vec![
        context("on main"),
        user("hello"),
        said,
        context("run the tests"),
    ]));
    let roles: Vec<_> = replayed
        .messages
        .iter()
        .map(|message| (message.role, message.content.len()))
        .collect();
    assert_eq!(
        roles,
        [(Role::User, 2), (Role::Assistant, 1), (Role::User, 1)]
    );
    assert_eq!(replayed.items.len(), 2, "the person did not say them");
}

/// Every call has exactly one result, in the message right after it, in the same order.
fn check_pairs(messages: &[Message]) {
    for (index, message) in messages.iter().enumerate() {
        let calls: Vec<_> = message
            .content
            .iter()
            .filter_map(|block| match block {
                Content::ToolUse { id, .. } => Some(id),
                _ => None,
            })
            .collect();
        if calls.is_empty() {
            continue;
        }
        let results: Vec<_> = messages[index + 1]
            .content
            .iter()
            .filter_map(|block| match block {
                Content::ToolResult { tool_use_id, .. } => Some(tool_use_id),
                _ => None,
            })
            .collect();
        assert_eq!(calls, results);
    }
    assert!(messages.windows(2).all(|pair| pair[0].role != pair[1].role));
}

/// dv-stream-007: both have a result, and neither runs again by itself.
#[test]
fn a_crash_between_call_and_result_leaves_an_unknown_outcome() {
    let replayed = replay(entries(vec![
        user("go"),
        call("a"),
        call("b"),
        assistant(&["a", "b"]),
    ]));
    assert_eq!(
        replayed.unknown_outcomes,
        [CallId::from("a"), CallId::from("b")]
    );
    check_pairs(&replayed.messages);
    assert_eq!(replayed.messages.len(), 3);
}

/// What waits for the person when the app is killed was not run, and the model is not sent to
/// look for what it may have changed.
#[test]
fn a_crash_before_a_call_began_says_that_it_was_not_run() {
    let announced = |id: &str| match call(id) {
        EntryBody::Call {
            call, name, input, ..
        } => EntryBody::Call {
            call,
            name,
            input,
            announced: true,
        },
        other => other,
    };
    let replayed = replay(entries(vec![
        user("go"),
        announced("a"),
        announced("b"),
        EntryBody::Started {
            call: CallId::from("a"),
        },
        assistant(&["a", "b"]),
    ]));
    check_pairs(&replayed.messages);
    assert_eq!(replayed.unknown_outcomes, [CallId::from("a")]);
    let told = |id: &str| replayed.calls[&CallId::from(id)].result.clone().unwrap();
    assert_eq!(told("a"), UNKNOWN_OUTCOME);
    assert_eq!(told("b"), NOT_STARTED);
    let statuses: Vec<_> = replayed
        .items
        .iter()
        .filter_map(|item| match &item.body {
            ItemBody::Call { call } => Some((call.status, call.mutating)),
            _ => None,
        })
        .collect();
    assert_eq!(
        statuses,
        [(CallStatus::Failed, true), (CallStatus::Cancelled, false)]
    );
}

#[test]
fn a_crash_in_the_middle_of_the_answer_keeps_the_call_that_ran() {
    let replayed = replay(entries(vec![user("go"), call("a"), user("go on")]));
    check_pairs(&replayed.messages);
    assert_eq!(replayed.unknown_outcomes, [CallId::from("a")]);
    assert_eq!(replayed.messages.len(), 3);
    assert!(
        matches!(&replayed.messages[2].content[1], Content::Text { text } if text == "go on"),
        "{:?}",
        replayed.messages
    );
}

#[test]
fn a_discarded_attempt_is_not_in_the_conversation_but_its_note_is() {
    let replayed = replay(entries(vec![
        user("go"),
        call("a"),
        EntryBody::Discarded {
            calls: vec![CallId::from("a")],
            note: Some("Bash had run".to_owned()),
        },
        assistant(&["b"]),
    ]));
    check_pairs(&replayed.messages);
    assert!(!replayed.messages.iter().any(|message| {
        message
            .content
            .iter()
            .any(|block| matches!(block, Content::ToolUse { id, .. } if id.as_str() == "a"))
    }));
}
