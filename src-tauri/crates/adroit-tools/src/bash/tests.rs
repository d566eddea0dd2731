//! Calls on real commands.

mod sed;
mod views;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use adroit_process::{EnvironmentSource, LoginEnvironment, Sandbox, Supervisor};
use adroit_protocol::view::Block;
use adroit_tool::{CallContext, CancelReason, ContextChange, Outcome, Stage, Tool, ToolFailure};
use adroit_workspace::Workspace;
use serde_json::json;

use super::{Bash, BashInput, BashOutput};
use crate::{BackgroundTasks, CommandSettings, NoTerminals, Services};

pub(super) struct Fixture {
    pub(super) bash: Bash,
    pub(super) supervisor: Supervisor,
    /// The project folder, links resolved.
    pub(super) root: PathBuf,
    pub(super) context: CallContext,
    _folder: tempfile::TempDir,
}

impl Fixture {
    pub(super) fn new() -> Self {
        Self::with(|supervisor| LoginEnvironment::new(supervisor, EnvironmentSource::Process))
    }

    pub(super) fn with(environment: impl FnOnce(Supervisor) -> LoginEnvironment) -> Self {
        let path = std::env::var_os("PATH");
        Self::made(environment, path, CommandSettings::default())
    }

    /// With these settings, and a sandbox that looks for its program on this `PATH`.
    pub(super) fn set(path: Option<OsString>, settings: CommandSettings) -> Self {
        let environment =
            |supervisor| LoginEnvironment::new(supervisor, EnvironmentSource::Process);
        Self::made(environment, path, settings)
    }

    fn made(
        environment: impl FnOnce(Supervisor) -> LoginEnvironment,
        path: Option<OsString>,
        settings: CommandSettings,
    ) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().join("project");
        std::fs::create_dir(&root).expect("a folder");
        let root = root.canonicalize().expect("a path");
        let supervisor = Supervisor::default();
        let services = Services {
            workspace: Arc::new(Workspace::new(&root, [], None).expect("a workspace")),
            supervisor: supervisor.clone(),
            environment: Arc::new(environment(supervisor.clone())),
            terminals: Arc::new(NoTerminals),
            tasks: BackgroundTasks::default(),
            agents: Arc::new(crate::NoAgents),
            sandbox: Sandbox::new(supervisor.clone(), path),
            commands: Arc::new(move || settings.clone()),
            sandboxed: Arc::new(|| Arc::new(())),
            home: PathBuf::from("/home/nobody"),
            readable_data: Vec::new(),
        };
        Self {
            bash: Bash::new(services),
            supervisor,
            context: CallContext::detached(&root, &folder.path().join("overflow")),
            root,
            _folder: folder,
        }
    }

    pub(super) async fn run(&self, command: &str) -> Result<Outcome<BashOutput>, ToolFailure> {
        self.run_with(input(command)).await
    }

    pub(super) async fn run_with(
        &self,
        input: BashInput,
    ) -> Result<Outcome<BashOutput>, ToolFailure> {
        self.bash.call(Arc::new(input), self.context.clone()).await
    }

    /// What the model reads of a call that succeeds.
    pub(super) async fn text(&self, command: &str) -> String {
        let outcome = self.run(command).await.expect("success");
        outcome.data.for_model()
    }

    pub(super) async fn failure(&self, command: &str) -> ToolFailure {
        self.run(command).await.expect_err("failure")
    }

    pub(super) fn at(mut self, cwd: &Path) -> Self {
        self.context.cwd = cwd.into();
        self
    }
}

pub(super) fn input(command: &str) -> BashInput {
    BashInput {
        command: command.to_owned(),
        timeout: None,
        description: None,
        run_in_background: false,
        dangerously_disable_sandbox: false,
    }
}

#[tokio::test]
async fn both_streams_come_in_true_order_and_no_output_is_stated() {
    let fixture = Fixture::new();
    let text = fixture
        .text("echo o1; echo e1 >&2; echo o2; echo e2 >&2")
        .await;
    assert_eq!(text, "o1\ne1\no2\ne2");
    assert_eq!(fixture.text("true").await, "(no output)");
    assert_eq!(fixture.text("echo warning >&2").await, "warning");
}

#[tokio::test]
async fn limits_of_the_settings_end_a_command_and_say_so() {
    let mut settings = CommandSettings::default();
    settings.limits.memory = Some(100 << 20);
    settings.limits.timeout = Some(std::time::Duration::from_secs(1));
    let fixture = Fixture::set(std::env::var_os("PATH"), settings);
    let failure = fixture
        .run_with(BashInput {
            timeout: Some(100_000),
            ..input("head -c 400000000 /dev/zero | tail -n 1 | sleep 600")
        })
        .await
        .expect_err("too much");
    assert_eq!(failure.code, "out_of_memory");
    assert!(failure.message.contains("100 MB"), "{}", failure.message);
    let failure = fixture.failure("sleep 600").await;
    assert_eq!(failure.code, "timed_out");
    assert!(failure.message.contains("after 1 s"), "{}", failure.message);
}

