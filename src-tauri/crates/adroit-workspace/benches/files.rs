//! Searching and comparing against `rg` and `git diff --no-index` on the same work in the same run.
//!
//! `cargo bench -p adroit-workspace`

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use adroit_workspace::search::{GlobRequest, GrepRequest, Scope, SearchLimits, glob, grep};
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

/// The median of some rounds, after one that warms the caches.
fn median(mut work: impl FnMut() -> Result<(), Failure>) -> Result<Duration, Failure> {
    work()?;
    let mut times = Vec::new();
    for _ in 0..ROUNDS {
        let begun = Instant::now();
        work()?;
        times.push(begun.elapsed());
    }
    times.sort();
    Ok(times[ROUNDS / 2])
}

fn program(name: &str, arguments: &[&str], folder: &Path) -> Result<(), Failure> {
    Command::new(name)
        .args(arguments)
        .current_dir(folder)
        .stdout(Stdio::null())
        .status()?;
    Ok(())
}

fn report(what: &str, ours: Duration, theirs: Duration, name: &str) {
    let ratio = ours.as_secs_f64() / theirs.as_secs_f64();
    println!("{what:<44} {ours:>10.1?}   {name} {theirs:>10.1?}   ratio {ratio:.2} (budget 1.00)");
}

fn searches(runtime: &tokio::runtime::Runtime, root: &Path) -> Result<(), Failure> {
    let scope = || Scope {
        path: root.to_owned(),
        root: root.to_owned(),
        hidden: adroit_workspace::search::Hidden::default(),
    };
    for pattern in ["needle_function", r"needle_\w+\(", "no_such_word"] {
        let ours = median(|| {
            let request = GrepRequest {
                pattern: pattern.to_owned(),
                scope: scope(),
                glob: None,
                file_type: None,
                case_insensitive: false,
                multiline: false,
                before: 0,
                after: 0,
                lines: true,
                count: true,
                limits: SearchLimits::default(),
            };
            runtime.block_on(grep(request, CancellationToken::new()))?;
            Ok(())
        })?;
        let theirs = median(|| {
            program(
                "rg",
                &["--hidden", "--no-require-git", "-n", "-e", pattern, "."],
                root,
            )
        })?;
        report(&format!("Grep {pattern}"), ours, theirs, "rg");
    }
    for pattern in ["**/*.rs", "**/file123*", "**/*"] {
        let ours = median(|| {
            let limits = SearchLimits {
                entries: 100,
                ..SearchLimits::default()
            };
            let request = GlobRequest {
                pattern: pattern.to_owned(),
                written: pattern.to_owned(),
                scope: scope(),
                limits,
            };
            runtime.block_on(glob(request, CancellationToken::new()))?;
            Ok(())
        })?;
        let theirs = median(|| {
            program(
                "rg",
                &["--files", "--hidden", "--no-require-git", "-g", pattern],
                root,
            )
        })?;
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
    let ours = median(|| {
        let summary = diff_with_deadline(&old, &new, Duration::from_secs(10));
        if summary.added as usize != LINES / 100 {
            return Err("the diff is not the expected one".into());
        }
        Ok(())
    })?;
    let paths = [one.display().to_string(), two.display().to_string()];
    let theirs = median(|| program("git", &["diff", "--no-index", &paths[0], &paths[1]], folder))?;
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
    Ok(())
}

/// The most memory that the process ever had, in KB.
fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok())
        .unwrap_or(0)
}

fn main() -> Result<(), Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    let temporary = tempfile::tempdir()?;
    let folder = temporary.path().canonicalize()?;
    large_file(&folder)?;
    std::fs::remove_file(folder.join("large.txt"))?;
    diffs(&folder)?;
    let root = folder.join("tree");
    make_tree(&root)?;
    searches(&runtime, &root)
}
