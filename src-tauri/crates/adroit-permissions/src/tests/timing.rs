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
