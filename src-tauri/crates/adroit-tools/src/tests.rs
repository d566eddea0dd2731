//! The table, and what all tools promise.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use adroit_process::{EnvironmentSource, LoginEnvironment, Sandbox, Supervisor};
use adroit_protocol::message::ResultContent;
use adroit_protocol::view::{Block, Diff, LineChange, View};
use adroit_tool::{
    AnyTool, CallContext, CancelReason, DescribeOptions, ErasedOutput, ErasedStage, ToolFailure,
};
use adroit_workspace::Workspace;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

/// A project folder with the tools over it.
pub(crate) struct Project {
    pub(crate) root: PathBuf,
    pub(crate) context: CallContext,
    tools: Vec<Arc<dyn AnyTool>>,
    /// The scaffold of the next tool: in no table, and held to the same contract.
    scaffold: Arc<dyn AnyTool>,
    services: Services,
    _folder: tempfile::TempDir,
}

/// What came of a call.
pub(crate) struct Done {
    pub(crate) text: String,
    pub(crate) content: Vec<ResultContent>,
    pub(crate) view: View,
    pub(crate) output: ErasedOutput,
}

impl Project {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path().canonicalize().unwrap();
        let (root, home) = (base.join("project"), base.join("home"));
        std::fs::create_dir(&root).unwrap();
        std::fs::create_dir(&home).unwrap();
        let supervisor = Supervisor::default();
        let services = Services {
            workspace: Arc::new(Workspace::new(&root, [], Some(home.clone())).unwrap()),
            sandbox: Sandbox::new(supervisor.clone(), std::env::var_os("PATH")),
            supervisor: supervisor.clone(),
            environment: Arc::new(LoginEnvironment::new(
                supervisor,
                EnvironmentSource::Process,
            )),
            terminals: Arc::new(NoTerminals),
            tasks: BackgroundTasks::default(),
            agents: Arc::new(crate::agent::tests::Rehearsed),
            commands: Arc::new(CommandSettings::default),
            sandboxed: Arc::new(|| Arc::new(())),
            home,
            readable_data: vec![base.join("data")],
        };
        Self {
            context: CallContext::detached(&root, &base.join("overflow")),
            tools: all(&services),
            scaffold: erase(crate::scaffold::Scaffold::new(services.clone())),
            services,
            root,
            _folder: folder,
        }
    }

    pub(crate) fn with(files: &[(&str, &[u8])]) -> Self {
        let project = Self::new();
        for (path, content) in files {
            project.write(path, content);
        }
        project
    }

    pub(crate) fn write(&self, path: &str, content: &[u8]) -> PathBuf {
        let path = self.root.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, content).unwrap();
        path
    }

    pub(crate) fn bytes(&self, path: &str) -> Vec<u8> {
        std::fs::read(self.root.join(path)).unwrap()
    }

    pub(crate) fn names(&self, path: &str) -> Vec<String> {
        adroit_workspace::list_dir(&self.root.join(path))
            .unwrap()
            .iter()
            .map(|entry| {
                entry
                    .path
                    .file_name()
                    .unwrap()
                    .to_string_lossy()
                    .into_owned()
            })
            .collect()
    }

    pub(crate) fn workspace(&self) -> Arc<Workspace> {
        Arc::clone(&self.services.workspace)
    }

    pub(crate) fn tasks(&self) -> &BackgroundTasks {
        &self.services.tasks
    }

    pub(crate) fn supervisor(&self) -> &Supervisor {
        &self.services.supervisor
    }

    /// Starts a command in the background and gives the task's name.
    pub(crate) async fn background(&self, command: &str) -> String {
        let input = json!({ "command": command, "run_in_background": true });
        let text = self.text("Bash", input).await;
        let start = text.find("task_").unwrap();
        text[start..start + 13].to_owned()
    }

    pub(crate) fn tool(&self, name: &str) -> &Arc<dyn AnyTool> {
        self.all_tools().find(|tool| tool.name() == name).unwrap()
    }

    pub(crate) fn all_tools(&self) -> impl Iterator<Item = &Arc<dyn AnyTool>> {
        self.tools.iter().chain(std::iter::once(&self.scaffold))
    }

    /// Parses, validates and runs a call, as the pipeline does but for permission.
    pub(crate) async fn call(&self, name: &str, input: Value) -> Result<Done, ToolFailure> {
        let tool = self.tool(name);
        let invalid =
            |error: adroit_tool::InvalidInput| ToolFailure::new(error.code, error.message);
        let input = tool.parse(Arc::new(input)).map_err(invalid)?;
        tool.validate_input(&input, &self.context)
            .await
            .map_err(invalid)?;
        let outcome = tool.call(&input, self.context.clone()).await?;
        let content = tool.map_result(&outcome.data);
        let text = content
            .iter()
            .filter_map(|part| match part {
                ResultContent::Text { text } => Some(text.as_str()),
                ResultContent::Image { .. } => None,
            })
            .collect::<Vec<_>>()
            .join("\n");
        let view = tool.present(ErasedStage::Succeeded {
            input: &input,
            output: &outcome.data,
        });
        assert!(!text.contains('\0'), "a result holds no raw NUL");
        Ok(Done {
            text,
            content,
            view,
            output: outcome.data,
        })
    }

    pub(crate) async fn text(&self, name: &str, input: Value) -> String {
        match self.call(name, input).await {
            Ok(done) => done.text,
            Err(failure) => panic!("{}: {}", failure.code, failure.message),
        }
    }

    pub(crate) async fn failure(&self, name: &str, input: Value) -> ToolFailure {
        match self.call(name, input).await {
            Ok(done) => panic!("it did not fail: {}", done.text),
            Err(failure) => failure,
        }
    }

    pub(crate) async fn read(&self, path: &str) -> String {
        self.text("Read", json!({ "file_path": path })).await
    }

    pub(crate) async fn edit(&self, path: &str, old: &str, new: &str) -> Result<Done, ToolFailure> {
        self.call(
            "Edit",
            json!({ "file_path": path, "old_string": old, "new_string": new }),
        )
        .await
    }

    /// What a person sees before they allow a call.
    pub(crate) async fn preview(&self, name: &str, input: Value) -> View {
        let tool = self.tool(name);
        let input = tool.parse(Arc::new(input)).unwrap();
        tool.preview(&input, &self.context).await
    }
}

