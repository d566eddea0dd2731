//! Commands in a sandbox, as far as this machine offers one.
//!
//! Where bubblewrap does not work (a container without user namespaces) the tests
//! say so and end; landlock is tested through the app's own executable, by
//! `adroit-cli`.

use std::fs;
use std::path::{Path, PathBuf};

use adroit_process::{
    Backend, CommandSpec, Exit, ExitReason, KillReason, Sandbox, SandboxNetwork, SandboxPolicy,
    Shell, ShellCommand, Supervisor,
};

use crate::support::{DEADLINE, ended, environment, pid_in, runs, spawn, text, until_gone};

/// A place outside of the temporary folders, which commands may write anyway.
struct Place {
    root: PathBuf,
    supervisor: Supervisor,
    backend: Backend,
    _folder: tempfile::TempDir,
}

impl Place {
    async fn new(network: SandboxNetwork) -> Option<Self> {
        let supervisor = Supervisor::default();
        let sandbox = Sandbox::new(supervisor.clone(), std::env::var_os("PATH"));
        let backend = match &sandbox.find(network).await.backend {
            Ok(backend) => backend.clone(),
            Err(unavailable) => {
                eprintln!("not tested, no sandbox works here: {unavailable}");
                return None;
            }
        };
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder");
        let root = folder.path().canonicalize().expect("its path");
        for name in ["project/.git/hooks", "beside"] {
            fs::create_dir_all(root.join(name)).expect("a folder");
        }
        Some(Self {
            root,
            supervisor,
            backend,
            _folder: folder,
        })
    }

    fn project(&self) -> PathBuf {
        self.root.join("project")
    }

    fn policy(&self, network: SandboxNetwork) -> SandboxPolicy {
        SandboxPolicy {
            writable: vec![self.project()],
            read_only: vec![self.project().join(".git/hooks")],
            network,
            ..SandboxPolicy::default()
        }
    }

    /// A shell tells its folder through a file in the temporary folder.
    fn shell_policy(&self) -> SandboxPolicy {
        let mut policy = self.policy(SandboxNetwork::On);
        policy.writable.push(std::env::temp_dir());
        policy
    }

    fn spec(&self, command: &str, policy: &SandboxPolicy) -> CommandSpec {
        let mut spec = CommandSpec::new("/bin/sh", self.project(), environment());
        spec.args = vec!["-c".into(), command.into()];
        self.backend.confine(policy, &mut spec);
        spec
    }

    async fn run(&self, command: &str) -> Exit {
        let policy = self.policy(SandboxNetwork::On);
        ended(&spawn(&self.supervisor, self.spec(command, &policy))).await
    }
}

macro_rules! place {
    ($network:expr) => {
        match Place::new($network).await {
            Some(place) => place,
            None => return,
        }
    };
}

#[tokio::test]
async fn a_command_writes_in_the_project_and_nowhere_else() {
    let place = place!(SandboxNetwork::On);
    let exit = place
        .run("echo a >inside && mkdir new && echo b >new/file && pwd && cat inside")
        .await;
    assert_eq!(
        text(&exit),
        format!("{}\na\n", place.project().display()),
        "{exit:?}"
    );
    for command in [
        "echo a >../beside/file",
        "echo a >.git/hooks/pre-commit",
        "mv .git/hooks .git/other",
        "rm -rf .git/hooks",
        "ln -s /tmp/evil .git/hooks/a",
        "mkdir ../new",
        "rmdir ../beside",
        "chmod 777 ../beside",
    ] {
        let exit = place.run(command).await;
        assert!(!exit.status.success(), "{command}: {}", text(&exit));
    }
    assert!(!place.root.join("beside/file").exists());
    assert!(place.project().join(".git/hooks").is_dir());
    assert_eq!(
        fs::read_dir(place.project().join(".git/hooks"))
            .expect("it")
            .count(),
        0
    );
    assert!(place.project().join("new/file").exists());
}

