//! How every tool looks at every moment, as snapshots: one a tool of the table. A new tool is held to
//! this by being in the table; it has to say here what a call of it may look like.

use std::sync::Arc;

use adroit_protocol::TerminalId;
use adroit_protocol::view::View;
use adroit_tool::{AnyTool, CancelReason, ErasedStage, ParsedInput, Progress, ToolFailure};
use regex::Regex;
use serde_json::{Map, Value, json};

use crate::tests::Project;

/// A call of the tool that succeeds, and what it needs in the project.
async fn sample(project: &Project, name: &str) -> Value {
    let edited = "fn main() {\n    old();\n}\n";
    match name {
        "Agent" => {
            json!({ "description": "Find the parser", "prompt": "Where is the parser?", "subagent_type": "explore" })
        }
        // With answers, which a person gives.
        "AskUserQuestion" => json!({
            "questions": [
                {
                    "question": "Which database shall it use?",
                    "header": "Database",
                    "options": [
                        { "label": "Postgres", "description": "Runs already." },
                        { "label": "SQLite", "description": "Nothing to set up." },
                    ],
                },
                {
                    "question": "Which formats?",
                    "header": "Formats",
                    "options": [
                        { "label": "JSON", "description": "" },
                        { "label": "CSV", "description": "" },
                    ],
                    "multiSelect": true,
                },
            ],
            "answers": {
                "Which database shall it use?": "something small",
                "Which formats?": ["CSV", "and YAML"],
            },
        }),
        "Bash" => json!({ "command": "printf 'one\\ntwo\\n'", "description": "Prints two lines" }),
        "Edit" => {
            read(project, "src/main.rs", edited).await;
            json!({ "file_path": "src/main.rs", "old_string": "old", "new_string": "new" })
        }
        // With the mode, which the person chooses.
        "ExitPlanMode" => json!({ "plan": "1. Read `a.txt`.\n2. Edit it.", "mode": "acceptEdits" }),
        "Glob" => {
            project.write("src/main.rs", b"");
            json!({ "pattern": "src/**/*.rs" })
        }
        "Grep" => {
            project.write("src/main.rs", edited.as_bytes());
            json!({ "pattern": "old", "path": "src", "output_mode": "content" })
        }
        "MultiEdit" => {
            read(project, "src/main.rs", edited).await;
            json!({
                "file_path": "src/main.rs",
                "edits": [
                    { "old_string": "old", "new_string": "new" },
                    { "old_string": "main", "new_string": "run" }
                ]
            })
        }
        "NotebookEdit" => {
            read(project, "a.ipynb", NOTEBOOK).await;
            json!({ "notebook_path": "a.ipynb", "cell_id": "c1", "new_source": "print(2)" })
        }
        "Read" => {
            project.write("src/main.rs", edited.as_bytes());
            json!({ "file_path": "src/main.rs", "offset": 1, "limit": 2 })
        }
        "Scaffold" => json!({ "subject": "the thing" }),
        "TaskOutput" => {
            let task = project.background("printf done").await;
            json!({ "task_id": task, "block": true })
        }
        "TaskStop" => {
            let task = project.background("sleep 600").await;
            json!({ "task_id": task })
        }
        "ToolSearch" => json!({ "query": "notebook" }),
        "Write" => json!({ "file_path": "new/a.txt", "content": "one\ntwo\n" }),
        other => panic!("say here what a call of {other} looks like"),
    }
}

const NOTEBOOK: &str = r#"{"cells": [{"cell_type": "code", "id": "c1", "metadata": {}, "outputs": [],
 "execution_count": null, "source": ["print(1)"]}], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
"#;

async fn read(project: &Project, path: &str, content: &str) {
    project.write(path, content.as_bytes());
    project.text("Read", json!({ "file_path": path })).await;
}

/// The input as it arrives: nothing, each field half written, each field whole.
fn arriving(input: &Value) -> Vec<Value> {
    let mut sofar = Map::new();
    let mut cuts = vec![Value::Object(sofar.clone())];
    for (name, value) in input.as_object().unwrap() {
        let half = match value {
            Value::String(text) => {
                let middle = text.chars().count() / 2;
                json!(text.chars().take(middle).collect::<String>())
            }
            Value::Array(items) => json!(items[..items.len() / 2]),
            other => other.clone(),
        };
        for stage in [half, value.clone()] {
            sofar.insert(name.clone(), stage);
            cuts.push(Value::Object(sofar.clone()));
        }
    }
    cuts.dedup();
    cuts
}

