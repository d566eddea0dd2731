//! What of a conversation a summary takes the place of, and what stays as it is.

use adroit_protocol::event::{Item, ItemBody};
use adroit_protocol::message::{Content, Message};

use crate::context::{Context, estimate};
use crate::transcript::{Kept, Mark, Place};

/// A cut that leaves no call without its result.
#[derive(Debug, PartialEq)]
pub(super) struct Plan {
    /// What stays, by name.
    pub(super) kept: Kept,
    /// The same as a place.
    pub(super) from: Place,
    /// What is summarised: everything before that was not summarised already.
    pub(super) older: Vec<Message>,
}

/// How much may stay.
#[derive(Clone, Copy, Debug)]
pub(super) struct Room {
    /// Tokens of what stays as it is.
    pub(super) tokens: u64,
    /// The whole of the last turn must stay, however long it is.
    pub(super) whole_turn: bool,
}

/// Where to cut: before the last turn where that fits, else at a later answer of the model that
/// made calls, else at the end. `None` where nothing would become shorter.
pub(super) fn plan(context: &Context, marks: &[Mark], room: Room) -> Option<Plan> {
    let messages = context.messages();
    let begin = context
        .compaction()
        .map_or_else(Place::default, |compaction| compaction.from);
    let fits = |place: Place| estimate::messages(&place.after(messages)) <= room.tokens;
    let turn = marks.last().filter(|mark| mark.place >= begin);
    let whole = turn
        .filter(|mark| room.whole_turn || fits(mark.place))
        .map(|mark| (Kept::Turn { turn: mark.turn }, mark.place));
    let (kept, from) = match whole {
        Some(found) => found,
        None if room.whole_turn => return None,
        None => {
            let least = turn.map_or(begin, |mark| mark.place);
            later(messages, least, fits).unwrap_or_else(|| (Kept::Nothing, Place::end_of(messages)))
        }
    };
    if from <= begin {
        return None;
    }
    let mut older = messages.to_vec();
    from.cut(&mut older);
    let older = begin.after(&older);
    (!older.is_empty()).then_some(Plan { kept, from, older })
}

/// The first answer with calls from which on the rest fits: its results follow it.
fn later(
    messages: &[Message],
    least: Place,
    fits: impl Fn(Place) -> bool,
) -> Option<(Kept, Place)> {
    messages.iter().enumerate().find_map(|(index, message)| {
        let place = Place::before(messages, index);
        let call = message.content.iter().find_map(|block| match block {
            Content::ToolUse { id, .. } => Some(id.clone()),
            _ => None,
        })?;
        (place > least && fits(place)).then_some((Kept::Call { call }, place))
    })
}

/// The entries that stand for what is summarised: those after what an earlier compaction left
/// out, up to what stays.
pub(super) fn older_items<'i>(
    items: &'i [Item],
    earlier: Option<&Kept>,
    kept: &Kept,
) -> &'i [Item] {
    let end = position(items, kept).unwrap_or(items.len());
    let begin = match earlier {
        None => 0,
        Some(Kept::Nothing) => items
            .iter()
            .rposition(|item| matches!(item.body, ItemBody::Compacted { .. }))
            .unwrap_or(0),
        Some(earlier) => position(items, earlier).unwrap_or(0),
    };
    items.get(begin..end).unwrap_or_default()
}

fn position(items: &[Item], kept: &Kept) -> Option<usize> {
    items.iter().position(|item| match (kept, &item.body) {
        (Kept::Turn { turn }, ItemBody::User { turn: found, .. }) => *found == Some(*turn),
        (Kept::Call { call }, ItemBody::Call { call: found }) => found.call == *call,
        _ => false,
    })
}

