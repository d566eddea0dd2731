//! Searching and comparing against `rg` and `git diff --no-index` on the same work in the same run.
//!
//! `cargo bench -p adroit-workspace`, or with words of which a section's name must hold one:
//! `cargo bench -p adroit-workspace -- grep glob`. Sections: read, diff, grep, glob.
//!
//! What the other programs do is run as a process of its own, with its output thrown away; ours is a call
//! within this process, which keeps what it found. Where a program is not installed, its part is left out
//! and that is said: a comparison with nothing is not a passed one.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use adroit_workspace::search::{GlobRequest, GrepRequest, Scope, SearchLimits, Wanted, glob, grep};
use adroit_workspace::{PageRequest, diff_with_deadline, read_page};
use tokio_util::sync::CancellationToken;

const FILES: usize = 50_000;
const ROUNDS: usize = 9;
const LINES: usize = 100_000;
const LARGE: usize = 1 << 30;

type Failure = Box<dyn std::error::Error>;

/// Folders of a hundred files each, of about 2 KB.
fn make_tree(root: &Path) -> Result<(), Failure> {
    let filler: String = (0..40)
        .map(|line| format!("    let value_{line} = compute(line, {line}); // words\n"))
        .collect();
    for number in 0..FILES {
        let folder = root.join(format!("crate{}/src{}", number / 5_000, number / 100));
        if number % 100 == 0 {
            std::fs::create_dir_all(&folder)?;
        }
        let extension = ["rs", "ts", "md", "py"][number % 4];
        let needle = if number % 500 == 0 {
            "fn needle_function() {}\n"
        } else {
            ""
        };
        std::fs::write(
            folder.join(format!("file{number}.{extension}")),
            format!("{filler}{needle}"),
        )?;
    }
    std::fs::write(root.join(".gitignore"), "target/\n*.log\n")?;
    Ok(())
}

/// The fastest of some rounds of ours and of theirs, after one that warms the caches. By turns, so that
/// whatever else the machine does meets both; and the fastest, because all else only adds time.
fn compete(
    mut ours: impl FnMut() -> Result<(), Failure>,
    mut theirs: Option<impl FnMut() -> Result<(), Failure>>,
) -> Result<(Duration, Option<Duration>), Failure> {
    let time = |work: &mut dyn FnMut() -> Result<(), Failure>| -> Result<Duration, Failure> {
        let begun = Instant::now();
        work()?;
        Ok(begun.elapsed())
    };
    let mut best = (Duration::MAX, None::<Duration>);
    let before = ticks();
    for round in 0..=ROUNDS {
        let our_time = time(&mut ours)?;
        let their_time = theirs
            .as_mut()
            .map(|theirs| time(&mut *theirs))
            .transpose()?;
        if round > 0 {
            best.0 = best.0.min(our_time);
            best.1 = match (best.1, their_time) {
                (Some(before), Some(now)) => Some(before.min(now)),
                (before, now) => before.or(now),
            };
        }
    }
    let after = ticks();
    println!(
        "    processor time of {} rounds: {} and {} ticks",
        ROUNDS + 1,
        after.0 - before.0,
        after.1 - before.1
    );
    Ok(best)
}

fn program(name: &str, arguments: &[&str], folder: &Path) -> Result<(), Failure> {
    Command::new(name)
        .args(arguments)
        .current_dir(folder)
        .stdout(Stdio::null())
        .status()?;
    Ok(())
}

/// Whether the program to compare with is here. Says how to get it where it is not.
fn is_installed(name: &str, package: &str) -> bool {
    let runs = Command::new(name)
        .arg("--version")
        .stdout(Stdio::null())
        .status()
        .is_ok_and(|status| status.success());
    if !runs {
        println!(
            "NOT COMPARED with {name}: it is not installed (Debian package {package}; `cargo xtask bench` asks for it)"
        );
    }
    runs
}

/// What took how long, beside the other program's time where there is one.
fn report(what: &str, ours: Duration, theirs: Option<Duration>, name: &str) {
    let Some(theirs) = theirs else {
        println!("{what:<46} {ours:>10.1?}   (not compared)");
        return;
    };
    let ratio = ours.as_secs_f64() / theirs.as_secs_f64();
    println!("{what:<46} {ours:>10.1?}   {name} {theirs:>10.1?}   ratio {ratio:.2} (budget 1.00)");
}

