#![allow(missing_docs, clippy::expect_used)] // A bench stops where it stands.
//! The headless binary as a whole process against a scripted local model server, printed
//! beside the budgets of the design. Nothing is asserted: machines differ, and a person reads it.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use adroit_testkit::{Gate, ScriptedModel, TempProject, turn};
use serde_json::{Value, json};

/// Runs of each figure, after one that is not counted.
const RUNS: usize = 15;

fn main() {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    println!(
        "whole process: {} (median of {RUNS} runs)",
        env!("CARGO_BIN_EXE_adroit-cli")
    );
    runtime.block_on(async {
        row(
            "start to first model request",
            25.0,
            "ms",
            &series(start_to_first_request).await,
        );
        row(
            "stream end to next request, one Read",
            2.0,
            "ms",
            &series(|| stream_end_to_next(reads(1))).await,
        );
        row(
            "stream end to next request, one Bash",
            4.0,
            "ms",
            &series(|| stream_end_to_next(bash())).await,
        );
        row(
            "stream end to next request, ten Reads",
            5.0,
            "ms",
            &series(|| stream_end_to_next(reads(10))).await,
        );
        row(
            "end of a call's block to its start",
            1.0,
            "ms",
            &series(block_end_to_start).await,
        );
        row(
            "peak memory of a one-Read turn",
            30.0,
            "MB",
            &series(peak_memory).await,
        );
        row(
            "CPU of a one-Read turn",
            3.0,
            "ms",
            &series(cpu_of_a_turn).await,
        );
    });
}

fn row(name: &str, budget: f64, unit: &str, figures: &[f64]) {
    let mut sorted = figures.to_vec();
    sorted.sort_by(f64::total_cmp);
    let median = sorted[sorted.len() / 2];
    let verdict = if median < budget { "within" } else { "OVER" };
    println!(
        "  {name:<40} {median:>8.2} {unit} (min {:.2}, max {:.2}); budget < {budget} {unit}: {verdict}",
        sorted[0],
        sorted[sorted.len() - 1]
    );
}

async fn series<F: Future<Output = f64>>(mut run: impl FnMut() -> F) -> Vec<f64> {
    run().await;
    let mut figures = Vec::new();
    for _ in 0..RUNS {
        figures.push(run().await);
    }
    figures
}

type Calls = Vec<(&'static str, Value)>;

fn reads(number: usize) -> Calls {
    (0..number)
        .map(|index| ("Read", json!({"file_path": format!("{index}.txt")})))
        .collect()
}

fn bash() -> Calls {
    vec![("Bash", json!({"command": "true"}))]
}

fn project() -> TempProject {
    let names: Vec<String> = (0..10).map(|index| format!("{index}.txt")).collect();
    let files: Vec<(&str, &str)> = names
        .iter()
        .map(|name| (name.as_str(), "some text\n"))
        .collect();
    TempProject::new(&files)
}

struct Run {
    child: Child,
    started: Instant,
    lines: mpsc::Receiver<(Instant, Value)>,
    _project: TempProject,
}

impl Run {
    fn start(model: &ScriptedModel) -> Self {
        let project = project();
        let mut command = Command::new(env!("CARGO_BIN_EXE_adroit-cli"));
        command
            .args([
                "exec",
                "--provider",
                "anthropic",
                "--model",
                "scripted",
                "--output",
                "stream-json",
            ])
            .args(["--base-url", &model.base_url()])
            .arg("--project")
            .arg(project.path())
            .arg("--data-dir")
            .arg(project.data_dir())
            .arg("go")
            .env("ANTHROPIC_API_KEY", "none")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit());
        let started = Instant::now();
        let mut child = command.spawn().expect("the headless binary starts");
        let output = child.stdout.take().expect("its output is piped");
        let (sender, lines) = mpsc::channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                let at = Instant::now();
                if let Ok(value) = serde_json::from_str(&line)
                    && sender.send((at, value)).is_err()
                {
                    return;
                }
            }
        });
        Self {
            child,
            started,
            lines,
            _project: project,
        }
    }

    fn finish(mut self) {
        let status = self.child.wait().expect("it ends");
        assert!(status.success(), "the turn failed: {status}");
    }

    /// When a line of this kind came.
    fn line(&self, wanted: impl Fn(&Value) -> bool) -> Instant {
        loop {
            let (at, value) = self
                .lines
                .recv_timeout(Duration::from_secs(30))
                .expect("the line comes");
            if wanted(&value) {
                return at;
            }
        }
    }
}

