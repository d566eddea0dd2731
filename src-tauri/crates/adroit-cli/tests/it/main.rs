//! The headless binary as another program would use it.

// A test stops where something is not as it must be.
#![allow(clippy::unwrap_used)]

use std::io::Write as _;
use std::process::{Command, Output, Stdio};

use adroit_testkit::{ScriptedModel, TempProject, turn};
use serde_json::{Value, json};

fn adroit(project: &TempProject, words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_adroit-cli"));
    command
        .args(words)
        .arg("--data-dir")
        .arg(project.data_dir())
        .arg("--project")
        .arg(project.path())
        .env_remove("ANTHROPIC_API_KEY")
        .env_remove("OPENAI_API_KEY")
        .stdin(Stdio::null());
    command
}

fn run(mut command: Command) -> Output {
    command.output().unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn lines(output: &Output) -> Vec<Value> {
    stdout(output)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn a_reader_that_went_away_ends_no_run() {
    let project = TempProject::new(&[("a.txt", "one\n")]);
    for words in [
        &["exec", "read a.txt"][..],
        &["exec", "--output", "stream-json", "read a.txt"],
        &["tool", "list"],
        &["exec", "run touch x"],
    ] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut command = adroit(&project, words);
        command.stderr(writer.try_clone().unwrap());
        let status = command.stdout(writer).status().unwrap();
        assert_eq!(status.code(), Some(0), "{words:?}");
    }
}

#[test]
fn exec_answers_in_text_and_says_by_its_code_whether_it_worked() {
    let project = TempProject::new(&[("a.txt", "alpha\n")]);
    let output = run(adroit(&project, &["exec", "read a.txt"]));
    assert!(output.status.success(), "{output:?}");
    assert!(stdout(&output).contains("alpha"), "{output:?}");
    let nowhere = Command::new(env!("CARGO_BIN_EXE_adroit-cli"))
        .args(["exec", "--project", "/no/such/folder", "hello"])
        .output()
        .unwrap();
    assert_eq!(nowhere.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&nowhere.stderr).contains("/no/such/folder"));
}

#[test]
fn stream_json_begins_with_the_start_and_ends_with_the_result() {
    let project = TempProject::new(&[("a.txt", "alpha\n")]);
    let output = run(adroit(
        &project,
        &["exec", "--output", "stream-json", "read a.txt"],
    ));
    let lines = lines(&output);
    assert_eq!(lines.first().unwrap()["type"], "start");
    let result = lines.last().unwrap();
    assert_eq!(result["type"], "result");
    assert_eq!(result["ok"], true);
    assert!(result["calls"].as_u64().unwrap() >= 1);
    assert!(result["usage"]["inputTokens"].is_u64() && result["elapsedMs"].is_u64());
    assert!(
        lines
            .iter()
            .any(|line| line["change"]["item"]["body"]["call"]["status"] == "succeeded")
    );
}

#[test]
fn what_would_ask_is_denied_unless_a_mode_or_a_rule_allows_it() {
    let project = TempProject::new(&[("a.txt", "alpha\n")]);
    let prompt = "create b.txt with hello";
    let denied = run(adroit(&project, &["exec", "--output", "json", prompt]));
    assert!(!project.exists("b.txt"));
    assert_eq!(lines(&denied)[0]["failedCalls"], 1);
    let allowed = run(adroit(&project, &["exec", "--mode", "acceptEdits", prompt]));
    assert!(allowed.status.success());
    assert!(project.read("b.txt").contains("hello"));
    project.write(
        ".adroit/settings.json",
        r#"{"permissions": {"allow": ["Bash(touch c.txt)"]}}"#,
    );
    run(adroit(&project, &["exec", "run touch c.txt"]));
    assert!(project.exists("c.txt"));
}

#[tokio::test(flavor = "multi_thread")]
async fn exec_speaks_to_a_server_and_fails_with_words_when_it_refuses() {
    for provider in ["anthropic", "openai-chat"] {
        let model = ScriptedModel::start([
            turn().call("Read", json!({"file_path": "a.txt"})).end(),
            turn().text("It says alpha.").end(),
        ])
        .await;
        let project = TempProject::new(&[("a.txt", "alpha\n")]);
        let words = [
            "exec",
            "--provider",
            provider,
            "--model",
            "m",
            "--base-url",
            &model.base_url(),
            "look",
        ];
        let command = adroit(&project, &words);
        let output = tokio::task::spawn_blocking(move || run(command))
            .await
            .unwrap();
        assert!(output.status.success(), "{output:?}");
        assert_eq!(stdout(&output).trim(), "It says alpha.");
        model.push(adroit_testkit::response(401).error_body("authentication_error", "bad key"));
        let words = [
            "exec",
            "--provider",
            provider,
            "--model",
            "m",
            "--base-url",
            &model.base_url(),
            "look",
        ];
        let command = adroit(&project, &words);
        let output = tokio::task::spawn_blocking(move || run(command))
            .await
            .unwrap();
        assert_eq!(output.status.code(), Some(1));
        assert!(
            String::from_utf8_lossy(&output.stderr).contains("key"),
            "{output:?}"
        );
    }
}

