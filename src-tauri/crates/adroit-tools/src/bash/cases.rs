//! The cases of `cases/bash.jsonl`, one test each, on real commands.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use adroit_permissions::{CheckContext, check_line};
use adroit_protocol::permission::Mode;
use adroit_tool::{ContextChange, Tool};
use serde_json::{Value, json};

use super::BashInput;
use super::tests::{Fixture, input};
use crate::tests::Project;

/// Runs one of the ignored tests below in a process of its own, with these
/// variables: a test cannot change the environment that others see too.
fn alone(test: &str, variables: &[(&str, &str)]) {
    let output = Command::new(std::env::current_exe().unwrap())
        .args([&format!("bash::cases::{test}"), "--exact", "--ignored"])
        .envs(variables.iter().copied())
        .output()
        .unwrap();
    let printed = String::from_utf8_lossy(&output.stdout);
    // A name that no test has would succeed as well.
    assert!(
        output.status.success() && printed.contains("1 passed"),
        "{variables:?}\n{printed}{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

fn is_there(program: &str) -> bool {
    std::env::var_os("PATH").is_some_and(|path| {
        std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
    })
}

/// A program of the shell that draws on the alternate screen and reads keys.
const FULL_SCREEN: &str =
    "printf '\\033[?1049h'; stty raw -echo; while :; do dd bs=1 count=1 2>/dev/null; done";

#[tokio::test]
async fn dv_bash_001_a_server_started_with_nohup_answers_the_next_call() {
    assert!(
        is_there("python3") && is_there("curl"),
        "the case needs both"
    );
    let fixture = Fixture::new();
    // Port 0: the system chooses one that is free, and the server prints it.
    let started = fixture
        .text("nohup python3 -u -m http.server --bind 127.0.0.1 0 >s.log 2>&1 &")
        .await;
    assert!(
        started.contains("Still running in the background"),
        "{started}"
    );
    let answer = fixture
        .text(
            "until port=$(sed -n 's/.* port \\([0-9]*\\).*/\\1/p' s.log) && [ -n \"$port\" ]; \
             do :; done; curl -s -o /dev/null -w '%{http_code}' \"localhost:$port/\"",
        )
        .await;
    assert_eq!(answer, "200");
    assert_eq!(fixture.supervisor.living().len(), 1);
    fixture.supervisor.shutdown().await;
    assert!(fixture.supervisor.living().is_empty());
}

#[tokio::test]
async fn dv_bash_002_what_escapes_the_group_ends_with_the_timeout() {
    let fixture = Fixture::new();
    let failure = fixture
        .run_with(BashInput {
            timeout: Some(2_000),
            ..input("setsid sh -c 'echo $$ >pid; while :; do echo x; sleep 0.05; done' & wait")
        })
        .await
        .unwrap_err();
    assert_eq!(failure.code, "timed_out");
    assert!(failure.message.contains("\nx\n"), "{}", failure.message);
    assert!(fixture.supervisor.living().is_empty());
    let pid = std::fs::read_to_string(fixture.root.join("pid")).unwrap();
    let state = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim()));
    assert!(state.is_err() || state.unwrap().contains(") Z "));
}

#[tokio::test]
async fn dv_bash_003_a_question_in_a_loop_ends_and_is_shown() {
    let fixture = Fixture::new();
    std::fs::write(
        fixture.root.join("ask.sh"),
        "#!/bin/sh\nwhile :; do printf 'Continue anyway? [y/N] '; read answer\n\
         case $answer in y) exit 0;; n) exit 1;; esac; done\n",
    )
    .unwrap();
    let failure = fixture
        .run_with(BashInput {
            timeout: Some(10_000),
            ..input("chmod +x ask.sh; ./ask.sh")
        })
        .await
        .unwrap_err();
    assert_eq!(failure.code, "waits_for_input");
    assert!(
        failure.message.contains("Continue anyway? [y/N]"),
        "{}",
        failure.message
    );
}

#[test]
fn dv_bash_004_neither_a_pager_nor_a_password_holds_a_command_up() {
    alone(
        "pagers_and_passwords",
        &[("PAGER", "less"), ("GIT_PAGER", "less")],
    );
}

