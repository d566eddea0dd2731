//! The change of one file, or of a part of it, before it is approved: places left out, or the new text
//! edited.

use std::fmt::{self, Write as _};
use std::sync::Arc;

use adroit_protocol::permission::{DraftChange, DraftKind, DraftOffer};
use adroit_protocol::view::{Block, Diff, Hunk, LineChange, View};
use adroit_tool::{Draft, DraftError, Drafted, Redrafted};
use adroit_workspace::{diff, with_endings_of, without_hunks};
use serde_json::Value;

use super::change::{diff_of, totals};
use super::{Change, counted};

/// Bytes of a text up to which it is offered for editing: a window is no place for more.
const MAX_EDITABLE: usize = 400_000;
/// Lines of a difference that the model is told.
const MAX_TOLD: usize = 300;

/// Makes the input that turns what is there into a wanted text, and says which text it gives.
pub(crate) type Make = Box<dyn Fn(&str) -> Result<(Value, String), DraftError> + Send + Sync>;

/// A planned change of one file that a person may change.
pub(crate) struct FileDraft {
    title: String,
    /// What is changed, in a sentence: a file, or a part of one.
    name: String,
    /// What it reads now; none where it comes into being.
    old: Option<String>,
    proposed: String,
    diff: Diff,
    /// Notes of the diff that hold whatever a person makes of it.
    notes: Vec<String>,
    make: Make,
}

impl FileDraft {
    /// The change with what may be changed of it. `whole` is what the file reads now, where there is one.
    pub(crate) fn offer(
        title: String,
        whole: Option<String>,
        change: Change,
        make: Make,
    ) -> Drafted {
        let view = view(title.clone(), change.diff.clone());
        let (name, old, proposed, notes) = match change.part {
            Some(part) => (part.name, part.old, part.new, change.diff.notes.clone()),
            None => (change.diff.path.clone(), whole, change.text, Vec::new()),
        };
        let draft = Arc::new(Self {
            title,
            name,
            old,
            proposed,
            diff: change.diff,
            notes,
            make,
        });
        Drafted { view, draft }
    }

    fn old_text(&self) -> &str {
        self.old.as_deref().unwrap_or_default()
    }

    /// Hunks that a view has cut short are no hunks that one can choose from.
    fn has_whole_hunks(&self) -> bool {
        let changed = |hunk: &Hunk| {
            let lines = hunk.lines.iter();
            lines
                .filter(|line| line.kind != LineChange::Context)
                .count()
        };
        let shown: usize = self.diff.hunks.iter().map(changed).sum();
        let all = self.diff.added as usize + self.diff.removed as usize;
        self.diff.hidden_hunks == 0 && shown == all
    }

    fn without(&self, rejected: &[u32]) -> Result<String, DraftError> {
        if rejected.is_empty() {
            return Ok(self.proposed.clone());
        }
        if !self.has_whole_hunks() {
            return Err(DraftError::NoSuchPlace);
        }
        let rejected: Vec<usize> = rejected.iter().map(|place| *place as usize).collect();
        without_hunks(self.old_text(), &self.proposed, &self.diff.hunks, &rejected)
            .ok_or(DraftError::NoSuchPlace)
    }

    fn wanted(&self, change: &DraftChange) -> Result<String, DraftError> {
        match change {
            DraftChange::Hunks { rejected } => self.without(rejected),
            DraftChange::Text { .. } if !self.offer().text => Err(DraftError::NoText),
            DraftChange::Text { text } => Ok(with_endings_of(&self.proposed, text)),
            DraftChange::Answers { .. } | DraftChange::Plan { .. } => Err(DraftError::NoQuestion),
        }
    }

    fn told(&self, change: &DraftChange, wanted: &str) -> String {
        let mut told = match change {
            DraftChange::Hunks { rejected } => {
                let all = self.diff.hunks.len();
                let left = rejected.len();
                format!(
                    "The user approved {} of {} of your change and left out {left}.",
                    all.saturating_sub(left),
                    counted(all as u64, "place", "places"),
                )
            }
            DraftChange::Text { .. } | DraftChange::Answers { .. } | DraftChange::Plan { .. } => {
                "The user edited your change before approving it.".to_owned()
            }
        };
        let _ = write!(
            told,
            " What {} has now differs from your proposal like this:\n{}",
            self.name,
            unified(&diff(&self.proposed, wanted).hunks)
        );
        told
    }
}

