//! From the lines of a transcript to the conversation and to what the UI shows.

use std::collections::{HashMap, HashSet};

use adroit_protocol::event::{CallItem, CallStatus, CompactionItem, Item, ItemBody, QueuedMessage};
use adroit_protocol::message::{Content, Message, ResultContent, Role, Usage};
use adroit_protocol::permission::Mode;
use adroit_protocol::record::DecisionRecord;
use adroit_protocol::view::{Block, Tone, View};
use adroit_protocol::{CallId, ItemId};
use serde_json::Value;

use super::compaction::{Compaction, Kept};
use super::entry::{Entry, EntryBody, StoredUndo};
use super::mark::{Mark, Place};

/// What the model is told of a call that the app did not live to see end.
const UNKNOWN_OUTCOME: &str = "The app stopped while this call ran, so its outcome is unknown. It was not run again. \
     Look at what it may have changed before you repeat it.";

/// What the model is told of a call that had not begun to change anything.
const NOT_STARTED: &str = "The app stopped before this call was done. It was not run, or had only read: nothing was \
     changed by it. Call it again if it is still needed.";

/// A session as it was left.
#[derive(Debug, Default, PartialEq)]
pub struct Replayed {
    /// The conversation; every call in it has its result.
    pub messages: Vec<Message>,
    /// What is sent of it where it was compacted, oldest first; the last one counts.
    pub compactions: Vec<Compaction>,
    /// The entries to show.
    pub items: Vec<Item>,
    /// What is known of each call.
    pub calls: HashMap<CallId, KnownCall>,
    /// The title.
    pub title: String,
    /// The mode.
    pub mode: Option<Mode>,
    /// Tokens so far.
    pub usage: Usage,
    /// Turns so far, those that were taken back included: a number is never used twice.
    pub turns: u32,
    /// Places in the conversation to which one can go back, oldest first.
    pub marks: Vec<Mark>,
    /// Deferred tools that the model has loaded.
    pub discovered: Vec<String>,
    /// Messages that were not said yet.
    pub queue: Vec<QueuedMessage>,
    /// Undos that still wait.
    pub undos: Vec<StoredUndo>,
    /// Calls whose outcome is unknown.
    pub unknown_outcomes: Vec<CallId>,
}

/// What is known of a call.
#[derive(Clone, Debug, PartialEq)]
pub struct KnownCall {
    /// Its input.
    pub input: Value,
    /// What the model got.
    pub result: Option<String>,
    /// Its decision record.
    pub record: Option<DecisionRecord>,
    /// The text by which a search finds it, where that is not the result's own.
    pub search_text: Option<String>,
}

impl KnownCall {
    /// A call that has no result yet.
    #[must_use]
    pub fn begun(input: Value) -> Self {
        Self {
            input,
            result: None,
            record: None,
            search_text: None,
        }
    }
}

/// What is known of a call that has ended, beside its result.
struct Ended {
    record: DecisionRecord,
    search_text: Option<String>,
}

/// Replays the lines.
#[must_use]
pub fn replay(entries: Vec<Entry>) -> Replayed {
    let mut replay = Replay::default();
    for entry in entries {
        replay.add(entry.body);
    }
    replay.finish()
}

#[derive(Default)]
struct Replay {
    done: Replayed,
    /// Calls announced since the last message of the model, which may not have come.
    announced: Vec<Content>,
    /// Calls of the last message of the model, in order, with their results where there are.
    open: Vec<(CallId, Option<Content>)>,
    /// Messages of tools that follow the results.
    added: Vec<Message>,
    /// What the next user message begins with.
    notes: Vec<String>,
    discarded: HashSet<CallId>,
    /// Calls that have changed nothing so far: they wait, for their turn or for the person, or only read.
    not_started: HashSet<CallId>,
    /// How many entries showed before each turn that can be gone back to.
    begins: Vec<usize>,
}

