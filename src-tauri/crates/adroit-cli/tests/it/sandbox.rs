//! The sandbox as the binary applies it to itself where bubblewrap does not work.

use std::process::Output;

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