impl Draft for FileDraft {
    fn offer(&self) -> DraftOffer {
        DraftOffer {
            kind: DraftKind::File,
            hunks: self.diff.hunks.len() > 1 && self.has_whole_hunks(),
            text: self.proposed.len() <= MAX_EDITABLE && !self.proposed.contains('\0'),
            answer: false,
        }
    }

    fn text(&self, rejected: &[u32]) -> Result<String, DraftError> {
        if self.offer().text {
            self.without(rejected)
        } else {
            Err(DraftError::NoText)
        }
    }

    fn change(&self, change: &DraftChange) -> Result<Redrafted, DraftError> {
        let wanted = self.wanted(change)?;
        if wanted == self.proposed {
            return Err(DraftError::Unchanged);
        }
        if self.old.is_some() && wanted == self.old_text() {
            return Err(DraftError::NothingLeft);
        }
        let (input, made) = (self.make)(&wanted)?;
        // What is approved must be what was seen, to the last line ending.
        if made != wanted {
            return Err(DraftError::Unfit(
                "the tool would make another text of it; take or leave the whole change, or deny it and say what you want"
                    .to_owned(),
            ));
        }
        let changed = diff_of(
            self.diff.path.clone(),
            self.diff.change,
            self.old_text(),
            &wanted,
            self.notes.clone(),
        );
        Ok(Redrafted {
            input,
            view: view(self.title.clone(), changed),
            told: Some(self.told(change, &wanted)),
        })
    }
}

impl fmt::Debug for FileDraft {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("FileDraft")
            .field("path", &self.diff.path)
            .finish_non_exhaustive()
    }
}

fn view(title: String, diff: Diff) -> View {
    let mut view = View::titled(title);
    view.summary = Some(totals(&diff));
    view.blocks.push(Block::Diff(diff));
    view
}

