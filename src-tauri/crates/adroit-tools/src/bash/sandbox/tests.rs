//! Commands in the sandbox of this machine. Where none works the tests say so and end;
//! what is said without one is tested in any case.

use std::path::PathBuf;

use adroit_permissions::ToolCheck;
use adroit_process::SandboxNetwork;
use adroit_tool::{ContextChange, Tool as _};

use super::super::tests::{Fixture, input};
use crate::bash::BashInput;
use crate::services::{CommandSettings, SandboxMode, SandboxSettings};

fn settings(mode: SandboxMode) -> CommandSettings {
    CommandSettings {
        sandbox: SandboxSettings {
            mode,
            ..SandboxSettings::default()
        },
        ..CommandSettings::default()
    }
}

async fn held(settings: CommandSettings) -> Option<Fixture> {
    let network = settings.sandbox.network;
    let fixture = Fixture::set(std::env::var_os("PATH"), settings);
    match &fixture.bash.services.sandbox.find(network).await.backend {
        Ok(_) => Some(fixture),
        Err(unavailable) => {
            eprintln!("not tested, no sandbox works here: {unavailable}");
            None
        }
    }
}

macro_rules! held {
    ($settings:expr) => {
        match held($settings).await {
            Some(fixture) => fixture,
            None => return,
        }
    };
}

mod git;

/// A folder that is neither the project nor temporary.
fn beside() -> (tempfile::TempDir, PathBuf) {
    let home = std::env::home_dir().expect("a home");
    let folder = tempfile::Builder::new()
        .prefix(".adroit-test-")
        .tempdir_in(home)
        .expect("a folder");
    let path = folder.path().canonicalize().expect("its path");
    (folder, path)
}

/// Hides from the analysis what is written, as a script of a package does.
fn script(fixture: &Fixture, text: &str) {
    std::fs::write(fixture.root.join("script.sh"), text).expect("a script");
}

fn released(command: &str) -> BashInput {
    BashInput {
        dangerously_disable_sandbox: true,
        ..input(command)
    }
}

#[tokio::test]
async fn what_a_script_writes_elsewhere_is_denied_explained_and_asked_about() {
    let fixture = held!(settings(SandboxMode::Auto));
    let (_folder, beside) = beside();
    let file = beside.join("file");
    script(&fixture, &format!("echo a > {}\n", file.display()));
    let failure = fixture.failure("sh script.sh").await;
    let denied = format!("tells of a failure at writing `{}`", file.display());
    assert!(failure.message.contains(&denied), "{}", failure.message);
    assert!(failure.message.contains("dangerouslyDisableSandbox"));
    let summary = failure.summary.expect("a summary");
    assert!(summary.contains("kept back by the sandbox"), "{summary}");
    assert!(!file.exists());

    let again = released("sh script.sh");
    let ToolCheck::Ask {
        reason,
        bypass_immune,
    } = fixture.bash.check_permissions(&again, &fixture.context)
    else {
        panic!("it must ask");
    };
    assert!(
        reason.contains(&format!("writing `{}`", file.display())),
        "{reason}"
    );
    assert!(bypass_immune);
    let outcome = fixture.run_with(again).await.expect("it runs");
    assert!(outcome.data.for_model().contains("outside of the sandbox"));
    assert!(file.exists());
}

#[tokio::test]
async fn what_a_command_names_was_judged_and_may_be_written() {
    let fixture = held!(settings(SandboxMode::Auto));
    let (_folder, beside) = beside();
    let file = beside.join("file");
    fixture.text(&format!("echo a > {}", file.display())).await;
    assert!(file.exists());
    fixture
        .text(&format!("mkdir {0}/new && rm {0}/file", beside.display()))
        .await;
    assert!(beside.join("new").is_dir() && !file.exists());
    std::fs::write(fixture.root.join(".envrc"), "a").expect("a file");
    fixture.text("echo b > .envrc").await;
    fixture.text("sed -i s/b/c/ .envrc").await;
    assert_eq!(
        std::fs::read_to_string(fixture.root.join(".envrc")).expect("the file"),
        "c\n"
    );
}

