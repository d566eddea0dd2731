//! How long a permission decision takes with a thousand rules. Budget: 200 µs.

use std::hint::black_box;
use std::sync::Arc;

use adroit_permissions::{
    CallFacts, HookOpinion, PermissionSnapshot, RuleSet, ToolCheck, WorkspaceFacts, decide,
    named_subject,
};
use adroit_protocol::permission::{Behavior, Mode, RuleEntry, RuleSource};
use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use serde_json::{Value, json};

fn workspace() -> WorkspaceFacts {
    WorkspaceFacts {
        root: "/project".into(),
        additional_directories: Vec::new(),
        home: "/home/user".into(),
        cwd: "/project".into(),
        state_directories: Vec::new(),
    }
}

/// A thousand rules of the four kinds that people write most.
fn rules() -> Vec<RuleEntry> {
    let rule = |behavior, rule: String| RuleEntry {
        rule,
        behavior,
        source: RuleSource::User,
        file: None,
        position: None,
        expires_at: None,
        problem: None,
    };
    (0..250)
        .flat_map(|index| {
            [
                rule(Behavior::Allow, format!("Bash(tool{index} run:*)")),
                rule(Behavior::Deny, format!("Bash(tool{index} push:*)")),
                rule(Behavior::Deny, format!("Read(secrets{index}/**)")),
                rule(Behavior::Allow, format!("Edit(src{index}/**/*.ts)")),
            ]
        })
        .collect()
}

fn facts(tool: &str, input: Value) -> CallFacts {
    let named = named_subject(tool, &input, &workspace()).unwrap_or_else(|problem| {
        eprintln!("the benchmark asks about a call that is none: {problem}");
        std::process::exit(1)
    });
    CallFacts {
        call: "call_1".into(),
        tool: tool.to_owned(),
        aliases: named.aliases,
        input: Arc::new(input),
        subject: named.subject,
        read_only: named.read_only,
        requires_interaction: false,
        tool_check: ToolCheck::Pass,
        hook: HookOpinion::None,
    }
}

fn decisions(criterion: &mut Criterion) {
    let rules = rules();
    assert_eq!(rules.len(), 1_000);
    let snapshot = PermissionSnapshot {
        mode: Mode::Default,
        rules: Arc::new(RuleSet::compile(rules)),
        workspace: workspace(),
        trusted: true,
        bypass_available: true,
    };
    let bash = |command: &str| facts("Bash", json!({ "command": command }));
    let edit = |path: &str| {
        let input = json!({ "file_path": path, "old_string": "a", "new_string": "b" });
        facts("Edit", input)
    };
    let mut group = criterion.benchmark_group("decision with 1,000 rules");
    for (name, facts) in [
        ("a command that the last rule allows", bash("tool249 run x")),
        (
            "a compound command",
            bash("tool1 run && tool249 run x | grep y"),
        ),
        ("a command that asks", bash("cargo run")),
        ("a command that reads", bash("git status")),
        (
            "an edit that a rule allows",
            edit("/project/src249/a/b/c.ts"),
        ),
        ("an edit that asks", edit("/project/lib/a/b/c.ts")),
    ] {
        group.bench_function(name, |bencher| {
            bencher.iter_batched(
                || facts.clone(),
                |facts| black_box(decide(&snapshot, facts)),
                BatchSize::SmallInput,
            );
        });
    }
    group.finish();
}

criterion_group!(benches, decisions);
criterion_main!(benches);