/// Hunks in the common text form, cut where they are long.
fn unified(hunks: &[Hunk]) -> String {
    let mut text = String::new();
    let mut shown = 0;
    for hunk in hunks {
        let _ = writeln!(
            text,
            "@@ -{},{} +{},{} @@",
            hunk.old_start, hunk.old_lines, hunk.new_start, hunk.new_lines
        );
        for line in &hunk.lines {
            if shown == MAX_TOLD {
                text.push_str("… more is not shown; read the file to see it.\n");
                return text;
            }
            shown += 1;
            let sign = match line.kind {
                LineChange::Context => ' ',
                LineChange::Added => '+',
                LineChange::Removed => '-',
            };
            let _ = writeln!(text, "{sign}{}", line.text);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::tests::{Project, the_diff};

    async fn drafted(project: &Project, tool: &str, input: Value) -> Drafted {
        let tool = project.tool(tool);
        let input = tool.parse(Arc::new(input)).unwrap();
        tool.draft(&input, &project.context).await.unwrap()
    }

    fn numbered(count: usize) -> String {
        (1..=count).map(|number| format!("{number}\n")).collect()
    }

    #[tokio::test]
    async fn a_place_left_out_stays_as_it_is_and_what_was_shown_is_done() {
        let old = numbered(40);
        let new = old.replace("\n3\n", "\nthree\n").replace("\n30\n", "\n");
        let project = Project::with(&[("a.txt", old.as_bytes())]);
        project.read("a.txt").await;
        let input = json!({ "file_path": "a.txt", "content": new });
        let drafted = drafted(&project, "Write", input).await;
        assert!(drafted.draft.offer().hunks && drafted.draft.offer().text);
        let change = DraftChange::Hunks { rejected: vec![1] };
        let redrafted = drafted.draft.change(&change).unwrap();
        let done = project.call("Write", redrafted.input).await.unwrap();
        assert_eq!(
            String::from_utf8(project.bytes("a.txt")).unwrap(),
            old.replace("\n3\n", "\nthree\n")
        );
        assert_eq!(the_diff(&done.view).hunks, the_diff(&redrafted.view).hunks);
        insta::assert_snapshot!(redrafted.told.unwrap());
    }

    #[tokio::test]
    async fn an_edit_in_many_places_can_be_taken_in_some() {
        let old = numbered(40)
            .replace("\n7\n", "\nx\n")
            .replace("\n30\n", "\nx\n");
        let project = Project::with(&[("a.txt", old.as_bytes())]);
        project.read("a.txt").await;
        let input = json!({ "file_path": "a.txt", "old_string": "x", "new_string": "y", "replace_all": true });
        let drafted = drafted(&project, "Edit", input).await;
        let change = DraftChange::Hunks { rejected: vec![0] };
        let input = drafted.draft.change(&change).unwrap().input;
        project.call("Edit", input).await.unwrap();
        assert_eq!(
            String::from_utf8(project.bytes("a.txt")).unwrap(),
            numbered(40)
                .replace("\n7\n", "\nx\n")
                .replace("\n30\n", "\ny\n")
        );
    }

    #[tokio::test]
    async fn a_change_that_is_none_or_leaves_nothing_is_refused() {
        let project = Project::with(&[("a.txt", b"one\n")]);
        project.read("a.txt").await;
        let input = json!({ "file_path": "a.txt", "content": "two\n" });
        let draft = drafted(&project, "Write", input).await.draft;
        let text = |text: &str| DraftChange::Text {
            text: text.to_owned(),
        };
        assert_eq!(draft.change(&text("two\n")), Err(DraftError::Unchanged));
        assert_eq!(draft.change(&text("one\n")), Err(DraftError::NothingLeft));
        let beyond = DraftChange::Hunks { rejected: vec![4] };
        assert_eq!(draft.change(&beyond), Err(DraftError::NoSuchPlace));
    }

    /// Write gives a file of mixed endings one kind: then a place cannot be left out as it was.
    #[tokio::test]
    async fn what_cannot_be_applied_exactly_is_refused() {
        let old = format!("a\r\nb\r\nc\r\n{}z\n", numbered(20));
        let project = Project::with(&[("a.txt", old.as_bytes())]);
        project.read("a.txt").await;
        let input = json!({ "file_path": "a.txt", "content": old.replace("z\n", "end\n") });
        let draft = drafted(&project, "Write", input).await.draft;
        if draft.offer().hunks {
            let change = DraftChange::Hunks { rejected: vec![0] };
            assert!(matches!(draft.change(&change), Err(DraftError::Unfit(_))));
        }
    }

    #[tokio::test]
    async fn a_command_keeps_its_timeout_and_loses_the_description_of_another() {
        let project = Project::new();
        let input = json!({ "command": "make", "timeout": 5000, "description": "Build it" });
        let draft = drafted(&project, "Bash", input).await.draft;
        let text = |text: &str| DraftChange::Text {
            text: text.to_owned(),
        };
        let redrafted = draft.change(&text("make -j2")).unwrap();
        assert_eq!(
            redrafted.input,
            json!({ "command": "make -j2", "timeout": 5000 })
        );
        assert!(matches!(
            draft.change(&text("  ")),
            Err(DraftError::Unfit(_))
        ));
        assert_eq!(draft.change(&text("make")), Err(DraftError::Unchanged));
    }

    fn lines() -> impl Strategy<Value = Vec<String>> {
        prop::collection::vec("[ab]{0,2}", 0..12)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        /// Whatever a person makes of the text: it is refused, or the call gives exactly that.
        #[test]
        fn what_is_shown_is_what_is_applied(
            old in lines(),
            new in lines(),
            edited in lines(),
            ending in prop::sample::select(vec!["\n", "\r\n"]),
            tool in prop::sample::select(vec!["Write", "Edit", "MultiEdit"]),
        ) {
            let text = |lines: &[String]| lines.iter().map(|line| format!("{line}{ending}")).collect::<String>();
            let (old, new) = (text(&old), text(&new));
            let edited: String = edited.iter().map(|line| format!("{line}\n")).collect();
            tokio::runtime::Runtime::new().unwrap().block_on(async {
                let project = Project::with(&[("f", old.as_bytes())]);
                project.read("f").await;
                let input = match tool {
                    "Write" => json!({ "file_path": "f", "content": new }),
                    "MultiEdit" => json!({ "file_path": "f", "edits": [{ "old_string": old, "new_string": new }] }),
                    _ => json!({ "file_path": "f", "old_string": old, "new_string": new }),
                };
                let tool_value = project.tool(tool);
                let parsed = tool_value.parse(Arc::new(input)).unwrap();
                let Some(drafted) = tool_value.draft(&parsed, &project.context).await else {
                    return;
                };
                let Ok(redrafted) = drafted.draft.change(&DraftChange::Text { text: edited }) else {
                    return;
                };
                let done = project.call(tool, redrafted.input).await.unwrap();
                assert_eq!(the_diff(&done.view).hunks, the_diff(&redrafted.view).hunks);
            });
        }
    }
}