#[test]
fn the_pool_is_listed_with_schemas_and_flags() {
    let project = TempProject::empty();
    let output = run(adroit(&project, &["tool", "list", "--json"]));
    let tools = lines(&output).remove(0);
    let names: Vec<_> = tools
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect();
    assert!(names.is_sorted(), "{names:?}");
    for tool in [
        "Bash",
        "Edit",
        "Glob",
        "Grep",
        "MultiEdit",
        "NotebookEdit",
        "Read",
        "TaskOutput",
        "TaskStop",
        "Write",
    ] {
        assert!(names.contains(&tool), "{tool} is missing of {names:?}");
    }
    for tool in tools.as_array().unwrap() {
        assert_eq!(tool["inputSchema"]["additionalProperties"], false);
        assert!(!tool["prompt"].as_str().unwrap().is_empty());
        assert!(tool["deferred"].is_boolean() && tool["interruptBehavior"].is_string());
    }
}

#[test]
fn one_call_goes_through_the_whole_pipeline() {
    let project = TempProject::new(&[("a.txt", "alpha\n")]);
    let output = run(adroit(
        &project,
        &[
            "tool",
            "call",
            "Read",
            "--input",
            r#"{"file_path": "a.txt"}"#,
        ],
    ));
    assert!(output.status.success());
    let report = lines(&output).remove(0);
    assert_eq!(report["isError"], false);
    assert!(
        report["content"][0]["text"]
            .as_str()
            .unwrap()
            .contains("alpha")
    );
    assert_eq!(report["record"]["decision"]["behavior"], "allow");
    assert!(report["view"]["title"].as_str().unwrap().contains("a.txt"));
    let refused = run(adroit(
        &project,
        &[
            "tool",
            "call",
            "Bash",
            "--input",
            r#"{"command": "touch x"}"#,
        ],
    ));
    assert_eq!(refused.status.code(), Some(1));
    assert_eq!(lines(&refused)[0]["status"], "denied");
    let invalid = run(adroit(
        &project,
        &["tool", "call", "Read", "--input", "{nope"],
    ));
    assert_eq!(invalid.status.code(), Some(2));
}

/// Each call is a process of its own, and still an edit needs a file that was read and is as it was.
#[test]
fn calls_on_one_folder_are_one_sitting() {
    let project = TempProject::new(&[("a.txt", "one\ntwo\n")]);
    let call = |tool: &str, input: serde_json::Value| {
        let input = input.to_string();
        let words = [
            "tool",
            "call",
            tool,
            "--mode",
            "acceptEdits",
            "--input",
            &input,
        ];
        let report = lines(&run(adroit(&project, &words))).remove(0);
        (
            report["isError"] == false,
            report["content"][0]["text"].as_str().unwrap().to_owned(),
        )
    };
    let edit =
        |old: &str, new: &str| json!({"file_path": "a.txt", "old_string": old, "new_string": new});
    let (done, text) = call("Edit", edit("one", "1"));
    assert!(!done && text.contains("has not been read yet"), "{text}");
    assert!(call("Read", json!({"file_path": "a.txt"})).0);
    assert!(call("Edit", edit("one", "1")).0);
    assert!(call("Edit", edit("two", "2")).0);
    project.write("a.txt", "1\ntwo and a half\n");
    let (done, text) = call("Edit", edit("1", "one"));
    assert!(
        !done && text.contains("+ two and a half") && text.contains("- 2"),
        "{text}"
    );
}

/// The ways out of a tree that a look at the parent alone would not find.
const ESCAPES: &[&str] = &[
    "sleep SECONDS",
    "setsid sleep SECONDS",
    "nohup sleep SECONDS >/dev/null 2>&1 </dev/null & wait",
    "(setsid sh -c '(setsid sleep SECONDS &)' >/dev/null 2>&1 </dev/null &); sleep 600",
];