impl Replay {
    fn add(&mut self, body: EntryBody) {
        match body {
            EntryBody::Session { .. } => {}
            EntryBody::Title { title } => self.done.title = title,
            EntryBody::Mode { mode } => self.done.mode = Some(mode),
            EntryBody::User { text } => self.user(text),
            EntryBody::Steered { text } => self.steered(text),
            EntryBody::HookContext { text } => self.hook_context(text),
            EntryBody::Discovered { tools } => self.done.discovered.extend(tools),
            EntryBody::Call {
                call,
                name,
                input,
                announced,
            } => {
                if announced {
                    self.not_started.insert(call.clone());
                }
                self.announce(call, name, input);
            }
            EntryBody::Started { call } => {
                self.not_started.remove(&call);
            }
            EntryBody::Assistant { message } => self.assistant(message),
            EntryBody::Result {
                call,
                tool,
                content,
                is_error,
                status,
                mutating,
                elapsed_ms,
                view,
                record,
                changes,
                mcp_meta: _,
                search_text,
            } => {
                let item = CallItem {
                    call: call.clone(),
                    tool,
                    status,
                    view,
                    mutating,
                    started_at: None,
                    elapsed_ms: Some(elapsed_ms),
                    terminal: None,
                    changes,
                };
                let known = Ended {
                    record,
                    search_text,
                };
                self.result(call, item, content, is_error, known);
            }
            EntryBody::Added { messages } => self.added.extend(messages),
            EntryBody::Discarded { calls, note } => self.discard(calls, note),
            EntryBody::Rewound { turn } => self.rewind(turn),
            EntryBody::Compacted {
                compaction,
                kept,
                said,
            } => self.compact(compaction, kept, said),
            EntryBody::Told { text } => self.notes.push(text),
            EntryBody::Notice { tone, text, hint } => {
                self.show(ItemBody::Notice { tone, text, hint })
            }
            EntryBody::Usage { usage } => self.done.usage += usage,
            EntryBody::Queue { messages } => self.done.queue = messages,
            EntryBody::Undos { undos } => self.done.undos = undos,
        }
    }

    fn show(&mut self, body: ItemBody) {
        self.done.items.push(Item {
            id: ItemId::generate(),
            body,
        });
    }

    /// A message within a turn: it begins none.
    fn steered(&mut self, text: String) {
        self.close();
        self.show(ItemBody::User {
            text: text.clone(),
            turn: None,
        });
        self.push(Message::user(text));
    }

    fn user(&mut self, text: String) {
        self.close();
        self.done.turns += 1;
        self.done.marks.push(Mark::of(
            self.done.turns,
            &self.done.messages,
            self.notes.clone(),
        ));
        self.begins.push(self.done.items.len());
        self.show(ItemBody::User {
            text: text.clone(),
            turn: Some(self.done.turns),
        });
        let mut content: Vec<Content> = self
            .notes
            .drain(..)
            .map(|note| Content::Text { text: note })
            .collect();
        content.push(Content::Text { text });
        self.push(Message {
            role: Role::User,
            content,
        });
    }

    fn hook_context(&mut self, text: String) {
        self.close();
        self.push(Message {
            role: Role::User,
            content: vec![Content::Text { text }],
        });
    }

    fn rewind(&mut self, turn: u32) {
        self.close();
        let Some(index) = self.done.marks.iter().position(|mark| mark.turn == turn) else {
            return;
        };
        let mark = self.done.marks.split_off(index).swap_remove(0);
        mark.place.cut(&mut self.done.messages);
        let place = Place::end_of(&self.done.messages);
        self.done.compactions.retain(|known| known.at <= place);
        self.done
            .items
            .truncate(self.begins.get(index).copied().unwrap_or_default());
        self.begins.truncate(index);
        self.notes.splice(0..0, mark.notes);
    }

    fn compact(&mut self, item: CompactionItem, kept: Kept, said: Vec<String>) {
        self.close();
        self.done.compactions.push(Compaction {
            at: Place::end_of(&self.done.messages),
            from: kept.place(&self.done.messages, &self.done.marks),
            kept,
            summary: item.summary.clone(),
            said,
        });
        self.show(ItemBody::Compacted { compaction: item });
    }

    fn announce(&mut self, call: CallId, name: String, input: Value) {
        self.done
            .calls
            .insert(call.clone(), KnownCall::begun(input.clone()));
        self.announced.push(Content::ToolUse {
            id: call,
            name,
            input,
        });
    }

    fn assistant(&mut self, message: Message) {
        self.close_results();
        // The calls that were announced while this message came are in it.
        self.announced.clear();
        for block in &message.content {
            match block {
                Content::Text { text } if !text.is_empty() => {
                    self.show(ItemBody::Assistant {
                        text: text.clone(),
                        streaming: false,
                    });
                }
                Content::Thinking { text, .. } if !text.is_empty() => {
                    self.show(ItemBody::Thinking {
                        text: text.clone(),
                        streaming: false,
                    });
                }
                Content::ToolUse { id, name, input } => {
                    self.open.push((id.clone(), None));
                    self.done
                        .calls
                        .entry(id.clone())
                        .or_insert_with(|| KnownCall::begun(input.clone()));
                    self.show(ItemBody::Call {
                        call: unfinished(id, name, true),
                    });
                }
                _ => {}
            }
        }
        self.push(message);
    }

