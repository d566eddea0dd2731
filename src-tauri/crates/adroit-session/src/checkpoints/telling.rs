//! What was taken back, told: on the rows, in the transcript, to the model.

use adroit_protocol::CallId;
use adroit_protocol::changes::{CallChanges, UndoLeft};
use adroit_protocol::event::{CallItem, Item, ItemBody, SessionChange};
use adroit_protocol::view::{Diff, LineChange, Tone};

use super::undo::Undone;
use crate::Session;
use crate::state::SessionState;
use crate::transcript::EntryBody;

/// Files that the model is told by name.
pub(super) const TOLD: usize = 20;
/// Characters of the difference that the model is shown.
const SHOWN: usize = 4_000;

/// How changes came to be others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Told {
    /// A person took them back.
    Undone,
    /// A person took an undo back.
    Redone,
    /// A person rejected them while the agent worked, and they were taken back when the turn ended.
    Rejected,
}

impl Session {
    pub(super) fn tell_undone(&self, undone: &Undone, told: Told) {
        for (call, changes) in &undone.changed {
            show_changes(&self.state, call, changes);
        }
        if told == Told::Rejected {
            self.tell_left(&undone.result.left);
        }
        if undone.restored.is_empty() {
            return;
        }
        let done = match told {
            Told::Undone => "Undone",
            Told::Redone => "Done again",
            Told::Rejected => "Rejected",
        };
        self.remark(
            Tone::Info,
            format!("{done}: {}.", names(&undone.restored, 3)),
        );
        self.tell_model(for_model(undone, told));
    }

    /// Nobody waits for the answer of an undo that was done later.
    fn tell_left(&self, left: &[UndoLeft]) {
        if let Some(first) = left.first() {
            let paths: Vec<String> = left.iter().map(|left| left.path.clone()).collect();
            self.remark(
                Tone::Warning,
                format!("Left as they are: {}. {}", names(&paths, 3), first.reason),
            );
        }
    }

    pub(super) fn remark(&self, tone: Tone, text: String) {
        self.state.add_item(ItemBody::Notice {
            tone,
            text: text.clone(),
            hint: None,
        });
        self.write(EntryBody::Notice {
            tone,
            text,
            hint: None,
        });
    }
}

fn for_model(undone: &Undone, told: Told) -> String {
    let (who, was) = match told {
        Told::Undone => (
            "The person took back changes of files",
            "as they were before",
        ),
        Told::Redone => (
            "The person restored undone changes of files",
            "as they were after the calls that had been undone",
        ),
        Told::Rejected => (
            "The person rejected changes of files, which were taken back when your turn ended",
            "as they were before, as far as rejected",
        ),
    };
    let is = if undone.restored.len() == 1 {
        "is"
    } else {
        "are"
    };
    let mut text = format!(
        "{who}: {} {is} now {was}. Read a file again before you change it, and do not repeat what was taken \
         back unless you are asked to.",
        names(&undone.restored, TOLD),
    );
    let shown = as_text(&undone.diffs);
    if !shown.is_empty() {
        text.push_str("\nWhat that changed in them:\n");
        text.push_str(&shown);
    }
    text
}

/// The lines that changed, cut where they are many.
fn as_text(diffs: &[Diff]) -> String {
    let mut text = String::new();
    for diff in diffs {
        let mut part = format!("{}\n", diff.path);
        for hunk in &diff.hunks {
            part.push_str(&format!(
                "@@ -{},{} +{},{} @@\n",
                hunk.old_start, hunk.old_lines, hunk.new_start, hunk.new_lines
            ));
            for line in &hunk.lines {
                let sign = match line.kind {
                    LineChange::Context => ' ',
                    LineChange::Added => '+',
                    LineChange::Removed => '-',
                };
                part.push(sign);
                part.push_str(&line.text);
                part.push('\n');
            }
        }
        let room = SHOWN.saturating_sub(text.chars().count());
        if part.chars().count() > room {
            text.extend(part.chars().take(room));
            text.push_str("\n… (cut)\n");
            break;
        }
        text.push_str(&part);
    }
    text
}

/// Shows how the changes of a call are now.
pub(super) fn show_changes(state: &SessionState, call: &CallId, changes: &CallChanges) {
    let shown = state.read(|snapshot| {
        snapshot
            .items
            .iter()
            .rev()
            .find_map(|item| match &item.body {
                ItemBody::Call { call: shown } if shown.call == *call => {
                    Some((item.id.clone(), shown.clone()))
                }
                _ => None,
            })
    });
    if let Some((id, shown)) = shown {
        let call = CallItem {
            changes: Some(changes.clone()),
            ..shown
        };
        state.change(SessionChange::ItemReplaced {
            item: Item {
                id,
                body: ItemBody::Call { call },
            },
        });
    }
}

/// `a`, `a and b`, `a, b and 3 more`.
pub(super) fn names(paths: &[String], most: usize) -> String {
    match paths {
        [one] => one.clone(),
        [one, other] => format!("{one} and {other}"),
        many if many.len() <= most => many.join(", "),
        many => format!("{} and {} more", many[..most].join(", "), many.len() - most),
    }
}
