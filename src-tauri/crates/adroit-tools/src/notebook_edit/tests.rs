use std::sync::Arc;

use adroit_protocol::permission::DraftChange;
use adroit_tool::{DraftError, Drafted, ErasedStage};
use serde_json::{Value, json};

use crate::tests::{Project, shown_diff, the_diff};

fn notebook(cells: &Value) -> Vec<u8> {
    let whole = json!({ "cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5 });
    let mut text = serde_json::to_string_pretty(&whole).unwrap();
    text.push('\n');
    text.into_bytes()
}

fn code(id: &str, source: &str) -> Value {
    json!({ "cell_type": "code", "execution_count": 1, "id": id, "metadata": {}, "outputs": [
        { "name": "stdout", "output_type": "stream", "text": ["out\n"] },
    ], "source": source })
}

async fn project() -> Project {
    let project = Project::with(&[(
        "n.ipynb",
        notebook(&json!([code("a", "x = 1\ny = 2"), code("b", "print(x)")])).as_slice(),
    )]);
    project.read("n.ipynb").await;
    project
}

#[tokio::test]
async fn a_cell_gets_another_source() {
    let project = project().await;
    let input = json!({ "notebook_path": "n.ipynb", "cell_id": "a", "new_source": "x = 1\ny = 3" });
    let preview = project.preview("NotebookEdit", input.clone()).await;
    let before = project.bytes("n.ipynb");
    let done = project.call("NotebookEdit", input).await.unwrap();
    insta::assert_snapshot!(done.text, @"
    Replaced cell a (index 0, code) of n.ipynb (+1 −1).
    [its outputs are cleared]
    ");
    assert_eq!(
        the_diff(&done.view),
        the_diff(&preview),
        "what was shown is what was done"
    );
    insta::assert_snapshot!(shown_diff(the_diff(&done.view)), @"
    Updated n.ipynb +1 -1
    @@ -1,2 +1,2 @@
     x = 1
    -y = 2
    +y = 3
    note: cell a (index 0, code)
    note: its outputs are cleared
    ");
    let after: Value = serde_json::from_slice(&project.bytes("n.ipynb")).unwrap();
    assert_eq!(after["cells"][0]["source"], json!("x = 1\ny = 3"));
    assert_eq!(after["cells"][0]["outputs"], json!([]));
    assert_eq!(after["cells"][0]["execution_count"], Value::Null);
    let half = before.len() / 2;
    assert!(project.bytes("n.ipynb").ends_with(&before[half..]));
    // Its own change does not make the file stale.
    let next = json!({ "notebook_path": "n.ipynb", "cell_index": 1, "edit_mode": "delete" });
    assert!(
        project
            .text("NotebookEdit", next)
            .await
            .starts_with("Deleted cell b (index 1, code)")
    );
}

#[tokio::test]
async fn a_cell_is_inserted_after_another_or_first() {
    let project = project().await;
    let input = json!({ "notebook_path": "n.ipynb", "cell_id": "a", "edit_mode": "insert", "cell_type": "markdown", "new_source": "# x" });
    let text = project.text("NotebookEdit", input).await;
    assert!(
        text.starts_with("Inserted cell ") && text.contains("(index 1, markdown)"),
        "{text}"
    );
    let input =
        json!({ "notebook_path": "n.ipynb", "edit_mode": "insert", "new_source": "import os" });
    let text = project.text("NotebookEdit", input).await;
    assert!(text.contains("(index 0, code)"), "{text}");
    let after: Value = serde_json::from_slice(&project.bytes("n.ipynb")).unwrap();
    let kinds: Vec<&str> = after["cells"]
        .as_array()
        .unwrap()
        .iter()
        .map(|cell| cell["cell_type"].as_str().unwrap())
        .collect();
    assert_eq!(kinds, ["code", "code", "markdown", "code"]);
}

#[tokio::test]
async fn dv_read_008_broken_or_ambiguous_notebooks_stay_as_they_are() {
    let broken = b"{\"cells\": [";
    let twice = notebook(&json!([code("abc", "1"), code("abc", "2")]));
    let project = Project::with(&[
        ("b.ipynb", broken.as_slice()),
        ("t.ipynb", twice.as_slice()),
    ]);
    let failure = project
        .failure("Read", json!({ "file_path": "b.ipynb" }))
        .await;
    insta::assert_snapshot!(failure, @"b.ipynb cannot be read as a notebook: it is not valid JSON: EOF while parsing a list at line 1 column 11. Read it with offset 1 to see it as text.");
    assert!(
        project
            .text("Read", json!({ "file_path": "b.ipynb", "offset": 1 }))
            .await
            .contains("{\"cells\": [")
    );
    let edit = |path: &str| json!({ "notebook_path": path, "cell_id": "abc", "new_source": "3" });
    let failure = project.failure("NotebookEdit", edit("b.ipynb")).await;
    assert_eq!(failure.code, "not_a_notebook");
    assert_eq!(project.bytes("b.ipynb"), broken);
    project.read("t.ipynb").await;
    let failure = project.failure("NotebookEdit", edit("t.ipynb")).await;
    assert_eq!(failure.code, "ambiguous_cell");
    assert!(failure.message.contains("index 0, 1"), "{failure}");
    assert_eq!(project.bytes("t.ipynb"), twice);
}

#[tokio::test]
async fn inputs_that_make_no_sense_and_files_that_were_not_read() {
    let project = Project::with(&[("n.ipynb", notebook(&json!([code("a", "1")])).as_slice())]);
    let code_of = async |fields: Value| {
        let mut input = json!({ "notebook_path": "n.ipynb" });
        input
            .as_object_mut()
            .unwrap()
            .extend(fields.as_object().unwrap().clone());
        project.failure("NotebookEdit", input).await.code
    };
    assert_eq!(code_of(json!({ "cell_id": "a" })).await, "no_source");
    assert_eq!(code_of(json!({ "new_source": "x" })).await, "no_cell");
    assert_eq!(code_of(json!({ "edit_mode": "delete" })).await, "no_cell");
    assert_eq!(
        code_of(json!({ "cell_id": "a", "cell_index": 0, "new_source": "x" })).await,
        "two_cells"
    );
    assert_eq!(
        code_of(json!({ "cell_id": "a", "new_source": "x" })).await,
        "not_read"
    );
    project.read("n.ipynb").await;
    assert_eq!(
        code_of(json!({ "cell_id": "z", "new_source": "x" })).await,
        "no_cell"
    );
    assert_eq!(
        code_of(json!({ "cell_index": 7, "new_source": "x" })).await,
        "no_cell"
    );
    project.write("n.ipynb", b"{}");
    assert_eq!(
        code_of(json!({ "cell_id": "a", "new_source": "x" })).await,
        "stale"
    );
}

async fn drafted(project: &Project, input: Value) -> Option<Drafted> {
    let tool = project.tool("NotebookEdit");
    let input = tool.parse(Arc::new(input)).unwrap();
    tool.draft(&input, &project.context).await
}

/// What a person edits is the cell and not the JSON around it.
#[tokio::test]
async fn a_cell_may_be_changed_before_it_is_written() {
    let project = project().await;
    let input = json!({ "notebook_path": "n.ipynb", "cell_id": "a", "new_source": "x = 1\ny = 3" });
    let draft = drafted(&project, input).await.unwrap().draft;
    assert_eq!(draft.text(&[]).unwrap(), "x = 1\ny = 3");
    let text = |text: &str| DraftChange::Text {
        text: text.to_owned(),
    };
    assert_eq!(
        draft.change(&text("x = 1\ny = 2")),
        Err(DraftError::NothingLeft)
    );
    let redrafted = draft.change(&text("x = 1\ny = 4")).unwrap();
    insta::assert_snapshot!(redrafted.told.unwrap(), @"
    The user edited your change before approving it. What cell a (index 0, code) of n.ipynb has now differs from your proposal like this:
    @@ -1,2 +1,2 @@
     x = 1
    -y = 3
    +y = 4
    ");
    let done = project.call("NotebookEdit", redrafted.input).await.unwrap();
    assert_eq!(
        the_diff(&done.view),
        the_diff(&redrafted.view),
        "what was approved is what was done"
    );
    let after: Value = serde_json::from_slice(&project.bytes("n.ipynb")).unwrap();
    assert_eq!(after["cells"][0]["source"], json!("x = 1\ny = 4"));
}

#[tokio::test]
async fn places_of_a_cell_are_left_out_and_a_deleted_cell_has_none() {
    let source: Vec<String> = (1..=20).map(|number| format!("x{number}")).collect();
    let source = source.join("\n");
    let cells = json!([code("a", &source)]);
    let project = Project::with(&[("n.ipynb", notebook(&cells).as_slice())]);
    project.read("n.ipynb").await;
    let new = source.replace("x2\n", "y2\n").replace("x19\n", "y19\n");
    let input = json!({ "notebook_path": "n.ipynb", "cell_id": "a", "new_source": new });
    let draft = drafted(&project, input).await.unwrap().draft;
    assert!(draft.offer().hunks);
    let change = DraftChange::Hunks { rejected: vec![0] };
    let input = draft.change(&change).unwrap().input;
    project.call("NotebookEdit", input).await.unwrap();
    let after: Value = serde_json::from_slice(&project.bytes("n.ipynb")).unwrap();
    assert_eq!(
        after["cells"][0]["source"],
        json!(source.replace("x19\n", "y19\n"))
    );
    let delete = json!({ "notebook_path": "n.ipynb", "cell_id": "a", "edit_mode": "delete" });
    assert!(drafted(&project, delete).await.is_none());
    let insert = json!({ "notebook_path": "n.ipynb", "edit_mode": "insert", "new_source": "z" });
    let draft = drafted(&project, insert).await.unwrap().draft;
    let redrafted = draft
        .change(&DraftChange::Text { text: "w".into() })
        .unwrap();
    project.call("NotebookEdit", redrafted.input).await.unwrap();
    let after: Value = serde_json::from_slice(&project.bytes("n.ipynb")).unwrap();
    assert_eq!(after["cells"][0]["source"], json!("w"));
}

#[test]
fn what_is_written_shows_before_it_runs() {
    let project = Project::new();
    let tool = project.tool("NotebookEdit");
    let partial = json!({ "notebook_path": "n.ipynb", "new_source": "x = " });
    let view = tool.present(ErasedStage::Writing { partial: &partial });
    assert_eq!(
        (view.title.as_str(), view.blocks.len()),
        ("Edit n.ipynb", 1)
    );
    let tag = |input: Value| {
        let parsed = tool.parse(Arc::new(input)).unwrap();
        tool.present(ErasedStage::Queued { input: &parsed })
            .tag
            .unwrap_or_default()
    };
    assert_eq!(
        tag(json!({ "notebook_path": "n", "cell_id": "a", "new_source": "" })),
        "cell a"
    );
    assert_eq!(
        tag(json!({ "notebook_path": "n", "cell_index": 2, "edit_mode": "delete" })),
        "delete cell at index 2"
    );
    assert_eq!(
        tag(json!({ "notebook_path": "n", "edit_mode": "insert", "new_source": "" })),
        "insert first"
    );
}