#[tokio::test]
async fn what_a_policy_grants_may_be_written_though_it_is_protected() {
    let place = place!(SandboxNetwork::On);
    let granted = place.project().join(".git/hooks/pre-commit");
    fs::write(&granted, "").expect("a file");
    let mut policy = place.policy(SandboxNetwork::On);
    policy.granted = vec![granted.clone()];
    let spec = place.spec("echo a >.git/hooks/pre-commit", &policy);
    let exit = ended(&spawn(&place.supervisor, spec)).await;
    assert!(exit.status.success(), "{}", text(&exit));
    assert_eq!(fs::read_to_string(granted).expect("the file"), "a\n");
}

#[tokio::test]
async fn devices_processes_and_exit_codes_are_as_without_it() {
    let place = place!(SandboxNetwork::On);
    let exit = place
        .run(
            "echo a >/dev/null && head -c 4 /dev/urandom | wc -c && [ -t 0 ] && echo terminal && \
              echo b >/dev/tty && tty >/dev/null && cat /proc/self/comm && stty size && \
              echo c >/dev/stdout && exit 7",
        )
        .await;
    assert_eq!(exit.status.shell_code(), 7, "{}", text(&exit));
    assert_eq!(text(&exit), "4\nterminal\nb\ncat\n24 120\nc\n");
    let exit = place.run("kill -9 $$").await;
    assert_eq!(exit.status.shell_code(), 137);
    if rustix_root() {
        // A root user would reach the disks and the kernel's settings by these.
        let exit = place
            .run("[ ! -e /dev/vda ] && [ ! -e /dev/sda ] && ! (echo 1 >/proc/sys/kernel/panic) 2>/dev/null")
            .await;
        assert!(exit.status.success(), "{}", text(&exit));
    }
}

fn rustix_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|own| std::os::unix::fs::MetadataExt::uid(&own) == 0)
}

#[tokio::test]
async fn the_environment_of_the_app_cannot_be_read() {
    let place = place!(SandboxNetwork::On);
    let own = std::process::id();
    let exit = place
        .run(&format!("cat /proc/{own}/environ >/dev/null && echo read"))
        .await;
    assert!(!text(&exit).contains("read\n"), "{}", text(&exit));
    assert!(!exit.status.success());
}

#[tokio::test]
async fn the_network_is_off_where_the_policy_says_so() {
    let place = place!(SandboxNetwork::Off);
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a socket");
    let port = listener.local_addr().expect("its address").port();
    let connect = format!("exec 3<>/dev/tcp/127.0.0.1/{port} && echo connected");
    for (network, connected) in [(SandboxNetwork::On, true), (SandboxNetwork::Off, false)] {
        let mut spec = CommandSpec::new("/bin/bash", place.project(), environment());
        spec.args = vec!["-c".into(), connect.clone().into()];
        place.backend.confine(&place.policy(network), &mut spec);
        let exit = ended(&spawn(&place.supervisor, spec)).await;
        assert_eq!(exit.status.success(), connected, "{}", text(&exit));
    }
}

async fn shell_command(place: &Place, command: &str) -> (Exit, Option<PathBuf>) {
    let shell = Shell::discover(std::env::var_os("PATH").as_deref(), None).expect("a shell");
    let prepared = ShellCommand {
        shell: &shell,
        command,
        cwd: &place.project(),
        fallback_cwd: Path::new("/"),
        env: environment(),
        definitions: None,
    }
    .prepare()
    .expect("prepared");
    let mut spec = prepared.spec;
    place.backend.confine(&place.shell_policy(), &mut spec);
    let exit = ended(&spawn(&place.supervisor, spec)).await;
    (exit, prepared.report.read())
}

