//! Commands through the shell, as the Bash tool runs them.

use std::path::Path;

use adroit_process::{
    EnvironmentSource, Exit, LoginEnvironment, Shell, ShellCommand, ShellKind, Supervisor,
};

use crate::support::{ended, environment, runs, spawn, text};

struct Ran {
    exit: Exit,
    cwd: Option<std::path::PathBuf>,
    note: Option<String>,
}

async fn run_in(supervisor: &Supervisor, shell: &Shell, command: &str, cwd: &Path) -> Ran {
    let prepared = ShellCommand {
        shell,
        command,
        cwd,
        fallback_cwd: Path::new("/"),
        env: environment(),
        definitions: None,
    }
    .prepare()
    .expect("prepared");
    let running = spawn(supervisor, prepared.spec);
    let exit = ended(&running).await;
    Ran {
        exit,
        cwd: prepared.report.read(),
        note: prepared.note,
    }
}

async fn bash(command: &str) -> Ran {
    let shell = Shell::discover(std::env::var_os("PATH").as_deref(), None).expect("a shell");
    assert_eq!(shell.kind, ShellKind::Bash);
    run_in(&Supervisor::default(), &shell, command, Path::new("/tmp")).await
}

#[tokio::test]
async fn the_final_folder_is_reported_however_the_command_ends() {
    for command in [
        "cd /usr",
        "cd /usr; exit 7",
        "cd /usr && false",
        "set -e; cd /usr; false",
    ] {
        let ran = bash(command).await;
        assert_eq!(ran.cwd.as_deref(), Some(Path::new("/usr")), "{command}");
        assert_eq!(text(&ran.exit), "", "{command}");
    }
    assert_eq!(bash("exit 7").await.exit.status.shell_code(), 7);
    assert_eq!(
        bash("(cd /usr)").await.cwd.as_deref(),
        Some(Path::new("/tmp"))
    );
}

#[tokio::test]
async fn the_shell_looks_untouched_from_inside() {
    let ran = bash("echo \"[$1] $# $0\"; nosuchcommand; echo $?; [[ a == a* ]] && echo bash").await;
    assert_eq!(
        text(&ran.exit),
        "[] 0 bash\nbash: line 1: nosuchcommand: command not found\n127\nbash\n"
    );
}

#[tokio::test]
async fn a_server_started_with_an_ampersand_goes_on() {
    let supervisor = Supervisor::default();
    let shell = Shell::discover(None, None).expect("a shell");
    for command in [
        "sleep 600 & echo $!",
        "nohup sleep 600 >/dev/null 2>&1 & echo $!",
    ] {
        let ran = run_in(&supervisor, &shell, command, Path::new("/")).await;
        let pid: i32 = text(&ran.exit).trim().parse().expect("a number");
        assert!(runs(pid), "{command}");
        assert_eq!(
            ran.exit.survivors.len(),
            1,
            "{command}: {:?}",
            ran.exit.survivors
        );
        assert!(ran.exit.survivors[0].command.contains("sleep 600"));
    }
    supervisor.shutdown().await;
}

#[tokio::test]
async fn a_folder_that_is_gone_falls_back_with_a_note() {
    let folder = tempfile::tempdir().expect("a folder");
    let gone = folder.path().join("sub");
    let shell = Shell::discover(None, None).expect("a shell");
    let supervisor = Supervisor::default();
    let ran = run_in(&supervisor, &shell, "pwd", &gone).await;
    assert_eq!(text(&ran.exit), "/\n");
    let note = ran.note.expect("a note");
    assert!(note.contains(&gone.display().to_string()) && note.contains("no longer exists"));

    std::fs::create_dir(&gone).expect("a folder");
    let ran = run_in(&supervisor, &shell, "rmdir \"$PWD\"", &gone).await;
    assert_eq!(ran.cwd, None);
    assert!(ran.exit.status.success());
}

#[tokio::test]
async fn a_command_longer_than_an_argument_may_be_runs_from_a_file() {
    let long = "a".repeat(300_000);
    let ran = bash(&format!("cd /usr; echo {long} | wc -c")).await;
    assert_eq!(text(&ran.exit).trim(), "300001");
    assert_eq!(ran.cwd.as_deref(), Some(Path::new("/usr")));
    let document = "0123456789\n".repeat(300_000);
    let ran = bash(&format!("wc -c <<'END'\n{document}END\n")).await;
    assert_eq!(text(&ran.exit).trim(), "3300000");
}

#[tokio::test]
async fn a_nul_is_refused() {
    let shell = Shell::discover(None, None).expect("a shell");
    let error = ShellCommand {
        shell: &shell,
        command: "echo \0",
        cwd: Path::new("/"),
        fallback_cwd: Path::new("/"),
        env: environment(),
        definitions: None,
    }
    .prepare()
    .expect_err("refused");
    assert!(error.to_string().contains("NUL"));
}