#[tokio::test]
#[ignore = "run by dv_bash_004, alone"]
async fn pagers_and_passwords() {
    let fixture = Fixture::new();
    fixture
        .text(
            "git init -q && for i in $(seq 500); do printf 'commit refs/heads/main\\ncommitter \
             a <a@b> %s +0000\\ndata 3\\nc%02d\\n' $i $((i % 100)); done | git fast-import \
             --quiet && git symbolic-ref HEAD refs/heads/main",
        )
        .await;
    let log = fixture.text("git log --format=%s").await;
    assert_eq!(log.lines().count(), 500, "{log}");
    if is_there("man") {
        // Whether the page is installed or not, no pager waits.
        let text = match fixture.run("man ls").await {
            Ok(outcome) => outcome.data.for_model(),
            Err(failure) => failure.message,
        };
        assert!(!text.contains("nobody can"), "{text}");
    }
    let failure = fixture
        .failure("printf 'protocol=https\\nhost=example.invalid\\n' | git credential fill")
        .await;
    assert!(
        failure.message.contains("terminal prompts disabled"),
        "{}",
        failure.message
    );
    // As `sudo` and `ssh` do: the terminal itself is asked, with its echo off.
    let failure = fixture
        .failure(
            "exec 3</dev/tty; stty -echo <&3; printf 'Password: ' >/dev/tty; read -r x <&3 || \
             { stty echo <&3; echo 'a password is required' >&2; exit 1; }",
        )
        .await;
    assert!(
        failure.message.contains("a password is required")
            && failure.message.contains("Nobody can type in this run"),
        "{}",
        failure.message
    );
}

