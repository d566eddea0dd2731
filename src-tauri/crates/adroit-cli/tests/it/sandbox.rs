//! What holds commands, with the binary as its own helper: landlock where bubblewrap does not
//! work, and the way to listed hosts.

use std::process::{Command, Output};

use adroit_testkit::TempProject;
use serde_json::{Value, json};

use crate::{adroit, bash, run, stdout};

/// What a call of Bash prints, all of it. The settings say `execution.sandbox`.
fn sandboxed(project: &TempProject, path: &str, sandbox: &Value, command: &str) -> Output {
    let settings = json!({ "execution": { "sandbox": sandbox } });
    let config = project.data_dir().join("config");
    std::fs::create_dir_all(&config).unwrap();
    std::fs::write(config.join("settings.json"), settings.to_string()).unwrap();
    let input = json!({ "command": command }).to_string();
    let words = bash(&input);
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

/// Whether bubblewrap works here with a network of its own.
fn has_bubblewrap() -> bool {
    let works = Command::new("bwrap")
        .args([
            "--unshare-user",
            "--unshare-net",
            "--ro-bind",
            "/",
            "/",
            "true",
        ])
        .output()
        .is_ok_and(|output| output.status.success());
    if !works {
        eprintln!("not tested, bubblewrap does not work here");
    }
    works
}

/// A server on the loopback that answers each request with one word.
fn word_server() -> u16 {
    use std::io::{Read as _, Write as _};
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let _ = stream.read(&mut [0; 1024]);
            let _ = stream.write_all(b"HTTP/1.0 200 OK\r\nContent-Length: 7\r\n\r\nreached");
        }
    });
    port
}

#[test]
fn a_list_of_hosts_is_reached_through_the_proxy_and_nothing_else_is() {
    if !has_bubblewrap() {
        return;
    }
    let project = TempProject::empty();
    let path = std::env::var("PATH").unwrap();
    let port = word_server();
    // Through the proxy, past it, and from within the network of the app, if it could be had.
    project.write(
        "ask.sh",
        "exec 3<>/dev/tcp/127.0.0.1/${HTTP_PROXY##*:}\n\
         printf 'GET http://%s/ HTTP/1.0\\r\\n\\r\\n' \"$1\" >&3\ncat <&3\n",
    );
    let ask = |hosts: Value, command: &str| {
        let sandbox =
            json!({ "mode": "required", "network": "allow_listed", "allowedDomains": hosts });
        let output = sandboxed(&project, &path, &sandbox, command);
        let said = stdout(&output);
        (said.contains("reached"), said)
    };
    let proxied = format!("bash ask.sh 127.0.0.1:{port}");
    let (reached, said) = ask(json!(["127.0.0.1"]), &proxied);
    assert!(reached, "{said}");
    let (reached, said) = ask(json!(["example.org", "*"]), &proxied);
    assert!(!reached, "{said}");
    assert!(
        said.contains("leads to 127.0.0.1, an address of this machine"),
        "{said}"
    );
    let (reached, said) = ask(json!(["*.example.org"]), "bash ask.sh registry.example");
    assert!(!reached, "{said}");
    assert!(
        said.contains("`registry.example` was not in the list of allowed hosts"),
        "{said}"
    );
    let past = format!(
        "(exec 3<>/dev/tcp/127.0.0.1/{port} && echo reached) 2>&1; \
         for p in /proc/[0-9]*; do nsenter --net=$p/ns/net \
         bash -c 'exec 3<>/dev/tcp/127.0.0.1/{port} && echo reached' 2>/dev/null; done; true"
    );
    let (reached, said) = ask(json!(["127.0.0.1"]), &past);
    assert!(!said.contains("\\nreached"), "{reached} {said}");
}

#[test]
fn where_hosts_cannot_be_told_apart_a_list_is_no_network() {
    if !has_landlock() {
        return;
    }
    let project = TempProject::empty();
    let path = path_without_bubblewrap(&project);
    let port = word_server();
    let sandbox =
        json!({ "mode": "required", "network": "allow_listed", "allowedDomains": ["127.0.0.1"] });
    let connect = format!("bash -c 'exec 3<>/dev/tcp/127.0.0.1/{port}' && echo connected");
    let output = sandboxed(&project, &path, &sandbox, &connect);
    assert!(!output.status.success(), "{output:?}");
}

/// Lets another user of this machine use a folder and what is in it, where this one is root.
fn open_to_all(folder: &std::path::Path) {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::create_dir_all(folder).unwrap();
    for place in folder
        .ancestors()
        .take_while(|place| place.starts_with(std::env::temp_dir()))
    {
        if place != std::env::temp_dir() {
            std::fs::set_permissions(place, std::fs::Permissions::from_mode(0o777)).unwrap();
        }
    }
}

/// The app's environment holds the keys of models; those of commands have none.
#[test]
fn a_command_without_a_sandbox_cannot_read_the_environment_of_the_app() {
    let project = TempProject::empty();
    let config = project.data_dir().join("config");
    open_to_all(&project.path());
    open_to_all(&config);
    open_to_all(&project.data_dir());
    let settings = json!({ "execution": { "sandbox": { "mode": "off" } } });
    std::fs::write(config.join("settings.json"), settings.to_string()).unwrap();
    let look = "cat /proc/$PPID/comm; cat /proc/$PPID/environ | tr '\\0' '\\n'; env; true";
    let input = json!({ "command": look }).to_string();
    let call = adroit(
        &project,
        &[
            "tool",
            "call",
            "Bash",
            "--mode",
            "bypassPermissions",
            "--input",
            &input,
        ],
    );
    let mut command = Command::new("setpriv");
    command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]);
    command.arg(call.get_program()).args(call.get_args());
    let mut command = if is_root() { command } else { call };
    let output = command
        .env("HOME", project.data_dir())
        .env("OPENAI_API_KEY", "value-of-the-key")
        .output()
        .unwrap();
    let said = stdout(&output);
    if !output.status.success() {
        eprintln!("not tested, another user cannot run this here: {output:?}");
        return;
    }
    assert!(said.contains("adroit-cli"), "{said}");
    assert!(said.contains("Permission denied"), "{said}");
    assert!(!said.contains("value-of-the-key"), "{said}");
}

fn is_root() -> bool {
    use std::os::unix::fs::MetadataExt as _;
    std::fs::metadata("/proc/self").unwrap().uid() == 0
}
