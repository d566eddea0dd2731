//! `test`: every check and every test, with a summary at the end.

use crate::counts::{self, Counts, Runner};
use crate::outcome::Outcome;
use crate::process::{self, cargo, npm, output, shown};
use crate::{codegen, interface, setup, tidy};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// The longest that one step may take. The slowest builds everything on two cores.
const LIMIT: Duration = Duration::from_secs(25 * 60);

/// Without it the app looks for a development server instead of the UI inside of it.
const EMBEDDED_UI: &str = "adroit/custom-protocol";

/// What a step does.
enum Action {
    /// A check of our own.
    Own(Box<dyn Fn() -> Outcome>),
    /// A program that succeeds or fails.
    Check(Command),
    /// A program that runs tests and says how many.
    Tests(Runner, Command),
}

/// One step.
struct Step {
    name: &'static str,
    action: Action,
    /// The step is left out when one of these failed: it could not succeed.
    needs: &'static [&'static str],
}

/// How a step ended.
struct Ended {
    name: &'static str,
    counts: Counts,
    took: Duration,
    problem: Option<String>,
}

/// Runs everything, or with `--fast` what needs neither browser nor window, or
/// with filters the tests whose names contain one of them.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    let fast = arguments.iter().any(|argument| argument == "--fast");
    let filters: Vec<String> = arguments
        .iter()
        .filter(|argument| *argument != "--fast")
        .cloned()
        .collect();
    if let Some(option) = filters.iter().find(|filter| filter.starts_with('-')) {
        return Err(format!("`test` has no option `{option}`").into());
    }
    let begun = Instant::now();
    if fast {
        setup::for_running()?
    } else {
        setup::for_tests()?
    }
    let mut ended: Vec<Ended> = Vec::new();
    for step in steps(fast, &filters) {
        let blocked = ended
            .iter()
            .find(|former| former.problem.is_some() && step.needs.contains(&former.name));
        let next = match blocked {
            Some(former) => Ended {
                name: step.name,
                counts: Counts::one(false),
                took: Duration::ZERO,
                problem: Some(format!("not run, because `{}` failed", former.name)),
            },
            None => perform(step),
        };
        ended.push(next);
    }
    summarise(&ended, begun.elapsed())
}

fn steps(fast: bool, filters: &[String]) -> Vec<Step> {
    let mut steps = vec![step("ui build", Action::Own(Box::new(interface::build)))];
    if filters.is_empty() {
        steps.extend(checks());
    }
    // The window's build embeds the built UI, and everything is built once: other selections of
    // packages would resolve other features and build the dependencies again.
    steps.push(step("build", Action::Check(build())).after(&["ui build"]));
    if filters.is_empty() {
        let types = Action::Own(Box::new(codegen::check_built));
        steps.push(step("generated types", types).after(&["build"]));
    }
    steps.push(step("rust tests", rust_tests(filters)).after(&["build"]));
    steps.push(step("ui tests", interface_tests(fast, filters)));
    if fast {
        return steps;
    }
    // They need what the builds made.
    let journeys = node_tests("tests/e2e", filters);
    steps.push(step("browser journeys", journeys).after(&["build"]));
    let window = node_tests("tests/window", filters);
    steps.push(step("real window", window).after(&["build"]));
    steps
}

fn checks() -> Vec<Step> {
    let mut format = cargo();
    format.args(["fmt", "--all", "--check"]);
    let mut clippy = cargo();
    clippy.args([
        "clippy",
        "--workspace",
        "--features",
        EMBEDDED_UI,
        "--all-targets",
        "--",
        "-D",
        "warnings",
    ]);
    let mut lint = npm();
    lint.args(["run", "--silent", "lint"]);
    let mut types = npm();
    types.args(["run", "--silent", "check"]);
    vec![
        step("format", Action::Check(format)),
        step("tidy", Action::Own(Box::new(tidy::run))),
        step("clippy", Action::Check(clippy)).after(&["ui build"]),
        step("ui lint", Action::Check(lint)),
        step("ui types", Action::Check(types)),
    ]
}