#[tokio::test]
async fn a_command_that_never_ends_is_told_what_to_do_instead() {
    let fixture = Fixture::new();
    for (command, advice) in [
        ("tail -f /dev/null", "leave the option to follow out"),
        ("tail -n 5 --follow=name /dev/null", "run_in_background"),
        ("sleep 600", "Give a longer timeout"),
    ] {
        let failure = fixture
            .run_with(BashInput {
                timeout: Some(500),
                ..input(command)
            })
            .await
            .expect_err("no end");
        assert_eq!(failure.code, "timed_out");
        assert!(failure.message.contains(advice), "{}", failure.message);
    }
    let watch = fixture.bash.analyses.of("watch date", &fixture.root);
    assert!(super::waiting::never_ends(&watch).is_some());
}

#[tokio::test]
async fn a_pager_prints_a_short_text() {
    if !Path::new("/usr/bin/less").exists() {
        eprintln!("not tested, there is no less");
        return;
    }
    let fixture = Fixture::new();
    assert_eq!(fixture.text("seq 3 > f; less f").await, "1\n2\n3");
    // Of a long one the first screen stays in the result.
    let failure = fixture.failure("seq 1000 > f; less f").await;
    assert!(failure.message.contains("12"), "{}", failure.message);
    assert!(failure.message.contains("cat"), "{}", failure.message);
}

#[tokio::test]
async fn output_beyond_the_limit_of_the_settings_is_not_kept() {
    let mut settings = CommandSettings::default();
    settings.limits.output = Some(1 << 20);
    let fixture = Fixture::set(std::env::var_os("PATH"), settings);
    let outcome = fixture
        .run("yes 'a long line of output' | head -c 5000000")
        .await;
    let data = outcome.expect("success").data;
    assert!(
        data.for_model().contains("Only the first 1 MB"),
        "{:?}",
        data.notes
    );
    let file = data.file.expect("a file");
    let size = std::fs::metadata(file).expect("the file").len();
    assert!(size <= (1 << 20) + 4096, "{size}");
}

#[tokio::test]
async fn a_failing_command_is_a_failure_with_its_code_and_output() {
    let fixture = Fixture::new();
    let failure = fixture.failure("echo oops; exit 42").await;
    assert_eq!(failure.code, "exit_code");
    assert_eq!(failure.message, "Exit code 42\noops");
    let summary = failure.summary.as_deref().expect("a summary");
    assert!(summary.starts_with("exit code 42 · "), "{summary}");
    assert!(matches!(
        failure.blocks.first(),
        Some(Block::Terminal { exit_code: Some(42), output, .. }) if output == "oops\n"
    ));
    let failure = fixture.failure("nosuchcommand").await;
    assert_eq!(
        failure.message,
        "Exit code 127: command not found\nbash: line 1: nosuchcommand: command not found"
    );
}

#[tokio::test]
async fn the_folder_carries_over_also_from_a_failing_command() {
    let fixture = Fixture::new();
    let sub = fixture.root.join("sub");
    let outcome = fixture.run("mkdir sub && cd sub").await.expect("success");
    assert_eq!(
        outcome.context_change,
        Some(ContextChange::WorkingDirectory(sub.clone()))
    );
    assert!(outcome.data.notes.is_empty());
    let failure = fixture.failure("cd sub; exit 3").await;
    assert_eq!(
        failure.context_change,
        Some(ContextChange::WorkingDirectory(sub.clone()))
    );
    let outcome = fixture.run("pwd").await.expect("success");
    assert_eq!(outcome.context_change, None);
    let fixture = fixture.at(&sub);
    assert_eq!(fixture.text("pwd").await, sub.display().to_string());
}

#[tokio::test]
async fn leaving_the_project_is_told() {
    let fixture = Fixture::new();
    let text = fixture.text("cd /usr && pwd").await;
    assert!(
        text.starts_with("/usr\nThe working directory is now /usr, outside the project."),
        "{text}"
    );
}

#[tokio::test]
async fn a_folder_that_is_gone_is_told_and_left_for_the_project() {
    let fixture = Fixture::new();
    let gone = fixture.root.join("gone");
    let fixture = fixture.at(&gone);
    let outcome = fixture.run("pwd").await.expect("success");
    let text = outcome.data.for_model();
    let root = fixture.root.display();
    assert_eq!(
        text,
        format!(
            "{root}\nThe working directory {} no longer exists; the command ran in {root}.",
            gone.display()
        )
    );
    assert_eq!(
        outcome.context_change,
        Some(ContextChange::WorkingDirectory(fixture.root.clone()))
    );
}

#[tokio::test]
async fn a_timeout_ends_the_command_and_says_what_to_do() {
    let fixture = Fixture::new();
    let failure = fixture
        .run_with(BashInput {
            timeout: Some(300),
            ..input("echo begun; sleep 600 & sleep 600")
        })
        .await
        .expect_err("a timeout");
    assert_eq!(failure.code, "timed_out");
    assert!(
        failure.message.starts_with("Timed out after 300 ms;"),
        "{}",
        failure.message
    );
    assert!(failure.message.ends_with("\nbegun"), "{}", failure.message);
    assert!(fixture.supervisor.living().is_empty());
}