/// What the person said in the last turn, or what an agent was told, where that does not stay.
pub(super) fn said(items: &[Item], kept: &Kept) -> Vec<String> {
    if matches!(kept, Kept::Turn { .. }) {
        return Vec::new();
    }
    let end = position(items, kept).unwrap_or(items.len());
    let begin = items
        .iter()
        .rposition(|item| matches!(item.body, ItemBody::User { turn: Some(_), .. }))
        // An agent has one task and no turns.
        .or_else(|| {
            items
                .iter()
                .position(|item| matches!(item.body, ItemBody::User { .. }))
        });
    begin
        .and_then(|begin| items.get(begin..end))
        .unwrap_or_default()
        .iter()
        .filter_map(|item| match &item.body {
            ItemBody::User { text, .. } => Some(text.clone()),
            _ => None,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use adroit_protocol::CallId;
    use adroit_protocol::message::{ResultContent, Role};
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::transcript::Compaction;

    /// One turn: a message, then answers with so many calls each, each result so long, then words.
    fn turn(context: &mut Context, marks: &mut Vec<Mark>, answers: &[(usize, usize)]) {
        let number = u32::try_from(marks.len()).unwrap() + 1;
        marks.push(Mark::of(number, context.messages(), Vec::new()));
        context.push(Message::user(format!("request {number}")));
        for (at, (calls, length)) in answers.iter().enumerate() {
            let ids: Vec<CallId> = (0..*calls)
                .map(|call| CallId::from(format!("{number}-{at}-{call}")))
                .collect();
            let uses = ids.iter().map(|id| Content::ToolUse {
                id: id.clone(),
                name: "Read".into(),
                input: json!({}),
            });
            context.push(Message {
                role: Role::Assistant,
                content: uses.collect(),
            });
            let results = ids.iter().map(|id| Content::ToolResult {
                tool_use_id: id.clone(),
                content: vec![ResultContent::text("x".repeat(*length))],
                is_error: false,
            });
            context.push(Message {
                role: Role::User,
                content: results.collect(),
            });
        }
        context.push(Message {
            role: Role::Assistant,
            content: vec![Content::Text {
                text: "done".into(),
            }],
        });
    }

    fn room(tokens: u64) -> Room {
        Room {
            tokens,
            whole_turn: false,
        }
    }

    #[test]
    fn the_last_turn_stays_where_it_fits() {
        let (mut context, mut marks) = (Context::default(), Vec::new());
        turn(&mut context, &mut marks, &[(1, 400)]);
        assert_eq!(
            plan(&context, &marks, room(1_000)),
            None,
            "there is nothing before it"
        );
        turn(&mut context, &mut marks, &[(1, 400)]);
        let found = plan(&context, &marks, room(1_000)).unwrap();
        assert_eq!(found.kept, Kept::Turn { turn: 2 });
        assert_eq!(found.older.len(), 4);
    }

    #[test]
    fn of_a_turn_that_is_too_long_the_newest_calls_stay_with_their_results() {
        let (mut context, mut marks) = (Context::default(), Vec::new());
        turn(&mut context, &mut marks, &[(1, 4_000), (2, 400), (1, 400)]);
        let found = plan(&context, &marks, room(500)).unwrap();
        assert_eq!(
            found.kept,
            Kept::Call {
                call: "1-1-0".into()
            }
        );
        let none = plan(&context, &marks, room(50)).unwrap();
        assert_eq!(none.kept, Kept::Nothing);
        let whole = Room {
            tokens: 50,
            whole_turn: true,
        };
        assert_eq!(plan(&context, &marks, whole), None);
    }

    proptest! {
        #[test]
        fn no_cut_parts_a_call_from_its_result_and_each_shortens(
            turns in prop::collection::vec(
                prop::collection::vec((1_usize..4, 0_usize..3_000), 0..4), 1..5),
            rooms in prop::collection::vec(0_u64..3_000, 1..4),
        ) {
            let (mut context, mut marks) = (Context::default(), Vec::new());
            for (answers, tokens) in turns.iter().zip(rooms.iter().cycle()) {
                turn(&mut context, &mut marks, answers);
                let Some(found) = plan(&context, &marks, room(*tokens)) else { continue };
                prop_assert_eq!(found.kept.place(context.messages(), &marks), found.from);
                let before = context.compaction().map(|known| known.from).unwrap_or_default();
                prop_assert!(found.from > before);
                context.compact(Compaction {
                    at: Place::end_of(context.messages()),
                    from: found.from,
                    kept: found.kept,
                    summary: "s".into(),
                    said: Vec::new(),
                });
                let sent = context.sent();
                let mut open = Vec::new();
                for (at, message) in sent.iter().enumerate() {
                    prop_assert_eq!(message.role == Role::User, at % 2 == 0, "speakers take turns");
                    for block in &message.content {
                        match block {
                            Content::ToolUse { id, .. } => open.push(id.clone()),
                            Content::ToolResult { tool_use_id, .. } => {
                                let known = open.iter().position(|id| id == tool_use_id);
                                prop_assert!(known.is_some(), "a result without its call");
                                open.remove(known.unwrap());
                            }
                            _ => {}
                        }
                    }
                }
                prop_assert!(open.is_empty(), "a call without its result");
            }
        }
    }
}
