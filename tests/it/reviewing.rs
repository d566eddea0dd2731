//! What a person does with changes: looks at them, sees what an undo would do, and does it.

use adroit_protocol::changes::{ChangeList, FileComparison, HunkPlace, UndoPreview, UndoResult};
use adroit_protocol::event::{CallItem, SessionSnapshot};
use adroit_protocol::view::Hunk;
use serde_json::{Value, json};

use crate::desk::Desk;

/// The input of an edit.
pub(crate) fn edit(file: &str, old: &str, new: &str) -> Value {
    json!({"file_path": file, "old_string": old, "new_string": new})
}

/// All that a call changed.
pub(crate) fn of_call(call: &CallItem) -> Value {
    json!({"scope": {"type": "call", "call": call.call}})
}

impl Desk {
    /// What taking something back would do.
    pub(crate) async fn preview(&self, target: &Value) -> UndoPreview {
        self.on_session("undo.preview", json!({"target": target}))
            .await
            .unwrap()
    }

    /// Takes something back without choices.
    pub(crate) async fn undo(&self, target: &Value) -> UndoResult {
        let preview = self.preview(target).await;
        self.undo_as(target, &preview, json!([])).await.unwrap()
    }

    /// Takes something back as a preview said.
    pub(crate) async fn undo_as(
        &self,
        target: &Value,
        preview: &UndoPreview,
        choices: Value,
    ) -> Result<UndoResult, adroit_protocol::WireError> {
        let input = json!({
            "target": target, "fingerprint": preview.fingerprint, "choices": choices
        });
        self.on_session("undo.apply", input).await
    }

    /// The changed files of a scope.
    pub(crate) async fn changes(&self, scope: &Value) -> ChangeList {
        self.on_session("changes.list", json!({"scope": scope}))
            .await
            .unwrap()
    }

    /// One file of a scope, old against new.
    pub(crate) async fn compare(
        &self,
        scope: &Value,
        path: &str,
        ignore_space: bool,
    ) -> FileComparison {
        let input = json!({"scope": scope, "path": path, "ignoreSpace": ignore_space});
        self.on_session("changes.file", input).await.unwrap()
    }

    /// Takes something back when the turn ends.
    pub(crate) async fn undo_at_the_end(&self, target: &Value, title: &str) {
        let input = json!({"target": target, "title": title, "choices": []});
        self.on_session::<Value>("undo.later", input).await.unwrap();
    }

    /// Waits for the end of the turn and of what waited for it.
    pub(crate) async fn settled(&mut self) -> SessionSnapshot {
        self.idle().await;
        self.until("nothing waits any more", |snapshot| {
            snapshot.undos.is_empty()
        })
        .await
    }
}

/// A place, as one names it.
pub(crate) fn place(hunk: &Hunk) -> Value {
    json!(HunkPlace {
        old_start: hunk.old_start,
        old_lines: hunk.old_lines,
        new_start: hunk.new_start,
        new_lines: hunk.new_lines,
    })
}