/// A diff as text.
pub(crate) fn shown_diff(diff: &Diff) -> String {
    let mut text = format!(
        "{:?} {} +{} -{}\n",
        diff.change, diff.path, diff.added, diff.removed
    );
    for hunk in &diff.hunks {
        text.push_str(&format!(
            "@@ -{},{} +{},{} @@\n",
            hunk.old_start, hunk.old_lines, hunk.new_start, hunk.new_lines
        ));
        for line in &hunk.lines {
            let sign = match line.kind {
                LineChange::Context => ' ',
                LineChange::Added => '+',
                LineChange::Removed => '-',
            };
            text.push_str(&format!("{sign}{}\n", line.text));
        }
    }
    for note in &diff.notes {
        text.push_str(&format!("note: {note}\n"));
    }
    text
}

pub(crate) fn the_diff(view: &View) -> &Diff {
    view.blocks
        .iter()
        .find_map(|block| match block {
            Block::Diff(diff) => Some(diff),
            _ => None,
        })
        .unwrap()
}

#[test]
fn the_table_is_the_list_of_names() {
    let project = Project::new();
    let names: Vec<&str> = project.tools.iter().map(|tool| tool.name()).collect();
    assert_eq!(names, NAMES);
}

#[test]
fn every_tool_has_a_strict_schema_and_a_short_prompt() {
    let project = Project::new();
    let options = DescribeOptions::default();
    for tool in &project.tools {
        let schema = tool.input_schema();
        assert_eq!(
            schema["additionalProperties"],
            json!(false),
            "{}",
            tool.name()
        );
        for (field, property) in schema["properties"].as_object().unwrap() {
            assert!(
                property.get("description").is_some() || property.get("anyOf").is_some(),
                "{} {field}",
                tool.name()
            );
        }
        let prompt = tool.prompt(&options);
        assert!((200..4_000).contains(&prompt.len()), "{}", tool.name());
        assert!(!tool.description(None, &options).is_empty() && !tool.search_hint().is_empty());
    }
    insta::assert_json_snapshot!("grep_schema", project.tool("Grep").input_schema().as_ref());
}