#[test]
fn nothing_outlives_a_run_that_is_killed() {
    for escape in ESCAPES {
        let project = TempProject::empty();
        let seconds = unusual_number();
        let command = escape.replace("SECONDS", &seconds);
        let input = json!({ "command": command, "timeout": 600_000 }).to_string();
        let words = [
            "tool",
            "call",
            "Bash",
            "--mode",
            "bypassPermissions",
            "--input",
            &input,
        ];
        let mut child = adroit(&project, &words)
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        until(|| sleeps(&seconds));
        // The watchdog is there a moment after the first command.
        until(|| has_watchdog(child.id()));
        child.kill().unwrap();
        child.wait().unwrap();
        until(|| !sleeps(&seconds));
    }
}

#[test]
fn a_daemon_that_leaves_no_trace_ends_with_a_killed_run() {
    let project = TempProject::empty();
    let seconds = unusual_number();
    let command = format!(
        "for i in $(seq 200); do grep -q adroit- /proc/self/cgroup && touch grouped && break; \
         sleep 0.02; done; touch looked; setsid env -i sh -c '(setsid sleep {seconds} &)' \
         </dev/null >/dev/null 2>&1; sleep 600"
    );
    let input = json!({ "command": command, "timeout": 600_000 }).to_string();
    let words = [
        "tool",
        "call",
        "Bash",
        "--mode",
        "bypassPermissions",
        "--input",
        &input,
    ];
    let mut child = adroit(&project, &words)
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    until(|| project.exists("looked"));
    until(|| sleeps(&seconds));
    until(|| has_watchdog(child.id()));
    child.kill().unwrap();
    child.wait().unwrap();
    if project.exists("grouped") {
        until(|| !sleeps(&seconds));
    } else {
        eprintln!("not tested, no control group can be made here");
        for (pid, _) in command_lines()
            .iter()
            .filter(|(_, line)| *line == format!("sleep\0{seconds}\0").into_bytes())
        {
            run({
                let mut kill = Command::new("kill");
                kill.arg(pid.to_string());
                kill
            });
        }
    }
}

/// What a call of Bash prints, all of it. The settings say `execution.sandbox`.
fn sandboxed(project: &TempProject, path: &str, sandbox: &Value, command: &str) -> Output {
    let settings = json!({ "execution": { "sandbox": sandbox } });
    let config = project.data_dir().join("config");
    std::fs::create_dir_all(&config).unwrap();
    std::fs::write(config.join("settings.json"), settings.to_string()).unwrap();
    let input = json!({ "command": command }).to_string();
    let words = [
        "tool",
        "call",
        "Bash",
        "--mode",
        "bypassPermissions",
        "--input",
        &input,
    ];
    let mut command = adroit(project, &words);
    command.env("PATH", path);
    run(command)
}

/// A `PATH` on which bubblewrap tells its version and fails at every command, as on systems
/// that keep user namespaces from ordinary programs.
fn path_without_bubblewrap(project: &TempProject) -> String {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = project.data_dir().join("bin");
    std::fs::create_dir_all(&folder).unwrap();
    let program = folder.join("bwrap");
    std::fs::write(
        &program,
        "#!/bin/sh\n[ \"$1\" = --version ] && exec echo bubblewrap 0.8.0\n\
         echo 'bwrap: setting up uid map: Permission denied' >&2\nexit 1\n",
    )
    .unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    format!("{}:{}", folder.display(), std::env::var("PATH").unwrap())
}

/// A folder that is neither the project nor temporary.
fn beside() -> tempfile::TempDir {
    tempfile::Builder::new()
        .prefix(".adroit-test-")
        .tempdir_in(std::env::home_dir().unwrap())
        .unwrap()
}

/// Landlock is in every kernel since 5.13, and can be switched off.
fn has_landlock() -> bool {
    use landlock::{AccessFs, CompatLevel, Compatible, Ruleset, RulesetAttr};
    let made = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_write(landlock::ABI::V1))
        .and_then(Ruleset::create);
    if let Err(error) = &made {
        eprintln!("not tested, this kernel has no landlock: {error}");
    }
    made.is_ok()
}

