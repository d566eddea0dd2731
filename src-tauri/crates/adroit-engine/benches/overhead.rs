//! What the engine itself costs a call: stages 1 to 14 around a tool that does nothing,
//! and whether that stays the same when a message has very many calls.

use std::borrow::Cow;
use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;

use adroit_engine::{
    Ask, Consent, ConsentAnswer, CurrentDirectory, Engine, Execution, NoCheckpoints, Permissions,
    Pool, ResultStore, Unobserved,
};
use adroit_hooks::NoHooks;
use adroit_permissions::{PermissionSnapshot, RuleSet, WorkspaceFacts};
use adroit_protocol::message::{CallInput, ResultContent, ToolCall};
use adroit_protocol::permission::Mode;
use adroit_protocol::view::View;
use adroit_tool::{
    CallContext, Cancellation, DescribeOptions, Features, Limits, Outcome, RememberedFiles, Stage,
    Tool, ToolFailure, erase,
};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use futures::FutureExt;
use futures::future::BoxFuture;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use tokio::runtime::{Builder, Runtime};

struct Nothing;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NothingInput {
    /// A file.
    file_path: String,
    /// From where.
    offset: Option<u64>,
    /// How much.
    limit: Option<u64>,
}

impl Tool for Nothing {
    type Input = NothingInput;
    type Output = String;

    fn name(&self) -> &'static str {
        "Nothing"
    }

    async fn call(
        &self,
        input: Arc<NothingInput>,
        _context: CallContext,
    ) -> Result<Outcome<String>, ToolFailure> {
        black_box((&input.offset, &input.limit));
        Ok(Outcome::new(input.file_path.clone()))
    }

    fn description(&self, _input: Option<&NothingInput>, _options: &DescribeOptions) -> String {
        String::new()
    }

    fn prompt(&self, _options: &DescribeOptions) -> Cow<'static, str> {
        Cow::Borrowed("Does nothing.")
    }

    fn is_read_only(&self, _input: &NothingInput, _context: &CallContext) -> bool {
        true
    }

    fn is_concurrency_safe(&self, _input: &NothingInput, _context: &CallContext) -> bool {
        true
    }

    fn present(&self, _stage: Stage<'_, Self>) -> View {
        View::titled("Nothing")
    }

    fn map_result(&self, output: &String) -> Vec<ResultContent> {
        vec![ResultContent::text(output.clone())]
    }
}

struct Rules(PermissionSnapshot);

impl Permissions for Rules {
    fn snapshot(&self) -> PermissionSnapshot {
        self.0.clone()
    }
}

struct Nobody;

impl Consent for Nobody {
    fn ask<'a>(
        &'a self,
        _ask: Ask,
        _cancellation: &'a Cancellation,
    ) -> BoxFuture<'a, ConsentAnswer> {
        std::future::ready(ConsentAnswer::Cancelled).boxed()
    }
}

fn engine() -> Arc<Engine> {
    let rules = Arc::new(RuleSet::compile(Vec::new()));
    Arc::new(Engine {
        pool: Arc::new(Pool::assemble(
            [erase(Nothing)],
            [],
            &rules,
            &Features::default(),
        )),
        permissions: Arc::new(Rules(PermissionSnapshot {
            mode: Mode::BypassPermissions,
            rules,
            workspace: WorkspaceFacts {
                root: "/project".into(),
                additional_directories: Vec::new(),
                home: "/home/user".into(),
                cwd: "/project".into(),
                state_directories: Vec::new(),
            },
            trusted: true,
            bypass_available: true,
        })),
        consent: Arc::new(Nobody),
        classifier: Arc::new(adroit_engine::NoClassifier),
        observer: Arc::new(Unobserved),
        checkpoints: Arc::new(NoCheckpoints),
        hooks: NoHooks::shared(),
        results: ResultStore::new(Path::new("/nonexistent/results")),
        limits: Limits::default(),
        files: Arc::new(RememberedFiles::default()),
        cwd: CurrentDirectory::new(Path::new("/project")),
        execution: Execution::default(),
        agent: None,
        interactive: false,
    })
}

fn call(number: usize) -> ToolCall {
    ToolCall {
        id: format!("call_{number}").into(),
        name: "Nothing".to_owned(),
        input: CallInput::Object(json!({"file_path": "src/main.rs", "offset": 1, "limit": 100})),
    }
}

fn runtime(builder: &mut Builder) -> Runtime {
    builder.build().unwrap_or_else(|problem| {
        eprintln!("nothing can be measured without a runtime: {problem}");
        std::process::exit(1)
    })
}

fn one_call(criterion: &mut Criterion) {
    let runtime = runtime(Builder::new_current_thread().enable_time());
    let engine = engine();
    criterion.bench_function("pipeline/one call", |bencher| {
        bencher.iter(|| {
            let result = runtime.block_on(engine.run_one(call(1), Cancellation::new()));
            assert!(!result.is_error);
            result
        });
    });
}

fn many_calls(criterion: &mut Criterion) {
    let runtime = runtime(Builder::new_multi_thread().worker_threads(2).enable_time());
    let engine = engine();
    let mut group = criterion.benchmark_group("executor/calls of one message");
    group.sample_size(10);
    for number in [10_usize, 100, 1_000, 10_000] {
        group.throughput(Throughput::Elements(number as u64));
        group.bench_with_input(
            BenchmarkId::from_parameter(number),
            &number,
            |bencher, number| {
                bencher.iter(|| {
                    runtime.block_on(async {
                        let mut executor = engine.executor(Cancellation::new());
                        for number in 0..*number {
                            executor.add(call(number));
                        }
                        let mut results = 0;
                        while let Some(result) = executor.next().await {
                            assert!(!result.is_error);
                            results += 1;
                        }
                        assert_eq!(results, *number);
                    });
                });
            },
        );
    }
    group.finish();
}

criterion_group!(benches, one_call, many_calls);
criterion_main!(benches);
