//! What it costs to make calls undoable, against `cp` of the same pre-images in the same run.
//!
//! `cargo bench -p adroit-checkpoints`

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use adroit_checkpoints::{Begin, History, Limits, Selection, Store, Undoing};
use adroit_protocol::{CallId, SessionId};

const FILES: usize = 50_000;
const ROUNDS: usize = 5;

type Failure = Box<dyn std::error::Error>;

/// Folders of a hundred files each, of about 2 KB, no two alike.
fn make_tree(root: &Path) -> Result<(), Failure> {
    for number in 0..FILES {
        let folder = root.join(format!("crate{}/src{}", number / 5_000, number / 100));
        if number % 100 == 0 {
            std::fs::create_dir_all(&folder)?;
        }
        let text: String = (0..40)
            .map(|line| format!("    let value_{line} = compute({number}, {line}); // words\n"))
            .collect();
        std::fs::write(folder.join(format!("file{number}.rs")), text)?;
    }
    Ok(())
}

/// A limit of time would make a slow machine look fast.
fn limits() -> Limits {
    let mut limits = Limits::default();
    limits.scan.time = Duration::from_secs(600);
    limits
}

fn history(root: &Path, data: &Path) -> Result<Arc<History>, Failure> {
    let store = Store::open(data, limits())?;
    Ok(History::open(store, SessionId::from("ses_1"), root)?)
}

fn begin(files: Vec<PathBuf>, folders: Vec<PathBuf>) -> Begin {
    Begin {
        call: CallId::from("call"),
        turn: 1,
        title: "bench".to_owned(),
        at: 0,
        files,
        folders,
        notes: Vec::new(),
    }
}

fn timed(work: impl FnOnce() -> Result<(), Failure>) -> Result<Duration, Failure> {
    let begun = Instant::now();
    work()?;
    Ok(begun.elapsed())
}

fn median(mut work: impl FnMut() -> Result<Duration, Failure>) -> Result<Duration, Failure> {
    let mut times = Vec::new();
    for _ in 0..ROUNDS {
        times.push(work()?);
    }
    times.sort();
    Ok(times[ROUNDS / 2])
}

fn copy(from: &Path, to: &Path) -> Result<Duration, Failure> {
    timed(|| {
        let done = Command::new("cp").arg("-a").arg(from).arg(to).status()?;
        if done.success() {
            Ok(())
        } else {
            Err("cp failed".into())
        }
    })
}

fn report(what: &str, ours: Duration, theirs: Option<(&str, Duration)>) {
    match theirs {
        Some((name, theirs)) => {
            let ratio = ours.as_secs_f64() / theirs.as_secs_f64();
            println!("{what:<52} {ours:>10.1?}   {name} {theirs:>10.1?}   ratio {ratio:.2}");
        }
        None => println!("{what:<52} {ours:>10.1?}"),
    }
}

fn looks(top: &Path, root: &Path) -> Result<(), Failure> {
    let copied = copy(root, &top.join("copy"))?;
    let history = history(root, &top.join("data"))?;
    let folders = vec![root.to_path_buf()];
    let mut open = None;
    let first = timed(|| {
        open = Some(history.begin(begin(Vec::new(), folders.clone()))?);
        Ok(())
    })?;
    report("first look at 50,000 files", first, Some(("cp -a", copied)));
    if let Some(open) = open.take() {
        history.end(open)?;
    }
    let quiet = median(|| {
        timed(|| {
            let open = history.begin(begin(Vec::new(), folders.clone()))?;
            history.end(open)?;
            Ok(())
        })
    })?;
    report("both looks around a call that changed nothing", quiet, None);
    let mut round = 0;
    let busy = median(|| {
        round += 1;
        timed(|| {
            let open = history.begin(begin(Vec::new(), folders.clone()))?;
            for number in 0..100 {
                let path = root.join(format!("crate0/src{number}/file{}.rs", number * 100));
                std::fs::write(path, format!("round {round}\n"))?;
            }
            history.end(open)?;
            Ok(())
        })
    })?;
    report(
        "both looks around a call that changed 100 files",
        busy,
        None,
    );
    Ok(())
}

/// An edit of one file, and taking it back.
fn edits(top: &Path) -> Result<(), Failure> {
    let root = top.join("small");
    std::fs::create_dir(&root)?;
    let file = root.join("a.rs");
    let text = "    let value = compute(1, 2);\n".repeat(2_000);
    std::fs::write(&file, &text)?;
    let history = history(&root, &top.join("small-data"))?;
    let mut number = 0;
    let keep = median(|| {
        number += 1;
        std::fs::write(&file, format!("{text}// {number}\n"))?;
        timed(|| {
            let open = history.begin(begin(vec![file.clone()], Vec::new()))?;
            history.end(open)?;
            Ok(())
        })
    })?;
    let copied = median(|| copy(&file, &top.join("a.copy")))?;
    report("an edit of 60 KB kept", keep, Some(("cp -a", copied)));
    let back = median(|| {
        number += 1;
        let open = history.begin(begin(vec![file.clone()], Vec::new()))?;
        std::fs::write(&file, format!("{text}// {number}\n"))?;
        let step = history.end(open)?;
        timed(|| {
            let plan = history.plan(&[step.id], &Selection::everything());
            let how = Undoing {
                at: 0,
                turn: 1,
                title: "Undo".to_owned(),
                redo: false,
            };
            history.apply(&plan, &std::collections::BTreeMap::new(), how)?;
            Ok(())
        })
    })?;
    report("and taken back", back, Some(("cp -a", copied)));
    Ok(())
}

fn main() -> Result<(), Failure> {
    // `cargo test --benches` runs this too; only the real thing takes its time.
    if !std::env::args().any(|argument| argument == "--bench") {
        return Ok(());
    }
    let folder = tempfile::tempdir()?;
    let top = folder.path().canonicalize()?;
    let root = top.join("project");
    std::fs::create_dir(&root)?;
    make_tree(&root)?;
    looks(&top, &root)?;
    edits(&top)
}