fn scope(path: &Path) -> Scope {
    Scope {
        path: path.to_owned(),
        root: path.to_owned(),
        hidden: adroit_workspace::search::Hidden::default(),
    }
}

/// What a person asks of a search, and how `rg` is asked for the same.
struct Asked {
    what: &'static str,
    pattern: &'static str,
    request: fn(&mut GrepRequest),
    flags: &'static [&'static str],
}

const ASKED: [Asked; 7] = [
    Asked {
        what: "a rare word",
        pattern: "needle_function",
        request: |_| {},
        flags: &["-n"],
    },
    Asked {
        what: "a rare pattern",
        pattern: r"needle_\w+\(",
        request: |_| {},
        flags: &["-n"],
    },
    Asked {
        what: "nothing",
        pattern: "no_such_word",
        request: |_| {},
        flags: &["-n"],
    },
    Asked {
        what: "a rare word in any case",
        pattern: "NEEDLE_function",
        request: |request| request.case_insensitive = true,
        flags: &["-n", "-i"],
    },
    Asked {
        what: "a word on every line",
        pattern: "compute",
        request: |_| {},
        flags: &["-n"],
    },
    Asked {
        what: "files with a common word",
        pattern: "compute",
        request: |request| request.wanted = Wanted::Files,
        flags: &["-l"],
    },
    Asked {
        what: "a rare word with context",
        pattern: "needle_function",
        request: |request| (request.before, request.after) = (3, 3),
        flags: &["-n", "-C", "3"],
    },
];

fn greps(runtime: &tokio::runtime::Runtime, root: &Path) -> Result<(), Failure> {
    let compared = is_installed("rg", "ripgrep");
    for asked in ASKED {
        let ours = || {
            let mut request = GrepRequest {
                pattern: asked.pattern.to_owned(),
                scope: scope(root),
                glob: None,
                file_type: None,
                case_insensitive: false,
                multiline: false,
                before: 0,
                after: 0,
                wanted: Wanted::Lines,
                limits: SearchLimits::default(),
            };
            (asked.request)(&mut request);
            runtime.block_on(grep(request, CancellationToken::new()))?;
            Ok(())
        };
        let mut arguments = vec!["--hidden", "--no-require-git"];
        arguments.extend(asked.flags);
        arguments.extend(["-e", asked.pattern, "."]);
        let theirs = compared.then_some(|| program("rg", &arguments, root));
        let (ours, theirs) = compete(ours, theirs)?;
        report(&format!("Grep: {}", asked.what), ours, theirs, "rg");
    }
    Ok(())
}

fn globs(runtime: &tokio::runtime::Runtime, root: &Path) -> Result<(), Failure> {
    let compared = is_installed("rg", "ripgrep");
    for pattern in [
        "**/*.rs",
        "**/file123*",
        "**/*",
        "**/*.{rs,md}",
        "crate3/**",
    ] {
        let ours = || {
            let limits = SearchLimits {
                entries: 100,
                ..SearchLimits::default()
            };
            let request = GlobRequest {
                pattern: pattern.to_owned(),
                written: pattern.to_owned(),
                scope: scope(root),
                limits,
            };
            runtime.block_on(glob(request, CancellationToken::new()))?;
            Ok(())
        };
        let arguments = ["--files", "--hidden", "--no-require-git", "-g", pattern];
        let theirs = compared.then_some(|| program("rg", &arguments, root));
        let (ours, theirs) = compete(ours, theirs)?;
        report(&format!("Glob {pattern}"), ours, theirs, "rg --files -g");
    }
    Ok(())
}