#[tokio::test]
async fn the_folder_carries_over_and_servers_go_on() {
    let place = place!(SandboxNetwork::On);
    let (exit, cwd) = shell_command(&place, "mkdir sub; cd sub; sleep 600 & echo $!").await;
    let pid: i32 = text(&exit).trim().parse().expect("a number");
    assert_eq!(cwd, Some(place.project().join("sub")));
    assert!(runs(pid));
    assert!(
        exit.survivors.iter().any(|survivor| survivor.pid == pid),
        "{:?}",
        exit.survivors
    );
    // The next command sees it under the same number, and may end it.
    let (exit, _) = shell_command(&place, &format!("kill {pid} && echo ended")).await;
    assert_eq!(text(&exit), "ended\n");
    until_gone(pid).await;
    place.supervisor.shutdown().await;
}

#[tokio::test]
async fn a_kill_and_a_timeout_reach_everything() {
    let place = place!(SandboxNetwork::On);
    let policy = place.policy(SandboxNetwork::On);
    for escape in [
        "setsid sh -c 'echo $$ >pid; exec sleep 600' & wait",
        "(setsid sh -c '(sh -c \"echo \\$\\$ >pid; exec sleep 600\" &) ' &); sleep 600; :",
    ] {
        let running = spawn(&place.supervisor, place.spec(escape, &policy));
        let file = place.project().join("pid");
        let pid = pid_in(&file).await;
        running.kill(KillReason::Person);
        let exit = ended(&running).await;
        assert_eq!(exit.reason, ExitReason::Killed(KillReason::Person));
        assert!(!runs(pid), "{escape}");
        tokio::time::timeout(DEADLINE, running.gone())
            .await
            .expect("nothing is left");
        fs::remove_file(file).expect("the file");
    }
}

#[tokio::test]
async fn a_polite_end_lets_a_command_clean_up_and_prints_nothing_of_the_shell() {
    let place = place!(SandboxNetwork::On);
    let shell = Shell::discover(std::env::var_os("PATH").as_deref(), None).expect("a shell");
    let ready = place.project().join("pid");
    let prepared = ShellCommand {
        shell: &shell,
        command: "trap 'echo cleaned; exit 3' TERM; echo $$ >pid; while :; do :; done",
        cwd: &place.project(),
        fallback_cwd: Path::new("/"),
        env: environment(),
        definitions: None,
    }
    .prepare()
    .expect("prepared");
    let mut spec = prepared.spec;
    place.backend.confine(&place.shell_policy(), &mut spec);
    let running = spawn(&place.supervisor, spec);
    pid_in(&ready).await;
    running.kill(KillReason::Person);
    let exit = ended(&running).await;
    assert_eq!(text(&exit), "cleaned\n");
}

#[tokio::test]
async fn a_question_is_noticed() {
    let place = place!(SandboxNetwork::On);
    let policy = place.policy(SandboxNetwork::On);
    let running = spawn(
        &place.supervisor,
        place.spec("printf 'name? '; read name; echo hello $name", &policy),
    );
    crate::support::until("a question", || {
        running
            .waiting_for_input()
            .filter(|request| request.last_lines.trim() == "name?")
    })
    .await;
    running.write(b"you\n").await.expect("typed");
    let exit = ended(&running).await;
    assert!(text(&exit).ends_with("hello you\n"), "{}", text(&exit));
}

#[tokio::test]
async fn commands_on_pipes_are_confined_too() {
    let place = place!(SandboxNetwork::On);
    let policy = place.policy(SandboxNetwork::On);
    let spec = place.spec("cat >inside; echo a >../beside/file", &policy);
    let piped = place
        .supervisor
        .spawn_piped(spec, b"input".to_vec(), 1000)
        .expect("a command");
    let end = piped.end().await;
    assert!(!end.exit.status.success());
    assert_eq!(
        fs::read_to_string(place.project().join("inside")).expect("the file"),
        "input"
    );
    let denials = policy.denials(&end.errors.text(), &place.project());
    assert_eq!(
        denials,
        [adroit_process::Denial::Write(
            place.root.join("beside/file")
        )],
        "{}",
        end.errors.text()
    );
}