fn step(name: &'static str, action: Action) -> Step {
    Step {
        name,
        action,
        needs: &[],
    }
}

impl Step {
    fn after(mut self, needs: &'static [&'static str]) -> Self {
        self.needs = needs;
        self
    }
}

fn rust_tests(filters: &[String]) -> Action {
    let mut command = cargo();
    let has_nextest = output(cargo().args(["nextest", "--version"])).is_some();
    if has_nextest {
        command.args([
            "nextest",
            "run",
            "--workspace",
            "--features",
            EMBEDDED_UI,
            "--no-fail-fast",
            "--no-tests=pass",
            // Real processes and terminals on a busy machine: who needs a second try is named as flaky.
            "--retries=1",
        ]);
        command.args(filters);
        return Action::Tests(Runner::Nextest, command);
    }
    command.args([
        "test",
        "--workspace",
        "--features",
        EMBEDDED_UI,
        "--no-fail-fast",
    ]);
    // `cargo test` takes one filter, its harness any number.
    command.arg("--").args(filters);
    Action::Tests(Runner::CargoTest, command)
}

fn interface_tests(fast: bool, filters: &[String]) -> Action {
    let mut command = npm();
    command.args(["exec", "--no", "--", "vitest", "run", "--retry=1"]);
    if fast {
        // Those beside the sources need no browser.
        command.arg("src/");
    }
    if let Some(pattern) = pattern(filters) {
        command.args(["--passWithNoTests", "--testNamePattern", &pattern]);
    }
    Action::Tests(Runner::Vitest, command)
}

/// Programs and tests of the whole workspace.
fn build() -> Command {
    let mut command = cargo();
    command.args(["build", "--workspace", "--features", EMBEDDED_UI]);
    command.args(["--lib", "--bins", "--tests", "--examples"]);
    command
}

/// The tests of a folder that Node runs, one file after the other: each has a
/// browser or a window, and there are two cores.
fn node_tests(folder: &'static str, filters: &[String]) -> Action {
    let files = test_files(&crate::root().join(folder));
    if files.is_empty() {
        // Without files Node would look for tests of its own choice.
        return Action::Own(Box::new(move || {
            Err(format!("there is no test in {folder}").into())
        }));
    }
    let binaries = crate::target_dir().join("debug");
    let mut command = Command::new("node");
    command
        .current_dir(crate::root())
        .args(["--test", "--test-concurrency=1", "--test-reporter=spec"])
        .env("ADROIT_APP", binaries.join("adroit"))
        .env("ADROIT_CLI", binaries.join("adroit-cli"))
        .env("ADROIT_DEVSERVER", binaries.join("adroit-devserver"))
        .env("ADROIT_UI", crate::root().join("ui/dist"));
    if let Some(pattern) = pattern(filters) {
        command.arg(format!("--test-name-pattern={pattern}"));
    }
    command.args(files);
    Action::Tests(Runner::NodeTest, command)
}

fn test_files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.to_string_lossy().ends_with(".test.mjs"))
        .collect();
    files.sort();
    files
}

/// A regular expression for names that contain one of the filters.
fn pattern(filters: &[String]) -> Option<String> {
    let escaped = filters.iter().map(|filter| {
        filter.chars().fold(String::new(), |mut text, character| {
            if !character.is_alphanumeric() && !character.is_whitespace() && character != '_' {
                text.push('\\');
            }
            text.push(character);
            text
        })
    });
    let joined = escaped.collect::<Vec<_>>().join("|");
    (!joined.is_empty()).then_some(joined)
}