fn diffs(folder: &Path) -> Result<(), Failure> {
    let line = |number: usize, word: &str| {
        format!("line {number} of a long file with some {word} in it\n")
    };
    let old: String = (0..LINES).map(|number| line(number, "words")).collect();
    let new: String = (0..LINES)
        .map(|number| {
            line(
                number,
                if number % 100 == 7 {
                    "changes"
                } else {
                    "words"
                },
            )
        })
        .collect();
    let (one, two) = (folder.join("old.txt"), folder.join("new.txt"));
    std::fs::write(&one, &old)?;
    std::fs::write(&two, &new)?;
    let ours = || {
        let summary = diff_with_deadline(&old, &new, Duration::from_secs(10));
        if summary.added as usize != LINES / 100 {
            return Err("the diff is not the expected one".into());
        }
        Ok(())
    };
    let paths = [one.display().to_string(), two.display().to_string()];
    let arguments = ["diff", "--no-index", &paths[0], &paths[1]];
    let theirs = is_installed("git", "git").then_some(|| program("git", &arguments, folder));
    let (ours, theirs) = compete(ours, theirs)?;
    report(
        "Diff of 100,000 lines, 1 % changed, with words",
        ours,
        theirs,
        "git diff --no-index",
    );
    Ok(())
}

fn large_file(folder: &Path) -> Result<(), Failure> {
    let path: PathBuf = folder.join("large.txt");
    let block = "a line of a very large file that nobody reads as a whole\n".repeat(20_000);
    let mut file = std::io::BufWriter::new(std::fs::File::create(&path)?);
    for _ in 0..LARGE / block.len() {
        std::io::Write::write_all(&mut file, block.as_bytes())?;
    }
    drop(file);
    let request = PageRequest {
        first: 9_000_000,
        count: 2_000,
        line_limit: 2_000,
        page_limit: 200_000,
    };
    let before = peak_memory();
    let begun = Instant::now();
    let page = read_page(&path, request, &|| false)?;
    let grown = peak_memory().saturating_sub(before);
    println!(
        "Read a page in the middle of 1 GB ({} lines): {:.1?}, memory grew by {grown} KB",
        page.total_lines,
        begun.elapsed()
    );
    cancelled(&path, request)?;
    std::fs::remove_file(path)?;
    Ok(())
}

/// How long reading goes on after it was cancelled in the middle.
fn cancelled(path: &Path, request: PageRequest) -> Result<(), Failure> {
    let asked = std::cell::Cell::new(0_u32);
    let since = std::cell::Cell::new(None::<Instant>);
    let stop = || {
        asked.set(asked.get() + 1);
        // About the middle: it is asked after each quarter of a megabyte.
        if asked.get() == 2_000 {
            since.set(Some(Instant::now()));
        }
        since.get().is_some()
    };
    if read_page(path, request, &stop).is_ok() {
        return Err("reading went on although it was cancelled".into());
    }
    let late = since.get().map(|since| since.elapsed()).unwrap_or_default();
    println!("Read cancelled in the middle of 1 GB: ended after {late:.1?} (budget 50 ms)");
    Ok(())
}

/// Processor time of this process and of the ones that it waited for, in clock ticks (`proc(5)`).
fn ticks() -> (u64, u64) {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // What follows the name, which may hold anything, begins with the third field.
    let fields: Vec<u64> = stat
        .rsplit(')')
        .next()
        .unwrap_or_default()
        .split_whitespace()
        .map(|field| field.parse().unwrap_or(0))
        .collect();
    let sum = |first: usize| fields.iter().skip(first).take(2).sum();
    (sum(11), sum(13))
}

/// The most memory that the process ever had, in KB.
fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok())
        .unwrap_or(0)
}

fn main() -> Result<(), Failure> {
    // Cargo adds `--bench`.
    let words: Vec<String> = std::env::args()
        .skip(1)
        .filter(|word| !word.starts_with('-'))
        .collect();
    let wanted = |section: &str| {
        words.is_empty() || words.iter().any(|word| section.contains(word.as_str()))
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    let temporary = tempfile::tempdir()?;
    let folder = temporary.path().canonicalize()?;
    if wanted("read") {
        large_file(&folder)?;
    }
    if wanted("diff") {
        diffs(&folder)?;
    }
    if wanted("grep") || wanted("glob") {
        let root = folder.join("tree");
        make_tree(&root)?;
        if wanted("grep") {
            greps(&runtime, &root)?;
        }
        if wanted("glob") {
            globs(&runtime, &root)?;
        }
    }
    Ok(())
}
