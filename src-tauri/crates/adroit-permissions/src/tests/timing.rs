//! How long a decision takes. Not a test of time: prints, when asked for.

use std::time::Duration;

use adroit_protocol::permission::Mode;

use super::support::{bash, edit, rules, snapshot};

#[test]
#[ignore = "prints timings; run with --ignored --nocapture, best in release"]
fn decisions_with_a_thousand_rules() {
    let mut list = String::new();
    for index in 0..250 {
        list.push_str(&format!(
            "allow Bash(tool{index} run:*); deny Bash(tool{index} push:*); \
             deny Read(secrets{index}/**); allow Edit(src{index}/**/*.ts); "
        ));
    }
    let snapshot = snapshot(Mode::Default, rules(&list));
    for (name, facts) in [
        ("allowed", bash("tool249 run x")),
        ("compound", bash("tool1 run && tool249 run x | grep y")),
        ("asked", bash("cargo run")),
        ("read-only", bash("git status")),
        ("edit", edit("/w/project/src249/a/b/c.ts")),
        ("edit asked", edit("/w/project/lib/a/b/c.ts")),
    ] {
        let rounds = 200;
        let copies: Vec<_> = (0..rounds).map(|_| facts.clone()).collect();
        let start = cpu_time();
        for copy in copies {
            let _ = std::hint::black_box(crate::decide(&snapshot, copy));
        }
        println!("{name}: {:?} each", (cpu_time() - start) / rounds);
    }
}

/// What this thread has run for: other work on the machine does not count.
fn cpu_time() -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").expect("Linux");
    let nanoseconds = text.split_whitespace().next().expect("a number");
    Duration::from_nanos(nanoseconds.parse().expect("a number"))
}

#[test]
#[ignore = "prints timings of odd inputs"]
fn odd_inputs() {
    for (name, command) in [
        ("timeout 1 x20000", "timeout 1 ".repeat(20_000) + "ls"),
        ("timeout 1 x6000", "timeout 1 ".repeat(6_000) + "ls"),
        ("sudo --x x5000", "sudo --x ".repeat(5_000) + "rm x"),
        ("git -x", "git ".to_owned() + &"-x ".repeat(20_000) + "push"),
        (
            "git -x 1000",
            "git ".to_owned() + &"-x ".repeat(1_000) + "push",
        ),
        ("words", "git commit ".to_owned() + &"word ".repeat(12_000)),
        ("lines", "git commit a b c\n".repeat(3_000)),
        ("pipes", "a b | ".repeat(900) + "c"),
        ("x=y", "foo ".to_owned() + &"a=b:c@d ".repeat(2_900)),
        ("sh -c", "sh -c 'ls' ; ".repeat(900)),
        (
            "awk",
            format!("awk '{}' a", "{print \"x\" > \"y\"} ".repeat(2_000)),
        ),
        (
            "find exec",
            "find . ".to_owned() + &"-exec rm {} \\; ".repeat(600),
        ),
        ("long", "a".repeat(200_000)),
        ("semis", "a;".repeat(100_000)),
    ] {
        let began = std::time::Instant::now();
        let facts = super::support::bash(&command);
        let analysed = began.elapsed();
        let verdict = super::support::behavior(
            "allow Bash(*); deny Bash(git push:*); deny Read(.env)",
            facts,
        );
        println!(
            "{name}: analysis {analysed:?}, with decision {:?} {verdict:?}",
            began.elapsed()
        );
    }
}
