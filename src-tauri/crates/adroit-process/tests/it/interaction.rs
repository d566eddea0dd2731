//! Typing, sizes and watching.

use adroit_process::{InputRequest, Supervisor, TerminalSize, Wanted};

use crate::support::{DEADLINE, ended, environment, run, sh, spawn, text, until};

async fn input_request(running: &adroit_process::Running) -> InputRequest {
    until("a program that waits for input", || {
        running.waiting_for_input()
    })
    .await
}

#[tokio::test]
async fn what_is_typed_reaches_the_program() {
    let supervisor = Supervisor::default();
    let running = spawn(
        &supervisor,
        sh("printf 'Name? '; read name; echo \"Hello $name\""),
    );
    // The program may wait before the thread that reads the terminal has come to its prompt.
    let expected = InputRequest {
        echo: true,
        wants: Wanted::Lines,
        last_lines: "Name? ".to_owned(),
    };
    until("the prompt", || {
        running
            .waiting_for_input()
            .filter(|request| *request == expected)
    })
    .await;
    running.write(b"world\n").await.expect("typed");
    let exit = ended(&running).await;
    assert_eq!(text(&exit), "Name? world\nHello world\n");
    assert!(running.write(b"x").await.is_err());
}

#[tokio::test]
async fn a_secret_is_told_by_its_missing_echo_and_stays_out_of_the_output() {
    let supervisor = Supervisor::default();
    let running = spawn(
        &supervisor,
        sh("printf 'Password: '; stty -echo; read secret; stty echo; echo; echo ${#secret}"),
    );
    assert!(!input_request(&running).await.echo);
    running.write(b"hunter2\n").await.expect("typed");
    let exit = ended(&running).await;
    assert_eq!(text(&exit), "Password: \n7\n");
}

#[tokio::test]
async fn end_of_input_ends_a_reader() {
    let supervisor = Supervisor::default();
    let running = spawn(&supervisor, sh("cat; echo over"));
    input_request(&running).await;
    running.end_input().await.expect("typed");
    assert_eq!(text(&ended(&running).await), "over\n");
}

#[tokio::test]
async fn a_busy_or_sleeping_program_does_not_wait_for_input() {
    let supervisor = Supervisor::default();
    let running = spawn(&supervisor, sh("echo on; exec sleep 600"));
    until("its output", || {
        (!running.scrollback().is_empty()).then_some(())
    })
    .await;
    assert_eq!(running.waiting_for_input(), None);
    supervisor.shutdown().await;
}

#[tokio::test]
async fn the_size_is_what_was_asked_for_and_follows_a_resize() {
    let supervisor = Supervisor::default();
    let mut spec = sh("stty size; read line; stty size; echo ${COLUMNS:-none}");
    spec.size = TerminalSize {
        rows: 31,
        columns: 97,
    };
    let running = spawn(&supervisor, spec);
    input_request(&running).await;
    running
        .resize(TerminalSize {
            rows: 50,
            columns: 132,
        })
        .expect("resized");
    running.write(b"\n").await.expect("typed");
    let exit = ended(&running).await;
    assert_eq!(text(&exit), "31 97\n\n50 132\nnone\n");
}

#[tokio::test]
async fn a_view_gets_raw_bytes_and_one_that_attaches_later_misses_nothing() {
    let supervisor = Supervisor::default();
    let running = spawn(
        &supervisor,
        sh("printf '\\033[31mred\\033[0m\\n'; read line; echo after"),
    );
    input_request(&running).await;
    let (before, mut subscription) = running.attach();
    running.write(b"\n").await.expect("typed");
    let mut rest = Vec::new();
    while let Some(chunk) = tokio::time::timeout(DEADLINE, subscription.next())
        .await
        .expect("a chunk or the end")
    {
        assert_eq!(chunk.skipped, 0);
        rest.extend_from_slice(&chunk.bytes);
    }
    // Where the two meet depends on the machine's mood; that nothing is missing does not.
    let whole = [&before[..], &rest[..]].concat();
    assert_eq!(whole, b"\x1b[31mred\x1b[0m\r\n\r\nafter\r\n");
    assert_eq!(running.scrollback(), whole);
}

#[tokio::test]
async fn a_command_has_a_controlling_terminal_and_a_session_of_its_own() {
    let exit = run(sh(
        "echo hi >/dev/tty; test \"$(ps -o sid= -p $$ | tr -d ' ')\" = $$ && echo leader",
    ))
    .await;
    assert_eq!(text(&exit), "hi\nleader\n");
}

#[tokio::test]
async fn only_the_standard_descriptors_are_inherited() {
    // A library may leave one open for children; this stands for it.
    let leaked = std::fs::File::open("/etc/hostname").expect("a file");
    rustix::io::fcntl_setfd(&leaked, rustix::io::FdFlags::empty()).expect("inheritable");
    let exit = run(sh("ls /proc/self/fd | tr '\\n' ' '")).await;
    // 3 is the folder that `ls` itself reads.
    assert_eq!(text(&exit), "0 1 2 3 ");
}

#[tokio::test]
async fn an_interactive_shell_of_the_person_works_and_ends_on_kill() {
    let supervisor = Supervisor::default();
    let mut spec = sh("");
    spec.program = "/bin/bash".into();
    spec.args = vec!["--norc".into(), "-i".into()];
    spec.env = environment();
    let running = spawn(&supervisor, spec);
    input_request(&running).await;
    running.write(b"echo $((40 + 2))\n").await.expect("typed");
    until("the answer", || {
        let screen = running.scrollback();
        String::from_utf8_lossy(&screen)
            .contains("42")
            .then_some(())
    })
    .await;
    supervisor.shutdown().await;
    assert!(running.exit().is_some());
}
