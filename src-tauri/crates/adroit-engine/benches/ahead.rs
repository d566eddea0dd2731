//! What it is worth that commands are analysed beside stages 3 to 5: how long a complete block holds
//! the task that reads the stream, and how long a call takes whose hooks take their time.

mod world;

use std::borrow::Cow;
use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use adroit_hooks::{AfterCall, BeforeCall, HookCall, Hooks, NoHooks};
use adroit_protocol::message::{CallInput, ResultContent, ToolCall};
use adroit_protocol::view::View;
use adroit_shell::{Analysis, ShellContext};
use adroit_tool::{
    CallContext, Cancellation, DescribeOptions, Outcome, Speculation, Stage, Tool, ToolFailure,
    erase,
};
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use futures::FutureExt;
use futures::future::BoxFuture;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::runtime::Builder;

/// How long the hooks take.
const HOOK: Duration = Duration::from_millis(5);

/// Analyses its command, ahead of the need or at it, and does nothing.
struct Shell {
    ahead: bool,
    /// Of the one call that it gets.
    analysis: Arc<OnceLock<Analysis>>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ShellInput {
    /// The command.
    command: String,
}

fn analyze(command: &str) -> Analysis {
    adroit_shell::analyze(
        command,
        &ShellContext {
            cwd: Path::new("/project"),
            workspace: Path::new("/project"),
            additional_directories: &[],
            home: Path::new("/home/user"),
        },
    )
}

impl Tool for Shell {
    type Input = ShellInput;
    type Output = ();

    fn name(&self) -> &'static str {
        "Shell"
    }

    async fn call(
        &self,
        _input: Arc<ShellInput>,
        _context: CallContext,
    ) -> Result<Outcome<()>, ToolFailure> {
        Ok(Outcome::new(()))
    }

    fn description(&self, _input: Option<&ShellInput>, _options: &DescribeOptions) -> String {
        String::new()
    }

    fn prompt(&self, _options: &DescribeOptions) -> Cow<'static, str> {
        Cow::Borrowed("Does nothing.")
    }

    fn is_read_only(&self, input: &ShellInput, _context: &CallContext) -> bool {
        self.analysis
            .get_or_init(|| analyze(&input.command))
            .read_only
    }

    fn speculate(&self, input: &Value, _context: &CallContext) -> Option<Speculation> {
        let command = input.get("command")?.as_str()?.to_owned();
        let analysis = Arc::clone(&self.analysis);
        self.ahead.then(|| {
            Box::new(move || {
                analysis.get_or_init(|| analyze(&command));
            }) as Speculation
        })
    }

    fn present(&self, _stage: Stage<'_, Self>) -> View {
        View::titled("Shell")
    }

    fn map_result(&self, _output: &()) -> Vec<ResultContent> {
        vec![ResultContent::text("done")]
    }
}

/// Hooks that think for a while and have nothing to say.
struct Thinking;

impl Hooks for Thinking {
    fn before_call<'a>(&'a self, _call: HookCall<'a>) -> BoxFuture<'a, BeforeCall> {
        async {
            tokio::time::sleep(HOOK).await;
            BeforeCall::default()
        }
        .boxed()
    }

    fn after_call<'a>(
        &'a self,
        _call: HookCall<'a>,
        _output: &'a Value,
    ) -> BoxFuture<'a, AfterCall> {
        std::future::ready(AfterCall::default()).boxed()
    }

    fn after_failure<'a>(
        &'a self,
        _call: HookCall<'a>,
        _failure: &'a str,
    ) -> BoxFuture<'a, AfterCall> {
        std::future::ready(AfterCall::default()).boxed()
    }
}

fn commands() -> [(&'static str, String); 2] {
    let long = "git log --oneline -20 | grep fix | head -5; ".repeat(1_450);
    [
        (
            "ordinary",
            "git log --oneline -20 | grep fix | head -5".to_owned(),
        ),
        ("64 KB", long),
    ]
}

/// How long the block's completion takes, and how long its call takes in all.
async fn once(ahead: bool, command: &str, hooks: Arc<dyn Hooks>) -> (Duration, Duration) {
    let shell = Shell {
        ahead,
        analysis: Arc::default(),
    };
    let engine = world::engine([erase(shell)], hooks);
    let mut executor = engine.executor(Cancellation::new());
    let call = ToolCall {
        id: "call_1".into(),
        name: "Shell".to_owned(),
        input: CallInput::Object(json!({ "command": command })),
    };
    let began = Instant::now();
    executor.add(call);
    let held = began.elapsed();
    let result = executor.next().await;
    assert!(result.is_some_and(|result| !result.is_error));
    (held, began.elapsed())
}

fn analysis(criterion: &mut Criterion) {
    let runtime = world::runtime(Builder::new_multi_thread().worker_threads(2).enable_time());
    let mut measure = |name: &str, hooks: fn() -> Arc<dyn Hooks>, whole: bool| {
        let mut group = criterion.benchmark_group(name);
        group.sample_size(20);
        for (size, command) in commands() {
            for (way, ahead) in [("ahead", true), ("at stage 3", false)] {
                group.bench_with_input(
                    BenchmarkId::new(way, size),
                    &command,
                    |bencher, command| {
                        bencher.iter_custom(|rounds| {
                            runtime.block_on(async {
                                let mut total = Duration::ZERO;
                                for _ in 0..rounds {
                                    let (held, all) = once(ahead, command, hooks()).await;
                                    total += if whole { all } else { held };
                                }
                                total
                            })
                        });
                    },
                );
            }
        }
        group.finish();
    };
    measure("analysis/the stream is held", NoHooks::shared, false);
    measure(
        "analysis/a call with a hook of 5 ms",
        || Arc::new(Thinking),
        true,
    );
}

criterion_group!(benches, analysis);
criterion_main!(benches);
