//! Finding and loading tools.

use std::sync::{Arc, Mutex};

use adroit_tool::{DeferredTool, ToolCatalog};
use serde_json::json;

use crate::tests::Project;

/// A few tools of servers, and what was loaded of them.
#[derive(Default)]
struct Shelf {
    loaded: Mutex<Vec<String>>,
}

const TOOLS: [(&str, &str, &str); 5] = [
    (
        "NotebookEdit",
        "jupyter cell ipynb",
        "Changes one cell of a notebook.",
    ),
    (
        "mcp__github__create_issue",
        "",
        "Opens an issue in a repository.",
    ),
    (
        "mcp__github__list_issues",
        "",
        "Lists issues of a repository.",
    ),
    (
        "mcp__slack__send_message",
        "",
        "Sends a message to a channel.",
    ),
    (
        "mcp__slack__list_channels",
        "",
        "Lists the channels one can send to.",
    ),
];

impl ToolCatalog for Shelf {
    fn deferred(&self) -> Vec<DeferredTool> {
        let loaded = self.loaded.lock().unwrap();
        TOOLS
            .iter()
            .map(|(name, hint, description)| DeferredTool {
                name: (*name).to_owned(),
                aliases: if *name == "NotebookEdit" {
                    vec!["EditNotebook".to_owned()]
                } else {
                    Vec::new()
                },
                search_hint: (*hint).to_owned(),
                description: (*description).to_owned(),
                input_schema: Arc::new(json!({"type": "object"})),
                server: None,
                loaded: loaded.iter().any(|known| known == name),
            })
            .collect()
    }

    fn is_always_loaded(&self, name: &str) -> bool {
        name == "Read"
    }

    fn load(&self, name: &str) {
        self.loaded.lock().unwrap().push(name.to_owned());
    }
}

/// Searches; gives what was loaded, in order, and what the model reads.
async fn search(input: serde_json::Value) -> (Vec<String>, String) {
    let mut project = Project::new();
    let shelf = Arc::new(Shelf::default());
    project.context.catalog = Arc::clone(&shelf) as _;
    let text = project.text("ToolSearch", input).await;
    let loaded = shelf.loaded.lock().unwrap().clone();
    (loaded, text)
}

async fn found(query: &str) -> Vec<String> {
    search(json!({ "query": query })).await.0
}

#[tokio::test]
async fn tools_are_selected_by_name() {
    let (loaded, text) =
        search(json!({"query": "select:mcp__slack__send_message, NotebookEdit"})).await;
    assert_eq!(loaded, ["mcp__slack__send_message", "NotebookEdit"]);
    insta::assert_snapshot!(text, @r#"
    Loaded; call them like any other tool:
    <function>{"name":"mcp__slack__send_message","description":"Sends a message to a channel.","input_schema":{"type":"object"}}</function>
    <function>{"name":"NotebookEdit","description":"Changes one cell of a notebook.","input_schema":{"type":"object"}}</function>
    "#);
    assert_eq!(found("select:EditNotebook").await, ["NotebookEdit"]);
    assert_eq!(
        found("select:notebookedit,NotebookEdit").await,
        ["NotebookEdit"]
    );
}

#[tokio::test]
async fn what_cannot_be_selected_is_told_apart() {
    let (loaded, text) = search(json!({"query": "select:Read,Nonsense"})).await;
    assert!(loaded.is_empty());
    insta::assert_snapshot!(text, @r#"
    Read is loaded already: its parameters are among your tools.
    There is no tool named "Nonsense".
    Nothing was loaded. The tools that can be loaded are NotebookEdit, mcp__github__create_issue, mcp__github__list_issues, mcp__slack__send_message, mcp__slack__list_channels.
    "#);
}

#[tokio::test]
async fn words_are_ranked_by_where_they_are() {
    assert_eq!(
        found("list").await,
        ["mcp__github__list_issues", "mcp__slack__list_channels"]
    );
    // In the name before in the description.
    assert_eq!(
        found("send").await,
        ["mcp__slack__send_message", "mcp__slack__list_channels"]
    );
    assert_eq!(found("jupyter").await, ["NotebookEdit"]);
    assert_eq!(found("Issue").await[0], "mcp__github__create_issue");
    assert_eq!(found("+slack message").await[0], "mcp__slack__send_message");
    assert_eq!(
        found("+slack issue").await.len(),
        2,
        "all of them are slack's"
    );
    assert_eq!(found("+teams message").await, [""; 0]);
    let (one, _) = search(json!({"query": "list", "max_results": 1})).await;
    assert_eq!(one, ["mcp__github__list_issues"]);
}

#[tokio::test]
async fn a_search_for_nothing_says_how() {
    for query in ["", "  ", "select:", "select: ,", "+"] {
        let project = Project::new();
        let failure = project
            .failure("ToolSearch", json!({ "query": query }))
            .await;
        assert_eq!(failure.code, "no_words", "{query:?}");
    }
}

#[tokio::test]
async fn a_search_is_shown_with_what_it_loaded() {
    let mut project = Project::new();
    project.context.catalog = Arc::new(Shelf::default());
    let done = project
        .call("ToolSearch", json!({"query": "send"}))
        .await
        .unwrap();
    insta::assert_json_snapshot!(done.view);
}