#[tokio::test]
async fn a_plain_posix_shell_works_too() {
    let shell = Shell {
        path: "/bin/sh".into(),
        kind: ShellKind::Posix,
    };
    let supervisor = Supervisor::default();
    let ran = run_in(
        &supervisor,
        &shell,
        "cd /usr; for i in 1 2; do echo $i; done; exit 4",
        Path::new("/"),
    )
    .await;
    assert_eq!(text(&ran.exit), "1\n2\n");
    assert_eq!(ran.exit.status.shell_code(), 4);
    assert_eq!(ran.cwd.as_deref(), Some(Path::new("/usr")));
}

#[tokio::test]
async fn the_login_environment_is_taken_once_and_has_a_path() {
    let supervisor = Supervisor::default();
    let login = LoginEnvironment::new(supervisor.clone(), EnvironmentSource::LoginShell);
    let environment = login.get().await;
    assert!(environment.get("PATH").is_some());
    assert_eq!(environment.get("ADROIT_TREE"), None);
    assert!(std::ptr::eq(environment, login.get().await));
    assert!(supervisor.living().is_empty());
}

/// A person with a home of their own, asked as their login shell would be.
#[tokio::test]
async fn functions_and_aliases_of_the_person_are_there_as_far_as_they_are_kept() {
    let home = tempfile::tempdir().expect("a home");
    std::fs::write(
        home.path().join(".bashrc"),
        "greet() { echo \"hello $1\"; }\n_hidden() { :; }\npwd() { echo fake; }\n\
         alias ll='echo long'\nalias rm='rm -i'\nls() { echo fake; }\n\
         command_not_found_handle() { echo fake; }\necho noise\n",
    )
    .expect("a file");
    std::fs::write(home.path().join(".bash_profile"), ". ~/.bashrc\n").expect("a file");
    let supervisor = Supervisor::default();
    let login = LoginEnvironment::of_home(
        supervisor.clone(),
        EnvironmentSource::Auto,
        home.path().to_owned(),
    )
    // What the tool that runs commands takes is for it to say; here: all but some.
    .with_definitions(|definition| !matches!(definition.name(), "rm" | "ls" | "from_outside"));
    let environment = login.get().await;
    let shell = Shell::discover(environment.get("PATH"), None).expect("a shell");
    let definitions = environment.definitions(shell.kind);
    assert!(definitions.is_some(), "{:?}", environment.note());
    let prepared = ShellCommand {
        shell: &shell,
        command: "greet you; ll; alias rm 2>/dev/null || echo no rm; pwd; cd /usr; \
                  declare -F _hidden ls command_not_found_handle || echo hidden",
        cwd: Path::new("/tmp"),
        fallback_cwd: Path::new("/"),
        env: environment.for_commands(),
        definitions,
    }
    .prepare()
    .expect("prepared");
    let exit = ended(&spawn(&supervisor, prepared.spec)).await;
    assert_eq!(text(&exit), "hello you\nlong\nno rm\nfake\nhidden\n");
    assert_eq!(prepared.report.read().as_deref(), Some(Path::new("/usr")));
}

/// Where the person's shell is zsh.
fn zsh() -> Option<std::path::PathBuf> {
    let found = ["/bin/zsh", "/usr/bin/zsh", "/usr/local/bin/zsh"]
        .into_iter()
        .map(std::path::PathBuf::from)
        .find(|path| path.is_file());
    if found.is_none() {
        eprintln!("not tested, zsh is not installed");
    }
    found
}

#[test]
fn variables_functions_and_aliases_of_zsh_are_taken() {
    let Some(zsh) = zsh() else { return };
    // Which shell the person has is told by a variable of the whole process.
    let output = std::process::Command::new(std::env::current_exe().expect("this program"))
        .args(["shells::as_a_person_with_zsh", "--exact", "--ignored"])
        .env("SHELL", zsh)
        .output()
        .expect("it runs");
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && printed.contains("1 passed"),
        "{printed}{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

#[tokio::test]
#[ignore = "run by the test above, with zsh as the person's shell"]
async fn as_a_person_with_zsh() {
    let Some(path) = zsh() else { return };
    let home = tempfile::tempdir().expect("a home");
    std::fs::write(
        home.path().join(".zshrc"),
        "export FROM_ZSH=yes\ngreet() { echo \"hello $1\" }\nalias ll='echo long'\necho noise\n",
    )
    .expect("a file");
    let supervisor = Supervisor::default();
    let login = LoginEnvironment::of_home(
        supervisor.clone(),
        EnvironmentSource::LoginShell,
        home.path().to_owned(),
    )
    .with_definitions(|_| true);
    let environment = login.get().await;
    assert_eq!(environment.note(), None);
    assert_eq!(
        environment.get("FROM_ZSH"),
        Some(std::ffi::OsStr::new("yes"))
    );
    let shell = Shell {
        path,
        kind: ShellKind::Zsh,
    };
    let prepared = ShellCommand {
        shell: &shell,
        command: "greet you; ll; cd /usr",
        cwd: Path::new("/tmp"),
        fallback_cwd: Path::new("/"),
        env: environment.for_commands(),
        definitions: environment.definitions(shell.kind),
    }
    .prepare()
    .expect("prepared");
    let exit = ended(&spawn(&supervisor, prepared.spec)).await;
    assert_eq!(text(&exit), "hello you\nlong\n");
    assert_eq!(prepared.report.read().as_deref(), Some(Path::new("/usr")));
}