#[tokio::test]
async fn the_app_s_own_files_stay_as_they_are_and_keys_are_not_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let app = folder.path().canonicalize().expect("a path");
    std::fs::write(app.join("keys.json"), "secret").expect("a file");
    let mut settings = settings(SandboxMode::Auto);
    settings.sandbox.app = vec![app.clone()];
    settings.sandbox.secrets = vec![app.join("keys.json")];
    let fixture = held!(settings);
    script(
        &fixture,
        &format!(
            "cat {0}/keys.json; echo a > {0}/settings.json\n",
            app.display()
        ),
    );
    let failure = fixture.failure("sh script.sh").await;
    assert!(!failure.message.contains("secret"), "{}", failure.message);
    assert!(!app.join("settings.json").exists());
}

#[tokio::test]
async fn folder_background_and_extra_places_work_as_without_it() {
    let (_folder, beside) = beside();
    let mut settings = settings(SandboxMode::Required);
    settings.sandbox.writable = vec![beside.clone()];
    let fixture = held!(settings);
    script(&fixture, &format!("echo a > {}/file\n", beside.display()));
    let outcome = fixture
        .run("sh script.sh && mkdir sub && cd sub && true & wait; cd /usr")
        .await
        .expect("success");
    assert!(matches!(
        outcome.context_change,
        Some(ContextChange::WorkingDirectory(_))
    ));
    let outcome = fixture.run("(sleep 600 & echo $!)").await.expect("success");
    assert_eq!(outcome.data.survivors.len(), 1, "{:?}", outcome.data);
    assert!(outcome.data.task.is_some());
    fixture.supervisor.shutdown().await;
}

#[tokio::test]
async fn a_build_of_a_package_works() {
    let fixture = held!(settings(SandboxMode::Auto));
    if std::process::Command::new("cargo")
        .arg("-V")
        .output()
        .is_err()
    {
        eprintln!("not tested, there is no cargo");
        return;
    }
    fixture
        .text("cargo init -q --lib --name sample . && cargo build -q --offline && test -d target")
        .await;
}

#[tokio::test]
async fn the_network_is_off_where_the_settings_say_so() {
    let mut settings = settings(SandboxMode::Auto);
    settings.sandbox.network = SandboxNetwork::Off;
    let fixture = held!(settings);
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a socket");
    let port = listener.local_addr().expect("its address").port();
    script(
        &fixture,
        &format!(
            "exec 3<>/dev/tcp/127.0.0.1/{port} || {{ echo 'network is unreachable'; exit 1; }}\n"
        ),
    );
    let failure = fixture.failure("bash script.sh").await;
    assert!(
        failure
            .message
            .contains("tells of a failure at reaching the network"),
        "{}",
        failure.message
    );
}

#[tokio::test]
async fn without_a_sandbox_auto_runs_and_required_refuses_with_the_reason() {
    let nowhere = Some(std::ffi::OsString::from("/nonexistent"));
    let fixture = Fixture::set(nowhere.clone(), settings(SandboxMode::Auto));
    assert_eq!(fixture.text("touch file; echo a").await, "a");
    // Nothing holds it, so there is nothing to ask about.
    assert_eq!(
        fixture
            .bash
            .check_permissions(&released("echo a"), &fixture.context),
        ToolCheck::Pass
    );
    let fixture = Fixture::set(nowhere, settings(SandboxMode::Required));
    let failure = fixture.failure("echo a").await;
    assert_eq!(failure.code, "sandbox_required");
    assert!(
        failure.message.contains("bubblewrap: it is not installed"),
        "{}",
        failure.message
    );
}

#[tokio::test]
async fn required_lets_nothing_out() {
    let fixture = Fixture::set(std::env::var_os("PATH"), settings(SandboxMode::Required));
    let check = fixture
        .bash
        .check_permissions(&released("echo a"), &fixture.context);
    assert!(matches!(check, ToolCheck::Deny { .. }), "{check:?}");
    let off = Fixture::set(None, settings(SandboxMode::Off));
    let check = off
        .bash
        .check_permissions(&released("echo a"), &off.context);
    assert_eq!(check, ToolCheck::Pass);
    if fixture
        .bash
        .services
        .sandbox
        .find(SandboxNetwork::On)
        .await
        .backend
        .is_ok()
    {
        let failure = fixture.failure("docker ps").await;
        assert_eq!(failure.code, "sandbox_required");
        // It is held all the same where somebody skips the check.
        let (_folder, beside) = beside();
        script(&fixture, &format!("echo a > {}/file\n", beside.display()));
        fixture
            .run_with(released("sh script.sh"))
            .await
            .expect_err("held");
        assert!(!beside.join("file").exists());
    }
}