/// What differs from run to run.
struct Steady(Vec<(Regex, &'static str)>);

impl Steady {
    fn new(project: &Project) -> Self {
        let root = regex::escape(&project.root.display().to_string());
        let parts: [(&str, &'static str); 6] = [
            (&root, "/project"),
            ("task_[0-9a-f]+", "task_1"),
            // Whether it ended at the first signal or at the last.
            (r#""exitCode":1(29|37|43)"#, "\"exitCode\":\"killed\""),
            (r#"(term|terminal)_[0-9a-zA-Z-]+"#, "terminal_1"),
            (r"\b[0-9]+(\.[0-9]+)? ?(ms|s)\b", "[time]"),
            ("process [0-9]+", "process [pid]"),
        ];
        Self(
            parts
                .into_iter()
                .map(|(pattern, put)| (Regex::new(pattern).unwrap(), put))
                .collect(),
        )
    }

    fn of(&self, text: &str) -> String {
        self.0.iter().fold(text.to_owned(), |text, (pattern, put)| {
            pattern.replace_all(&text, *put).into_owned()
        })
    }
}

/// A view as text: every field that is set, a line each.
fn shown(view: &View) -> String {
    let Ok(Value::Object(fields)) = serde_json::to_value(view) else {
        panic!("a view is an object");
    };
    let mut text = String::new();
    for (name, value) in fields {
        match value {
            Value::Array(blocks) => {
                for block in blocks {
                    text += &format!("  {name}: {block}\n");
                }
            }
            Value::String(word) if name == "tone" && word == "neutral" => {}
            Value::String(word) => text += &format!("  {name}: {word}\n"),
            other => text += &format!("  {name}: {other}\n"),
        }
    }
    text
}

/// What the contract says of the tool and its call, beside how it looks.
fn facts(tool: &dyn AnyTool, input: &ParsedInput) -> String {
    format!(
        "name: {}\nfolds as: {:?}\ntransparent: {}\n",
        tool.user_facing_name(),
        tool.search_or_read(input),
        tool.is_transparent_wrapper()
    )
}

async fn moments(project: &Project, tool: &dyn AnyTool) -> String {
    let json = sample(project, tool.name()).await;
    let input = tool.parse(Arc::new(json.clone())).unwrap();
    let mut text = facts(tool, &input);
    let mut show = |what: &str, stage: ErasedStage<'_>| {
        let view = tool.present(stage);
        assert!(!view.title.trim().is_empty(), "{} {what}", tool.name());
        text += &format!("--- {what}\n{}", shown(&view));
        view
    };
    for partial in arriving(&json) {
        let view = show(
            &format!("writing {partial}"),
            ErasedStage::Writing { partial: &partial },
        );
        assert_eq!(view.summary, None, "nothing has come of it yet");
    }
    let queued = show("queued", ErasedStage::Queued { input: &input });
    if let (Some(group), Some(kind)) = (&queued.group, tool.search_or_read(&input)) {
        assert_eq!(group.kind, kind, "{} folds under its verb", tool.name());
        assert!(!group.chips.is_empty(), "a group names its targets");
    }
    let progress = Progress {
        message: Some("half way".to_owned()),
        terminal: Some(TerminalId::from("term_1")),
        folder: Some(project.root.clone()),
        question: None,
        sub_session: (tool.name() == "Agent")
            .then(|| crate::agent::tests::Rehearsed::report("").block("Find the parser")),
    };
    for (what, progress) in [("running", None), ("progress", Some(&progress))] {
        let running = ErasedStage::Running {
            input: &input,
            progress,
        };
        let view = show(what, running);
        assert!(view.activity.is_some(), "{} says what goes on", tool.name());
    }
    let outcome = tool.call(&input, project.context.clone()).await;
    let output = outcome.map_err(|failure| failure.message).unwrap().data;
    if let Some(schema) = tool.output_schema() {
        let told = tool.output_value(&output);
        assert!(
            jsonschema::is_valid(&schema, &told),
            "{} gives hooks what it promised: {told}",
            tool.name()
        );
    }
    let done = show(
        "succeeded",
        ErasedStage::Succeeded {
            input: &input,
            output: &output,
        },
    );
    assert!(
        done.summary.is_some(),
        "{} says what came of it",
        tool.name()
    );
    let reason = "the deny rule `X` of the user settings matches";
    let rejected = ErasedStage::Rejected {
        input: &input,
        reason,
    };
    ends_alone(&show("rejected", rejected));
    let failure = ToolFailure::new("code", "It did not work.").with_summary("failed");
    for partial in [&json, &json!({})] {
        let failed = ErasedStage::Failed {
            partial,
            failure: &failure,
        };
        ends_alone(&show(&format!("failed {partial}"), failed));
    }
    for reason in [
        CancelReason::Stopped,
        CancelReason::Interrupted,
        CancelReason::SiblingFailed {
            failed: "Bash(make)".to_owned(),
        },
        CancelReason::StreamDiscarded,
        CancelReason::Shutdown,
    ] {
        let cancelled = ErasedStage::Cancelled {
            partial: &json,
            reason: &reason,
        };
        let view = show(&format!("cancelled: {reason:?}"), cancelled);
        assert_eq!(view.summary.as_deref(), Some(reason.label()));
        ends_alone(&view);
    }
    text += &format!(
        "--- found by a search\n{}\ncut: {}\n",
        tool.search_text(&output),
        tool.is_result_truncated(&output)
    );
    text
}

/// A call that did not succeed never folds away, and nothing goes on any more.
fn ends_alone(view: &View) {
    assert_eq!((&view.group, &view.activity), (&None, &None));
}

#[tokio::test]
async fn every_tool_at_every_moment() {
    let names: Vec<String> = Project::new()
        .all_tools()
        .map(|tool| tool.name().to_owned())
        .collect();
    for name in names {
        let project = Project::new();
        let tool = Arc::clone(project.tool(&name));
        let text = Steady::new(&project).of(&moments(&project, tool.as_ref()).await);
        insta::assert_snapshot!(format!("views_{name}"), text);
        project.supervisor().shutdown().await;
    }
}
