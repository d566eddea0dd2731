//! What the engine itself costs a call: stages 1 to 14 around a tool that does nothing,
//! and whether that stays the same when a message has very many calls.

mod world;

use std::borrow::Cow;
use std::hint::black_box;
use std::sync::Arc;

use adroit_hooks::NoHooks;
use adroit_protocol::message::{CallInput, ResultContent, ToolCall};
use adroit_protocol::view::View;
use adroit_tool::{
    CallContext, Cancellation, DescribeOptions, Outcome, Stage, Tool, ToolFailure, erase,
};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use tokio::runtime::Builder;

use world::runtime;

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

fn call(number: usize) -> ToolCall {
    ToolCall {
        id: format!("call_{number}").into(),
        name: "Nothing".to_owned(),
        input: CallInput::Object(json!({"file_path": "src/main.rs", "offset": 1, "limit": 100})),
    }
}

fn one_call(criterion: &mut Criterion) {
    let runtime = runtime(Builder::new_current_thread().enable_time());
    let engine = world::engine([erase(Nothing)], NoHooks::shared());
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
    let engine = world::engine([erase(Nothing)], NoHooks::shared());
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