fn perform(step: Step) -> Ended {
    println!("\n== {} ==", step.name);
    let begun = Instant::now();
    let (counts, problem) = match step.action {
        Action::Own(check) => match check() {
            Ok(()) => (Counts::one(true), None),
            Err(problem) => {
                eprintln!("{problem}");
                (Counts::one(false), Some("see above".into()))
            }
        },
        Action::Check(mut command) => match process::watch(&mut command, LIMIT) {
            Ok(watched) if watched.success => (Counts::one(true), None),
            Ok(_) => (
                Counts::one(false),
                Some(format!("`{}` failed", shown(&command))),
            ),
            Err(problem) => (Counts::one(false), Some(problem.to_string())),
        },
        Action::Tests(runner, mut command) => match process::watch(&mut command, LIMIT) {
            Ok(watched) => judge(counts::read(runner, &watched.output), watched.success),
            Err(problem) => (Counts::one(false), Some(problem.to_string())),
        },
    };
    let took = begun.elapsed();
    let word = if problem.is_none() { "ok" } else { "FAILED" };
    println!("== {}: {word} in {} ==", step.name, seconds(took));
    Ended {
        name: step.name,
        counts,
        took,
        problem,
    }
}

/// A runner that fails without a failed test, or prints no counts at all, is a
/// failure too: nothing passes by not running.
fn judge(counts: Option<Counts>, success: bool) -> (Counts, Option<String>) {
    match counts {
        Some(counts) if counts.failed > 0 => (
            counts,
            Some(format!("{} of {} failed", counts.failed, counts.total())),
        ),
        Some(counts) if success => (counts, None),
        Some(mut counts) => {
            counts.failed += 1;
            (counts, Some("the runner failed, though no test did".into()))
        }
        None => (Counts::one(false), Some("the tests did not run".into())),
    }
}

fn summarise(ended: &[Ended], took: Duration) -> Outcome {
    let mut sum = Counts::default();
    println!(
        "\n{:<30}{:>9}{:>9}{:>9}{:>10}",
        "", "passed", "failed", "skipped", "time"
    );
    for step in ended {
        sum += step.counts;
        let Counts {
            passed,
            failed,
            skipped,
        } = step.counts;
        let time = seconds(step.took);
        println!(
            "{:<30}{passed:>9}{failed:>9}{skipped:>9}{time:>10}",
            step.name
        );
    }
    println!("{:<57}{:>10}\n", "", seconds(took));
    let failed: Vec<String> = ended
        .iter()
        .filter_map(|step| Some(format!("  {}: {}", step.name, step.problem.as_ref()?)))
        .collect();
    if !failed.is_empty() {
        println!("Failed:\n{}\n", failed.join("\n"));
    }
    println!("{sum}");
    if failed.is_empty() {
        Ok(())
    } else {
        Err(format!("{} of {} steps failed", failed.len(), ended.len()).into())
    }
}

fn seconds(duration: Duration) -> String {
    format!("{:.1} s", duration.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_passes_by_not_running() {
        let two = Counts {
            passed: 2,
            failed: 0,
            skipped: 0,
        };
        assert_eq!(judge(Some(two), true), (two, None));
        assert!(judge(Some(two), false).1.is_some());
        assert_eq!(judge(Some(two), false).0.failed, 1);
        assert_eq!(judge(None, true).0, Counts::one(false));
        assert!(judge(Some(Counts { failed: 1, ..two }), true).1.is_some());
    }

    #[test]
    fn filters_are_taken_literally() {
        assert_eq!(pattern(&[]), None);
        assert_eq!(
            pattern(&["a.b (c)".into(), "d_e".into()]).as_deref(),
            Some(r"a\.b \(c\)|d_e")
        );
    }

    #[test]
    fn a_fast_run_opens_nothing() {
        let names: Vec<_> = steps(true, &[]).iter().map(|step| step.name).collect();
        assert!(names.contains(&"clippy") && names.contains(&"rust tests"));
        assert!(!names.contains(&"real window") && !names.contains(&"app build"));
        let filtered: Vec<_> = steps(true, &["x".into()])
            .iter()
            .map(|step| step.name)
            .collect();
        assert_eq!(filtered, ["ui build", "build", "rust tests", "ui tests"]);
    }

    #[test]
    fn what_a_step_needs_is_a_step_before_it() {
        let steps = steps(false, &[]);
        for (index, step) in steps.iter().enumerate() {
            for needed in step.needs {
                assert!(
                    steps
                        .iter()
                        .take(index)
                        .any(|former| former.name == *needed),
                    "{needed}"
                );
            }
        }
    }
}