#[tokio::test]
async fn a_cancelled_call_ends_with_its_reason() {
    let fixture = Fixture::new();
    let cancellation = fixture.context.cancellation.clone();
    let (result, ()) = tokio::join!(fixture.run("sleep 600"), async {
        while fixture.supervisor.living().is_empty() {
            tokio::task::yield_now().await;
        }
        cancellation.cancel(CancelReason::Stopped);
    });
    let failure = result.expect_err("cancelled");
    assert_eq!(
        (failure.code, failure.summary.as_deref()),
        ("cancelled", Some("stopped"))
    );
    assert!(
        failure.message.contains("the user stopped the turn"),
        "{}",
        failure.message
    );
}

#[tokio::test]
async fn a_dropped_call_leaves_nothing_running() {
    let fixture = Fixture::new();
    {
        let call = fixture.run("sleep 600");
        tokio::pin!(call);
        while fixture.supervisor.living().is_empty() {
            assert!(futures_poll(call.as_mut()).await.is_none());
        }
    }
    for running in fixture.supervisor.living() {
        running.gone().await;
    }
    assert!(fixture.supervisor.living().is_empty());
}

/// Polls once.
async fn futures_poll<F: Future>(future: std::pin::Pin<&mut F>) -> Option<F::Output> {
    tokio::select! {
        biased;
        output = future => Some(output),
        () = tokio::task::yield_now() => None,
    }
}

#[tokio::test]
async fn a_server_in_the_background_is_listed() {
    let fixture = Fixture::new();
    let outcome = fixture
        .run("sleep 600 >/dev/null & until grep -q sleep /proc/$!/comm; do :; done; echo on")
        .await
        .expect("success");
    let text = outcome.data.for_model();
    assert!(
        text.starts_with("on\nStill running in the background: "),
        "{text}"
    );
    assert!(text.contains("(sleep 600)"), "{text}");
    let view = fixture.bash.present(Stage::Succeeded {
        input: &input("sleep 600 &"),
        output: &outcome.data,
    });
    assert_eq!(view.tag.as_deref(), Some("background"));
    fixture.supervisor.shutdown().await;
}

#[tokio::test]
async fn a_question_nobody_can_answer_ends_and_is_in_the_result() {
    let fixture = Fixture::new();
    let failure = fixture
        .failure("printf 'Continue? [y/N] '; read answer || exit 1; echo $answer")
        .await;
    assert!(
        failure.message.contains("Continue? [y/N]"),
        "{}",
        failure.message
    );
    assert!(
        failure.message.contains("Nobody can type in this run"),
        "{}",
        failure.message
    );
    let failure = fixture
        .failure("while :; do printf 'Again? '; read answer; done")
        .await;
    assert_eq!(failure.code, "waits_for_input");
    assert!(failure.message.contains("Again?"), "{}", failure.message);
}

#[tokio::test]
async fn long_output_is_cut_in_the_middle_with_the_whole_in_a_file() {
    let fixture = Fixture::new();
    let outcome = fixture.run("seq 1 20000").await.expect("success");
    let text = outcome.data.for_model();
    assert!(text.len() < 31_000, "{}", text.len());
    assert!(text.starts_with("1\n2\n") && text.ends_with("\n20000"));
    assert!(fixture.bash.is_result_truncated(&outcome.data));
    let file = outcome.data.file.expect("a file");
    assert!(text.contains(&file.display().to_string()));
    let whole: String = (1..=20_000).map(|number| format!("{number}\n")).collect();
    assert_eq!(std::fs::read_to_string(file).expect("text"), whole);
}

#[tokio::test]
async fn the_environment_traps_nobody_and_holds_no_terminal_of_another() {
    let fixture = Fixture::new();
    assert_eq!(
        fixture
            .text("echo $PAGER $GIT_TERMINAL_PROMPT $GIT_OPTIONAL_LOCKS ${COLUMNS:-none}")
            .await,
        "cat 0 0 none"
    );
}

#[tokio::test]
async fn inputs_that_make_no_sense_are_refused_with_what_would() {
    let fixture = Fixture::new();
    let check =
        async |input: BashInput| fixture.bash.validate_input(&input, &fixture.context).await;
    assert_eq!(check(input("ls")).await, Ok(()));
    assert_eq!(
        check(input(" \n")).await.expect_err("empty").code,
        "empty_command"
    );
    assert_eq!(
        check(input("a\0")).await.expect_err("NUL").code,
        "nul_in_command"
    );
    for timeout in [0, 600_001] {
        let error = check(BashInput {
            timeout: Some(timeout),
            ..input("ls")
        })
        .await;
        assert_eq!(error.expect_err("range").code, "timeout_out_of_range");
    }
    let erased = adroit_tool::erase(Fixture::new().bash);
    let schema = erased.input_schema();
    assert_eq!(schema["additionalProperties"], json!(false));
    assert_eq!(schema["required"], json!(["command"]));
}