#[test]
fn programs_that_work_outside_are_known_by_their_plain_name() {
    let fixture = Fixture::set(None, settings(SandboxMode::Auto));
    let outside = |command: &str| {
        super::grants::outside(&fixture.bash.analyses.of(command, &fixture.context.cwd))
    };
    for command in [
        "docker ps",
        "su -c id",
        "sudo apt-get install x",
        "docker build . && docker push x",
        "cat a | docker load",
    ] {
        assert!(outside(command).is_some(), "{command}");
    }
    for command in [
        "./docker ps",
        "PATH=. docker ps",
        "docker build . && ./script.sh",
        "npm test; docker ps",
        "ls",
        "$DOCKER ps",
        "docker() { :; }; docker ps",
        "unshare -m sh -c id",
        "chroot / id",
        "bwrap --bind / / id",
        "nsenter -t 1 id",
    ] {
        assert_eq!(outside(command), None, "{command}");
    }
}

#[tokio::test]
async fn what_only_reads_runs_without_it_but_for_git_and_where_it_is_required() {
    let held_in = async |mode: SandboxMode, command: &str| {
        let fixture = held(settings(mode)).await?;
        let environment = fixture.bash.services.environment.get().await;
        let hold = fixture
            .bash
            .hold(
                &input(command),
                &fixture.context,
                environment,
                adroit_process::ShellKind::Bash,
            )
            .await
            .expect("it may run");
        Some(matches!(hold.0, super::Hold::Confined(_)))
    };
    for (command, auto) in [
        ("ls -la", false),
        ("cat a | grep b && echo done", false),
        // It runs what the repository's settings name.
        ("git status", true),
        // Asked about.
        ("cat /etc/hostname", true),
        ("PATH=. ls", true),
        ("./ls", true),
        ("ls > file", true),
        ("$X", true),
        ("find . -exec cat {} +", true),
        ("curl localhost", true),
    ] {
        let Some(is_held) = held_in(SandboxMode::Auto, command).await else {
            return;
        };
        assert_eq!(is_held, auto, "{command}");
        assert_eq!(
            held_in(SandboxMode::Required, command).await,
            Some(true),
            "{command}"
        );
    }
}

#[tokio::test]
async fn settings_that_a_script_makes_count_for_nothing_and_are_told_of() {
    let fixture = held!(settings(SandboxMode::Auto));
    fixture.text("git init -q .").await;
    script(
        &fixture,
        "mkdir .adroit .vscode; echo evil > .adroit/settings.json; echo {} > .mcp.json\n\
         echo ../evil > .git/commondir\n",
    );
    let outcome = fixture.run("sh script.sh").await.expect("success");
    for name in [".adroit", ".mcp.json", ".git/commondir"] {
        let place = fixture.root.join(name);
        assert!(!place.exists(), "{name}");
        let told = format!("made `{}` without naming it", place.display());
        assert!(outcome.data.for_model().contains(&told), "{told}");
    }
    assert!(fixture.root.join(".vscode").exists());
    assert_eq!(
        outcome.data.warnings.len(),
        4,
        "{:?}",
        outcome.data.warnings
    );
    let view = fixture.bash.present(adroit_tool::Stage::Succeeded {
        input: &input("sh script.sh"),
        output: &outcome.data,
    });
    assert_eq!(view.tone, adroit_protocol::view::Tone::Warning);

    // A command that says it was judged by it.
    let text = fixture
        .text("mkdir .claude && echo {} > .claude/settings.json && echo {} > .mcp.json")
        .await;
    assert!(!text.contains("without naming"), "{text}");
    assert!(fixture.root.join(".claude/settings.json").exists());
    assert!(fixture.root.join(".mcp.json").exists());
    script(&fixture, "exit 1");
    let failure = fixture.failure("sh script.sh").await;
    assert!(
        !failure.message.contains("protected"),
        "{}",
        failure.message
    );
}