#[test]
fn dv_bash_006_many_calls_leave_nothing() {
    let folder = tempfile::tempdir().unwrap();
    alone("many_calls", &[("TMPDIR", folder.path().to_str().unwrap())]);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[tokio::test]
#[ignore = "run by dv_bash_006, alone: it counts what its process holds"]
async fn many_calls() {
    let fixture = Fixture::new();
    let call = "head -c 200000 /dev/zero | tr '\\0' x; (true &)";
    for _ in 0..10 {
        fixture.run(call).await.unwrap();
    }
    // What is opened once, such as the pipe of the watchdog, may come after this count; what a call
    // leaks would be there two hundred times.
    let (descriptors, resident) = (entries("/proc/self/fd") + 20, resident_kibibytes());
    for _ in 0..200 {
        fixture.run(call).await.unwrap();
    }
    for running in fixture.supervisor.living() {
        running.gone().await;
    }
    // A thread that reads a terminal closes its end when it comes to run, which on a busy
    // machine is after the command is gone. What is leaked stays open for ever.
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(20);
    while entries("/proc/self/fd") > descriptors && std::time::Instant::now() < deadline {
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
    assert!(entries("/proc/self/fd") <= descriptors);
    assert!(resident_kibibytes() < resident + 20_000);
    let children = std::fs::read_to_string("/proc/thread-self/children").unwrap_or_default();
    let dead: Vec<&str> = children
        .split_ascii_whitespace()
        .filter(|pid| {
            std::fs::read_to_string(format!("/proc/{pid}/stat"))
                .is_ok_and(|stat| stat.contains(") Z "))
        })
        .collect();
    assert_eq!(dead, Vec::<&str>::new());
    let left: Vec<_> = std::fs::read_dir(std::env::temp_dir())
        .unwrap()
        .flatten()
        .filter(|entry| entry.file_name().to_string_lossy().starts_with("adroit-"))
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

fn entries(folder: &str) -> usize {
    std::fs::read_dir(folder).unwrap().count()
}

fn resident_kibibytes() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let number = line.unwrap().trim().trim_end_matches(" kB");
    number.parse().unwrap()
}

#[tokio::test]
async fn dv_bash_007_a_cut_splits_no_character() {
    let mut fixture = Fixture::new();
    fixture.context.limits.terminal_chars = 10_000;
    for (letters, lines, is_cut) in [
        (0, 3_333, false),
        (1, 3_333, false),
        (2, 3_333, true),
        (0, 3_334, true),
    ] {
        let command = format!(
            "printf 'a%.0s' $(seq 1 {letters} | grep . || true) | head -c {letters}; \
             printf '─%.0s' $(seq 1 {lines})"
        );
        let outcome = fixture.run(&command).await.unwrap();
        let text = outcome.data.for_model();
        assert!(!text.contains('\u{FFFD}'), "{letters} + {lines}");
        assert_eq!(outcome.data.truncated, is_cut, "{letters} + {lines}");
        assert_eq!(text.contains("bytes left out"), is_cut, "{text}");
    }
    // Read in pieces of 64 KiB, which no three bytes divide.
    let outcome = fixture.run("printf '─%.0s' $(seq 1 100000)").await.unwrap();
    assert!(!outcome.data.output.contains('\u{FFFD}'));
    let whole = std::fs::read_to_string(outcome.data.file.unwrap()).unwrap();
    assert_eq!(whole.trim_end(), "─".repeat(100_000));
}

#[tokio::test]
async fn dv_bash_008_a_progress_bar_is_its_last_state() {
    let fixture = Fixture::new();
    let text = fixture
        .text(
            "for i in $(seq 1 5000); do printf '\\rDownloading %d%%' $((i/50)); done; echo; \
             echo done",
        )
        .await;
    assert_eq!(text, "Downloading 100%\ndone");
    assert_eq!(
        fixture.text("printf 'one\\r\\ntwo\\r\\n'").await,
        "one\ntwo"
    );
}

#[tokio::test]
async fn dv_bash_009_both_streams_are_one_in_true_order() {
    let fixture = Fixture::new();
    for _ in 0..3 {
        let text = fixture
            .text("echo o1; echo e1 >&2; echo o2; echo e2 >&2")
            .await;
        assert_eq!(text, "o1\ne1\no2\ne2");
    }
    assert_eq!(fixture.text("true").await, "(no output)");
    assert_eq!(fixture.text("echo warning >&2").await, "warning");
    let failure = fixture.failure("ls /nope").await;
    assert!(
        failure.message.starts_with("Exit code 2"),
        "{}",
        failure.message
    );
    assert!(failure.message.contains("/nope"), "{}", failure.message);
}

#[tokio::test]
async fn dv_bash_010_leaving_the_project_is_told_and_moves_no_relative_path() {
    let mut project = Project::with(&[("a.txt", b"in the project\n")]);
    let text = project
        .text("Bash", json!({ "command": "cd /etc && pwd" }))
        .await;
    assert!(
        text.starts_with("/etc\n") && text.contains("outside the project"),
        "{text}"
    );
    project.context.cwd = Path::new("/etc").into();
    assert_eq!(
        project.text("Bash", json!({ "command": "pwd" })).await,
        "/etc"
    );
    let text = project.text("Read", json!({ "file_path": "a.txt" })).await;
    assert!(text.contains("in the project"), "{text}");
}

#[tokio::test]
async fn dv_bash_011_a_folder_that_was_moved_or_replaced() {
    let fixture = Fixture::new();
    let sub = fixture.root.join("sub");
    std::fs::create_dir(&sub).unwrap();
    let root = fixture.root.clone();
    let fixture = fixture.at(&sub);
    let moved = fixture
        .run("cd .. && mv sub sub2 && touch sub")
        .await
        .unwrap();
    assert_eq!(
        moved.context_change,
        Some(ContextChange::WorkingDirectory(root.clone()))
    );
    // The next call was prepared while it still stood in the old folder.
    let outcome = fixture.run("ls").await.unwrap();
    let text = outcome.data.for_model();
    assert!(
        text.starts_with("sub  sub2\n") && text.contains("no longer exists; the command ran in"),
        "{text}"
    );
    let fixture = fixture.at(&root);
    let text = fixture.text("cd sub2 && pwd").await;
    assert_eq!(text, root.join("sub2").display().to_string());
}

#[test]
fn dv_bash_012_no_secret_and_no_descriptor_of_the_app_reaches_a_command() {
    alone(
        "secrets",
        &[
            ("ANTHROPIC_API_KEY", "sk-marker-1"),
            ("ADROIT_API_KEY", "sk-marker-2"),
            ("OPENAI_API_KEY", "sk-marker-3"),
        ],
    );
}

#[tokio::test]
#[ignore = "run by dv_bash_012, alone"]
async fn secrets() {
    let fixture = Fixture::new();
    let socket = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    for command in ["env | grep marker", "set | grep 'sk-[m]arker'"] {
        let outcome = fixture.run(command).await.unwrap();
        assert_eq!(outcome.data.exit_code, Some(1), "{command}");
        assert_eq!(outcome.data.output, "", "{command}");
    }
    // 3 is the folder that `ls` itself reads.
    assert_eq!(fixture.text("ls /proc/self/fd | xargs").await, "0 1 2 3");
    drop(socket);
}

#[test]
fn dv_bash_013_a_long_command_and_a_large_environment() {
    let value = "v".repeat(50_000);
    let names: Vec<String> = (0..20).map(|number| format!("LARGE_{number}")).collect();
    let variables: Vec<(&str, &str)> = names.iter().map(|name| (&**name, &*value)).collect();
    alone("long_commands", &variables);
}

#[tokio::test]
#[ignore = "run by dv_bash_013, alone"]
async fn long_commands() {
    let fixture = Fixture::new();
    let long = "a".repeat(300_000);
    assert_eq!(
        fixture.text(&format!("echo {long} | wc -c")).await,
        "300001"
    );
    let document = "0123456789\n".repeat(300_000);
    let command = format!("wc -c <<'END'\n{document}END\n");
    assert_eq!(fixture.text(&command).await, "3300000");
    assert_eq!(fixture.text("echo ${#LARGE_19}").await, "50000");
    // A program is given no more than the kernel passes on; that is said, not hidden.
    let failure = fixture.failure(&format!("env {long}")).await;
    assert!(
        failure.message.contains("Argument list too long"),
        "{}",
        failure.message
    );
}

#[test]
fn dv_bash_014_the_shell_of_commands_is_a_posix_one() {
    for shell in [
        "/usr/bin/fish",
        "/bin/false",
        "/usr/sbin/nologin",
        "",
        "/nope",
    ] {
        alone("loop_in_a_shell", &[("SHELL", shell)]);
    }
    let path = std::env::var("PATH").unwrap();
    alone("loop_in_a_shell", &[("PATH", &format!("relative:{path}"))]);
    alone("loop_in_a_shell", &[("PATH", "/nowhere")]);
}

#[tokio::test]
#[ignore = "run by dv_bash_014, alone"]
async fn loop_in_a_shell() {
    let fixture = Fixture::new();
    let text = fixture
        .text("for i in 1 2; do echo $i; done; echo ${0##*/}")
        .await;
    assert_eq!(text, "1\n2\nbash");
}

#[tokio::test]
async fn dv_bash_015_a_full_screen_program_ends_and_says_why() {
    let fixture = Fixture::new();
    let mut commands = vec![FULL_SCREEN];
    commands.extend(is_there("top").then_some("top"));
    commands.extend(is_there("vim").then_some("vim x"));
    for command in commands {
        let failure = fixture.failure(command).await;
        assert_eq!(
            failure.code, "needs_a_person",
            "{command}: {}",
            failure.message
        );
        assert!(
            failure.message.contains("nobody can press them"),
            "{command}: {}",
            failure.message
        );
        if command == "top" {
            assert!(
                failure.message.contains("top -b -n 1"),
                "{}",
                failure.message
            );
        }
    }
    assert!(fixture.supervisor.living().is_empty());
    let text = fixture
        .text("stty size; tput cols; echo ${COLUMNS:-none}")
        .await;
    assert_eq!(text, "24 120\n120\nnone");
}

#[tokio::test]
async fn dv_bash_016_reading_is_judged_by_the_whole_command() {
    let fixture = Fixture::new();
    let read_only = |command: &str| {
        let input = input(command);
        let read_only = fixture.bash.is_read_only(&input, &fixture.context);
        assert_eq!(
            fixture.bash.is_concurrency_safe(&input, &fixture.context),
            read_only,
            "{command}"
        );
        read_only
    };
    assert!(read_only("ls -la | grep foo"));
    for command in [
        "ls > out",
        "git status; rm x",
        "find . -delete",
        "find . -exec rm {} +",
        "sort -o f f",
        "git -c core.pager=./x log",
        "tee f",
        "awk \"BEGIN{system(\\\"id\\\")}\"",
        "cat $(touch z)",
        "git branch -D x",
        "rg --pre=./x p",
    ] {
        assert!(!read_only(command), "{command}");
    }
}

#[test]
fn dv_bash_017_no_spelling_dodges_a_deny_rule() {
    let context = CheckContext {
        workspace: "/w/project".into(),
        home: "/home/dev".into(),
        mode: Mode::Default,
    };
    let behavior = |command: &str, allow: &[&str]| {
        let line = json!({
            "command": command,
            "rules": { "deny": ["Bash(rm *)", "Bash(curl *)"], "allow": allow },
        });
        let answer: Value = serde_json::from_str(&check_line(&line.to_string(), &context)).unwrap();
        answer["behavior"].as_str().unwrap().to_owned()
    };
    for command in [
        "/bin/rm -rf x",
        "\\rm x",
        "r\"\"m x",
        "command rm x",
        "env rm x",
        "busybox rm x",
        "sh -c \"rm x\"",
        "xargs rm < l",
        "timeout 5 rm x",
        "if true; then rm x; fi",
        "cu\\\nrl http://h",
    ] {
        for allow in [&[][..], &["Bash(*)"]] {
            assert_eq!(behavior(command, allow), "deny", "{command} {allow:?}");
        }
    }
    // Which program this is cannot be seen: it never runs silently.
    let unseen = BTreeSet::from(["deny".to_owned(), "ask".to_owned()]);
    for allow in [&[][..], &["Bash(*)"]] {
        assert!(unseen.contains(&behavior("X=rm; $X x", allow)), "{allow:?}");
    }
}

/// A trap for SIGTERM gets its second to clean up: the shell around a command is
/// asked to end last, because its end takes the terminal away from all others.
#[tokio::test]
async fn a_timeout_lets_a_trap_clean_up() {
    let fixture = Fixture::new();
    for command in [
        "trap 'echo cleaned up; exit 3' TERM; echo on; while :; do sleep 600; done",
        "bash -c 'trap \"echo cleaned up; exit 3\" TERM; echo on; while :; do sleep 600; done'",
    ] {
        let failure = fixture
            .run_with(BashInput {
                timeout: Some(1_000),
                ..input(command)
            })
            .await
            .unwrap_err();
        assert_eq!(failure.code, "timed_out");
        assert!(
            failure.message.ends_with("\ncleaned up"),
            "{command}: {}",
            failure.message
        );
        assert!(fixture.supervisor.living().is_empty());
    }
}