#[test]
fn unknown_and_missing_fields_are_refused() {
    let project = Project::new();
    for (name, input) in [
        ("AskUserQuestion", json!({ "questions": "?" })),
        ("Read", json!({ "file_path": "a", "nope": 1 })),
        ("Write", json!({ "file_path": "a" })),
        ("Edit", json!({ "file_path": "a", "old_string": "x" })),
        ("ExitPlanMode", json!({})),
        ("Glob", json!({})),
        ("MultiEdit", json!({ "file_path": "a" })),
        ("NotebookEdit", json!({ "cell_id": "a" })),
        ("Grep", json!({ "pattern": "x", "output_mode": "lines" })),
        ("TaskOutput", json!({ "block": true })),
        ("TaskStop", json!({ "task_id": 5 })),
        ("ToolSearch", json!({ "names": ["x"] })),
    ] {
        assert!(project.tool(name).parse(Arc::new(input)).is_err(), "{name}");
    }
}

#[test]
fn only_reading_and_searching_is_read_only_and_parallel() {
    let project = Project::new();
    for (name, input, reads) in [
        ("Read", json!({ "file_path": "a" }), true),
        ("Glob", json!({ "pattern": "*" }), true),
        ("Grep", json!({ "pattern": "x" }), true),
        ("Write", json!({ "file_path": "a", "content": "" }), false),
        (
            "Edit",
            json!({ "file_path": "a", "old_string": "x", "new_string": "y" }),
            false,
        ),
        (
            "MultiEdit",
            json!({ "file_path": "a", "edits": [{ "old_string": "x", "new_string": "y" }] }),
            false,
        ),
        (
            "NotebookEdit",
            json!({ "notebook_path": "a", "cell_id": "x", "new_source": "" }),
            false,
        ),
    ] {
        let tool = project.tool(name);
        let input = tool.parse(Arc::new(input)).unwrap();
        assert_eq!(tool.is_read_only(&input, &project.context), reads, "{name}");
        assert_eq!(
            tool.is_concurrency_safe(&input, &project.context),
            reads,
            "{name}"
        );
        assert_eq!(tool.search_or_read(&input).is_some(), reads, "{name}");
    }
}

/// Every case is tested or listed as later, and not both. A test names its case: `dv_edit_001`.
#[test]
fn every_case_has_a_test_or_a_reason() {
    let tests = [
        include_str!("read/tests.rs"),
        include_str!("write/tests.rs"),
        include_str!("edit/tests.rs"),
        include_str!("glob/tests.rs"),
        include_str!("grep/tests.rs"),
        include_str!("multi_edit/tests.rs"),
        include_str!("notebook_edit/tests.rs"),
        include_str!("bash/cases.rs"),
        include_str!("task_output/tests.rs"),
    ]
    .concat();
    let cases = [
        include_str!("../cases/files.jsonl"),
        include_str!("../cases/bash.jsonl"),
    ]
    .concat();
    let later = include_str!("../cases/later.md");
    let mut known = BTreeSet::new();
    for line in cases.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let id = case["id"].as_str().unwrap();
        let tested = tests.contains(&id.replace('-', "_"));
        let listed = later.contains(&format!("| {id} |"));
        assert!(
            tested != listed,
            "{id}: tested {tested}, listed as later {listed}"
        );
        assert!(known.insert(id.to_owned()), "{id} stands twice");
    }
    let unknown: Vec<&str> = later
        .lines()
        .filter_map(|line| line.strip_prefix("| dv-"))
        .collect();
    for rest in unknown {
        let id = format!("dv-{}", rest.split(' ').next().unwrap());
        assert!(
            known.contains(&id),
            "{id} is listed as later and is no case"
        );
    }
    // The other way round, one test a case: `fn dv_bash_001_…`.
    let mut named = BTreeSet::new();
    for rest in tests.split("fn dv_bash_").skip(1) {
        let id = format!("dv-bash-{}", &rest[..3]);
        assert!(known.contains(&id), "{id} is tested and is no case");
        assert!(named.insert(id.clone()), "{id} has two tests");
    }
    let cases_of_bash = known.iter().filter(|id| id.starts_with("dv-bash-"));
    assert_eq!(named.len(), cases_of_bash.count());
}

/// Any JSON, with the tools' own field names among its keys.
fn partial() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
    ];
    let keys = proptest::sample::select(vec![
        "file_path",
        "content",
        "old_string",
        "new_string",
        "replace_all",
        "pattern",
        "path",
        "command",
        "offset",
        "glob",
        "edits",
        "notebook_path",
        "new_source",
        "pages",
        "task_id",
        "query",
        "questions",
        "plan",
    ]);
    leaf.prop_recursive(2, 16, 4, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            proptest::collection::btree_map(keys.clone(), inner, 0..5).prop_map(|map| {
                Value::Object(
                    map.into_iter()
                        .map(|(key, value)| (key.to_owned(), value))
                        .collect(),
                )
            }),
        ]
    })
}