fn milliseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1_000.0
}

async fn start_to_first_request() -> f64 {
    let model = ScriptedModel::start([turn().text("done").end()]).await;
    let run = Run::start(&model);
    let request = model.request(0).await;
    let figure = milliseconds(request.at - run.started);
    run.finish();
    figure
}

async fn stream_end_to_next(calls: Calls) -> f64 {
    let gate = Gate::new();
    let mut first = turn();
    for (name, input) in calls {
        first = first.call(name, input);
    }
    let model = ScriptedModel::start([first.gate(&gate).end(), turn().text("done").end()]).await;
    let run = Run::start(&model);
    gate.reached().await;
    // The calls have time to finish while the stream is still open, as with a real model.
    tokio::time::sleep(Duration::from_millis(80)).await;
    let end = Instant::now();
    gate.open();
    let request = model.request(1).await;
    let figure = milliseconds(request.at.saturating_duration_since(end));
    run.finish();
    figure
}

async fn block_end_to_start() -> f64 {
    let before = Gate::new();
    let after = Gate::new();
    let model = ScriptedModel::start([
        turn()
            .call_start("", "Read")
            .arguments("{\"file_path\": \"0.txt\"}")
            .gate(&before)
            .end_block()
            .gate(&after)
            .end(),
        turn().text("done").end(),
    ])
    .await;
    let run = Run::start(&model);
    before.reached().await;
    tokio::time::sleep(Duration::from_millis(50)).await;
    let end = Instant::now();
    before.open();
    let started = run.line(|line| line["change"]["item"]["body"]["call"]["status"] == "running");
    let figure = milliseconds(started.saturating_duration_since(end));
    after.open();
    run.finish();
    figure
}

/// Runs a one-Read turn and looks at the process while its last answer is still open.
async fn at_the_end_of_a_turn(look: impl Fn(u32) -> f64) -> f64 {
    let gate = Gate::new();
    let model = ScriptedModel::start([
        turn().call("Read", json!({"file_path": "0.txt"})).end(),
        turn().text("done").gate(&gate).end(),
    ])
    .await;
    let run = Run::start(&model);
    gate.reached().await;
    tokio::time::sleep(Duration::from_millis(50)).await;
    let figure = look(run.child.id());
    gate.open();
    run.finish();
    figure
}

async fn peak_memory() -> f64 {
    at_the_end_of_a_turn(|pid| {
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).expect("it runs");
        let kilobytes: f64 = status
            .lines()
            .find_map(|line| line.strip_prefix("VmHWM:"))
            .and_then(|rest| rest.split_whitespace().next())
            .and_then(|number| number.parse().ok())
            .expect("the kernel tells the peak");
        kilobytes / 1_024.0
    })
    .await
}

async fn cpu_of_a_turn() -> f64 {
    at_the_end_of_a_turn(|pid| {
        let tasks = std::fs::read_dir(format!("/proc/{pid}/task")).expect("it runs");
        let nanoseconds: f64 = tasks
            .flatten()
            .filter_map(|task| std::fs::read_to_string(task.path().join("schedstat")).ok())
            .filter_map(|line| line.split_whitespace().next()?.parse::<f64>().ok())
            .sum();
        nanoseconds / 1_000_000.0
    })
    .await
}