#[test]
fn where_bubblewrap_fails_at_every_command_landlock_holds_them() {
    if !has_landlock() {
        return;
    }
    let project = TempProject::empty();
    let path = path_without_bubblewrap(&project);
    let beside = beside();
    let place = beside.path().display();
    project.write(
        "script.sh",
        format!("echo a > inside && echo b > /tmp/$$.adroit && rm /tmp/$$.adroit && echo c > {place}/file"),
    );
    let required = json!({ "mode": "required" });
    let output = sandboxed(&project, &path, &required, "sh script.sh");
    let said = stdout(&output);
    assert!(
        said.contains(&format!("tells of a failure at writing `{place}/file`")),
        "{output:?}"
    );
    assert_eq!(project.read("inside"), "a\n");
    assert!(!beside.path().join("file").exists());
    // A terminal, processes, devices and exit codes are as without it, and what the command
    // names itself may be written.
    let ordinary = format!(
        "[ -t 1 ] && tty >/dev/null && head -c 4 /dev/urandom | wc -c && echo x >/dev/null && \
         (sleep 0; echo $?) && echo d > {place}/named && stty size && cd /usr"
    );
    let output = sandboxed(&project, &path, &required, &ordinary);
    assert!(output.status.success(), "{output:?}");
    assert!(beside.path().join("named").exists());
    // The app's environment holds the keys of models.
    let output = sandboxed(&project, &path, &required, "cat /proc/$PPID/environ");
    assert!(!output.status.success(), "{output:?}");
}

#[test]
fn landlock_and_seccomp_keep_from_the_network_where_it_is_off() {
    if !has_landlock() {
        return;
    }
    let project = TempProject::empty();
    let path = path_without_bubblewrap(&project);
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let connect = format!("bash -c 'exec 3<>/dev/tcp/127.0.0.1/{port}' && echo connected");
    for (network, connected) in [("on", true), ("off", false)] {
        let sandbox = json!({ "mode": "required", "network": network });
        let output = sandboxed(&project, &path, &sandbox, &connect);
        assert_eq!(output.status.success(), connected, "{output:?}");
    }
}

#[test]
fn a_run_that_ends_by_itself_leaves_neither_its_tasks_nor_its_watchdog() {
    let project = TempProject::empty();
    let seconds = unusual_number();
    let input = json!({ "command": format!("setsid sleep {seconds}"), "run_in_background": true });
    let output = run(adroit(
        &project,
        &[
            "tool",
            "call",
            "Bash",
            "--mode",
            "bypassPermissions",
            "--input",
            &input.to_string(),
        ],
    ));
    assert!(output.status.success(), "{output:?}");
    assert!(!sleeps(&seconds));
}

/// A number of seconds that no other program sleeps.
fn unusual_number() -> String {
    let now = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap();
    (1_000_000_000 + now.subsec_nanos()).to_string()
}

fn until(condition: impl Fn() -> bool) {
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(60);
    while !condition() {
        assert!(std::time::Instant::now() < deadline, "it never happened");
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
}

fn command_lines() -> Vec<(u32, Vec<u8>)> {
    std::fs::read_dir("/proc")
        .unwrap()
        .filter_map(|entry| {
            let pid = entry.ok()?.file_name().to_str()?.parse().ok()?;
            let line = std::fs::read(format!("/proc/{pid}/cmdline")).ok()?;
            Some((pid, line))
        })
        .collect()
}

fn sleeps(seconds: &str) -> bool {
    let wanted = format!("sleep\0{seconds}\0");
    command_lines()
        .iter()
        .any(|(_, line)| line == wanted.as_bytes())
}

fn has_watchdog(parent: u32) -> bool {
    command_lines().iter().any(|(pid, line)| {
        line.split(|&byte| byte == 0)
            .any(|word| word == b"--adroit-watchdog")
            && std::fs::read_to_string(format!("/proc/{pid}/stat"))
                .is_ok_and(|stat| stat.split(' ').nth(3) == Some(&parent.to_string()))
    })
}

#[test]
fn permissions_are_checked_line_by_line_without_the_folders() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_adroit-cli"))
        .args([
            "permissions",
            "check",
            "--workspace",
            "/w/project",
            "--home",
            "/home/dev",
        ])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let queries = [
        json!({"id": "a", "command": "git status"}),
        json!({"id": "b", "command": "rm -rf ~/"}),
        json!({"id": "c", "tool": "Read", "input": {"file_path": "/home/dev/.ssh/id"}, "rules": {"deny": ["Read(~/.ssh/**)"]}}),
        json!({"id": "d", "tool": "WebFetch", "input": {"url": "https://a.test/"}, "rules": {"allow": ["WebFetch(domain:a.test)"]}}),
    ];
    let mut input = child.stdin.take().unwrap();
    for query in &queries {
        writeln!(input, "{query}").unwrap();
    }
    writeln!(input, "not json").unwrap();
    drop(input);
    let output = child.wait_with_output().unwrap();
    let answers = lines(&output);
    let behaviors: Vec<_> = answers
        .iter()
        .map(|answer| answer["behavior"].as_str())
        .collect();
    assert_eq!(
        behaviors,
        [
            Some("allow"),
            Some("ask"),
            Some("deny"),
            Some("allow"),
            None
        ]
    );
    assert_eq!(answers[1]["analysis"]["destructive"], true);
    assert_eq!(answers[1]["analysis"]["outsideWorkspace"], true);
    assert!(answers[4]["error"].is_string());
}

