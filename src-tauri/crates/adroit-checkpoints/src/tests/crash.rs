//! A process that is killed at any point loses nothing.

use std::collections::BTreeMap;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::desk::{begin, calls, chmod, link, open_with, snapshot, undoing};
use crate::{Faults, Point, Selection};

const FOLDER: &str = "ADROIT_CRASH_FOLDER";
const POINT: &str = "ADROIT_CRASH_POINT";
const TIMES: &str = "ADROIT_CRASH_TIMES";
const POINTS: [Point; 5] = [
    Point::ContentWritten,
    Point::ContentsKept,
    Point::Begun,
    Point::FileWritten,
    Point::Changed,
];

fn prepare(root: &Path) {
    std::fs::create_dir_all(root.join("d/e")).unwrap();
    std::fs::write(root.join("a.txt"), "old a\n".repeat(100)).unwrap();
    std::fs::write(root.join("d/b.bin"), [0, 1, 2, 255]).unwrap();
    std::fs::write(root.join("d/e/c.txt"), "old c\n").unwrap();
    chmod(&root.join("d/e/c.txt"), 0o600);
    link("a.txt", &root.join("link"));
}

/// What the killed process does: an edit, a command, and everything taken back.
fn scenario(root: &Path, data: &Path, faults: Faults) {
    let history = open_with(root, data, faults);
    let edited = root.join("a.txt");
    let mut open = history
        .begin(begin("edit", vec![edited.clone()], Vec::new()))
        .unwrap();
    let content = crate::Hash::of(&std::fs::read(&edited).unwrap());
    history
        .replacing(&mut open, &edited, Some(content))
        .unwrap();
    std::fs::write(&edited, "new a\n").unwrap();
    history.replaced(&mut open, &edited, b"new a\n");
    history.end(open).unwrap();
    let open = history
        .begin(begin("command", Vec::new(), vec![root.to_path_buf()]))
        .unwrap();
    std::fs::remove_dir_all(root.join("d")).unwrap();
    std::fs::write(root.join("made.txt"), "made\n").unwrap();
    link("made.txt", &root.join("link"));
    history.end(open).unwrap();
    let plan = history.plan(&calls(&history), &Selection::everything());
    history
        .apply(&plan, &BTreeMap::new(), undoing(false))
        .unwrap();
}

/// Not a test of its own: the process that the tests kill.
#[test]
#[ignore = "run by the tests of crashes, in a process of its own"]
fn child() {
    let folder = PathBuf::from(std::env::var(FOLDER).unwrap());
    let point = std::env::var(POINT).unwrap();
    let times: usize = std::env::var(TIMES).unwrap().parse().unwrap();
    let passed = AtomicUsize::new(0);
    let faults = Faults::new(move |at| {
        if format!("{at:?}") == point && passed.fetch_add(1, Ordering::Relaxed) + 1 == times {
            let _ = rustix::process::kill_process(
                rustix::process::getpid(),
                rustix::process::Signal::KILL,
            );
            // The signal ends the process; nothing of it goes on.
            std::thread::park();
        }
    });
    scenario(&folder.join("project"), &folder.join("data"), faults);
}

/// Runs the child; true where it was killed.
fn run_child(folder: &Path, point: Point, times: usize) -> bool {
    let status = Command::new(std::env::current_exe().unwrap())
        .args(["tests::crash::child", "--exact", "--ignored", "--quiet"])
        .env(FOLDER, folder)
        .env(POINT, format!("{point:?}"))
        .env(TIMES, times.to_string())
        .stdout(std::process::Stdio::null())
        .status()
        .unwrap();
    match status.signal() {
        Some(signal) => {
            assert_eq!(signal, 9);
            true
        }
        None => {
            assert!(status.success(), "the child failed by itself");
            false
        }
    }
}

#[test]
fn killed_anywhere_everything_can_still_be_taken_back() {
    let mut kills = 0;
    for point in POINTS {
        for times in 1.. {
            let folder = tempfile::tempdir().unwrap();
            let top = folder.path().canonicalize().unwrap();
            let (root, data) = (top.join("project"), top.join("data"));
            prepare(&root);
            let before = snapshot(&root);
            if !run_child(&top, point, times) {
                break;
            }
            kills += 1;
            let history = open_with(&root, &data, Faults::default());
            // Whatever was done by then, undone or not: taking back what is not taken back yet
            // gives the first state, to the byte.
            let undone = history.undone();
            let left: Vec<u64> = calls(&history)
                .into_iter()
                .filter(|step| !undone.contains(step))
                .collect();
            let plan = history.plan(&left, &Selection::everything());
            history
                .apply(&plan, &BTreeMap::new(), undoing(false))
                .unwrap();
            assert_eq!(snapshot(&root), before, "killed at {point:?}, {times}");
        }
    }
    assert!(kills > 10, "only {kills} points were met");
}
