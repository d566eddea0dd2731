//! What it costs to say what a command would do.
//!
//! `cargo bench -p adroit-shell`

use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

use adroit_shell::{Analysis, ShellContext, analyze};

/// Of an ordinary command, and of the longest that is analysed.
const ORDINARY: Duration = Duration::from_micros(100);
const LONGEST: Duration = Duration::from_millis(20);
/// Of whatever anybody may write: long enough to be noticed, and no longer.
const WORST: Duration = Duration::from_millis(250);

/// Rounds of one command; the median counts.
const ROUNDS: usize = 200;
const LONG_ROUNDS: usize = 9;

const CASES: [&str; 3] = [
    include_str!("../cases/everyday.txt"),
    include_str!("../cases/tools.txt"),
    include_str!("../cases/working.txt"),
];

fn look(command: &str) -> Analysis {
    analyze(
        black_box(command),
        &ShellContext {
            cwd: Path::new("/w/project"),
            workspace: Path::new("/w/project"),
            additional_directories: &[],
            home: Path::new("/home/dev"),
        },
    )
}

/// The median of some rounds, after one that fills tables.
fn median(command: &str, rounds: usize) -> Duration {
    black_box(look(command));
    let mut times: Vec<Duration> = (0..rounds)
        .map(|_| {
            let begun = Instant::now();
            black_box(look(command));
            begun.elapsed()
        })
        .collect();
    times.sort();
    times[rounds / 2]
}

fn report(what: &str, took: Duration, budget: Duration) {
    let verdict = if took <= budget { "" } else { "   OVER" };
    println!("{what:<44} {took:>10.1?}   (budget {budget:.0?}){verdict}");
}

/// Commands as they come: single ones and short lists.
fn ordinary() {
    for command in [
        "ls -la",
        "git status",
        "cat src/main.rs | grep -n 'foo bar' | head -20",
        "cd src && grep -rn --include='*.rs' \"foo bar\" . 2>/dev/null | sort | uniq -c",
        "for f in src/*.rs; do echo \"$f\"; wc -l \"$f\"; done",
        "git add -A && git commit -m \"$(cat <<'EOF'\nFix it\n\nBody (with) marks\nEOF\n)\"",
        "find . -name '*.ts' -not -path './node_modules/*' -print0 | xargs -0 grep -l TODO",
        "rm -rf build && mkdir -p build && cp -r src/. build/",
        "sed -i 's/old/new/g' docs/a.md",
        "awk -F, 'NR>1{s+=$3}END{print s/NR}' a.csv",
        "docker compose -f docker-compose.dev.yml logs -f --tail=10 web",
        "python3 -c 'import os; os.system(\"ls\")'",
    ] {
        let shown: String = command
            .chars()
            .take(40)
            .map(|c| if c == '\n' { ' ' } else { c })
            .collect();
        report(&shown, median(command, ROUNDS), ORDINARY);
    }
    let commands: Vec<&str> = CASES
        .iter()
        .flat_map(|file| file.lines())
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .filter_map(|line| line.split_once(' '))
        .map(|(_, command)| command)
        .collect();
    let mut times: Vec<Duration> = commands.iter().map(|command| median(command, 5)).collect();
    times.sort();
    let at = |part: usize| times[(times.len() - 1) * part / 1_000];
    println!();
    report(&format!("{} cases, median", times.len()), at(500), ORDINARY);
    report("of them 99 in 100 below", at(990), ORDINARY);
    report("the slowest", at(1_000), LONGEST);
}

/// Commands of 64 KB.
fn long() {
    let full = |text: &str| text.repeat(64_000 / text.len());
    for (what, command) in [
        (
            "64 KB: a here-document",
            format!("cat > a <<'E'\n{}E", full("x | y > (z) `q`\n")),
        ),
        ("64 KB: words", format!("echo {}", full("word "))),
        (
            "64 KB: quoted words",
            format!("echo {}", full("'some quoted text of a line' ")),
        ),
        ("64 KB: a pipeline", format!("{}a", full("a | "))),
        ("64 KB: a list", format!("{}a", full("a && "))),
        (
            "64 KB: lines",
            full("cat src/some/path/name.rs | grep -n something\n"),
        ),
        ("64 KB: paths", format!("cat {}", full("src/a/b/c.rs "))),
    ] {
        report(what, median(&command, LONG_ROUNDS), LONGEST);
    }
}

/// Commands that are made to take long.
fn pathological() {
    for (what, command) in [
        ("nested substitutions", format!("{}ls{}", "$(".repeat(90), ")".repeat(90))),
        ("openers without an end", "$(".repeat(8_000)),
        ("parentheses without an end", "(".repeat(60_000)),
        ("backquotes", "`".repeat(60_001)),
        ("nested groups", format!("{}ls{}", "{ ".repeat(2_000), "; }".repeat(2_000))),
        ("braces", format!("rm {}", "{a,b}".repeat(5_000))),
        ("doubled values", format!("x=aaaa; {}cat $x", "x=$x$x; ".repeat(2_000))),
        ("loops in loops", "for f in {1..30}; do for g in {1..30}; do for h in {1..30}; do rm $f; done; done; done".to_owned()),
        ("wrappers", format!("{}ls", "timeout 5 ".repeat(5_000))),
        ("here-documents", "<<a ".repeat(10_000)),
        ("shells in shells", "sh -c \"sh -c 'sh -c \\\"ls\\\"'\"".repeat(1_000)),
        ("a sed script", format!("sed '{}' f", "s/a/b/e;".repeat(7_000))),
        ("an awk program", format!("awk '{}' f", "{print $1 | \"x\"} ".repeat(3_500))),
        ("a python program", format!("python3 -c '{}'", "os.system(\"ls\");".repeat(3_800))),
    ] {
        report(what, median(&command, LONG_ROUNDS), WORST);
    }
}

fn main() {
    ordinary();
    println!();
    long();
    println!();
    pathological();
}