/// The log of a run without a window: the spans of its calls, and nothing of what they were about.
#[test]
fn calls_are_logged_without_their_contents_unless_settings_say_no() {
    let logged = |settings: &str| {
        let project = TempProject::new(&[("a.txt", "alpha\n")]);
        project.write(".adroit/settings.json", r#"{"telemetry": {"log": false}}"#);
        let directories = adroit_host::AppDirectories::under(&project.data_dir());
        let user = directories.user_settings();
        std::fs::create_dir_all(user.parent().unwrap()).unwrap();
        std::fs::write(user, settings).unwrap();
        let prompt = "create s3cret.txt with wh1sper";
        let output = run(adroit(&project, &["exec", "--mode", "acceptEdits", prompt]));
        assert!(output.status.success(), "{output:?}");
        let folder = directories.logs();
        let files = std::fs::read_dir(folder).map(|files| files.map(|file| file.unwrap().path()));
        files
            .into_iter()
            .flatten()
            .map(|file| std::fs::read_to_string(file).unwrap())
            .collect::<String>()
    };
    let log = logged("{}");
    let calls: Vec<Value> = log
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .filter(|line| line["span"]["name"] == "tool_call")
        .collect();
    assert_eq!(calls.len(), 1, "{log}");
    assert_eq!(calls[0]["span"]["tool"], "Write");
    assert!(calls[0]["span"]["elapsed_us"].is_u64());
    for content in ["s3cret", "wh1sper", "alpha"] {
        assert!(!log.contains(content), "{log}");
    }
    assert_eq!(logged(r#"{"telemetry": {"log": false}}"#), "");
}

/// The code says whether the turn came to its end; what was denied in it is said in words.
#[test]
fn a_denied_call_is_told_on_standard_error() {
    let project = TempProject::new(&[("a.txt", "alpha\n")]);
    let prompt = "create b.txt with hello";
    let output = run(adroit(&project, &["exec", prompt]));
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(
        errors.contains("1 call was denied and not run:"),
        "{errors}"
    );
    assert!(errors.contains("Write b.txt: "), "{errors}");
    assert!(errors.contains("--mode"), "{errors}");
    let json = run(adroit(&project, &["exec", "--output", "json", prompt]));
    let denied = &lines(&json)[0]["deniedCalls"][0];
    assert_eq!(denied["call"], "Write b.txt");
    assert!(denied["reason"].as_str().unwrap().len() > 10, "{denied}");
    let quiet = run(adroit(&project, &["exec", "read a.txt"]));
    assert!(quiet.stderr.is_empty(), "{quiet:?}");
}

/// Whatever is wrong with the text of an input, the answer has the form of any other call's.
#[test]
fn an_input_that_is_no_plain_json_is_refused_as_a_call() {
    let project = TempProject::new(&[("a.txt", "alpha\n")]);
    for (input, problem) in [
        (
            r#"{"command": "ls", "command": "touch x"}"#,
            "is there twice",
        ),
        (r#"{"command": "\ud800"}"#, "hex escape"),
        (r#"{"command": "ls""#, "EOF"),
        ("[1]", "must be a JSON object"),
        ("", "EOF"),
    ] {
        let output = run(adroit(
            &project,
            &["tool", "call", "Bash", "--input", input],
        ));
        // What is no JSON was never a call; what is no object was one.
        let code = if input == "[1]" { 1 } else { 2 };
        assert_eq!(output.status.code(), Some(code), "{output:?}");
        let report = &lines(&output)[0];
        assert_eq!(
            (&report["isError"], &report["status"]),
            (&json!(true), &json!("failed"))
        );
        let text = report["content"][0]["text"].as_str().unwrap();
        assert!(
            text.starts_with("InputValidationError: Bash was not called."),
            "{text}"
        );
        assert!(text.contains(problem), "{input}: {text}");
    }
    assert!(!project.exists("x"));
}
