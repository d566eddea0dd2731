//! What every tool of the table promises, and the scaffold of the next one, too.

use std::collections::HashSet;
use std::sync::Arc;

use adroit_permissions::{ToolCheck, named_subject};
use adroit_tool::{
    AnyTool, CancelReason, DEFAULT_RESULT_CHARS, DescribeOptions, ErasedStage, ParsedInput,
    ResultLimit, ToolFailure,
};
use serde_json::{Value, json};

use crate::tests::Project;

/// Tools that bound their results themselves, each with a reason.
const SELF_BOUNDED: [&str; 1] = [
    // A stored result of Read would be read with Read, and so on.
    "Read",
];

#[test]
fn every_tool_holds_the_contract() {
    let project = Project::new();
    let mut names = HashSet::new();
    for tool in project.all_tools() {
        for name in std::iter::once(tool.name()).chain(tool.aliases().iter().copied()) {
            assert!(
                names.insert(name.to_owned()),
                "{name} is the name of two tools"
            );
        }
        aliases(tool.as_ref());
        schema(tool.as_ref());
        words(tool.as_ref());
        defaults(tool.as_ref(), &project);
        presentation(tool.as_ref());
    }
}

/// Whoever judges a stored call by its name alone (`permissions check`, the inspector's what-if)
/// knows the names that rules may use.
fn aliases(tool: &dyn AnyTool) {
    let workspace = adroit_permissions::WorkspaceFacts {
        root: "/project".into(),
        additional_directories: Vec::new(),
        home: "/home/user".into(),
        cwd: "/project".into(),
        state_directories: Vec::new(),
    };
    let names = std::iter::once(tool.name()).chain(tool.aliases().iter().copied());
    let names: Vec<&str> = names.collect();
    for name in &names {
        if names.len() == 1 {
            continue;
        }
        let known = named_subject(name, &json!({}), &workspace).unwrap();
        for other in names.iter().filter(|other| *other != name) {
            assert!(
                known.aliases.iter().any(|alias| alias == other),
                "{other} is {name}"
            );
        }
    }
}

fn schema(tool: &dyn AnyTool) {
    let (name, schema) = (tool.name(), tool.input_schema());
    assert_eq!(schema["type"], "object", "{name}");
    assert_eq!(
        schema["additionalProperties"], false,
        "{name} takes what it does not know"
    );
    for (field, property) in schema["properties"].as_object().unwrap() {
        let described = property.get("description").is_some() || property.get("$ref").is_some();
        assert!(
            described || property.get("anyOf").is_some(),
            "{name}.{field} is not described"
        );
    }
    if tool.strict() {
        // Providers refuse a schema that they are to enforce and that leaves something open.
        let required: HashSet<&str> = schema["required"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(Value::as_str)
            .collect();
        let all: HashSet<&str> = schema["properties"]
            .as_object()
            .unwrap()
            .keys()
            .map(String::as_str)
            .collect();
        assert_eq!(required, all, "{name} is strict");
    }
    // Blocks a model that writes the person's answer itself: stage 3 refuses what the schema lacks.
    for field in tool.answer_fields().names {
        assert!(tool.requires_user_interaction(), "{name} asks nothing");
        assert!(schema["properties"].get(*field).is_none(), "{name}.{field}");
    }
    let unknown = json!({ "a field that no tool has": 1 });
    assert!(tool.parse(Arc::new(unknown)).is_err(), "{name}");
    match tool.max_result_chars() {
        ResultLimit::Chars(most) => assert!(most <= DEFAULT_RESULT_CHARS, "{name}"),
        ResultLimit::SelfBounded => assert!(SELF_BOUNDED.contains(&name), "{name}"),
    }
}

fn words(tool: &dyn AnyTool) {
    let (name, options) = (tool.name(), DescribeOptions::default());
    let prompt = tool.prompt(&options);
    assert!(
        (200..4_000).contains(&prompt.len()),
        "{name}: {} bytes",
        prompt.len()
    );
    assert!(
        !tool.description(None, &options).trim().is_empty(),
        "{name}"
    );
    assert!(!tool.search_hint().trim().is_empty(), "{name}");
    assert!(!tool.user_facing_name().trim().is_empty(), "{name}");
}

/// Asked about an input that is not its own, a tool says what is safest.
fn defaults(tool: &dyn AnyTool, project: &Project) {
    let name = tool.name();
    let foreign = ParsedInput::new(Arc::new(json!({})), Arc::new(()));
    assert!(!tool.is_read_only(&foreign, &project.context), "{name}");
    assert!(
        !tool.is_concurrency_safe(&foreign, &project.context),
        "{name}"
    );
    assert!(tool.is_destructive(&foreign, &project.context), "{name}");
    assert!(tool.is_open_world(&foreign), "{name}");
    assert!(!tool.inputs_equivalent(&foreign, &foreign), "{name}");
    let check = tool.check_permissions(&foreign, &project.context);
    assert!(matches!(check, ToolCheck::Deny { .. }), "{name}");
}

/// Whatever of the input has come, there is something to see.
fn presentation(tool: &dyn AnyTool) {
    let failure = ToolFailure::new("code", "message");
    for partial in [
        json!({}),
        Value::Null,
        json!([]),
        json!({ "command": "ls -" }),
    ] {
        for stage in [
            ErasedStage::Writing { partial: &partial },
            ErasedStage::Failed {
                partial: &partial,
                failure: &failure,
            },
            ErasedStage::Cancelled {
                partial: &partial,
                reason: &CancelReason::Stopped,
            },
        ] {
            assert!(!tool.present(stage).title.is_empty(), "{}", tool.name());
        }
    }
}