proptest! {
    #[test]
    fn presentation_is_total(partial in partial()) {
        let project = Project::new();
        let failure = ToolFailure::new("code", "message");
        for tool in &project.tools {
            for stage in [
                ErasedStage::Writing { partial: &partial },
                ErasedStage::Failed { partial: &partial, failure: &failure },
                ErasedStage::Cancelled { partial: &partial, reason: &CancelReason::Stopped },
            ] {
                prop_assert!(!tool.present(stage).title.is_empty());
            }
        }
    }
}

#[test]
fn paths_are_known_to_rules_with_their_links_resolved() {
    let project = Project::new();
    std::fs::create_dir(project.root.parent().unwrap().join("elsewhere")).unwrap();
    std::os::unix::fs::symlink("../elsewhere", project.root.join("link")).unwrap();
    let subject = |name: &str, input: Value| {
        let tool = project.tool(name);
        format!(
            "{:?}",
            tool.subject(&tool.parse(Arc::new(input)).unwrap(), &project.context)
        )
        .replace(&project.root.parent().unwrap().display().to_string(), "")
    };
    insta::assert_snapshot!(subject("Read", json!({ "file_path": "link/a" })), @r#"ReadFile { path: "/project/link/a", real: Some("/elsewhere/a") }"#);
    insta::assert_snapshot!(subject("Edit", json!({ "file_path": "~/a", "old_string": "", "new_string": "x" })), @r#"EditFile { path: "/home/a", real: Some("/home/a") }"#);
    insta::assert_snapshot!(subject("MultiEdit", json!({ "file_path": "link/a", "edits": [] })), @r#"EditFile { path: "/project/link/a", real: Some("/elsewhere/a") }"#);
    insta::assert_snapshot!(subject("NotebookEdit", json!({ "notebook_path": "link/a" })), @r#"EditFile { path: "/project/link/a", real: Some("/elsewhere/a") }"#);
    insta::assert_snapshot!(subject("Glob", json!({ "pattern": "../other/*.c", "path": "src" })), @r#"Search { path: "/project/other", real: Some("/project/other") }"#);
    insta::assert_snapshot!(subject("Grep", json!({ "pattern": "x" })), @r#"Search { path: "/project", real: Some("/project") }"#);
}

#[test]
fn hooks_see_the_absolute_path() {
    let project = Project::new();
    for (name, field) in [
        ("Read", "file_path"),
        ("Edit", "file_path"),
        ("Write", "file_path"),
        ("MultiEdit", "file_path"),
        ("NotebookEdit", "notebook_path"),
        ("Grep", "path"),
    ] {
        let mut copy = json!({ field: "src/../a" });
        project
            .tool(name)
            .observable_input(&mut copy, &project.context);
        assert_eq!(
            copy[field],
            json!(project.root.join("a").to_str().unwrap()),
            "{name}"
        );
        let mut odd = json!([1]);
        project
            .tool(name)
            .observable_input(&mut odd, &project.context);
        assert_eq!(odd, json!([1]));
    }
}

#[tokio::test]
async fn a_line_of_ten_megabytes_is_read_edited_and_shown_in_part() {
    let line = format!("{}needle{}", "a".repeat(5 << 20), "b".repeat(5 << 20));
    let project = Project::with(&[("min.js", line.as_bytes())]);
    let text = project.read("min.js").await;
    assert!(text.len() < 5_000 && text.contains("[line cut:"));
    let input = json!({ "file_path": "min.js", "old_string": "needle", "new_string": "thread" });
    let preview = project.preview("Edit", input.clone()).await;
    assert!(serde_json::to_string(&preview).unwrap().len() < 20_000);
    assert!(shown_diff(the_diff(&preview)).contains("needle"));
    let done = project.call("Edit", input).await.unwrap();
    assert!(done.text.len() < 10_000 && done.text.contains("thread"));
    assert_eq!(
        project.bytes("min.js"),
        line.replace("needle", "thread").as_bytes()
    );
    let found = project
        .text(
            "Grep",
            json!({ "pattern": "thread", "output_mode": "content" }),
        )
        .await;
    assert!(found.len() < 2_000 && found.contains("thread"));
}