    fn result(
        &mut self,
        call: CallId,
        item: CallItem,
        content: Vec<ResultContent>,
        is_error: bool,
        ended: Ended,
    ) {
        // A crash can come between a result and the message that made the call.
        if !self.open.iter().any(|(open, _)| *open == call) {
            self.adopt_announced();
        }
        if let Some(known) = self.done.calls.get_mut(&call) {
            known.result = Some(text_of(&content));
            known.record = Some(ended.record);
            known.search_text = ended.search_text;
        }
        let body = ItemBody::Call { call: item };
        let shown = self.done.items.iter_mut().rev().find(
            |shown| matches!(&shown.body, ItemBody::Call { call: shown } if shown.call == call),
        );
        match shown {
            Some(shown) => shown.body = body,
            None => self.show(body),
        }
        if let Some((_, place)) = self.open.iter_mut().find(|(open, _)| *open == call) {
            *place = Some(Content::ToolResult {
                tool_use_id: call,
                content,
                is_error,
            });
        }
    }

    fn discard(&mut self, calls: Vec<CallId>, note: Option<String>) {
        self.discarded.extend(calls);
        self.announced.clear();
        self.notes.extend(note);
    }

    /// Calls that started in a message that never came whole: a message is made for them,
    /// because they may have changed something.
    fn adopt_announced(&mut self) {
        let content: Vec<Content> = self
            .announced
            .drain(..)
            .filter(|block| !matches!(block, Content::ToolUse { id, .. } if self.discarded.contains(id)))
            .collect();
        if content.is_empty() {
            return;
        }
        self.close_results();
        for block in &content {
            if let Content::ToolUse { id, name, .. } = block {
                self.open.push((id.clone(), None));
                self.show(ItemBody::Call {
                    call: unfinished(id, name, true),
                });
            }
        }
        self.push(Message {
            role: Role::Assistant,
            content,
        });
    }

    /// Gives every open call its result.
    fn close_results(&mut self) {
        if self.open.is_empty() {
            return;
        }
        let mut content = Vec::new();
        for (call, result) in std::mem::take(&mut self.open) {
            content.push(result.unwrap_or_else(|| {
                let told = self.unfinished_words(&call);
                if let Some(known) = self.done.calls.get_mut(&call) {
                    known.result = Some(told.to_owned());
                }
                Content::ToolResult {
                    tool_use_id: call,
                    content: vec![ResultContent::text(told)],
                    is_error: true,
                }
            }));
        }
        content.extend(
            self.notes
                .drain(..)
                .map(|note| Content::Text { text: note }),
        );
        self.push(Message {
            role: Role::User,
            content,
        });
        for message in std::mem::take(&mut self.added) {
            self.push(message);
        }
    }

    /// What becomes of a call whose end nobody saw: the row says it, and the model is told.
    fn unfinished_words(&mut self, call: &CallId) -> &'static str {
        if !self.not_started.remove(call) {
            self.done.unknown_outcomes.push(call.clone());
            return UNKNOWN_OUTCOME;
        }
        let shown = self
            .done
            .items
            .iter_mut()
            .rev()
            .find_map(|item| match &mut item.body {
                ItemBody::Call { call: shown } if shown.call == *call => Some(shown),
                _ => None,
            });
        if let Some(shown) = shown {
            *shown = unfinished(call, &shown.tool, false);
        }
        NOT_STARTED
    }

    fn close(&mut self) {
        self.close_results();
        self.adopt_announced();
        self.close_results();
    }

    /// Two messages of one speaker in a row become one: providers refuse them.
    fn push(&mut self, message: Message) {
        match self.done.messages.last_mut() {
            Some(last) if last.role == message.role => last.content.extend(message.content),
            _ => self.done.messages.push(message),
        }
    }

    fn finish(mut self) -> Replayed {
        self.close();
        if !self.notes.is_empty() {
            let content = self
                .notes
                .drain(..)
                .map(|note| Content::Text { text: note })
                .collect();
            self.push(Message {
                role: Role::User,
                content,
            });
        }
        self.done
    }
}

/// How a call looks whose end nobody saw; `started` where it may have changed something.
fn unfinished(call: &CallId, name: &str, started: bool) -> CallItem {
    let (status, summary, text) = if started {
        (
            CallStatus::Failed,
            "outcome unknown",
            "The app stopped while this call ran. It was not run again.",
        )
    } else {
        (
            CallStatus::Cancelled,
            "not run",
            "The app stopped before this call changed anything. It was not run again.",
        )
    };
    let mut view = View::titled(name);
    view.tone = Tone::Warning;
    view.summary = Some(summary.to_owned());
    view.blocks.push(Block::Notice {
        tone: Tone::Warning,
        text: text.to_owned(),
    });
    CallItem {
        call: call.clone(),
        tool: name.to_owned(),
        status,
        view,
        mutating: started,
        started_at: None,
        elapsed_ms: None,
        terminal: None,
        changes: None,
    }
}

fn text_of(content: &[ResultContent]) -> String {
    content
        .iter()
        .map(|part| match part {
            ResultContent::Text { text } => text.as_str(),
            ResultContent::Image { .. } => "[image]",
        })
        .collect::<Vec<_>>()
        .join("\n")
}

#[cfg(test)]
mod tests;