#[tokio::test]
async fn a_command_that_goes_on_is_looked_at_when_it_ends() {
    let fixture = held!(settings(SandboxMode::Auto));
    script(&fixture, "read -r x < go; echo {} > .mcp.json\n");
    let outcome = fixture
        .run("mkfifo go; sh script.sh >/dev/null 2>&1 &")
        .await
        .expect("success");
    assert_eq!(outcome.data.survivors.len(), 1, "{:?}", outcome.data);
    // The file may appear while this call still runs, and then it is told there.
    let mut told = fixture.text("echo > go").await;
    for running in fixture.supervisor.living() {
        running.gone().await;
    }
    for _ in 0..50 {
        if told.contains(".mcp.json") {
            return;
        }
        told.push_str(&fixture.text("touch a").await);
    }
    panic!("{told}");
}

#[tokio::test]
async fn sockets_of_terminals_in_temporary_folders_are_not_there() {
    let fixture = held!(settings(SandboxMode::Auto));
    let backend = &fixture
        .bash
        .services
        .sandbox
        .find(SandboxNetwork::On)
        .await
        .backend;
    if !matches!(backend, Ok(adroit_process::Backend::Bubblewrap(_))) {
        eprintln!("not tested, {backend:?} cannot hide files");
        return;
    }
    let folder = tempfile::Builder::new()
        .prefix("tmux-")
        .tempdir_in("/tmp")
        .expect("a folder");
    let path = folder.path().join("default");
    let _socket = std::os::unix::net::UnixListener::bind(&path).expect("a socket");
    script(&fixture, &format!("test -S {}\n", path.display()));
    fixture.failure("sh script.sh").await;
}

#[tokio::test]
async fn programs_that_carry_a_command_out_ask_in_every_mode() {
    let fixture = held!(settings(SandboxMode::Auto));
    for command in ["su -c id", "sudo touch /etc/x", "ls && pkexec id"] {
        let check = fixture
            .bash
            .check_permissions(&input(command), &fixture.context);
        assert!(
            matches!(
                check,
                ToolCheck::Ask {
                    bypass_immune: true,
                    ..
                }
            ),
            "{command}: {check:?}"
        );
    }
    for command in ["docker ps", "ls", "unshare -m sh -c id"] {
        let check = fixture
            .bash
            .check_permissions(&input(command), &fixture.context);
        assert_eq!(check, ToolCheck::Pass, "{command}");
    }
    let (_folder, beside) = beside();
    fixture
        .failure(&format!(
            "unshare -m sh -c 'touch {}/file'",
            beside.display()
        ))
        .await;
    assert!(!beside.join("file").exists());
}

#[tokio::test]
async fn what_a_background_command_was_kept_from_is_told_where_it_is_read_of() {
    let fixture = held!(settings(SandboxMode::Auto));
    let (_folder, beside) = beside();
    let file = beside.join("file");
    script(&fixture, &format!("echo a > {}\n", file.display()));
    let started = BashInput {
        run_in_background: true,
        ..input("sh script.sh")
    };
    let outcome = fixture.run_with(started).await.expect("it starts");
    let id = outcome.data.task.expect("a task");
    let tasks = &fixture.bash.services.tasks;
    let task = tasks.get(id.as_str()).expect("it");
    task.running.gone().await;
    let told = format!("tells of a failure at writing `{}`", file.display());
    let kept_back = task.kept_back().expect("it was kept from something");
    assert!(kept_back.contains(&told), "{kept_back}");
    let notices = loop {
        // Its watcher hears of the end in a task of its own.
        let notices = tasks.take_notices();
        if !notices.is_empty() {
            break notices;
        }
        tokio::task::yield_now().await;
    };
    assert!(notices[0].text.contains(&told), "{notices:?}");
    assert!(notices[0].advice.contains("dangerouslyDisableSandbox"));
    let output = crate::TaskOutput::new(fixture.bash.services.clone());
    let wanted = serde_json::from_value(serde_json::json!({ "task_id": id.as_str() }));
    let read = output
        .call(
            std::sync::Arc::new(wanted.expect("an input")),
            fixture.context.clone(),
        )
        .await
        .expect("it is read");
    assert!(read.data.for_model().contains(&told), "{:?}", read.data);
    // A request to run it outside names it.
    let again = released("sh script.sh");
    let ToolCheck::Ask { reason, .. } = fixture.bash.check_permissions(&again, &fixture.context)
    else {
        panic!("it must ask");
    };
    assert!(reason.contains(&file.display().to_string()), "{reason}");
}
